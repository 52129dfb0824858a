"""Why the dice of a roll are what they are: commitments, links, seed and bytes, step by step.

The steps are those of docs/protocol.md, written out for whoever wants to follow them; a proof holds only if
they end where `libs.backgammon.dice` does.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from libs.backgammon import dice as protocol
from libs.backgammon.apply import apply
from libs.backgammon.events import (
    Decision,
    DiceCommitted,
    DiceRolled,
    Event,
    OpeningRolled,
    Seat,
    SeedContributed,
)
from libs.backgammon.links import PARTY
from libs.backgammon.match import Dice, Match

_FAIR = 252
"""Bytes from here on are skipped, so that every face is as likely."""


class Part(StrEnum):
    """What a party had to do with a roll."""

    GIVEN = "given"
    LEFT_OUT = "left out"
    """It takes part, but no link came in time."""
    DECLINED = "takes no part"


@dataclass(frozen=True, slots=True)
class Commitment:
    """The end of a hash chain that was shown before the first roll, and the position where that was."""

    position: int
    tip: bytes


Commitments = Mapping[tuple[int, Seat | None], Commitment]
"""By number of the chain and seat; the service's own under None."""


@dataclass(frozen=True, slots=True)
class Share:
    """One party's part in a roll. `holds`: its link leads to its commitment, or none is missing."""

    part: Part
    commitment: Commitment | None
    link: bytes
    holds: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """A byte of the seed and the die it gives; None for one that is skipped."""

    byte: int
    die: int | None


@dataclass(frozen=True, slots=True)
class Proof:
    """One roll. `index` is the link of each chain that it uses, `dice` what the log says was rolled."""

    roll: int
    chain: int
    index: int
    key_id: str
    service: Share
    white: Share
    black: Share
    message: bytes
    seed: bytes
    """HMAC-SHA256 of the message under the service's link."""
    drawn: tuple[Drawn, ...]
    dice: tuple[int, int]
    holds: bool


def commitments_of(decision: Decision) -> dict[tuple[int, Seat | None], Commitment]:
    """The commitments that a decision holds."""
    found: dict[tuple[int, Seat | None], Commitment] = {}
    for event in decision.events:
        match event:
            case DiceCommitted(chain=chain, tip=tip):
                found[chain, None] = Commitment(decision.position, tip)
            case SeedContributed(seat, chain, tip):
                found[chain, seat] = Commitment(decision.position, tip)
            case _:
                pass
    return found


def proofs_of(before: Match | None, decision: Decision, known: Commitments) -> tuple[Proof, ...]:
    """The proof of every roll in a decision, none for dice that a record gave.

    `known` are the commitments up to it.
    """
    if before is None or not any(_is_roll(event) for event in decision.events):
        return ()
    match, found = replace(before, position=decision.position), []
    for event in decision.events:
        if isinstance(event, OpeningRolled | DiceRolled) and event.server_link:
            found.append(_proof(match, event, known))
        match = apply(match, event)
    return tuple(found)


def _is_roll(event: Event) -> bool:
    return isinstance(event, OpeningRolled | DiceRolled)


def _proof(match: Match, rolled: OpeningRolled | DiceRolled, known: Commitments) -> Proof:
    dice = match.dice
    first, second = (
        (rolled.white, rolled.black) if isinstance(rolled, OpeningRolled) else (rolled.first, rolled.second)
    )
    links = (rolled.white_link, rolled.black_link)
    service = _share(match, None, rolled.server_link, known)
    white, black = (_share(match, seat, link, known) for seat, link in zip(Seat, links, strict=True))
    message = _message(match.match_id, rolled.roll, *links)
    seed = hmac.digest(rolled.server_link, message, "sha256")
    drawn = _drawn(seed)
    followed = tuple(one.die for one in drawn if one.die is not None)
    decided = protocol.roll(match.match_id, rolled.roll, rolled.server_link, *links)
    return Proof(
        rolled.roll,
        dice.chain,
        dice.index,
        dice.key_id,
        service,
        white,
        black,
        message,
        seed,
        drawn,
        (first, second),
        holds=followed == decided == (first, second)
        and rolled.roll == dice.rolls + 1
        and all(share.holds for share in (service, white, black)),
    )


def _share(match: Match, seat: Seat | None, link: bytes, known: Commitments) -> Share:
    dice = match.dice
    commitment = known.get((dice.chain, seat))
    if not link:
        takes_part = commitment is not None
        # The service is never left out; a player only if the log has said so before the roll.
        told = seat is not None and (not takes_part or _omitted(dice, seat))
        return Share(Part.LEFT_OUT if takes_part else Part.DECLINED, commitment, link, told)
    party = PARTY[seat] if seat is not None else protocol.SERVER
    holds = commitment is not None and protocol.is_link(
        match.match_id, party, dice.index, link, 0, commitment.tip
    )
    return Share(Part.GIVEN, commitment, link, holds)


def _omitted(dice: Dice, seat: Seat) -> bool:
    chain = dice.seat(seat)
    return chain is not None and chain.omitted


def _message(match_id: str, roll: int, white: bytes, black: bytes) -> bytes:
    name = match_id.encode()
    parts = (b"\x01" + link if link else b"\x00" for link in (white, black))
    return b"".join((b"videau/roll/v1", len(name).to_bytes(2, "big"), name, roll.to_bytes(4, "big"), *parts))


def _drawn(seed: bytes) -> tuple[Drawn, ...]:
    """The bytes that are read until there are two dice."""
    found: list[Drawn] = []
    for counter in range(256):
        for byte in hmac.digest(seed, bytes([counter]), "sha256") if counter else seed:
            found.append(Drawn(byte, byte % 6 + 1 if byte < _FAIR else None))
            if sum(one.die is not None for one in found) == 2:
                return tuple(found)
    return tuple(found)
