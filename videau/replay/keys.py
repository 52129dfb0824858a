"""Single keys of a terminal, which is left as it was found whatever happens."""

import os
import re
import signal
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from select import select
from types import FrameType

ARROWS = {"C": "n", "D": "b", "B": "]", "A": "[", "H": "0", "F": "$"}
"""Right and left a decision, down and up a turn, home and end the match."""
NUMBERED = {"1": "0", "4": "$", "5": "{", "6": "}", "7": "0", "8": "$"}
"""Home and end as other terminals say it, page up and page down a game."""
ESCAPE = "\x1b"
_REST_SECONDS = 0.05
"""The bytes of one key come together."""
_WHOLE = r"O.|\[[0-9;]*[^0-9;]|[^O\[]"
"""What follows the escape byte of one key."""
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
    read = ""
    while not re.fullmatch(_WHOLE, read) and select([terminal], [], [], _REST_SECONDS)[0]:
        byte = os.read(terminal, 1)
        if not byte:
            break
        read += byte.decode("ascii", errors="replace")
    kind, rest = read[:1], read[1:]
    if kind == "[" and rest.endswith("~"):
        return NUMBERED.get(rest[:-1], ESCAPE)
    return ARROWS.get(rest, ESCAPE) if kind in ("[", "O") else ESCAPE


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
