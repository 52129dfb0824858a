"""What decisions of the dice service tell: rolls, whose links took part, and what was left out when."""

from dataclasses import replace

from libs.backgammon.dice import SERVER, Chain
from libs.backgammon.events import DiceRolled, OpeningRolled, Seat
from libs.backgammon.match import Phase
from libs.dicestats.accounts import Accounts
from libs.dicestats.observed import Left, Omission, Roll, observe, unproved
from services.dice.core import CommitDice, RevealLink, RollDice, StopWaiting
from tests.dice_scene import BOTH, link_of, opened, to_roll
from tests.scene import BLACK, MATCH_ID, SERVER_CHAIN, WHITE, Scene, seated, started


def omissions(scene: Scene) -> list[Omission]:
    """What the last decision tells was left out."""
    return list(observe(scene.log[-1]).omissions)


def test_a_roll_is_told_with_its_roller_and_whose_links_took_part() -> None:
    scene = to_roll(*BOTH, with_link=True)
    roller = scene.match.on_roll
    events = scene.do(RollDice(roller, b"", SERVER_CHAIN))
    rolled = next(event for event in events if isinstance(event, DiceRolled))
    (roll,) = observe(scene.log[-1]).rolls
    white, black = roller is not WHITE, roller is not BLACK
    assert roll == Roll(MATCH_ID, rolled.roll, roller, rolled.first, rolled.second, white, black)


def test_every_attempt_at_the_opening_is_a_roll_white_s_die_first() -> None:
    scene = opened()
    events = [event for event in scene.events(OpeningRolled) if isinstance(event, OpeningRolled)]
    told = [roll for decision in scene.log for roll in observe(decision).rolls]
    assert [(roll.number, roll.seat, roll.first, roll.second) for roll in told] == [
        (event.roll, None, event.white, event.black) for event in events
    ]


def test_a_tip_that_comes_late_is_left_out() -> None:
    scene = seated("money")
    scene.do(CommitDice(SERVER_CHAIN.tip, SERVER_CHAIN.length, "k1"))
    scene.do(StopWaiting(SERVER_CHAIN))
    assert omissions(scene) == [Omission(WHITE, Left.TIP), Omission(BLACK, Left.TIP)]


def test_who_says_that_he_takes_no_part_leaves_nothing_out() -> None:
    scene = opened()
    assert not [omission for decision in scene.log for omission in observe(decision).omissions]


def test_links_that_neither_seat_sends_are_no_last_links() -> None:
    scene = started("money", taking_part=BOTH)
    scene.do(StopWaiting(SERVER_CHAIN))
    assert omissions(scene) == [Omission(WHITE, Left.LINK), Omission(BLACK, Left.LINK)]


def test_an_opening_link_left_out_after_the_other_s_tells_who_won() -> None:
    results = set()
    for end in range(6):
        server = Chain(MATCH_ID, SERVER, bytes([end]) * 32, 64)
        scene = started("money", server, taking_part=BOTH)
        while scene.match.phase is Phase.OPENING:
            scene.do(RevealLink(WHITE, link_of(scene, WHITE), server))
            scene.do(StopWaiting(server))
        (omission,) = omissions(scene)
        assert omission == Omission(BLACK, Left.LAST_LINK, won=scene.match.on_roll is BLACK)
        results.add(omission.won)
    assert results == {True, False}


def test_a_link_left_out_of_a_tied_opening_wins_nothing() -> None:
    scene = started("money", taking_part=BOTH)
    scene.do(RevealLink(WHITE, link_of(scene, WHITE), SERVER_CHAIN))
    scene.do(StopWaiting(SERVER_CHAIN))
    decision = scene.log[-1]
    tied = tuple(
        replace(event, starter=None) if isinstance(event, OpeningRolled) else event
        for event in decision.events
    )
    assert observe(replace(decision, events=tied)).omissions == (Omission(BLACK, Left.LAST_LINK),)


def test_a_roller_who_leaves_his_link_out_knows_the_other_s_if_that_was_given() -> None:
    scene = to_roll(*BOTH, with_link=True)
    scene.do(RollDice(scene.match.on_roll, b"", SERVER_CHAIN))
    assert omissions(scene) == [Omission(scene.match.on_roll, Left.LAST_LINK)]


def test_a_roller_who_leaves_his_link_out_while_the_other_s_is_awaited_knows_nothing() -> None:
    scene = to_roll(*BOTH, with_link=False)
    scene.do(RollDice(scene.match.on_roll, b"", SERVER_CHAIN))
    assert omissions(scene) == [Omission(scene.match.on_roll, Left.LINK)]


def test_the_other_seat_s_link_that_does_not_come_after_the_roller_s_is_a_last_link() -> None:
    scene = to_roll(*BOTH, with_link=False)
    roller = scene.match.on_roll
    scene.do(RollDice(roller, link_of(scene, roller), SERVER_CHAIN))
    scene.do(StopWaiting(SERVER_CHAIN))
    assert omissions(scene) == [Omission(roller.other, Left.LAST_LINK)]


def rolled(*, first: int | None = None, server_link: bytes | None = None) -> Scene:
    """A roll, changed after it was made."""
    scene = to_roll(*BOTH, with_link=True)
    scene.do(RollDice(scene.match.on_roll, link_of(scene, scene.match.on_roll), SERVER_CHAIN))
    event = next(event for event in scene.log[-1].events if isinstance(event, DiceRolled))
    changed = replace(
        event,
        first=event.first if first is None else first,
        server_link=event.server_link if server_link is None else server_link,
    )
    scene.log[-1] = replace(scene.log[-1], events=(changed,))
    return scene


def test_a_roll_that_follows_from_its_links_is_right() -> None:
    assert observe(rolled().log[-1]).wrong == ()


def test_a_roll_that_does_not_follow_from_its_links_is_wrong_and_counted() -> None:
    right = rolled()
    (roll,) = observe(right.log[-1]).rolls
    observed = observe(rolled(first=roll.first % 6 + 1).log[-1])
    (wrong,) = observed.wrong
    assert (wrong.match_id, wrong.position, wrong.number) == (MATCH_ID, right.match.position, roll.number)
    assert wrong.why.startswith(f"{roll.first % 6 + 1}-{roll.second} is logged")
    assert len(observed.rolls) == 1


def test_what_no_die_shows_is_wrong_and_not_counted() -> None:
    observed = observe(rolled(first=7).log[-1])
    assert (len(observed.wrong), observed.rolls) == (1, ())


def test_a_roll_without_a_link_of_the_service_is_unproved() -> None:
    bare, whole = rolled(server_link=b"").log[-1], rolled().log[-1]
    assert (unproved(bare), unproved(whole)) == (True, False)
    assert [wrong.why for wrong in observe(bare).wrong] == ["it has no link of the service"]


def test_unchecked_nothing_is_wrong() -> None:
    assert observe(rolled(first=7).log[-1], check=False).wrong == ()


def test_accounts_are_bounded_and_those_stay_that_won_openings_or_left_out_most() -> None:
    accounts = Accounts(most=4)
    accounts.add("winner", Omission(Seat.WHITE, Left.LAST_LINK, won=True))
    for number in range(4):
        for _ in range(9 - number):
            accounts.add(f"absent-{number}", Omission(Seat.WHITE, Left.LINK))
    assert [one.account for one in accounts.all()][:2] == ["absent-0", "absent-3"]
    assert "winner" in [one.account for one in accounts.all()]
    assert (len(accounts.all()), accounts.forgotten) == (3, 3)
