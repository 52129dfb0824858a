"""`videau token`: a token for a member of the staff, by the key that signs those of guests."""

import argparse
import sys

from libs.backgammon.errors import RefusedError
from libs.service.chance import new_id
from libs.service.now import now
from libs.service.settings import SettingsError, load
from services.gateway.server import GUEST_KEY
from services.gateway.tokens import Guests

HOURS = 12
MOST_HOURS = 24 * 7
ROLES = ("support",)


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "token",
        help="make a token for a member of the staff",
        description="Print a token for the gateway. It is signed with guest-key.pem of VIDEAU_SECRETS: "
        "who can read that may be anybody. A gateway without guests takes only its issuer's tokens.",
    )
    parser.add_argument("--role", required=True, choices=ROLES, help="what the bearer may do")
    parser.add_argument("--name", required=True, help="who it is; the account is made of it: staff-<name>")
    parser.add_argument("--hours", type=_hours, default=HOURS, help="how long the token holds [%(default)s]")
    parser.set_defaults(run=main)


def main(arguments: argparse.Namespace) -> int:
    """Print the token; 1 if there is no key, or the name is none."""
    try:
        settings = load()
        issuer = Guests(settings.secret(GUEST_KEY), settings.audience, new_id)
        _, token = issuer.issue_staff(arguments.name, arguments.role, now(), arguments.hours * 3600)
    except (SettingsError, RefusedError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(token)
    return 0


def _hours(given: str) -> int:
    if not given.isdecimal() or not 0 < int(given) <= MOST_HOURS:
        raise argparse.ArgumentTypeError(f"1 to {MOST_HOURS} is wanted")
    return int(given)
