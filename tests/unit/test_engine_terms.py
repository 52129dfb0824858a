"""What an evaluation depends on, and the arithmetic that needs no engine."""

from dataclasses import replace

import pytest

from libs.backgammon.board import Board
from libs.backgammon.events import GameAdjudicated, Seat
from libs.backgammon.match import Cube
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Turn, play
from libs.engine.adjudicate import concluded, match_chance, money_equity, split_by_chance, split_by_equity
from libs.engine.completions import completions
from libs.engine.frame import FARTHEST, LAST_POINT, Frame, frame_of
from libs.engine.machine import why_unfit
from libs.engine.numbers import MILLION, Chances, CubeNumbers, MatchChances
from libs.engine.situation import Owner, Situation
from libs.engine.translate import chances, for_engine, order
from tests.scene import BLACK, WHITE, counts, position

MONEY = profile("money")
START = Board.start()
EVEN = Chances(500_000, 100_000, 10_000, 100_000, 10_000)


# --- situations -------------------------------------------------------


@pytest.mark.parametrize(("on_roll", "owner"), [(WHITE, Owner.MOVER), (BLACK, Owner.OPPONENT)])
def test_the_owner_of_the_cube_is_seen_from_the_side_on_roll(on_roll: Seat, owner: Owner) -> None:
    scene = position("money", START, on_roll=on_roll, cube_=Cube(4, WHITE))

    assert Situation.of(scene.match) == Situation(START, scene.match.rules, 4, owner)


def test_the_score_is_told_as_what_each_side_still_needs() -> None:
    scene = position(profile("series", points=7), START, on_roll=BLACK, score=(5, 3), crawford=False)

    assert Situation.of(scene.match).away == (4, 2)


def test_an_offer_that_waits_is_no_part_of_the_situation() -> None:
    scene = position("money", START, cube_=Cube(2, WHITE, offered=4, offered_by=WHITE))

    assert Situation.of(scene.match).cube == 2


# --- how the engine has to count --------------------------------------


def test_jacoby_and_beavers_are_off_unless_the_table_has_them() -> None:
    assert frame_of(Situation(START, MONEY)) == Frame()
    assert frame_of(Situation(START, profile("money", jacoby=True, beaver=True))) == Frame(
        jacoby=True, beaver=True
    )


def test_a_score_farther_away_than_the_engine_knows_is_shown_as_the_farthest() -> None:
    rules = profile("tournament", points=64)

    assert frame_of(Situation(START, rules, away=(64, 12))).away == (FARTHEST, 12)


def test_the_crawford_game_and_a_match_without_a_cube_count_alike() -> None:
    rules = profile("series", points=5)
    crawford = Situation(START, rules, away=(1, 3), crawford=True)
    without = Situation(START, replace(rules, cube=False), away=(1, 3))

    assert frame_of(crawford) == frame_of(without) == Frame((1, 3), crawford=True)


def test_a_game_without_gammons_counts_like_the_last_point_of_a_match() -> None:
    assert frame_of(Situation(START, profile("casual"))) == LAST_POINT


def test_a_game_without_a_cube_is_valued_by_its_chances() -> None:
    assert frame_of(Situation(START, profile("reserve"))).cubeless


@pytest.mark.parametrize(("cube", "stands"), [(32, False), (64, True)])
def test_a_cube_that_shows_its_highest_value_stands(cube: int, stands: bool) -> None:
    situation = Situation(START, MONEY, cube, Owner.MOVER)

    assert situation.cube_stands is stands
    assert frame_of(situation).cubeless is stands


def test_gammons_count_as_the_rules_say() -> None:
    jacoby = profile("money", jacoby=True)

    assert Situation(START, MONEY).factors == (2, 3)
    assert Situation(START, profile("reserve")).factors == (2, 2)
    assert Situation(START, jacoby).factors == (1, 1)
    assert Situation(START, jacoby, 2, Owner.OPPONENT).factors == (2, 3)


# --- numbers ----------------------------------------------------------


def test_an_equity_counts_gammons_and_backgammons_once_more_each() -> None:
    seen = Chances(600_000, 200_000, 50_000, 100_000, 20_000)

    assert seen.equity(1, 1) == 200_000
    assert seen.equity(2, 2) == 300_000
    assert seen.equity(2, 3) == 330_000


def test_the_six_endings_sum_to_a_million() -> None:
    assert Chances(600_000, 200_000, 50_000, 100_000, 20_000).split() == (
        400_000,
        150_000,
        50_000,
        300_000,
        80_000,
        20_000,
    )


def test_no_chance_is_above_the_one_that_includes_it() -> None:
    assert chances([0.2, 0.3, 0.4, 0.9, 0.95]) == Chances(200_000, 200_000, 200_000, 800_000, 800_000)


def test_plays_of_one_worth_keep_an_order_of_their_own() -> None:
    from libs.engine.numbers import Candidate

    worse = EVEN._replace(win_gammon=0, win_backgammon=0)
    first, second = Candidate((), START, -MILLION, EVEN), Candidate((), START, -MILLION, worse)

    assert sorted([second, first], key=order) == [first, second]


@pytest.mark.parametrize(
    ("hold", "taken", "passed", "doubles", "takes"),
    [
        (500_000, 700_000, 1_000_000, True, True),
        (900_000, 1_300_000, 1_000_000, True, False),
        (1_200_000, 1_500_000, 1_000_000, False, False),
        (700_000, 700_000, 1_000_000, False, True),
        (100_000, 1_000_000, 1_000_000, True, True),
    ],
    ids=["take", "pass", "too good", "no gain", "the last take"],
)
def test_the_cube_is_decided_by_equities_alone(
    hold: int, taken: int, passed: int, doubles: bool, takes: bool
) -> None:
    numbers = CubeNumbers(hold, taken, passed, EVEN, 1)

    assert (numbers.doubles, numbers.takes) == (doubles, takes)


def test_the_engine_is_shown_the_opponent_as_negative_numbers() -> None:
    board = Board.from_counts(counts({25: 1, 6: 2}), counts({25: 3, 1: 4}))
    shown = [3, *[0] * 24, 1]
    shown[6], shown[24] = 2, -4

    assert for_engine(board) == shown


# --- turns half played ------------------------------------------------


def test_a_turn_half_played_is_completed_and_not_begun_again() -> None:
    turn = play(Turn.begin(START, (3, 1)), MONEY, [(8, 5)])

    found = completions(turn, MONEY)

    assert {(move.origin, move.target) for each in found for move in each.moves} >= {(6, 5), (24, 23)}
    assert all(len(each.moves) == 1 and each.moves[0].die == 1 for each in found)
    assert all(each.board == turn.board.after(each.moves[0]) for each in found)


def test_a_turn_whose_moves_are_all_made_has_only_itself() -> None:
    turn = play(Turn.begin(START, (3, 1)), MONEY, [(8, 5), (6, 5)])

    assert [each.moves for each in completions(turn, MONEY)] == [()]


def test_a_doublet_half_played_still_reaches_every_end_it_can() -> None:
    turn = play(Turn.begin(START, (1, 1)), MONEY, [(8, 7), (8, 7)])

    found = {each.board for each in completions(turn, MONEY)}
    whole = {each.board for each in completions(Turn.begin(START, (1, 1)), MONEY)}

    assert turn.board.after(turn.moves[0]._replace(origin=6, target=5)) not in found
    assert found < whole
    assert all(len(each.moves) == 2 for each in completions(turn, MONEY))


def test_a_blocked_turn_becomes_nothing() -> None:
    walled = Board.from_counts(counts({25: 1}), counts(dict.fromkeys(range(1, 7), 2)))

    assert completions(Turn.begin(walled, (3, 1)), MONEY) == ()


# --- adjudication -----------------------------------------------------


@pytest.mark.parametrize(
    ("equity", "mover"),
    [
        (0, 500),
        (MILLION, 1000),
        (-MILLION, 0),
        (1_400_000, 1000),
        (-2_000_000, 0),
        (1_000, 501),
        (999, 500),
    ],
    ids=["even", "won", "lost", "more than all", "less than nothing", "half a cent", "less than half a cent"],
)
def test_stakes_are_split_by_the_equity_half_a_cent_up(equity: int, mover: int) -> None:
    assert split_by_equity(1000, equity) == (mover, 1000 - mover)


@pytest.mark.parametrize("at_risk", [1, 2, 3, 999, 1001])
def test_no_cent_of_the_stakes_is_lost_or_made(at_risk: int) -> None:
    for part in range(0, MILLION + 1, 12_345):
        assert sum(split_by_chance(at_risk, part)) == at_risk
        assert sum(split_by_equity(at_risk, 2 * part - MILLION)) == at_risk


def test_a_series_is_split_by_the_chance_to_win_the_match() -> None:
    after = MatchChances(700_000, 900_000, 1_000_000, 300_000, 100_000, 0)
    seen = Chances(500_000, 100_000, 0, 200_000, 0)

    assert match_chance(seen, after) == 400_000 * 7 // 10 + 90_000 + 300_000 * 3 // 10 + 20_000
    assert split_by_chance(2000, match_chance(seen, after)) == (960, 1040)


def test_under_jacoby_gammons_split_stakes_only_once_the_cube_was_turned() -> None:
    rules = profile("money", jacoby=True)
    seen = Chances(500_000, 200_000, 0, 100_000, 0)

    assert money_equity(seen, Situation(START, rules)) == 0
    assert money_equity(seen, Situation(START, rules, 2, Owner.MOVER)) == 100_000


CAPPED = profile("money", stake=Stake(500, Currency.PLAY, 12))
GAMMONISH = Chances(600_000, 300_000, 100_000, 100_000, 0)
"""White loses 400, wins 300 single, 200 gammons and 100 backgammons of a thousand games."""


@pytest.mark.parametrize(
    ("cube", "equity"),
    [
        (4, 500_000),  # 4, 8 and 12 stakes: the cap of 12 cuts nothing
        (8, 300_000 + 300_000 * 3 // 2 - 300_000 - 100_000 * 3 // 2),  # 8, and 12 for more
        (16, 200_000),  # 12 for everything: twice the chance to win less one
        (64, 200_000),
    ],
)
def test_under_a_cap_no_ending_counts_more_than_it_is_settled_for(cube: int, equity: int) -> None:
    assert money_equity(GAMMONISH, Situation(START, CAPPED, cube, Owner.MOVER)) == equity


def test_without_a_cap_every_cube_has_the_same_equity() -> None:
    for cube in (1, 2, 16, 64):
        assert money_equity(GAMMONISH, Situation(START, MONEY, cube, Owner.MOVER)) == 500_000


def adjudicated(rules: Rules, cube: int, **found: int) -> GameAdjudicated:
    """What follows from these chances of White's; whatever else is said with them is no matter."""
    said: dict[str, int] = dict.fromkeys(NUMBERS, 0) | GAMMONISH._asdict() | found
    match = position(rules, START, cube_=Cube(cube, WHITE)).match
    return concluded(match, GameAdjudicated(WHITE, "e", "1", "w", "2-ply", **said))


NUMBERS = ("equity", "match_chance", "at_risk", "white_share", "black_share")


@pytest.mark.parametrize(
    ("cube", "at_risk", "white"),
    [(1, 1_000, 750), (4, 4_000, 3_000), (8, 8_000, 5_200), (16, 12_000, 7_200)],
)
def test_a_money_game_is_split_by_what_its_endings_are_settled_for(
    cube: int, at_risk: int, white: int
) -> None:
    found = adjudicated(CAPPED, cube, equity=5, match_chance=7, at_risk=9, white_share=9)

    assert (found.at_risk, found.white_share, found.black_share) == (at_risk, white, at_risk - white)
    assert found.match_chance == 0


def test_a_series_is_split_by_the_chance_whatever_the_cube() -> None:
    found = adjudicated(profile("series", stake=Stake(999, Currency.REAL)), 4, match_chance=333_333)

    assert (found.at_risk, found.white_share, found.black_share) == (1_998, 666, 1_332)
    assert found.equity == 500_000


def test_where_nothing_is_staked_nothing_is_split() -> None:
    for rules, cube in ((MONEY, 4), (profile("series"), 2)):
        found = adjudicated(rules, cube, match_chance=500_000)
        assert (found.at_risk, found.white_share, found.black_share) == (0, 0, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"win": 1_000_001},
        {"win": 250_000},
        {"win_backgammon": 300_001},
        {"lose_gammon": 400_001},
        {"lose_backgammon": -1},
        {"match_chance": 1_000_001},
        {"match_chance": -1},
    ],
)
def test_from_chances_that_cannot_be_nothing_follows(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="no game ends"):
        adjudicated(profile("series"), 1, **wrong)


# --- machines ---------------------------------------------------------


def test_a_machine_that_cannot_run_the_engine_says_why() -> None:
    assert why_unfit("x86_64", "fpu sse4_2 avx2 bmi2") == ""
    assert why_unfit("x86_64", "") == ""
    assert "AVX2" in why_unfit("x86_64", "fpu sse4_2")
    assert "aarch64" in why_unfit("aarch64", "")
