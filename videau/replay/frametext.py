"""A frame of a replay as lines: where it is, what happened, the board, and who stands how."""

from collections.abc import Iterator

from libs.backgammon.board import OFF
from libs.backgammon.board_text import HEIGHT, drawn
from libs.backgammon.clock import deadline
from libs.backgammon.events import GhostDecided, Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.microseconds import moment
from libs.backgammon.timing import Mode
from libs.backgammon.xgid import xgid
from libs.engine.numbers import MILLION
from libs.replay.replay import Frame, Replay
from libs.replay.time_words import clock_time, seconds
from libs.replay.words import name_of
from videau.clocktext import WHAT, left_of

LETTERS = {Seat.WHITE: "O", Seat.BLACK: "X"}
LABEL = 9
"""The width of the words before the lines that say more."""
_WAITS = {
    Phase.TABLE: "the table waits for players",
    Phase.CLOSED: "the table is closed",
    Phase.BETWEEN: "no game is under way",
    Phase.OPENING: "the opening is to be rolled",
    Phase.WON: "the game is decided",
    Phase.ABANDONED: "the game is to be adjudicated",
}
CANDIDATES = 5
"""As many of the ghost's candidates are shown, besides the chosen one."""


def frame_text(replay: Replay, frame: Frame, below: Seat) -> str:
    """About 22 lines; `below` is the seat whose side is below."""
    match = frame.match
    lines = [_heading(match), _place(replay, frame)]
    lines += [f"{'':{LABEL}}{words}" for words in frame.words]
    lines += ["", drawn(frame.view, below, _beside(frame, below)), f"{'XGID':{LABEL}}{xgid(frame.view)}"]
    lines.append(f"{'GNU':{LABEL}}{frame.gnubg_id}")
    lines += _charge(frame)
    for receipt in frame.receipts:
        lines += _receipt(receipt)
    return "\n".join(lines)


def _heading(match: Match) -> str:
    rules = match.rules
    length = f", {rules.points} points" if rules.points else ""
    score = f"{match.white_points}-{match.black_points}"
    game = f", game {match.game}{' (Crawford)' if match.crawford else ''}" if match.game else ""
    turn = f", turn {match.turns}" if match.turns else ""
    source = f", from {match.source}" if match.source else ""
    return f"{match.match_id}: {rules.name}{length}{source}, score {score}{game}{turn}"


def _place(replay: Replay, frame: Frame) -> str:
    decision = frame.decision
    day = moment(decision.decided_at)
    number = f"#{frame.position}"
    return f"{number:{LABEL}}of {len(replay)}, {day:%Y-%m-%d} {clock_time(decision.decided_at)}"


def _beside(frame: Frame, below: Seat) -> list[str]:
    """Ten lines: the upper side, cube and dice in the middle, the lower side."""
    above = _side(frame, below.other)
    own = _side(frame, below)
    middle = [_cube(frame.match), _waits(frame.match)]
    gap = [""] * (2 * HEIGHT - len(above) - len(middle) - len(own))
    half = (len(gap) + 1) // 2
    return [*above, *gap[:half], *middle, *gap[half:], *own]


def _side(frame: Frame, seat: Seat) -> list[str]:
    """Who plays this side, what he has, his time and whether he is there: three lines."""
    match = frame.match
    white, black = frame.pips
    mover, other = match.current_board.counts()
    off = (mover if seat is match.on_roll else other)[OFF]
    bot = f" (bot {match.bot(seat)})" if match.bot(seat) else ""
    who = f"{LETTERS[seat]} {name_of(match, seat)}{bot}"
    has = f"  {white if seat is Seat.WHITE else black} pips, {off} off"
    return [who, has, f"  {_time(match, seat)}"]


def _time(match: Match, seat: Seat) -> str:
    clocks = match.clocks
    runs = clocks.seat is seat
    parts = [left_of(match, seat, clocks.mode if runs else Mode.TURN)]
    if runs:
        ends = deadline(match)
        parts.append(f"{WHAT[clocks.mode]} until {clock_time(ends)}" if ends is not None else "running")
    if match.absent(seat):
        parts.append(f"absent since {clock_time(match.presence(seat).since)}")
    if match.ghost_holds(seat):
        parts.append("the ghost plays")
    return ", ".join(part for part in parts if part)


def _cube(match: Match) -> str:
    cube = match.cube
    owner = f"{name_of(match, cube.owner)}'s" if cube.owner else "centred"
    if match.phase in (Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED):
        return f"cube {cube.value}, {owner}; {cube.offered} is offered"
    return f"cube {cube.value}, {owner}"


def _waits(match: Match) -> str:
    """What the match waits for."""
    name = name_of(match, match.on_roll)
    if match.resigning is not None:
        offered = match.resigned_worth.name.lower()
        return f"{name_of(match, match.resigning)} offers to resign a {offered}"
    if match.turn is not None and match.phase is Phase.MOVE:
        first, second = match.turn.dice
        return f"{name} has {first}-{second}"
    if match.phase is Phase.OVER:
        return f"the match is over{f': {name_of(match, match.winner)} has won' if match.winner else ''}"
    return _WAITS.get(match.phase) or {
        Phase.ROLL: f"{name} is to roll",
        Phase.OFFERED: f"{name_of(match, match.on_roll.other)} is to answer",
        Phase.BEAVERED: f"{name} is to answer",
        Phase.RACCOONED: f"{name_of(match, match.on_roll.other)} is to answer",
    }.get(match.phase, "")


def _charge(frame: Frame) -> Iterator[str]:
    charge = frame.charge
    if charge is not None:
        yield (
            f"{'time':{LABEL}}{name_of(frame.match, charge.seat)}, {WHAT[charge.mode]}: "
            f"took {seconds(charge.took)}, credit {seconds(charge.credit)}, charged {seconds(charge.charged)}"
        )


def _receipt(receipt: GhostDecided) -> Iterator[str]:
    engine = f"{receipt.engine} {receipt.version}, level {receipt.level}"
    yield f"{'weighed':{LABEL}}{receipt.action} by {engine}: {receipt.chosen}"
    best = sorted(receipt.candidates, key=lambda one: -one.equity)
    for number, one in enumerate(best):
        if number < CANDIDATES or one.text == receipt.chosen:
            chosen = "  <- chosen" if one.text == receipt.chosen else ""
            yield f"{'':{LABEL}}{one.equity / MILLION:+.4f}  {one.text}{chosen}"
