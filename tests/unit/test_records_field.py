"""The records of the field: every line accounted for, every play legal, every fault told."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.backgammon.notation import resolve
from libs.backgammon.plays import Play
from libs.backgammon.profiles import profile
from libs.records.read import read_record
from libs.records.record import Fault, Game, Illegible, Resign, Roll

FILES = sorted((Path(__file__).parents[1] / "data" / "matches").iterdir())
SGFS = [path for path in FILES if path.suffix == ".sgf"]
TEXTS = [path for path in FILES if path not in SGFS]
RULES = profile("tournament")
MONEY = {"03": 16, "14": 16, "21": 8, "24": 4, "44": 0}
FAULTS = {
    "01": [(102, Fault.POINTS_CAPPED)],
    "03": [(14, Fault.MONEY_SESSION)],
    "12": [(47, Fault.POINTS_CAPPED)],
    "13": [(74, Fault.POINTS_CAPPED)],
    "14": [(12, Fault.MONEY_SESSION)],
    "21": [(12, Fault.MONEY_SESSION)],
    "22": [(293, Fault.POINTS_CAPPED)],
    "24": [(14, Fault.MONEY_SESSION)],
    "25": [(301, Fault.POINTS_CAPPED)],
    "33": [(206, Fault.BAD_DICE)],
}
UNPLAYED = {"31": [214, 249], "32": [130], "33": [342], "34": [291], "43": [71, 166, 231]}
RESIGNED_UNSAID = ("44", 123)
"""A roll with an empty play that could have been played: its side resigned instead."""

files = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def played(game: Game) -> Iterator[tuple[Roll, Board, Play | None]]:
    """Each roll with the board after it, from the roller's side."""
    board, mover = Board.start(), Seat.WHITE
    for action in game.actions:
        if isinstance(action, Roll) and action.text is not None:
            board, mover = (board if action.seat is mover else board.flipped()), action.seat
            play = resolve(board, action.dice, action.text, RULES)
            board = play.board if play is not None else board
            yield action, board, play


@files
def test_every_fault_of_the_record_is_told_and_no_other(path: Path) -> None:
    record = read_record(path.read_bytes())

    assert [(remark.line, remark.slug) for remark in record.remarks] == FAULTS.get(path.name[:2], [])


@files
def test_the_match_is_what_its_name_says(path: Path) -> None:
    record = read_record(path.read_bytes())
    number, (length,) = path.name[:2], re.findall(r"-(\d+)pt", path.name)

    assert record.players == ("Player 1", "Player 2")
    assert (record.length, record.loss_cap) == ((0, MONEY[number]) if number in MONEY else (int(length), 0))
    assert record.jacoby is (number in MONEY)
    assert record.crawford is not (number in MONEY)
    assert all(game.result is not None for game in record.games)


@files
def test_every_play_is_legal_where_it_stands(path: Path) -> None:
    record = read_record(path.read_bytes())

    for game in record.games:
        rolls = played(game)
        while True:
            try:
                roll, board, _ = next(rolls)
            except StopIteration:
                break
            except RefusedError:
                assert (path.name[:2], game.actions[-1].line) == RESIGNED_UNSAID
                break
            if board.won:
                assert game.result is not None
                assert (roll, roll.seat) == (game.actions[-1], game.result.winner)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_cell_of_match_text_becomes_an_action_or_a_result(path: Path) -> None:
    text = path.read_bytes().decode("utf-8-sig")
    record = read_record(path.read_bytes())

    lines = Counter(action.line for game in record.games for action in game.actions)
    lines.update(game.result.line for game in record.games if game.result is not None)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith(";"):
            assert lines[number] == len(re.findall(r"\d\d:|Doubles|Takes|Drops|Wins|Losses", line)), line


@pytest.mark.parametrize("path", SGFS, ids=lambda path: path.stem)
def test_every_node_of_an_sgf_becomes_an_action(path: Path) -> None:
    text = path.read_text()
    actions = [action for game in read_record(path.read_bytes()).games for action in game.actions]

    nodes = re.findall(r"^;[WB]\[", text, re.MULTILINE)
    by_result = sum(isinstance(action, Resign) and action.points is not None for action in actions)
    assert len(actions) == len(nodes) + by_result
    assert not any(isinstance(action, Illegible) for action in actions)


def test_rolls_that_a_resignation_cut_short_are_found() -> None:
    found = {
        path.name[:2]: [action.line for game in record.games for action in game.actions
                        if isinstance(action, Roll) and action.text is None]
        for path in FILES
        for record in [read_record(path.read_bytes())]
    }  # fmt: skip

    assert {name: lines for name, lines in found.items() if lines} == UNPLAYED


# --- damage -----------------------------------------------------------------------------------------

SMALL = [path.read_bytes() for path in FILES if path.stat().st_size < 10_000]
SCRAPS = [
    b"(",
    b")",
    b"[",
    b"]",
    b";",
    b"\n",
    b"\\",
    b"1) ",
    b" " * 300,
    b"99999999999",
    b"Wins ",
    b" Game 3\n",
    b"\xff",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real record with pieces cut out, moved, doubled or replaced."""
    data = bytearray(draw(st.sampled_from(SMALL)))
    for _ in range(draw(st.integers(1, 12))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 3)):
            case 0:
                data[at : at + 1] = draw(st.binary(min_size=1, max_size=3))
            case 1:
                del data[at : at + draw(st.integers(1, 300))]
            case 2:
                data[at:at] = draw(st.sampled_from(SCRAPS)) * draw(st.integers(1, 20))
            case _:
                source = draw(st.integers(0, len(data)))
                data[at:at] = data[source : source + draw(st.integers(1, 300))]
    return bytes(data)


def read_or_refuse(data: bytes) -> None:
    try:
        record = read_record(data)
    except RefusedError as refused:
        if refused.reason is not Reason.BAD_NOTATION:
            raise
        return
    lines = len(re.split(rb"\r\n|\r|\n", data))
    assert all(0 <= remark.line <= lines and remark.text for remark in record.remarks)
    illegible = sum(isinstance(action, Illegible) for game in record.games for action in game.actions)
    told = {Fault.ILLEGIBLE, Fault.BAD_DICE, Fault.SET_UP}
    assert illegible == sum(remark.slug in told for remark in record.remarks)


@given(damaged())
@settings(max_examples=150, deadline=None)
def test_a_damaged_record_is_read_with_its_faults_or_refused(data: bytes) -> None:
    read_or_refuse(data)


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(b"(;GM[6]".__add__)))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(data)


@pytest.mark.parametrize(
    "data",
    [
        b"(" * 9_000_000,
        b"(" * 5_000_000,
        b"(;GM[6]" + b"A[]" * 400_000,
        b"(;A[" + b"\\]" * 1_000_000,
        b"\n" * 2_000_000,
        b" Game 1\n" + b"x\n" * 40_000,
        b" Game 1\n" + (b" 1) Wins" + b" " * 480 + b"x\n") * 1_500,
        (b"; [" + b' "' * 240 + b"\n") * 1_500,
    ],
    ids=range(8),
)
def test_hostile_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refuse(data)
