"""A folded match as the Snapshot that clients draw."""

from libs.backgammon.automatic import forced
from libs.backgammon.board import Move, Worth
from libs.backgammon.events import Ending, Player, Seat
from libs.backgammon.links import wants_link
from libs.backgammon.match import Match
from libs.backgammon.match_view import digest, view_of
from libs.backgammon.stakes import at_risk, settled
from libs.backgammon.xgid import xgid
from libs.eventlog.codec import rules_to_proto
from libs.service.wire import seat, timestamp
from services.gateway.time_view import clock_view, presence_view, until
from videau.gateway.v1 import gateway_pb2 as pb
from videau.match.v1 import events_pb2


def snapshot(match: Match) -> pb.Snapshot:
    """Everything a client needs to go on from this position."""
    mover, opponent = match.current_board.counts()
    white, black = (mover, opponent) if match.on_roll is Seat.WHITE else (opponent, mover)
    return pb.Snapshot(
        match_id=match.match_id,
        position=match.position,
        digest=digest(match),
        rules=rules_to_proto(match.rules),
        phase=pb.Phase.ValueType(match.phase.value),
        white=player(match.white),
        black=player(match.black),
        white_points=match.white_points,
        black_points=match.black_points,
        game=match.game,
        crawford=match.crawford,
        on_roll=seat(match.on_roll),
        to_act=seat(match.to_act),
        white_checkers=white,
        black_checkers=black,
        dice=match.turn.dice if match.turn else (),
        moves=[move(made) for made in match.turn.moves] if match.turn else (),
        cube=pb.CubeView(
            value=match.cube.value,
            owner=seat(match.cube.owner),
            offered=match.cube.offered,
            offered_by=seat(match.cube.offered_by),
        ),
        resigning=seat(match.resigning),
        resigned_worth=_worth(match.resigned_worth) if match.resigning else events_pb2.WORTH_UNSPECIFIED,
        dice_protocol=_dice(match),
        last_game=_last_game(match),
        winner=seat(match.winner),
        xgid=xgid(view_of(match)),
        moved_to=match.moved_to,
        decided_at=timestamp(match.decided_at),
        ending_asked=match.ending_asked,
        ending=_ending(match.ending),
        clock=clock_view(match),
        white_presence=presence_view(match, Seat.WHITE),
        black_presence=presence_view(match, Seat.BLACK),
        suspended_until=until(match.attendance.suspended),
        continue_awaited=seat(match.attendance.awaiting),
        continue_until=until(match.attendance.continuing),
        stake=_stake(match),
        forced=[move(made) for made in forced(match)],
    )


def move(made: Move) -> events_pb2.Move:
    return events_pb2.Move(origin=made.origin, target=made.target, die=made.die, hit=made.hit)


def player(seated: Player | None) -> events_pb2.Player | None:
    if seated is None:
        return None
    return events_pb2.Player(account=seated.account, name=seated.name, bot=seated.bot)


def _dice(match: Match) -> pb.DiceView:
    dice = match.dice
    view = pb.DiceView(
        chain=dice.chain,
        first_roll=dice.first_roll,
        length=dice.length,
        tip=dice.tip,
        next_roll=dice.rolls + 1,
        next_link=dice.index,
        white=_part(match, Seat.WHITE),
        black=_part(match, Seat.BLACK),
        requested=dice.requested,
    )
    if dice.white is not None:
        view.white_known, view.white_index = dice.white.known, dice.white.index
        view.white_omitted = dice.white.omitted
    if dice.black is not None:
        view.black_known, view.black_index = dice.black.known, dice.black.index
        view.black_omitted = dice.black.omitted
    return view


def _part(match: Match, of: Seat) -> pb.Part.ValueType:
    chain = match.dice.seat(of)
    if chain is None:
        return pb.PART_UNSPECIFIED
    if chain.declined:
        return pb.PART_DECLINED
    return pb.PART_LINK_WANTED if wants_link(match, of) else pb.PART_READY


def _last_game(match: Match) -> events_pb2.GameScored | None:
    game = match.last_game
    if game is None:
        return None
    return events_pb2.GameScored(
        winner=seat(game.winner),
        worth=_worth(game.worth),
        cube=game.cube,
        points=game.points,
        counted=game.counted,
        ending=_ending(game.ending),
    )


def _stake(match: Match) -> pb.StakeView | None:
    """What is at stake, None for nothing. In a match of points no game has a worth of its own."""
    if match.rules.stake is None:
        return None
    worth = 0 if match.rules.points else match.cube.value
    return pb.StakeView(worth=worth, settled=settled(match.rules, worth), at_risk=at_risk(match))


def _worth(worth: Worth) -> events_pb2.Worth.ValueType:
    return events_pb2.Worth.ValueType(worth.value)


def _ending(ending: Ending | None) -> events_pb2.Ending.ValueType:
    return events_pb2.Ending.ValueType(ending.value if ending is not None else 0)
