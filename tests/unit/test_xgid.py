import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.view import View
from libs.backgammon.xgid import view_from_xgid, xgid
from tests.unit.test_gnubg_id import views

START = "-b----E-C---eE---c-e----B-"
CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text())["cases"]


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] == "board"], ids=lambda case: case["id"])
def test_the_boards_of_the_rule_cases_are_read(case: dict[str, Any]) -> None:
    view = view_from_xgid(f"XGID={case['position']['xgid_board']}:0:0:1:00:0:0:0:0:10")

    for side, name in zip(view.board.counts(), "XO", strict=True):
        told = case["position"][name]
        assert (side[0], side[25]) == (told["off"], told["bar"])
        assert {str(point): side[point] for point in range(24, 0, -1) if side[point]} == told["points"]


def test_each_of_the_ten_fields_is_read() -> None:
    view = view_from_xgid("XGID=-b----E-C---eE---c-e----B-:2:-1:1:63:2:5:0:7:6")

    assert view == View(
        board=Board.start(),
        dice=(6, 3),
        cube=4,
        owner=-1,
        score=(2, 5),
        length=7,
        white_on_roll=False,
        cube_cap=64,
    )


def test_a_position_is_always_shown_from_the_lower_side() -> None:
    black = view_from_xgid("--CCDD-------b------cdccA-:1:1:1:00:1:2:0:9:10")
    white = view_from_xgid("--CCDD-------b------cdccA-:1:1:-1:00:1:2:0:9:10")

    assert white == replace(black, board=black.board.flipped(), owner=-1, score=(2, 1), white_on_roll=True)
    assert xgid(white) == "XGID=--CCDD-------b------cdccA-:1:1:-1:00:1:2:0:9:10"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ("0:0:1:D:0:0:0:0:10", {"doubled": True}),
        ("1:1:1:D:0:0:0:0:10", {"doubled": True, "cube": 2, "owner": 1}),
        ("0:0:1:B:0:0:2:0:10", {"doubled": True, "beavers": 1, "beaver": True}),
        ("0:0:1:R:0:0:3:0:10", {"doubled": True, "beavers": 2, "beaver": True, "jacoby": True}),
        ("0:0:1:00:0:0:1:0:10", {"jacoby": True}),
        ("0:0:1:00:4:2:1:5:10", {"crawford": True, "length": 5, "score": (4, 2)}),
        ("0:0:1:00:0:0:0:0:0", {"cube_cap": 1}),
    ],
)
def test_offers_and_flags_are_read_and_written(fields: str, told: dict[str, Any]) -> None:
    view = View(board=Board.start(), white_on_roll=False, **({"cube_cap": 1024} | told))

    assert view_from_xgid(f"{START}:{fields}") == view
    assert xgid(view) == f"XGID={START}:{fields}"


def test_an_uncapped_cube_is_written_with_the_usual_limit() -> None:
    assert xgid(View(board=Board.start())) == f"XGID={START}:0:0:-1:00:0:0:0:0:10"
    assert xgid(View(board=Board.start(), cube=4096, owner=1)) == f"XGID={START}:12:-1:-1:00:0:0:0:0:12"


@given(views(), st.booleans(), st.sampled_from([1, 64, 1024]))
def test_every_view_survives_its_xgid(view: View, beaver: bool, cap: int) -> None:
    view = replace(view, resigned=0, beaver=beaver and not view.length, cube_cap=cap)

    assert view_from_xgid(xgid(view)) == view


@pytest.mark.parametrize(
    "text",
    [
        "",
        "XGID=",
        f"XGID={START}",
        f"{START}:0:0:1:00:0:0:0:0",
        f"{START}:0:0:1:00:0:0:0:0:10:1",
        f"{START[1:]}:0:0:1:00:0:0:0:0:10",
        "-b----F-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
        "-b----?-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
        "Ab----E-C---eE---c-e----A-:0:0:1:00:0:0:0:0:10",
        "-b----E-C---eE---c-d----Ba:0:0:1:00:0:0:0:0:10",
        f"{START}:0:1:1:00:0:0:0:0:10",
        f"{START}:1:2:1:00:0:0:0:0:10",
        f"{START}:16:0:1:00:0:0:0:0:10",
        f"{START}:-1:0:1:00:0:0:0:0:10",
        f"{START}:0:0:0:00:0:0:0:0:10",
        f"{START}:0:0:1:07:0:0:0:0:10",
        f"{START}:0:0:1:60:0:0:0:0:10",
        f"{START}:0:0:1:d:0:0:0:0:10",
        f"{START}:1:-1:1:D:0:0:0:0:10",
        f"{START}:0:0:1:00:0:-1:0:0:10",
        f"{START}:0:0:1:00:0:99999:0:7:10",
        f"{START}:0:0:1:00:3:3:1:7:10",
        f"{START}:0:0:1:00:6:3:2:7:10",
        f"{START}:0:0:1:00:0:0:4:0:10",
        f"{START}:0:0:1:00:0:0:0:99999:10",
        f"{START}:0:0:1:00:0:0:0:0:16",
        f"{START}:0:0:1:00:0:0:0:0:٣",
    ],
)
def test_an_absurd_xgid_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        view_from_xgid(text)

    assert refused.value.reason is Reason.BAD_NOTATION


@given(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"[-A-Ca-c]{26}:\d:-?[01]:-?1:[0-6DBR]{1,2}:\d:\d:\d:\d:\d\d", fullmatch=True),
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        view = view_from_xgid(text)
    except RefusedError:
        return
    assert view_from_xgid(xgid(view)) == view
