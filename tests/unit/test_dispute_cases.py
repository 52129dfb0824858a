"""Given a dispute case, when player, staff or system wants something of it, then this happens to it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    Decision,
    GameAbandoned,
    GhostSeated,
    MatchInterrupted,
    MatchRuled,
    MatchStarted,
    OutageRecorded,
    Outcome,
    Player,
    Seat,
    SeatAbsent,
    SeatReturned,
    TimeExpired,
)
from libs.backgammon.microseconds import DAY, SECOND
from libs.eventlog.codec import UndecodableError, UnknownEventError
from services.audit import cases
from services.audit.case_codec import Entry, decode, encode, fold
from services.audit.case_events import (
    CaseCommented,
    CaseDecided,
    CaseOpened,
    CaseReopened,
    CaseTaken,
    CaseViewed,
    Event,
    Kind,
    RulingApplied,
    RulingKept,
    RulingMissed,
    State,
)
from services.audit.case_evidence import add_lag, add_presence, habits, players_of, span
from services.audit.case_index import CaseIndex, Wanted
from services.audit.case_log import complaint_id, finding_id
from services.audit.cases import (
    A_DAY,
    FOR_GOOD,
    LONGEST_TEXT,
    MOST_COMMENTS,
    Case,
    CommentCase,
    DecideCase,
    OpenCase,
    RecordApplied,
    RecordRefused,
    ReportFinding,
    TakeCase,
    ViewCase,
)
from tests.unit.records import record
from videau.audit.v1 import cases_pb2 as pb

OPENED = CaseOpened("m", Kind.COMPLAINT, "w", "he stalls", "w", "b")
RULING = MatchRuled("case-1", Outcome.NO_CHANGE, 7, 1, 0, 0, 0, 0, "all is well", "k", b"s")
COMPLAIN = OpenCase("m", "w", "he stalls", "w", "b")


def case(*events: Event) -> Case:
    """A complaint to which these events have happened."""
    found = cases.apply(None, OPENED, "case-1", 10)
    for at, event in enumerate(events, 11):
        found = cases.apply(found, event, "case-1", at)
    return found


def refused(before: Case | None, command: cases.Command) -> Reason:
    with pytest.raises(RefusedError) as error:
        cases.decide(before, command)
    return error.value.reason


# --- opening ----------------------------------------------------------


def test_a_player_opens_a_case_on_a_match_of_his() -> None:
    assert cases.decide(None, COMPLAIN) == (OPENED,)


def test_nobody_opens_a_case_on_a_match_of_others() -> None:
    assert refused(None, replace(COMPLAIN, by="eve")) is Reason.NOT_SEATED


def test_a_player_has_one_open_case_a_match() -> None:
    assert complaint_id("m", "w") != complaint_id("m", "b")
    for events in ((), (CaseTaken("s"),), (CaseDecided("s", RULING),)):
        assert refused(case(*events), COMPLAIN) is Reason.CASE_OPEN


def test_a_closed_case_is_opened_again_by_its_player_and_waits_for_anybody() -> None:
    closed = case(CaseTaken("s"), CaseDecided("s", RULING), RulingApplied(8))
    again = cases.decide(closed, replace(COMPLAIN, text="but look"))

    assert again == (CaseReopened("w", "but look"),)
    opened = cases.apply(closed, again[0], "case-1", 20)
    assert (opened.state, opened.taken_by, opened.text) == (State.OPEN, "", "but look")
    assert cases.decide(opened, DecideCase("t", RULING)) == (CaseDecided("t", RULING),)


def test_an_account_opens_only_a_few_cases_a_day() -> None:
    assert cases.decide(None, replace(COMPLAIN, recently=A_DAY - 1))
    assert refused(None, replace(COMPLAIN, recently=A_DAY)) is Reason.TOO_MANY_REQUESTS


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (LONGEST_TEXT + 1), "a\x00b", "a\x1b[2Jb"])
def test_a_text_is_printable_and_of_a_bounded_length(text: str) -> None:
    assert refused(None, replace(COMPLAIN, text=text)) is Reason.BAD_REQUEST
    assert refused(case(), CommentCase("s", text)) is Reason.BAD_REQUEST
    assert refused(case(), ViewCase("s", text)) is Reason.BAD_REQUEST
    assert refused(case(), DecideCase("s", replace(RULING, reason=text))) is Reason.BAD_REQUEST


def test_the_audit_opens_one_case_of_each_kind_however_often_it_finds_it() -> None:
    finding = ReportFinding("m", Kind.STUCK, "nobody is to act", "w", "b")
    (opened,) = cases.decide(None, finding)
    found = cases.apply(None, opened, "case-1", 1)

    assert (found.kind, found.opened_by, found.state) == (Kind.STUCK, "", State.OPEN)
    assert cases.decide(found, finding) == ()
    closed = cases.apply(found, CaseDecided("s", RULING), "case-1", 2)
    assert cases.decide(closed, finding) == ()
    assert len({finding_id("m", kind) for kind in Kind} | {complaint_id("m", "w")}) == len(Kind) + 1


# --- staff ------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        *(CommentCase("s", "x"), TakeCase("s"), ViewCase("s", "x"), DecideCase("s", RULING)),
        *(RecordApplied(1), RecordRefused(Reason.FROZEN)),
    ],
)
def test_a_case_that_nobody_opened_is_not_known(command: cases.Command) -> None:
    assert refused(None, command) is Reason.UNKNOWN_CASE


def test_every_look_is_an_event_and_says_why() -> None:
    assert cases.decide(case(), ViewCase("s", "the complaint")) == (CaseViewed("s", "the complaint"),)
    closed = case(CaseDecided("s", RULING), RulingApplied(8))
    assert cases.decide(closed, ViewCase("s", "the appeal")) == (CaseViewed("s", "the appeal"),)


def test_staff_takes_a_case_over_and_taking_it_twice_is_nothing() -> None:
    mine = case(CaseTaken("s"))

    assert (mine.state, mine.taken_by) == (State.TAKEN, "s")
    assert cases.decide(mine, TakeCase("s")) == ()
    assert cases.decide(mine, TakeCase("t")) == (CaseTaken("t"),)


def test_comments_are_counted_and_bounded() -> None:
    assert cases.decide(case(), CommentCase("s", " the log holds ")) == (CaseCommented("s", "the log holds"),)
    full = case(*[CaseCommented("s", "x")] * MOST_COMMENTS)
    assert refused(full, CommentCase("s", "x")) is Reason.TOO_MANY_REQUESTS


def test_of_two_who_decide_one_is_told_that_it_was_decided() -> None:
    assert cases.decide(case(), DecideCase("s", RULING)) == (CaseDecided("s", RULING),)
    assert refused(case(CaseDecided("s", RULING)), DecideCase("t", RULING)) is Reason.CASE_DECIDED
    assert refused(case(CaseDecided("s", RULING)), TakeCase("t")) is Reason.CASE_DECIDED


def test_who_looks_after_a_case_decides_it() -> None:
    assert refused(case(CaseTaken("s")), DecideCase("t", RULING)) is Reason.CASE_TAKEN
    assert cases.decide(case(CaseTaken("s")), DecideCase("s", RULING))


@pytest.mark.parametrize("player", ["w", "b"])
def test_nobody_of_the_staff_acts_in_a_match_of_his_own(player: str) -> None:
    for command in (
        DecideCase(player, RULING),
        TakeCase(player),
        CommentCase(player, "x"),
        ViewCase(player, "x"),
    ):
        assert refused(case(), command) is Reason.FORBIDDEN


# --- what the match made of it ----------------------------------------


def test_a_ruling_that_the_match_holds_closes_the_case() -> None:
    decided = case(CaseDecided("s", RULING))
    (applied,) = cases.decide(decided, RecordApplied(8))
    closed = cases.apply(decided, applied, "case-1", 30)

    assert (closed.state, closed.ruled_at, closed.kept) == (State.CLOSED, 8, "")
    assert cases.decide(closed, RecordApplied(8)) == ()
    assert cases.decide(closed, RecordRefused(Reason.MATCH_OVER)) == ()


@pytest.mark.parametrize("reason", FOR_GOOD)
def test_a_ruling_that_the_match_can_never_take_is_kept(reason: Reason) -> None:
    decided = case(CaseDecided("s", RULING))
    (kept,) = cases.decide(decided, RecordRefused(reason))
    closed = cases.apply(decided, kept, "case-1", 30)

    assert kept == RulingKept(reason.value)
    assert (closed.state, closed.kept, closed.ruling) == (State.CLOSED, reason.value, RULING)


def test_a_ruling_that_came_too_late_means_nothing_and_the_case_is_still_to_be_decided() -> None:
    decided = case(CaseDecided("s", RULING))
    (missed,) = cases.decide(decided, RecordRefused(Reason.STALE_POSITION))
    again = cases.apply(decided, missed, "case-1", 30)

    assert missed == RulingMissed("stale-position")
    assert (again.state, again.taken_by, again.ruling) == (State.TAKEN, "s", None)
    assert cases.decide(again, DecideCase("s", RULING)) == (CaseDecided("s", RULING),)


# --- bytes ------------------------------------------------------------

WORDS = st.text("abc \n", min_size=1, max_size=20).filter(str.strip)
STAFF = st.sampled_from(["s", "t", "w"])
COMMANDS = st.one_of(
    st.just(COMPLAIN),
    st.builds(ReportFinding, st.just("m"), st.sampled_from(Kind), WORDS, st.just("w"), st.just("b")),
    st.builds(CommentCase, STAFF, WORDS),
    st.builds(TakeCase, STAFF),
    st.builds(ViewCase, STAFF, WORDS),
    st.builds(DecideCase, STAFF, st.just(RULING)),
    st.builds(RecordApplied, st.integers(1, 9)),
    st.builds(RecordRefused, st.sampled_from([*FOR_GOOD, Reason.STALE_POSITION, Reason.WRONG_PHASE])),
)


@given(st.lists(COMMANDS, max_size=30))
def test_whatever_is_asked_a_replay_of_the_entries_gives_the_same_case(asked: list[cases.Command]) -> None:
    live: Case | None = None
    log: list[bytes] = []
    for command in asked:
        try:
            events = cases.decide(live, command)
        except RefusedError:
            continue
        if events:
            entry = Entry("case-1", len(log) + 1, f"x/{len(log)}", "x", len(log), events)
            live = fold(live, entry)
            log.append(encode(entry))
    replayed: Case | None = None
    index = CaseIndex()
    for sequence, data in enumerate(log, 1):
        replayed = fold(replayed, decode(data))
        index.add(record("cases.case-1", sequence, data))

    assert replayed == live
    assert [row.case for row in index.find(Wanted())] == ([live] if live is not None else [])
    assert index.waiting == ({"case-1"} if live is not None and live.state is State.DECIDED else set())


def test_every_event_of_a_case_has_its_place_in_the_schema() -> None:
    assert len(pb.CaseEvent.DESCRIPTOR.fields) == len(get_args(Event))
    for enum, wire in ((Kind, pb.CaseKind), (State, pb.CaseState)):
        told = {
            value.name.partition("_")[2].partition("_")[2]: value.number for value in wire.DESCRIPTOR.values
        }
        assert {member.name: member.value for member in enum} | {"UNSPECIFIED": 0} == told


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\xff\xff", UndecodableError),
        (pb.CaseEntry(events=[pb.CaseEvent()]).SerializeToString(), UnknownEventError),
        (
            pb.CaseEntry(events=[pb.CaseEvent(case_opened=pb.CaseOpened())]).SerializeToString(),
            UndecodableError,
        ),
    ],
)
def test_bytes_that_are_no_entry_are_not_read(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode(data)


# --- lists ------------------------------------------------------------


def indexed(*opened: tuple[str, Event, int]) -> CaseIndex:
    index = CaseIndex()
    for sequence, (case_id, event, at) in enumerate(opened, 1):
        number = 1 if isinstance(event, CaseOpened) else 2
        data = encode(Entry(case_id, number, f"x/{sequence}", "x", at, (event,)))
        index.add(record(f"cases.{case_id}", sequence, data))
    return index


def test_cases_are_found_newest_first_by_what_they_are_about() -> None:
    index = indexed(
        ("a", OPENED, 1),
        ("b", replace(OPENED, by="b", match_id="n"), 2),
        ("c", CaseOpened("m", Kind.STUCK, "", "x", "u", "v"), 3),
        ("a", CaseTaken("s"), 4),
    )

    def found(**wanted: Any) -> list[str]:
        return [row.case.case_id for row in index.find(Wanted(**wanted))]

    assert found() == ["c", "b", "a"]
    assert found(state=State.TAKEN) == ["a"]
    assert index.count_open() == 3
    assert found(kind=Kind.STUCK) == ["c"]
    assert found(match_id="m") == ["c", "a"]
    assert found(account="u") == ["c"]
    assert found(opened_by="b") == ["b"]
    assert found(before=3) == ["b", "a"]


def test_the_cases_of_a_day_are_counted_by_account() -> None:
    index = indexed(("a", OPENED, 1), ("a", CaseReopened("w", "x"), 2), ("b", replace(OPENED, by="b"), 3))

    assert index.recently("w", 3) == 2
    assert index.recently("w", DAY + 1) == 1
    assert index.recently("w", DAY + 2) == 0
    assert index.recently("b", 3) == 1
    assert index.recently("eve", 3) == 0


def test_of_too_many_cases_the_oldest_closed_one_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.audit.case_index.CAPACITY", 2)
    index = indexed(
        *(("a", OPENED, 1), ("b", OPENED, 2), ("b", CaseDecided("s", RULING), 3)),
        *(("b", RulingApplied(3), 4), ("c", OPENED, 5), ("b", CaseReopened("w", "x"), 6)),
        ("b", CaseDecided("s", RULING), 7),
    )

    assert set(index.rows) == {"a", "c"}
    assert index.waiting == {"b"}  # though it is not listed, its ruling is applied


def test_even_where_all_cases_are_open_no_more_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.audit.case_index.CAPACITY", 2)
    index = indexed(("a", OPENED, 1), ("b", OPENED, 2), ("c", OPENED, 3))

    assert set(index.rows) == {"b", "c"}


def test_what_is_counted_before_the_stream_brings_it_is_counted_once() -> None:
    index, entry = CaseIndex(), Entry("a", 1, "w/1", "w", 1, (OPENED,))
    index.opened(entry)
    index.add(record("cases.a", 1, encode(entry)))

    assert index.recently("w", 1) == 1


# --- evidence ---------------------------------------------------------

STARTED = MatchStarted(Player("w", "Wanda"), Player("b", "Bruno"))


def happened(*decisions: tuple[str, int, int, Any]) -> Sequence[Decision]:
    """Decisions as actor, seconds, credit and event."""
    rows = [("lobby", 100, 0, STARTED), *decisions]
    return [
        Decision("m", number, f"{actor}/{number}", actor, at * SECOND, at * SECOND, credit, b"", (event,))
        for number, (actor, at, credit, event) in enumerate(rows, 1)
    ]


def test_the_evidence_says_who_was_absent_when_and_what_fell() -> None:
    evidence = pb.Evidence()
    add_presence(
        evidence,
        happened(
            ("clock", 200, 0, SeatAbsent(Seat.WHITE, 190_000_000)),
            ("clock", 230, 0, SeatReturned(Seat.WHITE)),
            ("clock", 300, 0, OutageRecorded(240_000_000, 250_000_000)),
            ("clock", 400, 0, SeatAbsent(Seat.BLACK, 390_000_000)),
            ("clock", 500, 0, TimeExpired(Seat.BLACK, 450_000_000)),
        ),
    )

    white, black = evidence.absences
    assert (white.seat, white.since.seconds, white.until.seconds, white.position) == (1, 190, 230, 2)
    assert (black.seat, black.since.seconds, black.HasField("until")) == (2, 390, False)
    assert [(o.began.seconds, o.ended.seconds) for o in evidence.outages] == [(240, 250)]
    assert [(f.seat, f.deadline.seconds, f.position) for f in evidence.flags] == [(2, 450, 6)]


def test_lag_is_told_of_the_side_whose_decision_it_was() -> None:
    evidence = pb.Evidence()
    any_event = SeatReturned(Seat.WHITE)
    add_lag(evidence, happened(("w", 1, 30, any_event), ("b", 2, 5, any_event), ("w", 3, 10, any_event)))

    assert [(one.seat, one.credits, one.total, one.largest) for one in evidence.lag] == [
        *((1, 2, 40, 30), (2, 1, 5, 5))
    ]


def test_habits_are_counted_over_the_matches_of_an_account_in_whatever_seat() -> None:
    swapped = replace(STARTED, white=STARTED.black, black=STARTED.white)
    first = happened(
        ("clock", 1, 0, SeatAbsent(Seat.WHITE, 1)),
        ("ghost", 2, 0, GhostSeated(Seat.WHITE)),
        ("clock", 3, 0, MatchInterrupted(Seat.WHITE)),
        ("clock", 4, 0, SeatAbsent(Seat.BLACK, 1)),
    )
    second = [
        replace(happened()[0], events=(swapped,)),
        *happened(("clock", 1, 0, TimeExpired(Seat.BLACK, 1)), ("clock", 2, 0, GameAbandoned(Seat.BLACK, 2)))[
            1:
        ],
    ]
    foreign = [replace(happened()[0], events=(MatchStarted(Player("x", "X"), Player("y", "Y")),))]

    assert habits("w", [first, second, foreign]) == pb.Habits(
        account="w", matches=2, absences=1, ghost_seated=1, continues_missed=1, flags_fallen=1, abandoned=1
    )


def test_the_players_and_the_time_of_a_match_stand_in_its_log() -> None:
    assert players_of(happened()) == {Seat.WHITE: "w", Seat.BLACK: "b"}
    assert players_of([]) == {}
    assert span(happened(("w", 200, 0, SeatReturned(Seat.WHITE)))) == (-500_000_000, 800_000_000)
