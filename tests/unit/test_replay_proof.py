"""The proof of a roll leads from what was committed to the dice, and says what is missing."""

import hmac
from collections.abc import Callable
from dataclasses import replace

import pytest

from libs.backgammon.dice import SERVER, dice_of, is_link, roll
from libs.backgammon.events import Decision, DiceCommitted, DiceRolled, Event, LinkOmitted, OpeningRolled
from libs.replay.proof import Part, Proof
from libs.replay.replay import Frame, Replay
from tests.replay_logs import match_log
from tests.scene import MATCH_ID

Roll = OpeningRolled | DiceRolled


def rolls(log: tuple[Decision, ...]) -> list[tuple[Frame, Roll, Proof]]:
    """Every roll with its frame and its proof."""
    replay, found = Replay(log), []
    for decision in log:
        here = [event for event in decision.events if isinstance(event, Roll)]
        if here:
            frame = replay.frame(decision.position)
            found += [(frame, *pair) for pair in zip(here, frame.proofs, strict=True)]
    return found


def altered(change: Callable[[Event], Event | None]) -> list[Proof]:
    """The proofs of a log in which every event was changed for which there is a change."""
    log = []
    for decision in match_log():
        events = tuple(change(event) for event in decision.events)
        log.append(replace(decision, events=tuple(event for event in events if event is not None)))
    return [proof for _, _, proof in rolls(tuple(log))]


def test_every_roll_of_a_match_is_proved() -> None:
    proved = rolls(match_log(most=900))
    assert len(proved) > 100
    assert all(proof.holds for _, _, proof in proved)
    parts = {share.part for _, _, proof in proved for share in (proof.white, proof.black)}
    assert parts == set(Part)


def test_a_proof_can_be_followed_with_nothing_but_a_hash_function() -> None:
    for frame, event, proof in rolls(match_log()):
        assert hmac.digest(event.server_link, proof.message, "sha256") == proof.seed
        assert dice_of(proof.seed) == proof.dice
        assert bytes(drawn.byte for drawn in proof.drawn) == proof.seed[: len(proof.drawn)]
        assert tuple(drawn.die for drawn in proof.drawn if drawn.die) == proof.dice
        service = proof.service.commitment
        assert service is not None
        assert service.position < frame.position
        assert is_link(MATCH_ID, SERVER, proof.index, event.server_link, 0, service.tip)


def test_a_link_that_was_left_out_is_said_to_be_and_by_whom() -> None:
    for frame, event, proof in rolls(match_log()):
        for share, link in ((proof.white, event.white_link), (proof.black, event.black_link)):
            assert (share.part is Part.GIVEN) is bool(link)
        omitted = any(isinstance(one, LinkOmitted) for one in frame.decision.events)
        if omitted:
            assert Part.LEFT_OUT in (proof.white.part, proof.black.part)


def test_other_dice_than_the_links_give_do_not_hold() -> None:
    def loaded(event: Event) -> Event:
        return replace(event, first=event.first % 6 + 1) if isinstance(event, DiceRolled) else event

    proofs = altered(loaded)
    assert any(not proof.holds for proof in proofs)
    assert all(proof.service.holds for proof in proofs)


def test_a_roll_with_another_number_does_not_hold() -> None:
    def skipping(event: Event) -> Event:
        if not isinstance(event, DiceRolled):
            return event
        number, links = event.roll + 1, (event.server_link, event.white_link, event.black_link)
        first, second = roll(MATCH_ID, number, *links)
        return replace(event, roll=number, first=first, second=second)

    log, first = match_log(), next(d.position for d in match_log() if isinstance(d.events[-1], DiceRolled))
    bent = replace(log[first - 1], events=tuple(map(skipping, log[first - 1].events)))
    (proof,) = Replay((*log[: first - 1], bent)).frame(first).proofs
    assert proof.service.holds
    assert not proof.holds


def test_a_link_that_leads_to_no_commitment_does_not_hold() -> None:
    def swapped(event: Event) -> Event:
        return replace(event, tip=b"\x00" * 32) if isinstance(event, DiceCommitted) else event

    proofs = altered(swapped)
    assert proofs
    assert not any(proof.service.holds or proof.holds for proof in proofs)


def test_a_link_left_out_without_a_word_does_not_hold() -> None:
    silent = altered(lambda event: None if isinstance(event, LinkOmitted) else event)
    left_out = [proof for proof in silent if Part.LEFT_OUT in (proof.white.part, proof.black.part)]
    assert left_out
    assert not any(proof.holds for proof in left_out)


@pytest.mark.parametrize("number", [1, 2])
def test_dice_of_a_record_have_no_proof(number: int) -> None:
    def recorded(event: Event) -> Event:
        return replace(event, server_link=b"") if isinstance(event, Roll) else event

    log = tuple(
        replace(decision, events=tuple(map(recorded, decision.events)))
        for decision in match_log("single", number)
    )
    assert not any(frame.proofs for frame in map(Replay(log).frame, range(1, len(log) + 1)))
