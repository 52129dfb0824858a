"""Matches worth keeping: together they show everything that can happen, each played in a running system."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.golden import played_scenes, ruled_scenes, timed_scenes
from tests.processes import RunningSystem


@dataclass(frozen=True, slots=True)
class Scene:
    """`play` gives the id of a finished match; `ghost` scenes need the engine, `alone` ones break things."""

    about: str
    play: Callable[[RunningSystem], Awaitable[str]]
    ghost: bool = False
    alone: bool = False


SCENES = {
    "table-closed": Scene("a table that its only player leaves", played_scenes.table_closed),
    "single": Scene(
        "undo, a resignation by pips declined and then accepted, lag credit", played_scenes.single
    ),
    "single-ghost": Scene(
        "the ghost takes a seat, plays, and gives it back", timed_scenes.single_ghost, ghost=True
    ),
    "single-both-absent": Scene("both leave: suspended, then interrupted", timed_scenes.single_both_absent),
    "single-both-absent-resumed": Scene(
        "both leave and come back in time", timed_scenes.single_both_absent_resumed
    ),
    "single-outage": Scene("the broker dies for longer than a blink", timed_scenes.single_outage, alone=True),
    "single-bot": Scene("against a bot of the house", played_scenes.single_bot, ghost=True),
    "blitz-flag": Scene("a flag falls: the game is lost", timed_scenes.blitz_flag),
    "blitz-cube": Scene("a beaver, and a cube passed", played_scenes.blitz_cube),
    "match-continued": Scene(
        "the ghost finishes a game, its player continues", timed_scenes.match_continued, ghost=True
    ),
    "match-forfeited": Scene(
        "the ghost finishes a game, nobody continues", timed_scenes.match_forfeited, ghost=True
    ),
    "match-crawford": Scene(
        "cubes passed, the Crawford game, and the cube after it", played_scenes.match_crawford
    ),
    "match-ruled": Scene("the staff voids a game and adjusts the score", ruled_scenes.match_ruled),
    "reserve": Scene("to the last checker, with the least waste", played_scenes.reserve),
    "reserve-claimed": Scene("a fallen flag is claimed as a gammon", timed_scenes.reserve_claimed),
    "reserve-resigned": Scene(
        "an immediate resignation, a gammon while no checker is off", played_scenes.reserve_resigned
    ),
    "casual": Scene("undo, and an immediate resignation that is always single", played_scenes.casual),
    "casual-abandoned": Scene("abandoned: a single game is forfeited", timed_scenes.casual_abandoned),
    "classic": Scene(
        "a table left and joined again; joint dice, then links left out; offers to resign",
        played_scenes.classic,
    ),
    "classic-silent": Scene("a client that never takes part in the dice", played_scenes.classic_silent),
    "classic-automatic": Scene(
        "automatic rolls and bear-offs to the last checker", played_scenes.classic_automatic
    ),
    "classic-abandoned": Scene(
        "abandoned: forfeited at the worth of the position", timed_scenes.classic_abandoned
    ),
    "money": Scene(
        "Jacoby, automatic doubles, beaver and raccoon, games passed, the session left", played_scenes.money
    ),
    "money-adjudicated": Scene(
        "abandoned: split by equity, with its receipt", timed_scenes.money_adjudicated, ghost=True
    ),
    "series": Scene("cubes taken, resigned gammons, the last points of a match", played_scenes.series),
    "series-adjudicated": Scene(
        "abandoned: split by match equity", timed_scenes.series_adjudicated, ghost=True
    ),
    "tournament": Scene("played to its end with a cube", played_scenes.tournament),
    "tournament-flag": Scene("a flag falls: the match is lost", timed_scenes.tournament_flag),
}
"""By the name of the golden log."""
