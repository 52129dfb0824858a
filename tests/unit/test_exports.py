"""What leaves the system as a file: right as far as the format goes, and said in words beyond that."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from libs.backgammon.apply import fold
from libs.backgammon.board import Worth
from libs.backgammon.events import (
    CheckersMoved,
    Decision,
    Ending,
    Event,
    GameScored,
    GameStarted,
    GhostSeated,
    MatchScored,
    OpeningRolled,
    Seat,
    SeatAbsent,
    TurnPassed,
)
from libs.backgammon.match import Match, Phase
from libs.backgammon.match_view import view_of
from libs.backgammon.plays import legal_plays
from libs.backgammon.profiles import PROFILES, profile
from libs.backgammon.xgid import view_from_xgid
from libs.eventlog.codec import UndecodableError, decode
from libs.eventlog.fold import fold_all
from libs.eventlog.store import Stored
from libs.records.exports import EXPORTS
from libs.records.jsonl import START, from_jsonl
from libs.records.read import read_record
from libs.records.record import Beaver, Double, Resign, Roll, Take
from libs.records.recording import record_of
from libs.records.write_sgf import to_sgf
from services.cube.core import BeaverCube, OfferCube, RaccoonCube, TakeCube
from services.dice.core import RollDice
from services.rules.core import MoveCheckers
from tests.gnubg import gnubg
from tests.proof_logs import RecordedTimed, decisions, played, stored
from tests.replay_logs import (
    FISCHER,
    declined_resignation,
    flag_log,
    haunted_log,
    match_log,
    match_stored,
)
from tests.scene import BLACK, WHITE, Scene, happen, started
from videau.__main__ import main
from videau.importing import import_record

RECORDS = Path(__file__).parents[1] / "data" / "matches"


def scored(log: Iterable[Decision]) -> list[tuple[Seat, int]]:
    return [(e.winner, e.points) for d in log for e in d.events if isinstance(e, GameScored)]


def read_back(text: str) -> list[tuple[Seat, int]]:
    """The results of a record, computed again by the rules."""
    data = text.encode()
    imported = import_record(read_record(data), "again", data)
    assert not imported.voided, imported.findings
    return scored(decode(one.data) for one in imported.log)


def comment(log: Sequence[Decision]) -> str:
    return record_of(log).header("Comment")


def with_match_over(log: Sequence[Decision], *events: Event) -> list[Decision]:
    """The log with one more decision."""
    last = log[-1]
    return [*log, replace(last, position=last.position + 1, events=events, decided_at=last.decided_at + 1)]


# --- records ----------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_match_of_any_profile_is_read_back_with_its_results(name: str, number: int) -> None:
    log = played(PROFILES[name].rules, number, most=600)
    wanted = scored(decisions(log))
    assert {kind: read_back(EXPORTS[kind](log)) for kind in ("mat", "sgf")} == {"mat": wanted, "sgf": wanted}


def test_gnu_backgammon_keeps_the_results_of_every_game(tmp_path: Path) -> None:
    commands, wanted = [], {}
    for name in ("match", "single", "classic"):
        log = match_stored(name, 3, 900)
        for kind, load in (("mat", "import mat"), ("sgf", "load match")):
            path = tmp_path / f"{name}.{kind}"
            path.write_text(EXPORTS[kind](log))
            commands += [f"{load} {path}", f"save match {path}.again"]
            wanted[f"{path}.again"] = scored(decisions(log))
    gnubg(tmp_path, *commands)
    assert {path: read_back(Path(path).read_text()) for path in wanted} == wanted


def test_a_play_after_a_declined_resignation_stands_behind_its_roll() -> None:
    scene = declined_resignation()
    (game,) = record_of(scene.log).games
    rolls = [action for action in game.actions if isinstance(action, Roll)]
    assert len(rolls) == 2
    assert all(roll.text for roll in rolls)
    assert any(isinstance(action, Resign) for action in game.actions)


@pytest.mark.parametrize("turns", [0, 1])
def test_a_turn_that_was_broken_off_is_a_roll_without_a_play(turns: int) -> None:
    scene = RecordedTimed(FISCHER)
    for _ in range(turns):
        scene.turn()
        scene.after(0, RollDice(scene.match.on_roll, b"", scene.server))
    turn, seat = scene.match.turn, scene.match.on_roll
    assert turn is not None
    first = legal_plays(turn.start, turn.dice, scene.match.rules)[0].moves[0]
    scene.do(MoveCheckers(seat, ((first.origin, first.target),)))
    assert any(isinstance(event, CheckersMoved) for event in scene.log[-1].events)
    scene.due()
    scene.settle()
    (game, *_) = record_of(scene.log).games
    *_, roll = (action for action in game.actions if isinstance(action, Roll))
    assert roll.text is None
    to_sgf(record_of(scene.log))  # refuses a play that is not whole
    assert read_back(EXPORTS["mat"](stored(scene.log))) == scored(scene.log)


def test_a_turn_without_a_roll_takes_nothing_from_the_turn_before() -> None:
    scene = RecordedTimed(FISCHER)
    scene.turn()
    happen(scene, TurnPassed(scene.match.on_roll))
    (game,) = record_of(scene.log).games
    (roll,) = game.actions
    assert isinstance(roll, Roll)
    assert roll.text


def test_beavers_and_raccoons_come_through() -> None:
    scene = started(profile("money", beaver=1, raccoon=1))
    log = _with_beaver(scene)
    actions = record_of(log).games[0].actions
    assert [type(action) for action in actions if not isinstance(action, Roll)] == [
        Double,
        Beaver,
        Beaver,
        Take,
    ]
    for kind in ("mat", "sgf"):
        (game,) = read_record(EXPORTS[kind](stored(log)).encode()).games
        assert [type(action) for action in game.actions if not isinstance(action, Roll)][:3] == [
            Double,
            Beaver,
            Beaver,
        ]


def _with_beaver(scene: Scene) -> list[Decision]:
    timed = RecordedTimed(scene.match.rules)
    timed.turn()
    doubler = timed.match.on_roll
    for command in (
        OfferCube(doubler),
        BeaverCube(doubler.other),
        RaccoonCube(doubler),
        TakeCube(doubler.other),
        RollDice(doubler, b"", timed.server),
    ):
        timed.do(command)
    timed.turn()
    return timed.log


def test_a_lost_flag_is_told_in_words() -> None:
    assert "game 1 ended: time over (backgammon), Bruno wins it" in comment(flag_log())
    assert read_back(EXPORTS["mat"](stored(flag_log()))) == scored(flag_log())


def test_ghost_bots_and_resignations_are_told_in_words() -> None:
    told = comment(haunted_log())
    assert "the ghost played for Wanda in game 1" in told
    assert "game 1 ended: resigned, Bruno wins it" in told
    assert 'Comment "' in EXPORTS["mat"](stored(haunted_log()))
    assert "GC[" in EXPORTS["sgf"](stored(haunted_log()))
    assert f"# {told.split('; ')[0]}" in EXPORTS["xgid"](stored(haunted_log()))


def test_every_game_in_which_the_ghost_played_is_named() -> None:
    scene = RecordedTimed("match")
    happen(scene, SeatAbsent(WHITE, scene.now))
    happen(scene, GhostSeated(WHITE))
    happen(scene, GameScored(BLACK, Worth.SINGLE, 1, 1, 1, Ending.RESIGNED))
    happen(scene, GameStarted(2, crawford=False))
    assert "the ghost played for Wanda in games 1, 2" in comment(scene.log)


def test_a_game_that_the_ghost_won_has_no_result_but_words() -> None:
    log = [replace(d, events=tuple(map(_for_nothing, d.events))) for d in haunted_log()]
    assert record_of(log).games[0].result is None
    assert "game 1 scored nothing, for the ghost won it" in comment(log)


def _for_nothing(event: Event) -> Event:
    return replace(event, points=0, counted=0) if isinstance(event, GameScored) else event


def test_a_match_that_ends_without_a_score_says_how() -> None:
    log = with_match_over(match_log("match", 3, 60), MatchScored(BLACK, 0, 0, Ending.FORFEITED))
    told = comment(log)
    assert "game 1 was not scored" in told
    assert "the match ended: forfeited, Bruno wins it" in told
    nobody = with_match_over(match_log("match", 3, 60), MatchScored(None, 0, 0, Ending.INTERRUPTED))
    assert "the match ended: interrupted, nobody wins it" in comment(nobody)


def test_a_voided_game_says_that_it_counts_for_nothing() -> None:
    data = (RECORDS / "33-backgammon-13pt.txt").read_bytes()
    imported = import_record(read_record(data), "33", data)
    told = comment([decode(one.data) for one in imported.log])
    assert "game 9 counts for nothing (line " in told


def test_an_automatic_double_is_told_in_words() -> None:
    scene = RecordedTimed(FISCHER)
    *earlier, opening = scene.log[-1].events
    assert isinstance(opening, OpeningRolled)
    scene.log[-1] = replace(scene.log[-1], events=(*earlier, replace(opening, cube=4)))
    assert "game 1 began with the cube at 4" in comment(scene.log)


def test_other_worths_than_two_and_three_are_told_in_words() -> None:
    assert "a gammon counts 1, a backgammon 1" in comment(match_log("casual", 1))
    assert "a gammon counts" not in comment(match_log("money", 1))


# --- positions --------------------------------------------------------


def test_every_decision_point_has_its_xgid() -> None:
    log = match_log(most=900)
    lines = EXPORTS["xgid"](stored(log)).splitlines()
    points = [line.split(" ") for line in lines if not line.startswith("#")]
    matches, match = {}, None
    for decision in log:
        match = fold(match, decision)
        matches[match.position] = match
    for place, position, text in points:
        there = matches[int(position)]
        assert place == f"{there.game}.{there.turns}"
        assert view_from_xgid(text) == replace(view_of(there), beaver=there.rules.beaver, resigned=0)
    asked = {(m.game, m.turns, m.phase) for m in matches.values() if _asks(m)}
    assert len(points) >= len(asked) > 100
    assert {(m.game, m.turns, m.phase) for _, p, _ in points for m in [matches[int(p)]]} == asked


def _asks(match: Match) -> bool:
    """Whether somebody must decide something; blocked turns are left out by the legal plays there are."""
    if match.resigning is not None or match.to_act is None:
        return False
    turn = match.turn
    return match.phase is not Phase.MOVE or (
        turn is not None and (bool(turn.moves) or bool(legal_plays(turn.start, turn.dice, match.rules)))
    )


# --- the whole log ----------------------------------------------------


@pytest.mark.parametrize("log", [match_stored(), stored(flag_log()), stored(haunted_log())], ids=len)
def test_json_lines_lose_nothing(log: list[Stored]) -> None:
    data = EXPORTS["jsonl"](log).encode()
    assert data.startswith(START)
    match_id, again = from_jsonl(data)
    assert again == log
    assert fold_all(match_id, again).match == fold_all(match_id, log).match
    line = json.loads(data.splitlines()[4])
    assert (line["position"], line["decision"]["commandId"]) == (5, log[4].command_id)
    assert line["decision"]["events"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"hash":"', '"hash":"0'),
        ('"actor":"w"', '"actor":"v"'),
        ('"sequence":', '"sequence":"x",\n"was":'),
        ('"decision":', '"decided":'),
        ('{"position":1', '{"position"'),
    ],
)
def test_json_lines_that_were_changed_are_not_read(old: str, new: str) -> None:
    text = EXPORTS["jsonl"](match_stored()).replace(old, new, 1)
    with pytest.raises(UndecodableError, match="line 1"):
        from_jsonl(text.encode())


def test_json_lines_without_a_decision_are_not_read() -> None:
    with pytest.raises(UndecodableError, match="no decision"):
        from_jsonl(b"")


# --- the command line -------------------------------------------------


@pytest.mark.parametrize("kind", list(EXPORTS))
def test_the_command_writes_each_format(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "log.jsonl"
    lines.write_text(EXPORTS["jsonl"](match_stored()))
    assert main(["export", str(lines), "--format", kind]) == 0
    assert capsys.readouterr().out == EXPORTS[kind](match_stored())


def test_what_cannot_be_written_is_one_line_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "log.jsonl"
    lines.write_text(EXPORTS["jsonl"](match_stored()))
    assert main(["export", str(lines), "-o", str(tmp_path / "no" / "folder")]) == 1
    assert main(["export", str(tmp_path / "nothing"), "--url", "http://127.0.0.1:1"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
