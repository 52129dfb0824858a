"""A log computed again from its first event on, by the services' own `decide`: nothing in it is believed."""

from collections import Counter
from collections.abc import Iterable

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Decision, DiceRolled, Event, MatchStarted, OpeningRolled, TableOpened
from libs.backgammon.match import Match
from libs.eventlog.errors import BrokenLogError
from libs.eventlog.fold import Folded
from libs.eventlog.store import Stored
from videau.proof.commands import Case, decided, opening_commands, possible_commands
from videau.proof.conduct import (
    IMPORTER,
    check_actor,
    check_due,
    why_late,
    why_wrong_credit,
    why_wrong_times,
)
from videau.proof.report import ACTORS, CHAIN, CHECK_OF, CREDIT, JOINT, LATE, TIMES, Failure, Report, report
from videau.proof.server_links import ServerLinks, logged_chain
from videau.proof.terms import why_no_profile

GARBAGE = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What the core may raise on a match that no service can have made."""
_OF_CONDUCT = (Reason.FORBIDDEN, Reason.NOT_SEATED)


class _WrongError(Exception):
    """A decision that does not hold."""

    def __init__(self, check: str, why: str) -> None:
        super().__init__(why)
        self.check = check
        self.why = why


def reexecute(match_id: str, log: Iterable[Stored]) -> Report:
    """Fold a match by the rules in its first event and decide everything in it again.

    The rules must be those of their profile, or of the record where the match was imported. The hash chain,
    positions, broker sequences and writers; who asked, and when; every event from the command it answers,
    every roll from its links, every flag from its deadline. Stops at the first that fails.
    """
    run = _Run(match_id)
    failure: Failure | None = None
    for stored in log:
        before, head = run.folded.match, run.folded.head
        try:
            run.step(stored)
        except BrokenLogError as error:
            failure = Failure(error.position, CHAIN, error.why)
        except _WrongError as wrong:
            failure = Failure(run.folded.position, wrong.check, wrong.why)
        if failure is not None:
            return report(match_id, before, head, run.counts, failure)
    if not run.folded.position:
        failure = Failure(0, CHAIN, "it is empty")
    return report(match_id, run.folded.match, run.folded.head, run.counts, failure)


class _Run:
    """How far a log has been computed again."""

    def __init__(self, match_id: str) -> None:
        self.folded = Folded(match_id)
        self.counts = Counter[str]()
        self._server = ServerLinks()
        self._commands: set[str] = set()

    def step(self, stored: Stored) -> None:
        """One more decision. Raises BrokenLogError, _WrongError."""
        before = self.folded.match
        decision = self.folded.add(stored)
        if decision.command_id in self._commands:
            raise _WrongError(CHAIN, f"command {decision.command_id} was answered before")
        self._commands.add(decision.command_id)
        _check_conduct(before, self.folded.match, decision, stored.owner)
        _check_terms(self.folded.match, decision)
        name = CHAIN
        try:
            for event in decision.events:
                name = CHECK_OF[type(event)]
                if before is not None:
                    self._server.add(before, event)
            name = CHECK_OF[type(decision.events[0])]
            _decide_again(before, decision, stored.owner)
        except RefusedError as refused:
            check = ACTORS if refused.reason in _OF_CONDUCT else name
            raise _WrongError(check, str(refused)) from refused
        except GARBAGE as error:
            raise _WrongError(name, f"it cannot be decided again: {error}") from error
        self._count(decision)

    def _count(self, decision: Decision) -> None:
        counts = self.counts
        counts.update((CHAIN, ACTORS, TIMES, LATE))
        counts[CREDIT] += decision.lag_credit > 0
        for event in decision.events:
            counts[CHECK_OF[type(event)]] += 1
            if isinstance(event, OpeningRolled | DiceRolled) and event.white_link and event.black_link:
                counts[JOINT] += 1


def _check_conduct(before: Match | None, after: Match | None, decision: Decision, owner: str) -> None:
    """What holds whatever happened. Raises _WrongError."""
    if not decision.events or after is None:
        raise _WrongError(CHAIN, "nothing happened in it")
    if not decision.command_id.startswith(f"{decision.actor}/"):
        raise _WrongError(ACTORS, f"the command {decision.command_id} is not of {decision.actor}")
    for check, why in (
        (TIMES, why_wrong_times(before, decision, owner)),
        (CREDIT, why_wrong_credit(before, decision)),
        (LATE, why_late(before, after, decision)),
    ):
        if why:
            raise _WrongError(check, why)


def _check_terms(after: Match | None, decision: Decision) -> None:
    """Whether a table or match begins by rules that there are. Raises _WrongError."""
    begins = any(isinstance(event, TableOpened | MatchStarted) for event in decision.events)
    if after is None or not begins:
        return
    if after.source or (not after.started and decision.actor == IMPORTER):  # what it is played by is not ours
        return
    why = why_no_profile(after.rules)
    if why:
        raise _WrongError(CHECK_OF[TableOpened], why)


def _decide_again(before: Match | None, decision: Decision, owner: str) -> None:
    """Find the command that these events answer. Raises RefusedError or _WrongError with the first reason."""
    if before is None:
        candidates = opening_commands(decision)
    else:
        candidates = possible_commands(Case(before, decision, logged_chain(before, decision.events)))
    first: RefusedError | _WrongError | None = None
    for command in candidates:
        try:
            check_actor(before, command, decision.actor, owner)
            check_due(before, command, decision)
            again = decided(before, command)
            if again == decision.events:
                return
            raise _differing(again, decision.events)
        except (RefusedError, _WrongError) as error:
            first = first if first is not None and not _forbids(first) else error
    raise first or _WrongError(CHECK_OF[type(decision.events[0])], "no command is answered so")


def _forbids(error: RefusedError | _WrongError) -> bool:
    """Whether it only says that the actor did not send this command: another one tells more."""
    return isinstance(error, RefusedError) and error.reason in _OF_CONDUCT


def _differing(again: tuple[Event, ...], logged: tuple[Event, ...]) -> _WrongError:
    """The first event that comes out differently."""
    for computed, found in zip(again, logged, strict=False):
        if computed != found:
            return _WrongError(CHECK_OF[type(found)], f"computed {computed}, the log has {found}")
    extra = [*logged[len(again) :], *again[len(logged) :]]
    side = "the log has more" if len(logged) > len(again) else "the log lacks"
    return _WrongError(CHECK_OF[type(extra[0])], f"{side}: {extra[0]}")
