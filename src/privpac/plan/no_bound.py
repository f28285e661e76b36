"""Words of which no bound on errors is proved, whatever the numbers: what one has instead, and which word has one."""

from __future__ import annotations

from dataclasses import dataclass

from privpac.numbers.exact import plain
from privpac.plan.question import Question
from privpac.plan.table import PlanTable

__all__ = ["bound_missing", "no_bound"]


@dataclass(frozen=True)
class BoundMissing:
    """A word without a bound."""

    what: str
    near: str
    """The nearest word with a bound."""
    known: str
    """What is known of it all the same."""

    @property
    def sentence(self) -> str:
        """What is true of it."""
        return f"For {self.what} no bound on errors is proved, whatever the number of records."


MISSING = {
    "card": BoundMissing(
        "a card",
        "scorecards:3",
        "A card can be a single test, so what is impossible for single tests (--concepts one-test) is impossible for a"
        " card that is to be as good as the best of them. Why nothing more is proved: theory about such sums of points"
        " needs single tests that are right more often than those of real tables (privpac theorems boosted-rounds).",
    ),
    "risk-tree": BoundMissing(
        "a tree that ranks",
        "trees:3",
        "Its leaves are split where risks differ, also where that changes no class: proofs about mistakes say nothing"
        " of that.",
    ),
}


def bound_missing(question: Question) -> BoundMissing | None:
    """What a word lacks; None where errors are bounded, from some number of records on."""
    return MISSING.get(question.word.partition(":")[0])


def no_bound(plan: PlanTable) -> str | None:
    """Nothing is promised of this word, and nothing would be with other numbers: say what one has instead."""
    question = plan.question
    lacks = bound_missing(question)
    if lacks is None:
        return None
    epsilon = "EPSILON" if question.epsilon is None else plain(question.epsilon)
    hint = "" if question.card is None else " --simulate tells beforehand what privacy costs."
    return (
        f"Instead of a bound, an estimate on a fifth of the records tells how good {lacks.what} is that you have"
        f" learnt, at no further epsilon: privpac learn DATA --schema SCHEMA --concepts {question.word} --epsilon"
        f" {epsilon} --holdout 0.2 --estimate-epsilon {epsilon}.{hint} If a bound must be known before, the nearest"
        f" word that has one is --concepts {lacks.near}. {lacks.known}"
    )
