import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.gnubg_id import (
    board_from_position_id,
    gnubg_id,
    match_id,
    position_id,
    view_from_gnubg_id,
    view_from_ids,
)
from libs.backgammon.view import GameState, View
from libs.backgammon.xgid import view_from_xgid, xgid
from tests.gnubg import gnubg

START = "4HPwATDgc/ABMA"
CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text())["cases"]
BOARDS = [case["position"] for case in CASES if case["kind"] == "board"]


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any placement of two times fifteen checkers, bars and trays included."""
    mover, opponent = [0] * 26, [0] * 26
    for _ in range(15):
        mover[draw(st.integers(0, 25))] += 1
    free = [p for p in range(26) if p in (0, 25) or not mover[25 - p]]
    for _ in range(15):
        opponent[draw(st.sampled_from(free))] += 1
    return Board.from_counts(mover, opponent)


@st.composite
def views(draw: st.DrawFn) -> View:
    length = draw(st.sampled_from([0, 1, 2, 7, 25, 32767]))
    crawford = bool(length) and draw(st.booleans())
    score = draw(st.tuples(*[st.integers(0, length or 500)] * 2))
    score = (length - 1, score[1]) if crawford else score
    cube = 1 << draw(st.integers(0, 13))
    doubled = draw(st.booleans())
    owner = draw(st.sampled_from([0, 1] if doubled else [-1, 0, 1])) if cube > 1 else 0
    die = st.integers(1, 6)
    return View(
        board=draw(boards()),
        dice=None if doubled else draw(st.one_of(st.none(), st.tuples(die, die))),
        cube=cube,
        owner=owner,
        score=score if draw(st.booleans()) else score[::-1],
        length=length,
        crawford=crawford,
        jacoby=not length and draw(st.booleans()),
        doubled=doubled,
        resigned=draw(st.integers(-3, 3)),
        white_on_roll=draw(st.booleans()),
    )


@pytest.mark.parametrize("position", BOARDS, ids=lambda position: position["gnubg_position_id"])
def test_the_position_ids_of_the_rule_cases_are_written_and_read(position: dict[str, Any]) -> None:
    board = view_from_xgid(f"{position['xgid_board']}:0:0:1:00:0:0:0:0:10").board

    assert position_id(board) == position["gnubg_position_id"]
    assert board_from_position_id(position["gnubg_position_id"]) == board


@given(boards())
def test_every_board_survives_its_position_id(board: Board) -> None:
    assert board_from_position_id(position_id(board)) == board


@given(views())
def test_every_view_survives_its_ids(view: View) -> None:
    dice = view.dice and (max(view.dice), min(view.dice))

    assert view_from_gnubg_id(gnubg_id(view)) == replace(view, dice=dice)


def test_the_manuals_example_is_read() -> None:
    view = view_from_ids(START, "QYkqASAAIAAA")

    assert view == View(
        board=Board.start(), dice=(5, 2), cube=2, owner=-1, score=(4, 2), length=9, white_on_roll=False
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("MAEGAAAAAAAA", {"dice": (4, 1), "jacoby": True}),
        ("cIkFAAAAAAAA", {"dice": (3, 1), "jacoby": True, "white_on_roll": False}),
        ("cBEAAAAAAAAA", {"doubled": True, "jacoby": True, "white_on_roll": False}),
        ("QRkAAAAAAAAA", {"doubled": True, "beavers": 1, "jacoby": True, "white_on_roll": False}),
        ("QhEAAAAAAAAA", {"doubled": True, "beavers": 2, "jacoby": True, "white_on_roll": False}),
        ("cMHuAAAAAAAE", {"dice": (5, 3), "length": 7, "resigned": 2, "white_on_roll": False}),
        ("cAgAAAAAAAAA", {"jacoby": True, "white_on_roll": False, "state": GameState.NONE}),
    ],
)
def test_match_ids_that_gnu_backgammon_printed_are_read_and_written(text: str, told: dict[str, Any]) -> None:
    view = View(board=Board.start(), **told)

    assert view_from_ids(START, text) == view
    assert match_id(view) == text


@pytest.mark.parametrize(
    ("position", "match"),
    [
        ("", "cAkAAAAAAAAA"),
        (START, ""),
        (START + "=", "cAkAAAAAAAAA"),
        ("4HPwATDgc_ABMA", "cAkAAAAAAAAA"),
        ("4HPwATDgc/ABMé", "cAkAAAAAAAAA"),
        ("AQAAAAAAAgAAAA", "cAkAAAAAAAAA"),
        ("//////////////", "cAkAAAAAAAAA"),
        ("//8AAAAAAAAAAA", "cAkAAAAAAAAA"),
        (START, "////////////"),
        (START, "YAkAAAAAAAAA"),
        (START, "QAkAAAAAAAAA"),
        (START, "cAEAAAAAAAAA"),
        (START, "cIkBAAAAAAAA"),
        (START, "8AkAAAAAAAAA"),
        (START, "cBkAAAAAAAAA"),
        (START, "cIEAAAAAAAAA"),
        (START, "cAkAAAAAAAAI"),
        (START, "cA0AAAAAAAAA"),
    ],
)
def test_an_absurd_id_is_refused(position: str, match: str) -> None:
    with pytest.raises(RefusedError) as refused:
        view_from_ids(position, match)

    assert refused.value.reason is Reason.BAD_NOTATION


@given(st.one_of(st.text(max_size=40), st.from_regex(r"[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12}", fullmatch=True)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        view = view_from_gnubg_id(text)
    except RefusedError:
        return
    assert gnubg_id(view) == text.strip()


def test_gnu_backgammon_converts_an_xgid_to_the_same_ids(tmp_path: Path) -> None:
    texts = [
        *(f"XGID={position['xgid_board']}:0:0:1:31:0:0:0:0:10" for position in BOARDS),
        *(f"XGID={position['xgid_board']}:2:-1:-1:64:3:5:0:9:10" for position in BOARDS),
        "XGID=aB-B--C-A---eE---c-e-a----:1:1:1:00:3:6:0:7:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:-1:52:3:6:1:7:10",
        "XGID=-a-B-bC-BA--dD--AcbbaA----:3:-1:1:00:0:12:1:0:10",
        "XGID=-a-B-bC-BA--dD--AcbbaA----:0:0:-1:11:0:12:0:0:10",
    ]
    for text in texts:
        assert xgid(view_from_xgid(text)) == text

    printed = gnubg(
        tmp_path, "new match 3", *(line for text in texts for line in (f"set xgid {text}", "show board"))
    )

    ids = re.findall(r"Position ID: (\S+)\s+Match ID   : (\S+)", printed)
    wanted = [gnubg_id(replace(view_from_xgid(text), cube_cap=0)) for text in texts]
    assert set(wanted) <= {":".join(pair) for pair in ids}


def test_gnu_backgammon_takes_our_ids_and_prints_them_again(tmp_path: Path) -> None:
    view = View(board=view_from_xgid("-a-B-bC-BA--dD--AcbbaA----:0:0:1:00:0:0:0:0:10").board, cube=4, owner=1)
    commands = [
        view,
        replace(view, dice=(6, 2), length=11, score=(3, 9), cube=2, owner=-1),
        replace(
            view, dice=(4, 4), length=5, score=(4, 1), cube=1, owner=0, crawford=True, white_on_roll=False
        ),
    ]

    printed = gnubg(
        tmp_path,
        "new match 3",
        *(line for one in commands for line in (f"set gnubgid {gnubg_id(one)}", "show board")),
    )

    ids = {":".join(pair) for pair in re.findall(r"Position ID: (\S+)\s+Match ID   : (\S+)", printed)}
    assert {gnubg_id(one) for one in commands} <= ids


def test_gnu_backgammon_agrees_on_a_waiting_cube(tmp_path: Path) -> None:
    start = "XGID=-a-B-bC-BA--dD--AcbbaA----:0:0:1:00:0:0:3:0:10"
    view = replace(view_from_xgid(start), cube_cap=0)

    printed = gnubg(
        tmp_path,
        "set jacoby on",
        "set beavers 3",
        "new session",
        f"set xgid {start}",
        *(
            line
            for command in ("double", "redouble", "redouble", "resign normal")
            for line in (command, "show board")
        ),
    )

    ids = re.findall(r"Position ID: (\S+)\s+Match ID   : (\S+)", printed)
    for waiting in (
        replace(view, doubled=True),
        replace(view, doubled=True, beavers=1),
        replace(view, doubled=True, beavers=2),
    ):
        assert tuple(gnubg_id(waiting).split(":")) in ids
