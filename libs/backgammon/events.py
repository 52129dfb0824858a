"""Everything that can have happened in a match, and the decision that holds what one command made happen."""

from dataclasses import dataclass
from enum import IntEnum

from libs.backgammon.board import Move, Worth
from libs.backgammon.rules import Rules


class Seat(IntEnum):
    """A side of the board. The numbers are those of the wire."""

    WHITE = 1
    BLACK = 2

    @property
    def other(self) -> "Seat":
        return Seat.BLACK if self is Seat.WHITE else Seat.WHITE


class Ending(IntEnum):
    """How a game or a match came to its end."""

    BORNE_OFF = 1
    CUBE_PASSED = 2
    RESIGNED = 3
    POINTS_REACHED = 4
    GAMES_PLAYED = 5
    SESSION_LEFT = 6
    SETTLED = 7
    """An imported game that its record ends without a typed reason that the rules know."""
    TIME_OVER = 8
    CLAIMED = 9
    """A fallen flag was claimed."""
    FORFEITED = 10
    """A player stayed away."""
    ADJUDICATED = 11
    """Abandoned: the stakes are split by analysis."""
    INTERRUPTED = 12
    """Both players were gone: no result."""


class Outcome(IntEnum):
    """What the dispute staff has decided of a match."""

    NO_CHANGE = 1
    VOID_GAME = 2
    """The game under way counts for nothing; the next one follows."""
    ADJUDICATE = 3
    """The game under way ends here, and analysis splits the stakes as if it had been abandoned."""
    ADJUST = 4
    """The score becomes another one; the game under way goes on."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits in a seat: the account that signed in, and the name it shows; `bot` names a house bot."""

    account: str
    name: str
    bot: str = ""


# --- lobby ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table with its rules: the first event of every log. `quick` tables pair any two players who ask."""

    rules: Rules
    seat: Seat
    player: Player
    quick: bool = False
    start_when_full: bool = True


@dataclass(frozen=True, slots=True)
class TableJoined:
    seat: Seat
    player: Player


@dataclass(frozen=True, slots=True)
class TableLeft:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TableWithdrawn:
    """Nobody may join or leave any more: the player who waits here is being seated elsewhere."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is gone before a match began. `moved_to` names the match its player was paired into."""

    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """Both seats are taken and play begins. `source` says which record an imported match came from."""

    white: Player
    black: Player
    source: str = ""


# --- dice ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DiceCommitted:
    """The service's hash chain for rolls from `first_roll` on; players' tips come after it."""

    chain: int
    first_roll: int
    length: int
    tip: bytes
    key_id: str


@dataclass(frozen=True, slots=True)
class SeedContributed:
    seat: Seat
    chain: int
    tip: bytes


@dataclass(frozen=True, slots=True)
class SeedDeclined:
    """The seat takes no part in this chain: its client said so, or sent no tip in time (`late`)."""

    seat: Seat
    chain: int
    late: bool = False


@dataclass(frozen=True, slots=True)
class RollRequested:
    """The roller has asked; `link` is his (empty: no part). The other seat's link is still wanted."""

    seat: Seat
    roll: int
    link: bytes


@dataclass(frozen=True, slots=True)
class LinkRevealed:
    seat: Seat
    roll: int
    link: bytes


@dataclass(frozen=True, slots=True)
class LinkOmitted:
    """A link that did not come in time is left out of the roll."""

    seat: Seat
    roll: int


@dataclass(frozen=True, slots=True)
class OpeningRolled:
    """One attempt at the opening: a die each. `starter` is None on a tie.

    `cube` is the cube's value afterwards (automatic doubles). Links that were left out are empty.
    """

    roll: int
    white: int
    black: int
    starter: Seat | None
    cube: int
    server_link: bytes = b""
    white_link: bytes = b""
    black_link: bytes = b""


@dataclass(frozen=True, slots=True)
class DiceRolled:
    seat: Seat
    roll: int
    first: int
    second: int
    server_link: bytes = b""
    white_link: bytes = b""
    black_link: bytes = b""


@dataclass(frozen=True, slots=True)
class SeedsRevealed:
    """After the match: the end of the service's chain, from which every one of its links follows."""

    chain: int
    seed: bytes


# --- rules ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckersMoved:
    seat: Seat
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class MovesUndone:
    """The last `count` moves of this turn are taken back."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `link` serves the other side's next roll; empty without one."""

    seat: Seat
    link: bytes = b""


@dataclass(frozen=True, slots=True)
class TurnPassed:
    """No checker could move."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AutomaticPlaySet:
    """What the system does for this seat by itself from now on."""

    seat: Seat
    automatic_roll: bool
    automatic_bear_off: bool
    forced_plays: bool = False


# --- cube ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameStarted:
    game: int
    crawford: bool


@dataclass(frozen=True, slots=True)
class CubeOffered:
    """`value` is what the cube will show when taken."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class CubeTaken:
    """The seat accepts the last turn of the cube, which now shows `value` and belongs to `owner`."""

    seat: Seat
    value: int
    owner: Seat


@dataclass(frozen=True, slots=True)
class CubePassed:
    seat: Seat


@dataclass(frozen=True, slots=True)
class CubeBeavered:
    """The answerer turns the cube once more and keeps it; the doubler must answer."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class CubeRaccooned:
    """The doubler turns the beavered cube once more and keeps it; the beaverer must answer."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class ResignationOffered:
    seat: Seat
    worth: Worth


@dataclass(frozen=True, slots=True)
class ResignationAccepted:
    seat: Seat


@dataclass(frozen=True, slots=True)
class ResignationDeclined:
    seat: Seat


@dataclass(frozen=True, slots=True)
class GameScored:
    """`points` is what the game is worth; `counted` is the part of it that the match still needed."""

    winner: Seat
    worth: Worth
    cube: int
    points: int
    counted: int
    ending: Ending


@dataclass(frozen=True, slots=True)
class GameVoided:
    """The game counts for nothing, and why; the next one follows."""

    why: str


@dataclass(frozen=True, slots=True)
class SessionEndAsked:
    """A player of a money session wants no further game after this one."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchScored:
    """The match is over. `winner` is None when a session ends level."""

    winner: Seat | None
    white: int
    black: int
    ending: Ending


# --- clock ------------------------------------------------------------
# Every time in these events is in microseconds since 1970.


@dataclass(frozen=True, slots=True)
class TimeExpired:
    """The seat's flag fell at `deadline`."""

    seat: Seat
    deadline: int


@dataclass(frozen=True, slots=True)
class WinClaimed:
    """The seat claims the game because the other's flag has fallen."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatAbsent:
    """The seat's last connection has been gone since `since`.

    `deadline` is when its absence ends the game, 0 unless the match waits for this seat and a limit runs.
    """

    seat: Seat
    since: int
    deadline: int = 0


@dataclass(frozen=True, slots=True)
class SeatReturned:
    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchSuspended:
    """Both seats are absent: play rests until one comes back, at the latest at `until`."""

    until: int


@dataclass(frozen=True, slots=True)
class MatchResumed:
    """A player came back to a suspended match."""


@dataclass(frozen=True, slots=True)
class ContinueAwaited:
    """The ghost has finished the seat's game: without its `continue` the match is forfeited at `deadline`."""

    seat: Seat
    deadline: int


@dataclass(frozen=True, slots=True)
class MatchContinued:
    """The seat has sent its `continue`."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchInterrupted:
    """The match stops here. It goes to the other side of `forfeited_by`, to nobody if that is None."""

    forfeited_by: Seat | None


@dataclass(frozen=True, slots=True)
class OutageRecorded:
    """The system was down: no clock has run in this interval, and nothing was due."""

    began: int
    ended: int


@dataclass(frozen=True, slots=True)
class GameAbandoned:
    """The seat stayed away until `deadline`: its game is forfeited or adjudicated, as the rules say."""

    seat: Seat
    deadline: int


# --- ghost ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """A play or an answer that the engine weighed; `equity` in millionths of a point, cube included."""

    text: str
    equity: int


@dataclass(frozen=True, slots=True)
class GhostSeated:
    """The ghost plays for this seat from now on."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GhostWithdrawn:
    """The ghost has left the seat to its player."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GhostDecided:
    """The receipt of what the ghost does next, logged before it does so: anyone can compute it again.

    `action` is what was to be decided (roll, play, cube, resignation), `chosen` the text of the candidate
    taken, `weights` a digest of the engine's weights, `level` its setting.
    """

    seat: Seat
    action: str
    engine: str
    version: str
    weights: str
    level: str
    candidates: tuple[Candidate, ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class GameAdjudicated:
    """The stakes of an abandoned game are split by analysis.

    The five probabilities are White's, in millionths: he wins, wins at least a gammon, wins a backgammon,
    loses at least a gammon, loses a backgammon. `equity` is White's cubeless money equity in millionths of
    a point, `match_chance` his chance to win the match in millionths, 0 where there is none. The shares are
    cents of `at_risk` and sum to it.
    """

    absent: Seat
    engine: str
    version: str
    weights: str
    level: str
    win: int
    win_gammon: int
    win_backgammon: int
    lose_gammon: int
    lose_backgammon: int
    equity: int
    match_chance: int
    at_risk: int
    white_share: int
    black_share: int


# --- audit ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchRuled:
    """The dispute staff has ruled: signed by the operator's key, and applied to the match as it then stood.

    It was decided on `position`, in `game`, at the score `white_before` to `black_before`, and means no
    other. The points are the score that it leaves. What is signed: libs/backgammon/ruling.py, `statement`.
    """

    case_id: str
    outcome: Outcome
    position: int
    game: int
    white_before: int
    black_before: int
    white_points: int
    black_points: int
    reason: str
    key_id: str
    signature: bytes


DiceEvent = (
    DiceCommitted
    | SeedContributed
    | SeedDeclined
    | RollRequested
    | LinkRevealed
    | LinkOmitted
    | OpeningRolled
    | DiceRolled
    | SeedsRevealed
)
"""What the dice service decides."""

PresenceEvent = (
    TimeExpired
    | WinClaimed
    | SeatAbsent
    | SeatReturned
    | MatchSuspended
    | MatchResumed
    | ContinueAwaited
    | MatchContinued
    | MatchInterrupted
    | OutageRecorded
    | GameAbandoned
    | GhostSeated
    | GhostWithdrawn
    | GhostDecided
    | GameAdjudicated
)
"""What clock and ghost decide."""

Event = (
    TableOpened
    | TableJoined
    | TableLeft
    | TableWithdrawn
    | TableClosed
    | MatchStarted
    | DiceEvent
    | CheckersMoved
    | MovesUndone
    | TurnEnded
    | TurnPassed
    | AutomaticPlaySet
    | GameStarted
    | CubeOffered
    | CubeTaken
    | CubePassed
    | CubeBeavered
    | CubeRaccooned
    | ResignationOffered
    | ResignationAccepted
    | ResignationDeclined
    | GameScored
    | GameVoided
    | SessionEndAsked
    | MatchScored
    | PresenceEvent
    | MatchRuled
)


@dataclass(frozen=True, slots=True)
class Decision:
    """All events of one command: one message of the log. Times are microseconds since 1970, UTC.

    `lag_credit` is what the clock gives back for the network, in microseconds, where time is charged.
    """

    match_id: str
    position: int
    command_id: str
    actor: str
    decided_at: int
    received_at: int
    lag_credit: int
    previous_hash: bytes
    events: tuple[Event, ...]
