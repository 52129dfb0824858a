"""The report on a tally: every test, corrected for how many there are, and what follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.backgammon.events import Seat
from libs.dicestats import parties, single, succession
from libs.dicestats.accounts import Account
from libs.dicestats.measure import Dice, Measure
from libs.dicestats.observed import Left, Wrong
from libs.dicestats.tally import Tally

LEVEL = 0.001
"""Fair dice are called suspicious once in a thousand reports, over all tests together."""
SHOWN_ACCOUNTS = 20
QUESTIONS = (
    single.rolls,
    single.first_die,
    single.second_die,
    single.all_dice,
    single.doublets,
    single.openings,
    succession.correlation,
    succession.next_die,
    succession.runs,
    succession.doublet_again,
    parties.seats,
    parties.links,
    parties.withheld,
    parties.withheld_account,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A test with its p-value after Holm's correction, None like its own."""

    measure: Measure
    holm: float | None

    @property
    def suspicious(self) -> bool:
        return self.holm is not None and self.holm < LEVEL


@dataclass(frozen=True, slots=True)
class Report:
    """What a tally comes to. `wrong` are the first of the `wrong_rolls`, `accounts` the first of all."""

    rolls: int
    counts: dict[Dice, int]
    answers: Sequence[Answer]
    omissions: dict[tuple[Seat, Left], int]
    openings: tuple[int, int]
    """Decided openings before which the last link was left out, and how many of them that seat won."""
    accounts: Sequence[Account]
    wrong: Sequence[Wrong]
    wrong_rolls: int

    @property
    def suspicious(self) -> list[str]:
        """The names of the tests whose answer is not that of fair dice."""
        return [answer.measure.name for answer in self.answers if answer.suspicious]


def report(tally: Tally, wrong: Sequence[Wrong] = (), wrong_rolls: int = 0) -> Report:
    """Ask everything of a tally."""
    found = [question(tally) for question in QUESTIONS]
    corrected = iter(holm([measure.p for measure in found if measure.p is not None]))
    answers = [Answer(one, next(corrected) if one.p is not None else None) for one in found]
    return Report(
        rolls=tally.rolls.total(),
        counts=dict(single.counts_of(tally)),
        answers=answers,
        omissions=dict(tally.omissions),
        openings=(tally.openings.total(), tally.openings[True]),
        accounts=tally.accounts.all()[:SHOWN_ACCOUNTS],
        wrong=wrong,
        wrong_rolls=wrong_rolls,
    )


def holm(values: Sequence[float]) -> list[float]:
    """P-values after Holm's correction, in the order given.

    Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979).
    """
    corrected = [0.0] * len(values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = largest
    return corrected
