"""Events in words: what a person is told of each."""

from libs.backgammon import events as happened
from libs.backgammon.events import Event, Seat
from libs.backgammon.match import Match
from libs.backgammon.notation import write_play
from libs.backgammon.rules import Rules
from libs.replay.time_words import money, told_of_time


def name_of(match: Match, seat: Seat) -> str:
    """The name that sits there, else the seat's own."""
    player = match.player(seat)
    return player.name if player is not None else seat.name.capitalize()


def _staked(rules: Rules) -> str:
    """What a table is played for, where it is money."""
    stake = rules.stake
    if stake is None:
        return ""
    each = "the match" if rules.points else "a point"
    cap = f", cap {stake.cap}" if stake.cap else ""
    return f", {money(stake.cents)} {each} in {stake.currency.name.lower()} money{cap}"


def told(event: Event, match: Match) -> str:
    """One event; `match` is the fold behind its decision."""

    def name(seat: Seat) -> str:
        return name_of(match, seat)

    match event:
        case happened.TableOpened(rules, seat, player):
            length = f", {rules.points} points" if rules.points else ""
            table = f"{rules.name}{length}{_staked(rules)}"
            return f"table opened: {table}; {player.name} takes {seat.name.capitalize()}"
        case happened.TableJoined(seat, player):
            return f"{player.name} takes {seat.name.capitalize()}"
        case happened.TableLeft(seat):
            return f"{seat.name.capitalize()} leaves"
        case happened.TableWithdrawn():
            return "table withdrawn: its player is being seated elsewhere"
        case happened.TableClosed(moved_to):
            return f"table closed{f', player moved to {moved_to}' if moved_to else ''}"
        case happened.MatchStarted(white, black, source):
            origin = f", from {source}" if source else ""
            return f"match: {white.name} (White) against {black.name} (Black){origin}"
        case happened.DiceCommitted(chain, first_roll, length, tip):
            last = first_roll + length - 1
            return f"dice committed: chain {chain}, rolls {first_roll} to {last}, {tip.hex()[:16]}…"
        case happened.SeedContributed(seat, _, tip):
            return f"{name(seat)} contributes to the dice: {tip.hex()[:16]}…"
        case happened.SeedDeclined(seat, _, late):
            return f"{name(seat)} takes no part in the dice{' (no tip came)' if late else ''}"
        case happened.RollRequested(seat, roll):
            return f"{name(seat)} asks for roll {roll}"
        case happened.LinkRevealed(seat, roll):
            return f"{name(seat)} reveals the link for roll {roll}"
        case happened.LinkOmitted(seat, roll):
            return f"roll {roll} goes without a link of {name(seat)}"
        case happened.OpeningRolled(_, white, black, None):
            return f"opening: {white}-{black}, a tie"
        case happened.OpeningRolled(_, white, black, Seat() as starter):
            return f"opening: {white}-{black}, {name(starter)} begins"
        case happened.DiceRolled(seat, _, first, second):
            return f"{name(seat)} rolls {first}{second}"
        case happened.SeedsRevealed(chain):
            return f"the end of dice chain {chain} is revealed"
        case happened.CheckersMoved(seat, moves):
            return f"{name(seat)} plays {write_play(moves)}"
        case happened.MovesUndone(seat, count):
            return f"{name(seat)} takes back {count}"
        case happened.TurnEnded(seat):
            return f"{name(seat)} ends the turn"
        case happened.TurnPassed(seat):
            return f"{name(seat)} cannot move"
        case happened.GameStarted(game, crawford):
            return f"game {game}{', Crawford' if crawford else ''}"
        case happened.CubeOffered(seat, value):
            return f"{name(seat)} doubles to {value}"
        case happened.CubeTaken(seat, value, owner):
            return f"{name(seat)} takes: the cube is at {value}, owned by {name(owner)}"
        case happened.CubePassed(seat):
            return f"{name(seat)} passes"
        case happened.CubeBeavered(seat, value):
            return f"{name(seat)} beavers to {value}"
        case happened.CubeRaccooned(seat, value):
            return f"{name(seat)} raccoons to {value}"
        case happened.ResignationOffered(seat, worth):
            return f"{name(seat)} offers to resign a {worth.name.lower()}"
        case happened.ResignationAccepted(seat):
            return f"{name(seat)} accepts"
        case happened.ResignationDeclined(seat):
            return f"{name(seat)} declines"
        case happened.GameScored(winner, worth, cube, points, _, ending):
            how = ending.name.lower().replace("_", " ")
            score = f"{match.white_points}-{match.black_points}"
            return f"{name(winner)} wins {points} ({worth.name.lower()}, cube {cube}, {how}): {score}"
        case happened.GameVoided(why):
            return f"the game counts for nothing: {why}"
        case happened.MatchRuled(outcome=outcome, white_points=white, black_points=black, reason=reason):
            ruled = outcome.name.lower().replace("_", " ")
            return f"support rules: {ruled}, score {white}-{black}: {reason}"
        case happened.SessionEndAsked(seat):
            return f"{name(seat)} wants no further game"
        case happened.MatchScored(None, white, black):
            return f"match over, level at {white}-{black}"
        case happened.MatchScored(Seat() as winner, white, black):
            return f"match over: {name(winner)} wins {white}-{black}"
        case _:
            return told_of_time(event, name)
