"""Single keys of a terminal, which is left as it was found whatever happens."""

import os
import signal
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from select import select
from types import FrameType

ARROWS = {"\x1b[C": "n", "\x1b[D": "b", "\x1b[B": "]", "\x1b[A": "[", "\x1b[H": "0", "\x1b[F": "$"}
"""Right and left a decision, down and up a turn, home and end the match."""
ESCAPE = "\x1b"
_REST_SECONDS = 0.05
"""The bytes of one key come together."""
_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def single_keys(terminal: int) -> Iterator[Callable[[], str]]:
    """A reader of keys, empty at the end of the input; arrows come as the commands they stand for.

    The terminal is told to hand over every key at once, and not to show it. Who ends the program by a signal
    ends it after the terminal is restored.
    """
    found = termios.tcgetattr(terminal)
    handlers = {number: signal.signal(number, _end) for number in _ENDINGS}
    handlers[signal.SIGCONT] = signal.signal(
        signal.SIGCONT, lambda *_: tty.setcbreak(terminal, termios.TCSADRAIN)
    )
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield lambda: _key(terminal)
    finally:
        with suppress(termios.error):  # the terminal may be gone, and needs nothing then
            termios.tcsetattr(terminal, termios.TCSADRAIN, found)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _key(terminal: int) -> str:
    first = os.read(terminal, 1)
    if first != ESCAPE.encode():
        return first.decode("ascii", errors="replace")
    read = first
    while len(read) < 3 and select([terminal], [], [], _REST_SECONDS)[0]:
        read += os.read(terminal, 1)
    return ARROWS.get(read.decode("ascii", errors="replace"), ESCAPE)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
