"""Rows on a continuum: one draw from the cover of a reference, on the densest records the row allows for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from privpac.coins import SeededCoins
from privpac.coins.tosses import BitCoins
from privpac.concepts.derived.reference import Uniform, UniformSphere
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.covers.reference import Plan, ReferenceCover
from privpac.constructions.draw.occam import draw_from
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee.facts import Against
from privpac.numbers.exact import ratio_for
from privpac.plan.answer import Answer
from privpac.plan.populations import ROWS, Population, uniforms
from privpac.plan.runs.base import EACH, EACH_RECORD, Supply
from privpac.plan.trials import Experiment, Trial, Unsimulated

__all__ = ["reference"]

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""Where the true cut lies: near no multiple of anything."""
MORE = tuple(Fraction(k, 20) for k in (20, 21, 22, 24, 28, 40))
"""Records, over those that are proved, for which a cover is built: on a grid of cells it may take a few more."""
EACH_DIRECTION, EACH_LOOK = 1.6e-7, 1.3e-9
"""Seconds of one listed direction, and of one of its looks at a record."""
EACH_ARC = 1.2e-5
"""Seconds of one record in the plane, where all directions between records are drawn from."""


def reference(answer: Answer, supply: Supply) -> Experiment:
    """The cover and the weight of a mistake are those of the proof: with fewer records the learner itself refuses."""
    if supply.table is not None:
        raise Unsimulated("a row about a density is simulated on the densest records, not on a table")
    sphere = answer.concepts.kind == "sphere"
    population = _band(answer, supply) if sphere else _slice(answer, supply)
    plan = _plan(_learner(answer, population.records.schema), answer.need.labelled)
    directions = (plan.cover.size or 0) if sphere and answer.concepts.parts > 2 else 0
    each = EACH_RECORD + directions * EACH_LOOK + (EACH_ARC if sphere else 0.0)

    def trial(n: int, epsilon: Fraction) -> Trial:
        ratio = max(ratio_for(epsilon / 2), plan.ratio)

        def run(coins: BitCoins) -> float:
            rule = draw_from(plan.cover, population.sample(n, coins), coins, ratio=ratio)
            return max(0.0, population.error(rule) - population.best)

        return run

    return Experiment(population.on, trial, lambda n: 2 * EACH + directions * EACH_DIRECTION + n * each)


def _learner(answer: Answer, schema: Schema) -> ReferenceCover:
    wish, names = answer.wish, schema.names
    realizable = answer.option.setting == "realizable"
    many = len(names) > 1
    return ReferenceCover(
        CentredHalfspaces(schema, names) if many else Thresholds(schema, names[0]),
        UniformSphere(schema, names) if many else Uniform(schema, names),
        wish.epsilon,
        wish.error,
        wish.failure,
        wish.concepts.kappa,
        Against.REALIZABLE if realizable else Against.AGNOSTIC,
    )


def _plan(learner: ReferenceCover, need: int) -> Plan:
    for more in MORE:
        try:
            return learner.plan(math.ceil(more * need))
        except SizeError as problem:
            refusal = problem
    raise refusal


def _population(
    answer: Answer, supply: Supply, schema: Schema, cells: Any, labels: Any, coins: BitCoins, where: str
) -> Population:
    share = supply.flipped(answer)
    wrong = uniforms(coins, ROWS) < share
    records = MemorySample.from_cells(schema, cells, (labels ^ wrong).astype(np.uint8))
    noise = f"; {share:.0%} of the labels are flipped" if share else ""
    return Population(records, float(np.mean(wrong)), f"{ROWS:,} synthetic records, uniform {where}{noise}")


def _slice(answer: Answer, supply: Supply) -> Population:
    """Uniform on an interval around the cut, as narrow as the density allows."""
    kappa = float(answer.concepts.kappa or 1)
    schema, coins = supply.schema(), SeededCoins(0)
    size = schema.columns[0].size
    low = GOLDEN * (1.0 - 1.0 / kappa)
    place = low + uniforms(coins, ROWS) / kappa
    cells = np.minimum((place * size).astype(np.int64), size - 1)
    labels = cells >= math.floor((low + GOLDEN / kappa) * size)
    where = f"on an interval of length 1/{kappa:g} that holds the cut"
    return _population(answer, supply, schema, {schema.names[0]: cells}, labels, coins, where)


def _band(answer: Answer, supply: Supply) -> Population:
    """Uniform on the band of the sphere around the cut, as narrow as the density allows."""
    kappa, d, coins = float(answer.concepts.kappa or 1), answer.concepts.parts, SeededCoins(0)
    schema = supply.schema(columns=d)
    direction = GOLDEN ** np.arange(1, d + 1)
    direction /= np.linalg.norm(direction)
    share = uniforms(coins, ROWS)
    height = np.sqrt(betaincinv(0.5, (d - 1) / 2, share / kappa))
    up = uniforms(coins, ROWS) < 0.5
    rest = ndtri(np.clip(uniforms(coins, ROWS * d), 2.0**-53, None)).reshape(ROWS, d)
    rest -= np.outer(rest @ direction, direction)
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    heights = np.where(up, height, -height)[:, None]
    points: NDArray[np.float64] = heights * direction + np.sqrt(1 - height**2)[:, None] * rest
    size = schema.columns[0].size
    cells = {
        name: np.clip(((points[:, i] + 1) / 2 * size).astype(np.int64), 0, size - 1)
        for i, name in enumerate(schema.names[:d])
    }
    where = f"on the band of the sphere around the cut that holds 1/{kappa:g} of it"
    return _population(answer, supply, schema, cells, up, coins, where)
