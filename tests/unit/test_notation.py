import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.backgammon.board import Board, Move
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.notation import Written, read_play, resolve, write_play
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import profile
from libs.backgammon.xgid import view_from_xgid

DATA = Path(__file__).parents[1] / "data"
RULES = profile("tournament")
CASES = [
    c
    for c in json.loads((DATA / "cases.json").read_text())["cases"]
    if c["kind"] == "board" and "expect" in c
]
POSITIONS = [json.loads(line) for line in (DATA / "positions.jsonl").read_text().splitlines()]
START = Board.start()


def board(points: str) -> Board:
    return view_from_xgid(f"{points}:0:0:1:00:0:0:0:0:10").board


def side(**points: int) -> list[int]:
    counts = [0] * 26
    for name, count in points.items():
        counts[int(name[1:])] = count
    counts[0] = 15 - sum(counts)
    return counts


def moves(*steps: tuple[int, int, bool]) -> list[Move]:
    return [Move(origin, target, origin - target, hit) for origin, target, hit in steps]


def found(board: Board, dice: tuple[int, int], text: str) -> Board:
    """The position after the play that the text names."""
    play = resolve(board, dice, text, RULES)
    assert play is not None
    return play.board


# --- writing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "plain", "chained"),
    [
        ([], "", ""),
        ([(13, 10, False), (25, 24, True)], "bar/24* 13/10", "bar/24* 13/10"),
        ([(24, 18, False), (18, 13, False)], "24/18 18/13", "24/13"),
        ([(24, 18, True), (18, 13, False)], "24/18* 18/13", "24/18*/13"),
        ([(8, 4, True), (8, 4, False)], "8/4*(2)", "8/4*(2)"),
        ([(6, 0, False), (6, 0, False), (5, 0, False)], "6/off(2) 5/off", "6/off(2) 5/off"),
        ([(13, 9, False), (13, 9, False), (9, 5, True), (9, 5, False)], "13/9(2) 9/5*(2)", "13/5*(2)"),
        (
            [(25, 23, False), (23, 21, True), (21, 19, False), (6, 4, False)],
            "bar/23 23/21* 21/19 6/4",
            "bar/21*/19 6/4",
        ),
        ([(6, 3, False), (3, 0, False)], "6/3 3/off", "6/off"),
    ],
)
def test_a_play_is_written_from_the_highest_point_down(
    steps: list[tuple[int, int, bool]], plain: str, chained: str
) -> None:
    assert write_play(moves(*steps)) == plain
    assert write_play(moves(*steps), chained=True) == chained


@pytest.mark.parametrize("position", POSITIONS[::5], ids=lambda position: "+".join(position["cats"]))
def test_every_legal_play_is_found_again_from_its_text(position: dict[str, Any]) -> None:
    given_board, dice = Board.from_counts(position["me"], position["opp"]), tuple(position["dice"])
    plays = legal_plays(given_board, dice, RULES)

    for play in plays[:25]:
        assert found(given_board, dice, write_play(play.moves)) == play.board
        assert found(given_board, dice[::-1], write_play(play.moves, chained=True)) == play.board
    if not plays:
        assert resolve(given_board, dice, "", RULES) is None


# --- reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "bar/24* 13/10",
        "Bar/24* 13/10",
        "BAR/24 13/10",
        "25/24 13/10",
        "b/24*  13/10",
        "25/24*, 13/10",
        "25*/24* 13/10",
    ],
)
def test_the_bar_and_hits_are_read_in_every_spelling(text: str) -> None:
    first, second = read_play(text)

    assert (first.path, first.count, second) == ((25, 24), 1, Written((13, 10), frozenset(), 1))


@pytest.mark.parametrize("text", ["6/off(2)", "6/Off(2)", "6/0(2)", "6/o(2)"])
def test_the_tray_is_read_in_every_spelling(text: str) -> None:
    assert read_play(text) == (Written((6, 0), frozenset(), 2),)


def test_chains_groups_and_stars_are_read() -> None:
    assert read_play("24/20*/15 8/4*(2)") == (
        Written((24, 20, 15), frozenset({20}), 1),
        Written((8, 4), frozenset({4}), 2),
    )
    assert read_play("8/4(2)*") == (Written((8, 4), frozenset({4}), 2),)


@pytest.mark.parametrize(
    "text", ["", "  ", "Cannot Move", "can't move", "(no play)", "No move", "----", "Cannot Move."]
)
def test_no_play_is_read_in_every_spelling(text: str) -> None:
    assert read_play(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "13", "13/", "/13", "13/10/", "13-10", "13/13", "10/13", "off/6", "26/20", "99/1", "13/bar", "8/4(5)",
        "8/4(0)", "8/4()", "????", "8/4(3) 6/2(2)", "00", "13/10 gibberish", "13/1x", "8/4**",
        "\u0661\u0663/10", "1" * 500,
    ],
)  # fmt: skip
def test_what_is_no_play_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_play(text)

    assert refused.value.reason is Reason.BAD_NOTATION


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        written = read_play(text)
    except RefusedError:
        return
    assert sum(word.count for word in written) <= 4


# --- finding the play --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_plays_of_the_rule_cases_are_legal_or_refused(case: dict[str, Any]) -> None:
    given_board, dice = board(case["position"]["xgid_board"]), tuple(case["dice"])

    for text in case["expect"].get("legal_plays") or []:
        assert resolve(given_board, dice, text, RULES) is not None
    for steps in case["expect"].get("must_be_rejected") or []:
        text = " ".join(f"{origin}/{target}" for origin, target in steps)
        with pytest.raises(RefusedError) as refused:
            resolve(given_board, dice, text, RULES)
        assert refused.value.reason is Reason.ILLEGAL_PLAY


@pytest.mark.parametrize(
    ("dice", "texts"),
    [
        ((6, 5), ["24/13", "24/18 18/13", "18/13 24/18", "24/18/13", "24/18*/13*"]),
        ((1, 3), ["8/5 6/5", "6/5 8/5", "8/5* 6/5"]),
        ((5, 5), ["13/3(2)", "13/8(2) 8/3(2)", "8/3 8/3 13/8 13/8", "13/8/3 13/3"]),
        ((4, 4), ["24/16 13/9(2)", "24/20/16 13/9 13/9"]),
    ],
)
def test_spellings_of_one_play_lead_to_one_position(dice: tuple[int, int], texts: list[str]) -> None:
    assert len({found(START, dice, text) for text in texts}) == 1


@pytest.mark.parametrize(
    ("dice", "text"),
    [
        ((6, 5), ""),
        ((6, 5), "Cannot Move"),
        ((6, 5), "24/18"),
        ((6, 5), "24/20 20/13"),
        ((6, 5), "24/18 13/7"),
        ((6, 5), "24/19 13/8"),
        ((6, 5), "24/18 24/19 13/8"),
        ((6, 6), "24/18(2) 13/7"),
        ((6, 6), "24/17"),
        ((3, 1), "7/4 6/5"),
        ((3, 1), "6/off"),
    ],
)
def test_a_play_that_the_dice_do_not_allow_is_refused(dice: tuple[int, int], text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        resolve(START, dice, text, RULES)

    assert refused.value.reason is Reason.ILLEGAL_PLAY


def test_a_hit_is_found_by_the_board_and_written_whatever_the_text_says() -> None:
    case = next(case for case in CASES if case["id"] == "M12")
    given_board = board(case["position"]["xgid_board"])

    for text in ("bar/24 13/10", "Bar/24* 13/10", "25/24 13/10", "13/10 BAR/24"):
        play = resolve(given_board, (3, 1), text, RULES)
        assert play is not None
        assert write_play(play.moves) == "bar/24* 13/10"
        assert play.board.counts()[1][25] == 1


def test_a_blocked_roll_has_no_play() -> None:
    closed = Board.from_counts(side(p25=1, p6=14), side(p6=3, p5=3, p4=3, p3=2, p2=2, p1=2))

    assert resolve(closed, (6, 5), "Cannot Move", RULES) is None
    with pytest.raises(RefusedError):
        resolve(closed, (6, 5), "bar/20", RULES)


def test_a_star_on_the_way_chooses_between_two_ways() -> None:
    blot_on_the_way = Board.from_counts(side(p24=1, p6=14), side(p7=1, p24=14))

    around = found(blot_on_the_way, (6, 5), "24/13")
    through = found(blot_on_the_way, (6, 5), "24/18*/13")

    assert around.counts()[1][25] == 0
    assert through.counts()[1][25] == 1


def test_a_chain_that_may_hit_on_either_way_is_refused_as_it_stands() -> None:
    two_blots = Board.from_counts(side(p24=1, p6=14), side(p7=1, p6=1, p5=13))

    with pytest.raises(RefusedError):
        resolve(two_blots, (6, 5), "24/13", RULES)
    assert found(two_blots, (6, 5), "24/19*/13").counts()[1][6] == 0


def test_bearing_off_the_last_checker_needs_no_second_move() -> None:
    last = Board.from_counts(side(p6=1), side(p6=15))

    assert found(last, (6, 1), "6/off").won
    assert found(last, (1, 6), "6/5 5/0").won


def test_bearing_off_the_last_checker_past_a_blot_needs_no_second_move() -> None:
    last = Board.from_counts(side(p6=1), side(p20=1, p6=14))

    assert found(last, (6, 1), "6/off").won


def test_a_larger_die_bears_off_from_the_highest_point() -> None:
    home = Board.from_counts(side(p4=2, p2=1), side(p6=15))

    assert found(home, (6, 5), "4/off(2)").counts()[0][0] == 14
    with pytest.raises(RefusedError):
        resolve(home, (6, 5), "4/off 2/off", RULES)
