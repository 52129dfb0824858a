"""The client's part in the dice, and its eye on everybody else's."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from libs.backgammon.apply import apply, fold
from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.events import (
    Decision,
    DiceCommitted,
    DiceRolled,
    Event,
    LinkOmitted,
    LinkRevealed,
    OpeningRolled,
    Seat,
    SeedContributed,
    SeedDeclined,
    SeedsRevealed,
    TurnEnded,
)
from libs.backgammon.match import Match, Phase
from libs.client.dice_part import DicePart
from libs.client.dice_witness import DiceWitness
from libs.client.errors import BadRollError
from services.dice.core import (
    CommitDice,
    ContributeSeed,
    DeclineSeed,
    RevealLink,
    RevealSeeds,
    RollDice,
    StopWaiting,
)
from services.rules.core import SetAutomaticPlay
from tests.dice_scene import BOTH, end_turn, opened, throw, to_roll
from tests.scene import CHAINS, SERVER_CHAIN, Scene, seated
from videau.dice.v1.dice_pb2 import ContributeSeedRequest, RevealLinkRequest

SECRET = b"\x01" * 32
OTHER = Chain("0123456789abcdef0123456789abcdef", SERVER, b"\x09" * 32, 64)


def witnessed(log: Iterable[Decision]) -> DiceWitness:
    witness, match = DiceWitness(), None
    for decision in log:
        if match is None:
            match = fold(None, decision)
            continue
        for event in decision.events:
            witness.observe(match, event)
            match = apply(match, event)
    return witness


def played(*taking_part: Seat, turns: int = 6) -> Scene:
    """Some turns of a game."""
    scene = opened(*taking_part)
    for number in range(turns):
        if scene.match.phase is Phase.MOVE:
            end_turn(scene, with_link=scene.match.on_roll in taking_part and number % 2 == 0)
        throw(scene, with_link=scene.match.on_roll in taking_part)
    return scene


def changed(scene: Scene, kind: type[Event], change: Callable[[Any], Event | None]) -> list[Decision]:
    """The log up to its last event of a kind, with that one changed, or left out for None."""
    log = list(scene.log)
    at = max(n for n, decision in enumerate(log) if any(isinstance(e, kind) for e in decision.events))
    events = [change(e) if isinstance(e, kind) else e for e in log[at].events]
    log[at] = replace(log[at], events=tuple(e for e in events if e is not None))
    return log[: at + 1]


@pytest.mark.parametrize("taking_part", [(), (Seat.WHITE,), (Seat.BLACK,), BOTH])
def test_an_honest_match_is_witnessed_roll_by_roll(taking_part: tuple[Seat, ...]) -> None:
    scene = played(*taking_part)
    assert witnessed(scene.log).rolls == scene.match.dice.rolls > 3


def test_a_link_left_out_with_a_word_is_honest() -> None:
    scene = to_roll(*BOTH)
    scene.do(RollDice(scene.match.on_roll, b"", SERVER_CHAIN))
    scene.do(StopWaiting(SERVER_CHAIN))
    assert scene.events(LinkOmitted)
    witnessed(scene.log)


FORGERIES: list[tuple[type[Event], Callable[[Any], Event | None]]] = [
    (DiceRolled, lambda e: replace(e, first=e.first % 6 + 1)),
    (DiceRolled, lambda e: replace(e, server_link=OTHER.link(5))),
    (DiceRolled, lambda e: replace(e, server_link=b"")),
    (DiceRolled, lambda e: replace(e, roll=e.roll + 1)),
    (DiceRolled, lambda e: replace(e, white_link=b"\x02" * 32)),
    (DiceRolled, lambda e: replace(e, white_link=b"", black_link=b"")),
    (DiceRolled, lambda e: replace(e, seat=e.seat.other)),
    (OpeningRolled, lambda e: replace(e, starter=e.starter.other)),
    (OpeningRolled, lambda e: replace(e, white=e.black, black=e.white, starter=e.starter.other)),
    (LinkRevealed, lambda e: replace(e, link=b"\x03" * 32)),
    (LinkRevealed, lambda e: replace(e, roll=e.roll + 1)),
    (TurnEnded, lambda e: replace(e, link=b"\x03" * 32)),
    (SeedContributed, lambda e: replace(e, chain=2)),
    (DiceCommitted, lambda e: replace(e, chain=2)),
    (DiceCommitted, lambda e: replace(e, first_roll=2)),
    (DiceCommitted, lambda e: replace(e, tip=b"")),
    (DiceCommitted, lambda e: replace(e, length=2**31)),
]


@pytest.mark.parametrize(("kind", "change"), FORGERIES)
def test_a_forged_event_is_found_out(kind: type[Event], change: Callable[[Any], Event | None]) -> None:
    scene = played(*BOTH)
    witnessed(scene.log)
    with pytest.raises(BadRollError):
        witnessed(changed(scene, kind, change))


def appended(scene: Scene, *events: Event) -> list[Decision]:
    return [*scene.log, replace(scene.log[-1], position=len(scene.log) + 1, events=events)]


def test_events_that_no_honest_service_appends_are_found_out() -> None:
    scene = played(*BOTH)
    dice = scene.match.dice
    seat = Seat.WHITE
    for event in (
        DiceCommitted(2, dice.rolls + 1, 64, OTHER.tip, "k1"),
        SeedContributed(seat, dice.chain, CHAINS[seat].tip),
        SeedDeclined(seat, dice.chain),
        next(e for e in reversed(scene.events(DiceRolled))),
    ):
        with pytest.raises(BadRollError):
            witnessed(appended(scene, event))
    before = seated("money")
    with pytest.raises(BadRollError):
        witnessed(appended(before, SeedContributed(seat, 1, CHAINS[seat].tip)))


def test_the_revealed_seed_must_be_the_one_committed_to() -> None:
    scene = played(*BOTH)
    over = replace(scene.match, phase=Phase.OVER)
    witness = DiceWitness()
    witness.observe(over, SeedsRevealed(1, b"\x07" * 32))
    for forged in (SeedsRevealed(1, b"\x08" * 32), SeedsRevealed(2, b"\x07" * 32)):
        with pytest.raises(BadRollError):
            witness.observe(over, forged)


# --- our own part ---


def due(part: DicePart, scene: Scene, seat: Seat) -> Any:
    return part.due(scene.match, seat)


def test_a_tip_is_contributed_once_after_the_service_has_committed() -> None:
    scene, part = seated("money"), DicePart(SECRET)
    assert due(part, scene, Seat.WHITE) is None
    scene.do(CommitDice(SERVER_CHAIN.tip, SERVER_CHAIN.length, "k1"))
    request = due(part, scene, Seat.WHITE)
    assert isinstance(request, ContributeSeedRequest)
    assert len(request.tip) == 32
    assert due(part, scene, Seat.WHITE) is None


def taking_part() -> tuple[Scene, dict[Seat, DicePart]]:
    """A match in which both clients have contributed their own tips."""
    scene = seated("money")
    scene.do(CommitDice(SERVER_CHAIN.tip, SERVER_CHAIN.length, "k1"))
    parts = {seat: DicePart(bytes([seat]) * 32) for seat in Seat}
    for seat, part in parts.items():
        scene.do(ContributeSeed(seat, due(part, scene, seat).tip))
    return scene.settle(), parts


def in_the_first_turn() -> tuple[Scene, dict[Seat, DicePart]]:
    """Such a match, the links of its opening revealed."""
    scene, parts = taking_part()
    while scene.match.phase is Phase.OPENING:
        for seat, part in parts.items():
            request: Any = part.due(scene.match, seat)
            if request is not None:
                scene.do(RevealLink(seat, request.link, SERVER_CHAIN))
    return scene, parts


def test_two_clients_carry_a_game_by_doing_what_is_due() -> None:
    scene, parts = taking_part()
    for _ in range(40):
        if scene.match.phase is Phase.OVER:
            break
        for seat, part in parts.items():
            request = part.due(scene.match, seat)
            if isinstance(request, RevealLinkRequest):
                scene.do(RevealLink(seat, request.link, SERVER_CHAIN))
        seat = scene.match.on_roll
        if scene.match.phase is Phase.ROLL:
            scene.do(RollDice(seat, parts[seat].link(scene.match, seat), SERVER_CHAIN))
        if scene.match.phase is Phase.MOVE:
            end_turn(scene, with_link=False)
        scene.settle()
    assert not scene.events(LinkOmitted)
    assert witnessed(scene.log).rolls > 10


def test_the_rollers_link_is_kept_back_until_he_rolls() -> None:
    scene, parts = in_the_first_turn()
    assert [due(part, scene, seat) for seat, part in parts.items()] == [None, None]
    end_turn(scene, with_link=False)
    roller = scene.match.on_roll
    assert due(parts[roller], scene, roller) is None
    assert isinstance(due(parts[roller.other], scene, roller.other), RevealLinkRequest)
    assert len(parts[roller].link(scene.match, roller)) == 32


def test_a_roller_who_has_nothing_to_decide_gives_his_link_for_the_automatic_roll() -> None:
    scene, parts = in_the_first_turn()
    roller = scene.match.on_roll.other
    scene.do(SetAutomaticPlay(roller, automatic_roll=True, automatic_bear_off=False))
    assert due(parts[roller], scene, roller) is None, "he may still switch it off"
    end_turn(scene, with_link=False)
    for seat, part in parts.items():
        scene.do(RevealLink(seat, due(part, scene, seat).link, SERVER_CHAIN))
    assert scene.match.phase is Phase.MOVE
    assert not scene.events(LinkOmitted)
    assert witnessed(scene.log).rolls == scene.match.dice.rolls


def test_a_restarted_client_with_its_secret_goes_on_and_one_without_takes_no_part() -> None:
    scene, parts = taking_part()
    request: Any = parts[Seat.WHITE].due(scene.match, Seat.WHITE)
    again: Any = DicePart(b"\x01" * 32).due(scene.match, Seat.WHITE)
    assert again.link == request.link
    assert DicePart(b"\x05" * 32).due(scene.match, Seat.WHITE) is None
    assert DicePart(b"\x05" * 32).link(scene.match, Seat.WHITE) == b""


def test_a_seat_that_declined_owes_nothing() -> None:
    scene = seated("money")
    scene.do(CommitDice(SERVER_CHAIN.tip, SERVER_CHAIN.length, "k1"))
    part = DicePart(SECRET)
    scene.do(DeclineSeed(Seat.WHITE))
    scene.do(ContributeSeed(Seat.BLACK, CHAINS[Seat.BLACK].tip))
    scene.settle()
    assert due(part, scene, Seat.WHITE) is None
    assert part.link(scene.match, Seat.WHITE) == b""


def test_chains_of_two_matches_seats_or_commitments_have_nothing_in_common() -> None:
    scene, _ = taking_part()
    tips = set()
    for match in (
        replace(scene.match, dice=replace(scene.match.dice, white=None)),
        replace(scene.match, match_id="other", dice=replace(scene.match.dice, white=None)),
        replace(scene.match, dice=replace(scene.match.dice, white=None, chain=2)),
    ):
        tips.add(_tip(match, Seat.WHITE))
    tips.add(_tip(replace(scene.match, dice=replace(scene.match.dice, black=None)), Seat.BLACK))
    assert len(tips) == 4


def _tip(match: Match, seat: Seat) -> bytes:
    request: Any = DicePart(SECRET).due(match, seat)
    tip: bytes = request.tip
    return tip


def test_the_end_of_a_match_reveals_the_seed_and_ends_all_duties() -> None:
    scene, parts = taking_part()
    scene.current = replace(scene.match, phase=Phase.OVER)
    scene.do(RevealSeeds(b"\x07" * 32))
    assert due(parts[Seat.WHITE], scene, Seat.WHITE) is None
