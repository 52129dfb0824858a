"""A replay gives any position of a match, however one comes to it."""

from dataclasses import replace

import pytest

from libs.backgammon.apply import fold
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    CubeOffered,
    Decision,
    GameScored,
    GameStarted,
    GameVoided,
    GhostDecided,
    TimeExpired,
)
from libs.backgammon.match import Match
from libs.backgammon.match_view import view_of
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import PROFILES
from libs.backgammon.timing import Mode
from libs.backgammon.xgid import xgid
from libs.replay.charges import Charge
from libs.replay.marks import MARKS, Mark
from libs.replay.replay import BLOCKS, STRIDE, Replay
from tests.proof_logs import RecordedTimed
from tests.replay_logs import FISCHER, flag_log, haunted_log, match_log
from tests.scene import BLACK, WHITE


def folds(log: tuple[Decision, ...]) -> list[Match | None]:
    """The match behind every position, folded in one go; None before the first."""
    found: list[Match | None] = [None]
    for decision in log:
        found.append(fold(found[-1], decision))
    return found


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_frame_is_what_a_plain_fold_gives(profile: str) -> None:
    log = match_log(profile)
    replay, plain = Replay(log), folds(log)
    for position in range(1, len(log) + 1):
        frame = replay.frame(position)
        assert (frame.decision, frame.before, frame.match) == (
            log[position - 1],
            plain[position - 1],
            plain[position],
        )
        assert len(frame.words) == len(frame.decision.events)
        assert xgid(frame.view) == xgid(view_of(frame.match))


def test_stepping_back_gives_the_frames_that_stepping_forward_gave() -> None:
    replay = Replay(match_log())
    forward = [replay.frame(position) for position in range(1, len(replay) + 1)]
    back = [replay.frame(position) for position in range(len(replay), 0, -1)]
    assert back[::-1] == forward


def test_a_replay_that_grew_is_the_replay_of_the_whole_log() -> None:
    log = match_log()
    grown = Replay()
    for decision in log:
        grown.add(decision)
        assert grown.frame(len(grown)).decision == decision
    whole = Replay(log)
    assert all(grown.frame(n) == whole.frame(n) for n in range(1, len(log) + 1))
    assert vars(grown.contents) == vars(whole.contents)


def test_few_folds_are_kept_however_long_one_steps() -> None:
    replay = Replay(match_log(most=1500))
    for position in (*range(1, len(replay) + 1), *range(len(replay), 0, -1)):
        replay.match_at(position)
    held = sum(map(len, replay._blocks.values())) + len(replay._kept)
    assert held <= BLOCKS * STRIDE + len(replay) // STRIDE + 1


@pytest.mark.parametrize("position", [0, -1, 301])
def test_a_position_that_never_was_is_refused(position: int) -> None:
    replay = Replay(match_log(most=300))
    with pytest.raises(RefusedError, match=f"positions 1 to {len(replay)}") as refused:
        replay.frame(len(replay) + 1 if position > 0 else position)
    assert refused.value.reason is Reason.BAD_REQUEST


def test_turns_and_games_are_found_by_their_numbers() -> None:
    log = match_log(most=900)
    replay, plain = Replay(log), folds(log)
    begun: dict[tuple[int, int], int] = {}
    for position, match in enumerate(plain):
        if match is not None and match.turns:
            begun.setdefault((match.game, match.turns), position)
    assert {(turn.game, turn.number): turn.position for turn in replay.contents.turns} == begun
    for (game, turn), position in begun.items():
        assert replay.contents.position_of(game, turn) == position
    starts = [d.position for d in log if isinstance(d.events[0], GameStarted)]
    assert [replay.contents.position_of(game) for game in range(1, len(starts) + 1)] == starts
    for missing in ((0, 1), (99, 0), (1, 99), (-1, -1)):
        with pytest.raises(RefusedError):
            replay.contents.position_of(*missing)


def test_one_steps_from_turn_to_turn_and_from_game_to_game() -> None:
    contents = Replay(match_log(most=900)).contents
    first, second, third = (turn.position for turn in contents.turns[:3])
    assert contents.turn_near(first, 1) == second
    assert contents.turn_near(third, -1) == second
    assert contents.turn_near(second + 1, -1) == second
    assert contents.turn_near(first, -1) is None
    assert contents.turn_near(contents.turns[-1].position, 1) is None
    assert contents.game_near(1, 1) == contents.games[0].position
    assert contents.game_near(contents.games[1].position, -1) == contents.games[0].position


def test_games_are_listed_with_what_they_were_scored() -> None:
    log = match_log(most=900)
    scored = [(d.position, e) for d in log for e in d.events if isinstance(e, GameScored)]
    entries = [game for game in Replay(log).contents.games if game.ended]
    assert [(game.ended, game.result and game.result.points) for game in entries] == [
        (position, event.points) for position, event in scored
    ]
    assert [(game.white_points, game.black_points) for game in entries][:2] == [
        (0, 0),
        (scored[0][1].points, 0) if scored[0][1].winner is WHITE else (0, scored[0][1].points),
    ]


def test_a_voided_game_is_listed_with_the_reason() -> None:
    log = match_log(most=60)
    voided = replace(log[-1], position=len(log) + 1, events=(GameVoided("line 7: illegal-play"),))
    game = Replay((*log, voided)).contents.games[0]
    assert (game.ended, game.voided, game.result) == (len(log) + 1, "line 7: illegal-play", None)


def test_turns_are_listed_with_their_dice_and_plays() -> None:
    scene = RecordedTimed(FISCHER)
    scene.turn()
    scene.turn()
    first, second, third = Replay(scene.log).contents.turns
    opening = scene.log[first.position - 1].events[-1]
    assert first.dice == (opening.white, opening.black)  # type: ignore[union-attr]  # an OpeningRolled
    assert first.seat is WHITE
    assert first.play
    assert second.seat is BLACK
    assert second.dice is not None
    assert (third.dice, third.play) == (None, None)


@pytest.mark.parametrize("mark", list(Mark))
def test_one_looks_for_the_next_of_a_kind(mark: Mark) -> None:
    for log in (match_log(most=900), flag_log(), haunted_log()):
        wanted = [d.position for d in log if any(MARKS.get(type(event)) is mark for event in d.events)]
        replay, found, at = Replay(log), [], 0
        while (following := replay.contents.mark_near(mark, at, 1)) is not None:
            found.append(at := following)
        assert found == wanted
        assert replay.contents.mark_near(mark, len(replay) + 1, -1) == (wanted[-1] if wanted else None)


def test_the_marks_are_those_of_the_log() -> None:
    assert Replay(flag_log()).contents.marks[Mark.FLAG] == [
        d.position for d in flag_log() if isinstance(d.events[0], TimeExpired)
    ]
    assert any(isinstance(d.events[0], CubeOffered) for d in match_log(most=900))
    assert Replay(haunted_log()).contents.marks[Mark.GHOST]


def test_a_frame_says_what_was_charged_and_given_back() -> None:
    scene = RecordedTimed(FISCHER)
    scene.turn(3)
    frame = Replay(scene.log).frame(len(scene.log))
    assert frame.charge == Charge(WHITE, Mode.TURN, 3 * SECOND, 0)
    scene.received = scene.now + 2 * SECOND
    assert Replay(scene.log).frame(1).charge is None


def test_the_receipt_of_the_ghost_stands_at_its_decision_and_at_what_follows_from_it() -> None:
    replay = Replay(haunted_log())
    at = next(d.position for d in haunted_log() if isinstance(d.events[0], GhostDecided))
    receipt = replay.decisions[at - 1].events[0]
    assert replay.frame(at).receipts == (receipt,)
    assert replay.frame(at + 1).receipts == (receipt,)
    assert replay.frame(at + 2).receipts == ()
