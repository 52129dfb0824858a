"""`apply(match, event) -> match`: what each fact changes. It never refuses; refusing is `decide`'s work."""

from dataclasses import replace
from functools import reduce
from typing import assert_never

from libs.backgammon.automatic import rolls_by_itself
from libs.backgammon.board import Board, Move
from libs.backgammon.clock import advance, game_begun
from libs.backgammon.events import (
    AutomaticPlaySet,
    CheckersMoved,
    CubeBeavered,
    CubeOffered,
    CubePassed,
    CubeRaccooned,
    CubeTaken,
    Decision,
    DiceCommitted,
    DiceEvent,
    DiceRolled,
    Event,
    GameScored,
    GameStarted,
    GameVoided,
    LinkOmitted,
    LinkRevealed,
    MatchRuled,
    MatchScored,
    MatchStarted,
    MovesUndone,
    OpeningRolled,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    RollRequested,
    Seat,
    SeedContributed,
    SeedDeclined,
    SeedsRevealed,
    SessionEndAsked,
    TableClosed,
    TableJoined,
    TableLeft,
    TableOpened,
    TableWithdrawn,
    TurnEnded,
    TurnPassed,
)
from libs.backgammon.match import Cube, Dice, Match, Phase, Result, SeatChain
from libs.backgammon.presence import apply_presence, present
from libs.backgammon.rules import Absence
from libs.backgammon.ruling import apply_ruling
from libs.backgammon.timing import Attendance
from libs.backgammon.turn import Turn, undo


def fold(match: Match | None, decision: Decision) -> Match:
    """The match after a decision. Only the first may meet no match, and opens the table."""
    events = decision.events
    if match is None:
        if not events or not isinstance(events[0], TableOpened):
            raise TypeError("a log begins with TableOpened")
        match = Match(decision.match_id, events[0].rules)
    before = match
    match = replace(
        match,
        position=decision.position,
        decided_at=decision.decided_at,
        received_at=decision.received_at,
        receipt=None,
    )
    for event in events:
        match = apply(match, event)
    if rolls_by_itself(match) and not rolls_by_itself(before):
        match = _asked_now(match)
    # Nobody has seen this match yet: it was made by the `replace` above, and a second one would cost as much.
    object.__setattr__(match, "clocks", advance(before, match, decision))
    return match


def apply(match: Match, event: Event) -> Match:
    """The match after one event."""
    match event:
        case TableOpened(rules, seat, player, quick, start_when_full):
            opened = Match(match.match_id, rules, match.position, match.decided_at, match.received_at)
            opened = replace(opened, quick=quick, start_when_full=start_when_full)
            return apply(opened, TableJoined(seat, player))
        case TableJoined(seat, player):
            return replace(match, white=player) if seat is Seat.WHITE else replace(match, black=player)
        case TableLeft(seat):
            return replace(match, white=None) if seat is Seat.WHITE else replace(match, black=None)
        case TableWithdrawn():
            return replace(match, withdrawn=True)
        case TableClosed(moved_to):
            return replace(match, phase=Phase.CLOSED, moved_to=moved_to)
        case MatchStarted(white, black, source):
            return replace(match, phase=Phase.BETWEEN, white=white, black=black, source=source)
        case GameStarted(game, crawford):
            return replace(
                match,
                phase=Phase.OPENING,
                game=game,
                crawford=crawford,
                crawford_played=match.crawford_played or crawford,
                turns=0,
                on_roll=Seat.WHITE,
                board=Board.start(),
                turn=None,
                cube=Cube(),
                opening_ties=0,
                resigning=None,
                declined=(),
                verdict=None,
                clocks=game_begun(replace(match, game=game)),
                dice=replace(match.dice, asked_at=match.decided_at),
            )
        case CheckersMoved(_, moves):
            return replace(match, turn=_moved(_turn(match), moves))
        case MovesUndone(_, count):
            return replace(match, turn=undo(_turn(match), count))
        case TurnEnded(seat, link):
            return _next_turn(_ready(match, seat, match.dice.rolls + 1, link) if link else match)
        case TurnPassed():
            return _next_turn(match)
        case AutomaticPlaySet(seat, roll, bear_off, forced):
            asked = replace(match.presence(seat), rolls=roll, bears_off=bear_off, forced=forced)
            return present(match, seat, asked)
        case CubeOffered(seat, value):
            return replace(match, phase=Phase.OFFERED, cube=_offered(match, seat, value))
        case CubeBeavered(seat, value):
            return replace(match, phase=Phase.BEAVERED, cube=_offered(match, seat, value))
        case CubeRaccooned(seat, value):
            return replace(match, phase=Phase.RACCOONED, cube=_offered(match, seat, value))
        case CubeTaken(_, value, owner):
            return replace(match, phase=Phase.ROLL, cube=Cube(value, owner))
        case CubePassed():
            # A pass loses what the cube showed before its last turn, so that is what it shows now.
            return replace(match, cube=Cube(match.cube.offered // 2, match.cube.owner))
        case ResignationOffered(seat, worth):
            return replace(match, resigning=seat, resigned_worth=worth)
        case ResignationAccepted():
            return replace(match, resigning=None)
        case ResignationDeclined(seat):
            declined = (*match.declined, (seat.other, match.resigned_worth))
            return replace(match, resigning=None, declined=declined)
        case GameVoided():
            played = match.crawford_played and not match.crawford
            return replace(match, phase=Phase.BETWEEN, resigning=None, crawford_played=played)
        case GameScored():
            return _scored(match, event)
        case SessionEndAsked():
            return replace(match, ending_asked=True)
        case MatchScored(winner, _, _, ending):
            over = replace(match.attendance, awaiting=None)
            return replace(match, phase=Phase.OVER, winner=winner, ending=ending, attendance=over)
        case MatchRuled():
            return apply_ruling(match, event)
        case _:
            return _apply_dice(match, event) if isinstance(event, DiceEvent) else apply_presence(match, event)


def _apply_dice(match: Match, event: DiceEvent) -> Match:
    match event:
        case DiceCommitted(chain, first_roll, length, tip, key_id):
            kept = match.dice
            dice = Dice(chain, first_roll, length, tip, key_id, rolls=kept.rolls, asked_at=match.decided_at)
            return replace(match, dice=dice)
        case SeedContributed(seat, _, tip):
            return _asked_now(_seat_chain(match, seat, SeatChain(known=tip)))
        case SeedDeclined(seat):
            return _asked_now(_seat_chain(match, seat, SeatChain(declined=True)))
        case RollRequested(seat, roll, link):
            asked = replace(match, dice=replace(match.dice, requested=True, asked_at=match.decided_at))
            return _ready(asked, seat, roll, link) if link else asked
        case LinkRevealed(seat, roll, link):
            return _ready(match, seat, roll, link)
        case LinkOmitted(seat):
            left_out = replace(match.dice.seat(seat) or SeatChain(), omitted=True)
            return _seat_chain(match, seat, left_out)
        case OpeningRolled(_, white, black, starter, cube):
            rolled = _rolled(match, event)
            if starter is None:
                return replace(rolled, cube=Cube(cube), opening_ties=match.opening_ties + 1)
            turn = Turn.begin(match.board, (white, black))
            return replace(rolled, phase=Phase.MOVE, on_roll=starter, turns=1, turn=turn)
        case DiceRolled(_, _, first, second):
            return replace(
                _rolled(match, event), phase=Phase.MOVE, turn=Turn.begin(match.board, (first, second))
            )
        case SeedsRevealed():
            return replace(match, dice=replace(match.dice, revealed=True))
        case _:
            assert_never(event)


def _turn(match: Match) -> Turn:
    if match.turn is None:
        raise TypeError("checkers moved without dice")
    return match.turn


def _moved(turn: Turn, moves: tuple[Move, ...]) -> Turn:
    return replace(turn, moves=turn.moves + moves, board=reduce(Board.after, moves, turn.board))


def _offered(match: Match, seat: Seat, value: int) -> Cube:
    return replace(match.cube, offered=value, offered_by=seat)


def _next_turn(match: Match) -> Match:
    board = match.current_board
    if board.won:
        return replace(match, phase=Phase.WON)
    return replace(
        match,
        phase=Phase.ROLL,
        on_roll=match.on_roll.other,
        turns=match.turns + 1,
        board=board.flipped(),
        turn=None,
        declined=(),
    )


def _scored(match: Match, event: GameScored) -> Match:
    white = match.white_points + (event.points if event.winner is Seat.WHITE else 0)
    black = match.black_points + (event.points if event.winner is Seat.BLACK else 0)
    result = Result(event.winner, event.worth, event.cube, event.points, event.counted, event.ending)
    return replace(
        match,
        phase=Phase.BETWEEN,
        white_points=white,
        black_points=black,
        last_game=result,
        resigning=None,
        attendance=_must_continue(match),
        dice=replace(match.dice, requested=False),  # a roll that was asked for dies with its game
    )


def _must_continue(match: Match) -> Attendance:
    """After a game that the ghost has finished, its player must say that the match goes on."""
    who, awaiting = match.attendance, None
    if match.rules.absence is Absence.GHOST_THEN_CONTINUE:
        awaiting = next((seat for seat in Seat if match.ghost_holds(seat)), None)
    return Attendance(who.white, who.black, awaiting=awaiting)


def _asked_now(match: Match) -> Match:
    return replace(match, dice=replace(match.dice, asked_at=match.decided_at))


def _seat_chain(match: Match, seat: Seat, chain: SeatChain) -> Match:
    dice = replace(match.dice, white=chain) if seat is Seat.WHITE else replace(match.dice, black=chain)
    return replace(match, dice=dice)


def _ready(match: Match, seat: Seat, roll: int, link: bytes) -> Match:
    index = roll + 1 - match.dice.first_roll
    return _seat_chain(match, seat, SeatChain(index=index, known=link, ready=link))


def _rolled(match: Match, event: OpeningRolled | DiceRolled) -> Match:
    """The roll is made: links that served are spent."""
    dice = match.dice
    return replace(
        match,
        dice=replace(
            dice,
            rolls=event.roll,
            requested=False,
            asked_at=match.decided_at,
            white=_spent(dice.white, dice.index, event.white_link),
            black=_spent(dice.black, dice.index, event.black_link),
        ),
    )


def _spent(chain: SeatChain | None, index: int, link: bytes) -> SeatChain | None:
    if chain is None or chain.declined:
        return chain
    return SeatChain(index=index, known=link) if link else SeatChain(index=chain.index, known=chain.known)
