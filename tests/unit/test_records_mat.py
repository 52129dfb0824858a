import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.records.read import read_record
from libs.records.record import (
    Action,
    Beaver,
    Double,
    Fault,
    Game,
    Illegible,
    Pass,
    Record,
    Resign,
    Result,
    Roll,
    Take,
    possible_worths,
)

W, B = Seat.WHITE, Seat.BLACK
HEAD = " 7 point match\n\n Game 1\n Ann : 0                      Bob : 0\n"


def read(*lines: str, head: str = HEAD) -> Record:
    return read_record((head + "\n".join(lines) + "\n").encode())


def game(*lines: str) -> Game:
    (only,) = read(*lines).games
    return only


def actions(*lines: str) -> tuple[Action, ...]:
    return game(*lines).actions


def faults(record: Record) -> list[tuple[int, Fault]]:
    return [(remark.line, remark.slug) for remark in record.remarks]


def test_both_columns_are_read_in_order_with_their_lines() -> None:
    assert actions("  1) 31: 8/5 6/5                 64: 24/14", "  2) 52: 13/11 13/8") == (
        Roll(5, W, (3, 1), "8/5 6/5"),
        Roll(5, B, (6, 4), "24/14"),
        Roll(6, W, (5, 2), "13/11 13/8"),
    )


def test_a_line_with_an_empty_left_column_belongs_to_the_right() -> None:
    assert actions("  1)                             13: 8/5 6/5") == (Roll(5, B, (1, 3), "8/5 6/5"),)


def test_columns_without_a_space_between_them_are_read() -> None:
    assert actions("  1) 55: bar/20* 20/15*(2) 13/8*61: Cannot Move") == (
        Roll(5, W, (5, 5), "bar/20* 20/15*(2) 13/8*"),
        Roll(5, B, (6, 1), ""),
    )


@pytest.mark.parametrize("nothing", ["", "Cannot Move", "cannot move", "(no move)", "---"])
def test_a_roll_without_a_play_is_read_in_every_spelling(nothing: str) -> None:
    assert actions(f"  1) 66: {nothing}") == (Roll(5, W, (6, 6), ""),)


@pytest.mark.parametrize("marks", ["????", "???", "?"])
def test_marks_instead_of_a_play_are_no_play(marks: str) -> None:
    assert actions(f"  1) 44: {marks}                   Wins 1 point") == (Roll(5, W, (4, 4), None),)


def test_cube_actions_are_read_in_either_column() -> None:
    assert actions(
        "  1)  Doubles => 2                Takes",
        "  2) 31: 8/5 6/5                  Doubles => 4",
        "  3)  Drops                       Wins 2 points",
    ) == (Double(5, W, 2), Take(5, B), Roll(6, W, (3, 1), "8/5 6/5"), Double(6, B, 4), Pass(7, W))


def test_a_roll_after_a_beaver_takes_it() -> None:
    assert actions(
        "  1)  Doubles => 2                Beavers => 4",
        "  2) 31: 8/5 6/5",
    ) == (Double(5, W, 2), Beaver(5, B, 4), Take(6, W), Roll(6, W, (3, 1), "8/5 6/5"))


def test_a_double_in_answer_to_a_beaver_is_another_one() -> None:
    assert actions(
        "  1)  Doubles => 2                Beavers => 4",
        "  2)  Doubles => 8                Takes",
    ) == (Double(5, W, 2), Beaver(5, B, 4), Beaver(6, W, 8), Take(6, B))


@pytest.mark.parametrize(
    ("line", "winner", "points", "wins_match"),
    [
        ("      Wins 1 point", W, 1, False),
        ("      Wins 2 points and the match ", W, 2, True),
        ("                                  Wins 3 point and the match", B, 3, True),
        ("  24)  Wins 4 point                     ", W, 4, False),
        ("  23)                                    Wins 2 point", B, 2, False),
        ("  1) 31: 8/5 6/5                  Wins 8 point", B, 8, False),
    ],
)
def test_results_are_read_from_either_column(
    line: str, winner: Seat, points: int, *, wins_match: bool
) -> None:
    assert game(line).result == Result(5, winner, points, wins_match)


def test_a_loss_in_a_column_is_a_resignation() -> None:
    resigned = game("  1) 31: 8/5 6/5                  Losses 2 point", "      Wins 2 point")

    assert resigned.actions[-1] == Resign(5, B, points=2)
    assert resigned.result == Result(6, W, 2)


def test_a_numbered_line_inside_another_starts_again_on_the_left() -> None:
    resigned = game(
        " 14) 22: 13/11 13/11 4/2 5/3      14)  Losses 1 point                Wins 1 point and the match"
    )

    assert resigned.actions == (Roll(5, W, (2, 2), "13/11 13/11 4/2 5/3"), Resign(5, W, points=1))
    assert resigned.result == Result(5, B, 1, wins_match=True)


def test_trailing_numbers_and_empty_lines_say_nothing() -> None:
    record = read("  1) 31: 8/5 6/5", "  2)", "", "      Wins 1 point", "")

    assert len(record.games[0].actions) == 1
    assert record.remarks == ()


def test_headers_players_and_rules_are_read() -> None:
    record = read(
        "      Wins 1 point",
        head='; [Site "PlayOK"]\n; [CubeLimit "64"]\n; [Crawford "Off"]\n; [Player 2 "Bob"]\n'
        "5 point match\n Game 1\n : 0                    : 0\n",
    )

    assert record.headers == (
        ("Site", "PlayOK"),
        ("CubeLimit", "64"),
        ("Crawford", "Off"),
        ("Player 2", "Bob"),
    )
    assert (record.length, record.players, record.cube_cap, record.crawford) == (5, ("", "Bob"), 64, False)
    assert record.header("Site") == "PlayOK"


def test_names_with_colons_spaces_and_accents_are_read() -> None:
    record = read_record(
        "7 point match\r\n\r\n Game 1\r\n É. d'A-B c : 3      X: Y : 12\r\n".encode("latin-1")
    )

    assert record.players == ("É. d'A-B c", "X: Y")
    assert record.games[0].score_before == (3, 12)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_encoding_and_end_of_line_is_read(encoding: str, newline: str) -> None:
    text = (HEAD.replace("Ann", "Añn") + "  1) 31: 8/5 6/5\n").replace("\n", newline)

    record = read_record(text.encode(encoding))

    assert record.players == ("Añn", "Bob")
    assert record.games[0].actions == (Roll(5, W, (3, 1), "8/5 6/5"),)


# --- money ------------------------------------------------------------------------------------------


def test_a_match_to_no_points_is_a_money_session() -> None:
    record = read("      Wins 1 point", head=HEAD.replace("7 point", "0 point"))

    assert (record.length, record.jacoby, record.crawford) == (0, True, False)


def test_a_gammon_without_the_cube_shows_that_jacoby_is_off() -> None:
    record = read("      Wins 2 point", head=HEAD.replace("7 point", "0 point"))

    assert record.jacoby is False


def test_one_game_that_does_not_end_its_even_match_is_a_money_game() -> None:
    record = read("      Wins 1 point", head=HEAD.replace("7 point", "16 point"))

    assert (record.length, record.loss_cap, record.jacoby) == (0, 16, True)
    assert faults(record) == [(1, Fault.MONEY_SESSION)]


@pytest.mark.parametrize(
    ("length", "result"),
    [(7, "Wins 1 point"), (2, "Wins 2 point and the match"), (4, "Wins 2 point"), (4, "")],
)
def test_other_single_games_stay_a_match(length: int, result: str) -> None:
    record = read(f"      {result}", head=HEAD.replace("7 point", f"{length} point"))

    assert (record.length, record.loss_cap) == (length, 0)


# --- what records get wrong -------------------------------------------------------------------------


def test_dice_that_do_not_exist_are_illegible() -> None:
    record = read("  1) 31: 8/5 6/5                 00: ????")

    assert record.games[0].actions[-1] == Illegible(5, B, "00: ????")
    assert faults(record) == [(3, Fault.NO_RESULT), (5, Fault.BAD_DICE)]


@pytest.mark.parametrize(
    "line",
    [
        "  1) 31: 8/5 6/x",
        "  1) 31 8/5 6/5",
        "  1) 8/5 6/5",
        "  1)  Doubles => 2  Takes  Drops",
        "  1)  Takeover 5",
        "  1)  Wins",
        "and then the lights went out",
        "  1) 31: " + "8/5 " * 200,
    ],
)
def test_what_cannot_be_read_stands_in_its_place_and_is_remarked(line: str) -> None:
    record = read("  1) 31: 8/5 6/5                 64: 24/14", line, "      Wins 1 point")

    assert any(isinstance(action, Illegible) and action.line == 6 for action in record.games[0].actions)
    assert (6, Fault.ILLEGIBLE) in faults(record)


def test_lines_outside_a_game_are_remarked() -> None:
    record = read("      Wins 1 point", "thanks", "  3) 31: 8/5 6/5", head="hello\n" + HEAD)

    assert faults(record) == [(1, Fault.UNREAD_LINE), (7, Fault.UNREAD_LINE), (8, Fault.AFTER_RESULT)]


def test_a_missing_score_line_is_remarked_and_the_score_carried_on() -> None:
    record = read("      Wins 2 points", "", " Game 2", "  1) 31: 8/5 6/5", "      Wins 1 point")

    assert record.games[1].score_before == (2, 0)
    assert faults(record) == [(7, Fault.NO_SCORE_LINE)]


def test_a_score_that_does_not_follow_is_remarked() -> None:
    record = read("      Wins 2 points", " Game 3", " Ann : 0      Bob : 2", "      Wins 1 point")

    assert faults(record) == [(6, Fault.GAME_NUMBER), (6, Fault.SCORE)]


@pytest.mark.parametrize(
    ("points", "fault"),
    [
        (4016, Fault.POINTS_ABSURD),
        (0, Fault.POINTS_ABSURD),
        (5, Fault.POINTS_ABSURD),
        (7, Fault.POINTS_FILLED),
    ],
)
def test_points_that_the_cube_cannot_make_are_remarked(points: int, fault: Fault) -> None:
    assert faults(read(f"      Wins {points} point")) == [(5, fault)]


def test_points_that_stop_at_the_match_length_are_remarked() -> None:
    cube = [
        "  1)  Doubles => 2                Takes",
        "  2)                              Doubles => 4",
        "  3)  Takes",
    ]

    assert faults(read(*cube, "      Wins 7 point and the match")) == [(8, Fault.POINTS_CAPPED)]


def test_the_loser_cannot_win() -> None:
    assert faults(
        read("  1)  Doubles => 2                Drops", "", "", "           ", " " * 34 + "Wins 1 point")
    ) == [(9, Fault.WINNER)]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["  1)  Takes"], Fault.CUBE_ORDER),
        (["  1)  Doubles => 2", "  2) 31: 8/5 6/5"], Fault.CUBE_ORDER),
        (["  1)  Doubles => 8                Takes"], Fault.CUBE_VALUE),
        (["  1) 31: 8/5 6/5", "  2) 31: 8/5 6/5"], Fault.TURN_ORDER),
    ],
)
def test_actions_out_of_order_are_remarked(lines: list[str], fault: Fault) -> None:
    assert fault in [remark.slug for remark in read(*lines, "      Wins 2 points").remarks]


def test_games_after_the_end_of_the_match_are_remarked() -> None:
    record = read("      Wins 1 point", head=HEAD.replace("Bob : 0", "Bob : 7"))

    assert faults(record) == [(3, Fault.MATCH_OVER)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 50,
        b"hello",
        b'[Event "chess"]\n1. e4 e5',
        b'; [Site "x"]\n',
        b"1 point match\n2 point match",
    ],
)
def test_what_is_no_record_of_one_match_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError) as refused:
        read_record(data)

    assert refused.value.reason is Reason.BAD_NOTATION


@pytest.mark.parametrize(
    ("points", "cube", "needed", "worths"),
    [
        (1, 1, 0, (1,)),
        (4, 2, 7, (2,)),
        (2, 2, 2, (1, 2, 3)),
        (7, 4, 7, (2, 3)),
        (3, 1, 3, (3,)),
        (5, 1, 7, ()),
        (4016, 1, 0, ()),
    ],
)
def test_points_tell_what_a_game_may_have_been_worth(
    points: int, cube: int, needed: int, worths: tuple[int, ...]
) -> None:
    assert possible_worths(points, cube, needed) == worths
