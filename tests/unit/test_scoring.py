"""What a game is worth, what the match needs of it, and when games, matches and sessions end."""

from dataclasses import replace

import pytest

from libs.backgammon.apply import apply
from libs.backgammon.board import Worth
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    Ending,
    GameScored,
    GameStarted,
    GameVoided,
    MatchScored,
    Seat,
    SessionEndAsked,
)
from libs.backgammon.match import Cube, Match, Phase
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Rules
from libs.backgammon.scoring import is_crawford, needed, points, score_game
from services.cube import core
from services.cube.core import (
    EndSession,
    OfferCube,
    OfferResignation,
    PassCube,
    ScoreGame,
    StartGame,
    VoidGame,
)
from services.rules.core import MoveCheckers
from tests.scene import BLACK, WHITE, Scene, position, refusal, seated, started

SINGLE, GAMMON, BACKGAMMON = Worth
LAST_CHECKER = {1: 1}
LOSERS = {
    SINGLE: {6: 5, 8: 3, 13: 5, 25: 1},
    GAMMON: {6: 5, 8: 3, 13: 5, 7: 2},
    BACKGAMMON: {6: 5, 8: 3, 13: 5, 19: 2},
}
"""The loser's checkers that make his loss worth so much; the single one has borne a checker off."""
JACOBY = profile("money", jacoby=True)


def won(rules: Rules | str, worth: Worth, *, winner: Seat = WHITE, **given: object) -> Scene:
    """A game in which the winner has just borne off his last checker."""
    sides = (LAST_CHECKER, LOSERS[worth]) if winner is WHITE else (LOSERS[worth], LAST_CHECKER)
    scene = position(rules, *sides, on_roll=winner, dice_=(6, 5), **given)  # type: ignore[arg-type]
    scene.do(MoveCheckers(winner, ((1, 0),)))
    assert core.react(scene.match) == ScoreGame()
    scene.do(ScoreGame())
    return scene


def at(rules: Rules | str, white: int, black: int) -> Match:
    return replace(started(rules).match, white_points=white, black_points=black)


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("worth", Worth)
def test_a_game_borne_off_counts_as_its_profile_says(name: str, worth: Worth) -> None:
    rules = PROFILES[name].rules
    factor = (1, rules.gammon, rules.backgammon)[worth - 1]
    scene = won(name, worth)
    assert scene.score() == (factor, 0)
    scored = scene.events(GameScored)[0]
    assert scored == GameScored(WHITE, worth, 1, factor, factor, Ending.BORNE_OFF)


def test_black_wins_as_white_does() -> None:
    assert won("money", BACKGAMMON, winner=BLACK, cube_=Cube(2, BLACK)).score() == (0, 6)


@pytest.mark.parametrize(("worth", "value"), [(SINGLE, 4), (GAMMON, 8), (BACKGAMMON, 12)])
def test_the_cube_multiplies_the_worth(worth: Worth, value: int) -> None:
    assert won("money", worth, cube_=Cube(4, BLACK)).score() == (value, 0)


@pytest.mark.parametrize(
    ("cube", "factor"), [(Cube(1), 1), (Cube(4), 1), (Cube(2, WHITE), 2), (Cube(2, BLACK), 2)]
)
def test_jacoby_lets_gammons_count_once_a_side_owns_the_cube(cube: Cube, factor: int) -> None:
    # Automatic doubles raise the cube and leave it in the middle: nobody has turned it.
    assert won(JACOBY, GAMMON, cube_=cube).score() == (factor * cube.value, 0)


def test_jacoby_is_for_money_only() -> None:
    in_a_match = replace(PROFILES["series"].rules, jacoby=True)
    assert points(at(in_a_match, 0, 0), GAMMON, 1) == 2


def test_the_worth_is_recorded_as_it_was_even_where_it_counts_less() -> None:
    scored = won(JACOBY, BACKGAMMON).events(GameScored)[0]
    assert isinstance(scored, GameScored)
    assert (scored.worth, scored.points) == (BACKGAMMON, 1)


def test_a_match_counts_only_the_points_it_needed_and_keeps_the_rest_on_record() -> None:
    scene = won("match", BACKGAMMON, score=(4, 3), cube_=Cube(2, BLACK))
    scored, over = scene.events(GameScored)[0], scene.events(MatchScored)[0]
    assert scored == GameScored(WHITE, BACKGAMMON, 2, 6, 1, Ending.BORNE_OFF)
    assert over == MatchScored(WHITE, 10, 3, Ending.POINTS_REACHED)
    assert (scene.match.phase, scene.match.winner) == (Phase.OVER, WHITE)


def test_a_match_goes_on_until_its_length_is_reached() -> None:
    scene = won("match", GAMMON, score=(2, 4))
    assert scene.score() == (4, 4)
    assert scene.match.phase is Phase.BETWEEN
    assert core.react(scene.match) == StartGame()


def test_what_is_needed_never_falls_below_nothing() -> None:
    assert (needed(at("match", 2, 7), WHITE), needed(at("match", 2, 7), BLACK)) == (3, 0)
    assert needed(at("money", 9, 0), WHITE) == 0


@pytest.mark.parametrize("name", [name for name, found in PROFILES.items() if found.rules.games == 1])
def test_a_profile_of_one_game_ends_with_it(name: str) -> None:
    scene = won(name, SINGLE, winner=BLACK)
    assert scene.events(MatchScored) == [MatchScored(BLACK, 0, 1, Ending.GAMES_PLAYED)]
    assert scene.match.phase is Phase.OVER
    assert core.react(scene.match) is None


def test_nothing_is_scored_twice_or_before_its_time() -> None:
    scene = won("money", SINGLE)
    assert refusal(scene, ScoreGame()) is Reason.WRONG_PHASE
    assert refusal(position("money"), ScoreGame()) is Reason.WRONG_PHASE
    assert refusal(position("money"), StartGame()) is Reason.WRONG_PHASE


def test_a_new_game_starts_from_the_beginning() -> None:
    scene = won("money", SINGLE, cube_=Cube(8, WHITE))
    scene.current = replace(scene.match, opening_ties=2)
    fresh = started("money").match
    scene.settle()
    assert scene.events(GameStarted)[-1] == GameStarted(2, crawford=False)
    assert (scene.match.phase, scene.match.board, scene.match.cube) == (Phase.OPENING, fresh.board, Cube())
    assert (scene.match.turn, scene.match.turns, scene.match.opening_ties) == (None, 0, 0)
    assert scene.match.last_game is not None


def test_a_value_of_its_own_overrides_the_count() -> None:
    # For records and for forfeits that the profile prices itself.
    (scored,) = score_game(at("money", 0, 0), BLACK, SINGLE, 1, Ending.SETTLED, value=7)
    assert scored == GameScored(BLACK, SINGLE, 1, 7, 7, Ending.SETTLED)


# --- the Crawford game ---


@pytest.mark.parametrize(
    ("score", "crawford"), [((4, 0), True), ((0, 4), True), ((3, 3), False), ((4, 4), True), ((0, 0), False)]
)
def test_the_first_game_one_point_from_the_match_is_the_crawford_game(
    score: tuple[int, int], crawford: bool
) -> None:
    assert is_crawford(at("match", *score)) is crawford


def test_there_is_one_crawford_game_a_match() -> None:
    scene = won("match", SINGLE, score=(3, 0)).settle()
    assert scene.match.crawford
    for winner, score in ((BLACK, (4, 1)), (BLACK, (4, 3)), (BLACK, (4, 4))):
        scored = score_game(
            scene.match, winner, Worth(score[1] - scene.match.black_points), 1, Ending.RESIGNED
        )
        for event in scored:
            scene.current = apply(scene.match, event)
        assert scene.score() == score
        assert not scene.settle().match.crawford


@pytest.mark.parametrize(
    "rules", [profile("classic", points=5), profile("money"), profile("series", points=1)]
)
def test_profiles_without_the_rule_and_matches_to_one_have_no_crawford_game(rules: Rules) -> None:
    assert not is_crawford(at(rules, max(rules.points - 1, 0), 0))


# --- the end of a money session ---


def test_a_session_goes_on_until_a_player_ends_it() -> None:
    scene = won("money", SINGLE, score=(90, 90))
    assert core.react(scene.match) == StartGame()


def test_a_session_ends_after_the_game_in_which_a_player_asks() -> None:
    scene = position("money", score=(3, 0))
    assert scene.do(EndSession(BLACK)) == (SessionEndAsked(BLACK),)
    assert scene.do(EndSession(WHITE)) == ()
    scene.do(OfferCube(WHITE))
    assert scene.do(PassCube(BLACK))[-1] == MatchScored(WHITE, 4, 0, Ending.SESSION_LEFT)
    assert scene.match.phase is Phase.OVER
    assert refusal(scene, EndSession(WHITE)) is Reason.MATCH_OVER


@pytest.mark.parametrize(("score", "winner"), [((1, 3), BLACK), ((5, 3), WHITE), ((2, 2), None)])
def test_between_games_a_session_ends_at_once_and_the_leader_wins(
    score: tuple[int, int], winner: Seat | None
) -> None:
    scene = seated("money")
    scene.current = replace(scene.match, white_points=score[0], black_points=score[1])
    _, over = scene.do(EndSession(WHITE))
    assert over == MatchScored(winner, *score, Ending.SESSION_LEFT)
    assert scene.match.winner is winner


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "money"])
def test_only_a_session_can_be_ended(name: str) -> None:
    assert refusal(position(name), EndSession(WHITE)) is Reason.NO_SESSION


def test_nothing_is_decided_before_the_match_begins() -> None:
    scene = seated("money")
    scene.current = replace(scene.match, phase=Phase.TABLE)
    assert refusal(scene, EndSession(WHITE)) is Reason.MATCH_NOT_STARTED
    assert refusal(scene, StartGame()) is Reason.MATCH_NOT_STARTED


# --- games of records that cannot be followed ---


def test_a_voided_game_counts_for_nothing_and_the_next_one_follows() -> None:
    scene = position("match", score=(2, 1))
    scene.current = replace(scene.match, source="a record")
    scene.do(OfferResignation(WHITE))
    assert scene.do(VoidGame("line 7: illegal-play")) == (GameVoided("line 7: illegal-play"),)
    assert scene.score() == (2, 1)
    assert refusal(scene, VoidGame("again")) is Reason.WRONG_PHASE
    assert core.react(scene.match) == StartGame()


def test_a_game_that_is_played_here_is_never_voided() -> None:
    assert refusal(position("match"), VoidGame("why not")) is Reason.FORBIDDEN
