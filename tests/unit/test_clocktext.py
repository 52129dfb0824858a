"""`videau show --clocks` tells where the time went, by the numbers of docs/clocks.md."""

from libs.backgammon.microseconds import SECOND
from libs.backgammon.rules import Clock, ClockKind
from services.clock.core import ExpireTime, RecordOutage, ReportAbsent, ReportPresent
from services.cube.core import OfferCube, TakeCube
from services.dice.core import RollDice
from tests.clock_scene import Timed, timed
from tests.scene import BLACK, WHITE
from videau.clocktext import HEADER, NO_TIME, clock_lines
from videau.text import lines

BONUS = timed(Clock(ClockKind.BONUS, 120_000, 20_000))


def table(scene: Timed) -> list[list[str]]:
    """The rows: who, what, took, credit, charged, left."""
    header, *rows = clock_lines(scene.log)
    assert header == HEADER
    cells = [row.split() for row in rows]
    return [
        [who, what, took, credit, charged, " ".join(left)]
        for _, _, _, who, what, _, took, credit, charged, *left in cells
    ]


def test_every_turn_has_a_line_with_what_it_took_and_left() -> None:
    scene = Timed(BONUS)
    scene.turn(15)
    scene.turn(26)
    scene.turn(12)
    assert table(scene) == [
        ["Wanda", "turn", "15.000", "0.000", "15.000", "105.000 +20.000"],
        ["Bruno", "turn", "26.000", "0.000", "26.000", "94.000 +0.000"],
        ["Wanda", "turn", "12.000", "0.000", "12.000", "105.000 +20.000"],
    ]


def test_a_credit_is_shown_beside_what_it_was_given_for() -> None:
    scene = Timed(BONUS)
    scene.turn()
    scene.after(3, RollDice(BLACK, b"", scene.server), credit=0.25)
    assert table(scene)[-1] == ["Bruno", "turn", "3.000", "0.250", "2.750", "117.250 +0.000"]


def test_an_answer_has_a_line_of_its_own_within_the_turn() -> None:
    scene = Timed(BONUS)
    scene.turn(1)
    scene.after(4, OfferCube(BLACK))
    scene.after(7, TakeCube(WHITE))
    scene.after(2, RollDice(BLACK, b"", scene.server))
    scene.turn(3)
    assert [row[:3] for row in table(scene)] == [
        ["Wanda", "turn", "1.000"],
        ["Wanda", "answer", "7.000"],
        ["Bruno", "turn", "9.000"],
    ]


def test_a_fallen_flag_and_an_outage_are_told() -> None:
    scene = Timed(BONUS)
    began = scene.now + 20 * SECOND
    scene.now = began + 100 * SECOND
    scene.do(RecordOutage(began, scene.now, scene.now))
    scene.now += 100 * SECOND
    scene.do(ExpireTime(scene.now))
    assert table(scene) == [["Wanda", "turn", "120.000", "0.000", "120.000", "0.000 +0.000, fallen"]]
    told = "\n".join(lines(scene.log))
    assert "outage from 00:17:00.000 to 00:18:40.000" in told
    assert "Wanda's flag fell at 00:20:20.000" in told


def test_an_absence_that_is_limited_has_a_line_too() -> None:
    scene = Timed("money")
    gone = scene.now + 5 * SECOND
    scene.now = gone + 12 * SECOND
    scene.do(ReportAbsent(WHITE, gone, scene.now))
    scene.now += 8 * SECOND
    scene.received = scene.now
    scene.do(ReportPresent(WHITE, scene.now))
    assert [row[1:] for row in table(scene)] == [
        ["away", "20.000", "0.000", "20.000", "280.000"],
        ["turn", "5.000", "0.000", "5.000", "120.000 +7.000"],
    ]


def test_without_a_clock_there_is_nothing_but_the_header() -> None:
    scene = Timed("classic")
    scene.turn(5)
    assert all("turn" in line for line in clock_lines(scene.log))


def test_where_nobody_had_to_act_yet_it_is_said_that_no_time_ran() -> None:
    assert list(clock_lines(Timed("classic").log[:3])) == [NO_TIME]
