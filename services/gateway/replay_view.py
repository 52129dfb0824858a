"""A replay as the messages of the wire."""

from libs.backgammon.events import GameScored
from libs.backgammon.match import Result
from libs.eventlog.codec import event_to_proto, rules_to_proto
from libs.replay.cause import Cause
from libs.replay.charges import Charge
from libs.replay.contents import GameEntry, TurnEntry
from libs.replay.proof import Proof, Share
from libs.replay.replay import Frame, Replay
from libs.service.wire import seat, timestamp
from services.gateway.snapshot import player, snapshot
from videau.gateway.v1 import gateway_pb2, replay_pb2
from videau.match.v1 import events_pb2


def replay_message(replay: Replay) -> replay_pb2.MatchReplay:
    """The table of contents."""
    match, contents = replay.newest, replay.contents
    return replay_pb2.MatchReplay(
        match_id=match.match_id,
        position=len(replay),
        rules=rules_to_proto(match.rules),
        white=player(match.white),
        black=player(match.black),
        white_points=match.white_points,
        black_points=match.black_points,
        phase=gateway_pb2.Phase.ValueType(match.phase.value),
        winner=seat(match.winner),
        ending=events_pb2.Ending.ValueType(match.ending.value if match.ending is not None else 0),
        source=match.source,
        games=map(_game, contents.games),
        turns=map(_turn, contents.turns),
        marks=(
            replay_pb2.ReplayMarks(kind=mark, positions=positions)
            for mark, positions in contents.marks.items()
            if positions
        ),
    )


def frame_message(replay: Replay, position: int) -> replay_pb2.ReplayFrame:
    """One position. Raises RefusedError BAD_REQUEST if the match has none such."""
    frame = replay.frame(position)
    decision, (white_pips, black_pips) = frame.decision, frame.pips
    return replay_pb2.ReplayFrame(
        match_id=decision.match_id,
        position=position,
        newest=len(replay),
        turn=frame.match.turns,
        actor=decision.actor,
        command_id=decision.command_id,
        decided_at=timestamp(decision.decided_at),
        received_at=timestamp(decision.received_at),
        events=[
            replay_pb2.ReplayEvent(event=event_to_proto(event), words=words)
            for event, words in zip(decision.events, frame.words, strict=True)
        ],
        snapshot=snapshot(frame.match),
        white_pips=white_pips,
        black_pips=black_pips,
        gnubg_id=frame.gnubg_id,
        charge=_charge(frame.charge),
        proofs=map(_proof, frame.proofs),
        receipts=[event_to_proto(receipt).ghost_decided for receipt in frame.receipts],
        why=[_cause(cause, replay) for cause in frame.why],
        steps=_steps(frame, replay),
    )


def _game(game: GameEntry) -> replay_pb2.ReplayGame:
    return replay_pb2.ReplayGame(
        game=game.number,
        position=game.position,
        crawford=game.crawford,
        white_points=game.white_points,
        black_points=game.black_points,
        ended=game.ended,
        result=_result(game.result),
        voided=game.voided,
    )


def _result(result: Result | None) -> events_pb2.GameScored | None:
    if result is None or result.winner is None:
        return None
    scored = GameScored(
        result.winner, result.worth, result.cube, result.points, result.counted, result.ending
    )
    return event_to_proto(scored).game_scored


def _turn(turn: TurnEntry) -> replay_pb2.ReplayTurn:
    return replay_pb2.ReplayTurn(
        game=turn.game,
        turn=turn.number,
        position=turn.position,
        seat=seat(turn.seat),
        dice=turn.dice or (),
        play=turn.play or "",
        ended=turn.play is not None,
    )


def _charge(charge: Charge | None) -> replay_pb2.ReplayCharge | None:
    if charge is None:
        return None
    return replay_pb2.ReplayCharge(
        seat=seat(charge.seat),
        mode=charge.mode.name.lower(),
        took=charge.took,
        credit=charge.credit,
        charged=charge.charged,
    )


def _proof(proof: Proof) -> replay_pb2.DiceProof:
    return replay_pb2.DiceProof(
        roll=proof.roll,
        chain=proof.chain,
        index=proof.index,
        key_id=proof.key_id,
        service=_share(proof.service),
        white=_share(proof.white),
        black=_share(proof.black),
        message=proof.message,
        seed=proof.seed,
        bytes=(replay_pb2.DiceByte(value=drawn.byte, die=drawn.die or 0) for drawn in proof.drawn),
        dice=proof.dice,
        holds=proof.holds,
    )


def _share(share: Share) -> replay_pb2.DiceShare:
    committed = share.commitment
    return replay_pb2.DiceShare(
        part=share.part,
        tip=committed.tip if committed is not None else b"",
        committed=committed.position if committed is not None else 0,
        link=share.link,
        holds=share.holds,
    )


def _cause(cause: Cause, replay: Replay) -> replay_pb2.ReplayCause:
    return replay_pb2.ReplayCause(
        position=cause.position,
        by=cause.by,
        actor=cause.actor,
        answers=cause.answers,
        deadline=timestamp(cause.deadline) if cause.deadline else None,
        words=replay.words(cause.position),
    )


def _steps(frame: Frame, replay: Replay) -> replay_pb2.ReplaySteps:
    at, contents = frame.position, replay.contents
    return replay_pb2.ReplaySteps(
        previous=at - 1,
        next=at + 1 if at < len(replay) else 0,
        previous_turn=contents.turn_near(at, -1) or 0,
        next_turn=contents.turn_near(at, 1) or 0,
        previous_game=contents.game_near(at, -1) or 0,
        next_game=contents.game_near(at, 1) or 0,
    )
