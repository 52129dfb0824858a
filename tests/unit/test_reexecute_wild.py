"""Events with any numbers in them, behind logs that hold: a verdict each time, and soon."""

import random  # noqa: TID251  # a seeded generator: the same number makes the same events
from dataclasses import fields, is_dataclass
from enum import IntEnum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from libs.backgammon import events as e
from libs.backgammon.board import Move
from libs.backgammon.events import Decision, Event, Seat
from libs.backgammon.profiles import PROFILES
from libs.eventlog.owners import OWNERS
from tests.proof_logs import decisions, played, stored
from tests.scene import MATCH_ID
from videau.proof.reexecute import reexecute

TRIES = 150
EDGES = (0, 1, 2, 3, 6, 7, 25, 64, 255, 2**31 - 1, 2**62, -1)
TEXTS = ("", "x", "w", "roll", "play", "1-ply")
BYTES = (b"", bytes(32), b"x" * 31)


def any_value(kind: Any, draw: random.Random) -> Any:
    """Something of this type, at the edges of what it can be."""
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        if parts[-1] is Ellipsis:
            return tuple(any_value(parts[0], draw) for _ in range(draw.choice([0, 1, 2, 4, 9])))
        return tuple(any_value(part, draw) for part in parts)
    if get_origin(kind) is UnionType:
        (inner,) = (part for part in get_args(kind) if part is not NoneType)
        return draw.choice([None, any_value(inner, draw)])
    if issubclass(kind, IntEnum):
        return draw.choice(list(kind))
    if kind is bool:
        return draw.random() < 0.5
    if kind in (int, str, bytes):
        return draw.choice({int: EDGES, str: TEXTS, bytes: BYTES}[kind])
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
    return kind(*[any_value(hints[name], draw) for name in names])


@pytest.mark.parametrize("name", PROFILES)
def test_no_event_makes_the_re_execution_fail(name: str) -> None:
    draw = random.Random(name)  # noqa: S311
    log = decisions(played(PROFILES[name].rules, 1))
    for _ in range(TRIES):
        made = log[: draw.choice([0, 2, 6, 30])]
        kind = draw.choice(get_args(Event))
        actor = draw.choice(["w", "b", "ghost/white", OWNERS[kind]])
        at = (made[-1].decided_at if made else 1) + draw.choice([0, 1, 10**9])
        position = len(made) + 1
        event: Event = any_value(kind, draw)
        decision = Decision(MATCH_ID, position, f"{actor}/{position}z", actor, at, at, 0, b"", (event,))
        try:
            wild = stored([*made, decision])
        except (ValueError, OverflowError):  # numbers that no log can hold
            continue
        found = reexecute(MATCH_ID, wild)
        assert found.failure is None or found.failure.position == position


def test_a_move_to_nowhere_is_refused_at_once() -> None:
    log = decisions(played(PROFILES["money"].rules, 1))
    place = next(i for i, one in enumerate(log) if isinstance(one.events[0], e.CheckersMoved))
    moved = e.CheckersMoved(Seat.WHITE, (Move(6, 2**31 - 1, 1, hit=True),))
    made = [*log[:place], Decision(MATCH_ID, place + 1, "w/z", "w", 10**9, 10**9, 0, b"", (moved,))]
    failure = reexecute(MATCH_ID, stored(made)).failure

    assert failure is not None
    assert "no move goes from 6 to 2147483647" in failure.why
