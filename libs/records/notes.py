"""What match text and SGF have no words for, told in sentences that go into the comment of a record."""

from collections.abc import Iterator

from libs.backgammon.board import Worth
from libs.backgammon.events import (
    Decision,
    Ending,
    GhostSeated,
    OpeningRolled,
    Seat,
)
from libs.backgammon.match import Match, Phase
from libs.replay.contents import Contents, GameEntry
from libs.replay.words import name_of

_PLAIN = (Ending.BORNE_OFF, Ending.CUBE_PASSED)
"""Endings that the actions of a record show."""


class Notes:
    """Taken decision by decision."""

    def __init__(self) -> None:
        self._contents = Contents()
        self._haunted: dict[Seat, list[int]] = {seat: [] for seat in Seat}
        self._cubes: dict[int, int] = {}

    def add(self, before: Match | None, match: Match, decision: Decision) -> None:
        """Take one more decision in; `before` and `match` are the folds around it."""
        self._contents.add(before, match, decision)
        for seat in Seat:
            games = self._haunted[seat]
            seated = any(isinstance(event, GhostSeated) and event.seat is seat for event in decision.events)
            if (seated or match.ghost_holds(seat)) and match.game and match.game not in games:
                games.append(match.game)
        for event in decision.events:
            if isinstance(event, OpeningRolled) and event.starter is not None and event.cube > 1:
                self._cubes[match.game] = event.cube

    def told(self, match: Match) -> Iterator[str]:
        """The sentences, without full stops; `match` is the newest fold."""
        rules = match.rules
        if (rules.gammon, rules.backgammon) != (2, 3):
            yield f"a gammon counts {rules.gammon}, a backgammon {rules.backgammon}"
        for seat in Seat:
            if match.bot(seat):
                yield f"{name_of(match, seat)} is a bot"
            if self._haunted[seat]:
                yield f"the ghost played for {name_of(match, seat)} in {_games(self._haunted[seat])}"
        for game in self._contents.games:
            if game.number in self._cubes:
                yield f"game {game.number} began with the cube at {self._cubes[game.number]}"
            yield from _ending(game, match)
        if match.phase is Phase.OVER and match.ending not in (Ending.POINTS_REACHED, None):
            who = f"{name_of(match, match.winner)} wins it" if match.winner else "nobody wins it"
            yield f"the match ended: {_words(match.ending)}, {who}"
        elif match.phase is not Phase.OVER:
            yield "the match goes on"


def _ending(game: GameEntry, match: Match) -> Iterator[str]:
    result, name = game.result, f"game {game.number}"
    if game.voided:
        yield f"{name} counts for nothing ({game.voided})"
    elif result is None:
        yield f"{name} was not scored"
    elif result.winner is not None and result.ending not in _PLAIN:
        worth = f" ({result.worth.name.lower()})" if result.worth is not Worth.SINGLE else ""
        yield f"{name} ended: {_words(result.ending)}{worth}, {name_of(match, result.winner)} wins it"
    if result is not None and not result.points:
        yield f"{name} scored nothing, for the ghost won it"


def _games(numbers: list[int]) -> str:
    return f"game{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def _words(ending: Ending | None) -> str:
    return ending.name.lower().replace("_", " ") if ending is not None else "not at all"
