"""Advice in words: a small list of rules, each of which speaks or is silent.

A rule sees a finished plan and may ask the same options with other numbers; it never invents one.
Tested by tests/unit/plan/test_advice.py, a test per rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from privpac.constructions.option import Setting
from privpac.plan.alternatives import USUAL_DELTA, again, cheapest, count, halvers, sized, ways_out
from privpac.plan.answer import Answer, Limit, limit_of
from privpac.plan.base_rates import balance
from privpac.plan.columns import PLAIN, SETTINGS
from privpac.plan.commands import run, run_perfect, run_unlabelled
from privpac.plan.jumps import jumps
from privpac.plan.table import PlanTable
from privpac.plan.unproved import bound_missing, no_bound, ranking
from privpac.wishes import warning_of_large

__all__ = ["RULES", "advise"]

NO_PRIVACY = Fraction(40)
"""An epsilon at which privacy costs nothing any more."""
LITTLE = 200
"""n·epsilon below which a constant often does as well (benchmarks/accuracy)."""
KNOWN_NOISE = Fraction(1, 20)
NEAR = 4
"""Within this factor of a floor, looking for something cleverer does not pay."""


def _nothing(plan: PlanTable) -> str | None:
    """No option promises anything: say what would."""
    if plan.answers or bound_missing(plan.question) is not None:
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
    """What this many records are too few for, though not for all that the plan offers."""
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


def _auto(plan: PlanTable) -> str | None:
    """Rows of different classes are not rivals: a larger class has a better best member."""
    if plan.question.word != "auto" or not plan.answers:
        return None
    return (
        "The rows differ in the kind of rule they choose from: a promise is relative to the best rule of that kind, and"
        " where there are more rules the best one is better. With --concepts auto privpac learn takes the kind that"
        " suits so many records at this epsilon, and prints what it promises."
    )


def _driver(plan: PlanTable) -> str | None:
    """What drives the number: privacy, or the size of the domain."""
    best = plan.headline
    if best is None or best.asks != "needed":
        return None
    shares: list[tuple[int, str]] = []
    now = f" ({best.need.labelled:,})"  # a plan has several, with and without noise
    free = again(plan.question.at("epsilon", NO_PRIVACY), best)
    if free is not None:
        text = f"Epsilon drives the number{now}: {count(free.need.labelled)} would do without privacy."
        shares.append((best.need.labelled - free.need.labelled, text))
    for name, size in sized(plan.question.subject):
        least = 2 if name == "bits" else 1
        small = (
            again(replace(plan.question, subject=plan.question.subject.at(name, least)), best)
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
        few = next((row for row in rows if row.need.unlabelled), None)
        alike = [row for row in rows if few is not None and row.concepts == few.concepts]
        labelled = [row.need.labelled for row in alike if not row.need.unlabelled]
        if labelled and few is not None and few.need.labelled < min(labelled):
            kind = f" for {few.concepts.word}" * (plan.question.word == "auto")
            return (
                f"Labels can be saved: {few.option.learner} needs {few.need.labelled:,} labelled records instead of"
                f" {min(labelled):,}{kind}, with {few.need.unlabelled:,} unlabelled ones ({SETTINGS[setting]})."
            )
    return None


def _sampling(plan: PlanTable) -> str | None:
    """Where more epsilon buys nothing in the proof, say so: the records themselves are too few."""
    best = plan.headline
    if best is None or plan.question.epsilon is None or best.asks == "smallest_epsilon":
        return None
    more = again(plan.question.at("epsilon", 2 * plan.question.epsilon), best)
    if more is None or 100 * abs(Fraction(more.proved) - Fraction(best.proved)) > best.proved:
        return None
    return (
        "A larger epsilon would change the proved number by less than one percent: what limits it is chance in the"
        " records, not privacy."
    )


def _noise(plan: PlanTable) -> str | None:
    """Knowing that the best rule rarely errs is worth a lot."""
    if plan.question.noise is not None or plan.question.kind != "needed":
        return None
    word = plan.question.word if plan.headline is None else plan.headline.concepts.word
    rows = (row for row in plan.answers if row.option.setting == "agnostic" and row.concepts.word == word)
    agnostic = next(rows, None)
    with_noise = None if agnostic is None else again(replace(plan.question, noise=KNOWN_NOISE), agnostic)
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
    better = cheapest(replace(plan.question, delta=USUAL_DELTA), lambda option, _: not option.pure)
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
    """Large classes of trees hold many copies of every good rule, which the proof cannot use; silent where a simulated
    column shows it."""
    if not any(row.concepts.kind in ("trees", "lists") for row in plan.answers):
        return None
    if any(row.simulated is not None for row in plan.answers):
        return None
    hint = "" if any(row.unsimulated for row in plan.answers) else " --simulate tells what to expect."
    return (
        "What is proved, and what is impossible, is about the worst records. On ordinary records errors of trees and"
        " lists were found to be about ten times smaller than proved, because near-copies of every good rule help."
        f"{hint}"
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


def _large(plan: PlanTable) -> str | None:
    """An epsilon that protects hardly anybody."""
    return None if plan.question.epsilon is None else warning_of_large(plan.question.epsilon) or None


RULES: Mapping[str, Callable[[PlanTable], str | None]] = {
    "large": _large,
    "no_bound": no_bound,
    "nothing": _nothing,
    "impossible": _impossible,
    "unproved": _gap,
    "run": run,
    "run_perfect": run_perfect,
    "run_unlabelled": run_unlabelled,
    "jumps": jumps,
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
    "ranking": ranking,
    "balance": balance,
}
"""All rules, in the order in which they are said."""


def advise(plan: PlanTable) -> Iterator[str]:
    """What the rules have to say."""
    for rule in RULES.values():
        text = rule(plan)
        if text is not None:
            yield text
