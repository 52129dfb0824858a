"""Bad match records, each made on purpose, as text and as SGF."""

import hashlib
from collections.abc import Callable

MAT = """; [Site "Test"]

 {length} point match

 Game 1
 A : 0                    B : 0
  1) 31: 8/5 6/5                 64: 24/14
{lines}
"""


def mat(*lines: str, length: str = "3") -> bytes:
    """Match text whose first turn is all right."""
    return MAT.format(length=length, lines="\n".join(lines)).encode()


def sgf(nodes: str, root: str = "FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]") -> bytes:
    return f"(;{root}{nodes})".encode()


RECORD_FILES: dict[str, Callable[[], bytes]] = {
    # no records
    "empty": lambda: b"",
    "spaces": lambda: b" \r\n\t" * 999,
    "zeros": lambda: bytes(4096),
    "noise": lambda: hashlib.sha512(b"noise").digest() * 8,
    "utf-16-cut-off": lambda: "3 point match\n Game 1".encode("utf-16")[:-1],
    "utf-16-noise": lambda: b"\xff\xfe" + hashlib.sha512(b"noise").digest() * 8,
    # match text
    "lines-without-number.txt": lambda: b"\n" * 50_001,
    "line-without-end.txt": lambda: mat("  2) " + "31: 8/5 " * 999),
    "length-without-measure.txt": lambda: mat(length="9999"),
    "length-nothing.txt": lambda: mat(length="0"),
    "length-in-other-digits.txt": lambda: mat(length="\u0663"),
    "game-number-without-measure.txt": lambda: mat(
        "", " Game 9999", " A : 999999   B : 999999", "  1) 31: 8/5"
    ),
    "dice-that-are-none.txt": lambda: mat("  2) 77: 8/1(2)                 00: 24/24"),
    "doublet-opening.txt": lambda: (
        b" 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 33: 8/5(2) 6/3(2)     64: 24/14\n"
    ),
    "illegal-play.txt": lambda: mat(
        "  2) 31: 24/19", "", " Game 2", " A : 0    B : 0", "  1) 42: 8/4 6/4   Wins 3 points"
    ),
    "play-backwards.txt": lambda: mat("  2) 31: 5/8 5/6"),
    "play-from-nowhere.txt": lambda: mat("  2) 31: 99/98 off/bar"),
    "play-of-five.txt": lambda: mat("  2) 33: 8/5(4) 6/3(4)"),
    "play-without-end.txt": lambda: mat("  2) 31: " + "8/5 " * 60),
    "same-side-twice.txt": lambda: mat(
        "  2)                             31: 8/5 6/5", "  3)                  31: 8/4"
    ),
    "take-of-nothing.txt": lambda: mat("  2)  Takes                      Takes"),
    "cube-out-of-turn.txt": lambda: mat("  2) 31: 8/4  Doubles => 2", "  3) Doubles => 4    Doubles => 8"),
    "cube-without-measure.txt": lambda: mat("  2) Doubles => 999999           Takes"),
    "cube-for-ever.txt": lambda: mat(
        *[f"  {n}) Doubles => {2**n % 10**6}   Doubles => 2" for n in range(2, 99)]
    ),
    "points-absurd.txt": lambda: mat("  2) Wins 999999 points and the match"),
    "points-nothing.txt": lambda: mat("  2) Wins 0 points"),
    "result-first.txt": lambda: (
        b" 3 point match\n\n Game 1\n A : 0   B : 0\n  Wins 2 points\n  1) 31: 8/5 6/5\n"
    ),
    "games-after-the-end.txt": lambda: mat(
        "  2) Wins 3 points and the match", "", " Game 2", " A : 3    B : 0", "  1) 42: 8/4 6/4"
    ),
    "games-without-number.txt": lambda: mat(*[f" Game {n}\n A : 0   B : 0" for n in range(2, 300)]),
    "resigned-for-ever.txt": lambda: mat(*["  2) Resigns      Rejects"] * 50),
    "control-characters.txt": lambda: mat("\x1b[2J\x07  2) \x1b[31m31: 8/4\x00", "\x08\x08  3) 31: 8/4"),
    "names-without-measure.txt": lambda: mat().replace(b" A : 0", b" " + b"A" * 480 + b" : 0"),
    # SGF
    "deep.sgf": lambda: b"(" * 50_001,
    "nodes-without-number.sgf": lambda: b"(" + b";" * 50_001,
    "cut-off.sgf": lambda: sgf(";B[31hehe")[:-1],
    "no-value.sgf": lambda: sgf(";B"),
    "no-game.sgf": lambda: b"()()()",
    "another-game.sgf": lambda: b"(;GM[1]PW[A]PB[B];B[pd])",
    "variant.sgf": lambda: sgf("", "FF[4]GM[6]MI[length:3]RU[Nackgammon]PW[A]PB[B]"),
    "second-match.sgf": lambda: sgf("") + sgf("", "FF[4]GM[6]MI[length:5]PW[A]PB[B]"),
    "length-without-measure.sgf": lambda: sgf("", "FF[4]GM[6]MI[length:999999]PW[A]PB[B];W[31hefe]"),
    "length-too-long.sgf": lambda: sgf("", f"FF[4]GM[6]MI[length:{'9' * 5000}]PW[A]PB[B]"),
    "length-below-nothing.sgf": lambda: sgf("", "FF[4]GM[6]MI[length:-3]PW[A]PB[B]"),
    "length-in-other-digits.sgf": lambda: sgf("", "FF[4]GM[6]MI[length:\u0663]PW[A]PB[B]"),
    "score-without-measure.sgf": lambda: sgf("", "FF[4]GM[6]MI[length:3][game:999999][ws:999999][bs:999999]"),
    "set-up.sgf": lambda: sgf(";AE[a][b][c]AW[d]CV[64]CO[w];W[31hefe]"),
    "points-off-the-board.sgf": lambda: sgf(";W[31zaay];B[66abcdefgh]"),
    "values-of-a-node.sgf": lambda: sgf(";W" + "[31hefe]" * 2_000),
    "result-absurd.sgf": lambda: sgf("", "FF[4]GM[6]MI[length:3]PW[A]PB[B]RE[W+999999]") + b"\n",
    "name-without-end.sgf": lambda: sgf("", f"FF[4]GM[6]MI[length:3]PW[{'A' * 20_000}]PB[B]"),
    "value-without-end.sgf": lambda: sgf(f";W[{'x' * 9_000}];AE[{'y' * 9_000}]"),
    "value-not-closed.sgf": lambda: sgf(f";W[{chr(92) * 5_001}"),
    "all-escaped.sgf": lambda: sgf(f";C[{chr(92) + ']'}" + f"{chr(92)}x" * 5_000 + "]"),
}
