"""`videau replay MATCH`: a match to step through, position by position."""

import argparse
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from libs.backgammon.errors import RefusedError
from libs.replay.replay import Replay
from videau.gateway_http import DEFAULT_URL
from videau.logs import MATCH_HELP, NoLogError, load
from videau.replay.keys import ESCAPE, single_keys
from videau.replay.session import ARGUMENTS, Session, place_of
from videau.terminal import plain

CLEAR = "\x1b[2J\x1b[H"
HINT = "n next, b back, ? help, q quit"
LEAVING = ("q", "", "\x04")
"""The key, the end of the input, and what a terminal sends for it."""


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "replay",
        help="step through a match",
        description="Step through a match with single keys; without a terminal, by lines. `?` lists them.",
    )
    parser.add_argument("match", metavar="MATCH", help=MATCH_HELP)
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--at", metavar="GAME.TURN", help="print the position where this turn begins")
    places.add_argument("--position", type=int, metavar="N", help="print this position")
    places.add_argument("--all", action="store_true", help="print every position")
    parser.add_argument(
        "--json", action="store_true", help="print frames as JSON lines, every position if none is named"
    )
    parser.add_argument(
        "--url", default=DEFAULT_URL, help=f"the gateway to ask for a match id [{DEFAULT_URL}]"
    )
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Print frames or step through them; 1 if there is no such match or place in it."""
    try:
        replay = Replay(load(arguments.match, arguments.url))
        chosen = _chosen(replay, arguments)
        if chosen is not None:
            _print(replay, chosen, as_json=arguments.json)
            return 0
        session = Session(replay)
    except NoLogError as error:
        print(plain(str(error)), file=sys.stderr)
        return 1
    except RefusedError as refused:
        print(refused.detail, file=sys.stderr)
        return 1
    return _by_keys(session) if sys.stdin.isatty() and sys.stdout.isatty() else _by_lines(session, sys.stdin)


def _chosen(replay: Replay, arguments: argparse.Namespace) -> Iterable[int] | None:
    """The positions to print, None to step. Raises RefusedError."""
    if arguments.at is not None:
        return [place_of(replay, arguments.at)]
    if arguments.position is not None:
        replay.match_at(arguments.position)
        return [arguments.position]
    return range(1, len(replay) + 1) if arguments.all or arguments.json else None


def _print(replay: Replay, positions: Iterable[int], *, as_json: bool) -> None:
    if as_json:
        from services.gateway.frames import to_json  # noqa: PLC0415  # none of it is needed to draw
        from services.gateway.replay_view import frame_message  # noqa: PLC0415

        for position in positions:
            print(to_json(frame_message(replay, position)).decode())
        return
    for position in positions:
        print(f"{plain(Session(replay, position).show())}\n")


def _by_lines(session: Session, lines: Iterable[str]) -> int:
    """Commands line by line: for scripts, and for those who read with a screen reader."""
    print(plain(session.show()), flush=True)
    for line in lines:
        command = line.strip()
        if command == "q":
            break
        print(f"\n{plain(session.do(command))}", flush=True)
    return 0


def _by_keys(session: Session) -> int:
    with suppress(KeyboardInterrupt), single_keys(sys.stdin.fileno()) as read:
        shown = session.show()
        while True:
            sys.stdout.write(f"{CLEAR}{plain(shown)}\n\n{HINT} ")
            sys.stdout.flush()
            key = read()
            if key in LEAVING:
                break
            command = key + _asked(key, read)
            shown = session.do("." if key == ESCAPE else command.strip("\n "))
    print()
    return 0


def _asked(key: str, read: Callable[[], str]) -> str:
    """What a command must be told, key by key up to Enter; shown as it is typed."""
    if key not in ARGUMENTS:
        return ""
    typed = ""
    while True:
        sys.stdout.write(f"\r\x1b[K{ARGUMENTS[key]}{typed}")
        sys.stdout.flush()
        one = read()
        if one in ("\n", "\r", ""):
            return typed
        if one == ESCAPE:
            return ""
        typed = typed[:-1] if one in ("\x7f", "\b") else typed + one
