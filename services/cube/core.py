"""The cube, resignations, and the score: offers, answers, the next game, the end of the match."""

from dataclasses import dataclass
from typing import assert_never

from libs.backgammon.board import Worth
from libs.backgammon.cube import why_not_beaver, why_not_double, why_not_raccoon
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    CubeBeavered,
    CubeOffered,
    CubePassed,
    CubeRaccooned,
    CubeTaken,
    Ending,
    Event,
    GameStarted,
    GameVoided,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Seat,
    SessionEndAsked,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.resign import resignation_worth, why_not_again, why_not_resign
from libs.backgammon.rules import Resigning
from libs.backgammon.scoring import end_session, is_crawford, score_decided, score_game


@dataclass(frozen=True, slots=True)
class OfferCube:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TakeCube:
    """Accepts an offered cube, a beaver or a raccoon."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PassCube:
    """Gives the game up rather than play for the offered cube."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BeaverCube:
    seat: Seat


@dataclass(frozen=True, slots=True)
class RaccoonCube:
    seat: Seat


@dataclass(frozen=True, slots=True)
class OfferResignation:
    """`worth` is what the player offers where the profile lets him choose, else None."""

    seat: Seat
    worth: Worth | None = None
    confirm_gammon: bool = False


@dataclass(frozen=True, slots=True)
class AcceptResignation:
    seat: Seat


@dataclass(frozen=True, slots=True)
class DeclineResignation:
    seat: Seat


@dataclass(frozen=True, slots=True)
class EndSession:
    """No further game of a money session after this one."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ScoreGame:
    """The system's: the last checker is off, or there is a verdict."""


@dataclass(frozen=True, slots=True)
class StartGame:
    """The system's: the next game of the match."""


@dataclass(frozen=True, slots=True)
class VoidGame:
    """The importer's: the record of this game contradicts the rules, so it counts for nothing."""

    why: str


Command = (
    OfferCube
    | TakeCube
    | PassCube
    | BeaverCube
    | RaccoonCube
    | OfferResignation
    | AcceptResignation
    | DeclineResignation
    | EndSession
    | ScoreGame
    | StartGame
    | VoidGame
)


def decide(match: Match, command: Command) -> tuple[Event, ...]:
    """The events of a command. Raises RefusedError."""
    if match.phase is Phase.OVER:
        raise RefusedError(Reason.MATCH_OVER)
    if not match.started:
        raise RefusedError(Reason.MATCH_NOT_STARTED)
    match command:
        case OfferCube(seat):
            _no_resignation(match)
            _refuse(why_not_double(match, seat))
            return (CubeOffered(seat, match.cube.value * 2),)
        case TakeCube(seat):
            return (_take(match, seat),)
        case PassCube(seat):
            _answering(match, seat)
            lost = match.cube.offered // 2
            return CubePassed(seat), *score_game(match, seat.other, Worth.SINGLE, lost, Ending.CUBE_PASSED)
        case BeaverCube(seat):
            _refuse(why_not_beaver(match, seat))
            return (CubeBeavered(seat, match.cube.offered * 2),)
        case RaccoonCube(seat):
            _refuse(why_not_raccoon(match, seat))
            return (CubeRaccooned(seat, match.cube.offered * 2),)
        case OfferResignation(seat, worth, confirm_gammon):
            return _resign(match, seat, worth, confirmed=confirm_gammon)
        case AcceptResignation(seat):
            _answering_resignation(match, seat)
            scored = score_game(match, seat, match.resigned_worth, match.cube.value, Ending.RESIGNED)
            return ResignationAccepted(seat), *scored
        case DeclineResignation(seat):
            _answering_resignation(match, seat)
            return (ResignationDeclined(seat),)
        case EndSession(seat):
            if match.rules.points or match.rules.games:
                raise RefusedError(Reason.NO_SESSION)
            if match.ending_asked:
                return ()
            asked = SessionEndAsked(seat)
            return (asked, end_session(match)) if match.phase is Phase.BETWEEN else (asked,)
        case ScoreGame():
            if match.phase is not Phase.WON:
                raise RefusedError(Reason.WRONG_PHASE)
            return score_decided(match)
        case StartGame():
            if match.phase is not Phase.BETWEEN:
                raise RefusedError(Reason.WRONG_PHASE)
            if match.attendance.awaiting is not None:
                raise RefusedError(Reason.CONTINUE_AWAITED)
            return (GameStarted(match.game + 1, is_crawford(match)),)
        case VoidGame(why):
            if not match.source:
                raise RefusedError(Reason.FORBIDDEN, "games are voided in imported matches only")
            if not match.playing:
                raise RefusedError(Reason.WRONG_PHASE)
            return (GameVoided(why),)
        case _:
            assert_never(command)


def react(match: Match) -> Command | None:
    """A decided game is scored and the next one started, unless a player's `continue` is awaited."""
    if match.phase is Phase.WON:
        return ScoreGame()
    ready = match.phase is Phase.BETWEEN and match.attendance.awaiting is None
    return StartGame() if ready else None


def _take(match: Match, seat: Seat) -> CubeTaken:
    _answering(match, seat)
    value, doubler = match.cube.offered, match.on_roll
    match match.phase:
        case Phase.OFFERED:
            return CubeTaken(seat, value, doubler.other)
        case Phase.BEAVERED:
            return CubeTaken(seat, value, doubler.other)
        case _:  # a raccoon stays with the doubler, as a beaver stays with the beaverer
            return CubeTaken(seat, value, doubler)


def _resign(match: Match, seat: Seat, wanted: Worth | None, *, confirmed: bool) -> tuple[Event, ...]:
    _refuse(why_not_resign(match))
    worth = resignation_worth(match, seat, wanted, confirmed=confirmed)
    _refuse(why_not_again(match, seat, worth))
    offered = ResignationOffered(seat, worth)
    if match.rules.resigning in (Resigning.IMMEDIATE, Resigning.IMMEDIATE_SINGLE):
        return offered, *score_game(match, seat.other, worth, match.cube.value, Ending.RESIGNED)
    return (offered,)


def _answering(match: Match, seat: Seat) -> None:
    if match.phase not in (Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED):
        raise RefusedError(Reason.NOTHING_TO_ANSWER)
    if seat is not match.to_act:
        raise RefusedError(Reason.NOT_YOUR_TURN)


def _answering_resignation(match: Match, seat: Seat) -> None:
    if match.resigning is None:
        raise RefusedError(Reason.NOTHING_TO_ANSWER)
    if seat is match.resigning:
        raise RefusedError(Reason.NOT_YOUR_TURN)


def _no_resignation(match: Match) -> None:
    if match.resigning is not None:
        raise RefusedError(Reason.RESIGNATION_PENDING)


def _refuse(reason: Reason | None) -> None:
    if reason is not None:
        raise RefusedError(reason)
