"""What a decision tells of the dice: its rolls, the links that were left out, and rolls that are wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from libs.backgammon import dice as protocol
from libs.backgammon.events import (
    Decision,
    DiceRolled,
    LinkOmitted,
    OpeningRolled,
    Seat,
    SeedDeclined,
)

FACES = range(1, 7)
Logged = OpeningRolled | DiceRolled


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll the service has made, the `number`th of its match. An attempt at the opening has no seat.

    In such an attempt the first die is White's. The links say whose took part.
    """

    match_id: str
    number: int
    seat: Seat | None
    first: int
    second: int
    white_link: bool
    black_link: bool


class Left(StrEnum):
    """What a seat left out, and what could be known when it did."""

    TIP = "tip"
    """It was to commit to a chain and sent nothing in time: it takes no part until the next chain."""
    LINK = "link"
    """A link, before the other seat's was known."""
    LAST_LINK = "last-link"
    """A link, after the other's was known. In league with an operator, who knows the service's link, that
    is to see the roll and to refuse it."""


@dataclass(frozen=True, slots=True)
class Omission:
    """A seat left something out. `won`: whether it then won the opening, None where none was decided."""

    seat: Seat
    left: Left
    won: bool | None = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """A roll that does not follow from what is logged with it."""

    match_id: str
    position: int
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class Observed:
    """All that one decision tells."""

    rolls: tuple[Roll, ...]
    omissions: tuple[Omission, ...]
    wrong: tuple[Wrong, ...]


def observe(decision: Decision, *, check: bool = True) -> Observed:
    """Look at a decision of a match that was not imported; `check`: derive its rolls anew."""
    logged = [event for event in decision.events if isinstance(event, Logged)]
    wrong = [
        Wrong(decision.match_id, decision.position, event.roll, why)
        for event in logged
        if check and (why := _why_wrong(decision.match_id, event))
    ]
    rolls = [_roll(decision.match_id, event) for event in logged if set(_dice(event)) <= set(FACES)]
    return Observed(tuple(rolls), tuple(_omissions(decision, logged)), tuple(wrong))


def unproved(decision: Decision) -> bool:
    """Whether a roll has no link of the service: dice as a record gives them, or a wrong roll."""
    return any(isinstance(event, Logged) and not event.server_link for event in decision.events)


def _omissions(decision: Decision, logged: Iterable[Logged]) -> Iterable[Omission]:
    made = {event.roll: event for event in logged}
    for event in decision.events:
        match event:
            case SeedDeclined(seat, late=True):
                yield Omission(seat, Left.TIP)
            case LinkOmitted(seat, number):
                roll = made.get(number)
                if roll is None or not _link(roll, seat.other):
                    # A roll that waits for the other's link is made by a later decision.
                    yield Omission(seat, Left.LINK)
                elif isinstance(roll, OpeningRolled) and roll.starter is not None:
                    yield Omission(seat, Left.LAST_LINK, roll.starter is seat)
                else:
                    yield Omission(seat, Left.LAST_LINK)
            case _:
                pass


def _roll(match_id: str, event: Logged) -> Roll:
    seat = event.seat if isinstance(event, DiceRolled) else None
    white, black = bool(event.white_link), bool(event.black_link)
    return Roll(match_id, event.roll, seat, *_dice(event), white_link=white, black_link=black)


def _why_wrong(match_id: str, event: Logged) -> str:
    if not event.server_link:
        return "it has no link of the service"
    links = event.server_link, event.white_link, event.black_link
    made = protocol.roll(match_id, event.roll, *links)
    if made != _dice(event):
        return "{}-{} is logged, the links give {}-{}".format(*_dice(event), *made)
    return ""


def _dice(event: Logged) -> tuple[int, int]:
    return (event.white, event.black) if isinstance(event, OpeningRolled) else (event.first, event.second)


def _link(event: Logged, seat: Seat) -> bytes:
    return event.white_link if seat is Seat.WHITE else event.black_link
