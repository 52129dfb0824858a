"""When the system was up, as the clock can know it, and who was there."""

from dataclasses import replace

from libs.backgammon.events import Player
from libs.backgammon.match import Phase
from libs.backgammon.microseconds import SECOND
from services.clock.attendance import Attendance
from services.clock.uptime import LONGEST_PAUSE, Outage, Uptime
from tests.clock_scene import Timed
from tests.scene import WHITE

BEGIN = 1_000 * SECOND


class Sky(Uptime):
    """An uptime that is fed second by second."""

    def __init__(self, last: int = 0) -> None:
        super().__init__()
        self.last = last
        self.settling = False
        self.now = BEGIN

    def live(self, seconds: int, since: int = BEGIN) -> list[Outage]:
        """Let so many seconds pass in which all is well; the outages that are told of."""
        found = []
        for _ in range(seconds):
            self.now += SECOND
            self.broker(self.now)
            self.gateway(since, self.now)
            outage = self.outage(self.now)
            if outage is not None:
                found.append(outage)
        return found


def test_while_all_is_well_there_is_no_outage_and_flags_may_fall() -> None:
    sky = Sky()
    assert sky.live(60) == []
    assert sky.may_judge(sky.now)
    assert sky.last == sky.now


def test_a_new_system_has_nothing_to_make_up_for() -> None:
    assert Sky().may_judge(BEGIN)
    assert not Sky(last=BEGIN - SECOND).may_judge(BEGIN), "who was up before must hear of a gateway first"


def test_a_silence_of_gateways_that_were_not_there_is_an_outage() -> None:
    sky = Sky()
    sky.live(10)
    began = sky.now
    sky.now += 20 * SECOND
    sky.broker(sky.now)
    assert not sky.may_judge(sky.now)
    assert sky.outage(sky.now) is None, "it is not over"
    sky.gateway(sky.now, sky.now)
    assert not sky.may_judge(sky.now), "it is over, but not told"
    assert sky.outage(sky.now) == Outage(began, sky.now)
    assert sky.may_judge(sky.now)
    assert sky.live(5, since=sky.now) == []


def test_a_silence_of_gateways_that_were_there_all_the_time_is_none() -> None:
    sky = Sky()
    sky.live(10)
    sky.now += 20 * SECOND
    sky.broker(sky.now)
    sky.gateway(BEGIN, sky.now)
    assert sky.outage(sky.now) is None
    assert sky.may_judge(sky.now)


def test_a_gateway_that_starts_while_another_goes_on_is_no_outage() -> None:
    sky = Sky()
    sky.live(10)
    for _ in range(10):
        sky.now += SECOND
        sky.broker(sky.now)
        sky.gateway(sky.now, sky.now)
        sky.gateway(BEGIN, sky.now)
        assert sky.outage(sky.now) is None


def test_the_brokers_absence_is_an_outage_from_its_last_answer() -> None:
    sky = Sky()
    sky.live(10)
    began = sky.now
    for _ in range(10):
        sky.now += SECOND
        sky.broker_lost()
        sky.gateway(BEGIN, sky.now)
        assert not sky.may_judge(sky.now)
        assert sky.outage(sky.now) is None
    assert sky.live(1) == [Outage(began, sky.now)]


def test_a_short_break_is_no_outage_and_ends_with_the_next_sign_of_life() -> None:
    sky = Sky()
    sky.live(10)
    sky.broker_lost()
    sky.now += LONGEST_PAUSE - SECOND
    assert not sky.may_judge(sky.now)
    sky.gateway(BEGIN, sky.now)
    sky.broker(sky.now)
    assert sky.outage(sky.now) is None
    assert sky.may_judge(sky.now)


def test_while_one_cannot_play_no_flag_falls_however_well_the_gateway_is() -> None:
    sky = Sky()
    sky.live(10)
    sky.gateway(0, sky.now)
    assert not sky.may_judge(sky.now)
    began = sky.now
    sky.now += 10 * SECOND
    assert sky.live(1, since=sky.now) == [Outage(began, sky.now)]


def test_a_gateway_through_which_one_cannot_play_stops_nothing_while_there_is_another() -> None:
    sky = Sky()
    sky.broker(BEGIN)
    sky.gateway(BEGIN, BEGIN, BEGIN, "able")
    sky.gateway(0, BEGIN, BEGIN, "unable")
    assert sky.may_judge(BEGIN)
    sky.gateway(0, BEGIN, BEGIN, "able")
    assert not sky.may_judge(BEGIN)


def test_after_a_restart_the_mark_and_the_gateways_word_tell_of_an_outage() -> None:
    for stopped, since, outage in (
        (BEGIN - 60 * SECOND, BEGIN - 3600 * SECOND, []),  # the clock alone was away
        (BEGIN - 60 * SECOND, BEGIN, [Outage(BEGIN - 60 * SECOND, BEGIN + SECOND)]),  # and so was all else
        (BEGIN - 2 * SECOND, BEGIN, []),
    ):
        assert Sky(last=stopped).live(3, since) == outage


def test_a_break_between_gateways_is_remembered_though_it_is_no_outage() -> None:
    sky = Sky()
    sky.live(10)
    began, back = sky.now, sky.now + 2 * SECOND
    sky.now = back
    assert sky.live(1, since=back) == []
    assert sky.break_at(began + 1) == sky.break_at(back - 1) == Outage(began, back)
    assert sky.break_at(began) is sky.break_at(back) is None


def test_there_is_no_break_between_gateways_where_one_was_there_all_the_time() -> None:
    sky = Sky()
    sky.live(10)
    began = sky.now
    sky.now += 2 * SECOND
    sky.gateway(sky.now, sky.now)
    assert sky.break_at(began + 1) is not None
    sky.gateway(BEGIN, sky.now)
    assert sky.break_at(began + 1) is None


def test_a_gateway_that_says_that_one_cannot_play_is_there_all_the_same() -> None:
    sky = Sky()
    sky.live(10)
    began = sky.now
    sky.gateway(0, began)
    sky.now += 2 * SECOND
    sky.live(1, since=sky.now)
    assert sky.break_at(began + 1) is None


def test_a_gateways_word_counts_when_it_is_heard_whatever_its_clock_says() -> None:
    sky = Sky()
    sky.gateway(BEGIN - SECOND, BEGIN - SECOND, BEGIN)
    assert sky.vouched == BEGIN
    sky.gateway(0, BEGIN + SECOND, BEGIN + SECOND)
    assert sky.vouched == BEGIN, "one cannot play"


def test_a_player_is_missing_when_he_was_not_seen_for_the_grace_and_a_bot_never() -> None:
    attendance, match = Attendance(), Timed("single").match
    attendance.follow(replace(match, black=Player("bot/easy", "Easy", "easy")), BEGIN)
    assert list(attendance.missing(BEGIN + 10 * SECOND - 1)) == []
    assert list(attendance.missing(BEGIN + 10 * SECOND)) == [(match.match_id, "w", BEGIN)]
    assert attendance.see(match.match_id, "w", BEGIN + 9 * SECOND)
    attendance.follow(match, BEGIN + 9 * SECOND)
    assert list(attendance.missing(BEGIN + 18 * SECOND)) == []
    attendance.forgive(BEGIN + 60 * SECOND)
    assert list(attendance.missing(BEGIN + 69 * SECOND)) == []
    assert not attendance.see(match.match_id, "eve", BEGIN)
    attendance.follow(replace(match, phase=Phase.OVER), BEGIN)
    assert match.player(WHITE) is not None
    assert list(attendance.missing(BEGIN + 3600 * SECOND)) == []
