"""What is at stake in a match of money, from its rules and its cube. All sums are whole cents."""

from libs.backgammon.match import Match
from libs.backgammon.rules import Rules


def settled(rules: Rules, points: int) -> int:
    """The part of a game's points that is paid for: all of them where no cap is agreed."""
    return rules.stake.settled(points) if rules.stake is not None else points


def at_risk(match: Match) -> int:
    """What both sides have at stake together: on the game in a money session, else on the match.

    An offer that waits for its answer counts as not made. 0 where nothing is played for (RULES, Abandonment).
    """
    rules = match.rules
    if rules.stake is None:
        return 0
    return 2 * rules.stake.cents * (1 if rules.points else settled(rules, match.cube.value))
