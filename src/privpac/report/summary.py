"""A model in a few lines: the rule, the estimate, and what the certificate promises."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.folding import fold
from privpac.constructions.estimates.share import asks_for_interval
from privpac.errors import NoSqlForm
from privpac.guarantee.certificate import explain_certificate, stability_text
from privpac.guarantee.facts import Accuracy, Against, Fact, fact_from_json
from privpac.guarantee.parts import parts_of
from privpac.guarantee.proof import assumptions_of
from privpac.numbers.exact import decimal_text
from privpac.report.meaning import buys_rate, means, shares_in_words
from privpac.report.sql import sql_text
from privpac.report.subject import Subject

__all__ = [
    "OF_USE",
    "accuracy_facts",
    "believed",
    "columns_alone",
    "costs_text",
    "no_accuracy",
    "rule_text",
    "summary_json",
    "summary_sections",
]

NO_ACCURACY = "No accuracy is proved from {records:,} records at this epsilon; privacy holds all the same."
COSTS_FOLLOW = (
    "No accuracy is proved where costs follow from a share that was bought from the same records; privacy holds all the"
    " same. A base rate that is declared in the schema lets it be proved."
)
NO_BOUND = (
    "For {what} no bound on errors is proved, whatever the number of records; privacy holds all the same. A private"
    " estimate on records kept aside tells how good one is (--holdout, in Python holdout); {near} has a bound."
)
TREES_OF_LABELS = "trees whose tests lie where the records are, which protect labels,"
WITHOUT_BOUND = {
    "card": ("cards", "scorecards:K"),
    "label-private-card": ("cards", "stumps"),
    "label-private-trees": (TREES_OF_LABELS, "stumps"),
    "stable": ("stable rules", "the same word without stable:"),
}
"""Learners that promise no accuracy with any numbers, what they learn, and the nearest word that promises some."""

KEPT_ASIDE = (
    "Where these figures differ from the estimate above, believe the estimate: it was counted on records kept aside,"
    " and these on the records that the rule was learnt from."
)


OF_USE = "Is it of use?"
"""What stands above the verdict, wherever it is shown."""


def summary_sections(model: Subject, *, full: bool) -> list[tuple[str, str]]:
    """Headings and texts for people; with `full` the whole derivation.

    The interval of an estimate that nobody asked for is printed where everything is: the verdict says what it says.
    """
    sections = [("Rule", rule_text(model, whole=full)), (OF_USE, str(model.verdict))]
    if costs := costs_text(model):
        sections.append(("Price of misjudging a record of each class", costs))
    if model.estimate is not None and (full or asks_for_interval(model.certificate["request"])):
        sections.append(("Private estimate", model.describe_estimate()))
    if model.ranks is not None:
        figures = filter(None, (model.describe_ranks(), believed(model)))
        sections.append(("Private figures", "\n".join(figures)))
    if full:
        return [*sections, ("Certificate", explain_certificate(model.certificate)), ("SQL", sql_text(model))]
    return [*sections, ("Privacy", "\n".join(_privacy(model))), (_accuracy_title(model), _accuracy(model))]


MANY_LEAVES = 12
"""A tree of more leaves is read more easily if one knows which of them chance decided."""
UNCOUNTED = (
    "Where few records arrive, chance decided what a leaf says. Counts would show where: --leaf-epsilon, in Python"
    " leaf_epsilon, buys them; a twentieth of epsilon is enough."
)


COLUMNS_ALONE = (
    "For a card of one block per column alone, learn with --concepts card:{rounds}, in Python"
    ' concepts="card:{rounds}". It ranks a little worse: where records times epsilon were above 5,000, its AUC on real'
    " tables was 0.795 in the mean, against 0.801."
)
"""Both were measured with as many rounds (benchmarks/risks.py)."""


def columns_alone(model: Subject) -> str:
    """How to get a card without lines about two columns; empty unless the word that is stored says it may have some."""
    tree = model.certificate
    if (tree["request"] or {}).get("concepts") != "card:mixed":
        return ""
    return COLUMNS_ALONE.format(rounds=tree["learner"]["rounds"])


def rule_text(model: Subject, *, whole: bool = False) -> str:
    """The rule in words, with leaf counts if there are any; unless it is to be `whole`, no more than a page of it."""
    if model.leaf_counts is not None:
        return model.describe_leaves(whole=whole)
    if whole or not isinstance(model.hypothesis, Tree):
        return "\n".join(filter(None, (model.describe(), "" if whole else columns_alone(model))))
    rule = fold(model.hypothesis, None, model.schema)
    if sum(leaf.leaves for leaf in rule.leaves) <= MANY_LEAVES:
        return rule.describe(model.schema)
    return f"{rule.describe(model.schema)}\n{UNCOUNTED}"


def believed(model: Subject) -> str:
    """Which of two sets of figures to believe; empty where there is only one, or both are of the same records."""
    two = model.estimate is not None and model.estimate.holdout and model.ranks is not None
    return KEPT_ASIDE if two else ""


def costs_text(model: Subject) -> str:
    """What misjudging a record of each class was said to cost, if that differs, and whether a base rate says so."""
    costs = (model.certificate["request"] or {}).get("costs")
    if not costs or len(set(costs)) == 1:
        return ""
    prices = ", ".join(f"{name}: {cost}" for name, cost in zip(model.schema.class_names, costs, strict=True))
    if model.schema.base_rate is None:
        return prices
    from privpac.constructions.request import balanced_costs  # which loads what learns

    if balanced_costs(model.schema) != tuple(costs):
        return prices
    rate = f"{'bought' if buys_rate(model.certificate) else 'declared'} base rate {shares_in_words(model.schema)}"
    return f"{prices} (balanced: all classes count the same, given the {rate})"


def _sql_or_none(model: Subject) -> str | None:
    try:
        return model.to_sql()
    except NoSqlForm:
        return None


def _privacy(model: Subject) -> list[str]:
    tree = model.certificate
    return [
        *([means(tree)[1]] if tree["coins"] == "system" else []),  # of known coins nothing holds
        str(fact_from_json(tree["privacy"]["fact"])),
        *(
            str(fact)
            for proof in (tree["privacy"], *tree.get("also", ()))
            for fact in parts_of(proof).values()
        ),
        *filter(None, [stability_text(tree)]),
        *(f"Assumes that {text}." for text in tree["assumptions"]),
    ]


def _accuracy_title(model: Subject) -> str:
    has_proof = bool(model.certificate["accuracy"])
    return "Accuracy, if the records are independent draws" if has_proof else "Accuracy"


def _accuracy(model: Subject) -> str:
    tree = model.certificate
    facts = accuracy_facts(model)
    assumptions = dict.fromkeys(text for proof in tree["accuracy"] for text in assumptions_of(proof))
    facts += [f"Assumes that {text}." for text in assumptions]
    if facts and "grid" in tree["learner"]:
        facts.append(f"Grid: {tree['learner']['grid']}.")
    if facts and "note" in tree["learner"]:
        facts.append(f"Note: {tree['learner']['note']}.")
    return "\n".join(facts) or no_accuracy(tree)


COSTS_MEAN = (
    "With costs an error counts by its cost: a bound on errors is one on the average cost per record, as a share of the"
    " largest cost ({})."
)
NOTHING = (
    "Nothing that helps is proved of errors from {records:,} records at this epsilon: no bound is below {limit}, which"
    " whoever guesses keeps. Privacy holds all the same."
)
PERFECT = "Stronger, but for a case that is rare in real tables: "


def accuracy_facts(model: Subject) -> list[str]:
    """What is proved of the error: first what holds for any records, then what a perfect rule would change.

    The latter is left out where the file's own estimate rules it out. A bound that a class drawn at random keeps is no
    figure to act on, and is left out too.
    """
    stored = [fact_from_json(proof["fact"]) for proof in model.certificate["accuracy"]]
    guess = 1 - Fraction(1, len(model.schema.classes))
    facts = [fact for fact in stored if not isinstance(fact, Accuracy) or fact.error < guess]
    if stored and not facts:
        return [NOTHING.format(records=model.certificate["labelled"], limit=decimal_text(guess))]
    anyway = [str(fact) for fact in facts if not _needs_perfect(fact)]
    if not anyway:
        return [str(fact) for fact in facts]
    costs = (model.certificate["request"] or {}).get("costs") or (1,)
    anyway += [COSTS_MEAN.format(max(costs))] if len(set(costs)) > 1 else []
    worst = None if model.estimate is None else 1 - model.estimate.high
    perfect = [
        fact
        for fact in facts
        if isinstance(fact, Accuracy) and _needs_perfect(fact) and (worst is None or fact.error >= worst)
    ]
    return anyway + [f"{PERFECT}{fact}" for fact in perfect]


def _needs_perfect(fact: Fact) -> bool:
    return isinstance(fact, Accuracy) and fact.against is not Against.AGNOSTIC


def no_accuracy(certificate: Mapping[str, Any]) -> str:
    """Why a certificate promises no accuracy."""
    missing = WITHOUT_BOUND.get(certificate["learner"]["name"])
    if missing is not None:
        return NO_BOUND.format(what=missing[0], near=missing[1])
    if buys_rate(certificate):
        return COSTS_FOLLOW
    return NO_ACCURACY.format(records=certificate["labelled"])


def summary_json(model: Subject) -> dict[str, Any]:
    """The same for programs."""
    tree = model.certificate
    return {
        "rule": model.describe(),
        "verdict": model.verdict.to_json(),
        "sql": _sql_or_none(model),
        "columns": list(model.hypothesis.columns),
        "classes": list(model.schema.classes),
        "epsilon": tree["epsilon"],
        "delta": tree["delta"],
        "for_release": tree["coins"] == "system",
        "assumptions": list(tree["assumptions"]),
        "privacy": str(fact_from_json(tree["privacy"]["fact"])),
        "parts": {part: str(fact) for part, fact in parts_of(tree["privacy"]).items()},
        "accuracy": [str(fact_from_json(proof["fact"])) for proof in tree["accuracy"]],
        "leaf_counts": None if model.leaf_counts is None else model.leaf_counts.to_json(),
        "estimate": None if model.estimate is None else model.estimate.to_json(),
        "ranks": None if model.ranks is None else model.ranks.to_json(),
        "figures": None if model.figures is None else model.figures.to_json(),
        "certificate": dict(tree),
    }
