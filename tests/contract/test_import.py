"""Real records come through the same rules as live play, and what is wrong with them is named."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from libs.backgammon.events import Ending, GameScored, GameVoided, Seat
from libs.backgammon.match import Phase
from libs.eventlog.archive import from_archive, to_archive
from libs.eventlog.codec import decode
from libs.eventlog.fold import fold_all
from libs.records.read import read_record
from libs.records.record import Record
from libs.records.recording import record_of
from libs.records.write_mat import to_mat
from libs.records.write_sgf import to_sgf
from tests.gnubg import gnubg
from videau.importing import Imported, import_record

MATCHES = sorted((Path(__file__).parent.parent / "data" / "matches").iterdir())
ONE_GAME = """; [Site "Test"]

 3 point match

 Game 1
 A : 0                    B : 0
  1) 31: 8/5 6/5                 64: 24/14
  2) {line}
"""


@cache
def imported(path: Path) -> tuple[Record, Imported]:
    data = path.read_bytes()
    record = read_record(data)
    return record, import_record(record, path.name, data)


def from_text(text: str) -> Imported:
    data = text.encode()
    return import_record(read_record(data), "test", data)


def games(result: Imported) -> list[GameScored]:
    events = [event for stored in result.log for event in decode(stored.data).events]
    return [event for event in events if isinstance(event, GameScored)]


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.name)
def test_a_real_record_comes_through_with_the_points_it_gives_itself(path: Path) -> None:
    record, result = imported(path)
    assert result.match.phase is Phase.OVER
    folded = fold_all(result.match.match_id, result.log)
    assert folded.match == result.match
    told = [game.result for game in record.games if game.number not in result.voided]
    for scored, written in zip(games(result), told, strict=True):
        assert written is not None
        assert scored.winner is written.winner
        assert written.points in (scored.points, scored.counted)


def test_of_all_real_records_only_the_unreadable_game_is_voided() -> None:
    voided = {path.name: imported(path)[1].voided for path in MATCHES}
    assert {name: games for name, games in voided.items() if games} == {"33-backgammon-13pt.txt": (9,)}


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.name)
def test_an_export_read_back_is_the_same_match(path: Path) -> None:
    _, result = imported(path)
    record = record_of(decode(stored.data) for stored in result.log)
    finished = replace(record, games=tuple(game for game in record.games if game.result))
    for text in (to_mat(finished), to_sgf(finished)):
        again = from_text(text)
        assert not again.voided
        assert [(g.winner, g.points, g.cube) for g in games(again)] == [
            (g.winner, g.points, g.cube) for g in games(result)
        ]


def test_a_log_survives_its_file() -> None:
    _, result = imported(MATCHES[0])
    match_id, log = from_archive(to_archive(result.match.match_id, result.log))
    assert match_id == result.match.match_id
    assert tuple(log) == result.log


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ("46: 8/2 6/3", "illegal-play"),
        ("00: ????", "bad-dice"),
        ("52: 13/8 13/9", "illegal-play"),
        ("52: gibberish", "illegible"),
        (" Takes", "nothing-to-answer"),
    ],
)
def test_a_game_the_rules_cannot_follow_is_voided_with_its_line(line: str, slug: str) -> None:
    result = from_text(ONE_GAME.format(line=line) + "      Wins 1 point\n")
    assert result.voided == (1,)
    assert (8, slug) in {(finding.line, finding.slug) for finding in result.findings}
    assert not games(result)
    assert (result.match.white_points, result.match.black_points) == (0, 0)
    last = decode(result.log[-1].data).events
    assert last == (GameVoided(f"line 8: {slug}"),)


def test_absurd_points_void_their_game() -> None:
    result = from_text(ONE_GAME.format(line="52: 13/8 13/11") + "      Wins 4016 point\n")
    assert result.voided == (1,)
    assert "points-absurd" in {finding.slug for finding in result.findings}


PASSED_TWICE = """
 5 point match

 Game 1
 A : 0                    B : 0
  1) 31: 8/5 6/5                 64: 24/14
  2)  Doubles => 2                 Drops
{result}

 Game 2
 A : 1                    B : 0
  1)                             31: 8/5 6/5
  2) 64: 24/14                    Doubles => 2
  3)  Drops
                                  Wins 1 point
"""
RIGHT = " " * 30


@pytest.mark.parametrize(
    ("result", "slug"),
    [
        ("      Wins 4016 points", "points"),
        ("      Wins 4016 points and the match", "points"),
        ("      Wins 2 points", "points"),
        ("      Wins 0 points", "points"),
        (RIGHT + "Wins 1 point", "winner"),
        ("      Wins -1 point", "illegible"),
        ("      Wins a lot of points", "illegible"),
        ("      Wins 99999999999999999999 points", "illegible"),
        ("  3) 31: 8/5 9/9", "illegible"),
        ("  3) 00: ????", "bad-dice"),
    ],
)
def test_a_result_that_contradicts_its_game_voids_it_and_no_other(result: str, slug: str) -> None:
    made = from_text(PASSED_TWICE.format(result=result))
    assert made.voided == (1,)
    assert (8, slug) in {(finding.line, finding.slug) for finding in made.findings}
    assert [(game.winner, game.points) for game in games(made)] == [(Seat.BLACK, 1)]
    assert (made.match.white_points, made.match.black_points) == (0, 1)
    assert fold_all(made.match.match_id, made.log).match == made.match


def test_a_match_is_not_over_by_a_game_that_its_record_contradicts() -> None:
    made = from_text(PASSED_TWICE.replace("5 point", "1 point").format(result="      Wins 3 points"))
    assert made.voided[0] == 1
    assert made.match.white_points == 0


SGF_GAME = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[A]PB[B]{root}{nodes})"


@pytest.mark.parametrize(
    ("root", "nodes", "slug"),
    [
        ("RE[W+4016]", ";W[31hefe];B[double];W[drop]", "winner"),
        ("RE[B+4016]", ";W[31hefe];B[double];W[drop]", "points"),
        ("RE[B+2R]", ";W[31hefe];B[double];W[drop]", "points"),
        ("RE[B+0]", ";W[31hefe];B[double];W[drop]", "points"),
        ("RE[B+1]", ";W[31hefe];B[double];W[drop];B[00hehe]", "illegible"),
        ("RE[B+1]", ";W[31hefe];B[64afak];W[resign]", "illegal-play"),
        ("RE[B+1]", ";W[33hehefcfc];B[double];W[drop]", "bad-dice"),
        ("RE[B+1]", ";W[31hefe];W[31xwxu];B[double];W[drop]", "turn-order"),
        ("RE[B+1]", ";W[31hefe];B[take];W[resign]", "nothing-to-answer"),
        ("RE[B+1]", ";W[31hefe];B[beaver];W[resign]", "nothing-to-answer"),
        ("RE[B+1]CV[2]", ";W[31hefe];B[double];W[drop]", "set-up"),
    ],
)
def test_an_sgf_that_contradicts_the_rules_or_itself_scores_nothing(root: str, nodes: str, slug: str) -> None:
    made = from_text(SGF_GAME.format(root=root, nodes=nodes))
    assert made.voided == (1,)
    assert slug in {finding.slug for finding in made.findings}
    assert not games(made)
    assert (made.match.white_points, made.match.black_points) == (0, 0)


def test_a_result_without_an_end_is_a_resignation_of_the_other_side() -> None:
    result = from_text(ONE_GAME.format(line="52: 13/8 13/11          31: ????") + "      Wins 2 points\n")
    (game,) = games(result)
    assert (game.winner, game.points, game.ending) == (Seat.WHITE, 2, Ending.RESIGNED)


def test_a_record_that_stops_in_mid_game_is_imported_up_to_there() -> None:
    result = from_text(ONE_GAME.format(line="52: 13/8 13/11"))
    assert result.match.phase is Phase.ROLL
    assert "unfinished" in {finding.slug for finding in result.findings}
    assert result.match.on_roll is Seat.BLACK


def test_imported_dice_carry_no_proof_and_the_log_says_where_they_come_from() -> None:
    _, result = imported(MATCHES[0])
    assert result.match.source == MATCHES[0].name
    assert not result.match.dice.chain


@pytest.mark.parametrize(
    "path", [MATCHES[8], MATCHES[30], MATCHES[36], MATCHES[40]], ids=lambda path: path.name
)
@pytest.mark.parametrize("kind", ["mat", "sgf"])
def test_gnu_backgammon_reads_an_export_back(path: Path, kind: str, tmp_path: Path) -> None:
    _, result = imported(path)
    record = record_of(decode(stored.data) for stored in result.log)
    exported, again = tmp_path / f"match.{kind}", tmp_path / "again.mat"
    exported.write_text(to_mat(record) if kind == "mat" else to_sgf(record))
    load = f"import mat {exported}" if kind == "mat" else f"load match {exported}"
    gnubg(tmp_path, load, f"export match mat {again}")
    back = from_text(again.read_text())
    assert [(g.winner, g.points) for g in games(back)] == [(g.winner, g.points) for g in games(result)]
