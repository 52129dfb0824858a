"""A player's own part in the dice: the chain, and when its tip and links are due."""

import hmac

from google.protobuf.message import Message

from libs.backgammon.automatic import rolls_by_itself
from libs.backgammon.dice import Chain
from libs.backgammon.events import Seat
from libs.backgammon.links import PARTY, wants_link
from libs.backgammon.match import Match, Phase
from videau.dice.v1 import dice_pb2 as pb

SECRET_BYTES = 32


def chain_end(secret: bytes, match_id: str, seat: Seat, chain: int) -> bytes:
    """The end of the player's chain: a client that keeps its secret goes on after a restart."""
    name = match_id.encode()
    message = (
        b"videau/client/v1" + len(name).to_bytes(2, "big") + name + PARTY[seat] + chain.to_bytes(4, "big")
    )
    return hmac.digest(secret, message, "sha256")


class DicePart:
    """One seat in one match. `secret` is 32 random bytes that never leave the client."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._chain: Chain | None = None
        self._number = 0
        self._ours: bool | None = None
        self._sent: tuple[int, int] = (0, 0)
        """The commitment and the link index last sent on our own; index 0 is the tip."""

    def due(self, match: Match, seat: Seat) -> Message | None:
        """The command that the dice protocol wants of this client now, each only once."""
        dice = match.dice
        if match.source or not match.started or match.phase is Phase.OVER or dice.spent:
            return None
        if dice.seat(seat) is None:
            return self._once(dice.chain, 0, pb.ContributeSeedRequest(tip=self._chain_of(match, seat).tip))
        if dice.white is None or dice.black is None:
            return None
        # The roller's own link comes with his roll, after his decision about the cube; who lets the system
        # roll has no such decision.
        roller = match.phase is Phase.ROLL and seat is match.on_roll and not rolls_by_itself(match)
        waiting = match.phase in (Phase.OPENING, Phase.ROLL) and not roller
        link = self.link(match, seat) if waiting else b""
        return self._once(dice.chain, dice.index, pb.RevealLinkRequest(link=link)) if link else None

    def link(self, match: Match, seat: Seat) -> bytes:
        """The link for the next roll, to go with a roll or the end of a turn; empty if none is wanted."""
        mine = match.dice.seat(seat)
        if mine is None or match.dice.spent or not wants_link(match, seat):
            return b""
        chain = self._chain_of(match, seat)
        if self._ours is None:
            # Another device of this account may have contributed the tip.
            self._ours = chain.link(mine.index) == mine.known
        return chain.link(match.dice.index) if self._ours else b""

    def _once(self, chain: int, index: int, command: Message) -> Message | None:
        if (chain, index) <= self._sent:
            return None
        self._sent = (chain, index)
        return command

    def _chain_of(self, match: Match, seat: Seat) -> Chain:
        if self._chain is None or self._number != match.dice.chain:
            end = chain_end(self._secret, match.match_id, seat, match.dice.chain)
            self._chain = Chain(match.match_id, PARTY[seat], end, match.dice.length)
            self._number = match.dice.chain
            self._ours = None
        return self._chain
