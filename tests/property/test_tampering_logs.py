"""Logs in bundles, tampered with at random, their hashes made right again or not: not one may pass.

`python -m tests.property.test_tampering_logs 20000` tries that many of each kind.
"""

import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from libs.backgammon import events as e
from libs.eventlog.archive import from_archive, to_archive
from libs.eventlog.store import Stored
from tests.proof_logs import decisions, stored
from tests.sealed import AT, KEY, Draw, bundles, byte, logs, passes, repacked
from videau.proof.bundle import unpack
from videau.proof.certify import NotProvedError, Signer, seal

TRIES = int(sys.argv[1]) if __name__ == "__main__" else 500


def _dropped(log: list[Stored], draw: Draw) -> list[Stored]:
    at = draw.randrange(len(log))
    return log[:at] + log[at + 1 :]


def _cut_off(log: list[Stored], draw: Draw) -> list[Stored]:
    return log[: draw.randrange(len(log))]


def _doubled(log: list[Stored], draw: Draw) -> list[Stored]:
    at = draw.randrange(len(log))
    return [*log[: at + 1], *log[at:]]


def _reordered(log: list[Stored], draw: Draw) -> list[Stored]:
    one, other = draw.sample(range(len(log)), 2)
    changed = list(log)
    changed[one], changed[other] = log[other], log[one]
    return changed


def _spliced(log: list[Stored], draw: Draw) -> list[Stored]:
    other = draw.choice(logs())
    at = draw.randrange(len(log))
    return [*log[:at], draw.choice(other), *log[at:]]


def _metadata(log: list[Stored], draw: Draw) -> list[Stored]:
    at = draw.randrange(len(log))
    one = log[at]
    changed = draw.choice(
        [
            replace(one, sequence=one.sequence + draw.choice([-1, 1, 100])),
            replace(one, expected=max(one.expected + draw.choice([-1, 1]), 0)),
            replace(one, owner=draw.choice(["rules", "dice", "cube", "lobby", "clock"])),
            replace(one, command_id=one.command_id + "x"),
            replace(one, stored_at=one.stored_at.replace(microsecond=draw.randrange(1_000_000))),
            replace(one, data=byte(one.data, draw)),
        ]
    )
    return [*log[:at], changed, *log[at + 1 :]]


def _clock(log: list[Stored], draw: Draw) -> list[Stored]:
    made = decisions(log)
    at = draw.randrange(len(made))
    shift = draw.choice([-1, 1]) * draw.choice([1, 1000, 1_000_000, 60_000_000])
    one = made[at]
    made[at] = draw.choice(
        [
            replace(one, decided_at=one.decided_at + shift, received_at=one.received_at + shift),
            replace(one, received_at=max(one.received_at + shift, 0)),
            replace(one, lag_credit=max(one.lag_credit + shift, 0)),
        ]
    )
    return stored(made)


def _dice(log: list[Stored], draw: Draw) -> list[Stored]:
    """Other dice, in one roll or swapped between two, with every hash right again."""
    made = decisions(log)
    rolls = [(i, j) for i, one in enumerate(made) for j, event in enumerate(one.events) if _is_roll(event)]
    at, within = draw.choice(rolls)
    events = list(made[at].events)
    roll = events[within]
    faces = [draw.randint(1, 6) for _ in range(2)]
    if isinstance(roll, e.DiceRolled):
        events[within] = replace(roll, first=faces[0], second=faces[1])
    elif isinstance(roll, e.OpeningRolled):
        events[within] = replace(roll, white=faces[0], black=faces[1])
    made[at] = replace(made[at], events=tuple(events))
    return stored(made)


def _is_roll(event: e.Event) -> bool:
    return isinstance(event, e.DiceRolled | e.OpeningRolled)


LOGS = [_dropped, _cut_off, _doubled, _reordered, _spliced, _metadata, _clock, _dice]


@pytest.mark.parametrize("rechained", [False, True])
@pytest.mark.parametrize("tamper", LOGS)
def test_a_tampered_log_never_passes(
    tamper: Callable[[list[Stored], Draw], list[Stored]], rechained: bool
) -> None:
    """Nor where the hash chain was made anew, so that only the certificate or the rules can tell."""
    draw = Draw(f"{tamper.__name__} {rechained}")
    for _ in range(TRIES // 8):
        bundle = unpack(draw.choice(bundles()))
        match_id, log = from_archive(bundle.archive)
        changed = tamper(list(log), draw)
        if rechained and tamper is not _metadata:
            made = decisions(changed)
            changed = stored(replace(one, position=place) for place, one in enumerate(made, 1))
        archive = to_archive(match_id, changed)
        if archive == bundle.archive:
            continue
        bundle.archive = archive
        assert not passes(repacked(bundle))


OPERATORS = [_dropped, _cut_off, _doubled, _reordered, _dice]


@pytest.mark.parametrize("tamper", OPERATORS)
def test_not_even_the_operator_can_certify_a_tampered_log(
    tamper: Callable[[list[Stored], Draw], list[Stored]],
) -> None:
    """With the right key: what the rules do not allow is not signed, and would not verify."""
    draw = Draw(tamper.__name__)
    for _ in range(TRIES // 20):
        log = draw.choice(logs()[:2])
        made = decisions(tamper(list(log), draw))
        changed = stored(replace(one, position=place) for place, one in enumerate(made, 1))
        if decisions(changed) == decisions(log):
            continue
        with pytest.raises(NotProvedError):
            seal(to_archive(log[0].match_id, changed), Signer(KEY, AT))


if __name__ == "__main__":
    for change in LOGS:
        for anew in False, True:
            test_a_tampered_log_never_passes(change, anew)
    for again in OPERATORS:
        test_not_even_the_operator_can_certify_a_tampered_log(again)
