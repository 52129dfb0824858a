import re
from dataclasses import replace
from pathlib import Path

import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.records.read import read_record
from libs.records.record import (
    Accept,
    Action,
    Beaver,
    Double,
    Game,
    Illegible,
    Pass,
    Record,
    Resign,
    Result,
    Roll,
    Take,
)
from libs.records.write_mat import to_mat
from libs.records.write_sgf import to_sgf
from tests.gnubg import gnubg
from tests.unit.test_records_field import FILES, played

W, B = Seat.WHITE, Seat.BLACK
ILLEGIBLE = "33"
WRITABLE = [path for path in FILES if not path.name.startswith(ILLEGIBLE)]


def one_game(*actions: Action, result: Result | None = None, **fields: object) -> Record:
    game = Game(line=1, number=1, score_before=(0, 0), actions=actions, result=result)
    record = Record(length=7, players=("Ann", "Bob"), games=(game,), crawford=True)
    return replace(record, **fields)  # type: ignore[arg-type]  # the fields of a record


def said(record: Record) -> list[list[tuple[object, ...]]]:
    """What the games of a record say, without lines, spellings, and resignations: match text has none."""
    return [
        [
            game.score_before,
            _result(game),
            *(_told(a) for a in game.actions if not isinstance(a, Resign | Accept)),
        ]
        for game in record.games
    ]


def _result(game: Game) -> tuple[object, ...]:
    return (game.result.winner, game.result.points) if game.result else ()


def _told(action: Action) -> tuple[object, ...]:
    if isinstance(action, Roll):
        return action.seat, action.dice, action.text is None
    return type(action), action.seat


def test_match_text_is_laid_out_in_two_columns() -> None:
    record = one_game(
        Roll(1, B, (6, 4), "24/18* 18/14"),
        Roll(1, W, (2, 1), "bar/23 6/5"),
        Roll(1, B, (5, 5), "13/8(2) 6/1*(2)"),
        Double(1, W, 2),
        Take(1, B),
        Roll(1, W, (6, 6), ""),
        Double(1, B, 4),
        Pass(1, W),
        result=Result(1, B, 2),
        headers=(("Site", 'A "b"'), ("Crawford", "On")),
    )

    assert to_mat(record).splitlines() == [
        "; [Site \"A 'b'\"]",
        '; [Player 1 "Ann"]',
        '; [Player 2 "Bob"]',
        '; [Crawford "On"]',
        '; [Jacoby "Off"]',
        '; [Beaver "Off"]',
        "",
        " 7 point match",
        "",
        " Game 1",
        " Ann : 0                         Bob : 0",
        "  1)                             64: 24/18* 18/14",
        "  2) 21: 25/23 6/5               55: 13/8 13/8 6/1* 6/1*",
        "  3)  Doubles => 2                Takes",
        "  4) 66:                          Doubles => 4",
        "  5)  Drops                       Wins 2 points",
    ]


def test_sgf_tells_every_checkers_way() -> None:
    record = one_game(
        Roll(1, W, (6, 5), "24/13"),
        Double(1, B),
        Take(1, W),
        Roll(1, B, (3, 1), "8/5 6/5"),
        Resign(1, W, worth=1),
        result=Result(1, B, 2),
    )

    assert to_sgf(record) == (
        "(;FF[4]GM[6]CA[UTF-8]AP[Videau]MI[length:7][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford]RE[B+2R]\n"
        ";W[65xrrm]\n;B[double]\n;W[take]\n;B[31qtst])\n"
    )


def test_a_beaver_is_written_as_each_format_has_it() -> None:
    record = one_game(
        Double(1, W),
        Beaver(1, B),
        Take(1, W),
        Roll(1, W, (3, 1), "8/5 6/5"),
        length=0,
        crawford=False,
        jacoby=True,
    )

    (game,) = read_record(to_mat(record).encode()).games
    assert [_told(action) for action in game.actions] == [
        (Double, W),
        (Beaver, B),
        (Take, W),
        (W, (3, 1), False),
    ]
    assert ";W[double]\n;B[double]\n;W[take]\n" in to_sgf(record)


def test_what_is_illegible_is_not_written() -> None:
    record = one_game(Illegible(3, W, "00: ????"))

    for write in (to_mat, to_sgf):
        with pytest.raises(RefusedError, match="line 3") as refused:
            write(record)
        assert refused.value.reason is Reason.BAD_NOTATION


def test_an_illegal_play_is_not_written_as_sgf() -> None:
    with pytest.raises(RefusedError, match="line 7") as refused:
        to_sgf(one_game(Roll(7, W, (3, 1), "8/3")))

    assert refused.value.reason is Reason.ILLEGAL_PLAY


@pytest.mark.parametrize("path", WRITABLE, ids=lambda path: path.stem)
def test_records_of_the_field_survive_both_formats(path: Path) -> None:
    record = read_record(path.read_bytes())

    as_text, as_sgf = read_record(to_mat(record).encode()), read_record(to_sgf(record).encode())

    assert said(as_text) == said(record)
    assert as_sgf.players == as_text.players == record.players
    assert [game.score_before for game in as_sgf.games] == [game.score_before for game in record.games]
    if path.name[:2] != "44":  # its game 3 ends with an unplayed roll, which SGF tells from a blocked one
        for game, text_game, sgf_game in zip(record.games, as_text.games, as_sgf.games, strict=True):
            boards = [board for _, board, _ in played(game)]
            assert boards == [board for _, board, _ in played(text_game)]
            assert boards == [board for _, board, _ in played(sgf_game)]


def test_gnu_backgammon_counts_the_same_scores_in_both_formats(tmp_path: Path) -> None:
    commands, wanted = [], []
    for path in WRITABLE:
        record = read_record(path.read_bytes())
        last = record.games[-1]
        assert last.result is not None
        white, black = last.score_before
        for command, write, suffix in (("import mat", to_mat, "mat"), ("load match", to_sgf, "sgf")):
            written = tmp_path / f"{path.stem}.{suffix}"
            written.write_text(write(record))
            commands += [f"{command} {written}", "show score"]
            wanted.append((path.stem, len(record.games), white, black, last.result, record.length))

    printed = gnubg(tmp_path, *commands)

    scores = re.findall(r"score \(after (\d+) games?\) is: Player 1 (\d+), Player 2 (\d+)", printed)
    assert len(scores) == len(wanted)
    assert "Unrecognised" not in printed
    for (name, games, white, black, result, length), told in zip(wanted, scores, strict=True):
        # GNU Backgammon counts all points of the last game, where most records stop at the match length
        won = (white, black)[result.winner - 1] + result.points
        counted = (int(told[1]), int(told[2]))
        assert int(told[0]) == games, name
        assert counted[result.winner.other - 1] == (white, black)[result.winner.other - 1], name
        assert counted[result.winner - 1] == won or counted[result.winner - 1] > won == length, name


def test_gnu_backgammon_reads_the_same_plays_in_our_sgf(tmp_path: Path) -> None:
    paths = [path for path in WRITABLE if path.name[:2] in ("09", "37", "38", "39")]
    commands = []
    for path in paths:
        (tmp_path / f"{path.stem}.sgf").write_text(to_sgf(read_record(path.read_bytes())))
        commands += [f"load match {tmp_path / path.stem}.sgf", f"export match mat {tmp_path / path.stem}.mat"]

    gnubg(tmp_path, *commands)

    for path in paths:
        ours, theirs = (
            read_record(path.read_bytes()),
            read_record((tmp_path / f"{path.stem}.mat").read_bytes()),
        )
        for game, exported in zip(ours.games, theirs.games, strict=True):
            assert [board for _, board, _ in played(game)] == [board for _, board, _ in played(exported)]
            assert game.result is not None
            assert exported.result is not None
            assert (game.result.winner, game.result.points) == (
                exported.result.winner,
                exported.result.points,
            )
