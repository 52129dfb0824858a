"""Why a decision was taken is told by its command id, its events, and whom the match waited for."""

from dataclasses import replace

from libs.backgammon.events import (
    CheckersMoved,
    CubeOffered,
    Decision,
    DiceCommitted,
    DiceRolled,
    GameScored,
    GameStarted,
    GhostDecided,
    GhostSeated,
    LinkRevealed,
    MatchStarted,
    MovesUndone,
    OpeningRolled,
    OutageRecorded,
    Player,
    ResignationDeclined,
    RollRequested,
    SeatAbsent,
    SeedContributed,
    TableJoined,
    TimeExpired,
    TurnEnded,
)
from libs.replay.cause import MOST, By, Cause, chain
from libs.replay.replay import Replay
from tests.proof_logs import RecordedTimed
from tests.replay_logs import FISCHER, flag_log, haunted_log, match_log, with_ids
from tests.scene import MATCH_ID, WHITE, happen


def where(log: tuple[Decision, ...], *kinds: type) -> int:
    """The first position with one of these events in front."""
    return next(d.position for d in log if isinstance(d.events[0], kinds))


def test_what_a_service_does_answers_the_position_in_its_command_id() -> None:
    log = match_log(most=900)
    replay = Replay(log)
    for decision in log:
        if isinstance(decision.events[0], GameStarted):
            cause = replay.frame(decision.position).why[0]
            assert cause == Cause(decision.position, By.SERVICE, "cube", decision.position - 1)


def test_a_chain_goes_back_to_what_a_player_did() -> None:
    log = match_log(most=900)
    replay = Replay(log)
    for position in range(3, len(log) + 1):
        why = replay.frame(position).why
        assert [cause.position for cause in why[1:]] == [cause.answers for cause in why[:-1]]
        assert all(cause.by is not By.PLAYER for cause in why[1:-1])
        assert why[-1].by is By.PLAYER or not why[-1].answers


def test_a_play_answers_its_roll_and_a_roll_the_end_of_the_others_turn() -> None:
    scene = RecordedTimed(FISCHER)
    for _ in range(3):
        scene.turn()
    replay = Replay(with_ids(scene.log))
    for decision in replay.decisions:
        kind = decision.events[0]
        cause = replay.frame(decision.position).why[0]
        before = replay.decisions[cause.answers - 1] if cause.answers else None
        if isinstance(kind, CheckersMoved):
            assert before is not None
            assert isinstance(before.events[-1], DiceRolled | OpeningRolled)
        elif isinstance(kind, DiceRolled):
            assert before is not None
            assert isinstance(before.events[-1], TurnEnded)


def test_every_move_of_a_turn_answers_its_roll_or_the_no_to_his_resignation() -> None:
    log = match_log(most=900)
    replay, rolled, moves = Replay(log), 0, 0
    for decision in log:
        if isinstance(decision.events[-1], DiceRolled | OpeningRolled | ResignationDeclined):
            rolled = decision.position
        elif isinstance(decision.events[0], CheckersMoved | MovesUndone) and decision.actor in "wb":
            moves += 1
            assert replay.frame(decision.position).why[0].answers == rolled
    assert moves > 100


def test_tips_answer_the_commitment_and_links_the_roll_that_was_asked_for() -> None:
    tips = links = 0
    for log in (match_log("money", number, 900) for number in (1, 4, 7, 8)):
        replay, committed, wanted = Replay(log), 0, 0
        for decision in log:
            first, frame = decision.events[0], replay.frame(decision.position)
            if isinstance(first, DiceCommitted):
                committed = decision.position
            elif isinstance(decision.events[-1], RollRequested):
                wanted = decision.position
            elif isinstance(first, SeedContributed):
                assert frame.why[0].answers == committed
                tips += 1
            elif isinstance(first, LinkRevealed) and frame.match.turns > 1:
                assert frame.why[0].answers == wanted
                links += 1
    assert tips > 50
    assert links > 3


def test_an_answer_to_the_cube_answers_the_offer() -> None:
    log = match_log(most=900)
    offered = where(log, CubeOffered)
    assert Replay(log).frame(offered + 1).why[0].answers == offered


def test_a_flag_falls_because_of_its_deadline() -> None:
    log = flag_log()
    at = where(log, TimeExpired)
    expired = log[at - 1].events[0]
    assert isinstance(expired, TimeExpired)
    first, second, *_ = Replay(log).frame(at).why
    assert first == Cause(at, By.DEADLINE, "clock", at - 1, expired.deadline)
    assert second.by is By.PLAYER


def test_a_score_after_a_flag_leads_over_the_flag_to_a_player() -> None:
    log = flag_log()
    scored = next(d.position for d in log if isinstance(d.events[0], GameScored))
    assert [cause.by for cause in Replay(log).frame(scored).why] == [By.SERVICE, By.DEADLINE, By.PLAYER]


def test_the_ghost_acts_on_its_receipt() -> None:
    log = haunted_log()
    decided = where(log, GhostDecided)
    why = Replay(log).frame(decided + 1).why
    assert why[0] == Cause(decided + 1, By.GHOST, "ghost/white", decided)
    assert why[1] == Cause(decided, By.SERVICE, "ghost", decided - 1)
    assert why[2].by is By.GHOST
    seated = where(log, GhostSeated)
    assert seated in [cause.position for cause in why]


def test_a_bot_is_told_from_a_player() -> None:
    bot = Player("bot/medium", "Medium", "medium")
    log = list(haunted_log())
    joined, begun = log[1].events
    assert isinstance(joined, TableJoined)
    assert isinstance(begun, MatchStarted)
    log[1] = replace(log[1], events=(replace(joined, player=bot), replace(begun, black=bot)))
    last = log[-1]
    log[-1] = replace(last, actor=bot.account, command_id=f"{bot.account}/{MATCH_ID}-{last.position - 1}")
    cause = Replay(log).frame(last.position).why[0]
    assert cause == Cause(last.position, By.BOT, bot.account, last.position - 1)


def test_what_the_clock_has_seen_is_no_reaction() -> None:
    scene = RecordedTimed("single")
    scene.turn()
    happen(scene, SeatAbsent(WHITE, scene.now))
    happen(scene, OutageRecorded(scene.now, scene.now))
    log = with_ids(scene.log)
    for number, what, by in ((-2, "WHITE/absent/7", By.CONNECTION), (-1, "outage/9", By.OUTAGE)):
        log[number] = replace(log[number], command_id=f"clock/{MATCH_ID}/{what}")
        assert Replay(log).frame(log[number].position).why == (Cause(log[number].position, by, "clock"),)


def test_what_nobody_was_asked_for_is_of_his_own_accord() -> None:
    assert Replay(match_log()).frame(1).why == (Cause(1, By.PLAYER, "w"),)


def test_a_log_that_does_not_say_is_not_guessed_at() -> None:
    nameless = [replace(decision, actor="", command_id="") for decision in match_log()]
    replay = Replay(nameless)
    assert {replay.frame(n).why[0].by for n in range(1, len(replay) + 1)} == {By.UNKNOWN}


def test_a_log_that_lies_about_its_causes_does_not_lead_round_in_circles() -> None:
    log = list(match_log())
    log[20] = replace(log[20], actor="rules", command_id=f"rules/{MATCH_ID}/250")
    log[21] = replace(log[21], actor="rules", command_id=f"rules/{MATCH_ID}/22")
    replay = Replay(log)
    assert replay.frame(21).why == (Cause(21, By.SERVICE, "rules", 0),)
    assert replay.frame(22).why == (Cause(22, By.SERVICE, "rules", 0),)


def test_a_chain_without_players_ends_somewhere() -> None:
    assert len(chain(1_000, lambda at: Cause(at, By.BOT, "bot/x", at - 1))) == MOST
