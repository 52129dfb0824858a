"""The engine behind our adapter: sensible answers, our rules, and the traps of its release avoided."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from libs.backgammon.board import Board
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Turn, play
from libs.engine.completions import completions
from libs.engine.errors import EngineMissingError
from libs.engine.machine import why_missing
from libs.engine.numbers import MILLION, Ranking
from libs.engine.sage import Sage
from libs.engine.situation import Owner, Situation
from libs.engine.translate import for_engine
from tests.scene import counts

pytestmark = pytest.mark.skipif(bool(why_missing()), reason=why_missing())

MONEY = profile("money")
SERIES = profile("series", points=7)
START = Board.start()
ROOT = Path(__file__).parents[2]
POSITIONS = ROOT / "tests" / "data" / "positions.jsonl"
NEARLY = 20
"""Millionths that the last digits of a float may make."""


@pytest.fixture(scope="module")
def sage() -> Sage:
    return Sage()


def board(white: dict[int, int], black: dict[int, int]) -> Board:
    return Board.from_counts(counts(white), counts(black))


def rolled(sage: Sage, at: Board, dice: tuple[int, int], rules: Rules = MONEY, level: int = 1) -> Ranking:
    return sage.plays(Situation(at, rules), Turn.begin(at, dice), level)


def written(ranking: Ranking) -> list[tuple[int, int]]:
    return sorted(((move.origin, move.target) for move in ranking.best.moves), reverse=True)


def recorded(number: int) -> list[tuple[Board, tuple[int, int]]]:
    """Some positions of the field in which there is something to play."""
    every = [json.loads(line) for line in POSITIONS.read_text().splitlines()]
    places = (
        (Board.from_counts(r["me"], r["opp"]), tuple(r["dice"])) for r in every[:: len(every) // (2 * number)]
    )
    return [(at, dice) for at, dice in places if completions(Turn.begin(at, dice), MONEY)][:number]


# --- plays ------------------------------------------------------------


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(
    ("dice", "best"),
    [
        ((3, 1), [(8, 5), (6, 5)]),
        ((4, 2), [(8, 4), (6, 4)]),
        ((6, 1), [(13, 7), (8, 7)]),
        ((5, 3), [(8, 3), (6, 3)]),
        ((6, 5), [(24, 18), (18, 13)]),
    ],
    ids=str,
)
def test_openings_are_played_as_everybody_plays_them(
    sage: Sage, dice: tuple[int, int], best: list[tuple[int, int]], level: int
) -> None:
    assert written(rolled(sage, START, dice, level=level)) == best


@pytest.mark.parametrize("level", [1, 2])
def test_who_can_bear_off_his_last_two_checkers_does_so(sage: Sage, level: int) -> None:
    ranking = rolled(sage, board({6: 1, 4: 1}, {1: 1}), (6, 4), level=level)

    assert ranking.best.board.won
    assert ranking.best.equity == MILLION


def test_a_gammon_won_is_worth_two_games_unless_jacoby_forbids(sage: Sage) -> None:
    at = board({1: 1}, {10: 15})
    jacoby = profile("money", jacoby=True)

    assert rolled(sage, at, (2, 1)).best.equity == 2 * MILLION
    assert rolled(sage, at, (2, 1), jacoby).best.equity == MILLION
    assert rolled(sage, at, (2, 1), profile("reserve")).best.equity == 2 * MILLION
    assert rolled(sage, at, (2, 1), profile("casual")).best.equity == MILLION


def test_in_a_lost_position_every_play_is_still_ranked(sage: Sage) -> None:
    ranking = rolled(sage, board({6: 10, 5: 5}, {1: 1}), (2, 1))

    assert len({(c.equity, c.chances.equity(2, 3), c.board.packed) for c in ranking.candidates}) == len(
        ranking.candidates
    )


def test_only_the_legal_plays_of_these_rules_are_weighed(sage: Sage) -> None:
    for at, dice in recorded(40):
        for rules in (MONEY, profile("reserve")):
            turn = Turn.begin(at, dice)
            ranking = rolled(sage, at, dice, rules)
            assert {c.board for c in ranking.candidates} == {p.board for p in completions(turn, rules)}
            best = ranking.best
            steps = [(move.origin, move.target) for move in best.moves]
            assert play(turn, rules, steps).board == best.board


def test_a_deeper_look_drops_no_play_that_the_engine_alone_would_choose(sage: Sage) -> None:
    from bgsage import BgBotAnalyzer

    analyzer = BgBotAnalyzer(eval_level="2ply", parallel_threads=1)
    for at, dice in recorded(15):
        theirs = analyzer.checker_play(for_engine(at), *dice, jacoby=False, beaver=False).moves[0]
        ours = rolled(sage, at, dice, level=2).best
        assert abs(ours.equity - theirs.equity * MILLION) < NEARLY


def test_a_turn_half_played_is_completed(sage: Sage) -> None:
    turn = play(Turn.begin(START, (3, 1)), MONEY, [(8, 5)])

    assert written(sage.plays(Situation(START, MONEY), turn, 2)) == [(6, 5)]


# --- the cube ---------------------------------------------------------


@pytest.mark.parametrize("level", [1, 2])
def test_the_opening_is_no_double_and_a_take(sage: Sage, level: int) -> None:
    numbers = sage.cube(Situation(START, MONEY), level)

    assert not numbers.doubles
    assert numbers.takes


@pytest.mark.parametrize("level", [1, 2])
def test_a_won_race_is_a_double_and_a_pass(sage: Sage, level: int) -> None:
    numbers = sage.cube(Situation(board({1: 6}, {1: 7}), MONEY), level)

    assert numbers.doubles
    assert not numbers.takes
    assert numbers.passed == MILLION


def test_a_last_roll_that_wins_two_times_in_three_is_a_double_and_a_take(sage: Sage) -> None:
    # 23 rolls of 36 bear both checkers off, else the opponent wins. At first sight the engine would not
    # double: it does not see that no cube can be turned any more.
    situation = Situation(board({5: 1, 1: 1}, {1: 1}), MONEY)
    numbers = sage.cube(situation, 2)

    assert numbers.doubles
    assert numbers.takes
    assert abs(numbers.taken - 2 * (23 - 13) * MILLION // 36) < 100
    assert not sage.cube(situation, 1).doubles


@pytest.mark.parametrize("level", [1, 2])
def test_after_crawford_the_trailer_doubles_at_once_and_the_leader_never(sage: Sage, level: int) -> None:
    trailer = sage.cube(Situation(START, SERIES, away=(4, 1)), level)
    leader = sage.cube(Situation(START, SERIES, away=(1, 4)), level)

    assert trailer.doubles
    assert not leader.doubles


@pytest.mark.parametrize("level", [1, 2])
def test_a_cube_that_wins_the_match_anyway_is_worth_nothing_more(sage: Sage, level: int) -> None:
    numbers = sage.cube(Situation(board({6: 5, 5: 5}, {6: 8, 5: 5}), SERIES, 2, Owner.MOVER, (2, 5)), level)

    assert not numbers.doubles


@pytest.mark.parametrize("level", [1, 2])
def test_a_take_at_the_highest_cube_gives_the_taker_no_cube_to_turn(sage: Sage, level: int) -> None:
    at = board({6: 4, 5: 4, 4: 3}, {6: 5, 5: 4, 4: 3})
    capped = sage.cube(Situation(at, MONEY, 32, Owner.MOVER), level)
    free = sage.cube(Situation(at, replace(MONEY, cube_cap=0), 32, Owner.MOVER), level)

    assert capped.taken > free.taken
    assert abs(capped.taken - 2 * capped.chances.equity(2, 3)) < 1000


def test_a_deep_cube_question_gives_the_same_chances_as_an_outlook(sage: Sage) -> None:
    situation = Situation(board({13: 5, 8: 5, 6: 5}, {20: 2, 13: 5, 6: 8}), MONEY)

    seen, meant = sage.cube(situation, 2).chances, sage.outlook(situation, None, 2).chances

    assert all(abs(one - other) < NEARLY for one, other in zip(seen, meant, strict=True))


# --- outlooks ---------------------------------------------------------


def test_an_outlook_after_the_dice_is_that_of_the_best_play(sage: Sage) -> None:
    at = board({6: 1, 5: 1}, {1: 1})

    assert sage.outlook(Situation(at, MONEY), Turn.begin(at, (6, 5)), 2).chances.win == MILLION
    assert sage.outlook(Situation(at, MONEY), Turn.begin(at, (4, 1)), 2).chances.win == 0


def test_an_outlook_of_a_blocked_roll_leaves_the_checkers_where_they_are(sage: Sage) -> None:
    at = board({25: 1}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 1})

    blocked = sage.outlook(Situation(at, MONEY), Turn.begin(at, (3, 2)), 1)
    waiting = sage.outlook(Situation(at.flipped(), MONEY), None, 1)

    assert abs(blocked.chances.win + waiting.chances.win - MILLION) <= 1


def test_the_match_chances_of_a_last_point_are_all_or_nothing(sage: Sage) -> None:
    outlook = sage.outlook(Situation(START, SERIES, away=(1, 1)), None, 1)

    assert outlook.match == (MILLION, MILLION, MILLION, 0, 0, 0)


def test_the_crawford_game_is_followed_by_games_with_a_cube(sage: Sage) -> None:
    outlook = sage.outlook(Situation(START, SERIES, away=(2, 1), crawford=True), None, 1)
    after = outlook.match

    assert after is not None
    assert after.win == MILLION // 2
    assert after.lose == 0
    to_crawford = sage.outlook(Situation(START, SERIES, away=(2, 3)), None, 1).match
    assert to_crawford is not None
    assert to_crawford.win > 700_000  # 1-away 3-away with the Crawford game ahead, 75 %


# --- traps of the release ---------------------------------------------


def test_trap_its_move_generator_calls_a_blocked_roll_a_play() -> None:
    from bgsage import possible_moves

    at = board({25: 1}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})

    assert [list(found) for found in possible_moves(for_engine(at), 3, 1)] == [for_engine(at)]
    assert completions(Turn.begin(at, (3, 1)), MONEY) == ()


def test_trap_its_defaults_are_jacoby_and_beavers(sage: Sage) -> None:
    from bgsage import BgBotAnalyzer

    at = board({25: 2, 24: 2, 13: 3, 6: 4, 1: 4}, {6: 3, 5: 3, 4: 3, 3: 2, 8: 2, 13: 2}).flipped()
    analyzer = BgBotAnalyzer()
    plain = analyzer.cube_action(for_engine(at), jacoby=False, beaver=False)

    assert analyzer.cube_action(for_engine(at)).equity_nd != plain.equity_nd
    assert abs(sage.cube(Situation(at, MONEY), 1).hold - plain.equity_nd * MILLION) < NEARLY


@pytest.mark.parametrize("away", [(0, 0), (7, 7), (2, 3), (3, 2), (1, 4), (4, 1), (5, 2)])
def test_trap_cube_calls_read_the_weights_again_and_ours_say_the_same_without(
    sage: Sage, away: tuple[int, int]
) -> None:
    from bgsage import BgBotAnalyzer

    analyzer = BgBotAnalyzer()
    rules = SERIES if any(away) else MONEY
    for at, _ in recorded(8):
        theirs = analyzer.cube_action(
            for_engine(at), away1=away[0], away2=away[1], jacoby=False, beaver=False
        )
        ours = sage.cube(Situation(at, rules, away=away), 1)
        for one, other in zip(
            (ours.hold, ours.taken, ours.passed),
            (theirs.equity_nd, theirs.equity_dt, theirs.equity_dp),
            strict=True,
        ):
            assert abs(one - other * MILLION) < NEARLY


def test_trap_its_flag_says_double_after_crawford_and_the_equities_do_not(sage: Sage) -> None:
    # Far ahead and likely to win a gammon, which wins the match: the double would be passed.
    at = board({6: 3, 5: 3, 4: 3, 3: 2, 8: 2, 7: 2}, {25: 3, 24: 4, 13: 4, 12: 4})
    situation = Situation(at, SERIES, away=(2, 1))

    numbers = sage.cube(situation, 2)

    assert numbers.hold > min(numbers.taken, numbers.passed)
    assert not numbers.doubles


def test_trap_scores_above_25_away_have_no_equities(sage: Sage) -> None:
    from bgsage import BgBotAnalyzer

    theirs = BgBotAnalyzer().cube_action(for_engine(START), away1=30, away2=30)
    numbers = sage.cube(Situation(START, profile("tournament", points=30), away=(30, 30)), 1)

    assert theirs.equity_dp == 0
    assert numbers.passed == MILLION
    assert not numbers.doubles


def test_trap_its_plays_waste_pips_where_page_001_forbids_it(sage: Sage) -> None:
    at = board({6: 1, 2: 1, 1: 3}, {1: 5})
    reserve = profile("reserve")
    for dice in combinations_with_replacement(range(1, 7), 2):
        wasted = {c.board for c in rolled(sage, at, dice).candidates}
        thrifty = {c.board for c in rolled(sage, at, dice, reserve).candidates}
        assert thrifty <= wasted


# --- receipts ---------------------------------------------------------


def answers(sage: Sage) -> list[object]:
    """A mixture of questions whose answers must not depend on anything but themselves."""
    found: list[object] = [sage.identity()]
    for at, dice in recorded(6):
        found.append(rolled(sage, at, dice, level=2).best)
        found.append(sage.cube(Situation(at, MONEY), 2))
        found.append(sage.outlook(Situation(at, SERIES, away=(3, 5)), None, 2))
    return found


def test_what_was_asked_before_changes_no_answer(sage: Sage) -> None:
    assert answers(sage) == answers(sage)
    assert answers(Sage()) == answers(sage)


def test_receipts_are_the_same_in_another_process(sage: Sage) -> None:
    script = "from tests.unit import test_engine_sage as t; print(*t.answers(t.Sage()), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [str(answer) for answer in answers(sage)]


def test_without_the_engine_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bgbot_cpp", None)

    with pytest.raises(EngineMissingError, match=r"videau\[engine\]"):
        Sage()


def test_nothing_but_the_adapter_loads_the_engine() -> None:
    script = (
        "import sys, libs.engine.workers, libs.engine.adjudicate\n"
        "assert not {'bgsage', 'bgbot_cpp'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
