"""Golden logs made: from scenes played in a running system, from an archive, or from a match of a system.

See README.md here. What exists is never written over; exit status 1 if a log is missing or does not hold.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from libs.backgammon.match import Phase
from libs.backgammon.profiles import profile
from libs.engine.machine import why_missing
from libs.eventlog.archive import from_archive
from libs.eventlog.errors import EventLogError
from libs.records.read import read_record
from libs.service.settings import Settings
from services.lobby import core as lobby
from tests.e2e.matches import the_log
from tests.golden.golden import Golden, outcome, outcome_file, text, write
from tests.golden.scenes import SCENES, Scene
from tests.processes import RunningSystem, running_system
from tests.proof_logs import Recorded, stored
from tests.scene import MATCH_ID, WANDA
from videau.importing import import_record

HERE = Path(__file__).parent
DATA = HERE.parent / "data"
PATIENCE = 900
EVERY: dict[str, Any] = {"ping_seconds": 1.0, "ghost_pace_ms": 0}
SHORT: dict[str, Any] = {"clock_scale": 0.15, "absence_seconds": 4.0, "continue_seconds": 15.0}
"""Clocks and waits for who has no time; like all rules they stand in the first event of a log."""


async def played(scenes: Mapping[str, Scene], told: Mapping[str, Any]) -> dict[str, Golden]:
    """The logs of scenes: played at the same time in one system, but those that break one each in its own."""
    together = [name for name in scenes if not scenes[name].alone]
    found: dict[str, Golden] = {}
    for names in [together, *([name] for name in scenes if scenes[name].alone)]:
        ghost = any(scenes[name].ghost for name in names)
        with tempfile.TemporaryDirectory() as folder:
            try:
                async with running_system(Path(folder), ghost=ghost, audit=True, **EVERY, **told) as system:
                    logs = await asyncio.gather(*(_play(system, name, scenes[name]) for name in names))
                    assert not system.bugs, system.bugs
            except Exception as error:  # noqa: BLE001  # what other systems have made is kept
                print(f"{', '.join(names)}: {error!r}", file=sys.stderr, flush=True)
            else:
                found |= {name: log for name, log in zip(names, logs, strict=True) if log is not None}
    return found


async def _play(system: RunningSystem, name: str, scene: Scene) -> Golden | None:
    try:
        async with asyncio.timeout(PATIENCE):
            match_id = await scene.play(system)
    except Exception as error:  # noqa: BLE001  # this one is missing then, and the others go on
        print(f"{name}: {error!r}", file=sys.stderr, flush=True)
        return None
    golden = await stored_by(system.settings, match_id, f"{scene.about}; played in a running system")
    print(f"{name}: {len(golden.log)} decisions", flush=True)
    return golden


async def stored_by(settings: Settings, match_id: str, about: str) -> Golden:
    """A match as the broker of a system has it."""
    async with the_log(settings) as log:
        return Golden(about, match_id, tuple(await log.read(match_id)))


def imported(path: Path) -> Golden:
    """A match record replayed by the rules."""
    data = path.read_bytes()
    made = import_record(read_record(data), path.name, data)
    return Golden(f"a match record, {path.name}, imported", made.match.match_id, made.log)


def quick_moved() -> Golden:
    """Two players asked at the same moment, each of another lobby: that is not to be had by asking."""
    scene = Recorded()
    scene.do(lobby.OpenTable(profile("casual"), WANDA, quick=True))
    scene.do(lobby.WithdrawTable())
    scene.do(lobby.CloseTable("the match that its player was paired into"))
    about = "a quick table withdrawn in favour of another; not played: the lobby's own decide, recorded"
    return Golden(about, MATCH_ID, tuple(stored(scene.log)))


STILL: dict[str, Callable[[], Golden]] = {
    "imported": lambda: imported(DATA / "matches" / "12-backgammongalaxy-3pt.txt"),
    "imported-voided": lambda: imported(DATA / "corpus" / "records" / "illegal-play.txt"),
    "quick-moved": quick_moved,
}
"""What needs no running system."""


def made(names: list[str], told: Mapping[str, Any]) -> dict[str, Golden]:
    """The logs of these scenes, as far as they can be had here."""
    scenes = {name: SCENES[name] for name in names if name not in STILL}
    if missing := why_missing():
        print(f"without ghosts and bots: {missing}", file=sys.stderr)
        scenes = {name: scene for name, scene in scenes.items() if not scene.ghost}
    logs = asyncio.run(played(scenes, told)) if scenes else {}
    return logs | {name: STILL[name]() for name in names if name in STILL}


def keep(folder: Path, name: str, golden: Golden) -> bool:
    """Write a log with its outcome; whether it holds. Raises FileExistsError, EventLogError."""
    found = outcome(golden)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.log.json"
    with path.open("x") as file:
        file.write(write(golden))
    outcome_file(path).write_text(text(found))
    over = found["report"]["complete"] or found["result"]["phase"] == Phase.CLOSED.name
    if not (found["report"]["ok"] and over):
        print(f"{path} does not hold, see {outcome_file(path).name}", file=sys.stderr)
        return False
    return True


def main() -> int:
    """Make what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.make", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="scenes; with --archive or --match one new name"
    )
    parser.add_argument("--all", type=Path, metavar="DIR", help="every scene, into this folder")
    parser.add_argument(
        "--into", type=Path, metavar="DIR", default=HERE / "added", help="folder for the logs"
    )
    parser.add_argument("--real-time", action="store_true", help="clocks and waits as the rules have them")
    parser.add_argument("--archive", type=Path, metavar="FILE", help="take the log from a file")
    parser.add_argument(
        "--match", metavar="ID", help="take the log from the broker of a system that runs here"
    )
    parser.add_argument("--data", type=Path, default=Path("data"), help="the folder of that system [data]")
    parser.add_argument("--nats", default=Settings().nats_url, help="its broker [%(default)s]")
    parser.add_argument("--about", default="from the field", help="what a log is kept for [%(default)s]")
    options = parser.parse_args()
    names = [*SCENES, *STILL] if options.all else options.names
    try:
        if options.archive is not None:
            match_id, log = from_archive(options.archive.read_bytes())
            logs = dict.fromkeys(names, Golden(options.about, match_id, tuple(log)))
        elif options.match is not None:
            settings = Settings(nats_url=options.nats, secrets=options.data / "secrets")
            logs = dict.fromkeys(names, asyncio.run(stored_by(settings, options.match, options.about)))
        else:
            logs = made(names, {} if options.real_time else SHORT)
        hold = [keep(options.all or options.into, name, golden) for name, golden in logs.items()]
    except (OSError, EventLogError, KeyError) as error:
        print(f"not made: {error!r}", file=sys.stderr)
        return 1
    return 0 if all(hold) and logs.keys() == {*names} else 1


if __name__ == "__main__":
    sys.exit(main())
