"""Who is not there: absences, the ghost, `continue`, rests and five minutes."""

from dataclasses import replace

import pytest

from libs.backgammon.board import Board, Worth
from libs.backgammon.clock import deadline, is_late
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    ContinueAwaited,
    Ending,
    GameAbandoned,
    GameAdjudicated,
    GameScored,
    GameStarted,
    GhostSeated,
    GhostWithdrawn,
    MatchContinued,
    MatchInterrupted,
    MatchResumed,
    MatchScored,
    MatchSuspended,
    Player,
    Seat,
    SeatAbsent,
    SeatReturned,
    TimeExpired,
)
from libs.backgammon.match import Cube, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Waits
from libs.backgammon.timing import Mode
from services.clock import core
from services.clock.core import (
    AbandonGame,
    AwaitContinue,
    ClaimWin,
    ContinueMatch,
    ExpireTime,
    InterruptMatch,
    RecordOutage,
    ReportAbsent,
    ReportPresent,
    SuspendMatch,
    Wake,
)
from services.cube import core as cube
from services.cube.core import (
    AcceptResignation,
    OfferCube,
    OfferResignation,
    PassCube,
    ScoreGame,
    StartGame,
)
from services.dice import core as dice
from services.rules import core as rules
from tests.clock_scene import BEGUN, Timed, seconds
from tests.scene import BLACK, WHITE, Scene, counts, happen, position, refusal, seated

GHOSTLY = ["single", "blitz", "match"]
LIMITED = ["casual", "classic", "money", "series"]
FIVE = 300 * SECOND


def leave(scene: Timed, seat: Seat) -> tuple[object, ...]:
    """The seat's connection goes now and is reported missing ten seconds later."""
    since = scene.now
    return scene.do(ReportAbsent(seat, since, scene.wait(10)))


def come_back(scene: Timed, seat: Seat, seconds_later: float = 0) -> tuple[object, ...]:
    return scene.do(ReportPresent(seat, scene.wait(seconds_later)))


# --- who is absent ---


def test_a_blink_of_the_network_is_no_absence() -> None:
    scene = Timed("money")
    assert refusal(scene, ReportAbsent(WHITE, BEGUN, BEGUN + 10 * SECOND - 1)) is Reason.NOT_ABSENT
    assert scene.match.absent(WHITE) is False


@pytest.mark.parametrize("name", ["single", "reserve", "money", "tournament"])
def test_who_is_gone_for_ten_seconds_is_absent_until_he_is_back(name: str) -> None:
    scene = Timed(name)
    (absent,) = leave(scene, BLACK)
    assert absent == SeatAbsent(BLACK, BEGUN)
    assert (scene.match.absent(BLACK), scene.match.absent(WHITE)) == (True, False)
    assert come_back(scene, BLACK) == (SeatReturned(BLACK),)
    assert scene.match.absent(BLACK) is False


def test_reports_of_what_is_known_change_nothing() -> None:
    scene = Timed("money")
    assert come_back(scene, WHITE) == ()
    leave(scene, WHITE)
    assert scene.do(ReportAbsent(WHITE, BEGUN, scene.wait(30))) == ()


def test_a_connection_lost_in_an_outage_has_ten_seconds_from_its_end() -> None:
    scene = Timed("single")
    scene.wait(100)
    scene.do(RecordOutage(BEGUN, scene.now, scene.now))
    lost = BEGUN + SECOND
    assert refusal(scene, ReportAbsent(WHITE, lost, scene.wait(9))) is Reason.NOT_ABSENT
    assert scene.do(ReportAbsent(WHITE, lost, scene.wait(1))) == (SeatAbsent(WHITE, BEGUN + 100 * SECOND),)


def test_nobody_is_absent_before_the_match_or_after_it() -> None:
    over = Timed("casual")
    over.do(OfferResignation(WHITE))
    assert refusal(over, ReportAbsent(WHITE, BEGUN, over.wait(10))) is Reason.MATCH_OVER
    assert refusal(Scene(seated("money").match), ReportAbsent(WHITE, 0, 5)) is Reason.NOT_ABSENT


# --- the waits are the table's own ---

PATIENT = Waits(grace=20_000, suspension=60_000, continuing=30_000, away=40_000)


def patient(name: str) -> Timed:
    return Timed(replace(profile(name), waits=PATIENT))


def test_a_blink_is_as_long_as_the_rules_say() -> None:
    scene = patient("single")
    assert refusal(scene, ReportAbsent(WHITE, BEGUN, BEGUN + 20 * SECOND - 1)) is Reason.NOT_ABSENT
    assert scene.do(ReportAbsent(WHITE, BEGUN, BEGUN + 20 * SECOND)) == (SeatAbsent(WHITE, BEGUN),)


def test_a_match_without_anybody_rests_as_long_as_the_rules_say() -> None:
    scene = patient("single")
    for seat in (WHITE, BLACK):
        scene.do(ReportAbsent(seat, BEGUN, BEGUN + 20 * SECOND))
    scene.now = BEGUN + 21 * SECOND
    assert scene.do(SuspendMatch(scene.now)) == (MatchSuspended(scene.now + 60 * SECOND),)


def test_a_continue_is_awaited_as_long_as_the_rules_say() -> None:
    scene = _ghost_in("match", WHITE)
    scene.current = replace(scene.match, rules=replace(scene.match.rules, waits=PATIENT))
    _win(scene, BLACK)
    assert scene.do(AwaitContinue(BEGUN)) == (ContinueAwaited(WHITE, BEGUN + 30 * SECOND),)


def test_an_abandoned_game_waits_as_long_as_the_rules_say() -> None:
    scene = patient("classic")
    scene.do(ReportAbsent(WHITE, BEGUN, BEGUN + 20 * SECOND))
    assert core.react(scene.match) == Wake(BEGUN + 40 * SECOND, AbandonGame)


def test_scaled_waits_leave_alone_what_does_not_run_in_the_clocks_place() -> None:
    assert PATIENT.scaled(0.5) == replace(PATIENT, away=20_000)


# --- the clock runs on ---


@pytest.mark.parametrize("name", ["reserve", "tournament"])
def test_where_the_clock_runs_on_an_absence_changes_no_deadline(name: str) -> None:
    scene = Timed(name)
    before = deadline(scene.match)
    leave(scene, WHITE)
    assert deadline(scene.match) == before
    come_back(scene, WHITE, 20)
    assert deadline(scene.match) == before


# --- the ghost ---


@pytest.mark.parametrize("name", GHOSTLY)
def test_the_clock_of_an_absent_player_stands_until_he_is_back(name: str) -> None:
    scene = Timed(name)
    full = seconds(scene.time(WHITE).reserve)
    leave(scene, WHITE)
    assert (scene.match.clocks.seat, deadline(scene.match)) == (None, None)
    assert seconds(scene.time(WHITE).reserve) == full - 10
    come_back(scene, WHITE, 1_000)
    assert deadline(scene.match) == scene.now + scene.time(WHITE).reserve


def test_absence_on_the_opponents_turn_costs_nothing() -> None:
    for name in ("single", "money"):
        scene = Timed(name)
        before = deadline(scene.match)
        leave(scene, BLACK)
        come_back(scene, BLACK, 20)
        assert deadline(scene.match) == before
        assert scene.time(BLACK) == Timed(name).time(BLACK)


def test_the_ghost_holds_a_seat_until_its_player_is_back() -> None:
    scene = Timed("single")
    leave(scene, WHITE)
    assert scene.match.ghost_holds(WHITE) is False
    happen(scene, GhostSeated(WHITE))
    assert scene.match.ghost_holds(WHITE)
    come_back(scene, WHITE)
    assert scene.match.ghost_holds(WHITE) is False
    assert scene.match.clocks.seat is WHITE
    happen(scene, GhostWithdrawn(WHITE))
    assert scene.match.presence(WHITE).ghost is False


def test_a_turn_the_ghost_ended_earns_nothing() -> None:
    scene = Timed("single")
    leave(scene, WHITE)
    happen(scene, GhostSeated(WHITE))
    quota = scene.time(WHITE).quota
    scene.wait(60)
    scene.turn()
    assert (scene.time(WHITE).free, scene.time(WHITE).quota) == (0, quota)
    assert scene.match.clocks.seat is BLACK


@pytest.mark.parametrize("name", GHOSTLY)
def test_what_the_ghost_wins_counts_nothing_and_what_it_loses_counts(name: str) -> None:
    for winner, points in ((WHITE, 0), (BLACK, 2)):
        scene = _ghost_in(name, WHITE)
        _win(scene, winner, Worth.GAMMON)
        scored = scene.events(GameScored)[-1]
        assert scored == GameScored(winner, Worth.GAMMON, 1, points, points, Ending.BORNE_OFF)
        assert scene.score() == ((0, 0) if winner is WHITE else (0, points))


def test_a_game_the_ghost_wins_still_ends_a_match_of_one_game() -> None:
    scene = _ghost_in("single", WHITE)
    _win(scene, WHITE)
    assert scene.events(MatchScored) == [MatchScored(WHITE, 0, 0, Ending.GAMES_PLAYED)]


def test_a_resignation_or_a_pass_to_the_ghost_counts_nothing_either() -> None:
    scene = _ghost_in("match", WHITE)
    scene.do(OfferCube(WHITE))
    scene.do(PassCube(BLACK))
    assert scene.score() == (0, 0)
    scene = _ghost_in("match", WHITE)
    scene.do(OfferResignation(BLACK))
    scene.do(AcceptResignation(WHITE))
    assert (scene.score(), scene.match.phase) == ((0, 0), Phase.BETWEEN)


def test_time_over_against_the_ghost_counts_nothing() -> None:
    scene = Timed("match")
    leave(scene, BLACK)
    happen(scene, GhostSeated(BLACK))
    scene.due()
    scene.do(ScoreGame())
    (scored,) = scene.events(GameScored)
    assert isinstance(scored, GameScored)
    assert (scored.winner, scored.points, scene.score()) == (BLACK, 0, (0, 0))


# --- continue ---


def test_after_a_game_the_ghost_has_finished_the_next_waits_for_continue() -> None:
    scene = _ghost_in("match", WHITE)
    _win(scene, BLACK)
    assert (scene.match.phase, scene.match.attendance.awaiting) == (Phase.BETWEEN, WHITE)
    assert cube.react(scene.match) is None
    assert refusal(scene, StartGame()) is Reason.CONTINUE_AWAITED
    assert core.react(scene.match) == Wake(0, AwaitContinue)
    scene.now = BEGUN
    assert scene.do(AwaitContinue(BEGUN)) == (ContinueAwaited(WHITE, BEGUN + 120 * SECOND),)
    assert core.react(scene.match) == Wake(BEGUN + 120 * SECOND, InterruptMatch)


def test_with_continue_the_next_game_starts() -> None:
    scene = _awaiting_continue()
    scene.do(ReportPresent(WHITE, scene.now))
    assert cube.react(scene.match) is None
    assert refusal(scene, ContinueMatch(BLACK, scene.now)) is Reason.NOTHING_TO_CONTINUE
    assert scene.do(ContinueMatch(WHITE, BEGUN + 120 * SECOND - 1)) == (MatchContinued(WHITE),)
    assert core.react(scene.match) is None
    assert scene.settle().events(GameStarted)[-1] == GameStarted(scene.match.game, crawford=False)
    assert scene.match.phase is Phase.OPENING


def test_without_continue_the_match_is_the_opponents() -> None:
    scene = _awaiting_continue()
    late = BEGUN + 120 * SECOND
    assert refusal(scene, ContinueMatch(WHITE, late)) is Reason.TIME_OVER
    assert refusal(scene, InterruptMatch(late - 1)) is Reason.NOT_DUE
    scene.now = late
    assert scene.do(InterruptMatch(late)) == (MatchInterrupted(WHITE),)
    assert scene.settle().events(MatchScored) == [MatchScored(BLACK, 0, 1, Ending.FORFEITED)]


def test_continue_need_not_be_said_when_the_player_finished_the_game_himself_or_the_match_is_over() -> None:
    scene = _ghost_in("match", WHITE)
    scene.now = BEGUN
    scene.do(ReportPresent(WHITE, BEGUN))
    _win(scene, BLACK)
    assert scene.match.phase is Phase.OPENING
    scene = _ghost_in("match", WHITE, score=(0, 4))
    _win(scene, BLACK)
    assert (scene.match.phase, scene.match.attendance.awaiting) == (Phase.OVER, None)
    scene = _ghost_in("single", WHITE)
    _win(scene, BLACK)
    assert (scene.match.phase, core.react(scene.match)) == (Phase.OVER, None)


def test_an_outage_does_not_shorten_the_time_to_continue() -> None:
    scene = _awaiting_continue()
    scene.now = BEGUN + 300 * SECOND
    scene.do(RecordOutage(BEGUN + 20 * SECOND, scene.now, scene.now))
    assert core.react(scene.match) == Wake(BEGUN + 400 * SECOND, InterruptMatch)


# --- nobody there ---


@pytest.mark.parametrize("name", GHOSTLY)
def test_with_both_seats_absent_the_match_rests_and_is_then_interrupted(name: str) -> None:
    scene = Timed(name)
    leave(scene, BLACK)
    leave(scene, WHITE)
    assert core.react(scene.match) == Wake(0, SuspendMatch)
    until = scene.now + 120 * SECOND
    assert scene.due() == (MatchSuspended(until),)
    assert (core.react(scene.match), deadline(scene.match)) == (Wake(until, InterruptMatch), None)
    assert scene.due() == (MatchInterrupted(None),)
    assert scene.settle().events(MatchScored) == [MatchScored(None, 0, 0, Ending.INTERRUPTED)]
    assert (scene.match.phase, scene.match.winner) == (Phase.OVER, None)


def test_a_match_that_rests_goes_on_when_one_player_is_back() -> None:
    scene = Timed("single")
    leave(scene, BLACK)
    leave(scene, WHITE)
    scene.due()
    assert come_back(scene, WHITE, 119) == (SeatReturned(WHITE), MatchResumed())
    assert (scene.match.attendance.suspended, scene.match.clocks.seat) == (None, WHITE)
    assert core.react(scene.match) == Wake(deadline(scene.match) or 0, ExpireTime)


def test_who_comes_back_after_the_rest_comes_too_late() -> None:
    scene = Timed("single")
    leave(scene, BLACK)
    leave(scene, WHITE)
    scene.due()
    assert come_back(scene, WHITE, 120) == (MatchInterrupted(None), SeatReturned(WHITE))


def test_an_outage_does_not_shorten_the_rest() -> None:
    scene = Timed("single")
    leave(scene, BLACK)
    leave(scene, WHITE)
    scene.due()
    rests = scene.now
    scene.wait(1_000)
    scene.do(RecordOutage(rests + 50 * SECOND, rests + 990 * SECOND, scene.now))
    assert core.react(scene.match) == Wake(rests + (120 + 940) * SECOND, InterruptMatch)


def test_a_fallen_flag_that_nobody_is_there_to_claim_lets_the_match_rest() -> None:
    scene = Timed("reserve")
    leave(scene, BLACK)
    leave(scene, WHITE)
    assert core.react(scene.match) == Wake(deadline(scene.match) or 0, ExpireTime)
    assert scene.due() == (TimeExpired(WHITE, BEGUN + 101 * SECOND),)
    scene.due()
    assert scene.match.attendance.suspended is not None
    assert come_back(scene, BLACK, 60) == (SeatReturned(BLACK), MatchResumed())
    assert core.react(scene.match) is None
    assert scene.do(ClaimWin(BLACK, scene.now))


def test_a_match_against_a_bot_that_nobody_is_there_to_claim_rests_as_well() -> None:
    scene = Timed("reserve")
    scene.current = replace(scene.match, black=Player("bot/hard", "House bot (hard)", "hard"))
    leave(scene, WHITE)
    assert scene.due() == (TimeExpired(WHITE, BEGUN + 101 * SECOND),)
    assert core.react(scene.match) == Wake(0, SuspendMatch)
    scene.due()
    assert come_back(scene, WHITE, 60) == (SeatReturned(WHITE), MatchResumed())
    assert core.react(scene.match) is None, "he may still move: a bot claims nothing"
    leave(scene, WHITE)
    scene.due()
    scene.wait(120)
    assert scene.due() == (MatchInterrupted(None),)


@pytest.mark.parametrize("name", LIMITED)
def test_where_five_minutes_run_they_end_the_game_though_both_are_gone(name: str) -> None:
    scene = Timed(name)
    leave(scene, BLACK)
    leave(scene, WHITE)
    wake = core.react(scene.match)
    assert wake is not None
    assert wake.what is AbandonGame


# --- five minutes ---


@pytest.mark.parametrize("name", LIMITED)
def test_five_minutes_run_from_the_lost_connection_instead_of_the_clock(name: str) -> None:
    scene = Timed(name)
    scene.wait(40)
    lost = scene.now
    assert leave(scene, WHITE) == (SeatAbsent(WHITE, lost, lost + FIVE),)
    assert scene.match.clocks.mode is Mode.AWAY
    assert (deadline(scene.match), core.react(scene.match)) == (lost + FIVE, Wake(lost + FIVE, AbandonGame))


def test_the_clock_goes_on_where_it_stood_when_the_connection_went() -> None:
    scene = Timed("money")
    scene.wait(40)
    leave(scene, WHITE)
    come_back(scene, WHITE, 100)
    assert seconds(scene.time(WHITE).reserve) == 120 - 28
    assert deadline(scene.match) == scene.now + 92 * SECOND


def test_five_minutes_are_for_the_game_and_not_for_every_absence() -> None:
    scene = Timed("casual")
    leave(scene, WHITE)
    come_back(scene, WHITE, 190)
    assert seconds(scene.time(WHITE).away) == 100
    scene.wait(1_000)
    lost = scene.now
    leave(scene, WHITE)
    assert deadline(scene.match) == lost + 100 * SECOND


def test_five_minutes_stand_still_on_the_opponents_turn() -> None:
    scene = Timed("casual")
    assert leave(scene, BLACK) == (SeatAbsent(BLACK, BEGUN, 0),)
    assert core.react(scene.match) is None
    scene.wait(5_000)
    scene.turn(5_000)
    assert (scene.match.clocks.mode, deadline(scene.match)) == (Mode.AWAY, scene.now + FIVE)


def test_an_answer_is_waited_for_as_long_as_a_turn() -> None:
    scene = Timed("money")
    leave(scene, BLACK)
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    assert deadline(scene.match) == scene.now + FIVE


def test_an_outage_is_not_counted_into_the_five_minutes() -> None:
    scene = Timed("casual")
    leave(scene, WHITE)
    scene.wait(500)
    scene.do(RecordOutage(BEGUN + 100 * SECOND, BEGUN + 500 * SECOND, scene.now))
    assert deadline(scene.match) == BEGUN + 400 * SECOND + FIVE


def test_who_comes_back_after_five_minutes_comes_too_late() -> None:
    scene = Timed("casual")
    leave(scene, WHITE)
    assert refusal(scene, AbandonGame(BEGUN + FIVE - 1)) is Reason.NOT_DUE
    assert come_back(scene, WHITE, 290) == (GameAbandoned(WHITE, BEGUN + FIVE), SeatReturned(WHITE))


@pytest.mark.parametrize(
    ("name", "worth", "points"), [("casual", Worth.SINGLE, 1), ("classic", Worth.GAMMON, 4)]
)
def test_a_forfeited_game_is_single_or_what_the_position_is_worth(
    name: str, worth: Worth, points: int
) -> None:
    scene = position(name, {13: 15}, {6: 14}, cube_=Cube(2, BLACK) if name == "classic" else Cube())
    scene.now = BEGUN
    scene.do(RecordOutage(0, 0, BEGUN))
    scene.now += 10 * SECOND
    scene.do(ReportAbsent(WHITE, BEGUN, scene.now))
    scene.now = BEGUN + FIVE
    assert scene.do(AbandonGame(scene.now)) == (GameAbandoned(WHITE, BEGUN + FIVE),)
    assert scene.settle().events(GameScored) == [
        GameScored(BLACK, worth, scene.match.cube.value, points, points, Ending.FORFEITED)
    ]
    assert scene.match.winner is BLACK


def test_who_plays_on_after_five_minutes_without_having_come_back_is_late() -> None:
    for taken, late in ((299, False), (300, True)):
        scene = Timed("money")
        leave(scene, WHITE)
        before = scene.match
        scene.turn(taken)
        assert is_late(before, scene.match, scene.log[-1]) is late
    scene = Timed("money")
    leave(scene, WHITE)
    before = scene.match
    scene.wait(400)
    happen(scene, SeatAbsent(BLACK, scene.now))
    assert not is_late(before, scene.match, scene.log[-1])


def test_in_a_classic_match_a_forfeit_is_one_game_and_the_next_has_new_five_minutes() -> None:
    scene = Timed(profile("classic", points=5))
    leave(scene, WHITE)
    scene.due()
    scene.settle()
    assert (scene.match.game, scene.match.phase, scene.score()) == (2, Phase.OPENING, (0, 3))
    assert scene.time(WHITE).away == FIVE


@pytest.mark.parametrize("name", ["money", "series"])
def test_where_stakes_are_split_an_abandoned_game_waits_for_its_adjudication(name: str) -> None:
    scene = Timed(name)
    leave(scene, WHITE)
    assert scene.due() == (GameAbandoned(WHITE, BEGUN + FIVE),)
    assert (scene.match.phase, scene.match.to_act) == (Phase.ABANDONED, None)
    assert [reactor.react(scene.match) for reactor in (core, cube, rules, dice)] == [None] * 4
    assert refusal(scene, ScoreGame()) is Reason.WRONG_PHASE
    happen(scene, GameAdjudicated(WHITE, "e", "1", "w", "l", 0, 0, 0, 0, 0, 0, 0, 100, 40, 60))
    assert scene.do(ScoreGame()) == (MatchScored(None, 0, 0, Ending.ADJUDICATED),)
    assert scene.match.phase is Phase.OVER


def test_a_flag_that_fell_before_the_absence_is_reported_has_fallen() -> None:
    scene = Timed("money")
    scene.wait(125)
    lost = scene.now
    assert scene.do(ReportAbsent(WHITE, lost, scene.wait(10))) == (
        TimeExpired(WHITE, BEGUN + 132 * SECOND),
        SeatAbsent(WHITE, lost, 0),
    )


def test_the_profiles_limit_absence_as_the_pages_say() -> None:
    limited = {name for name in [*GHOSTLY, *LIMITED, "reserve", "tournament"] if _waits(name) == FIVE}
    assert limited == set(LIMITED)


# --- given ---


def _ghost_in(name: str, seat: Seat, score: tuple[int, int] = (0, 0)) -> Scene:
    """A game in the middle, White to roll, in which the ghost holds this seat."""
    scene = position(name, {13: 15}, {13: 15}, score=score)
    scene.now = BEGUN - 100 * SECOND
    scene.do(ReportAbsent(seat, scene.now - 10 * SECOND, scene.now))
    happen(scene, GhostSeated(seat))
    return scene


def _win(scene: Scene, winner: Seat, worth: Worth = Worth.SINGLE) -> None:
    """Let this side bear off its last checker."""
    loser = {13: 15} if worth is Worth.GAMMON else {13: 14}
    board = Board.from_counts(counts({}), counts(loser))
    scene.current = replace(scene.match, phase=Phase.WON, on_roll=winner, board=board, turn=None)
    scene.settle()


def _awaiting_continue() -> Scene:
    scene = _ghost_in("match", WHITE)
    _win(scene, BLACK)
    scene.now = BEGUN
    scene.do(AwaitContinue(BEGUN))
    return scene


def _waits(name: str) -> int | None:
    """How long an absent player is waited for, where that is what runs."""
    scene = Timed(name)
    leave(scene, WHITE)
    away = scene.match.clocks.mode is Mode.AWAY and scene.match.clocks.seat is WHITE
    return (deadline(scene.match) or 0) - BEGUN if away else None
