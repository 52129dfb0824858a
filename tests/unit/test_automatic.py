"""Automatic play: off until asked for, never in the way of a decision, never a guess."""

from dataclasses import replace

from libs.backgammon.automatic import forced, own_play
from libs.backgammon.board import Worth
from libs.backgammon.clock import deadline
from libs.backgammon.errors import Reason
from libs.backgammon.events import (
    AutomaticPlaySet,
    CheckersMoved,
    DiceRolled,
    LinkOmitted,
    TurnEnded,
)
from libs.backgammon.match import Phase
from libs.backgammon.microseconds import SECOND
from libs.backgammon.presence import present
from services.cube.core import (
    DeclineResignation,
    OfferCube,
    OfferResignation,
    TakeCube,
)
from services.dice import core as dice
from services.dice.core import RevealLink, RollDice, StopWaiting
from services.rules import core as rules
from services.rules.core import MoveCheckers, PlayForSeat, SetAutomaticPlay
from tests.clock_scene import Timed
from tests.scene import BLACK, CHAINS, WHITE, Scene, position, refusal


def test_nothing_is_automatic_until_a_player_says_so() -> None:
    scene = Timed("single")
    presence = scene.match.presence(WHITE)
    assert (presence.rolls, presence.bears_off) == (False, False)
    assert scene.do(SetAutomaticPlay(WHITE, automatic_roll=True, automatic_bear_off=False)) == (
        AutomaticPlaySet(WHITE, automatic_roll=True, automatic_bear_off=False),
    )
    assert scene.do(SetAutomaticPlay(WHITE, automatic_roll=True, automatic_bear_off=False)) == ()
    assert scene.match.presence(BLACK).rolls is False


def test_automatic_play_is_refused_where_the_rules_have_none_and_outside_of_matches() -> None:
    switch = SetAutomaticPlay(WHITE, automatic_roll=True, automatic_bear_off=True)
    assert refusal(Timed("reserve"), switch) is Reason.NO_AUTOMATIC_PLAY
    over = Timed("casual")
    over.do(OfferResignation(WHITE))
    assert refusal(over, switch) is Reason.MATCH_OVER


def test_an_automatic_roll_is_due_at_once_and_takes_none_of_the_players_time() -> None:
    scene = Timed("money")
    scene.automatic(BLACK, roll=True)
    scene.turn()
    assert (scene.match.phase, scene.match.to_act, deadline(scene.match)) == (Phase.ROLL, None, None)
    assert dice.react(scene.match) == dice.Wake(0, StopWaiting)
    scene.wait(30)
    (rolled,) = scene.do(StopWaiting(scene.server))
    assert isinstance(rolled, DiceRolled)
    assert (rolled.seat, scene.match.phase) == (BLACK, Phase.MOVE)
    assert deadline(scene.match) == scene.now + 132 * SECOND


def test_an_automatic_roll_waits_for_the_players_own_link() -> None:
    scene = Timed("money", taking_part=(BLACK,))
    scene.automatic(BLACK, roll=True)
    scene.turn()
    wake = dice.react(scene.match)
    assert wake == dice.Wake(scene.now + dice.LINK_WAIT, StopWaiting)
    link = CHAINS[BLACK].link(scene.match.dice.index)
    _, rolled = scene.do(RevealLink(BLACK, link, scene.server))
    assert isinstance(rolled, DiceRolled)
    assert rolled.black_link == link


def test_an_automatic_roll_goes_on_without_a_link_that_does_not_come() -> None:
    scene = Timed("money", taking_part=(BLACK,))
    scene.automatic(BLACK, roll=True)
    scene.turn()
    omitted, rolled = scene.do(StopWaiting(scene.server))
    assert isinstance(omitted, LinkOmitted)
    assert isinstance(rolled, DiceRolled)


def test_with_automatic_roll_on_a_player_cannot_double_and_switches_it_off_to() -> None:
    scene = Timed("money")
    scene.automatic(BLACK, roll=True)
    scene.turn()
    assert refusal(scene, OfferCube(BLACK)) is Reason.AUTOMATIC_ROLL
    scene.automatic(BLACK)
    assert scene.match.to_act is BLACK
    assert scene.do(OfferCube(BLACK))


def test_a_player_may_roll_before_the_system_does() -> None:
    scene = Timed("money")
    scene.automatic(BLACK, roll=True)
    scene.turn()
    (rolled,) = scene.do(RollDice(BLACK, b"", scene.server))
    assert isinstance(rolled, DiceRolled)


def test_an_automatic_roll_comes_after_the_answers_to_cube_and_resignation() -> None:
    scene = Timed("money", starter=BLACK)
    scene.turn()
    scene.do(OfferCube(WHITE))
    scene.automatic(WHITE, roll=True)
    assert dice.react(scene.match) is None
    scene.do(TakeCube(BLACK))
    assert dice.react(scene.match) == dice.Wake(0, StopWaiting)
    scene.do(OfferResignation(BLACK, Worth.SINGLE))
    assert dice.react(scene.match) is None
    scene.do(DeclineResignation(WHITE))
    assert dice.react(scene.match) == dice.Wake(0, StopWaiting)


def test_a_bear_off_without_a_choice_is_made_by_the_system() -> None:
    assert rules.react(_bearing_off({6: 2}, (6, 6)).match) is None, "nobody has asked for it"
    assert rules.react(_asked(_bearing_off({6: 2, 4: 2}, (6, 1))).match) is None, "what is the ace to move?"
    scene = _asked(_bearing_off({6: 2}, (6, 6)))
    assert rules.react(scene.match) == PlayForSeat()
    moved, ended = scene.do(PlayForSeat())
    assert isinstance(moved, CheckersMoved)
    assert (len(moved.moves), ended) == (2, TurnEnded(WHITE))
    assert scene.match.phase is Phase.WON


def test_asked_for_with_the_dice_on_the_table_it_is_made_at_once() -> None:
    scene = _bearing_off({6: 2}, (6, 6))
    _, moved, ended = scene.do(SetAutomaticPlay(WHITE, automatic_roll=False, automatic_bear_off=True))
    assert isinstance(moved, CheckersMoved)
    assert (ended, scene.match.phase) == (TurnEnded(WHITE), Phase.WON)
    scene = _bearing_off({6: 2, 4: 2}, (6, 1))
    assert len(scene.do(SetAutomaticPlay(WHITE, automatic_roll=True, automatic_bear_off=True))) == 1


def test_automatic_play_does_not_guess_in_a_race() -> None:  # M07
    scene = _bearing_off({5: 1, 2: 1}, (4, 2))
    scene.do(SetAutomaticPlay(WHITE, automatic_roll=False, automatic_bear_off=True))
    assert (own_play(scene.match), rules.react(scene.match)) == ((), None)
    assert refusal(scene, PlayForSeat()) is Reason.NOT_DUE


def test_a_race_roll_that_takes_a_checker_off_with_every_die_is_played_by_the_system() -> None:
    scene = _asked(_bearing_off({6: 2, 1: 2}, (6, 1)))  # 6/5 with the ace would be legal too
    moved, _ = scene.do(PlayForSeat())
    assert isinstance(moved, CheckersMoved)
    assert [(made.origin, made.target) for made in moved.moves] == [(6, 0), (1, 0)]
    assert own_play(_asked(_bearing_off({4: 1, 3: 5, 2: 2}, (4, 3))).match), "4/off and 3/off"
    doublet = own_play(_asked(_bearing_off({5: 3, 3: 9}, (3, 3))).match)
    assert [(made.origin, made.target) for made in doublet] == [(3, 0)] * 4


def test_with_contact_left_the_system_leaves_every_choice_to_the_player() -> None:
    scene = _asked(position("money", {6: 2, 1: 2}, {22: 2, 6: 8}, dice_=(6, 1)))
    assert (own_play(scene.match), rules.react(scene.match)) == ((), None)
    on_the_bar = _asked(position("money", {6: 2, 1: 2}, {25: 1, 6: 8}, dice_=(6, 1)))
    assert own_play(on_the_bar.match) == ()


def test_a_log_from_before_races_were_borne_off_keeps_its_choices_with_the_player() -> None:
    scene = _asked(_bearing_off({6: 2, 1: 2}, (6, 1)))
    scene.current = replace(scene.match, rules=replace(scene.match.rules, race_bear_off=False))
    assert rules.react(scene.match) is None


def test_a_forced_play_is_shown_and_made_only_for_who_has_asked_for_that() -> None:
    scene = position("money", {24: 1}, {14: 2, 2: 8}, dice_=(6, 5))  # either order ends on the 13 point
    shown = forced(scene.match)
    assert [(made.origin, made.target) for made in shown] == [(24, 18), (18, 13)]
    assert rules.react(scene.match) is None
    switch = SetAutomaticPlay(WHITE, automatic_roll=False, automatic_bear_off=False, forced_plays=True)
    switched, moved, ended = scene.do(switch)
    assert (switched, ended) == (
        AutomaticPlaySet(WHITE, automatic_roll=False, automatic_bear_off=False, forced_plays=True),
        TurnEnded(WHITE),
    )
    assert moved == CheckersMoved(WHITE, shown)
    assert forced(scene.match) == ()


def test_where_there_is_a_choice_nothing_is_forced() -> None:
    scene = position("money", {24: 1, 13: 1}, {2: 8}, dice_=(6, 5))
    scene.do(SetAutomaticPlay(WHITE, automatic_roll=False, automatic_bear_off=False, forced_plays=True))
    assert (forced(scene.match), rules.react(scene.match)) == ((), None)


def test_a_turn_begun_by_hand_is_not_finished_by_the_system() -> None:
    scene = _bearing_off({3: 4}, (6, 6))
    scene.do(MoveCheckers(WHITE, ((3, 0),)))
    scene.do(SetAutomaticPlay(WHITE, automatic_roll=False, automatic_bear_off=True))
    assert rules.react(scene.match) is None


def test_checkers_outside_the_home_board_are_never_moved_by_the_system() -> None:
    scene = _bearing_off({8: 1}, (1, 2))
    scene.do(SetAutomaticPlay(WHITE, automatic_roll=False, automatic_bear_off=True))
    assert rules.react(scene.match) is None


def test_a_forced_move_made_by_both_is_made_once() -> None:  # S23
    scene = _asked(_bearing_off({6: 2}, (6, 6)))
    scene.do(PlayForSeat())
    assert refusal(scene, MoveCheckers(WHITE, ((6, 0), (6, 0)), end_turn=True)) is Reason.WRONG_PHASE
    scene = _asked(_bearing_off({6: 2}, (6, 6)))
    scene.do(MoveCheckers(WHITE, ((6, 0), (6, 0)), end_turn=True))
    assert refusal(scene, PlayForSeat()) is Reason.WRONG_PHASE


def _asked(scene: Scene) -> Scene:
    """White has asked for automatic bear-offs before he rolled."""
    scene.current = present(scene.match, WHITE, replace(scene.match.presence(WHITE), bears_off=True))
    return scene


def _bearing_off(white: dict[int, int], dice_: tuple[int, int]) -> Scene:
    return position("money", white, {6: 10}, dice_=dice_)
