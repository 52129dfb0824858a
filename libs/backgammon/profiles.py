"""The rule profiles, and what a table may choose of each."""

from dataclasses import dataclass, replace

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.money import MOST_CENTS, Stake
from libs.backgammon.rules import Absence, Clock, ClockKind, Resigning, Rules, Stakes, TimeOver


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile and what may be chosen when its table is opened."""

    rules: Rules
    lengths: frozenset[int] = frozenset()
    """The match lengths on offer; 0 is the profile's own length without points."""
    options: frozenset[str] = frozenset()
    """Names of the fields of `Rules` that the table may set."""
    cap: int = 0
    """For how many stakes a game is settled unless the table sets another cap; 0 where only the match is."""


_BONUS_120 = Clock(ClockKind.BONUS, 120_000, 20_000)
_BONUS_30 = Clock(ClockKind.BONUS, 30_000, 10_000)
_TWO_MINUTES_A_POINT = Clock(ClockKind.TOURNAMENT, 12_000, 120_000)
MOST_AUTOMATIC_DOUBLES = 3
_ANY_LENGTH = frozenset(range(1, 65))

_SINGLE = Rules(
    name="single",
    page="000",
    games=1,
    clock=_BONUS_120,
    time_over=TimeOver.LOSES_GAME,
    resigning=Resigning.BY_PIPS,
)
_SERIES = Rules(
    name="series",
    page="004",
    points=5,
    crawford=True,
    clock=_TWO_MINUTES_A_POINT,
    time_over=TimeOver.LOSES_GAME,
    absence=Absence.ADJUDICATE_MATCH,
    stakes=Stakes.MONEY,
)

PROFILES: dict[str, Profile] = {
    p.rules.name: p
    for p in (
        Profile(_SINGLE, options=frozenset({"beaver"})),
        Profile(replace(_SINGLE, name="blitz", clock=_BONUS_30), options=frozenset({"beaver"})),
        Profile(
            replace(
                _SINGLE,
                name="match",
                games=0,
                points=5,
                crawford=True,
                absence=Absence.GHOST_THEN_CONTINUE,
            ),
            lengths=frozenset({3, 5, 9}),
        ),
        Profile(
            Rules(
                name="reserve",
                page="001",
                games=1,
                backgammon=2,
                cube=False,
                undo=False,
                least_waste=True,
                clock=Clock(ClockKind.DELAY, 11_000, 90_000),
                time_over=TimeOver.CLAIMABLE_GAMMON,
                resigning=Resigning.IMMEDIATE,
                absence=Absence.CLOCK_RUNS,
                automatic_play=False,
            )
        ),
        Profile(
            Rules(
                name="casual",
                page="002",
                games=1,
                gammon=1,
                backgammon=1,
                cube=False,
                resigning=Resigning.IMMEDIATE_SINGLE,
                absence=Absence.FORFEIT_SINGLE,
                stakes=Stakes.NONE,
            )
        ),
        Profile(
            # Page 003 knows no Crawford rule: the cube is live in every game, see docs/rules.md.
            Rules(name="classic", page="003", games=1, absence=Absence.FORFEIT_POSITION),
            lengths=_ANY_LENGTH | {0},
        ),
        Profile(
            replace(
                _SERIES,
                name="money",
                points=0,
                crawford=False,
                clock=Clock(ClockKind.DELAY, 12_000, 120_000),
                absence=Absence.ADJUDICATE_EQUITY,
            ),
            options=frozenset({"beaver", "jacoby", "raccoon", "automatic_doubles"}),
            cap=12,
        ),
        Profile(_SERIES, lengths=frozenset(range(1, 26))),
        Profile(
            Rules(
                name="tournament",
                page="",
                points=7,
                cube_cap=0,
                crawford=True,
                clock=_TWO_MINUTES_A_POINT,
                time_over=TimeOver.LOSES_MATCH,
                absence=Absence.CLOCK_RUNS,
            ),
            lengths=_ANY_LENGTH,
        ),
    )
}


def profile(
    name: str, *, points: int | None = None, stake: Stake | None = None, **options: bool | int
) -> Rules:
    """The rules of a profile of RULES.md, with a length, a stake and table options where it offers them.

    A stake without a cap gets the profile's. Raises RefusedError: UNKNOWN_PROFILE, BAD_LENGTH, BAD_STAKE or
    BAD_OPTION.
    """
    found = PROFILES.get(name)
    if found is None:
        raise RefusedError(Reason.UNKNOWN_PROFILE, name)
    rules = found.rules
    if points is not None and points != rules.points:
        if points not in found.lengths:
            raise RefusedError(Reason.BAD_LENGTH, f"{name} is not played to {points}")
        rules = replace(rules, points=points, games=0 if points else 1)
    unknown = set(options) - found.options
    if unknown:
        raise RefusedError(Reason.BAD_OPTION, f"{name} has no option {', '.join(sorted(unknown))}")
    chosen = {option: _option(rules, option, value) for option, value in options.items()}
    if stake is not None:
        rules = replace(rules, stake=_stake(found, stake))
    return replace(rules, **chosen)  # type: ignore[arg-type]  # names were checked against `options`


def _stake(found: Profile, stake: Stake) -> Stake:
    """The stake with its cap, if the profile's tables may be played for it."""
    rules = found.rules
    if rules.stakes is not Stakes.MONEY:
        raise RefusedError(Reason.BAD_STAKE, f"{rules.name} is not played for money")
    if not 1 <= stake.cents <= MOST_CENTS:
        raise RefusedError(Reason.BAD_STAKE, f"a stake has 1 to {MOST_CENTS} cents")
    if not found.cap:
        if stake.cap:
            raise RefusedError(Reason.BAD_STAKE, f"{rules.name} has no cap: its stake is that of the match")
        return stake
    cap, most = stake.cap or found.cap, rules.cube_cap * rules.backgammon
    if not 1 <= cap <= most:
        raise RefusedError(Reason.BAD_STAKE, f"a cap has 1 to {most} stakes: no game is worth more")
    return replace(stake, cap=cap)


def _option(rules: Rules, name: str, value: int) -> bool | int:
    """The value of a table option in the field's own type."""
    switch = isinstance(getattr(rules, name), bool)
    if not 0 <= value <= (1 if switch else MOST_AUTOMATIC_DOUBLES):
        raise RefusedError(Reason.BAD_OPTION, f"{name} cannot be {value}")
    return bool(value) if switch else int(value)
