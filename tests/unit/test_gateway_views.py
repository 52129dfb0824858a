"""A match as clients see it: view, digest, snapshot, legal moves, drawing."""

import hashlib
from dataclasses import replace

import pytest

from libs.backgammon.board import Worth
from libs.backgammon.board_text import board_text, status_text
from libs.backgammon.events import Ending, Seat
from libs.backgammon.match import Cube, Phase
from libs.backgammon.match_view import digest, view_of
from libs.backgammon.plays import legal_plays
from libs.backgammon.turn import Turn, next_moves, play
from libs.backgammon.view import GameState
from libs.backgammon.xgid import view_from_xgid, xgid
from services.cube.core import OfferCube, OfferResignation, PassCube
from services.gateway.moves import completions, moves_of
from services.gateway.snapshot import snapshot
from tests.scene import BLACK, CHAINS, WHITE, Scene, position, started
from videau.gateway.v1 import gateway_pb2 as pb
from videau.match.v1.events_pb2 import SEAT_BLACK, SEAT_UNSPECIFIED, SEAT_WHITE


def test_a_view_is_from_the_side_on_roll() -> None:
    scene = position("match", {6: 5, 8: 3}, {6: 4, 1: 2}, on_roll=BLACK, cube_=Cube(2, BLACK), score=(1, 3))
    view = view_of(scene.match)
    mover, opponent = view.board.counts()
    assert (mover[6], opponent[8]) == (4, 3)
    assert (view.score, view.owner, view.white_on_roll, view.length) == ((3, 1), 1, False, 5)
    assert xgid(view_from_xgid(xgid(view))) == xgid(view)


def test_an_offered_cube_shows_the_value_before_the_offer_and_waits_for_the_other_side() -> None:
    scene = position("money", {6: 5}, {6: 5})
    scene.do(OfferCube(WHITE))
    view = view_of(scene.match)
    assert (view.doubled, view.cube, view.white_on_roll) == (True, 1, True)
    assert ":D:" in xgid(view)


def test_resignations_are_seen_from_the_side_on_roll() -> None:
    scene = position("money", {6: 5}, {6: 5}, on_roll=BLACK)
    scene.do(OfferResignation(WHITE, Worth.GAMMON))
    assert view_of(scene.match).resigned == -2


def test_between_two_games_the_last_position_stands_with_the_new_score_and_no_crawford_game() -> None:
    game = position("match", {6: 5}, {6: 5}, score=(4, 3), crawford=True).match
    assert view_of(game).crawford
    view = view_of(replace(game, phase=Phase.BETWEEN, white_points=5))
    assert (view.crawford, view.score, view.board) == (False, (5, 3), game.board)


def test_a_passed_cube_leaves_the_game_passed() -> None:
    scene = position("money", {6: 5}, {6: 5})
    scene.current = replace(scene.match, game=1)
    scene.do(OfferCube(WHITE))
    scene.do(PassCube(BLACK))
    assert scene.match.last_game is not None
    assert scene.match.last_game.ending is Ending.CUBE_PASSED
    assert view_of(scene.match).state is GameState.PASSED


def test_a_score_beyond_the_notations_does_not_break_a_view() -> None:
    scene = position("money", {6: 5}, {6: 5}, score=(10**6, 0), cube_=Cube(2**20, WHITE))
    assert view_of(scene.match).score[0] == 2**15 - 1
    assert digest(scene.match)


def test_a_digest_is_what_the_protocol_says_and_changes_with_everything_that_matters() -> None:
    match = position("money", {6: 5}, {6: 5}).match
    text = f"{match.match_id}:{match.position}:{xgid(view_of(match))}:5"
    assert digest(match) == hashlib.sha256(text.encode()).hexdigest()[:16]
    others = [
        replace(match, match_id="other"),
        replace(match, position=match.position + 1),
        replace(match, phase=Phase.BETWEEN),
        replace(match, on_roll=BLACK),
        replace(match, white_points=1),
        replace(match, cube=Cube(2, WHITE)),
        position("money", {6: 4, 5: 1}, {6: 5}).match,
    ]
    assert len({digest(one) for one in [match, *others]}) == 8


def test_a_snapshot_holds_each_sides_own_points_and_the_moves_so_far() -> None:
    scene = position("money", {6: 5, 8: 3}, {13: 2, 24: 2}, on_roll=BLACK, dice_=(6, 1))
    turn = scene.match.turn
    assert turn is not None
    begun = play(turn, scene.match.rules, [(13, 7)])
    scene.current = replace(scene.match, turn=begun)
    shown = snapshot(scene.match)
    assert (shown.white_checkers[6], shown.white_checkers[8]) == (5, 3)
    assert (shown.black_checkers[13], shown.black_checkers[7]) == (1, 1)
    assert (list(shown.dice), len(shown.moves), shown.moves[0].target) == ([6, 1], 1, 7)
    assert (shown.on_roll, shown.to_act, shown.resigning) == (SEAT_BLACK, SEAT_BLACK, SEAT_UNSPECIFIED)
    assert shown.xgid == xgid(view_of(scene.match))


def test_a_snapshot_tells_a_client_what_its_part_in_the_dice_is() -> None:
    scene = started("money", taking_part=(WHITE,))
    dice = snapshot(scene.match).dice_protocol
    assert (dice.white, dice.black) == (pb.PART_LINK_WANTED, pb.PART_DECLINED)
    assert (dice.next_roll, dice.next_link, dice.white_index) == (1, 1, 0)
    assert dice.white_known == CHAINS[WHITE].tip
    assert not dice.black_known


def test_a_snapshot_of_an_open_offer_names_the_doubler_and_who_must_answer() -> None:
    scene = position("money", {6: 5}, {6: 5})
    scene.do(OfferCube(WHITE))
    shown = snapshot(scene.match)
    assert (shown.cube.value, shown.cube.offered, shown.cube.offered_by) == (1, 2, SEAT_WHITE)
    assert (shown.phase, shown.to_act) == (pb.PHASE_OFFERED, SEAT_BLACK)


def ends(scene: Scene, moves: list[tuple[int, int]]) -> tuple[set[int], set[int]]:
    """Where the turn may end by `completions`, and by playing it step by step in all ways."""
    rules, turn = scene.match.rules, scene.match.turn
    assert turn is not None
    turn = play(turn, rules, moves)
    told = set()
    for more in completions(turn, rules):
        board = turn.board
        for move in more:
            board = board.after(move)
        told.add(board.packed)
    found: set[int] = set()
    open_ = [turn]
    while open_:
        one = open_.pop()
        following = next_moves(one, rules)
        if not following and one.moves != turn.moves:
            found.add(one.board.packed)
        open_ += [play(one, rules, [(m.origin, m.target)]) for m in following]
    return told, found


@pytest.mark.parametrize(
    ("dice", "moves"),
    [
        ((6, 1), []),
        ((6, 1), [(13, 7)]),
        ((3, 3), []),
        ((3, 3), [(13, 10)]),
        ((3, 3), [(13, 10), (10, 7)]),
        ((3, 3), [(8, 5), (8, 5), (6, 3)]),
    ],
)
def test_completions_are_exactly_the_ways_to_end_the_turn(
    dice: tuple[int, int], moves: list[tuple[int, int]]
) -> None:
    side = {24: 2, 13: 5, 8: 3, 6: 5}
    told, found = ends(position("money", side, side, dice_=dice), moves)
    assert told == found


@pytest.mark.parametrize("dice", [(6, 5), (6, 6), (2, 1), (1, 1)])
def test_completions_of_a_bear_off_are_those_of_the_rules(dice: tuple[int, int]) -> None:
    scene = position("money", {1: 1, 2: 1}, {6: 5}, dice_=dice)
    told, _ = ends(scene, [])
    turn = scene.match.turn
    assert turn is not None
    assert told == {p.board.packed for p in legal_plays(turn.start, dice, scene.match.rules)}


def test_before_the_roll_there_are_no_moves_and_a_blocked_turn_has_none_either() -> None:
    assert not moves_of(position("money", {6: 5}, {6: 5}).match).seat
    walled = dict.fromkeys(range(1, 7), 2)
    blocked = moves_of(position("money", {25: 1, 6: 5}, walled, dice_=(3, 2)).match)
    assert (blocked.seat, blocked.complete, list(blocked.plays)) == (SEAT_WHITE, True, [])


OPENING = """\
 13 14 15 16 17 18 BAR 19 20 21 22 23 24
+------------------+---+------------------+
| O           X    |   | X              O |  X off 0
| O           X    |   | X              O |
| O           X    |   | X                |
| O                |   | X                |
| O                |   | X                |
| X                |   | O                |
| X                |   | O                |
| X           O    |   | O                |
| X           O    |   | O              X |
| X           O    |   | O              X |  O off 0
+------------------+---+------------------+
 12 11 10  9  8  7 BAR  6  5  4  3  2  1"""


@pytest.mark.parametrize("seat", list(Seat))
def test_a_board_is_drawn_as_white_sees_it_whoever_is_on_roll(seat: Seat) -> None:
    match = replace(started("match").match, on_roll=seat)
    assert board_text(view_of(match)) == OPENING


def test_tall_points_the_bar_and_checkers_off_are_drawn() -> None:
    drawn = board_text(view_of(position("money", {25: 2, 6: 9}, {25: 1, 1: 7}).match)).splitlines()
    assert drawn[2].endswith("X off 7")
    assert drawn[-3].endswith("O off 4")
    assert "| X |" in drawn[2]
    assert "| O |" in drawn[-4]
    assert " 9 " in drawn[-7]


def test_the_status_line_says_who_does_what() -> None:
    scene = position("match", {6: 5}, {6: 5}, on_roll=BLACK, dice_=(6, 1), score=(1, 3))
    assert status_text(view_of(scene.match)) == "X rolled 6-1, cube 1 centred, score O 1 X 3 of 5"
    scene = position("money", {6: 5}, {6: 5}, cube_=Cube(2, WHITE))
    scene.do(OfferCube(WHITE))
    assert status_text(view_of(scene.match)) == "O offers the cube at 4, cube 2 O, score O 0 X 0"


def test_a_turn_with_its_last_checker_off_is_complete() -> None:
    scene = position("money", {1: 1}, {6: 5}, dice_=(6, 5))
    turn = scene.match.turn
    assert isinstance(turn, Turn)
    done = play(turn, scene.match.rules, [(1, 0)])
    assert completions(done, scene.match.rules) == []
