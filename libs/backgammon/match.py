"""A match as the fold of its events: what is so now, and nothing about how it became so."""

from dataclasses import dataclass, field
from enum import IntEnum

from libs.backgammon.board import Board, Worth
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Ending, GhostDecided, Player, Seat
from libs.backgammon.rules import Rules
from libs.backgammon.timing import ATTENDED, STOPPED, Attendance, Clocks, Presence, Verdict
from libs.backgammon.turn import Turn

GHOSTS = {Seat.WHITE: "ghost/white", Seat.BLACK: "ghost/black"}
"""The accounts by which the ghost acts for a seat. No player's account has a slash in it."""


class Phase(IntEnum):
    """What the match waits for. The numbers are those of the wire."""

    TABLE = 1
    """Seats may be taken and left."""
    CLOSED = 2
    """The table closed before a match began."""
    BETWEEN = 3
    """The next game has not started."""
    OPENING = 4
    """The opening is to be rolled."""
    ROLL = 5
    """The side on roll may roll or offer the cube."""
    MOVE = 6
    """The dice are on the table."""
    OFFERED = 7
    """The cube is offered: take, pass or beaver."""
    BEAVERED = 8
    """The doubler answers a beaver."""
    RACCOONED = 9
    """The beaverer answers a raccoon."""
    WON = 10
    """The game is decided and to be scored: fifteen are off, or there is a verdict."""
    OVER = 11
    ABANDONED = 12
    """The game is to be adjudicated."""


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube. `offered_by` and `offered` describe an offer that waits for its answer."""

    value: int = 1
    owner: Seat | None = None
    offered: int = 0
    offered_by: Seat | None = None


@dataclass(frozen=True, slots=True)
class SeatChain:
    """A player's part in the dice: his chain so far. `declined` seats contribute nothing."""

    declined: bool = False
    index: int = 0
    known: bytes = b""
    """`x[index]`, the highest link revealed; the tip at index 0."""
    ready: bytes = b""
    """The link for the next roll, when it is in already."""
    omitted: bool = False
    """The next roll goes without this seat's link."""


@dataclass(frozen=True, slots=True)
class Dice:
    """The state of the dice protocol. `rolls` counts rolls made, opening attempts too."""

    chain: int = 0
    first_roll: int = 1
    length: int = 0
    tip: bytes = b""
    key_id: str = ""
    rolls: int = 0
    white: SeatChain | None = None
    black: SeatChain | None = None
    requested: bool = False
    """The roller has asked, and a link is still wanted."""
    asked_at: int = 0
    """When the tips or links that are wanted now came to be wanted, in microseconds."""
    revealed: bool = False

    def seat(self, seat: Seat) -> SeatChain | None:
        return self.white if seat is Seat.WHITE else self.black

    @property
    def index(self) -> int:
        """The link of every chain that the next roll uses."""
        return self.rolls + 1 - self.first_roll + 1

    @property
    def spent(self) -> bool:
        """Whether a commitment must come before the next roll."""
        return self.index > self.length


@dataclass(frozen=True, slots=True)
class Result:
    """How the last game, or the match, ended."""

    winner: Seat | None
    worth: Worth
    cube: int
    points: int
    counted: int
    ending: Ending


@dataclass(frozen=True, slots=True)
class Match:
    """Everything a decision may depend on.

    `board` is seen from `on_roll`, as it was when the dice were thrown; `turn` holds the moves since.
    """

    match_id: str
    rules: Rules
    position: int = 0
    decided_at: int = 0
    received_at: int = 0
    phase: Phase = Phase.TABLE
    white: Player | None = None
    black: Player | None = None
    quick: bool = False
    withdrawn: bool = False
    """The table is about to close in favour of another, and out of bounds."""
    start_when_full: bool = True
    source: str = ""
    moved_to: str = ""
    white_points: int = 0
    black_points: int = 0
    game: int = 0
    turns: int = 0
    crawford: bool = False
    crawford_played: bool = False
    on_roll: Seat = Seat.WHITE
    board: Board = field(default_factory=Board.start)
    turn: Turn | None = None
    cube: Cube = Cube()
    opening_ties: int = 0
    resigning: Seat | None = None
    resigned_worth: Worth = Worth.SINGLE
    declined: tuple[tuple[Seat, Worth], ...] = ()
    """The resignations declined in this turn."""
    ending_asked: bool = False
    dice: Dice = Dice()
    last_game: Result | None = None
    winner: Seat | None = None
    ending: Ending | None = None
    clocks: Clocks = STOPPED
    attendance: Attendance = ATTENDED
    verdict: Verdict | None = None
    """Why the game is decided, if not on the board."""
    receipt: GhostDecided | None = None
    """What the ghost has decided to do next, until anything else happens."""

    def player(self, seat: Seat) -> Player | None:
        return self.white if seat is Seat.WHITE else self.black

    def points(self, seat: Seat) -> int:
        return self.white_points if seat is Seat.WHITE else self.black_points

    def presence(self, seat: Seat) -> Presence:
        return self.attendance.white if seat is Seat.WHITE else self.attendance.black

    def absent(self, seat: Seat) -> bool:
        return self.presence(seat).since != 0

    def ghost_holds(self, seat: Seat) -> bool:
        """Whether the ghost plays for this seat: its player has only to come back to have it again."""
        presence = self.presence(seat)
        return presence.ghost and presence.since != 0

    def bot(self, seat: Seat) -> str:
        """The name of the bot that sits there, empty for a player."""
        player = self.player(seat)
        return player.bot if player is not None else ""

    def seat_of(self, account: str) -> Seat:
        """The seat of an account, or of the ghost while it holds one. Raises RefusedError NOT_SEATED."""
        for seat in Seat:
            player = self.player(seat)
            if player is not None and player.account == account:
                return seat
            if account == GHOSTS[seat] and self.ghost_holds(seat):
                return seat
        raise RefusedError(Reason.NOT_SEATED)

    @property
    def current_board(self) -> Board:
        """The checkers as they stand now, from the side of `on_roll`."""
        return self.turn.board if self.turn is not None else self.board

    @property
    def started(self) -> bool:
        return self.phase not in (Phase.TABLE, Phase.CLOSED)

    @property
    def playing(self) -> bool:
        """Whether a game is under way."""
        return Phase.OPENING <= self.phase <= Phase.RACCOONED

    @property
    def to_act(self) -> Seat | None:
        """The seat everybody waits for, None when it is the system's turn."""
        if self.resigning is not None:
            return self.resigning.other
        match self.phase:
            case Phase.ROLL:
                rolls_by_itself = self.dice.requested or self.presence(self.on_roll).rolls
                return None if rolls_by_itself else self.on_roll
            case Phase.MOVE | Phase.BEAVERED:
                return self.on_roll
            case Phase.OFFERED | Phase.RACCOONED:
                return self.on_roll.other
            case _:
                return None
