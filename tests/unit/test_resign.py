"""Resignations in each profile's form: what they are worth, who answers, and when there is none."""

import pytest

from libs.backgammon.board import Worth
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    Ending,
    GameScored,
    MatchScored,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Seat,
)
from libs.backgammon.match import Cube, Phase
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.rules import Resigning
from services.cube.core import (
    AcceptResignation,
    BeaverCube,
    DeclineResignation,
    OfferCube,
    OfferResignation,
    PassCube,
    RaccoonCube,
)
from services.dice.core import RollDice
from services.rules.core import MoveCheckers
from tests.scene import BLACK, SERVER_CHAIN, WHITE, position, refusal, started

ANSWERED = [
    name
    for name, found in PROFILES.items()
    if found.rules.resigning in (Resigning.BY_PIPS, Resigning.OFFERED)
]
FAR = {24: 2, 13: 5, 8: 5, 7: 3}
"""174 pips, no checker home and none off."""


def single(seat: Seat) -> OfferResignation:
    return OfferResignation(seat, Worth.SINGLE)


def behind(pips: int, far: dict[int, int] = FAR) -> dict[int, int]:
    """Fifteen checkers for Black, so that White with these is so many pips behind."""
    low, high = divmod(sum(point * count for point, count in far.items()) - pips, 15)
    return {low: 15 - high, low + 1: high}


# --- by the 60-pip rule (page 000) ---


def test_sixty_pips_behind_with_no_checker_home_is_a_gammon_and_must_be_confirmed() -> None:
    scene = position("single", FAR, behind(60))
    assert scene.match.board.pips() == (174, 114)
    assert refusal(scene, OfferResignation(WHITE)) is Reason.CONFIRM_GAMMON
    confirmed = OfferResignation(WHITE, confirm_gammon=True)
    assert scene.do(confirmed) == (ResignationOffered(WHITE, Worth.GAMMON),)


def test_fifty_nine_pips_behind_is_a_single_game_even_when_a_gammon_was_confirmed() -> None:
    for confirm in (False, True):
        scene = position("single", FAR, behind(59))
        offered = scene.do(OfferResignation(WHITE, confirm_gammon=confirm))
        assert offered == (ResignationOffered(WHITE, Worth.SINGLE),)


@pytest.mark.parametrize("point", [1, 6])
def test_one_checker_home_makes_it_a_single_game(point: int) -> None:
    far = {24: 12, 13: 2, point: 1}
    scene = position("single", far, behind(200, far))
    assert scene.do(OfferResignation(WHITE)) == (ResignationOffered(WHITE, Worth.SINGLE),)


def test_a_checker_on_the_seven_point_is_not_home_and_one_off_is() -> None:
    outside, one_off = {24: 12, 13: 2, 7: 1}, {24: 12, 13: 2}
    assert refusal(position("single", outside, behind(200, outside)), single(WHITE)) is Reason.CONFIRM_GAMMON
    offered = position("single", one_off, behind(200, one_off)).do(single(WHITE))
    assert offered == (ResignationOffered(WHITE, Worth.SINGLE),)


def test_a_checker_on_the_bar_is_25_pips_behind_and_not_home() -> None:
    on_bar = {25: 2, 13: 13}
    scene = position("single", on_bar, behind(60, on_bar))
    assert refusal(scene, single(WHITE)) is Reason.CONFIRM_GAMMON


def test_the_rule_looks_at_the_one_who_resigns_whoever_is_on_roll() -> None:
    scene = position("single", behind(60), FAR, on_roll=WHITE, dice_=(2, 1))
    assert refusal(scene, OfferResignation(BLACK)) is Reason.CONFIRM_GAMMON
    assert scene.do(OfferResignation(WHITE)) == (ResignationOffered(WHITE, Worth.SINGLE),)


def test_checkers_count_where_they_stand_after_the_moves_made_so_far() -> None:
    far = {24: 2, 13: 5, 8: 5, 7: 3}
    scene = position("single", far, behind(60), dice_=(1, 2))
    scene.do(MoveCheckers(WHITE, ((8, 7),)))
    assert scene.do(OfferResignation(WHITE)) == (ResignationOffered(WHITE, Worth.SINGLE),)


def test_the_value_the_player_names_does_not_matter_under_the_rule() -> None:
    scene = position("match")
    assert scene.do(OfferResignation(WHITE, Worth.BACKGAMMON)) == (ResignationOffered(WHITE, Worth.SINGLE),)


# --- by a value the player offers (pages 003 and 004) ---


@pytest.mark.parametrize("worth", Worth)
@pytest.mark.parametrize("name", ["classic", "money", "series", "tournament"])
def test_an_accepted_offer_is_lost_at_the_value_offered(name: str, worth: Worth) -> None:
    scene = position(name, cube_=Cube(2, BLACK))
    scene.do(OfferResignation(BLACK, worth))
    accepted, scored = scene.do(AcceptResignation(WHITE))[:2]
    assert accepted == ResignationAccepted(WHITE)
    assert isinstance(scored, GameScored)
    assert (scored.winner, scored.points, scored.ending) == (WHITE, 2 * worth, Ending.RESIGNED)


@pytest.mark.parametrize("name", ["classic", "money", "series", "tournament"])
def test_an_offer_names_its_value(name: str) -> None:
    assert refusal(position(name), OfferResignation(WHITE)) is Reason.BAD_WORTH


def test_a_match_ends_with_the_resignation_that_gives_its_last_points() -> None:
    scene = position("tournament", score=(6, 0))
    scene.do(single(BLACK))
    assert scene.do(AcceptResignation(WHITE))[-1] == MatchScored(WHITE, 7, 0, Ending.POINTS_REACHED)


# --- at once (pages 001 and 002) ---


@pytest.mark.parametrize(
    ("name", "own", "worth", "points"),
    [
        ("reserve", {24: 15}, Worth.GAMMON, 2),
        ("reserve", {1: 15}, Worth.GAMMON, 2),
        ("reserve", {1: 14}, Worth.SINGLE, 1),
        ("casual", {24: 15}, Worth.SINGLE, 1),
        ("casual", {1: 14}, Worth.SINGLE, 1),
    ],
)
def test_an_immediate_resignation_ends_the_game_at_once(
    name: str, own: dict[int, int], worth: Worth, points: int
) -> None:
    scene = position(name, own, {6: 15})
    events = scene.do(OfferResignation(WHITE))
    assert events == (
        ResignationOffered(WHITE, worth),
        GameScored(BLACK, worth, 1, points, points, Ending.RESIGNED),
        MatchScored(BLACK, 0, points, Ending.GAMES_PLAYED),
    )
    assert (scene.match.phase, scene.match.resigning) == (Phase.OVER, None)
    assert refusal(scene, AcceptResignation(BLACK)) is Reason.MATCH_OVER


# --- answers ---


@pytest.mark.parametrize("name", ANSWERED)
def test_after_a_declined_resignation_play_goes_on_where_it_stood(name: str) -> None:
    scene = position(name, dice_=(3, 1))
    before = scene.match
    scene.do(single(BLACK))
    assert scene.match.to_act is WHITE
    assert scene.do(DeclineResignation(WHITE)) == (ResignationDeclined(WHITE),)
    after = scene.match
    assert (after.phase, after.to_act, after.resigning) == (Phase.MOVE, WHITE, None)
    assert (after.turn, after.cube, scene.score()) == (before.turn, before.cube, (0, 0))
    assert scene.do(MoveCheckers(WHITE, ((8, 5), (6, 5)), end_turn=True))


def test_in_one_turn_every_further_offer_must_be_worth_more_than_what_was_declined() -> None:
    scene = position("money", dice_=(3, 1))
    scene.do(single(BLACK))
    scene.do(DeclineResignation(WHITE))
    assert refusal(scene, single(BLACK)) is Reason.RESIGNATION_DECLINED
    scene.do(OfferResignation(BLACK, Worth.GAMMON))
    scene.do(DeclineResignation(WHITE))
    for worth in (Worth.SINGLE, Worth.GAMMON):
        assert refusal(scene, OfferResignation(BLACK, worth)) is Reason.RESIGNATION_DECLINED
    assert scene.do(OfferResignation(BLACK, Worth.BACKGAMMON))


def test_what_was_declined_binds_only_the_one_who_offered_it_and_only_for_the_turn() -> None:
    scene = position("money", dice_=(3, 1))
    scene.do(single(BLACK))
    scene.do(DeclineResignation(WHITE))
    scene.do(single(WHITE))
    scene.do(DeclineResignation(BLACK))
    scene.do(MoveCheckers(WHITE, ((8, 5), (6, 5)), end_turn=True))
    assert scene.do(single(BLACK)) == (ResignationOffered(BLACK, Worth.SINGLE),)


def test_only_the_opponent_answers_a_resignation() -> None:
    scene = position("money")
    for command in (AcceptResignation(WHITE), DeclineResignation(WHITE)):
        assert refusal(scene, command) is Reason.NOTHING_TO_ANSWER
    scene.do(single(WHITE))
    for command in (AcceptResignation(WHITE), DeclineResignation(WHITE)):
        assert refusal(scene, command) is Reason.NOT_YOUR_TURN


@pytest.mark.parametrize("seat", Seat)
def test_one_resignation_at_a_time(seat: Seat) -> None:
    scene = position("money")
    scene.do(single(WHITE))
    assert refusal(scene, single(seat)) is Reason.RESIGNATION_PENDING


def test_neither_cube_nor_dice_while_a_resignation_waits() -> None:
    scene = position("money")
    scene.do(single(BLACK))
    assert refusal(scene, OfferCube(WHITE)) is Reason.RESIGNATION_PENDING
    assert refusal(scene, RollDice(WHITE, b"", SERVER_CHAIN)) is Reason.RESIGNATION_PENDING


# --- when ---


@pytest.mark.parametrize("seat", Seat)
def test_a_player_may_resign_before_the_opening_before_the_roll_and_after_it(seat: Seat) -> None:
    for scene in (started("money"), position("money"), position("money", dice_=(3, 1))):
        assert scene.do(single(seat)) == (ResignationOffered(seat, Worth.SINGLE),)


@pytest.mark.parametrize("seat", Seat)
def test_nobody_resigns_while_a_cube_waits_for_its_answer(seat: Seat) -> None:
    scene = position(profile("money", beaver=True, raccoon=True))
    for command in (OfferCube(WHITE), BeaverCube(BLACK), RaccoonCube(WHITE)):
        scene.do(command)
        assert refusal(scene, single(seat)) is Reason.OFFER_PENDING
    scene.do(PassCube(BLACK))
    assert refusal(scene, single(seat)) is Reason.WRONG_PHASE


def test_nobody_resigns_a_game_that_is_won() -> None:
    scene = position("money", {1: 1}, {6: 15}, dice_=(2, 1))
    scene.do(MoveCheckers(WHITE, ((1, 0),)))
    assert refusal(scene, single(BLACK)) is Reason.WRONG_PHASE


def test_jacoby_caps_a_resignation_until_the_cube_is_turned() -> None:
    for cube, points in ((Cube(1), 1), (Cube(4), 4), (Cube(2, WHITE), 4)):
        scene = position(profile("money", jacoby=True), cube_=cube)
        scene.do(OfferResignation(WHITE, Worth.GAMMON))
        scene.do(AcceptResignation(BLACK))
        assert scene.score() == (0, points)
