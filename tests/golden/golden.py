"""A golden log as text: what the store knew of every decision, its bytes, and what must come of them."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from textwrap import wrap
from typing import Any

from libs.backgammon.match import Match
from libs.eventlog.codec import decode
from libs.eventlog.fold import fold_all
from libs.eventlog.store import Stored
from videau.proof.reexecute import reexecute
from videau.text import lines

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Golden:
    """A log, and what it is kept for."""

    about: str
    match_id: str
    log: tuple[Stored, ...]


def write(golden: Golden) -> str:
    """The text of a log: JSON, the bytes of a decision in lines of base64.

    What stands under `told` is for the reader's eyes as it was told when the log was made: the bytes are the
    truth.
    """
    told: dict[int, list[str]] = {}
    for line in lines(decode(stored.data) for stored in golden.log):
        told.setdefault(int(line[:5]), []).append(line[21:])
    decisions = [
        {
            "sequence": stored.sequence,
            "expected": stored.expected,
            "owner": stored.owner,
            "command_id": stored.command_id,
            "stored_at": stored.stored_at.isoformat(timespec="microseconds"),
            "told": "; ".join(told.get(position, [])),
            "data": wrap(base64.b64encode(stored.data).decode(), WIDTH),
        }
        for position, stored in enumerate(golden.log, 1)
    ]
    return text({"about": golden.about, "match_id": golden.match_id, "decisions": decisions})


def read(written: str) -> Golden:
    """The log in a text that `write` made."""
    found = json.loads(written)
    match_id = found["match_id"]
    log = tuple(
        Stored(
            match_id,
            one["owner"],
            one["sequence"],
            one["expected"],
            one["command_id"],
            base64.b64decode("".join(one["data"]), validate=True),
            datetime.fromisoformat(one["stored_at"]),
        )
        for one in found["decisions"]
    )
    return Golden(found["about"], match_id, log)


def outcome(golden: Golden) -> dict[str, Any]:
    """What this release makes of a log: the report of its re-execution, and where its fold ends."""
    match = fold_all(golden.match_id, golden.log).match
    if match is None:
        raise ValueError("a log without decisions")
    return {"report": reexecute(golden.match_id, golden.log).as_json(), "result": _result(match)}


def known(told: Any, golden: Any) -> Any:
    """What is told of all that a golden outcome speaks of: a later release may have more to tell."""
    if isinstance(told, dict) and isinstance(golden, dict):
        return {name: known(told.get(name), golden[name]) for name in golden}
    return told


def text(value: object) -> str:
    """JSON as these files have it."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def files(folder: Path) -> Sequence[Path]:
    """The golden logs under a folder."""
    return sorted(folder.glob("*/*.log.json"))


def outcome_file(log: Path) -> Path:
    """Where the outcome of a golden log stands."""
    return log.with_name(log.name.replace(".log.json", ".outcome.json"))


def _result(match: Match) -> dict[str, Any]:
    last = match.last_game
    mover, opponent = match.current_board.counts()
    return {
        "phase": match.phase.name,
        "ending": match.ending.name if match.ending is not None else None,
        "winner": match.winner.name if match.winner is not None else None,
        "points": [match.white_points, match.black_points],
        "game": match.game,
        "turns": match.turns,
        "rolls": match.dice.rolls,
        "cube": match.cube.value,
        "on_roll": match.on_roll.name,
        "board": [" ".join(map(str, side)) for side in (mover, opponent)],
        "reserves": [match.clocks.white.reserve, match.clocks.black.reserve],
        "last_game": None
        if last is None
        else {
            "winner": last.winner.name if last.winner is not None else None,
            "worth": last.worth.name,
            "cube": last.cube,
            "points": last.points,
            "counted": last.counted,
            "ending": last.ending.name,
        },
    }
