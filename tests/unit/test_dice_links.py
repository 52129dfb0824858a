"""Links and rolls: which link is wanted from whom and when, and what happens to those that do not come."""

from dataclasses import replace

from libs.backgammon.board import Worth
from libs.backgammon.dice import roll
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    DiceRolled,
    Event,
    LinkOmitted,
    LinkRevealed,
    OpeningRolled,
    RollRequested,
    Seat,
)
from libs.backgammon.match import SeatChain
from services.cube.core import (
    AcceptResignation,
    DeclineResignation,
    OfferCube,
    OfferResignation,
    StartGame,
    TakeCube,
)
from services.dice import core
from services.dice.core import (
    LINK_WAIT,
    CommitDice,
    ContributeSeed,
    RevealLink,
    RollDice,
    StopWaiting,
    Wake,
)
from services.rules.core import MoveCheckers, SetAutomaticPlay
from tests.dice_scene import BOTH, end_turn, link_of, opened, to_roll
from tests.scene import (
    BLACK,
    CHAINS,
    MATCH_ID,
    SERVER_CHAIN,
    WHITE,
    position,
    refusal,
    seated,
    started,
)


def test_a_wrong_link_is_refused() -> None:
    scene = started("money", taking_part=BOTH)
    for wrong in (b"\x00" * 32, CHAINS[WHITE].link(2), CHAINS[BLACK].link(1), CHAINS[WHITE].tip, b"short"):
        assert refusal(scene, RevealLink(WHITE, wrong, SERVER_CHAIN)) is Reason.BAD_LINK


def test_a_wrong_link_is_refused_with_the_command_that_carries_it() -> None:
    scene = to_roll(*BOTH)
    wrong = RollDice(scene.match.on_roll, b"\x00" * 32, SERVER_CHAIN)
    assert refusal(scene, wrong) is Reason.BAD_LINK
    last = position("money", {6: 2, 5: 13}, {1: 15}, dice_=(2, 1))
    given = replace(last.match.dice, white=SeatChain(known=CHAINS[WHITE].tip))
    last.current = replace(last.match, dice=given)
    end = MoveCheckers(WHITE, ((6, 4), (5, 4)), end_turn=True, link=b"\x00" * 32)
    assert refusal(last, end) is Reason.BAD_LINK
    assert last.do(replace(end, end_turn=False, link=b"\x00" * 32))  # nothing ends, so no link is looked at


def test_a_seat_that_takes_no_part_has_no_link_to_give() -> None:
    scene = started("money", taking_part=(WHITE,))
    assert refusal(scene, RevealLink(BLACK, CHAINS[BLACK].link(1), SERVER_CHAIN)) is Reason.NO_LINK_WANTED


def test_no_link_is_heard_before_both_tips_are_in() -> None:
    # Who still chooses his chain must not know the other's link: with the service's help he could pick rolls.
    scene = seated("money")
    scene.do(CommitDice(SERVER_CHAIN.tip, 64, "k1"))
    scene.do(ContributeSeed(WHITE, CHAINS[WHITE].tip))
    assert refusal(scene, RevealLink(WHITE, CHAINS[WHITE].link(1), SERVER_CHAIN)) is Reason.NO_LINK_WANTED


def test_no_link_is_heard_with_the_end_of_a_turn_before_both_tips_are_in() -> None:
    scene = position("money", {6: 2, 5: 13}, {1: 15}, dice_=(2, 1))
    half = replace(scene.match.dice, white=SeatChain(known=CHAINS[WHITE].tip), black=None)
    scene.current = replace(scene.match, dice=half)
    command = MoveCheckers(WHITE, ((6, 4), (5, 4)), end_turn=True, link=CHAINS[WHITE].link(1))
    assert refusal(scene, command) is Reason.NO_LINK_WANTED


def test_a_link_skipped_by_its_client_leaves_the_next_one_good() -> None:
    scene = to_roll(*BOTH, with_link=False)
    roller, number = scene.match.on_roll, scene.match.dice.rolls + 1
    scene.do(RollDice(roller, link_of(scene, roller), SERVER_CHAIN))
    assert scene.do(StopWaiting(SERVER_CHAIN))[0] == LinkOmitted(roller.other, number)
    end_turn(scene, with_link=True)
    dice = scene.match.dice
    (rolled,) = scene.do(RollDice(roller.other, link_of(scene, roller.other), SERVER_CHAIN))
    assert isinstance(rolled, DiceRolled)
    chain = dice.seat(roller.other)
    assert chain is not None
    assert chain.index < dice.index - 1
    assert CHAINS[roller.other].link(dice.index) in (rolled.white_link, rolled.black_link)


def test_a_roll_is_made_at_once_when_the_turn_before_left_its_link() -> None:
    scene = to_roll(*BOTH, with_link=True)
    roller, number = scene.match.on_roll, scene.match.dice.rolls + 1
    links = {seat: link_of(scene, seat) for seat in Seat}
    (rolled,) = scene.do(RollDice(roller, links[roller], SERVER_CHAIN))
    expected = roll(MATCH_ID, number, SERVER_CHAIN.link(number), links[WHITE], links[BLACK])
    assert rolled == DiceRolled(
        roller, number, *expected, SERVER_CHAIN.link(number), links[WHITE], links[BLACK]
    )
    assert scene.match.turn is not None
    assert scene.match.turn.dice == expected


def test_a_roll_waits_for_the_other_seats_link() -> None:
    scene = to_roll(*BOTH)
    roller, number = scene.match.on_roll, scene.match.dice.rolls + 1
    scene.now = 5_000_000
    link = link_of(scene, roller)
    assert scene.do(RollDice(roller, link, SERVER_CHAIN)) == (RollRequested(roller, number, link),)
    assert scene.do(RollDice(roller, link, SERVER_CHAIN)) == ()
    assert core.react(scene.match) == Wake(5_000_000 + LINK_WAIT, StopWaiting)
    revealed, rolled = scene.do(RevealLink(roller.other, link_of(scene, roller.other), SERVER_CHAIN))
    assert isinstance(revealed, LinkRevealed)
    assert isinstance(rolled, DiceRolled)
    assert b"" not in (rolled.white_link, rolled.black_link)
    assert core.react(scene.match) is None


def test_a_roll_goes_without_a_link_that_does_not_come() -> None:
    scene = to_roll(*BOTH)
    roller, number = scene.match.on_roll, scene.match.dice.rolls + 1
    scene.do(RollDice(roller, link_of(scene, roller), SERVER_CHAIN))
    omitted, rolled = scene.do(StopWaiting(SERVER_CHAIN))
    assert omitted == LinkOmitted(roller.other, number)
    assert isinstance(rolled, DiceRolled)
    assert (rolled.white_link if roller is BLACK else rolled.black_link) == b""


def test_a_roller_who_keeps_his_link_is_left_out_before_the_others_is_counted() -> None:
    scene = to_roll(*BOTH)
    roller, number = scene.match.on_roll, scene.match.dice.rolls + 1
    assert scene.do(RollDice(roller, b"", SERVER_CHAIN)) == (
        LinkOmitted(roller, number),
        RollRequested(roller, number, b""),
    )
    _, rolled = scene.do(RevealLink(roller.other, link_of(scene, roller.other), SERVER_CHAIN))
    assert isinstance(rolled, DiceRolled)
    assert (rolled.white_link if roller is WHITE else rolled.black_link) == b""


def test_a_link_logged_as_left_out_stays_left_out() -> None:
    scene = to_roll(*BOTH)
    roller = scene.match.on_roll
    link = link_of(scene, roller)
    scene.do(RollDice(roller, b"", SERVER_CHAIN))
    scene.do(OfferResignation(roller.other, Worth.SINGLE))
    scene.do(AcceptResignation(roller))
    assert refusal(scene, RevealLink(roller, link, SERVER_CHAIN)) is Reason.NO_LINK_WANTED


def test_the_rollers_link_comes_only_with_his_roll() -> None:
    scene = opened(*BOTH)
    next_roller = scene.match.on_roll.other
    early = RevealLink(next_roller, link_of(scene, next_roller), SERVER_CHAIN)
    assert refusal(scene, early) is Reason.NO_LINK_WANTED
    end_turn(scene, with_link=True)
    assert refusal(scene, early) is Reason.NO_LINK_WANTED
    scene.do(OfferCube(next_roller))
    assert refusal(scene, early) is Reason.NO_LINK_WANTED
    scene.do(TakeCube(next_roller.other))
    assert isinstance(scene.do(RollDice(next_roller, early.link, SERVER_CHAIN))[0], DiceRolled)


def test_the_other_seat_may_give_its_link_before_it_is_asked() -> None:
    scene = to_roll(*BOTH)
    roller = scene.match.on_roll
    assert len(scene.do(RevealLink(roller.other, link_of(scene, roller.other), SERVER_CHAIN))) == 1
    assert isinstance(scene.do(RollDice(roller, link_of(scene, roller), SERVER_CHAIN))[0], DiceRolled)


def test_nobody_doubles_once_he_has_asked_for_the_dice() -> None:
    scene = to_roll(*BOTH)
    roller = scene.match.on_roll
    scene.do(RollDice(roller, link_of(scene, roller), SERVER_CHAIN))
    assert refusal(scene, OfferCube(roller)) is Reason.WRONG_PHASE


def test_a_roll_asked_for_dies_with_its_game() -> None:
    scene = to_roll(*BOTH)
    roller = scene.match.on_roll
    scene.do(RollDice(roller, link_of(scene, roller), SERVER_CHAIN))
    scene.do(OfferResignation(roller.other, Worth.SINGLE))
    assert core.react(scene.match) is None
    scene.do(AcceptResignation(roller))
    assert core.react(scene.match) is None
    assert refusal(scene, StopWaiting(SERVER_CHAIN)) is Reason.WRONG_PHASE
    revealed = scene.do(RevealLink(roller.other, link_of(scene, roller.other), SERVER_CHAIN))
    assert [type(event) for event in revealed] == [LinkRevealed]
    # The links that are out already serve the next game's opening: its number is that of the dead roll.
    scene.do(StartGame())
    assert core.react(scene.match) == Wake(0, StopWaiting)
    opening = scene.do(StopWaiting(SERVER_CHAIN))[0]
    assert isinstance(opening, OpeningRolled)
    assert b"" not in (opening.white_link, opening.black_link)


def test_a_roll_asked_for_comes_after_a_resignation_is_declined() -> None:
    scene = to_roll()
    scene.do(OfferResignation(scene.match.on_roll, Worth.SINGLE))
    roll_dice = RollDice(scene.match.on_roll, b"", SERVER_CHAIN)
    assert refusal(scene, roll_dice) is Reason.RESIGNATION_PENDING
    scene.do(DeclineResignation(scene.match.on_roll.other))
    assert isinstance(scene.do(roll_dice)[0], DiceRolled)


def test_only_the_side_on_roll_rolls_and_only_in_its_turn() -> None:
    scene = to_roll()
    roller = scene.match.on_roll
    assert refusal(scene, RollDice(roller.other, b"", SERVER_CHAIN)) is Reason.NOT_YOUR_TURN
    scene.do(RollDice(roller, b"", SERVER_CHAIN))
    assert refusal(scene, RollDice(roller.other, b"", SERVER_CHAIN)) is Reason.WRONG_PHASE
    assert refusal(started("money"), RollDice(WHITE, b"", SERVER_CHAIN)) is Reason.WRONG_PHASE


def test_one_roll_a_turn_also_for_the_starter() -> None:
    scene = opened()
    assert scene.do(RollDice(scene.match.on_roll, b"", SERVER_CHAIN)) == ()


def test_no_roll_is_made_before_the_dice_are_committed() -> None:
    scene = position("money")
    scene.current = replace(scene.match, dice=replace(scene.match.dice, black=None))
    assert refusal(scene, RollDice(WHITE, b"", SERVER_CHAIN)) is Reason.NO_COMMITMENT


def test_nothing_the_service_can_vary_enters_a_roll() -> None:
    def rolled_at(now: int) -> list[Event]:
        scene = started("money", taking_part=BOTH)
        scene.now = now
        scene.do(RevealLink(WHITE, link_of(scene, WHITE), SERVER_CHAIN))
        scene.do(RevealLink(BLACK, link_of(scene, BLACK), SERVER_CHAIN))
        return scene.events(OpeningRolled)

    assert rolled_at(1_000) == rolled_at(987_654_321)


# --- automatic rolls ---


def test_an_automatic_roll_waits_for_both_links_as_any_other_does() -> None:
    scene = to_roll(*BOTH)
    roller = scene.match.on_roll
    scene.now = 7_000_000
    scene.do(SetAutomaticPlay(roller, automatic_roll=True, automatic_bear_off=False))
    assert core.react(scene.match) == Wake(7_000_000 + LINK_WAIT, StopWaiting)
    assert len(scene.do(RevealLink(roller, link_of(scene, roller), SERVER_CHAIN))) == 1
    _, rolled = scene.do(RevealLink(roller.other, link_of(scene, roller.other), SERVER_CHAIN))
    assert isinstance(rolled, DiceRolled)
    assert b"" not in (rolled.white_link, rolled.black_link)


def test_an_automatic_roll_leaves_out_the_links_that_do_not_come() -> None:
    scene = to_roll(*BOTH)
    scene.do(SetAutomaticPlay(scene.match.on_roll, automatic_roll=True, automatic_bear_off=False))
    events = scene.do(StopWaiting(SERVER_CHAIN))
    assert [type(event) for event in events] == [LinkOmitted, LinkOmitted, DiceRolled]


def test_nobody_doubles_while_the_system_rolls_for_him() -> None:
    scene = to_roll()
    roller = scene.match.on_roll
    scene.do(SetAutomaticPlay(roller, automatic_roll=True, automatic_bear_off=False))
    assert refusal(scene, OfferCube(roller)) is Reason.AUTOMATIC_ROLL
    scene.do(SetAutomaticPlay(roller, automatic_roll=False, automatic_bear_off=False))
    assert scene.do(OfferCube(roller))
