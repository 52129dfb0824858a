"""`videau replay`: frames for scripts, commands by lines, and one way of saying no."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from libs.backgammon.events import Player
from libs.eventlog.archive import to_archive
from libs.eventlog.store import Stored
from libs.replay.marks import Mark
from libs.replay.replay import Replay
from tests.proof_logs import altered, stored
from tests.replay_logs import flag_log, haunted_log, match_log, match_stored
from tests.scene import BLACK
from tests.sealed import bundles
from videau.__main__ import main
from videau.replay.session import HELP, NO_FURTHER, Session

RENAMED = Player("b", "\x1b[2JBruno")


def written(folder: Path, log: list[Stored]) -> str:
    path = folder / "match.log"
    path.write_bytes(to_archive(log[0].match_id, log))
    return str(path)


@pytest.fixture
def match_file(tmp_path: Path) -> str:
    return written(tmp_path, match_stored())


def at(session: Session, command: str) -> int:
    """Where a command leads."""
    session.do(command)
    return session.position


def test_a_frame_shows_who_where_when_and_what() -> None:
    replay = Replay(match_log())
    offer = replay.contents.mark_near(Mark.CUBE, 0, 1)
    assert offer is not None
    shown = Session(replay, offer).show()
    for part in (
        "money, score 0-0, game 1, turn 2",
        f"#{offer}",
        f"of {len(replay)}, 1970-01-01 00:00:00",
        "Wanda doubles to 2",
        " 13 14 15 16 17 18 BAR 19 20 21 22 23 24",
        "X Bruno",
        "O Wanda",
        "167 pips, 0 off",
        "cube 1, centred; 2 is offered",
        "Bruno is to answer",
        "answer until 00:",
        "XGID=",
        "took 0.001, credit 0.000, charged 0.001",
    ):
        assert part in shown, part


def test_commands_lead_where_they_say() -> None:
    session = Session(Replay(match_log(most=900)))
    contents = session.replay.contents
    assert at(session, "") == 2
    assert at(session, "n") == 3
    assert at(session, "b") == 2
    assert at(session, "]") == contents.turns[0].position
    assert at(session, "]") == contents.turns[1].position
    assert at(session, "[") == contents.turns[0].position
    assert at(session, "}") == contents.games[1].position
    assert at(session, "{") == contents.games[0].position
    assert at(session, ">") == contents.marks[Mark.CUBE][0]
    assert at(session, "/ score") == contents.marks[Mark.SCORE][0]
    assert at(session, "\\cube") < contents.marks[Mark.SCORE][0]
    assert at(session, "g 2.3") == contents.position_of(2, 3)
    assert at(session, "g2") == contents.games[1].position
    assert at(session, "p 7") == 7
    assert at(session, "$") == len(session.replay)
    assert at(session, "0") == 1


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("b", NO_FURTHER),
        ("<", NO_FURTHER),
        ("/ nothing", "one looks for roll, cube"),
        ("p 0", "this match has the positions 1 to"),
        ("p x", "this match has the positions 1 to"),
        ("p 99999999999", "this match has the positions 1 to"),
        ("g 99.1", "there is no 99.1 in this match"),
        ("g x.y", "there is no"),
        ("g", "there is no"),
        ("z", "z: not known, ? lists what is"),
        ("n 7", "n 7: not known"),
        ("?", HELP),
    ],
)
def test_what_leads_nowhere_leaves_one_where_one_is(command: str, answer: str) -> None:
    session = Session(Replay(match_log()))
    assert answer in session.do(command)
    assert session.position == 1


def test_the_board_turns_round() -> None:
    session = Session(Replay(match_log()), 40)
    upright, turned = session.show().splitlines(), session.do("s").splitlines()
    assert session.below is BLACK
    for lines, order in ((upright, ["X Bruno", "O Wanda"]), (turned, ["O Wanda", "X Bruno"])):
        assert [line[-7:] for line in lines if line.endswith(("|  X Bruno", "|  O Wanda"))] == order
    assert session.do("s").splitlines() == upright


def test_dice_causes_and_clocks_are_told() -> None:
    session = Session(Replay(match_log()), 60)
    assert "it holds" in session.do("d")
    assert "which leads to the commitment" in session.do("d")
    assert "#60" in session.do("w")
    assert "took" in session.do("c")
    session = Session(Replay(flag_log()), len(flag_log()))
    assert "the time was over at 00:" in session.do("w")
    assert Session(Replay(match_log())).do("d") == "nothing was rolled yet"


def test_the_ghost_and_what_it_weighed_are_shown() -> None:
    replay = Replay(haunted_log())
    at_play = next(
        d.position for d in haunted_log() if d.actor == "ghost/white" and "moved" in repr(d).lower()
    )
    shown = Session(replay, at_play).show()
    assert "<- chosen" in shown
    assert "weighed" in shown
    assert "absent since" in shown
    assert "the ghost plays" in shown


def test_one_position_is_printed(match_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", match_file, "--position", "30"]) == 0
    assert capsys.readouterr().out == Session(Replay(match_log()), 30).show() + "\n\n"
    assert main(["replay", match_file, "--at", "1.2"]) == 0
    assert "game 1, turn 2" in capsys.readouterr().out


def test_all_positions_are_printed(match_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", match_file, "--all"]) == 0
    printed = capsys.readouterr().out
    assert all(f"#{position} " in printed for position in range(1, len(match_log()) + 1))


def test_frames_come_as_json_lines(match_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", match_file, "--json"]) == 0
    frames = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [int(frame["position"]) for frame in frames] == list(range(1, len(match_log()) + 1))
    assert frames[5]["commandId"] == match_log()[5].command_id
    assert main(["replay", match_file, "--json", "--at", "1.2"]) == 0
    assert json.loads(capsys.readouterr().out)["turn"] == 2


def test_a_bundle_and_json_lines_are_replayed_like_a_log(
    tmp_path: Path, match_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, lines = tmp_path / "match.videau", tmp_path / "match.jsonl"
    bundle.write_bytes(bundles()[0])
    assert main(["replay", str(bundle), "--position", "1"]) == 0
    assert "casual" in capsys.readouterr().out
    assert main(["export", match_file, "--format", "jsonl", "-o", str(lines)]) == 0
    assert main(["replay", str(lines), "--position", "30"]) == 0
    assert capsys.readouterr().out == Session(Replay(match_log()), 30).show() + "\n\n"


@pytest.mark.parametrize(
    "wrong",
    [["--position", "0"], ["--position", "99999"], ["--at", "7.7"], ["--at", "x"]],
    ids=lambda wrong: wrong[1],
)
def test_a_place_that_is_not_there_is_one_line_and_status_1(
    wrong: list[str], match_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", match_file, *wrong]) == 1
    told = capsys.readouterr()
    assert not told.out
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize(
    "data", [b"", b"rubbish", b'{"position":1}', b"videau bundle\n\x01rubbish" + b"x" * 40]
)
def test_a_file_that_is_no_log_is_one_line_and_status_1(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad"
    path.write_bytes(data)
    assert main(["replay", str(path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_log_that_does_not_hold_is_not_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = match_stored()
    path = written(tmp_path, [*log[:50], *log[51:]])
    assert main(["replay", path]) == 1
    assert "position 51" in capsys.readouterr().err


def test_commands_come_by_lines_from_a_pipe(match_file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "videau", "replay", match_file],
        input="p 30\nd\n\nq\np 40\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    replay = Replay(match_log())
    session = Session(replay)
    expected = [session.show(), *(session.do(command) for command in ("p 30", "d", ""))]
    assert done.stdout == "\n\n".join(expected) + "\n"
    assert not done.stderr


def test_names_cannot_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def renamed(event: object) -> object:
        return type(event)(event.seat, RENAMED) if type(event).__name__ == "TableJoined" else None  # type: ignore[attr-defined,call-arg]

    log = altered(stored(match_log()), renamed)  # type: ignore[arg-type]  # an event, or none
    assert main(["replay", written(tmp_path, log), "--position", "2"]) == 0
    assert "\x1b" not in capsys.readouterr().out
