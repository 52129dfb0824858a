"""On a terminal single keys are enough, and it is left as it was found."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from libs.eventlog.archive import to_archive
from libs.replay.replay import Replay
from tests.replay_logs import match_log, match_stored

PATIENCE = 30
PROMPT = "? help, q quit "
LFLAG, CANONICAL = 3, termios.ICANON | termios.ECHO


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, file: Path, ours: int, theirs: int) -> None:
        self.ours, self.theirs = ours, theirs
        self.before = termios.tcgetattr(theirs)
        command = [sys.executable, "-m", "videau", "replay", str(file)]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)

    def until(self, text: str) -> str:
        """What the program prints up to a text."""
        read = b""
        while not read.endswith(text.encode()):
            ready, _, _ = select.select([self.ours], [], [], PATIENCE)
            assert ready, read
            read += os.read(self.ours, 1024)
        return read.decode()

    def press(self, keys: str) -> str:
        """Press keys; the screen that follows."""
        os.write(self.ours, keys.encode())
        return self.until(PROMPT)

    @property
    def now(self) -> list[object]:
        return termios.tcgetattr(self.theirs)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    file = tmp_path / "match.log"
    log = match_stored()
    file.write_bytes(to_archive(log[0].match_id, log))
    with _opened() as (ours, theirs):
        found = Terminal(file, ours, theirs)
        found.until(PROMPT)
        try:
            yield found
        finally:
            found.process.kill()
            found.process.wait(PATIENCE)


@contextmanager
def _opened() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    try:
        yield ours, theirs
    finally:
        os.close(ours)
        os.close(theirs)


def position(screen: str) -> int:
    found = re.search(r"#(\d+) +of", screen)
    assert found is not None, screen
    return int(found[1])


def test_single_keys_step_and_jump(terminal: Terminal) -> None:
    contents = Replay(match_log()).contents
    assert position(terminal.press("n")) == 2
    assert position(terminal.press("\x1b[C")) == 3
    assert position(terminal.press("b")) == 2
    assert position(terminal.press("\n")) == 3
    assert position(terminal.press("]")) == contents.turns[0].position
    assert position(terminal.press("\x1b[B")) == contents.turns[1].position
    assert position(terminal.press("p40\n")) == 40
    assert position(terminal.press("p50\x7f\x7f41\n")) == 41
    assert position(terminal.press("g1.2\n")) == contents.position_of(1, 2)
    assert "it holds" in terminal.press("d")
    assert position(terminal.press(".")) == contents.position_of(1, 2)
    assert "n  next decision" in terminal.press("?")


def test_keys_that_terminals_send_in_other_ways_are_one_key_each(terminal: Terminal) -> None:
    newest = Replay(match_log()).decisions[-1].position
    assert position(terminal.press("\x1b[4~")) == newest
    assert position(terminal.press("\x1b[1~")) == 1
    assert position(terminal.press("\x1bOF")) == newest
    assert position(terminal.press("\x1bOH")) == 1
    assert position(terminal.press("\x1b[6~")) > 1
    assert position(terminal.press("\x1b[15~")) == position(terminal.press("."))
    assert position(terminal.press("\x1b[1;5C")) == position(terminal.press("."))


def test_the_terminal_is_restored_at_the_end(terminal: Terminal) -> None:
    assert not terminal.now[LFLAG] & CANONICAL  # type: ignore[operator]  # a number
    os.write(terminal.ours, b"q")
    assert terminal.process.wait(PATIENCE) == 0
    assert terminal.now == terminal.before


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_terminal_is_restored_when_a_signal_ends_it(
    terminal: Terminal, number: signal.Signals, status: int
) -> None:
    assert terminal.now != terminal.before
    terminal.process.send_signal(number)
    assert terminal.process.wait(PATIENCE) == status
    assert terminal.now == terminal.before


def test_who_comes_back_from_his_shell_has_single_keys_again(terminal: Terminal) -> None:
    termios.tcsetattr(terminal.theirs, termios.TCSADRAIN, terminal.before)  # as some shells do
    terminal.process.send_signal(signal.SIGCONT)
    assert position(terminal.press("n")) == 2
