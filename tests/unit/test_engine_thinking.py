"""Given a decision of a seat, when the engine is asked, then the receipt says why, and what to do."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from libs.backgammon.board import Board, Worth
from libs.backgammon.events import (
    CubeBeavered,
    CubeOffered,
    CubeRaccooned,
    GameAbandoned,
    GhostDecided,
    ResignationOffered,
    Seat,
)
from libs.backgammon.match import Cube, Match
from libs.backgammon.money import Currency, Stake
from libs.backgammon.notation import write_play
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Turn, is_complete, play
from libs.engine.analysis import adjudicate
from libs.engine.completions import completions
from libs.engine.local import LocalEngine
from libs.engine.machine import why_missing
from libs.engine.numbers import MILLION
from libs.engine.strength import BOTS, Strength
from libs.engine.thinking import LISTED, Action, steps, think
from services.rules import core as rules
from tests.ghost_scene import happens
from tests.scene import BLACK, WHITE, Scene, position

pytestmark = pytest.mark.skipif(bool(why_missing()), reason=why_missing())

START = Board.start()
STRONG = BOTS["strong"]
POSITIONS = Path(__file__).parents[1] / "data" / "positions.jsonl"
WINNING = {3: 2}, {6: 6, 5: 6}
"""Two checkers left against twelve."""
LONG_RACE = {6: 4, 5: 4, 4: 4, 3: 3}, {6: 4, 5: 4, 4: 4, 3: 3}


@pytest.fixture(scope="module")
def engine() -> LocalEngine:
    return LocalEngine()


async def receipt(
    engine: LocalEngine, scene: Scene, seat: Seat, action: Action, strength: Strength = STRONG
) -> GhostDecided:
    return await think(engine, scene.match, seat, action, strength)


def equities(found: GhostDecided) -> dict[str, int]:
    return {candidate.text: candidate.equity for candidate in found.candidates}


# --- plays ------------------------------------------------------------


async def test_a_receipt_names_engine_setting_candidates_and_choice(engine: LocalEngine) -> None:
    found = await receipt(engine, position("single", START, dice_=(2, 1)), WHITE, Action.PLAY)

    assert (found.seat, found.action, found.level) == (WHITE, "play", "2-ply")
    assert (found.engine, found.version, found.weights) == (
        engine.identity.engine,
        engine.identity.version,
        engine.identity.weights,
    )
    assert found.chosen == found.candidates[0].text == "13/11 6/5"
    assert 2 <= len(found.candidates) <= LISTED
    assert sorted(equities(found).values(), reverse=True) == list(equities(found).values())


async def test_a_receipt_can_be_computed_again(engine: LocalEngine) -> None:
    scene = position("single", START, dice_=(4, 1))

    assert await receipt(engine, scene, WHITE, Action.PLAY) == await receipt(
        engine, scene, WHITE, Action.PLAY
    )


async def test_the_play_of_a_receipt_is_legal_and_whole(engine: LocalEngine) -> None:
    scene = position("single", START, dice_=(6, 6))
    found = await receipt(engine, scene, WHITE, Action.PLAY)

    scene.do(rules.MoveCheckers(WHITE, steps(found.chosen), end_turn=True))

    assert scene.match.on_roll is BLACK


async def test_a_turn_half_played_is_finished_by_the_receipt(engine: LocalEngine) -> None:
    scene = position("single", START, dice_=(3, 1))
    scene.do(rules.MoveCheckers(WHITE, ((8, 5),)))

    assert (await receipt(engine, scene, WHITE, Action.PLAY)).chosen == "6/5"


def test_every_written_play_of_the_field_leads_where_it_says() -> None:
    rules_ = profile("money")
    records = [json.loads(line) for line in POSITIONS.read_text().splitlines()[::10]]
    for record in records:
        board, dice = Board.from_counts(record["me"], record["opp"]), tuple(record["dice"])
        turn = Turn.begin(board, dice)
        for found in completions(turn, rules_):
            played = play(turn, rules_, steps(write_play(found.moves)))
            assert played.board == found.board
            assert is_complete(played, rules_)


# --- strengths --------------------------------------------------------


@pytest.mark.parametrize("name", BOTS)
def test_a_strength_is_read_as_it_is_written(name: str) -> None:
    assert Strength.read(str(BOTS[name])) == BOTS[name]


@pytest.mark.parametrize("text", ["", "4-ply", "2-ply, errors", "2-ply, errors up to 12345678", "2-plyx"])
def test_no_other_text_is_a_strength(text: str) -> None:
    with pytest.raises(ValueError, match="no setting"):
        Strength.read(text)


async def test_the_easy_bot_errs_by_a_rule_that_anyone_can_follow(engine: LocalEngine) -> None:
    easy = BOTS["easy"]
    chosen = set()
    for number in range(40):
        scene = position("single", START, dice_=(2, 1))
        scene.current = replace(scene.match, position=number)
        found = await receipt(engine, scene, WHITE, Action.PLAY, easy)
        assert found == await receipt(engine, scene, WHITE, Action.PLAY, easy)
        assert found.level == "1-ply, errors up to 200000"
        chosen.add(found.chosen)

    assert len(chosen) > 2


# --- the cube ---------------------------------------------------------


async def test_a_won_race_is_doubled_and_passed(engine: LocalEngine) -> None:
    scene = position("single", {1: 6}, {1: 7})
    assert (await receipt(engine, scene, WHITE, Action.ROLL)).chosen == "double"

    happens(scene, CubeOffered(WHITE, 2))
    found = await receipt(engine, scene, BLACK, Action.CUBE)
    assert found.chosen == "pass"
    assert equities(found)["pass"] == -MILLION


async def test_an_even_race_is_rolled_and_would_be_taken(engine: LocalEngine) -> None:
    scene = position("single", *LONG_RACE)
    found = await receipt(engine, scene, WHITE, Action.ROLL)
    assert set(equities(found)) == {"roll", "double"}

    happens(scene, CubeOffered(WHITE, 2))
    assert (await receipt(engine, scene, BLACK, Action.CUBE)).chosen == "take"


async def test_a_cube_that_decides_the_match_is_taken_by_who_loses_it_otherwise(engine: LocalEngine) -> None:
    scene = position("match", {1: 6}, {1: 7}, score=(0, 4))
    happens(scene, CubeOffered(WHITE, 2))
    assert (await receipt(engine, scene, BLACK, Action.CUBE)).chosen == "pass"

    scene = position("match", {1: 6}, {1: 7}, score=(4, 0))
    scene.current = replace(scene.match, on_roll=BLACK, board=scene.match.board)
    happens(scene, CubeOffered(BLACK, 2))
    assert (await receipt(engine, scene, WHITE, Action.CUBE)).chosen == "pass"

    last = position("match", {1: 6}, {1: 7}, score=(4, 4))
    happens(last, CubeOffered(WHITE, 2))
    assert (await receipt(engine, last, BLACK, Action.CUBE)).chosen == "take"


@pytest.mark.parametrize(("white", "black", "chosen"), [({1: 4}, {1: 1}, "pass"), ({1: 2}, {1: 9}, "take")])
async def test_a_beaver_is_accepted_by_who_is_ahead(
    engine: LocalEngine, white: dict[int, int], black: dict[int, int], chosen: str
) -> None:
    scene = position(profile("single", beaver=True), white, black)
    happens(scene, CubeOffered(WHITE, 2))
    happens(scene, CubeBeavered(BLACK, 4))

    assert (await receipt(engine, scene, WHITE, Action.CUBE)).chosen == chosen


@pytest.mark.parametrize(("white", "black", "chosen"), [({1: 4}, {1: 1}, "take"), ({1: 2}, {1: 9}, "pass")])
async def test_a_raccoon_is_accepted_by_who_is_ahead(
    engine: LocalEngine, white: dict[int, int], black: dict[int, int], chosen: str
) -> None:
    scene = position(replace(profile("single", beaver=True), raccoon=True), white, black)
    happens(scene, CubeOffered(WHITE, 2))
    happens(scene, CubeBeavered(BLACK, 4))
    happens(scene, CubeRaccooned(WHITE, 8))

    assert (await receipt(engine, scene, BLACK, Action.CUBE)).chosen == chosen


# --- resignations -----------------------------------------------------


@pytest.mark.parametrize(
    ("worth", "chosen"), [(Worth.SINGLE, "decline"), (Worth.GAMMON, "accept"), (Worth.BACKGAMMON, "accept")]
)
@pytest.mark.parametrize("dice", [None, (2, 1)], ids=["before the roll", "after it"])
async def test_a_resignation_is_accepted_if_it_gives_what_the_game_is_worth(
    engine: LocalEngine, worth: Worth, chosen: str, dice: tuple[int, int] | None
) -> None:
    scene = position("money", {2: 2, 1: 2}, {12: 8, 10: 7}, dice_=dice, cube_=Cube(2, WHITE))
    happens(scene, ResignationOffered(BLACK, worth))

    assert (await receipt(engine, scene, WHITE, Action.RESIGNATION)).chosen == chosen


async def test_who_is_behind_accepts_any_resignation(engine: LocalEngine) -> None:
    scene = position("money", {2: 2, 1: 2}, {12: 8, 10: 7}, dice_=(2, 1))
    happens(scene, ResignationOffered(WHITE, Worth.SINGLE))

    assert (await receipt(engine, scene, BLACK, Action.RESIGNATION)).chosen == "accept"


async def test_at_the_last_point_a_single_game_is_all_there_is_to_win(engine: LocalEngine) -> None:
    scene = position("match", {2: 2, 1: 2}, {12: 8, 10: 7}, dice_=(2, 1), score=(4, 3))
    happens(scene, ResignationOffered(BLACK, Worth.SINGLE))

    assert (await receipt(engine, scene, WHITE, Action.RESIGNATION)).chosen == "accept"


async def test_a_resignation_on_a_blocked_roll_is_weighed_as_the_other_side_to_roll(
    engine: LocalEngine,
) -> None:
    scene = position("money", {25: 1, 6: 14}, dict.fromkeys(range(1, 7), 2) | {8: 3}, dice_=(3, 1))
    happens(scene, ResignationOffered(WHITE, Worth.SINGLE))
    found = await receipt(engine, scene, BLACK, Action.RESIGNATION)

    assert equities(found)["decline"] > 0


# --- adjudication -----------------------------------------------------


def staked(cents: int) -> Rules:
    return profile("money", stake=Stake(cents, Currency.PLAY))


def abandoned(scene: Scene, seat: Seat) -> Match:
    clocks = scene.match.clocks
    gone = replace(clocks.of(seat), away=0)
    there = replace(clocks.of(seat.other), away=1)
    pair = {seat: gone, seat.other: there}
    scene.current = replace(scene.match, clocks=replace(clocks, white=pair[WHITE], black=pair[BLACK]))
    return happens(scene, GameAbandoned(seat, 5)).match


@pytest.mark.parametrize("on_roll", [WHITE, BLACK])
async def test_a_won_game_gives_all_the_stakes_to_its_winner(engine: LocalEngine, on_roll: Seat) -> None:
    white, black = ({1: 1}, {6: 8}) if on_roll is WHITE else ({6: 8}, {1: 1})
    match = abandoned(position(staked(1000), white, black, on_roll=on_roll), on_roll.other)

    found = await adjudicate(engine, match)

    assert found.absent is on_roll.other
    assert (found.white_share, found.black_share) == ((2000, 0) if on_roll is WHITE else (0, 2000))
    assert found.equity == (MILLION if on_roll is WHITE else -MILLION)
    assert found.match_chance == 0


async def test_dice_on_the_table_are_played_at_their_best_before_the_split(engine: LocalEngine) -> None:
    match = abandoned(position(staked(500), {6: 1, 5: 1}, {1: 1}, dice_=(6, 5)), WHITE)
    assert (await adjudicate(engine, match)).white_share == 1000

    match = abandoned(position(staked(500), {6: 1, 5: 1}, {1: 1}, dice_=(4, 1)), WHITE)
    assert (await adjudicate(engine, match)).white_share == 0


async def test_the_split_of_a_money_game_follows_from_the_chances_it_holds(engine: LocalEngine) -> None:
    found = await adjudicate(engine, abandoned(position(staked(501), START), BLACK))

    assert found.equity == 2 * found.win - MILLION + (
        found.win_gammon - found.lose_gammon + found.win_backgammon - found.lose_backgammon
    )
    assert found.white_share == (2 * 1002 * (MILLION + found.equity) + 2 * MILLION) // (4 * MILLION)
    assert found.white_share + found.black_share == found.at_risk == 1002


async def test_a_series_is_split_by_the_chance_to_win_it(engine: LocalEngine) -> None:
    rules = profile("series", points=5, stake=Stake(1000, Currency.REAL))
    scene = position(rules, START, on_roll=BLACK, score=(3, 0))
    found = await adjudicate(engine, abandoned(scene, BLACK))

    assert 700_000 < found.match_chance < 850_000
    assert found.at_risk == 2000
    assert found.white_share == round(2000 * found.match_chance / MILLION)
    assert found.level == "2-ply"
