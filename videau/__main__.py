"""The command line. Each command is a module with `add(subparsers)`, imported only when it is asked for."""

import argparse
import importlib
import os
import sys

COMMANDS = {
    "up": "start the whole system on this machine",
    "serve": "run one process of the system",
    "demo": "let two players play a match against a running system, and verify it",
    "import": "replay a match record through the rules",
    "show": "show a match as its log tells it",
    "replay": "step through a match, position by position",
    "export": "write a match as a record",
    "bundle": "write a finished match with all its proofs into one file",
    "verify": "check such a file: every decision, roll, clock and signature; needs no network",
    "audit": "compute again what a log says was computed",
    "token": "make a token for a member of the staff",
    "matches": "list the matches of an account",
    "cases": "list dispute cases",
    "case": "look at a dispute case, take it, comment or decide it",
}
"""What `videau --help` lists; the module of a command is `videau.cli.<command>`."""
MODULES = {"import": "imports", "cases": "case_list", "case": "case_file", "matches": "case_matches"}
"""Where the module of a command has another name."""
OURS = ("libs", "services", "videau")
"""What is always there: everything else may be an extra that was not installed."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        return _run(given)
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as missing:
        name = (missing.name or "").partition(".")[0]
        if name in OURS:
            raise
        print(f"videau {given[0]} needs the package {name}: pip install 'videau[server]'", file=sys.stderr)
        return 1


def _run(given: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="videau", description="Event-sourced online backgammon.")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    chosen = given[0] if given else ""
    for command, meaning in COMMANDS.items():
        if command == chosen:
            importlib.import_module(f"videau.cli.{MODULES.get(command, command)}").add(subparsers)
        else:
            subparsers.add_parser(command, help=meaning, description=meaning)
    options = parser.parse_args(given)
    code: int = options.run(options)
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
