"""Given who is there, when it is a seat's turn, then the ghost or a bot does this."""

from dataclasses import replace

import pytest

from libs.backgammon.board import Board, Worth
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import (
    Candidate,
    CheckersMoved,
    CubeBeavered,
    CubeOffered,
    CubeRaccooned,
    CubeTaken,
    GameAbandoned,
    GameAdjudicated,
    GhostDecided,
    GhostSeated,
    GhostWithdrawn,
    MatchResumed,
    MatchSuspended,
    ResignationOffered,
    Seat,
    SeatReturned,
)
from libs.backgammon.match import GHOSTS, Match, Phase
from libs.backgammon.profiles import profile
from libs.engine.thinking import Action
from services.dice import core as dice
from services.ghost import core as ghost
from services.rules import core as rules
from tests.ghost_scene import away, happens, haunted, with_bot
from tests.scene import BLACK, WHITE, Scene, counts, position, started

START = Board.start()
RECEIPT = GhostDecided(
    WHITE, "play", "bgsage", "1", "ab", "2-ply", (Candidate("8/5 6/5", 232_959),), "8/5 6/5"
)
ANALYSIS = GameAdjudicated(BLACK, "bgsage", "1", "ab", "2-ply", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def refused(match: Match, command: ghost.Command) -> Reason:
    with pytest.raises(RefusedError) as error:
        ghost.decide(match, command)
    return error.value.reason


# --- seats ------------------------------------------------------------


@pytest.mark.parametrize("name", ["single", "blitz", "match"])
def test_the_ghost_takes_the_seat_of_who_is_absent(name: str) -> None:
    scene = away(position(name, START), WHITE)

    assert ghost.react(scene.match) == ghost.Take(WHITE)
    assert ghost.decide(scene.match, ghost.TakeSeat(WHITE)) == (GhostSeated(WHITE),)


@pytest.mark.parametrize("name", ["reserve", "casual", "classic", "money", "series", "tournament"])
def test_where_the_rules_know_no_ghost_it_takes_no_seat(name: str) -> None:
    scene = away(position(name, START), WHITE)

    assert ghost.react(scene.match) is None
    assert refused(scene.match, ghost.TakeSeat(WHITE)) is Reason.WRONG_PHASE


def test_nobodys_seat_is_taken_while_he_is_there() -> None:
    scene = position("single", START)

    assert ghost.react(scene.match) is None
    assert refused(scene.match, ghost.TakeSeat(WHITE)) is Reason.WRONG_PHASE


def test_the_ghost_leaves_as_soon_as_the_player_is_back() -> None:
    scene = happens(haunted(position("single", START), WHITE), SeatReturned(WHITE))

    assert ghost.react(scene.match) == ghost.Leave(WHITE)
    assert ghost.decide(scene.match, ghost.LeaveSeat(WHITE)) == (GhostWithdrawn(WHITE),)
    happens(scene, GhostWithdrawn(WHITE))
    assert ghost.react(scene.match) is None


def test_between_return_and_withdrawal_the_ghost_does_nothing_more() -> None:
    scene = happens(haunted(position("single", START, dice_=(3, 1)), WHITE), SeatReturned(WHITE))

    assert refused(scene.match, ghost.Decide(RECEIPT)) is Reason.NOT_SEATED
    with pytest.raises(RefusedError):
        scene.match.seat_of(GHOSTS[WHITE])


def test_the_ghost_stays_while_the_player_is_away() -> None:
    scene = haunted(position("single", START), WHITE)

    assert refused(scene.match, ghost.LeaveSeat(WHITE)) is Reason.WRONG_PHASE


def test_while_both_are_away_the_match_rests() -> None:
    scene = haunted(position("single", START), WHITE)
    away(scene, BLACK)
    happens(scene, MatchSuspended(120_000_000))

    assert ghost.react(scene.match) is None


def test_who_stays_away_when_the_other_comes_back_is_played_for() -> None:
    scene = away(away(position("single", START, on_roll=BLACK), WHITE), BLACK)
    happens(scene, MatchSuspended(120_000_000))
    happens(scene, SeatReturned(WHITE), MatchResumed())

    assert ghost.react(scene.match) == ghost.Take(BLACK)


def test_the_ghost_acts_for_the_seat_it_holds_and_no_other() -> None:
    match = haunted(position("single", START), WHITE).match

    assert match.seat_of(GHOSTS[WHITE]) is WHITE
    with pytest.raises(RefusedError):
        match.seat_of(GHOSTS[BLACK])


# --- what is due ------------------------------------------------------


def test_the_ghost_rolls_and_never_doubles() -> None:
    assert ghost.react(haunted(position("single", START), WHITE).match) == ghost.Roll(WHITE)


def test_a_bot_thinks_of_the_cube_before_it_rolls() -> None:
    scene = with_bot(position("single", START), WHITE)

    assert ghost.react(scene.match) == ghost.Think(WHITE, Action.ROLL)


@pytest.mark.parametrize(
    "scene",
    [
        position("match", START, score=(4, 0), crawford=True),
        position("match", START, score=(4, 2)),
        position("casual", START),
    ],
    ids=["crawford", "dead cube", "no cube"],
)
def test_a_bot_that_may_not_double_rolls(scene: Scene) -> None:
    assert ghost.react(with_bot(scene, WHITE).match) == ghost.Roll(WHITE)


def test_dice_on_the_table_are_played() -> None:
    scene = haunted(position("single", START, dice_=(3, 1)), WHITE)

    assert ghost.react(scene.match) == ghost.Think(WHITE, Action.PLAY)


def test_a_turn_half_played_is_thought_over() -> None:
    scene = position("single", START, dice_=(3, 1))
    scene.do(rules.MoveCheckers(WHITE, ((8, 5),)))

    assert ghost.react(haunted(scene, WHITE).match) == ghost.Think(WHITE, Action.PLAY)


def test_a_turn_whose_moves_are_made_is_ended_without_a_thought() -> None:
    scene = position("single", START, dice_=(3, 1))
    scene.do(rules.MoveCheckers(WHITE, ((8, 5), (6, 5))))

    assert ghost.react(haunted(scene, WHITE).match) == ghost.EndTurn(WHITE)


def test_a_blocked_turn_is_left_to_the_rules() -> None:
    walled = Board.from_counts(counts({25: 1, 6: 14}), counts(dict.fromkeys(range(1, 7), 2)))
    scene = haunted(position("single", walled, dice_=(3, 1)), WHITE)

    assert ghost.react(scene.match) is None


def test_on_the_others_turn_there_is_nothing_to_do() -> None:
    scene = haunted(position("single", START, on_roll=BLACK, dice_=(3, 1)), WHITE)

    assert ghost.react(scene.match) is None


def test_an_offered_cube_is_answered() -> None:
    scene = haunted(position("single", START, on_roll=BLACK), WHITE)
    happens(scene, CubeOffered(BLACK, 2))

    assert ghost.react(scene.match) == ghost.Think(WHITE, Action.CUBE)


def test_a_beaver_and_a_raccoon_are_answered_by_whom_they_were_made_to() -> None:
    rules_ = replace(profile("single", beaver=True), raccoon=True)
    scene = position(rules_, START)
    happens(scene, CubeOffered(WHITE, 2))
    happens(scene, CubeBeavered(BLACK, 4))
    haunted(scene, WHITE)

    assert ghost.react(scene.match) == ghost.Think(WHITE, Action.CUBE)
    happens(scene, CubeRaccooned(WHITE, 8))
    assert ghost.react(scene.match) is None


def test_a_resignation_is_answered_before_anything_else() -> None:
    scene = haunted(position("single", START, dice_=(3, 1)), WHITE)
    happens(scene, ResignationOffered(BLACK, Worth.SINGLE))

    assert ghost.react(scene.match) == ghost.Think(WHITE, Action.RESIGNATION)


def test_the_players_own_resignation_waits_for_the_other() -> None:
    scene = position("single", START, dice_=(3, 1))
    happens(scene, ResignationOffered(WHITE, Worth.SINGLE))

    assert ghost.react(haunted(scene, WHITE).match) is None


def test_nothing_is_due_in_a_match_that_is_over_or_imported() -> None:
    scene = haunted(position("single", START), WHITE)

    assert ghost.react(replace(scene.match, source="x.mat")) is None
    assert ghost.react(replace(scene.match, phase=Phase.OVER)) is None
    assert refused(replace(scene.match, phase=Phase.OVER), ghost.TakeSeat(BLACK)) is Reason.MATCH_OVER


# --- dice -------------------------------------------------------------


def test_a_bot_takes_no_part_in_the_dice() -> None:
    scene = started("single")
    scene.current = replace(with_bot(scene, BLACK).match, dice=replace(scene.match.dice, black=None))

    assert ghost.react(scene.match) == ghost.StayOutOfDice(BLACK)


def test_the_dice_wait_for_no_link_of_who_is_absent() -> None:
    scene = started("single", taking_part=(WHITE, BLACK))
    waits = dice.react(scene.match)
    assert waits is not None
    assert waits.at > 0

    away(away(scene, WHITE), BLACK)
    assert dice.react(scene.match) == dice.Wake(0, dice.StopWaiting)


# --- receipts ---------------------------------------------------------


def test_a_receipt_is_logged_first_and_followed_then() -> None:
    scene = haunted(position("single", START, dice_=(3, 1)), WHITE)
    assert ghost.decide(scene.match, ghost.Decide(RECEIPT)) == (RECEIPT,)
    happens(scene, RECEIPT)

    assert ghost.react(scene.match) == ghost.Follow(RECEIPT)


def test_what_happens_after_a_receipt_makes_it_void() -> None:
    scene = haunted(position("single", START, dice_=(3, 1)), WHITE)
    happens(scene, RECEIPT)
    happens(scene, ResignationOffered(BLACK, Worth.SINGLE))

    assert ghost.react(scene.match) == ghost.Think(WHITE, Action.RESIGNATION)


def test_a_followed_receipt_is_not_followed_again() -> None:
    scene = haunted(position("single", START, dice_=(3, 1)), WHITE)
    happens(scene, RECEIPT)
    scene.do(rules.MoveCheckers(WHITE, ((8, 5), (6, 5)), end_turn=True))

    assert ghost.react(scene.match) is None
    assert scene.match.receipt is None


@pytest.mark.parametrize("seat", [WHITE, BLACK])
def test_no_receipt_is_logged_for_what_is_not_due(seat: Seat) -> None:
    scene = haunted(position("single", START), WHITE)
    receipt = replace(RECEIPT, seat=seat)

    assert refused(scene.match, ghost.Decide(receipt)) in (Reason.WRONG_PHASE, Reason.NOT_SEATED)


def test_a_bot_that_doubles_and_is_beavered_answers_once() -> None:
    scene = with_bot(position("single", START), WHITE)
    happens(scene, CubeOffered(WHITE, 2))
    assert ghost.react(scene.match) is None
    happens(scene, CubeTaken(BLACK, 2, BLACK))

    assert ghost.react(scene.match) == ghost.Roll(WHITE)


# --- abandoned games --------------------------------------------------


def test_an_abandoned_game_is_adjudicated() -> None:
    scene = away(position("money", START, on_roll=BLACK, dice_=(3, 1)), BLACK)
    assert refused(scene.match, ghost.Adjudicate(ANALYSIS)) is Reason.WRONG_PHASE
    happens(scene, GameAbandoned(BLACK, 5))

    assert ghost.react(scene.match) == ghost.Analyse()
    assert ghost.decide(scene.match, ghost.Adjudicate(ANALYSIS)) == (ANALYSIS,)
    happens(scene, ANALYSIS)
    assert ghost.react(scene.match) is None


def test_a_game_that_is_forfeited_needs_no_analysis() -> None:
    scene = away(position("classic", START, dice_=(3, 1)), WHITE)
    happens(scene, GameAbandoned(WHITE, 5))

    assert ghost.react(scene.match) is None


def test_moves_of_the_ghost_are_moves_of_its_seat() -> None:
    scene = haunted(position("single", START, dice_=(3, 1)), WHITE)
    seat = scene.match.seat_of(GHOSTS[WHITE])
    scene.do(rules.MoveCheckers(seat, ((8, 5), (6, 5)), end_turn=True))

    assert [event.seat for event in scene.events(CheckersMoved) if isinstance(event, CheckersMoved)] == [
        WHITE
    ]
