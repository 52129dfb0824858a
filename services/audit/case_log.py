"""Dispute cases in their stream: fold, decide, append, and once more when somebody was faster."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.errors import ConflictError
from libs.eventlog.records import Records
from libs.eventlog.subjects import case_subject, looks_subject
from services.audit.case_codec import Entry, decode, encode, fold
from services.audit.case_events import Kind
from services.audit.cases import LONGEST_WHY, Case, Command, checked, decide
from videau.audit.v1.cases_pb2 import AccountLook

MAX_CONFLICTS = 16
ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Asked:
    """Who wants something, and his id for it, `<actor>/<id>`: a repeat gets the first answer."""

    actor: str
    command_id: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A case as its log has it, None while there is none. `sequence` is the last entry's, 0 for none."""

    case: Case | None
    entries: tuple[Entry, ...]
    sequence: int

    @property
    def known(self) -> Case:
        """The case. Raises RefusedError UNKNOWN_CASE."""
        if self.case is None:
            raise RefusedError(Reason.UNKNOWN_CASE)
        return self.case

    def answers(self, asked: Asked) -> bool:
        """Whether this was asked before, and is answered by the case as it is."""
        return any(entry.command_id == asked.command_id for entry in self.entries)


def complaint_id(match_id: str, account: str) -> str:
    """The case of a player on a match: there is one, so no two of his can be open at once."""
    return _id(f"{match_id}/{account}")


def finding_id(match_id: str, kind: Kind) -> str:
    """The case that the audit opens for what is wrong with a match: one of each kind."""
    return _id(f"{match_id}//{kind.name}")


class CaseLog:
    """The stream CASES as this service writes it. `now` in microseconds since 1970.

    Every method raises EventLogError where the broker fails.
    """

    def __init__(self, records: Records, now: Callable[[], int]) -> None:
        self._records = records
        self._now = now

    async def load(self, case_id: str) -> Loaded:
        """The case, with every entry that was acknowledged to anybody. Raises BadIdError."""
        case: Case | None = None
        entries: list[Entry] = []
        sequence = 0
        for record in await self._records.read(case_subject(case_id)):
            entry = decode(record.data)
            case, sequence = fold(case, entry), record.sequence
            entries.append(entry)
        return Loaded(case, tuple(entries), sequence)

    async def handle(self, case_id: str, asked: Asked, command: Command) -> Loaded:
        """The case after a command, durable; as it is now where the command was answered before.

        Where another was faster it is decided again. Raises RefusedError, CONFLICT if that never ends.
        """
        for _ in range(MAX_CONFLICTS):
            loaded = await self.load(case_id)
            if loaded.answers(asked):
                return loaded
            events = decide(loaded.case, command)
            if not events:
                return loaded
            number = len(loaded.entries) + 1
            entry = Entry(case_id, number, asked.command_id, asked.actor, self._now(), events)
            try:
                sequence = await self._records.append(
                    case_subject(case_id),
                    encode(entry),
                    message_id=f"{case_id}/{number}",
                    expected=loaded.sequence,
                )
            except ConflictError:
                continue
            return Loaded(fold(loaded.case, entry), (*loaded.entries, entry), sequence)
        raise RefusedError(Reason.CONFLICT, "others keep deciding first; try again")

    async def look_up(self, asked: Asked, account: str, why: str) -> None:
        """Write down that a member of the staff looks at an account. Raises RefusedError BAD_REQUEST."""
        look = AccountLook(by=asked.actor, account=account, why=checked(why, LONGEST_WHY, "why you look"))
        subject = looks_subject(_digits(asked.actor))
        for _ in range(MAX_CONFLICTS):
            last = await self._records.last(subject)
            try:
                await self._records.append(
                    subject,
                    look.SerializeToString(deterministic=True),
                    message_id=f"look/{_digits(asked.command_id)}",
                    expected=last.sequence if last is not None else 0,
                )
            except ConflictError:
                continue
            return
        raise RefusedError(Reason.CONFLICT, "others keep looking first; try again")


def _id(text: str) -> str:
    return f"case-{_digits(text)}"


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]
