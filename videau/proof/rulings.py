"""Rulings on disputes in the log of a match: signed by the operator, and by nobody else."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.events import MatchRuled
from libs.backgammon.ruling import statement
from libs.eventlog.codec import decode
from libs.eventlog.errors import EventLogError
from libs.eventlog.owners import OWNERS
from libs.eventlog.store import Stored
from videau.bundle.v1.bundle_pb2 import Signed
from videau.proof.keys import RULING, is_signed, key_id, raw, sign

WRITER = OWNERS[MatchRuled]


@dataclass(frozen=True, slots=True)
class RulingFound:
    """A ruling in a log, and what is wrong with its signature, empty if nothing is."""

    position: int
    ruling: MatchRuled
    wrong: str = ""


def sign_ruling(private: Ed25519PrivateKey, match_id: str, ruling: MatchRuled) -> MatchRuled:
    """The ruling with this key's name and signature."""
    named = replace(ruling, key_id=key_id(raw(private)), signature=b"")
    return replace(named, signature=sign(private, RULING, statement(match_id, named)).signature)


def is_ruling_signed(public: bytes, match_id: str, ruling: MatchRuled) -> bool:
    """Whether this key has signed this ruling in this match."""
    signed = Signed(statement=statement(match_id, ruling), signature=ruling.signature)
    return ruling.key_id == key_id(public) and is_signed(public, RULING, signed)


def signed_by(log: Iterable[Stored]) -> list[str]:
    """The names of the keys that have signed the rulings of a log that folds, each once."""
    events = (event for stored in log if stored.owner == WRITER for event in decode(stored.data).events)
    return list(dict.fromkeys(event.key_id for event in events if isinstance(event, MatchRuled)))


def rulings(match_id: str, log: Sequence[Stored], public: Collection[bytes]) -> Iterator[RulingFound]:
    """Every ruling in a log, checked with the keys that are known."""
    keys = {key_id(one): one for one in public}
    for stored in log:
        try:
            decision = decode(stored.data)
        except EventLogError:
            return  # where the log itself is wrong, that is told elsewhere
        for event in decision.events:
            if not isinstance(event, MatchRuled):
                continue
            wrong = ""
            if event.key_id not in keys:
                wrong = f"the key of the ruling at {decision.position} is missing"
            elif not is_ruling_signed(keys[event.key_id], match_id, event):
                wrong = f"the signature of the ruling at {decision.position} is wrong"
            yield RulingFound(decision.position, event, wrong)
