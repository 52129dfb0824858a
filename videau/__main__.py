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
    "export": "write a match as a record",
    "bundle": "certify a finished match and write it with its proofs into one file",
    "verify": "check such a file: every decision, roll, clock and signature; needs no network",
    "audit": "compute again what a log says was computed",
}
"""What `videau --help` lists; the module of a command is `videau.cli.<command>`."""
MODULES = {"import": "imports"}
"""Where a command's name is a word that no module can have."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="videau", description="Event-sourced online backgammon.")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    chosen = given[0] if given else ""
    for command, meaning in COMMANDS.items():
        if command == chosen:
            importlib.import_module(f"videau.cli.{MODULES.get(command, command)}").add(subparsers)
        else:
            subparsers.add_parser(command, help=meaning, description=meaning)
    options = parser.parse_args(given)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


if __name__ == "__main__":
    sys.exit(main())
