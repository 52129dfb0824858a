"""`videau serve NAME [NAME...]`: one process that hosts one or more services."""

import argparse
import importlib
import sys
from typing import TYPE_CHECKING

from libs.service import settings as names
from libs.service.settings import SettingsError

if TYPE_CHECKING:
    from libs.service.hosting import Builder

GATEWAY = "gateway"


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "serve",
        help="run one process of the system",
        description="Run one process that hosts one or more services, until SIGTERM or SIGINT.",
        epilog="environment:\n" + names.table(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="+", choices=[*names.SERVICES, GATEWAY], metavar="NAME")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve; the exit code is 2 when the settings or a port cannot be used, 1 after a failure."""
    hosted: list[str] = list(dict.fromkeys(options.names))
    if GATEWAY in hosted and len(hosted) > 1:
        print("videau serve: the gateway has a process of its own", file=sys.stderr)
        return 2
    try:
        settings = names.load()
    except SettingsError as error:
        print(f"videau serve: {error}", file=sys.stderr)
        return 2
    if hosted == [GATEWAY]:
        from libs.service.process import run_main  # noqa: PLC0415
        from services.gateway.server import main  # noqa: PLC0415

        return run_main(GATEWAY, settings, main)
    from libs.service.run import run as run_services  # noqa: PLC0415  # --help need not wait for gRPC

    builders: dict[str, Builder] = {
        name: importlib.import_module(f"services.{name}.server").build for name in hosted
    }
    return run_services(settings, builders)
