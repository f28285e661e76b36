"""Advice in words: a small list of rules, each of which speaks or is silent.

A rule sees a finished plan and may ask the same options with other numbers; it never invents one.
Tested by tests/unit/plan/test_advice.py, a test per rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from privpac.constructions.commands import coarser_word, default_command, learn_command
from privpac.constructions.option import Setting
from privpac.numbers.exact import plain
from privpac.plan.alternatives import USUAL_DELTA, again, count, epsilon_of, halvers, sized, ways_out
from privpac.plan.answer import Answer, bare_answer
from privpac.plan.columns import PLAIN, SETTINGS, number_text
from privpac.plan.impossible import Limit, limit_of
from privpac.plan.question import Question
from privpac.plan.table import PlanTable
from privpac.wishes import warning_of_large

__all__ = ["RULES", "advise"]

NO_PRIVACY = Fraction(40)
"""An epsilon at which privacy costs nothing any more."""
LITTLE = 200
"""n·epsilon below which a constant often does as well (benchmarks/accuracy)."""
KNOWN_NOISE = Fraction(1, 20)
CARD_AUC, RISK_TREE_AUC, TREE_AUC = "0.78", "0.75", "0.74"
"""Means over 40 cells (benchmarks/results/probabilities.json)."""
CARD_BEHIND = ((200, "0.12"), (1_000, "0.06"), (5_000, "0.01"))
"""Up to which n·epsilon a card's AUC was how far below that of logistic regression without privacy, in the mean of the
cells there (benchmarks/results/scores.json); beyond, it was level."""
NEAR = 4
"""Within this factor of a floor, looking for something cleverer does not pay."""


def _card(plan: PlanTable) -> str | None:
    """Nothing is promised of cards, and nothing would be with other numbers: say where to look instead."""
    if not _is_card(plan):
        return None
    spent = plan.question.epsilon
    epsilon = "EPSILON" if spent is None else plain(spent)
    return (
        "No accuracy is proved for a card: what is known of boosting (boosted-rounds) asks for a test in every round"
        " that beats guessing by more than tests on real tables do, and says nothing of a cut-off. A card can be a"
        " single test: what is impossible for these (--concepts one-test) is impossible for a card that comes near the"
        " best of them. An estimate on a fifth of the records tells how good the card is that you learn, at no further"
        f" epsilon: privpac learn DATA --schema SCHEMA --concepts {plan.question.word} --epsilon {epsilon}"
        f" --holdout 0.2 --estimate-epsilon {epsilon}."
    )


def _is_card(plan: PlanTable) -> bool:
    return plan.question.word.partition(":")[0] == "card"


def _nothing(plan: PlanTable) -> str | None:
    """No option promises anything: say what would."""
    if plan.answers or _is_card(plan):
        return None
    ways = ways_out(plan.question)
    return "Nothing can be promised with these numbers." + _ways_out(ways)


def _ways_out(ways: list[str]) -> str:
    return f" Ways out: {'; '.join(ways)}." if ways else ""


def _impossible(plan: PlanTable) -> str | None:
    """Fewer records than any method needs that answers the question, and the ways out."""
    have = plan.question.records
    if plan.question.kind != "needed" or have is None or not plan.answers:
        return None
    easiest = _least(plan)
    if easiest is None or have >= easiest.value:
        return None
    kind = "proper private learner" if easiest.proper else "private learner"
    text = (
        f"Impossible: no {kind} can do this with fewer than {count(int(easiest.value))} ({easiest.source})."
    )
    pools = [
        f"{row.need.unlabelled:,} records without labels ({row.option.learner})"
        for row in plan.answers
        if row.need.unlabelled and row.enough
    ]
    return text + _ways_out([*pools, *ways_out(plan.question)])


def _least(plan: PlanTable) -> Limit | None:
    """The smallest floor of all classes and settings that the rows without a pool speak of; None if one has none.

    Where all of them answer with rules of the class, what is excluded for such answers.
    """
    rows = [row for row in plan.answers if not row.need.unlabelled]
    proper = all(row.option.proper for row in rows)
    limits = [_limit(plan, row, row.option.setting, proper=proper) for row in rows]
    floors = [limit for limit in limits if limit is not None]
    return (
        min(floors, key=lambda limit: Fraction(limit.value)) if floors and len(floors) == len(rows) else None
    )


def _limit(plan: PlanTable, row: Answer, setting: Setting, *, proper: bool) -> Limit | None:
    return limit_of(plan.question, row, setting=setting, proper=proper, pure=not plan.question.delta)


def _gap(plan: PlanTable) -> str | None:
    """Records between the floor and the proof: neither is the last word."""
    best, have = plan.best, plan.question.records
    if plan.question.kind != "needed" or have is None or best is None or best.enough is not False:
        return None
    if any(row.enough for row in plan.answers):
        return None
    easiest = _least(plan)
    if easiest is not None and have < easiest.value:
        return None
    exclusions = list(_exclusions(plan, best, have))
    also = f" They are too few {', and '.join(exclusions)}." if exclusions else ""
    return (
        f"With {count(have)} nothing is proved{'' if exclusions else ' and nothing excluded'}:"
        f" {best.need.labelled:,} are proved to suffice.{also} --simulate tells what to expect."
    )


def _exclusions(plan: PlanTable, best: Answer, have: int) -> Iterator[str]:
    """What so many records are too few for, though not for all that the plan offers."""
    rows = [row for row in plan.answers if row.concepts == best.concepts]
    cases: tuple[tuple[Setting, bool, str], ...] = (
        ("realizable", True, "for answers from the class"),
        ("agnostic", False, "where labels are noisy"),
    )
    for setting, proper, text in cases:
        if any(row.option.setting == setting for row in rows):
            limit = _limit(plan, best, setting, proper=proper)
            if limit is not None and have < limit.value:
                yield f"{text} ({count(int(limit.value))}, {limit.source})"


def _run(plan: PlanTable) -> str | None:
    """The command that the first paragraph speaks of: what it promises, this one certifies."""
    row = _row_to_run(plan)
    if row is None:
        return None
    if plan.question.word == "auto" and plan.question.aim == "rank" and plan.question.epsilon is not None:
        return f"Run: {_ranking_command(plan.question)}"
    command = _command(plan, row)
    if command is not None:
        return f"Run: {command}"
    if row.python is None:
        return None
    lines = row.python.replace("\n", "\n    ")
    return f"Run in Python, where `schema` is yours:\n    {lines}"


def _row_to_run(plan: PlanTable) -> Answer | None:
    """The headline where its records are at hand, then its perfect fit, then what else can be run: with records that
    are at hand first, and a command before lines of Python."""
    if plan.question.word == "auto" and plan.headline is not None:
        first = (row for row in (plan.headline, plan.perfect) if row is not None and row.enough is not False)
        return next(first, plan.headline)
    at_hand = [row for row in plan.answers if plan.question.unlabelled or not row.need.unlabelled]
    rows = [row for row in (plan.headline, plan.perfect, *at_hand, *plan.answers) if row is not None]
    enough = [row for row in rows if row.enough is not False]
    with_command = next((row for row in enough if _command(plan, row) is not None), None)
    return with_command or next((row for row in enough if row.python is not None), None)


def _command(plan: PlanTable, row: Answer) -> str | None:
    """What runs a row, with the epsilon that its number is proved with."""
    if row.option.learner == "default":
        return default_command(epsilon_of(plan.question, row))
    if row.command is None and _is_draw_of_boxes(row):
        return learn_command(row.wish, row.need, concepts=coarser_word(row.concepts, row.need.labelled))
    return row.command


def _run_perfect(plan: PlanTable) -> str | None:
    """The command of the other number of the first paragraph, where it is another one."""
    row, perfect = _row_to_run(plan), plan.perfect
    if perfect is None or row is None or row is not plan.headline or row.enough:
        return None
    if plan.question.aim == "rank":
        return None
    command = _command(plan, perfect)
    if command is None or command == _command(plan, row):
        return None
    return f"If some rule never errs, run for the smaller number: {command}"


def _run_unlabelled(plan: PlanTable) -> str | None:
    """What the records without labels are good for, where there are any."""
    first = plan.headline
    if not plan.question.unlabelled or first is None or first.need.unlabelled:
        return None
    for row in plan.answers:
        command = row.command if row.need.unlabelled and row.enough is not False else None
        if command is not None and row.proved < first.proved:
            fits = SETTINGS[row.option.setting]
            return (
                f"With {row.need.unlabelled:,} records without labels {number_text(row.proved)} is proved instead of"
                f" {number_text(first.proved)} (for {fits}): {command}"
            )
    return None


def _is_draw_of_boxes(row: Answer) -> bool:
    """One draw from boxes, beyond what sums over the whole grid reach."""
    return row.option.learner == "occam" and bool(row.concepts.groups) and row.command is None


def _auto(plan: PlanTable) -> str | None:
    """Rows of different classes are not rivals: a larger class has a better best member."""
    if plan.question.word != "auto" or not plan.answers:
        return None
    return (
        "The rows differ in the class they choose from: a promise is relative to the best member of that class, and a"
        " larger class has a better one. With --concepts auto privpac learn takes the class that suits so many records"
        " at this epsilon, and prints what it promises."
    )


def _driver(plan: PlanTable) -> str | None:
    """What drives the number: privacy, or the size of the domain."""
    best = plan.headline
    if best is None or best.asks != "needed":
        return None
    shares: list[tuple[int, str]] = []
    now = f" ({best.need.labelled:,})"  # a plan has several, with and without noise
    free = again(plan.question, best, epsilon=NO_PRIVACY)
    if free is not None:
        text = f"Epsilon drives the number{now}: {count(free.need.labelled)} would do without privacy."
        shares.append((best.need.labelled - free.need.labelled, text))
    for name, size in sized(plan.question.subject):
        least = 2 if name == "bits" else 1
        small = (
            again(plan.question, best, subject=plan.question.subject.at(name, least))
            if size > least
            else None
        )
        if small is not None:
            what = "The bits of the domain drive" if name == "bits" else f"The {name} drive"
            unit = name if least > 1 else name[:-1]
            text = f"{what} the number{now}: {count(small.need.labelled)} would do with {least} {unit}."
            shares.append((best.need.labelled - small.need.labelled, text))
    largest = max(shares, default=(0, ""))
    return largest[1] if largest[0] > 0 else None


def _halving(plan: PlanTable) -> str | None:
    """The cheapest single change that halves the records."""
    best = plan.headline
    if best is None or best.asks != "needed" or best.need.labelled < 4:
        return None
    changes = [text for _, text in halvers(plan.question, best)]
    if not changes:
        return None
    more = f" (or {', or '.join(changes[1:])})" if changes[1:] else ""
    return f"Half as many suffice with {changes[0]}{more}."


def _labels(plan: PlanTable) -> str | None:
    """Where labels are dear and records without them are not."""
    if plan.question.kind != "needed":
        return None
    for setting in ("realizable", "agnostic"):
        rows = [row for row in plan.answers if row.option.setting == setting]
        labelled = [row.need.labelled for row in rows if not row.need.unlabelled]
        few = next((row for row in rows if row.need.unlabelled), None)
        if labelled and few is not None and few.need.labelled < min(labelled):
            return (
                f"Labels can be saved: {few.option.learner} needs {few.need.labelled:,} labelled records instead of"
                f" {min(labelled):,}, with {few.need.unlabelled:,} unlabelled ones."
            )
    return None


def _sampling(plan: PlanTable) -> str | None:
    """Where more epsilon buys nothing in the proof, say so: the records themselves are too few."""
    best = plan.headline
    if best is None or plan.question.epsilon is None or best.asks == "smallest_epsilon":
        return None
    more = again(plan.question, best, epsilon=2 * plan.question.epsilon)
    if more is None or 100 * abs(Fraction(more.proved) - Fraction(best.proved)) > best.proved:
        return None
    return "A larger epsilon would change the proved number by less than one percent: what limits it is sampling."


def _noise(plan: PlanTable) -> str | None:
    """Knowing that the best rule rarely errs is worth a lot."""
    if plan.question.noise is not None or plan.question.kind != "needed":
        return None
    word = plan.question.word if plan.headline is None else plan.headline.concepts.word
    rows = (row for row in plan.answers if row.option.setting == "agnostic" and row.concepts.word == word)
    agnostic = next(rows, None)
    with_noise = None if agnostic is None else again(plan.question, agnostic, noise=KNOWN_NOISE)
    if agnostic is None or with_noise is None or 2 * with_noise.need.labelled > agnostic.need.labelled:
        return None
    return (
        f"If the best rule is known to err at most 5% of the time, --noise 0.05 brings the number for any records from"
        f" {agnostic.need.labelled:,} to {count(with_noise.need.labelled)}."
    )


def _delta(plan: PlanTable) -> str | None:
    """For very long keys a delta pays."""
    best = plan.best
    if plan.question.delta > 0 or best is None or plan.question.kind != "needed":
        return None
    wider = plan.question.with_(delta=USUAL_DELTA)
    rows: list[Answer] = [
        row
        for concepts in wider.classes
        for option in wider.options(concepts)
        if not option.pure and (row := bare_answer(wider, option, concepts)) is not None
    ]
    better = min(rows, key=lambda row: row.order, default=None)
    if better is None or better.need.labelled >= best.need.labelled:
        return None
    needs = f"{better.option.learner} needs {count(better.need.labelled)}"
    return f"With delta 1e-6, {needs} instead of {best.need.labelled:,}."


def _close(plan: PlanTable) -> str | None:
    """When the floor is near, stop looking for something cleverer."""
    # Rows of a plan for `auto` are about other classes than its headline.
    rows = [plan.headline] if plan.question.word == "auto" else [plan.headline, *plan.answers]
    near = next(
        (row for row in rows if row is not None and row.ratio is not None and row.ratio <= NEAR), None
    )
    if near is None or near.ratio is None:
        return None
    kind = "with answers from the class" if near.option.proper else "with any rule"
    name = PLAIN.get(near.option.learner, near.option.learner)
    what = "What is proved" if near is plan.headline else f"What is proved for {name}"
    return (
        f"{what} is within a factor {math.ceil(near.ratio * 10) / 10:g} of what is possible {kind}"
        f" ({near.floor_source}): no other method of its kind can save more."
    )


def _pessimistic(plan: PlanTable) -> str | None:
    """Large classes of trees hold many copies of every good rule, which the proof cannot use."""
    tree_rows = [row for row in plan.answers if row.concepts.kind in ("trees", "lists")]
    if not tree_rows or any(row.simulated is not None for row in tree_rows):
        return None
    return (
        "For trees and lists the proof is about ten times too pessimistic: they hold many near-copies of every good"
        " rule. --simulate tells what to expect."
    )


def _little(plan: PlanTable) -> str | None:
    """Very little evidence."""
    records, epsilon = plan.question.records, plan.question.epsilon
    if records is None or epsilon is None or records * epsilon >= LITTLE:
        return None
    return (
        f"Records times epsilon is {float(records * epsilon):g}: below {LITTLE} a constant answer often does as well as"
        " anything that can be learnt."
    )


def _ranking(plan: PlanTable) -> str | None:
    """What to take where the order of the records matters, not only their class."""
    question = plan.question
    if question.aim != "rank":
        return None
    subject, command = question.subject, _ranking_command(question)
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


def _ranking_command(question: Question) -> str:
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


def _balance(plan: PlanTable) -> str | None:
    """A declared base rate, and what it would make a mistake cost."""
    schema = plan.question.subject.schema
    if schema is None or schema.base_rate is None:
        return None
    from privpac.constructions.request import balanced_costs  # which loads what learns

    costs = balanced_costs(schema)
    prices = ", ".join(f"{name}: {cost}" for name, cost in zip(schema.class_names, costs, strict=True))
    if len(set(costs)) == 1:
        return None
    return (
        f"The schema declares how common each class is. With --costs balanced misjudging a record costs {prices}, so"
        " that rare classes count as much as common ones; without it a rule that never names a rare class may be"
        " the most accurate one."
    )


def _large(plan: PlanTable) -> str | None:
    """An epsilon that protects hardly anybody."""
    return None if plan.question.epsilon is None else warning_of_large(plan.question.epsilon) or None


RULES: Mapping[str, Callable[[PlanTable], str | None]] = {
    "large": _large,
    "card": _card,
    "nothing": _nothing,
    "impossible": _impossible,
    "unproved": _gap,
    "run": _run,
    "run_perfect": _run_perfect,
    "run_unlabelled": _run_unlabelled,
    "auto": _auto,
    "driver": _driver,
    "halving": _halving,
    "sampling": _sampling,
    "labels": _labels,
    "noise": _noise,
    "delta": _delta,
    "close": _close,
    "pessimistic": _pessimistic,
    "little": _little,
    "ranking": _ranking,
    "balance": _balance,
}
"""All rules, in the order in which they are said."""


def advise(plan: PlanTable) -> Iterator[str]:
    """What the rules have to say."""
    for rule in RULES.values():
        text = rule(plan)
        if text is not None:
            yield text
