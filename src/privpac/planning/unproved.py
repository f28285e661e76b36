"""Where nothing is proved: words without a bound on errors, whatever the numbers, and an order of the records by risk.

`said_first` begins the answer in one paragraph.
"""

from __future__ import annotations

from privpac.constructions.commands import failure_option
from privpac.numbers.exact import plain
from privpac.planning.question import Question
from privpac.planning.table import PlanTable

__all__ = ["bound_missing", "ranking_command", "said_first"]


MISSING = {
    "card": "For a card no bound on errors is proved, whatever the number of records; the nearest word that has one is"
    " --concepts scorecards:3."
}
"""What is said of words without a bound."""


def bound_missing(question: Question) -> str | None:
    """What is said of a word without a bound; None where errors are bounded, from some number of records on."""
    return MISSING.get(question.asked.concepts.partition(":")[0])


RATE = "; a base_rate in the schema makes each class as common there as it really is"


def said_first(plan: PlanTable) -> list[str]:
    """Who asks for what has no bound, or for an order, is told first what is known of that."""
    question, lacks = plan.question, bound_missing(plan.question)
    if lacks is None and question.asked.aim != "rank":
        return []
    errors = ["What follows is about errors of classes."] if plan.answers else []
    nothing = "Nothing is proved about the order of records." if lacks is None else lacks
    if question.card is None or plan.simulated is not None:
        return [nothing, *errors]
    numbers = "" if question.asked.records and question.asked.epsilon else ", --records and --epsilon"
    schema = question.subject.schema
    rate = "" if schema is not None and schema.base_rate is not None else RATE
    return [nothing, f"Add --simulate{numbers} to see what privacy costs its AUC{rate}.", *errors]


def ranking_command(question: Question) -> str:
    """What learns something that ranks."""
    spent = "EPSILON" if question.asked.epsilon is None else plain(question.asked.epsilon)
    return f"privpac learn DATA --schema SCHEMA --aim rank --epsilon {spent}{failure_option(question.asked.failure)}"
