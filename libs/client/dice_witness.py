"""Checks every roll of a match against the links and commitments before it (docs/protocol.md, Dice)."""

from libs.backgammon import dice as protocol
from libs.backgammon.events import (
    DiceCommitted,
    DiceRolled,
    Event,
    LinkRevealed,
    OpeningRolled,
    RollRequested,
    Seat,
    SeedContributed,
    SeedDeclined,
    SeedsRevealed,
    TurnEnded,
)
from libs.backgammon.links import PARTY
from libs.backgammon.match import Match, Phase
from libs.client.errors import BadRollError

LONGEST_CHAIN = 65_536
"""Links that a commitment may promise: our own chain is to be as long."""


class DiceWitness:
    """Watches one match from its first decision on."""

    def __init__(self) -> None:
        self._server = (0, b"")
        """Index and bytes of the service's highest link seen, its tip at index 0."""
        self.rolls = 0
        """How many rolls were found to be right."""

    def observe(self, match: Match, event: Event) -> None:
        """Check an event against the match before it. Raises BadRollError."""
        match event:
            case DiceCommitted():
                _check_commitment(match, event)
                self._server = (0, event.tip)
            case SeedContributed(seat, chain) | SeedDeclined(seat, chain):
                _require(chain == match.dice.chain > 0, "a player's part before the service's commitment")
                _require(match.dice.seat(seat) is None, "a player's part changed after it was fixed")
            case LinkRevealed(seat, roll, link):
                _require(roll == match.dice.rolls + 1, "a link for another roll")
                _check_link(match, seat, link)
            case RollRequested(seat, _, link) | TurnEnded(seat, link):
                if link:
                    _check_link(match, seat, link)
            case OpeningRolled(roll, white, black, starter):
                _require(match.phase is Phase.OPENING, "an opening roll in the middle of a game")
                higher = None if white == black else Seat.WHITE if white > black else Seat.BLACK
                _require(starter is higher, "the opening was given to the wrong side")
                self._check_roll(match, event, roll, (white, black))
            case DiceRolled(seat, roll, first, second):
                _require(match.phase is Phase.ROLL and seat is match.on_roll, "a second roll for one turn")
                self._check_roll(match, event, roll, (first, second))
            case SeedsRevealed(chain, seed):
                _require(chain == match.dice.chain, "the seed of another chain")
                ours = protocol.Chain(match.match_id, protocol.SERVER, seed, match.dice.length)
                _require(ours.tip == match.dice.tip, "the revealed seed is not the one committed to")
            case _:
                pass

    def _check_roll(
        self, match: Match, event: OpeningRolled | DiceRolled, number: int, dice: tuple[int, int]
    ) -> None:
        _require(not match.dice.spent, "a roll beyond the commitment")
        _require(number == match.dice.rolls + 1, "a roll was left out or made twice")
        index = match.dice.index
        known_index, known = self._server
        _require(
            protocol.is_link(match.match_id, protocol.SERVER, index, event.server_link, known_index, known),
            "the service's link does not belong to its chain",
        )
        self._server = (index, event.server_link)
        links = {Seat.WHITE: event.white_link, Seat.BLACK: event.black_link}
        for seat, link in links.items():
            _check_contribution(match, seat, link)
        made = protocol.roll(match.match_id, number, event.server_link, event.white_link, event.black_link)
        _require(made == dice, "the dice do not follow from the links")
        self.rolls += 1


def _check_commitment(match: Match, event: DiceCommitted) -> None:
    _require(match.dice.spent, "a new commitment before the old one was spent")
    _require(event.chain == match.dice.chain + 1, "a commitment was left out")
    _require(event.first_roll == match.dice.rolls + 1, "a commitment for other rolls")
    _require(len(event.tip) == protocol.LINK_BYTES, "a commitment without a tip")
    _require(0 < event.length <= LONGEST_CHAIN, "a commitment of an absurd length")


def _check_contribution(match: Match, seat: Seat, link: bytes) -> None:
    """A seat's link in a roll is the one it gave, or a valid one, or left out as the log said before."""
    chain = match.dice.seat(seat)
    _require(chain is not None, "a roll before both players had their say")
    if chain is None or chain.declined:
        _require(not link, "a link of a seat that takes no part")
    elif chain.ready:
        _require(link == chain.ready, "a link that was given is not the one in the roll")
    elif link:
        _check_link(match, seat, link)
    else:
        _require(chain.omitted, "a link was left out without a word")


def _check_link(match: Match, seat: Seat, link: bytes) -> None:
    chain = match.dice.seat(seat)
    valid = (
        chain is not None
        and not chain.declined
        and protocol.is_link(match.match_id, PARTY[seat], match.dice.index, link, chain.index, chain.known)
    )
    _require(valid, "a player's link does not belong to the chain the player committed to")


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise BadRollError(why)
