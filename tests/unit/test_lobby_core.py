"""Tables: who may open, join, leave and start, and what closes them."""

import pytest

from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    MatchStarted,
    Player,
    Seat,
    TableClosed,
    TableJoined,
    TableLeft,
    TableOpened,
    TableWithdrawn,
)
from libs.backgammon.match import Phase
from libs.backgammon.profiles import profile
from services.lobby.core import CloseTable, JoinTable, LeaveTable, OpenTable, StartMatch, WithdrawTable
from tests.scene import BLACK, BRUNO, WANDA, WHITE, Scene, refusal, seated

RULES = profile("match", points=3)
THIRD = Player("c", "Carla")


def opened(seat: Seat = WHITE, *, start_when_full: bool = True, quick: bool = False) -> Scene:
    scene = Scene()
    scene.do(OpenTable(RULES, WANDA, seat, quick, start_when_full))
    return scene


def test_the_first_event_holds_the_rules() -> None:
    (first,) = opened().log[0].events
    assert first == TableOpened(RULES, WHITE, WANDA)
    assert opened().match.rules == RULES


@pytest.mark.parametrize("seat", Seat)
def test_a_table_is_opened_in_the_seat_asked_for_and_the_other_is_free(seat: Seat) -> None:
    scene = opened(seat)
    assert (scene.match.player(seat), scene.match.player(seat.other)) == (WANDA, None)
    assert scene.do(JoinTable(BRUNO))[0] == TableJoined(seat.other, BRUNO)


def test_a_match_starts_when_the_second_player_sits_down() -> None:
    scene = opened()
    assert scene.do(JoinTable(BRUNO)) == (TableJoined(BLACK, BRUNO), MatchStarted(WANDA, BRUNO))
    assert (scene.match.phase, scene.match.started) == (Phase.BETWEEN, True)


def test_a_table_may_wait_to_be_started() -> None:
    scene = opened(start_when_full=False)
    assert refusal(scene, StartMatch(WHITE)) is Reason.MATCH_NOT_STARTED
    assert scene.do(JoinTable(BRUNO)) == (TableJoined(BLACK, BRUNO),)
    assert scene.match.phase is Phase.TABLE
    assert scene.do(StartMatch(BLACK)) == (MatchStarted(WANDA, BRUNO),)


def test_an_id_names_one_table() -> None:
    assert refusal(opened(), OpenTable(RULES, BRUNO)) is Reason.MATCH_EXISTS


@pytest.mark.parametrize(
    "command",
    [JoinTable(BRUNO), LeaveTable(WHITE), StartMatch(WHITE), WithdrawTable(), CloseTable("elsewhere")],
)
def test_a_table_that_was_never_opened_is_unknown(command: object) -> None:
    assert refusal(Scene(), command) is Reason.UNKNOWN_MATCH


def test_nobody_sits_on_both_sides() -> None:
    assert refusal(opened(), JoinTable(Player(WANDA.account, "Another name"))) is Reason.ALREADY_SEATED


def test_a_full_table_takes_no_third_player() -> None:
    scene = opened(start_when_full=False)
    scene.do(JoinTable(BRUNO))
    assert refusal(scene, JoinTable(THIRD)) is Reason.TABLE_FULL


def test_the_last_player_who_leaves_closes_the_table() -> None:
    scene = opened()
    assert scene.do(LeaveTable(WHITE)) == (TableLeft(WHITE), TableClosed())
    assert scene.match.phase is Phase.CLOSED


@pytest.mark.parametrize(("leaving", "staying"), [(WHITE, BRUNO), (BLACK, WANDA)])
def test_a_seat_that_was_left_can_be_taken_again(leaving: Seat, staying: Player) -> None:
    scene = opened(start_when_full=False)
    scene.do(JoinTable(BRUNO))
    assert scene.do(LeaveTable(leaving)) == (TableLeft(leaving),)
    assert scene.match.player(leaving) is None
    assert scene.do(JoinTable(THIRD)) == (TableJoined(leaving, THIRD),)
    assert scene.match.player(leaving.other) == staying


@pytest.mark.parametrize(
    "command",
    [JoinTable(BRUNO), LeaveTable(WHITE), StartMatch(WHITE), WithdrawTable(), CloseTable("elsewhere")],
)
def test_a_closed_table_stays_closed(command: object) -> None:
    scene = opened()
    scene.do(LeaveTable(WHITE))
    assert refusal(scene, command) is Reason.TABLE_CLOSED


@pytest.mark.parametrize(
    "command",
    [JoinTable(THIRD), LeaveTable(WHITE), StartMatch(WHITE), WithdrawTable(), CloseTable("elsewhere")],
)
def test_nobody_leaves_or_joins_a_match_that_has_begun(command: object) -> None:
    assert refusal(seated(RULES), command) is Reason.MATCH_STARTED


def test_a_quick_table_says_where_its_player_went() -> None:
    scene = opened(quick=True)
    assert scene.match.quick
    scene.do(WithdrawTable())
    assert scene.do(CloseTable("elsewhere")) == (TableClosed("elsewhere"),)
    assert (scene.match.phase, scene.match.moved_to) == (Phase.CLOSED, "elsewhere")


def test_a_withdrawn_table_can_only_close() -> None:
    scene = opened(quick=True)
    assert refusal(scene, CloseTable("elsewhere")) is Reason.WRONG_PHASE
    assert scene.do(WithdrawTable()) == (TableWithdrawn(),)
    for command in (JoinTable(BRUNO), LeaveTable(WHITE), StartMatch(WHITE), WithdrawTable()):
        assert refusal(scene, command) is Reason.TABLE_CLOSED


def test_only_a_quick_table_is_withdrawn() -> None:
    assert refusal(opened(), WithdrawTable()) is Reason.WRONG_PHASE


def test_an_imported_match_names_its_record() -> None:
    scene = opened()
    assert scene.do(JoinTable(BRUNO, "record 7"))[1] == MatchStarted(WANDA, BRUNO, "record 7")
    assert scene.match.source == "record 7"
