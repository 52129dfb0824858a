"""What a request to the lobby asks for, as values of the core."""

from collections.abc import Mapping

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Player, Seat
from libs.backgammon.money import Currency, Stake
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Rules
from libs.engine.strength import BOTS
from videau.lobby.v1 import lobby_pb2 as pb
from videau.match.v1 import rules_pb2

LONGEST_NAME = 40
FIELDS = {"name", "points", "stake"}
"""Fields of the request, which no option of a table may be called."""


def rules_of(request: pb.OpenTableRequest | pb.PairPlayerRequest, options: Mapping[str, int]) -> Rules:
    """The rules asked for. Raises RefusedError UNKNOWN_PROFILE, BAD_LENGTH, BAD_STAKE or BAD_OPTION."""
    if own := options.keys() & FIELDS:
        raise RefusedError(Reason.BAD_OPTION, f"no table has an option {', '.join(sorted(own))}")
    stake = _stake(request.stake) if request.HasField("stake") else None
    return profile(request.profile, points=request.points or None, stake=stake, **options)


def player_of(account: str, name: str) -> Player:
    """The player of an account, by the name it shows. Raises RefusedError BAD_REQUEST."""
    shown = name.strip()
    if not shown or len(shown) > LONGEST_NAME or not shown.isprintable():
        raise RefusedError(Reason.BAD_REQUEST, f"a name has 1 to {LONGEST_NAME} printable characters")
    return Player(account, shown)


def bot_of(name: str) -> Player | None:
    """The bot of that name, None where none is wanted. Raises RefusedError BAD_OPTION."""
    if not name:
        return None
    if name not in BOTS:
        raise RefusedError(Reason.BAD_OPTION, f"the bots are {', '.join(BOTS)}")
    return Player(f"bot/{name}", f"House bot ({name})", name)


def seat_or_white(number: int) -> Seat:
    """The seat asked for; White where none was. Raises RefusedError BAD_REQUEST."""
    try:
        return Seat(number) if number else Seat.WHITE
    except ValueError:
        raise RefusedError(Reason.BAD_REQUEST, f"there is no seat {number}") from None


def _stake(wanted: rules_pb2.Stake) -> Stake:
    try:
        currency = Currency(wanted.currency)
    except ValueError:
        raise RefusedError(Reason.BAD_STAKE, "a stake is in play money or in real money") from None
    return Stake(wanted.cents, currency, wanted.cap)
