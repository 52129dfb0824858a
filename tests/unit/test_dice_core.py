"""The dice service: who commits when, how openings and spent chains go, what is told after the match."""

from dataclasses import replace

import pytest

from libs.backgammon.board import Worth
from libs.backgammon.dice import SERVER, Chain, is_link, roll
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    DiceCommitted,
    DiceRolled,
    LinkOmitted,
    LinkRevealed,
    OpeningRolled,
    Seat,
    SeedContributed,
    SeedDeclined,
    SeedsRevealed,
    TurnEnded,
)
from libs.backgammon.links import PARTY
from libs.backgammon.match import Phase
from services.cube.core import (
    DeclineResignation,
    OfferResignation,
)
from services.dice import core
from services.dice.core import (
    LINK_WAIT,
    SEED_WAIT,
    CommitDice,
    ContributeSeed,
    DeclineSeed,
    RecordedOpening,
    RecordedRoll,
    RevealLink,
    RevealSeeds,
    RollDice,
    StopWaiting,
    Wake,
)
from services.lobby.core import JoinTable, OpenTable
from services.rules.core import EndTurn, MoveCheckers
from tests.dice_scene import BOTH, end_turn, link_of, opened, throw, to_roll
from tests.scene import (
    BLACK,
    BRUNO,
    CHAINS,
    MATCH_ID,
    SERVER_CHAIN,
    WANDA,
    WHITE,
    Scene,
    position,
    refusal,
    seated,
    started,
)


def test_the_service_commits_before_any_player_does() -> None:
    scene = seated("money")
    assert core.react(scene.match) == Wake(0, CommitDice)
    assert refusal(scene, ContributeSeed(WHITE, CHAINS[WHITE].tip)) is Reason.NO_COMMITMENT
    assert refusal(scene, DeclineSeed(WHITE)) is Reason.NO_COMMITMENT
    assert scene.do(CommitDice(SERVER_CHAIN.tip, 64, "k1")) == (
        DiceCommitted(1, 1, 64, SERVER_CHAIN.tip, "k1"),
    )
    assert scene.do(ContributeSeed(WHITE, CHAINS[WHITE].tip)) == (
        SeedContributed(WHITE, 1, CHAINS[WHITE].tip),
    )


def test_nothing_is_committed_before_the_match_begins() -> None:
    scene = Scene()
    scene.do(OpenTable(seated("money").match.rules, WANDA))
    assert core.react(scene.match) is None
    assert refusal(scene, CommitDice(SERVER_CHAIN.tip, 64, "k1")) is Reason.MATCH_NOT_STARTED


def test_a_commitment_stands_until_its_chain_is_spent() -> None:
    scene = opened(*BOTH)
    assert refusal(scene, CommitDice(b"\x01" * 32, 64, "k1")) is Reason.WRONG_PHASE


def test_a_seat_has_one_say_on_each_chain() -> None:
    scene = started("money", taking_part=(WHITE,))
    for seat in Seat:
        assert refusal(scene, ContributeSeed(seat, b"\x02" * 32)) is Reason.SEED_ALREADY_GIVEN
        assert refusal(scene, DeclineSeed(seat)) is Reason.SEED_ALREADY_GIVEN


@pytest.mark.parametrize("tip", [b"", b"\x01" * 31, b"\x01" * 33])
def test_a_tip_has_32_bytes(tip: bytes) -> None:
    scene = seated("money")
    scene.do(CommitDice(SERVER_CHAIN.tip, 64, "k1"))
    assert refusal(scene, ContributeSeed(WHITE, tip)) is Reason.BAD_SEED


def test_a_tip_that_does_not_come_in_time_is_logged_as_late() -> None:
    scene = seated("money")
    scene.now = 1_000
    scene.do(CommitDice(SERVER_CHAIN.tip, 64, "k1"))
    assert core.react(scene.match) == Wake(1_000 + SEED_WAIT, StopWaiting)
    scene.now = 2_000
    scene.do(ContributeSeed(BLACK, CHAINS[BLACK].tip))
    assert core.react(scene.match) == Wake(2_000 + SEED_WAIT, StopWaiting)
    assert scene.do(StopWaiting(SERVER_CHAIN)) == (SeedDeclined(WHITE, 1, late=True),)


def test_an_opening_without_players_parts_is_rolled_at_once() -> None:
    scene = started("money")
    assert core.react(scene.match) == Wake(0, StopWaiting)


def test_an_opening_waits_for_both_links_and_is_rolled_with_the_second() -> None:
    scene = started("money", taking_part=BOTH)
    asked_at = scene.match.dice.asked_at
    assert core.react(scene.match) == Wake(asked_at + LINK_WAIT, StopWaiting)
    black = link_of(scene, BLACK)
    assert scene.do(RevealLink(BLACK, black, SERVER_CHAIN)) == (LinkRevealed(BLACK, 1, black),)
    white = link_of(scene, WHITE)
    revealed, opening, *_ = scene.do(RevealLink(WHITE, white, SERVER_CHAIN))
    assert revealed == LinkRevealed(WHITE, 1, white)
    assert isinstance(opening, OpeningRolled)
    assert (opening.server_link, opening.white_link, opening.black_link) == (
        SERVER_CHAIN.link(1),
        white,
        black,
    )


def test_a_link_that_does_not_come_is_logged_as_left_out_before_the_opening_is_rolled() -> None:
    scene = started("money", taking_part=BOTH)
    scene.do(RevealLink(WHITE, link_of(scene, WHITE), SERVER_CHAIN))
    omitted, opening = scene.do(StopWaiting(SERVER_CHAIN))[:2]
    assert omitted == LinkOmitted(BLACK, 1)
    assert isinstance(opening, OpeningRolled)
    assert (opening.white_link, opening.black_link) == (CHAINS[WHITE].link(1), b"")


def test_no_link_is_asked_for_twice() -> None:
    scene = started("money", taking_part=BOTH)
    scene.do(RevealLink(WHITE, link_of(scene, WHITE), SERVER_CHAIN))
    assert refusal(scene, RevealLink(WHITE, link_of(scene, WHITE), SERVER_CHAIN)) is Reason.NO_LINK_WANTED


def test_no_opening_is_rolled_while_a_resignation_waits_for_its_answer() -> None:
    scene = started("classic", taking_part=BOTH)
    scene.do(RevealLink(WHITE, link_of(scene, WHITE), SERVER_CHAIN))
    scene.do(OfferResignation(WHITE, Worth.SINGLE))
    assert core.react(scene.match) is None
    assert refusal(scene, StopWaiting(SERVER_CHAIN)) is Reason.RESIGNATION_PENDING
    assert len(scene.do(RevealLink(BLACK, link_of(scene, BLACK), SERVER_CHAIN))) == 1
    scene.do(DeclineResignation(BLACK))
    assert core.react(scene.match) == Wake(0, StopWaiting)
    assert isinstance(scene.do(StopWaiting(SERVER_CHAIN))[0], OpeningRolled)


def test_a_spent_chain_is_followed_by_a_new_commitment_and_new_tips() -> None:
    short = Chain(MATCH_ID, SERVER, b"\x03" * 32, 6)
    scene = opened(*BOTH, server=short)
    while not scene.match.dice.spent:
        end_turn(scene, with_link=True)
        throw(scene, with_link=True, server=short)
    seat = scene.match.on_roll
    assert core.react(scene.match) == Wake(0, CommitDice)
    assert scene.match.dice.rolls == 6
    assert refusal(scene, RevealLink(seat, CHAINS[seat].link(7), short)) is Reason.NO_LINK_WANTED

    second = Chain(MATCH_ID, SERVER, b"\x04" * 32, 6)
    assert scene.do(CommitDice(second.tip, 6, "k2")) == (DiceCommitted(2, 7, 6, second.tip, "k2"),)
    fresh = {player: Chain(MATCH_ID, PARTY[player], bytes([player + 10]) * 32, 6) for player in Seat}
    for player in Seat:
        contributed = SeedContributed(player, 2, fresh[player].tip)
        assert scene.do(ContributeSeed(player, fresh[player].tip)) == (contributed,)
    end_turn(scene, with_link=False)
    assert scene.do(RevealLink(seat, fresh[seat].link(1), second))
    (rolled,) = scene.do(RollDice(seat.other, fresh[seat.other].link(1), second))
    assert isinstance(rolled, DiceRolled)
    assert (rolled.roll, rolled.server_link) == (7, second.link(1))


def test_a_turn_is_not_rolled_between_two_chains() -> None:
    scene = to_roll()
    scene.current = replace(scene.match, dice=replace(scene.match.dice, length=scene.match.dice.rolls))
    assert refusal(scene, RollDice(scene.match.on_roll, b"", SERVER_CHAIN)) is Reason.NO_COMMITMENT
    assert refusal(scene, StopWaiting(SERVER_CHAIN)) is Reason.NO_COMMITMENT


def test_the_seed_revealed_after_the_match_explains_every_link_of_the_service() -> None:
    scene = to_roll(with_link=False)
    assert refusal(scene, RevealSeeds(b"\x07" * 32)) is Reason.WRONG_PHASE
    scene.current = replace(scene.match, phase=Phase.OVER)
    assert core.react(scene.match) == Wake(0, RevealSeeds)
    assert refusal(scene, RollDice(WHITE, b"", SERVER_CHAIN)) is Reason.MATCH_OVER
    (revealed,) = scene.do(RevealSeeds(SERVER_CHAIN.link(64)))
    assert isinstance(revealed, SeedsRevealed)
    (committed,) = scene.events(DiceCommitted)
    assert isinstance(committed, DiceCommitted)
    chain = Chain(MATCH_ID, SERVER, revealed.seed, committed.length)
    assert chain.tip == committed.tip
    rolls = [event for event in scene.events() if isinstance(event, OpeningRolled | DiceRolled)]
    assert rolls
    assert all(event.server_link == chain.link(event.roll) for event in rolls)
    assert core.react(scene.match) is None
    assert refusal(scene, RevealSeeds(revealed.seed)) is Reason.WRONG_PHASE


def test_every_roll_of_a_log_can_be_checked_when_it_is_made() -> None:
    scene = opened(*BOTH)
    for turn in range(20):
        end_turn(scene, with_link=turn % 3 > 0)
        throw(scene, with_link=turn % 4 > 0)
    assert scene.match.dice.rolls > 20
    assert scene.events(LinkOmitted)
    _check_all(scene)


def _check_all(scene: Scene) -> None:
    known: dict[bytes, tuple[int, bytes]] = {}
    for event in scene.events():
        match event:
            case DiceCommitted(_, _, _, tip):
                known[SERVER] = 0, tip
            case SeedContributed(seat, _, tip):
                known[PARTY[seat]] = 0, tip
            case OpeningRolled(number, first, second, _, _, server, white, black) | DiceRolled(
                _, number, first, second, server, white, black
            ):
                for party, link in ((SERVER, server), (b"W", white), (b"B", black)):
                    if link:
                        assert is_link(MATCH_ID, party, number, link, *known[party])
                        known[party] = number, link
                assert (first, second) == roll(MATCH_ID, number, server, white, black)


def imported() -> Scene:
    scene = Scene()
    scene.do(OpenTable(seated("money").match.rules, WANDA))
    scene.do(JoinTable(BRUNO, source="a record"))
    return scene.settle()


def test_an_imported_match_takes_its_dice_from_the_record_and_nothing_reacts() -> None:
    scene = imported()
    assert core.react(scene.match) is None
    assert refusal(scene, RecordedOpening(3, 3)) is Reason.BAD_DICE
    assert scene.do(RecordedOpening(2, 5)) == (OpeningRolled(1, 2, 5, BLACK, 1),)
    assert core.react(scene.match) is None
    scene.do(MoveCheckers(BLACK, ((13, 8), (24, 22)), end_turn=True))
    assert refusal(scene, RecordedRoll(BLACK, (6, 6))) is Reason.NOT_YOUR_TURN
    assert scene.do(RecordedRoll(WHITE, (6, 6))) == (DiceRolled(WHITE, 2, 6, 6),)
    assert refusal(scene, RecordedOpening(2, 5)) is Reason.WRONG_PHASE
    scene.current = replace(scene.match, phase=Phase.OVER)
    assert core.react(scene.match) is None


def test_a_match_of_ours_takes_no_dice_from_a_record() -> None:
    assert refusal(started("money"), RecordedOpening(2, 5)) is Reason.FORBIDDEN
    assert refusal(position("money"), RecordedRoll(WHITE, (6, 5))) is Reason.FORBIDDEN


def test_a_turns_last_command_carries_the_link_for_the_roll_after_it() -> None:
    scene = opened(*BOTH)
    mover = scene.match.on_roll
    link = link_of(scene, mover)
    end_turn(scene, with_link=True)
    assert scene.events(TurnEnded) == [TurnEnded(mover, link)]
    assert refusal(scene, EndTurn(mover, link)) is Reason.WRONG_PHASE
