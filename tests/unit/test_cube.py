"""The cube: who may turn it, who owns it, what a pass costs."""

from dataclasses import replace

import pytest

from libs.backgammon.board import Worth
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import CubeOffered, CubePassed, CubeTaken, Ending, GameScored, GameStarted
from libs.backgammon.match import Cube, Phase
from libs.backgammon.profiles import profile
from services.cube.core import (
    AcceptResignation,
    BeaverCube,
    OfferCube,
    OfferResignation,
    PassCube,
    RaccoonCube,
    StartGame,
    TakeCube,
)
from services.dice.core import RollDice
from tests.scene import BLACK, SERVER_CHAIN, WHITE, Scene, position

MONEY = profile("money", beaver=True, raccoon=True, jacoby=True)


def refusal(scene: Scene, command: object) -> Reason:
    before = scene.match
    with pytest.raises(RefusedError) as refused:
        scene.do(command)
    assert scene.match == before
    return refused.value.reason


def test_a_taken_cube_belongs_to_the_taker() -> None:
    scene = position("match")
    assert scene.do(OfferCube(WHITE)) == (CubeOffered(WHITE, 2),)
    assert scene.do(TakeCube(BLACK)) == (CubeTaken(BLACK, 2, BLACK),)
    assert scene.match.cube == Cube(2, BLACK)
    assert (scene.match.phase, scene.match.on_roll) == (Phase.ROLL, WHITE)


def test_a_passed_cube_loses_what_it_showed_before_the_offer() -> None:
    scene = position("match", score=(1, 3))
    scene.do(OfferCube(WHITE))
    passed, scored = scene.do(PassCube(BLACK))
    assert passed == CubePassed(BLACK)
    assert scored == GameScored(WHITE, Worth.SINGLE, 1, 1, 1, Ending.CUBE_PASSED)
    assert (scene.match.white_points, scene.match.black_points) == (2, 3)


def test_a_passed_offer_leaves_no_offer_behind() -> None:
    scene = position("single", cube_=Cube(2, WHITE))
    scene.do(OfferCube(WHITE))
    scene.do(PassCube(BLACK))
    assert scene.match.phase is Phase.OVER
    assert scene.match.cube == Cube(2, WHITE)
    assert (scene.match.winner, scene.match.white_points) == (WHITE, 2)


def test_only_the_side_on_roll_doubles() -> None:
    assert refusal(position("match"), OfferCube(BLACK)) is Reason.NOT_YOUR_TURN


def test_nobody_doubles_after_the_roll() -> None:
    assert refusal(position("match", dice_=(3, 1)), OfferCube(WHITE)) is Reason.WRONG_PHASE


def test_nobody_turns_the_other_sides_cube() -> None:
    assert refusal(position("match", cube_=Cube(2, BLACK)), OfferCube(WHITE)) is Reason.CUBE_NOT_YOURS


def test_there_is_no_cube_in_the_crawford_game() -> None:
    assert refusal(position("match", score=(4, 2), crawford=True), OfferCube(BLACK)) is Reason.NOT_YOUR_TURN
    scene = position("match", score=(4, 2), crawford=True, on_roll=BLACK)
    assert refusal(scene, OfferCube(BLACK)) is Reason.CRAWFORD


def test_the_cube_is_dead_for_a_leader_whose_cube_already_wins_the_match() -> None:
    scene = position(profile("match", points=3), score=(1, 0), cube_=Cube(2, WHITE))
    assert refusal(scene, OfferCube(WHITE)) is Reason.DEAD_CUBE


def test_a_one_point_match_has_neither_crawford_game_nor_cube() -> None:
    scene = position(profile("series", points=1))
    assert not scene.match.crawford
    assert refusal(scene, OfferCube(WHITE)) is Reason.DEAD_CUBE


@pytest.mark.parametrize("name", ["reserve", "casual"])
def test_profiles_without_a_cube_refuse_it(name: str) -> None:
    assert refusal(position(name), OfferCube(WHITE)) is Reason.NO_CUBE


def test_the_cube_stops_at_its_cap_but_not_in_tournaments() -> None:
    assert refusal(position("money", cube_=Cube(64, WHITE)), OfferCube(WHITE)) is Reason.CUBE_AT_MAXIMUM
    assert position("money", cube_=Cube(32, WHITE)).do(OfferCube(WHITE)) == (CubeOffered(WHITE, 64),)
    long_match = profile("tournament", points=64)
    assert position(long_match, cube_=Cube(32, WHITE)).do(OfferCube(WHITE)) == (CubeOffered(WHITE, 64),)
    uncapped = replace(long_match, points=1000)
    assert position(uncapped, cube_=Cube(64, WHITE)).do(OfferCube(WHITE)) == (CubeOffered(WHITE, 128),)


def test_only_answers_are_heard_while_an_offer_is_open() -> None:
    scene = position("match")
    scene.do(OfferCube(WHITE))
    assert refusal(scene, RollDice(WHITE, b"", SERVER_CHAIN)) is Reason.OFFER_PENDING
    assert refusal(scene, TakeCube(WHITE)) is Reason.NOT_YOUR_TURN
    assert refusal(scene, OfferResignation(BLACK)) is Reason.OFFER_PENDING
    scene.do(PassCube(BLACK))
    assert refusal(scene, TakeCube(BLACK)) is Reason.NOTHING_TO_ANSWER


def test_a_beaver_is_refused_where_the_table_has_none() -> None:
    scene = position("money")
    scene.do(OfferCube(WHITE))
    assert refusal(scene, BeaverCube(BLACK)) is Reason.NO_BEAVER


def test_a_beavered_cube_stays_with_the_beaverer_at_four_times_its_old_value() -> None:
    scene = position(MONEY)
    scene.do(OfferCube(WHITE))
    scene.do(BeaverCube(BLACK))
    assert (scene.match.phase, scene.match.to_act) == (Phase.BEAVERED, WHITE)
    scene.do(TakeCube(WHITE))
    assert scene.match.cube == Cube(4, BLACK)
    assert (scene.match.phase, scene.match.to_act) == (Phase.ROLL, WHITE)


def test_a_doubler_who_passes_a_beaver_loses_twice_the_old_value() -> None:
    scene = position(MONEY)
    scene.do(OfferCube(WHITE))
    scene.do(BeaverCube(BLACK))
    scene.do(PassCube(WHITE))
    assert (scene.match.white_points, scene.match.black_points) == (0, 2)


def test_a_raccoon_goes_back_to_the_doubler_and_its_pass_costs_the_beavered_value() -> None:
    def raccooned() -> Scene:
        scene = position(MONEY)
        for command in (OfferCube(WHITE), BeaverCube(BLACK), RaccoonCube(WHITE)):
            scene.do(command)
        assert (scene.match.phase, scene.match.to_act) == (Phase.RACCOONED, BLACK)
        return scene

    taken, passed = raccooned(), raccooned()
    taken.do(TakeCube(BLACK))
    assert taken.match.cube == Cube(8, WHITE)
    passed.do(PassCube(BLACK))
    assert (passed.match.white_points, passed.match.black_points) == (4, 0)


def test_a_beaver_above_the_cap_is_refused() -> None:
    scene = position(MONEY, cube_=Cube(32, WHITE))
    scene.do(OfferCube(WHITE))
    assert refusal(scene, BeaverCube(BLACK)) is Reason.CUBE_AT_MAXIMUM


def test_the_crawford_game_comes_once_and_the_games_after_it_have_a_cube() -> None:
    scene = position(profile("match", points=3), score=(0, 0), on_roll=WHITE, cube_=Cube(2, BLACK))
    scene.do(OfferResignation(BLACK))
    scene.do(AcceptResignation(WHITE))
    assert scene.match.white_points == 2
    scene.do(StartGame())
    scene.current = replace(scene.match, phase=Phase.ROLL, on_roll=BLACK)
    assert refusal(scene, OfferCube(BLACK)) is Reason.CRAWFORD
    scene.do(OfferResignation(WHITE))
    scene.do(AcceptResignation(BLACK))
    scene.do(StartGame())
    scene.current = replace(scene.match, phase=Phase.ROLL, on_roll=BLACK)
    assert scene.do(OfferCube(BLACK)) == (CubeOffered(BLACK, 2),)
    assert scene.events(GameStarted)[1:] == [GameStarted(2, crawford=True), GameStarted(3, crawford=False)]


def test_classic_matches_know_no_crawford_game() -> None:
    scene = position(profile("classic", points=3), score=(2, 0), on_roll=BLACK)
    assert not scene.match.crawford
    assert scene.do(OfferCube(BLACK)) == (CubeOffered(BLACK, 2),)
