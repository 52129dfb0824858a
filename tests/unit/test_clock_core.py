"""The clock service: flags that fall, claims, what time over is worth, commands that come too late."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256

import pytest

from libs.backgammon.apply import fold
from libs.backgammon.board import Worth
from libs.backgammon.clock import deadline
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Ending, GameScored, MatchScored, Seat, TimeExpired, WinClaimed
from libs.backgammon.match import Cube, Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Clock, ClockKind, Rules, TimeOver
from libs.eventlog.codec import decode, encode
from libs.eventlog.errors import BrokenLogError
from libs.eventlog.handle import Envelope, Handler
from libs.eventlog.live import LiveMatches
from libs.eventlog.memory import MemoryLog, MemoryStore
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Stored
from services.clock import core
from services.clock.core import ClaimWin, ExpireTime, RecordOutage, Wake
from services.cube import core as cube
from services.cube.core import (
    AcceptResignation,
    BeaverCube,
    OfferCube,
    OfferResignation,
    ScoreGame,
    TakeCube,
)
from services.dice.core import RollDice, StopWaiting
from services.lobby.core import JoinTable, OpenTable
from services.rules.core import MoveCheckers
from tests.clock_scene import BEGUN, Timed, seconds, state, timed
from tests.scene import BLACK, BRUNO, MATCH_ID, WANDA, WHITE, Scene, position, refusal, seated

DELAY = Clock(ClockKind.DELAY, 12_000, 120_000)
LOST = timed(DELAY)
FLAG = BEGUN + 132 * SECOND


# --- flags ---


def test_the_service_wakes_when_the_flag_falls() -> None:
    assert core.react(Timed(LOST).match) == Wake(FLAG, ExpireTime)


def test_a_flag_falls_at_its_deadline_and_not_a_microsecond_before() -> None:
    scene = Timed(LOST)
    assert refusal(scene, ExpireTime(FLAG - 1)) is Reason.NOT_DUE
    scene.now = FLAG
    assert scene.do(ExpireTime(FLAG)) == (TimeExpired(WHITE, FLAG),)


def test_a_late_timer_writes_down_the_deadline_and_not_its_own_time() -> None:
    scene = Timed(LOST)
    scene.now = FLAG + 5 * SECOND
    assert scene.do(ExpireTime(scene.now)) == (TimeExpired(WHITE, FLAG),)


def test_a_timer_that_comes_after_the_move_finds_nothing_due() -> None:
    scene = Timed(LOST)
    scene.turn(10)
    assert refusal(scene, ExpireTime(FLAG)) is Reason.NOT_DUE


def test_without_a_clock_or_a_game_nothing_is_ever_due() -> None:
    assert core.react(Timed("classic").match) is None
    assert core.react(seated("money").match) is None
    open_table = Scene()
    open_table.do(OpenTable(profile("money"), WANDA))
    assert core.react(open_table.match) is None
    assert refusal(open_table, ExpireTime(FLAG)) is Reason.MATCH_NOT_STARTED


def test_an_imported_match_has_no_clock() -> None:
    scene = Scene()
    scene.do(OpenTable(LOST, WANDA))
    scene.do(JoinTable(BRUNO, source="a record"))
    scene.current = replace(scene.match, phase=Phase.ROLL)
    scene.do(RecordOutage(0, 0, 5))
    assert (scene.match.clocks.seat, core.react(scene.match)) == (None, None)


def test_a_flag_that_fell_before_an_outage_has_fallen_and_one_in_it_has_not() -> None:
    fell, saved = Timed(LOST), Timed(LOST)
    for scene, began in ((fell, FLAG), (saved, FLAG - 1)):
        scene.now = FLAG + 100 * SECOND
        scene.do(RecordOutage(began, scene.now, scene.now))
    assert fell.events(TimeExpired) == [TimeExpired(WHITE, FLAG)]
    assert core.react(saved.match) == Wake(saved.now + 1, ExpireTime)


# --- what a fallen flag is worth ---

WORTHS = [
    pytest.param({24: 2, 13: 5, 8: 3, 6: 5}, Worth.BACKGAMMON, id="still in the winner's home board"),
    pytest.param({25: 1, 6: 14}, Worth.BACKGAMMON, id="on the bar"),
    pytest.param({18: 1, 6: 14}, Worth.GAMMON, id="nothing off"),
    pytest.param({24: 2, 6: 12}, Worth.SINGLE, id="one checker off"),
]


@pytest.mark.parametrize(("white", "worth"), WORTHS)
@pytest.mark.parametrize("on_roll", [WHITE, BLACK])
def test_time_over_loses_what_the_position_is_worth_times_the_cube(
    white: dict[int, int], worth: Worth, on_roll: Seat
) -> None:
    scene = _expired(position("money", white, {5: 4, 3: 2}, on_roll=on_roll, cube_=Cube(2, BLACK)), WHITE)
    points = 2 * worth
    assert scene.do(ScoreGame()) == (GameScored(BLACK, worth, 2, points, points, Ending.TIME_OVER),)
    assert scene.match.phase is Phase.BETWEEN


@pytest.mark.parametrize(
    ("owner", "phase", "lost"),
    [(None, Phase.OFFERED, 2), (BLACK, Phase.BEAVERED, 4), (WHITE, Phase.RACCOONED, 8)],
)
def test_who_owes_an_answer_loses_no_less_than_by_passing(
    owner: Seat | None, phase: Phase, lost: int
) -> None:
    offered = Cube(2, owner, 2 * lost, WHITE)
    scene = position("money", {25: 1, 6: 13}, {6: 14}, cube_=offered)
    scene.current = replace(scene.match, phase=phase)
    loser = WHITE if phase is Phase.BEAVERED else BLACK
    (scored,) = _expired(scene, loser).do(ScoreGame())
    assert isinstance(scored, GameScored)
    assert (scored.winner, scored.worth, scored.cube) == (loser.other, Worth.SINGLE, lost)


def test_a_flag_of_the_one_who_is_asked_falls_while_he_is_asked() -> None:
    scene = Timed(replace(profile("money"), beaver=True))
    scene.to_turn_of(BLACK)
    scene.after(0, OfferCube(BLACK))
    scene.after(0, BeaverCube(WHITE))
    (expired,) = scene.due()
    assert expired == TimeExpired(BLACK, scene.now)
    (scored,) = scene.do(ScoreGame())
    assert isinstance(scored, GameScored)
    assert (scored.winner, scored.cube, scored.ending) == (WHITE, 2, Ending.TIME_OVER)


def test_a_moves_unfinished_turn_counts_for_the_worth() -> None:
    white, black = {1: 2}, {25: 1, 20: 14}
    scene = position("money", white, black, on_roll=WHITE, dice_=(6, 5))
    scene.do(MoveCheckers(WHITE, ((1, 0),)))
    (scored,) = _expired(scene, BLACK).do(ScoreGame())
    assert isinstance(scored, GameScored)
    assert scored.worth is Worth.BACKGAMMON


def test_jacoby_counts_for_time_over_as_for_every_ending() -> None:
    scene = _expired(position(profile("money", jacoby=True), {24: 15}, {5: 4}), WHITE)
    assert scene.do(ScoreGame()) == (GameScored(BLACK, Worth.BACKGAMMON, 1, 1, 1, Ending.TIME_OVER),)


def test_in_a_tournament_time_over_loses_the_match() -> None:
    scene = _expired(position("tournament", score=(4, 2)), WHITE)
    assert cube.react(scene.match) == ScoreGame()
    assert scene.do(ScoreGame()) == (MatchScored(BLACK, 4, 2, Ending.TIME_OVER),)
    assert (scene.match.phase, scene.match.winner) == (Phase.OVER, BLACK)


def test_a_match_is_won_by_points_only() -> None:  # S31
    scene = position("match", {24: 1, 6: 13}, {6: 15}, score=(3, 3))
    assert _expired(scene, BLACK).do(ScoreGame()) == (
        GameScored(WHITE, Worth.GAMMON, 1, 2, 2, Ending.TIME_OVER),
        MatchScored(WHITE, 5, 3, Ending.POINTS_REACHED),
    )
    scene = position("match", {24: 1, 6: 13}, {6: 14}, score=(3, 3))
    assert _expired(scene, BLACK).do(ScoreGame()) == (
        GameScored(WHITE, Worth.SINGLE, 1, 1, 1, Ending.TIME_OVER),
    )
    assert scene.score() == (4, 3)


def test_after_a_fallen_flag_nothing_but_the_score_is_heard() -> None:
    scene = Timed(LOST)
    scene.now = FLAG
    scene.do(ExpireTime(FLAG))
    assert scene.match.to_act is None
    for command in (
        RollDice(WHITE, b"", scene.server),
        StopWaiting(scene.server),
        MoveCheckers(WHITE, ((24, 23),)),
        OfferCube(BLACK),
        TakeCube(BLACK),
        AcceptResignation(BLACK),
        OfferResignation(BLACK, Worth.SINGLE),
        ClaimWin(BLACK, FLAG),
        ExpireTime(FLAG),
    ):
        with pytest.raises(RefusedError):
            scene.do(command)
    assert core.react(scene.match) is None


# --- claims ---


def test_a_claim_is_refused_while_the_other_has_time() -> None:
    scene = Timed("reserve")
    assert refusal(scene, ClaimWin(BLACK, BEGUN + 101 * SECOND - 1)) is Reason.TIME_LEFT
    assert refusal(scene, ClaimWin(WHITE, BEGUN + 500 * SECOND)) is Reason.TIME_LEFT


def test_a_claim_received_at_the_deadline_need_not_wait_for_the_timer() -> None:
    scene = Timed("reserve")
    flag = BEGUN + 101 * SECOND
    scene.now = flag
    assert scene.do(ClaimWin(BLACK, flag)) == (TimeExpired(WHITE, flag), WinClaimed(BLACK))
    assert scene.do(ScoreGame()) == (
        GameScored(BLACK, Worth.GAMMON, 1, 2, 2, Ending.CLAIMED),
        MatchScored(BLACK, 0, 2, Ending.GAMES_PLAYED),
    )


def test_play_goes_on_until_a_fallen_flag_is_claimed_and_then_a_claim_is_a_gammon() -> None:
    scene = Timed("reserve")
    scene.due()
    assert (scene.match.phase, core.react(scene.match)) == (Phase.MOVE, None)
    scene.turn(3)
    scene.turn(2)
    scene.turn(9)
    assert scene.do(ClaimWin(BLACK, scene.now)) == (WinClaimed(BLACK),)
    (scored, _) = scene.do(ScoreGame())
    assert isinstance(scored, GameScored)
    assert (scored.worth, scored.ending) == (Worth.GAMMON, Ending.CLAIMED)


def test_a_claim_counts_though_the_flag_fell_unnoticed_in_a_late_move() -> None:
    scene = Timed("reserve")
    scene.turn(101)
    assert scene.do(ClaimWin(BLACK, scene.now)) == (WinClaimed(BLACK),)


def test_where_both_flags_have_fallen_the_first_claim_wins() -> None:
    scene = Timed("reserve")
    scene.turn(200)
    scene.turn(200)
    scene.do(ClaimWin(WHITE, scene.now))
    assert refusal(scene, ClaimWin(BLACK, scene.now)) is Reason.WRONG_PHASE
    assert scene.settle().match.winner is WHITE


def test_a_claim_after_the_end_of_the_game_is_refused() -> None:
    scene = Timed("reserve")
    scene.due()
    scene.do(OfferResignation(BLACK))
    assert refusal(scene, ClaimWin(BLACK, scene.now)) is Reason.MATCH_OVER


def test_where_time_over_loses_by_itself_there_is_nothing_to_claim() -> None:
    scene = Timed(LOST)
    assert refusal(scene, ClaimWin(BLACK, FLAG)) is Reason.NO_CLAIM


# --- the log ---


def test_after_a_restart_the_clocks_are_those_of_the_log() -> None:  # S30
    scene = Timed("money")
    scene.turn(30)
    scene.after(7, RollDice(BLACK, b"", scene.server), system=3, credit=0.2)
    scene.wait(40)
    scene.do(RecordOutage(scene.now - 20 * SECOND, scene.now, scene.now))
    again: Match | None = None
    for decision in scene.log:
        again = fold(again, decode(encode(decision)))
    assert again is not None
    assert (state(again), deadline(again)) == (state(scene.match), deadline(scene.match))
    assert again == scene.match


# --- the shell: what it grants, what it refuses ---


async def test_the_shell_refuses_what_comes_after_the_deadline_and_writes_nothing() -> None:
    scene, handler, log = _served(LOST)
    late = Envelope(MATCH_ID, "w/late", "w", received_at=FLAG)
    with pytest.raises(RefusedError) as refused:
        await handler.handle(late, lambda match: cube.decide(match, OfferResignation(WHITE, Worth.SINGLE)))
    assert (refused.value.reason, len(log.decisions)) == (Reason.TIME_OVER, len(scene.log))
    early = replace(late, command_id="w/early", received_at=FLAG - 1)
    await handler.handle(early, lambda match: cube.decide(match, OfferResignation(WHITE, Worth.SINGLE)))
    assert len(log.decisions) == len(scene.log) + 1


async def test_the_shell_grants_lag_credit_to_whose_time_runs_and_to_nobody_else() -> None:
    for account, granted in (("w", 80_000), ("b", 0)):
        _, handler, log = _served(LOST)
        seat = WHITE if account == "w" else BLACK
        resign = OfferResignation(seat, Worth.SINGLE)
        sent = Envelope(MATCH_ID, f"{account}/1", account, received_at=BEGUN + 20 * SECOND, lag=80_000)
        outcome = await handler.handle(sent, partial(cube.decide, command=resign))
        assert decode(log.decisions[-1].data).lag_credit == granted
        assert seconds(outcome.match.clocks.white.reserve) == 120 - 8 + granted / SECOND


def test_time_over_that_nothing_follows_is_no_option() -> None:
    rules = timed(DELAY, time_over=TimeOver.NOTHING)
    scene = Timed(rules)
    scene.due()
    assert (scene.match.phase, scene.time(WHITE).fallen) == (Phase.MOVE, True)


def _expired(scene: Scene, seat: Seat) -> Scene:
    """The same position with this seat's flag fallen."""
    clocks = replace(scene.match.clocks, seat=seat, since=BEGUN)
    scene.current = replace(scene.match, clocks=clocks)
    wake = core.react(scene.match)
    assert wake is not None
    scene.now = wake.at
    assert scene.do(ExpireTime(scene.now)) == (TimeExpired(seat, scene.now),)
    return scene


def _served(rules: Rules) -> tuple[Timed, Handler, MemoryLog]:
    """A match in which White's time runs since BEGUN, and the cube service's shell around it."""
    scene, log, head = Timed(rules), MemoryLog(lambda: datetime(2026, 1, 1, tzinfo=UTC)), b""
    for place, decision in enumerate(scene.log):
        data = encode(replace(decision, previous_hash=head))
        head = sha256(data).digest()
        owner = OWNERS[type(decision.events[0])]
        log.add(Stored(MATCH_ID, owner, place + 1, place, decision.command_id, data, log.now()))
    store, broken = MemoryStore(log, "cube"), list[BrokenLogError]()
    handler = Handler(LiveMatches(store, on_broken=broken.append), store, lambda: FLAG + SECOND)
    return scene, handler, log
