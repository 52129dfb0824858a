"""Given a match, when the dispute staff rules, then this is what is left of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.board import Board
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    Ending,
    Event,
    GameScored,
    GameStarted,
    MatchRuled,
    MatchScored,
    Outcome,
    RollRequested,
    SessionEndAsked,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.profiles import profile
from libs.backgammon.rules import Clock, ClockKind
from libs.backgammon.ruling import statement
from libs.backgammon.scoring import is_crawford
from libs.backgammon.timing import Verdict
from libs.eventlog.archive import to_archive
from libs.eventlog.store import Stored
from services.audit.case_ruling import Rule
from services.cube.core import EndSession, OfferResignation
from services.dice.core import RevealSeeds
from services.ghost import core as ghost
from tests.clock_scene import BEGUN, Timed, timed
from tests.proof_logs import RecordedTimed, altered, stored
from tests.scene import BLACK, MATCH_ID, WHITE, Scene, happen, position, refusal, started
from videau.proof.certify import Signer, seal
from videau.proof.keys import raw
from videau.proof.reexecute import reexecute
from videau.proof.rulings import is_ruling_signed, rulings, sign_ruling
from videau.proof.verify import verify

KEY = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)
FOREIGN = Ed25519PrivateKey.from_private_bytes(b"\x06" * 32)
START = Board.start()
FISCHER = Clock(ClockKind.FISCHER, 60_000, 2_000)


def rule(match: Match, outcome: Outcome, score: tuple[int, int] | None = None, **fields: Any) -> Rule:
    """A ruling on the match as it stands, signed."""
    before = match.white_points, match.black_points
    ruling = MatchRuled(
        "case-1", outcome, match.position, match.game, *before, *(score or before), "seen", "", b""
    )
    return Rule(sign_ruling(KEY, MATCH_ID, replace(ruling, **fields)))


def ruled(scene: Scene, outcome: Outcome, score: tuple[int, int] | None = None) -> Match:
    scene.do(rule(scene.match, outcome, score))
    return scene.match


# --- no change --------------------------------------------------------


def test_a_ruling_without_change_leaves_the_match_as_it_was() -> None:
    scene = Timed(timed(FISCHER))
    scene.wait(3)
    before = scene.match
    after = ruled(scene, Outcome.NO_CHANGE)

    assert after.position == before.position + 1
    assert after == replace(
        before, position=after.position, decided_at=after.decided_at, received_at=after.received_at
    )


# --- the game counts for nothing --------------------------------------


@pytest.mark.parametrize("phase", [Phase.OPENING, Phase.ROLL, Phase.MOVE, Phase.WON, Phase.ABANDONED])
def test_a_voided_game_counts_for_nothing_and_the_next_one_follows(phase: Phase) -> None:
    scene = position("match", START, score=(2, 1))
    scene.current = replace(scene.match, phase=phase, verdict=Verdict(Ending.TIME_OVER, BLACK))
    ruled(scene, Outcome.VOID_GAME)

    assert (scene.match.phase, scene.match.verdict) == (Phase.BETWEEN, None)
    scene.settle()
    assert scene.events(GameStarted)[-1] == GameStarted(2, crawford=False)
    assert scene.score() == (2, 1)


def test_offers_and_a_roll_that_was_asked_for_die_with_the_voided_game() -> None:
    scene = position("match", START)
    scene.do(OfferResignation(WHITE, confirm_gammon=True))
    happen(scene, RollRequested(WHITE, 1, b""))
    found = ruled(scene, Outcome.VOID_GAME)

    assert found.resigning is None
    assert not found.dice.requested


def test_a_voided_crawford_game_is_played_again() -> None:
    scene = position("match", START, score=(4, 0), crawford=True)
    scene.current = replace(scene.match, crawford_played=True)
    found = ruled(scene, Outcome.VOID_GAME)

    assert is_crawford(found)
    assert scene.settle().events(GameStarted)[-1] == GameStarted(2, crawford=True)


def test_a_session_whose_end_was_asked_for_ends_with_its_voided_game() -> None:
    scene = position("money", START, score=(3, 5))
    scene.do(EndSession(WHITE))
    ruled(scene, Outcome.VOID_GAME)

    assert scene.events(SessionEndAsked)
    assert scene.settle().events(MatchScored) == [MatchScored(BLACK, 3, 5, Ending.SESSION_LEFT)]


def test_nobodys_time_runs_when_the_game_is_voided() -> None:
    scene = Timed(timed(FISCHER))
    assert scene.match.clocks.seat is WHITE
    scene.wait(7)

    assert ruled(scene, Outcome.VOID_GAME).clocks.seat is None


def test_a_ruling_comes_in_time_though_the_player_whose_turn_it_is_has_none_left() -> None:
    scene = RecordedTimed(replace(profile("series"), clock=FISCHER))
    scene.wait(3_600)
    ruled(scene, Outcome.VOID_GAME)

    assert checked(scene).failure is None


# --- analysis ---------------------------------------------------------


def test_a_game_that_is_to_be_adjudicated_waits_for_analysis() -> None:
    scene = position("match", START, dice_=(3, 1))
    found = ruled(scene, Outcome.ADJUDICATE)

    assert found.phase is Phase.ABANDONED
    assert ghost.react(found) == ghost.Analyse()


# --- the score --------------------------------------------------------


def test_an_adjusted_score_leaves_the_game_under_way() -> None:
    scene = position("match", START, dice_=(3, 1), score=(2, 1))
    before = scene.match
    found = ruled(scene, Outcome.ADJUST, (0, 3))

    assert (found.white_points, found.black_points) == (0, 3)
    assert (found.phase, found.turn, found.game) == (before.phase, before.turn, before.game)


@pytest.mark.parametrize("between", [False, True])
def test_a_score_that_reaches_the_length_ends_the_match(between: bool) -> None:
    scene = position("match", START, score=(2, 1))
    length = scene.match.rules.points
    if between:
        scene.current = replace(scene.match, phase=Phase.BETWEEN)
    ruled(scene, Outcome.ADJUST, (2, length))
    scene.settle()

    assert scene.match.phase is Phase.OVER
    assert scene.events(MatchScored) == [MatchScored(BLACK, 2, length, Ending.POINTS_REACHED)]
    assert not scene.events(GameScored)


def test_the_crawford_game_comes_again_when_nobody_is_at_match_point_any_more() -> None:
    scene = position("match", START, score=(4, 2))
    scene.current = replace(scene.match, crawford_played=True)

    assert not ruled(scene, Outcome.ADJUST, (2, 2)).crawford_played
    scene.current = replace(scene.match, crawford_played=True, white_points=4)
    assert ruled(scene, Outcome.ADJUST, (4, 3)).crawford_played


def test_a_session_has_no_length_to_reach() -> None:
    scene = position("money", START)

    assert ruled(scene, Outcome.ADJUST, (120, 7)).phase is Phase.ROLL


# --- refusals ---------------------------------------------------------


@pytest.mark.parametrize("score", [(-1, 0), (6, 0), (5, 5)])
def test_a_score_that_no_match_has_is_refused(score: tuple[int, int]) -> None:
    scene = position(profile("match", points=5), START)

    assert refusal(scene, rule(scene.match, Outcome.ADJUST, score)) is Reason.BAD_REQUEST


@pytest.mark.parametrize("outcome", [Outcome.NO_CHANGE, Outcome.VOID_GAME, Outcome.ADJUDICATE])
def test_only_an_adjustment_changes_the_score(outcome: Outcome) -> None:
    scene = position("match", START)

    assert refusal(scene, rule(scene.match, outcome, (1, 0))) is Reason.BAD_REQUEST


@pytest.mark.parametrize("outcome", Outcome)
def test_a_ruling_on_another_score_is_refused(outcome: Outcome) -> None:
    scene = position("match", START, score=(1, 0))
    late = rule(scene.match, outcome)
    scene.current = replace(scene.match, white_points=2)

    assert refusal(scene, late) is Reason.STALE_POSITION


@pytest.mark.parametrize("outcome", [Outcome.VOID_GAME, Outcome.ADJUDICATE])
def test_a_ruling_on_a_game_means_no_later_one(outcome: Outcome) -> None:
    scene = position("match", START)
    late = rule(scene.match, outcome)
    scene.current = replace(scene.match, game=2)

    assert refusal(scene, late) is Reason.STALE_POSITION


@pytest.mark.parametrize("outcome", [Outcome.VOID_GAME, Outcome.ADJUDICATE])
def test_between_two_games_there_is_none_to_rule_on(outcome: Outcome) -> None:
    scene = position("match", START)
    scene.current = replace(scene.match, phase=Phase.BETWEEN)

    assert refusal(scene, rule(scene.match, outcome)) is Reason.WRONG_PHASE


def test_before_the_opening_there_is_nothing_to_analyse() -> None:
    scene = started("match")

    assert refusal(scene, rule(scene.match, Outcome.ADJUDICATE)) is Reason.WRONG_PHASE


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"phase": Phase.OVER}, Reason.MATCH_OVER),
        ({"phase": Phase.TABLE}, Reason.MATCH_NOT_STARTED),
        ({"source": "a record"}, Reason.FORBIDDEN),
    ],
)
def test_a_match_that_does_not_go_on_takes_no_ruling(fields: dict[str, Any], reason: Reason) -> None:
    scene = position("match", START)
    scene.current = replace(scene.match, **fields)

    assert refusal(scene, rule(scene.match, Outcome.NO_CHANGE)) is reason


def test_a_ruling_is_not_on_what_is_still_to_come() -> None:
    scene = position("match", START)
    early = rule(scene.match, Outcome.NO_CHANGE, position=scene.match.position + 1)

    assert refusal(scene, early) is Reason.STALE_POSITION


# --- the proof --------------------------------------------------------


def finished(*outcomes: Outcome) -> RecordedTimed:
    """A match with rulings in it, played until time is over, and its seed shown."""
    scene = RecordedTimed(replace(profile("series", points=1), clock=FISCHER))
    scene.turn(3)
    for outcome in outcomes:
        scene.now = max(scene.now, BEGUN) + SECOND
        ruled(scene, outcome)
    scene.settle()
    while scene.match.phase is not Phase.OVER:
        scene.due()
        scene.settle()
    scene.do(RevealSeeds(scene.server.link(scene.server.length)))
    return scene


def checked(scene: Scene) -> Any:
    return reexecute(MATCH_ID, stored(scene.log))


def sealed(log: Sequence[Stored]) -> bytes:
    return seal(to_archive(MATCH_ID, log), Signer(KEY, 1))


def another(**fields: Any) -> Any:
    def change(event: Event) -> Event | None:
        return replace(event, **fields) if isinstance(event, MatchRuled) else None

    return change


def test_a_match_with_a_ruling_in_it_is_computed_again_and_its_bundle_holds() -> None:
    scene = finished(Outcome.NO_CHANGE, Outcome.ADJUST)
    report = checked(scene)

    assert report.failure is None
    assert {check.name: check.count for check in report.checks}["rulings"] == 2
    assert verify(sealed(stored(scene.log)), [raw(KEY)]).ok


@pytest.mark.parametrize(
    "fields", [{"reason": "another"}, {"case_id": "case-2"}, {"signature": b"\x00" * 64}, {"position": 1}]
)
def test_a_bundle_with_a_ruling_that_was_altered_does_not_hold(fields: dict[str, Any]) -> None:
    log = altered(stored(finished(Outcome.NO_CHANGE).log), another(**fields))
    verdict = verify(sealed(log), [raw(KEY)])

    assert [problem for problem in verdict.problems if "signature of the ruling" in problem]


def test_a_ruling_by_another_key_is_none_of_the_operators() -> None:
    scene = finished(Outcome.NO_CHANGE)
    (found,) = [event for event in scene.events(MatchRuled) if isinstance(event, MatchRuled)]
    foreign = sign_ruling(FOREIGN, MATCH_ID, found)
    log = altered(stored(scene.log), another(key_id=foreign.key_id, signature=foreign.signature))

    assert "key of the ruling" in verify(sealed(log)).problems[0]
    assert not [one for one in rulings(MATCH_ID, log, [raw(FOREIGN)]) if one.wrong]


def test_a_ruling_is_signed_for_one_match() -> None:
    signed = rule(position("match", START).match, Outcome.NO_CHANGE).ruling

    assert is_ruling_signed(raw(KEY), MATCH_ID, signed)
    assert not is_ruling_signed(raw(KEY), "another", signed)


def test_what_is_signed_can_be_read_by_a_person() -> None:
    signed = rule(position("match", START).match, Outcome.ADJUST, (2, 1)).ruling

    assert statement(MATCH_ID, signed).decode().split("\n", 10) == [
        *(MATCH_ID, "case-1", "4", "6", "1", "0", "0", "2", "1", signed.key_id, "seen")
    ]


@pytest.mark.parametrize(
    ("check", "fields"),
    [
        ("rulings", {"white_points": 3}),
        ("rulings", {"game": 2, "outcome": Outcome.VOID_GAME}),
        ("rulings", {"white_before": 1, "white_points": 1}),
        ("rulings", {"position": 1_000}),
    ],
)
def test_a_ruling_that_the_match_could_not_take_is_found(check: str, fields: dict[str, Any]) -> None:
    log = altered(stored(finished(Outcome.NO_CHANGE).log), another(**fields))
    failure = reexecute(MATCH_ID, log).failure

    assert failure is not None
    assert failure.check == check


def test_only_the_audit_rules() -> None:
    log = altered(
        stored(finished(Outcome.NO_CHANGE).log),
        another(reason="seen again"),
        actor="w",
        command_id="w/ruling",
    )
    failure = reexecute(MATCH_ID, log).failure

    assert failure is not None
    assert failure.check == "actors"
