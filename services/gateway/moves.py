"""What the side on roll may do with the dice on the table, for clients that know no rules."""

from libs.backgammon.board import Board, Move
from libs.backgammon.match import Match, Phase
from libs.backgammon.notation import write_play
from libs.backgammon.plays import legal_plays, results, single_moves
from libs.backgammon.rules import Rules
from libs.backgammon.turn import Turn, is_complete, next_moves
from libs.service.wire import seat
from services.gateway.snapshot import move
from videau.gateway.v1 import gateway_pb2 as pb


def moves_of(match: Match) -> pb.ListMovesResponse:
    """The next moves and the complete plays; none while no dice are on the table."""
    answer = pb.ListMovesResponse(match_id=match.match_id, position=match.position)
    turn = match.turn
    if match.phase is not Phase.MOVE or turn is None:
        return answer
    answer.seat = seat(match.on_roll)
    answer.complete = is_complete(turn, match.rules)
    answer.next_moves.extend(map(move, next_moves(turn, match.rules)))
    for moves in completions(turn, match.rules):
        answer.plays.add(moves=map(move, moves), text=write_play(moves))
    answer.forced = not turn.moves and len(answer.plays) == 1
    return answer


def completions(turn: Turn, rules: Rules) -> list[tuple[Move, ...]]:
    """What may be played to the end of a turn, once for each position it can end in."""
    if not turn.moves:
        return [play.moves for play in legal_plays(turn.start, turn.dice, rules)]
    if is_complete(turn, rules):
        return []
    legal = results(turn.start, turn.dice, rules)
    left = [made.die for made in next(iter(legal.values()))]
    for made in turn.moves:
        left.remove(made.die)
    # After a first move either one die is left or all that are left are equal: their order is no question.
    reached: dict[Board, tuple[Move, ...]] = {turn.board: ()}
    ends: dict[Board, tuple[Move, ...]] = {}
    for die in left:
        further: dict[Board, tuple[Move, ...]] = {}
        for board, moves in reached.items():
            for packed, (made,) in single_moves(board, die).items():
                further.setdefault(Board(packed), (*moves, made))
        ends.update({board: moves for board, moves in further.items() if board.won})
        reached = further
    ends |= reached
    return [moves for board, moves in ends.items() if board.packed in legal]
