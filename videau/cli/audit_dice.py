"""`videau audit dice`: whether the rolls of the service look like fair dice, and who leaves links out."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from libs.backgammon.microseconds import DAY, MINUTE, SECOND, moment
from libs.dicestats.audit import Audit
from libs.dicestats.render import as_json, text
from libs.service.now import now
from libs.service.settings import SettingsError, load
from videau.dicefiles import audit_files
from videau.diceplot import NoPlotError, plot, require
from videau.logs import NoLogError
from videau.terminal import plain

FAIR, SUSPICIOUS, IMPOSSIBLE = 0, 1, 2
UNITS = {"m": MINUTE, "h": 60 * MINUTE, "d": DAY}


def add(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = kinds.add_parser(
        "dice",
        help="test the rolls of the service, count the links left out",
        description="Tests the rolls of the service; those of imported matches are their records' and do not "
        "count. Exit status 0 if nothing speaks against fair dice, 1 if something does or a roll is wrong, "
        "2 if it cannot be told.",
        epilog="Without FILE the log of a running system is read from its broker as the user audit: "
        "VIDEAU_NATS_URL and VIDEAU_SECRETS say where.",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="logs or bundles")
    parser.add_argument(
        "--since",
        type=_since,
        metavar="DATE",
        help="count what was decided since 2026-01-31, or 7d, 24h, 30m ago",
    )
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the 21 rolls; needs videau[plot]")
    parser.add_argument(
        "--check",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="derive every roll anew from its links",
    )
    parser.set_defaults(run=main, parser=parser)


def main(arguments: argparse.Namespace) -> int:
    """Print the report; the exit code says what follows from it."""
    if not arguments.files and arguments.since is None:
        arguments.parser.error("name files, or say --since for the log of a running system")
    try:
        if arguments.plot:
            require()
        found = _audit(arguments.files, arguments.since or 0, check=arguments.check).report()
        if arguments.plot:
            plot(found, arguments.plot)
    except NoPlotError as error:
        print(error, file=sys.stderr)
        return SUSPICIOUS
    except (NoLogError, SettingsError) as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    since = None if arguments.since is None else _date(arguments.since)
    if arguments.json:
        print(json.dumps({"since": since, **as_json(found)}, indent=2))
    else:
        print(plain(f"since {since}: {text(found)}" if since else text(found)))
    return SUSPICIOUS if found.suspicious or found.wrong_rolls else FAIR


def _audit(files: Sequence[Path], since: int, *, check: bool) -> Audit:
    if files:
        return audit_files(files, since, check=check)
    from videau.dicesystem import audit_system  # noqa: PLC0415  # files need nothing that speaks to a broker

    return audit_system(load(), since, check=check)


def _since(given: str) -> int:
    """Microseconds since 1970. A date without a zone is UTC."""
    ago = re.fullmatch(r"(\d{1,6})([mhd])", given)
    if ago:
        return now() - int(ago[1]) * UNITS[ago[2]]
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{given} is no date such as 2026-01-31, and not 7d, 24h or 30m"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * SECOND)


def _date(micros: int) -> str:
    return moment(micros).isoformat(timespec="seconds")
