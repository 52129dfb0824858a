"""`videau demo`: two scripted players play a match against a running system, and the log is verified."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from libs.backgammon.board_text import board_text, status_text
from libs.backgammon.events import Seat
from libs.backgammon.match import Match, Phase
from libs.backgammon.match_view import view_of
from libs.client.client import VideauClient
from libs.client.errors import ClientError
from libs.client.follower import Follower
from libs.client.scripted import ScriptedPlayer
from libs.client.session import MatchSession
from libs.client.wire import JSON, PROTO
from videau.gateway_http import DEFAULT_URL

SHOWN = (Phase.ROLL, Phase.MOVE, Phase.OFFERED, Phase.BEAVERED, Phase.RACCOONED, Phase.WON)


def add(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    about = "Two scripted players play a match over WebSocket; then its log is replayed and checked."
    parser = subparsers.add_parser("demo", help="play and verify a match", description=about)
    parser.add_argument("--url", default=DEFAULT_URL, help="the gateway [%(default)s]")
    parser.add_argument("--points", type=int, default=5, choices=(3, 5, 9), help="match length [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the players' choices [%(default)s]")
    parser.add_argument("--quiet", action="store_true", help="print the results only")
    parser.add_argument(
        "--token", action="store_true", help="print the first player's token, to act for him later"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play and verify; 0 when the replayed log agrees with what the players saw, else 1."""
    try:
        return asyncio.run(_demo(options))
    except ClientError as error:
        print(f"videau demo: {error}", file=sys.stderr)
        if not isinstance(error.__cause__, OSError):
            return 1
        print("videau demo: is it running? Start it with `make run` in another terminal.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


async def _demo(options: argparse.Namespace) -> int:
    url, points, seed = options.url, options.points, options.seed
    tokens = [await VideauClient.guest_token(url, name) for name in ("Olga", "Xaver")]
    async with (
        VideauClient(url, tokens[0], subprotocol=PROTO) as first,
        VideauClient(url, tokens[1], subprotocol=JSON) as second,
    ):
        match_id = await first.open_table("match", points)
        white = await first.subscribe(match_id)
        await second.join(match_id)
        black = await second.subscribe(match_id)
        print(f"match {match_id} to {points} points at {url}")
        players = (ScriptedPlayer(white, seed).play(), ScriptedPlayer(black, seed + 1).play())
        finals = await asyncio.gather(*players, _show(white, quiet=options.quiet))
        code = await _verify(first, match_id, finals[:2])
    if options.token:
        print(f"Olga's token {tokens[0]}")
    return code


async def _show(session: MatchSession, *, quiet: bool) -> Match:
    """Print every position as it comes, or only what each game came to."""
    seen = 0
    while True:
        match = await session.until(lambda match, seen=seen: match.position > seen)  # type: ignore[misc]
        seen = match.position
        if match.phase in SHOWN and not quiet:
            print(f"\n{board_text(view_of(match))}\n#{seen} game {match.game}: {status_text(view_of(match))}")
        if match.phase is Phase.BETWEEN and match.last_game is not None:
            print(f"\n#{seen} game {match.game} is over: {_score(match)}")
        if match.phase is Phase.OVER:
            return match


async def _verify(client: VideauClient, match_id: str, finals: Sequence[Match]) -> int:
    """Fold the log anew, from its first decision, and compare."""
    follower = Follower()
    for decision in await client.api.history(match_id):
        follower.take(decision)
    replayed = follower.match
    seen = [(match.white_points, match.black_points, match.winner) for match in finals]
    print(f"\nthe players saw   {', '.join(map(_score, finals))}")
    print(f"the log replays   {_score(replayed)}" if replayed else "the log is empty")
    if replayed is None or any(
        (replayed.white_points, replayed.black_points, replayed.winner) != score for score in seen
    ):
        print("the replayed log does NOT agree with what the players saw", file=sys.stderr)
        return 1
    rolls = follower.witness.rolls
    print(f"they agree; {rolls} rolls and {replayed.position} decisions were verified")
    return 0


def _score(match: Match) -> str:
    winner = {Seat.WHITE: ", O wins", Seat.BLACK: ", X wins", None: ""}[match.winner]
    return f"O {match.white_points} X {match.black_points}{winner}"
