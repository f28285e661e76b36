"""Where nothing is proved: words without a bound on errors, whatever the numbers, and an order of the records by risk.

What one has instead, which word has a bound, what to take, and what is known. `no_bound` and `ranking` are rules of
advice, as in `advice`; `said_first` begins the answer in one paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass

from privpac.numbers.exact import plain
from privpac.plan.question import Question
from privpac.plan.table import PlanTable

__all__ = ["bound_missing", "no_bound", "ranking", "ranking_command", "said_first"]


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


CARD_AUC, RISK_TREE_AUC, TREE_AUC = "0.78", "0.75", "0.74"
"""Means over 40 cells (benchmarks/results/probabilities.json)."""
CARD_BEHIND = ((200, "0.12"), (1_000, "0.06"), (5_000, "0.01"))
"""Up to which n·epsilon a card's AUC was how far below that of logistic regression without privacy, in the mean of the
cells there (benchmarks/results/scores.json); beyond, it was level."""
RATE = "; a base_rate in the schema makes each class as common there as it really is"


def said_first(plan: PlanTable) -> list[str]:
    """Who asks for what has no bound, or for an order, is told first what is known of that."""
    question, lacks = plan.question, bound_missing(plan.question)
    if lacks is None and question.aim != "rank":
        return []
    errors = ["What follows is about errors of classes."] if plan.answers else []
    if plan.ranking is not None:
        return [plan.ranking, *errors]
    nothing = "Nothing is proved about the order of records." if lacks is None else lacks.sentence
    if question.card is None:
        return [nothing, *errors]
    numbers = "" if question.records and question.epsilon else ", --records and --epsilon"
    schema = question.subject.schema
    rate = "" if schema is not None and schema.base_rate is not None else RATE
    return [nothing, f"Add --simulate{numbers} to see what privacy costs its AUC{rate}.", *errors]


def ranking(plan: PlanTable) -> str | None:
    """What to take where the order of the records matters, not only their class."""
    question = plan.question
    if question.aim != "rank":
        return None
    subject, command = question.subject, ranking_command(question)
    classes = subject.classes if subject.schema is None else len(subject.schema.classes)
    if classes > 2:
        return f"To rank records of more than two classes, trees with counted leaves: {command}"
    return (
        f"To rank, a card: {command}. Measured, not proved (mean over 40 cells of six tables): its AUC is about"
        f" {CARD_AUC}, that of a tree that ranks (--concepts risk-tree) {RISK_TREE_AUC}, of the default tree with"
        f" --probabilities {TREE_AUC}. {_behind(question)}Take a tree where a risk is high only among some (a card"
        " adds up, unless records times epsilon is above 5,000), and the default tree where only the class counts."
        " The rows above promise errors of classes."
    )


def ranking_command(question: Question) -> str:
    """What learns something that ranks."""
    spent = "EPSILON" if question.epsilon is None else plain(question.epsilon)
    return f"privpac learn DATA --schema SCHEMA --aim rank --epsilon {spent}"


def _behind(question: Question) -> str:
    """What privacy cost a card's order where there were as many records; empty where that is not asked."""
    if question.records is None or question.epsilon is None:
        return ""
    most = question.records * question.epsilon
    behind = next((loss for limit, loss in CARD_BEHIND if most <= limit), None)
    standing = "level with" if behind is None else f"about {behind} below"
    return (
        f"With records times epsilon near {int(most):,} it was {standing} logistic regression without privacy, which is"
        " what to compare with: how well anything can rank depends on the table. "
    )
