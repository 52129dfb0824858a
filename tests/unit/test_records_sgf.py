import pytest

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.events import Seat
from libs.records.read import read_record
from libs.records.record import (
    Accept,
    Action,
    Beaver,
    Decline,
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
)

W, B = Seat.WHITE, Seat.BLACK
ROOT = (
    "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07]MI[length:7][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford]"
)


def read(text: str) -> Record:
    return read_record(text.encode())


def game(nodes: str, root: str = ROOT) -> Game:
    (only,) = read(f"{root}{nodes})").games
    return only


def actions(nodes: str) -> tuple[Action, ...]:
    return game(nodes).actions


def test_the_root_tells_the_match() -> None:
    record = read(
        "(;GM[6]MI[length:5][game:3][ws:4][bs:2][mood:good]PW[Ann]PB[Bob \\] Co]DT[2023-09-05]PC[Paris]"
        "RU[Crawford:CrawfordGame]RE[B+2];W[31hefe])"
    )

    assert (record.length, record.players, record.crawford) == (5, ("Ann", "Bob ] Co"), True)
    assert record.headers == (("Site", "Paris"), ("EventDate", "2023.09.05"))
    (only,) = record.games
    assert (only.number, only.score_before, only.crawford, only.result) == (4, (4, 2), True, Result(1, B, 2))


def test_money_play_and_jacoby_are_read() -> None:
    record = read("(;GM[6]MI[length:0][game:0][ws:0][bs:0]RU[Jacoby];W[31hefe])")

    assert (record.length, record.jacoby, record.crawford, record.games[0].crawford) == (0, True, False, None)


def test_plays_are_read_from_each_sides_own_points() -> None:
    assert actions("\n;W[31hefe]\n;B[53qvsv]\n;W[66]\n;B[61yg]\n;W[66fzezdzcz]\n;B[21uzwz]") == (
        Roll(2, W, (3, 1), "8/5 6/5"),
        Roll(3, B, (5, 3), "8/3 6/3"),
        Roll(4, W, (6, 6), ""),
        Roll(5, B, (6, 1), "bar/18"),
        Roll(6, W, (6, 6), "6/off 5/off 4/off 3/off"),
        Roll(7, B, (2, 1), "4/off 2/off"),
    )


def test_the_cube_is_read_and_a_second_double_is_a_beaver() -> None:
    assert actions(";W[double];B[double];W[take];B[double];W[drop]") == (
        Double(1, W),
        Beaver(1, B),
        Take(1, W),
        Double(1, B),
        Pass(1, W),
    )


def test_resignations_are_read_from_their_nodes_or_from_the_result() -> None:
    written = game(";B[resign:2];W[reject];B[resign:3];W[accept]", ROOT + "RE[W+3Resign]")
    told = game(";B[31adbd]", ROOT + "RE[W+2R]")

    assert written.actions == (Resign(1, B, worth=2), Decline(1, W), Resign(1, B, worth=3), Accept(1, W))
    assert told.actions[-1] == Resign(1, B, points=2)
    assert told.result == Result(1, W, 2)


def test_dice_that_nobody_played_are_a_roll_without_a_play() -> None:
    assert actions(";W[31hefe];PL[B]DI[64]") == (Roll(1, W, (3, 1), "8/5 6/5"), Roll(1, B, (6, 4), None))
    assert actions(";PL[W]DI[31];W[31hefe]") == (Roll(1, W, (3, 1), "8/5 6/5"),)


def test_analysis_comments_and_variations_are_passed_over() -> None:
    text = "(;GM[6]C[a \\] b ;W[31\\]](;W[31hefe]A[0][hefe E 0.5]\n(;B[53qvsv]BM[1])(;B[53lqqt]))(;W[64xr]))"

    assert read(text).games[0].actions == (
        Roll(1, W, (3, 1), "8/5 6/5"),
        Roll(2, B, (5, 3), "8/3 6/3"),
    )


def test_every_game_of_a_match_is_read() -> None:
    second = ROOT.replace("game:0", "game:1").replace("ws:0", "ws:1")

    record = read(f"{ROOT}RE[W+1];W[double];B[drop])\n{second}RE[B+1];B[double];W[drop])")

    assert [(one.number, one.line, one.score_before) for one in record.games] == [
        (1, 1, (0, 0)),
        (2, 2, (1, 0)),
    ]
    assert record.remarks == ()


@pytest.mark.parametrize(
    "value", ["", "99hefe", "31he", "31hef", "31ehef", "31hzfe", "31hyfe", "31zefe", "dance"]
)
def test_what_no_node_can_say_is_illegible(value: str) -> None:
    record = read(f"{ROOT}RE[W+1]\n;W[{value}])")
    illegible = value in ("", "99hefe", "31hef", "31ehef", "31hyfe", "31zefe", "dance")

    assert (record.games[0].actions[0] == Illegible(2, W, f"W[{value}]")) is illegible
    assert ((2, Fault.ILLEGIBLE) in [(remark.line, remark.slug) for remark in record.remarks]) is illegible


@pytest.mark.parametrize("node", ["AE[a:y]AW[fffff]AB[xx]", "CV[4]", "CO[w]"])
def test_a_position_that_was_set_up_is_not_played_on(node: str) -> None:
    record = read(f"{ROOT}RE[W+1]\n;{node}\n;W[31hefe])")

    assert isinstance(record.games[0].actions[0], Illegible)
    assert {remark.slug for remark in record.remarks} == {Fault.SET_UP}


def test_a_text_that_ends_too_early_is_read_so_far_and_remarked() -> None:
    record = read(f"{ROOT}RE[W+1]\n;W[31hefe]\n;B[64ak]\n")

    assert len(record.games[0].actions) == 2
    assert [remark.slug for remark in record.remarks] == [Fault.TRUNCATED]


@pytest.mark.parametrize(
    "text",
    [
        "(",
        "()",
        "(;)",
        "(;GM[1])",
        "(;GM[6]RU[NackGammon];W[31hefe])",
        "(;GM[6]MI[length:seven])",
        "(;GM[6]MI[length:99999999])",
        "(;GM[6]W)",
        "(;GM[6]W[31hefe)",
        "(;GM[6]])",
        "(;GM[6];W[31hefe])]",
        "(;GM[6]MI[length:5])(;GM[6]MI[length:7])",
        "(;GM[6]" + ";W[31]" * 60_000 + ")",
    ],
)
def test_what_is_no_match_of_backgammon_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)

    assert refused.value.reason is Reason.BAD_NOTATION
