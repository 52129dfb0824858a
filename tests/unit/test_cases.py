"""The worked cases of tests/data/cases.json on score, cube, dice and protocol, each under its id.

Its board cases are played in test_plays.py and test_turn.py, the clock's (S30) in test_clock_core.py and
tests/e2e/test_deadlines.py, records (S33) in tests/contract/test_import.py, the commission (S35) in
test_commission.py.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from libs.backgammon.board import Board, Worth
from libs.backgammon.dice import SERVER, Chain, roll, server_seed
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    CheckersMoved,
    DiceRolled,
    Ending,
    GameScored,
    MatchScored,
    ResignationOffered,
    TurnEnded,
)
from libs.backgammon.match import Cube, Phase
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.backgammon.scoring import score_game
from services.cube.core import (
    AcceptResignation,
    BeaverCube,
    DeclineResignation,
    OfferCube,
    OfferResignation,
    PassCube,
    ScoreGame,
    TakeCube,
)
from services.dice.core import RollDice
from services.rules.core import MoveCheckers
from tests.scene import BLACK, MATCH_ID, SERVER_CHAIN, WHITE, Scene, counts, position, refusal, started

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]
ELSEWHERE = {"board", "notation", "clock"}
"""Kinds of case that other tests answer for, as they do for the commission."""
SINGLE, GAMMON, BACKGAMMON = Worth
MONEY = profile("money", beaver=True)
JACOBY = profile("money", jacoby=True)

Test = Callable[[], None]
_TESTED: set[str] = set()


def case(name: str) -> Callable[[Test], Test]:
    """Says which case a test is."""
    _TESTED.add(name)
    return pytest.mark.parametrize((), [pytest.param(id=name)])


def test_every_case_has_its_test() -> None:
    wanted = {found["id"] for found in CASES if found["kind"] not in ELSEWHERE} - {"S35"}
    assert wanted == _TESTED


def borne_off(rules: Rules, loser: dict[int, int], **given: object) -> Scene:
    """White bears off his last checker with 6-5."""
    scene = position(rules, {1: 1}, loser, dice_=(6, 5), **given)  # type: ignore[arg-type]
    scene.do(MoveCheckers(WHITE, ((1, 0),)))
    scene.do(ScoreGame())
    return scene


def repeated(scene: Scene, command: object, times: int) -> list[Reason]:
    """What a client hears that sends the same again under new command ids."""
    return [refusal(scene, command) for _ in range(times)]


# --- score ---


@case("S04")
def test_one_checker_off_saves_the_gammon_even_with_another_on_the_bar() -> None:
    assert borne_off(profile("money"), {6: 5, 8: 3, 13: 5, 25: 1}).score() == (1, 0)


@case("S05")
def test_jacoby_counts_a_gammon_single_while_the_cube_is_centred() -> None:
    loser = {6: 5, 8: 3, 13: 5, 7: 2}
    assert borne_off(JACOBY, loser).score() == (1, 0)
    for owner in (WHITE, BLACK):
        assert borne_off(JACOBY, loser, cube_=Cube(2, owner)).score() == (4, 0)
    assert borne_off(replace(profile("series"), jacoby=True), loser).score() == (2, 0)


@case("S06")
def test_jacoby_caps_a_resignation_too() -> None:
    scene = started(JACOBY)
    scene.do(OfferResignation(WHITE, GAMMON))
    scene.do(AcceptResignation(BLACK))
    assert scene.score() == (0, 1)


@case("S19")
def test_a_resignation_that_may_hide_a_gammon_needs_consent() -> None:
    loser, winner = {24: 4, 23: 4, 22: 4, 21: 3}, {6: 3, 5: 2}
    scene = position("money", loser, winner)
    scene.do(OfferResignation(WHITE, SINGLE))
    scene.do(DeclineResignation(BLACK))
    assert (scene.match.resigning, scene.match.phase, scene.match.to_act) == (None, Phase.ROLL, WHITE)
    assert scene.do(RollDice(WHITE, b"", SERVER_CHAIN))

    by_pips = position("single", loser, winner)
    assert refusal(by_pips, OfferResignation(WHITE, SINGLE)) is Reason.CONFIRM_GAMMON
    at_once = position("reserve", loser, winner)
    assert at_once.do(OfferResignation(WHITE, SINGLE))[0] == ResignationOffered(WHITE, GAMMON)


@case("S31")
def test_a_match_is_won_by_points_only() -> None:
    match = position("match", score=(3, 3)).match
    assert score_game(match, WHITE, SINGLE, 1, Ending.SETTLED) == (
        GameScored(WHITE, SINGLE, 1, 1, 1, Ending.SETTLED),
    )
    assert score_game(match, WHITE, GAMMON, 1, Ending.SETTLED) == (
        GameScored(WHITE, GAMMON, 1, 2, 2, Ending.SETTLED),
        MatchScored(WHITE, 5, 3, Ending.POINTS_REACHED),
    )


@case("S32")
def test_points_beyond_the_match_length_are_kept_beside_those_that_count() -> None:
    scene = borne_off(profile("match", points=3), {13: 15}, score=(2, 0), cube_=Cube(2, BLACK))
    assert scene.events(GameScored) == [GameScored(WHITE, GAMMON, 2, 4, 1, Ending.BORNE_OFF)]
    assert scene.score() == (6, 0)
    assert scene.match.phase is Phase.OVER


@case("S34")
def test_a_checker_on_the_bar_has_25_pips_and_they_are_its_own_sides() -> None:
    board = Board.from_counts(counts({25: 1, 24: 1, 13: 5, 8: 3, 6: 5}), Board.start().counts()[1])
    assert board.pips() == (168, 167)
    assert board.flipped().pips() == (167, 168)


# --- cube ---


@case("S09")
def test_nobody_doubles_when_his_cube_already_wins_the_match() -> None:
    scene = position(profile("match", points=3), score=(1, 0), cube_=Cube(2, WHITE))
    assert refusal(scene, OfferCube(WHITE)) is Reason.DEAD_CUBE


@case("S10")
def test_a_match_to_one_has_no_crawford_game_and_no_cube() -> None:
    scene = position(profile("tournament", points=1))
    assert not started(scene.match.rules).match.crawford
    assert refusal(scene, OfferCube(WHITE)) is Reason.DEAD_CUBE


@case("S12")
def test_a_passed_double_gives_the_old_value_to_the_doublers_own_score() -> None:
    scene = position("match", score=(1, 3))
    scene.do(OfferCube(WHITE))
    scene.do(PassCube(BLACK))
    assert scene.score() == (2, 3)


@case("S13")
def test_nobody_doubles_with_the_dice_on_the_table() -> None:
    assert refusal(position("money", dice_=(3, 1)), OfferCube(WHITE)) is Reason.WRONG_PHASE


@case("S14")
def test_an_open_offer_hears_answers_only_and_a_passed_one_nothing() -> None:
    scene = position("money")
    scene.do(OfferCube(WHITE))
    assert refusal(scene, RollDice(WHITE, b"", SERVER_CHAIN)) is Reason.OFFER_PENDING
    scene.do(PassCube(BLACK))
    assert refusal(scene, TakeCube(BLACK)) is Reason.NOTHING_TO_ANSWER


@case("S15")
def test_a_passed_double_leaves_no_offer_in_the_final_state() -> None:
    scene = position("single", cube_=Cube(2, WHITE))
    scene.do(OfferCube(WHITE))
    scene.do(PassCube(BLACK))
    assert (scene.match.phase, scene.match.cube) == (Phase.OVER, Cube(2, WHITE))
    assert scene.score() == (2, 0)


@case("S16")
def test_a_beavered_cube_is_at_four_and_its_doubler_may_still_pass() -> None:
    taken, passed = position(MONEY), position(MONEY)
    for scene in (taken, passed):
        scene.do(OfferCube(WHITE))
        scene.do(BeaverCube(BLACK))
    taken.do(TakeCube(WHITE))
    assert (taken.match.cube, taken.match.phase, taken.match.to_act) == (Cube(4, BLACK), Phase.ROLL, WHITE)
    passed.do(PassCube(WHITE))
    assert (passed.score(), passed.match.cube) == ((0, 2), Cube(2))


# --- protocol ---


@case("S18")
def test_a_resignation_is_applied_once() -> None:
    at_once = position("reserve")
    at_once.do(OfferResignation(WHITE))
    assert repeated(at_once, OfferResignation(WHITE), 2) == [Reason.MATCH_OVER] * 2
    assert len(at_once.events(GameScored)) == 1

    offered = position("money")
    offered.do(OfferResignation(WHITE, SINGLE))
    again = repeated(offered, OfferResignation(WHITE, SINGLE), 2)
    assert again == [Reason.RESIGNATION_PENDING] * 2
    offered.do(AcceptResignation(BLACK))
    assert repeated(offered, AcceptResignation(BLACK), 2) == [Reason.NOTHING_TO_ANSWER] * 2
    assert len(offered.events(GameScored)) == 1


@case("S21")
def test_a_player_may_resign_out_of_turn_but_not_past_an_open_double() -> None:
    scene = position("money", on_roll=BLACK)
    assert scene.do(OfferResignation(WHITE, SINGLE)) == (ResignationOffered(WHITE, SINGLE),)
    scene.do(DeclineResignation(BLACK))
    scene.do(OfferCube(BLACK))
    assert refusal(scene, OfferResignation(WHITE, SINGLE)) is Reason.OFFER_PENDING


@case("S22")
def test_a_double_click_moves_one_checker() -> None:
    scene = position("money", Board.start(), dice_=(6, 5))
    click = MoveCheckers(WHITE, ((24, 18),))
    scene.do(click)
    assert refusal(scene, click) is Reason.ILLEGAL_PLAY
    assert len(scene.events(CheckersMoved)) == 1


@case("S23")
def test_a_forced_play_is_made_once_whoever_sends_it_again() -> None:
    scene = position("money", {24: 1, 8: 1, 6: 13}, {21: 2, 9: 2, 7: 3, 6: 4, 5: 4}, dice_=(6, 2))
    forced = MoveCheckers(WHITE, ((8, 2), (24, 22)))
    assert scene.do(forced)[-1] == TurnEnded(WHITE)
    assert refusal(scene, forced) is Reason.WRONG_PHASE
    assert len(scene.events(CheckersMoved)) == 1


# --- dice ---


@case("S24")
def test_a_roll_belongs_to_the_turn_however_often_it_is_asked_for() -> None:
    scene = position("money")
    scene.do(RollDice(WHITE, b"", SERVER_CHAIN))
    turn = scene.match.turn
    assert refusal(scene, MoveCheckers(WHITE, ((1, 0),))) is Reason.ILLEGAL_PLAY
    assert scene.do(RollDice(WHITE, b"", SERVER_CHAIN)) == ()
    assert scene.match.turn == turn
    assert len(scene.events(DiceRolled)) == 1


@case("S25")
def test_matches_roll_apart_from_one_another_and_show_no_roll_ahead() -> None:
    ids = (MATCH_ID, MATCH_ID[::-1])
    chains = [Chain(one, SERVER, server_seed(b"master", one, 1), 40) for one in ids]
    rolls = [
        [roll(one, index, chain.link(index), b"", b"") for index in range(1, 41)]
        for one, chain in zip(ids, chains, strict=True)
    ]
    assert rolls[0] != rolls[1]

    scene = started("money")
    told = {scene.match.dice.tip}  # all that is known of the service's part before the first roll
    assert not told & {SERVER_CHAIN.link(index) for index in range(1, 65)}
