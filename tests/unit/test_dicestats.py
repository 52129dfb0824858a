"""Fair dice pass, and each way of bending them is caught by the test that asks for it."""

import pytest

from libs.backgammon.events import Decision, Seat
from libs.dicestats.audit import Audit
from libs.dicestats.observed import Left, Observed, Omission, Roll, observe
from libs.dicestats.report import QUESTIONS, Report, holm, report
from libs.dicestats.tally import Tally
from tests.dice_rolls import Bend, derived, reported, rolls, seats, tallied

MATCHES = 200


def test_rolls_as_the_service_derives_them_are_fair() -> None:
    audit = Audit()
    for match in range(MATCHES):
        for number, seat in seats():
            event = derived(f"fair-{match}", number, seat)
            decision = Decision(f"fair-{match}", number, "", "", 0, 0, 0, b"", (event,))
            audit.add(observe(decision))
    found = audit.report()
    assert (found.rolls, found.suspicious, found.wrong_rolls) == (MATCHES * 120, [], 0)
    assert sum(found.counts.values()) == found.rolls


def a_loaded_die(made: Roll, _: Roll | None, chance: float) -> tuple[int, int]:
    """Every fifth first die that shows 1 is turned to 6."""
    return (6 if made.first == 1 and chance < 0.2 else made.first), made.second


def more_doublets(made: Roll, _: Roll | None, chance: float) -> tuple[int, int]:
    """Of 100 rolls, 3 more are doublets."""
    return (made.first, made.first) if chance < 0.036 else (made.first, made.second)


def alternating(made: Roll, before: Roll | None, chance: float) -> tuple[int, int]:
    """After a high roll a high one is turned over, one time in eight."""
    high = before is not None and before.first + before.second > 7 and made.first + made.second > 7
    return (7 - made.first, 7 - made.second) if high and chance < 0.125 else (made.first, made.second)


def sticky(made: Roll, before: Roll | None, chance: float) -> tuple[int, int]:
    """The first die shows what the second one showed before, one time in 25 more than it should."""
    return (before.second if before is not None and chance < 0.04 else made.first), made.second


def doublet_streaks(made: Roll, before: Roll | None, chance: float) -> tuple[int, int]:
    """After a doublet, one more in ten is a doublet."""
    again = before is not None and before.first == before.second and chance < 0.12
    return (made.first, made.first) if again else (made.first, made.second)


def kind_to_black(made: Roll, _: Roll | None, chance: float) -> tuple[int, int]:
    """Black's small rolls are turned over, one in seven."""
    kind = made.seat is Seat.BLACK and made.first + made.second < 7 and chance < 0.15
    return (7 - made.first, 7 - made.second) if kind else (made.first, made.second)


def kind_to_white_at_openings(made: Roll, _: Roll | None, chance: float) -> tuple[int, int]:
    lost = made.seat is None and made.first < made.second and chance < 0.4
    return (made.second, made.first) if lost else (made.first, made.second)


@pytest.mark.parametrize(
    ("bend", "name"),
    [
        (a_loaded_die, "rolls"),
        (a_loaded_die, "first-die"),
        (a_loaded_die, "all-dice"),
        (more_doublets, "doublets"),
        (alternating, "correlation"),
        (alternating, "runs"),
        (sticky, "next-die"),
        (doublet_streaks, "doublet-again"),
        (kind_to_black, "seats"),
        (kind_to_white_at_openings, "openings"),
    ],
)
def test_dice_that_are_bent_are_caught(bend: Bend, name: str) -> None:
    assert reported("bent", MATCHES, bend).suspicious.count(name) == 1


def test_what_bends_the_second_die_leaves_the_first_alone() -> None:
    found = reported("second", MATCHES, lambda one, *_: (one.first, 6 if one.second == 1 else one.second))
    assert "second-die" in found.suspicious
    assert "first-die" not in found.suspicious


def test_rolls_that_depend_on_whose_link_took_part_are_caught() -> None:
    tally = Tally()
    for one in rolls("links", MATCHES):
        left_out = one.seat is Seat.WHITE and one.number % 4 == 0
        kind = left_out and one.first + one.second < 7 and one.number % 3
        first, second = (7 - one.first, 7 - one.second) if kind else (one.first, one.second)
        made = Roll(
            one.match_id, one.number, one.seat, first, second, white_link=not left_out, black_link=True
        )
        tally.add(Observed((made,), (), ()))
    assert "links" in report(tally).suspicious


def openings_after_a_last_link(won: int, lost: int, account: str) -> Tally:
    tally = Tally()
    for number in range(won + lost):
        omission = Omission(Seat.WHITE, Left.LAST_LINK, won=number < won)
        tally.add(Observed((), (omission,), ()), {Seat.WHITE: account, Seat.BLACK: "other"})
    return tally


def test_an_account_that_refuses_openings_it_has_seen_is_caught() -> None:
    tally = openings_after_a_last_link(20, 0, "cheat")
    for honest in range(100):
        tally.merge(openings_after_a_last_link(5, 5, f"slow-{honest}"))
    found = report(tally)
    assert found.suspicious == ["withheld-account"]
    worst = found.accounts[0]
    assert (worst.account, worst.last_links, worst.won, worst.decided) == ("cheat", 20, 20, 20)


def test_many_accounts_that_each_refuse_a_few_are_caught_together() -> None:
    tally = Tally()
    for number in range(30):
        tally.merge(openings_after_a_last_link(2, 0, f"cheat-{number}"))
    assert report(tally).suspicious == ["withheld"]


def test_slow_clients_whose_openings_come_out_even_are_not_suspected() -> None:
    assert report(openings_after_a_last_link(100, 100, "slow")).suspicious == []


def test_p_values_of_fair_dice_are_spread_evenly() -> None:
    found = [reported(f"even-{number}", 6) for number in range(150)]
    for place, question in enumerate(QUESTIONS[:11]):
        values = [one.answers[place].measure.p for one in found]
        small = sum(p is not None and p < 0.1 for p in values)
        large = sum(p is not None and p > 0.5 for p in values)
        assert 3 <= small <= 28, question
        assert 50 <= large <= 110, question


def test_holm_corrects_as_by_hand() -> None:
    # 4 * 0.005, 3 * 0.01, 2 * 0.03, 1 * 0.04 below the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.4, 0.6]) == pytest.approx([0.8, 0.8])
    assert holm([0.9]) == [0.9]
    assert holm([]) == []


def test_a_test_that_could_not_be_made_does_not_count_in_the_correction() -> None:
    found = reported("few", 1)
    made = [answer for answer in found.answers if answer.holm is not None]
    assert len(made) < len(found.answers)
    smallest = min(made, key=lambda answer: answer.measure.p or 0)
    assert smallest.holm == pytest.approx(min(1, len(made) * (smallest.measure.p or 0)))


def test_of_too_few_rolls_nothing_is_said() -> None:
    found = report(tallied(list(rolls("few", 1))[:4]))
    assert all(answer.holm is None for answer in found.answers)
    assert found.suspicious == []


def comparable(found: Report) -> tuple[object, ...]:
    return found.rolls, found.counts, found.answers, found.omissions, found.accounts


def test_tallies_of_different_matches_merge_into_the_tally_of_all() -> None:
    together = tallied([*rolls("a", 5), *rolls("b", 5)])
    parts = tallied(rolls("a", 5))
    parts.merge(tallied(rolls("b", 5)))
    assert comparable(report(parts)) == comparable(report(together))


def test_matches_that_roll_at_the_same_time_are_kept_apart() -> None:
    one, other = list(rolls("a", 1)), list(rolls("b", 1))
    mixed = [roll for pair in zip(one, other, strict=True) for roll in pair]
    assert comparable(report(tallied(mixed))) == comparable(report(tallied([*one, *other])))


def test_rolls_with_one_between_them_are_no_pair() -> None:
    made = list(rolls("gap", 1))
    assert tallied([made[0], made[2]]).pairs.total() == 0
    assert tallied(made[:3]).pairs.total() == 2
