"""Where players' newest connections are, when several gateways tell of them."""

from libs.backgammon.microseconds import SECOND
from services.clock.places import CURRENT, PATIENCE, Places

BEGIN = 1_000 * SECOND
ANN = ("m", "ann")


def told(**numbers: int) -> Places:
    """Each of these gateways has told of Ann at BEGIN, with its number."""
    places = Places()
    for gateway, number in numbers.items():
        places.report(gateway, [(ANN, number)], [], BEGIN)
    return places


def test_the_connection_with_the_highest_number_is_the_newest_whoever_told_last() -> None:
    for places in (told(a=7, b=9), told(b=9, a=7)):
        assert places.newer("a", ANN, 7, BEGIN) == 9
        assert not places.newer("b", ANN, 9, BEGIN)


def test_of_two_with_the_same_number_exactly_one_is_the_newest() -> None:
    places = told(a=7, b=7, c=7)
    assert [bool(places.newer(gateway, ANN, 7, BEGIN)) for gateway in "abc"] == [True, True, False]


def test_who_is_at_one_gateway_only_has_no_newer_connection() -> None:
    assert not told(a=7).newer("a", ANN, 7, BEGIN)
    assert not Places().newer("a", ANN, 7, BEGIN)


def test_a_newer_connection_counts_no_more_when_it_has_left_or_is_not_told_of_again() -> None:
    places = told(a=7, b=9)
    assert places.newer("a", ANN, 7, BEGIN + CURRENT)
    assert not places.newer("a", ANN, 7, BEGIN + CURRENT + 1)
    places.report("b", [], [ANN], BEGIN)
    assert not places.newer("a", ANN, 7, BEGIN)


def test_a_gateway_vouches_for_the_players_it_had_when_it_was_last_heard_until_it_is_given_up() -> None:
    places = told(a=7)
    assert places.vouched(ANN, BEGIN + PATIENCE)
    assert not places.vouched(ANN, BEGIN + PATIENCE + 1)
    assert not places.vouched(("m", "bob"), BEGIN)


def test_a_gateway_that_is_heard_vouches_for_nobody_it_does_not_name_any_more() -> None:
    places = told(a=7)
    places.report("a", [], [], BEGIN + CURRENT)
    assert places.vouched(ANN, BEGIN + CURRENT)
    places.report("a", [], [], BEGIN + CURRENT + 1)
    assert not places.vouched(ANN, BEGIN + CURRENT + 1)


def test_when_a_match_is_over_nothing_is_known_of_its_players() -> None:
    places = told(a=7, b=9)
    places.forget(ANN)
    assert not places.vouched(ANN, BEGIN)
    assert not places.newer("a", ANN, 7, BEGIN)


def test_gateways_that_are_gone_are_forgotten_with_all_they_told() -> None:
    places = told(a=7)
    places.report("b", [], [], BEGIN + PATIENCE + 1)
    places.report("a", [], [], BEGIN + PATIENCE + 1)
    assert not places.vouched(ANN, BEGIN + PATIENCE + 1), "it begins anew"
