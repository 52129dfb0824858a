"""`videau import FILE...`: match records replayed by the rules, into logs that can be shown and exported."""

import argparse
import sys
from pathlib import Path

from libs.backgammon.errors import RefusedError
from libs.eventlog.archive import to_archive
from libs.records.read import MAX_BYTES, read_record
from videau.importing import Imported, import_record
from videau.reading import read_at_most
from videau.terminal import plain

DEFAULT_FOLDER = Path("data/imported")


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("import", help="replay match records (match text, SGF) by the rules")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument(
        "--into", type=Path, default=DEFAULT_FOLDER, help=f"folder for the logs [{DEFAULT_FOLDER}]"
    )
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Import each file; 1 if one of them is no match record or cannot be read."""
    arguments.into.mkdir(parents=True, exist_ok=True)
    return max(_import(file, arguments.into) for file in arguments.files)


def _import(file: Path, folder: Path) -> int:
    name = plain(file.name)
    try:
        data = read_at_most(file, MAX_BYTES)
        imported = import_record(read_record(data), name, data)
    except OSError as error:
        print(f"{plain(str(file))}: {error.strerror}", file=sys.stderr)
        return 1
    except RefusedError as refused:
        print(f"{plain(str(file))}: not imported: {plain(str(refused))}", file=sys.stderr)
        return 1
    target = folder / f"{imported.match.match_id}.log"
    target.write_bytes(to_archive(imported.match.match_id, imported.log))
    print(f"{name}: {_summary(imported)} -> {target}")
    for finding in imported.findings:
        print(f"  {name}:{finding.line}: {finding.slug}: {plain(finding.text)}")
    return 0


def _summary(imported: Imported) -> str:
    match = imported.match
    points = match.rules.points
    length = f"{points} point{'s' * (points != 1)}" if points else "money"
    games = f"{match.game} game{'s' * (match.game != 1)}"
    voided = f", {len(imported.voided)} voided" if imported.voided else ""
    over = "" if match.ending else ", unfinished"
    return (
        f"{length}, {games}{voided}, {len(imported.log)} decisions, "
        f"{match.white_points}-{match.black_points}{over}"
    )
