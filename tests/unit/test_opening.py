"""The opening: a die each, every tie in the log, and what ties do to the cube."""

from itertools import count

import pytest

from libs.backgammon.board import Board
from libs.backgammon.dice import SERVER, Chain, roll
from libs.backgammon.events import LinkRevealed, OpeningRolled, Seat
from libs.backgammon.match import Cube, Phase
from libs.backgammon.profiles import MOST_AUTOMATIC_DOUBLES, profile
from libs.backgammon.rules import Rules
from services.cube.core import OfferCube, TakeCube
from services.dice import core
from services.dice.core import RevealLink, StopWaiting
from tests.dice_scene import BOTH, end_turn, link_of
from tests.scene import BLACK, CHAINS, MATCH_ID, WHITE, Scene, started


def chain_with(ties: int, starter: Seat, *, players: bool = False) -> Chain:
    """A chain of the service by which the opening ties so often before this seat starts."""
    for number in count():
        chain = Chain(MATCH_ID, SERVER, number.to_bytes(32, "big"), 8)
        for index in range(1, ties + 2):
            links = [CHAINS[seat].link(index) if players else b"" for seat in Seat]
            white, black = roll(MATCH_ID, index, chain.link(index), *links)
            if index <= ties and white != black:
                break
            if index > ties and (white > black) is (starter is WHITE) and white != black:
                return chain
    raise AssertionError


def opened(rules: Rules | str, ties: int, starter: Seat = WHITE) -> Scene:
    """A game just opened, the players taking no part."""
    server = chain_with(ties, starter)
    scene = started(rules, server)
    scene.do(StopWaiting(server))
    assert scene.match.phase is Phase.MOVE
    return scene


def attempts(scene: Scene) -> list[OpeningRolled]:
    return [event for event in scene.events() if isinstance(event, OpeningRolled)]


@pytest.mark.parametrize("starter", Seat)
def test_the_higher_die_starts_and_plays_both_dice(starter: Seat) -> None:
    scene = opened("money", 0, starter)
    (attempt,) = attempts(scene)
    assert attempt.starter is starter
    assert (attempt.white > attempt.black) is (starter is WHITE)
    turn = scene.match.turn
    assert turn is not None
    assert (turn.dice, turn.start) == ((attempt.white, attempt.black), Board.start())
    assert (scene.match.on_roll, scene.match.to_act, scene.match.turns) == (starter, starter, 1)


@pytest.mark.parametrize("ties", [1, 2, 3])
def test_every_tie_is_in_the_log_and_rolled_again(ties: int) -> None:
    scene = opened("money", ties)
    rolled = attempts(scene)
    assert [attempt.roll for attempt in rolled] == list(range(1, ties + 2))
    assert all(attempt.white == attempt.black and attempt.starter is None for attempt in rolled[:-1])
    assert rolled[-1].starter is WHITE
    assert scene.match.opening_ties == ties
    assert scene.match.dice.rolls == ties + 1


def test_each_attempt_uses_links_of_its_own() -> None:
    server = chain_with(1, BLACK, players=True)
    scene = started("money", server, taking_part=BOTH)
    for index in (1, 2):
        for seat in Seat:
            scene.do(RevealLink(seat, link_of(scene, seat), server))
        assert attempts(scene)[-1].server_link == server.link(index)
        assert attempts(scene)[-1].white_link == CHAINS[WHITE].link(index)
        assert attempts(scene)[-1].black_link == CHAINS[BLACK].link(index)
    assert [event.starter for event in attempts(scene)] == [None, BLACK]
    assert len(scene.events(LinkRevealed)) == 4


def test_after_a_tie_the_links_for_the_next_attempt_have_their_own_time_to_come() -> None:
    server = chain_with(1, BLACK, players=True)
    scene = started("money", server, taking_part=BOTH)
    scene.now = 1_000_000
    for seat in Seat:
        scene.do(RevealLink(seat, link_of(scene, seat), server))
    assert core.react(scene.match) == core.Wake(1_000_000 + core.LINK_WAIT, StopWaiting)


@pytest.mark.parametrize(("option", "ties", "cube"), [(0, 2, 1), (1, 1, 2), (1, 3, 2), (2, 1, 2), (3, 3, 8)])
def test_automatic_doubles_stop_at_the_tables_limit(option: int, ties: int, cube: int) -> None:
    scene = opened(profile("money", automatic_doubles=option), ties)
    assert scene.match.cube == Cube(cube)
    doubled = [attempt.cube for attempt in attempts(scene)]
    assert doubled == [2 ** min(tie, option) for tie in range(1, ties + 1)] + [cube]


def test_an_automatic_double_leaves_the_cube_in_the_middle() -> None:
    scene = opened(profile("money", automatic_doubles=MOST_AUTOMATIC_DOUBLES), 1, WHITE)
    end_turn(scene, with_link=False)
    scene.do(OfferCube(BLACK))
    scene.do(TakeCube(WHITE))
    assert scene.match.cube == Cube(4, WHITE)
