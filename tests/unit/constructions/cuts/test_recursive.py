"""Thresholds by recursion: regions against every cut of small domains, steps against their definition, long keys."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privpac
from privpac import MemorySample, Schema, SeededCoins, Size
from privpac.concepts.line.cut_regions import CutRegions
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.no_answer import NoAnswer
from privpac.constructions.cuts.recursive import RecConcave
from privpac.constructions.cuts.recursive_formulas import Plan, widths
from privpac.data.columns import Numeric
from privpac.data.statistics import ColumnCounts
from privpac.mechanisms.geometric import NoiseLaw
from privpac.mechanisms.stable_choice import release_chance

ONE = Fraction(1)


def schema_of(cells: int) -> Schema:
    column = Numeric("key", lower=0, upper=cells - 1, integer=True)
    return Schema((column,), label="y", classes=("0", "1"))


def counts_of(cells: np.ndarray, labels: np.ndarray) -> ColumnCounts:
    values = np.unique(cells)
    table = np.array([[np.sum((cells == v) & (labels == k)) for k in (0, 1)] for v in values])
    return ColumnCounts(values=values.astype(np.uint64), counts=table.reshape(-1, 2), n=len(cells))


@pytest.mark.parametrize("up", [True, False])
def test_regions_are_those_of_a_search_through_all_cuts(up: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        domain, n = int(rng.integers(1, 20)), int(rng.integers(0, 12))
        cells, labels = rng.integers(0, domain, n), rng.integers(0, 2, n)
        regions = CutRegions(counts_of(cells, labels), domain, up)
        wrong = [
            (int(np.sum((cells < cut) & (labels == up))), int(np.sum((cells >= cut) & (labels != up))))
            for cut in range(domain + 1)
        ]
        costs = [max(pair) for pair in wrong]
        assert [regions.mistakes(cut) for cut in range(domain + 1)] == wrong
        assert regions.best == min(costs)
        for cost in range(n + 1):
            inside = [cut for cut, own in enumerate(costs) if own <= cost]
            assert inside == list(range(regions.low(cost), regions.high(cost) + 1))
        for width in range(1, domain + 2):
            fits = [c for c in range(n + 1) if sum(own <= c for own in costs) >= width]
            assert regions.first_width(width) == fits[0]
        for length in (1, 2, 3):
            first = regions.low(regions.best) // length * length
            outside = [own for cut, own in enumerate(costs) if not first <= cut < first + length]
            if outside:
                assert regions.lead(first, first + length - 1) == min(outside) - min(costs)


@pytest.mark.parametrize("ratio", [Fraction(3, 5), Fraction(1, 4)])
def test_a_lead_passes_as_often_as_geometric_noise_says(ratio: Fraction) -> None:
    noise = NoiseLaw(ratio, 12)
    weights = noise.exact()
    for threshold in (0, 2):
        for lead in range(7):
            wide = sum(w for i, w in enumerate(weights) if lead + noise.value(i) >= 2 + threshold) / sum(
                weights
            )
            assert release_chance(lead, ratio=ratio, threshold=threshold) == wide
    learner = RecConcave(Thresholds(schema_of(8), "key"), ONE, Fraction(1, 10))
    cap = 2 * (1 + learner.numbers.threshold + learner.numbers.margin)
    assert learner.release_chance(cap) == learner.release_chance(10 * cap) > learner.release_chance(cap - 1)


def drawn(learner: RecConcave, cells: list[int], labels: list[int], seed: int = 0) -> Any:
    kind = object if learner.concepts.schema.column("key").size > 2**63 else np.int64
    sample = MemorySample.from_cells(
        learner.concepts.schema, {"key": np.array(cells, dtype=kind)}, np.array(labels)
    )
    return learner.steps(sample, SeededCoins(seed))


@pytest.mark.parametrize("bits", [1, 3, 64, 256, 4096])
@pytest.mark.parametrize("up", [True, False])
def test_keys_of_any_length(bits: int, up: bool) -> None:
    domain = 2**bits
    cut = domain // 3 + 1
    cells = [(i * 2654435761**60) % domain for i in range(4000)]
    labels = [int((cell >= cut) == up) for cell in cells]
    learner = RecConcave(
        Thresholds(schema_of(domain), "key", "up" if up else "down"), ONE, Fraction(1, 10**6)
    )
    steps = drawn(learner, cells, labels)
    assert isinstance(steps.answer, Threshold)
    wrong = sum(
        int((cell >= steps.answer.cut) == up) != label for cell, label in zip(cells, labels, strict=True)
    )
    assert wrong <= learner.numbers.mistakes
    certificate = learner.certify(Size(4000))
    assert (certificate.epsilon, certificate.delta) == (1, Fraction(1, 10**6))
    assert float(certificate.accuracy[0].fact.error) < 0.13


def test_records_that_no_cut_explains_and_no_records_give_an_answer_or_none() -> None:
    learner = RecConcave(Thresholds(schema_of(2**64), "key"), ONE, Fraction(1, 10**6))
    rng = np.random.default_rng(0)
    cells, labels = rng.integers(0, 2**62, 500).tolist(), rng.integers(0, 2, 500).tolist()
    kinds = {type(drawn(learner, cells, labels, seed).answer) for seed in range(40)}
    assert kinds <= {Threshold, NoAnswer}
    assert NoAnswer in kinds
    assert drawn(learner, [], []).answer is not None


def test_candidates_are_few_and_near_the_block() -> None:
    learner = RecConcave(Thresholds(schema_of(1000), "key"), Fraction(5), Fraction(1, 100))
    blocks = learner.numbers.blocks
    for seed in range(30):
        steps = drawn(learner, list(range(0, 1000, 5)), [int(v >= 300) for v in range(0, 1000, 5)], seed)
        if steps.block is not None:
            first, last = steps.block
            assert last - first + 1 == 2 * blocks * steps.width
            assert (first + steps.offset) % (2 * blocks * steps.width) == 0
            assert first - steps.width < steps.answer.cut < last + steps.width
            assert steps.answer.cut % steps.width == 0
    assert widths(1000) == 9


def test_a_plan_of_ones_own_is_certified_for_what_it_costs() -> None:
    plan = Plan((Fraction(1, 2),) * 3, 1, 3, 1, 1, 2)
    learner = RecConcave(Thresholds(schema_of(8), "key"), Fraction(5), Fraction(1, 10), plan=plan)
    premise = learner.certify(Size(9)).privacy.premises[0].fact
    assert premise.epsilon.factor == 2**6
    assert premise.delta == Fraction(1, 8) / Fraction(3, 2)


def test_a_person_behind_several_records_has_the_delta_asked_for() -> None:
    table = {"key": list(range(8)) * 5, "y": [int(key >= 4) for key in range(8)] * 5}
    schema = {
        "label": "y",
        "columns": [{"name": "key", "kind": "numeric", "lower": 0, "upper": 7, "integer": True}],
    }
    model = privpac.learn(
        table,
        schema=schema,
        concepts="recconcave:key",
        epsilon=2,
        delta="0.01",
        records_per_person=3,
        random_state=0,
    )
    assert Fraction(9, 1000) / 3 < Fraction(model.certificate["delta"]) <= Fraction(1, 100)
