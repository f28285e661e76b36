"""Released tables: what a drawn median loses, and how far counts and synthetic records lie from the truth."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from privpac.constructions.release.block_formulas import (
    BlockQuantilePlan,
    failure_block_quantiles,
    place_bits,
)
from privpac.constructions.release.formulas import failure_histogram, rank_errors
from privpac.constructions.release.tree_formulas import TreePlan, failure_tree, tree_levels
from privpac.guarantee.facts import Accuracy, Against, Answers, Loss, Privacy, Queries, Release
from privpac.guarantee.proof import SEAL, Proof, Value, need, need_ratio, parameters, power
from privpac.numbers.exact import ball, shortened, shortened_whole, written
from privpac.theory.vc import growth

__all__ = [
    "block_quantile_answers",
    "candidate_answers",
    "generic_learner",
    "histogram_answers",
    "leafwise_blocks",
    "leafwise_medians",
    "quantile_answers",
    "ranges_from_thresholds",
    "tree_answers",
]


_MOST_LEVELS = 64
"""Halvings that anybody follows."""


def leafwise_medians(*, ratio: Fraction) -> Proof[Privacy]:
    """A cut drawn in every range of a released partition, weight ratio^|2·below - all|: e^epsilon = ratio^-4.

    A record added to a range, or removed, moves 2·below - all by exactly 1 at every cut, so that draw changes by at
    most ratio^-2; a replaced record does this to two ranges, or moves one range's score by at most 2.
    Register `leafwise-medians`. Holds if each record lies in one range and nothing else about a range is looked at
    (assumed of the caller).
    """
    rule = "leafwise-medians"
    need_ratio(rule, ratio, 1)
    loss = Loss(factor=power(rule, 1 / ratio, 4))
    fact = Privacy(loss, release=Release.NUMBERS)
    return Proof(fact, rule, where={"ratio": written(ratio)}, seal=SEAL)


def leafwise_blocks(*, ratio: Fraction, bits: int, stake: int) -> Proof[Privacy]:
    """A cut drawn, with weight ratio^cost, among middles of occupied blocks in every range of a released partition,
    beside a blank that counts `stake` times: with lone = bits/(ratio·stake) it loses
    e^epsilon = ratio^-4·(1 + lone)² and delta = 2·lone/(1 + lone).

    Register `leafwise-blocks`. Holds if each record lies in one range, a record that is added or removed moves every
    cost by at most 1, and a block that one record alone occupies costs at least one less than the blank (assumed).
    """
    rule = "leafwise-blocks"
    need(rule, 0 < ratio < 1, "the ratio must lie strictly between 0 and 1")
    need(rule, bits >= 1 and stake >= 1, "there must be a bit and a stake")
    lone = bits / (ratio * stake)
    need(rule, lone < 1, "so small a stake promises nothing")
    loss = Loss(factor=shortened(power(rule, 1 / ratio, 4) * (1 + lone) ** 2))
    fact = Privacy(loss, shortened(2 * lone / (1 + lone)), release=Release.NUMBERS)
    return Proof(fact, rule, where=parameters(ratio=ratio, bits=bits, stake=written(stake)), seal=SEAL)


def histogram_answers(
    *, cells: int, records: int, ratio: Fraction, above: int, steps: int, failure: Fraction
) -> Proof[Answers]:
    """Counts of all cells, those with a noisy count up to `above` called empty, are right within `steps` records.

    Register `histogram-answers`. Holds for two-sided geometric noise at `ratio` per unit on every cell.
    """
    rule = "histogram-answers"
    _need_sizes(rule, cells, records, ratio, failure)
    need(rule, 0 <= above <= steps, "the height must lie between 0 and the error")
    bound = failure_histogram(steps, cells=cells, records=records, ratio=ratio, above=above)
    need(rule, bound <= failure, "the bound is larger than the failure probability asked for")
    where = parameters(cells=written(cells), ratio=ratio, above=above, steps=steps)
    return _answers(rule, Fraction(steps, records), failure, Queries.POINTS, records, where)


def tree_answers(plan: TreePlan, *, records: int, failure: Fraction) -> Proof[Answers]:
    """Thresholds from a tree of noisy counts are right within the number of records the plan says.

    Register `tree-answers`. Holds if noise is independent between nodes, and a node is expanded if and only if its
    noisy count exceeds `above`.
    """
    rule = "tree-answers"
    _need_sizes(rule, plan.cells, records, plan.ratio, failure)
    need(rule, plan.branching >= 2, "a node needs at least two children")
    need(
        rule, plan.levels == tree_levels(plan.cells, plan.branching), "the levels are not those of the domain"
    )
    need(rule, 1 < plan.tilt < 1 / plan.ratio, "the tilt must lie between 1 and 1/ratio")
    need(rule, min(plan.steps, plan.hidden) >= 0, "an error cannot be negative")
    fits = plan.hidden == 0 if plan.above is None else 0 <= plan.above <= plan.hidden
    need(rule, fits, "the height does not fit what it hides")
    bound = failure_tree(plan, records=records)
    need(rule, bound <= failure, "the bound is larger than the failure probability asked for")
    where = parameters(
        cells=written(plan.cells),
        branching=plan.branching,
        levels=plan.levels,
        ratio=plan.ratio,
        above="never" if plan.above is None else plan.above,
        steps=plan.steps,
        hidden=plan.hidden,
        tilt=plan.tilt,
    )
    return _answers(rule, Fraction(plan.off, records), failure, Queries.THRESHOLDS, records, where)


def quantile_answers(
    *, cells: int, records: int, ratio: Fraction, levels: int, batch: int, steps: int, failure: Fraction
) -> Proof[Answers]:
    """Thresholds between the cuts of `levels` halvings are right within 1/2^(levels+1) + E_levels/records.

    Register `quantile-answers`. Holds if copies of a value stand on ceil(records/batch) places, `batch` a place.
    """
    rule = "quantile-answers"
    _need_sizes(rule, cells, records, ratio, failure)
    need(rule, levels >= 1 and batch >= 1 and steps >= 1, "levels, batch and steps must be positive")
    slots = -(-records // batch)
    events = (2**levels - 1) * (cells * slots + 1)
    need(
        rule, _power_at_most(events, ratio, steps, failure), "the bound is larger than the failure asked for"
    )
    error = Fraction(1, 2 ** (levels + 1)) + rank_errors(levels, Fraction(batch + steps - 1, 2)) / records
    where = parameters(cells=written(cells), ratio=ratio, levels=levels, batch=batch, steps=steps)
    return _answers(rule, error, failure, Queries.THRESHOLDS, records, where)


def block_quantile_answers(
    plan: BlockQuantilePlan, *, cells: int, records: int, failure: Fraction
) -> Proof[Answers]:
    """Thresholds between cuts drawn among occupied blocks are right within 1/2^(levels+1) + E_levels/records.

    Register `block-quantile-answers`. Holds if every copy of a value has one of `records` places of its own.
    """
    rule = "block-quantile-answers"
    _need_sizes(rule, cells, records, plan.ratio, failure)
    need(rule, min(plan.levels, plan.stake, plan.reach, plan.steps) >= 1, "a number is too small")
    need(rule, plan.levels <= _MOST_LEVELS, "there are too many levels")
    need(rule, plan.bits == place_bits(records, cells=cells), "the bits are not those of the places")
    need(rule, failure_block_quantiles(plan) <= failure, "the bound is larger than the failure asked for")
    sizes = parameters(cells=written(cells), ratio=plan.ratio, levels=plan.levels, stake=written(plan.stake))
    where = sizes | parameters(reach=plan.reach, steps=plan.steps)
    return _answers(rule, plan.error(records), failure, Queries.THRESHOLDS, records, where)


def candidate_answers(
    *,
    candidates: int,
    records: int,
    ratio: Fraction,
    radius: Fraction,
    error: Fraction,
    failure: Fraction,
    queries: Queries,
) -> Proof[Answers]:
    """The drawn database is off by more than `error` with probability (candidates - 1)·ratio^k.

    Here k = floor(records·(error - radius)) + 1: a score counts records beyond `radius`, rounded up.
    Register `candidate-answers`. Holds if some candidate lies within `radius` of every database (assumed of the caller;
    registers `quantile-candidates` and `listed-candidates`).
    """
    rule = "candidate-answers"
    need(
        rule,
        queries in (Queries.THRESHOLDS, Queries.LISTED),
        "tables are drawn for thresholds or listed queries",
    )
    candidates = shortened_whole(candidates)
    _need_sizes(rule, candidates, records, ratio, failure)
    need(rule, 0 <= radius <= error, "the error is below the radius")
    steps = math.floor(records * (error - radius)) + 1
    need(
        rule,
        _power_at_most(candidates - 1, ratio, steps, failure),
        "the bound is larger than the failure asked for",
    )
    where = parameters(candidates=written(candidates), ratio=ratio, radius=radius)
    return _answers(rule, error, failure, queries, records, where)


def ranges_from_thresholds(premise: Proof[Answers]) -> Proof[Answers]:
    """A range is the difference of two thresholds: twice their error."""
    rule = "ranges-from-thresholds"
    old = premise.fact
    need(rule, old.queries is Queries.THRESHOLDS, "the premise must speak of thresholds")
    fact = Answers(2 * old.error, old.failure, Queries.RANGES, old.records)
    return Proof(fact, rule, (premise,), seal=SEAL)


def generic_learner(
    *answers: Proof[Answers],
    gap: Fraction,
    slabs: int,
    vc: int,
    hypotheses: int,
    labelled: int,
    ratio: Fraction,
    tilt: Fraction,
    tolerated: Fraction,
    deviation: Fraction,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A hypothesis drawn from those that a sanitised sample tells apart errs by more than `error` rarely.

    One of the `hypotheses` differs from the target on at most `slabs` ranges (or listed queries) that hold at most a
    share `gap` of the synthetic records each: on at most slabs·(gap + error of the answers) of the unlabelled records,
    and on at most `tolerated` of the distribution except with probability `deviation`. The exponential mechanism over
    the hypotheses does the rest.
    Register `generic-learner`. Holds for independent records, if a concept of the class makes no error and the
    hypotheses depend on the synthetic records alone (assumed of the caller).
    """
    rule = "generic-learner"
    need(rule, len(answers) >= 1, "there are no answers")
    facts = [proof.fact for proof in answers]
    kinds, records = {fact.queries for fact in facts}, facts[0].records
    need(rule, kinds <= {Queries.RANGES, Queries.LISTED}, "the answers must be those of differences")
    need(rule, all(fact.records == records for fact in facts), "the answers speak of different records")
    need(rule, slabs >= 1 and vc >= 1 and hypotheses >= 1 and labelled >= 0 <= gap, "a number is too small")
    need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    tolerance = slabs * (gap + max(fact.error for fact in facts))
    need(rule, tolerance < tolerated < error <= 1, "the errors must grow from seen to tolerated to final")
    rest = failure - sum(fact.failure for fact in facts) - deviation
    need(rule, deviation > 0 and rest > 0 and failure < 1, "the failures do not add up")
    exponent = records * (tolerated - tolerance) ** 2 / (4 * tolerated)
    base = 1 - error * (1 - tilt) + tolerated * (1 / tilt - 1)
    with ctx.workprec(192):
        events = ball(4 * growth(2 * records, vc=vc)).log() - ball(exponent)
        need(rule, bool(events <= ball(deviation).log()), "there are too few unlabelled records for this")
    need(
        rule,
        _power_at_most(hypotheses - 1, base, labelled, rest),
        "there are too few labelled records for this",
    )
    where = parameters(
        gap=gap,
        slabs=slabs,
        vc=vc,
        hypotheses=written(hypotheses),
        ratio=ratio,
        tilt=tilt,
        tolerated=tolerated,
        deviation=deviation,
    )
    return Proof(Accuracy(error, failure, Against.REALIZABLE, labelled), rule, answers, where, seal=SEAL)


def _need_sizes(rule: str, cells: int, records: int, ratio: Fraction, failure: Fraction) -> None:
    need(rule, cells >= 1 and records >= 1, "there must be cells and records")
    need(rule, 0 < ratio < 1 and 0 < failure < 1, "ratio and failure must lie in (0, 1)")


def _power_at_most(odds: int, base: Fraction, count: int, limit: Fraction) -> bool:
    """Whether odds·base^count is certainly at most the limit."""
    if odds == 0:
        return True
    with ctx.workprec(192):
        log: arb = ball(odds).log() + count * ball(base).log()
        return bool(log <= ball(limit).log())


def _answers(
    rule: str, error: Fraction, failure: Fraction, queries: Queries, records: int, where: dict[str, Value]
) -> Proof[Answers]:
    need(rule, error < 1, "an error of 1 promises nothing")
    return Proof(Answers(error, failure, queries, records), rule, where=where, seal=SEAL)
