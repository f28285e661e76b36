"""The far ends of what people may ask for: huge domains and costs, the smallest and largest epsilons, no records.

Either the whole path works, certificate and its check included, or it is refused from public numbers before anything is
spent. Nothing in between.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from privpac import Ledger, learn
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, law
from privpac.concepts.base import ConceptClass
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.sets.points import Points
from privpac.constructions.draw.occam import LARGEST_PRICE, Occam
from privpac.data.columns import Boolean, Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError

WIDE = Schema(
    (
        Numeric("a", 0, 2**64 - 1, integer=True),
        Numeric("b", 0, 2**128 - 1, integer=True),
        Categorical("kind", ("u", "v", "w")),
        Categorical("only", ("one", "other")),
    ),
    label="y",
)


def wide_sample(n: int = 300) -> MemorySample:
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2**64, n, dtype=np.uint64)
    a[:5] = [0, 2**64 - 1, 2**64 - 1, 1, 2**63]
    b = np.empty(n, dtype=object)
    b[:] = [int(x) << 64 | int(y) for x, y in zip(a, a[::-1], strict=True)]
    b[0] = 2**128 - 1
    cells = {"a": a, "b": b, "kind": rng.integers(0, 3, n), "only": np.zeros(n, dtype=np.int64)}
    return MemorySample.from_cells(WIDE, cells, (a > 2**63).astype(np.uint8))


CLASSES: list[ConceptClass] = [
    Thresholds(WIDE, "a"),
    Thresholds(WIDE, "a", "either"),
    Thresholds(WIDE, "b", "down"),
    Points(WIDE, "a"),
    Points(WIDE, "b"),
    Stumps(WIDE),
]


@pytest.mark.parametrize("concepts", CLASSES, ids=lambda concepts: concepts.word)
@pytest.mark.parametrize("costs", [None, (1, 10**6), (10**6, 999_999)])
@pytest.mark.parametrize("epsilon", ["1", "0.000001", "1e-20", "1220", "4000"])
def test_the_whole_path(concepts: ConceptClass, costs: tuple[int, int] | None, epsilon: str) -> None:
    sample = wide_sample()
    learner = Occam(concepts, Fraction(epsilon), costs)
    certificate = learner.certify(sample.size)
    assert check_certificate(json.loads(json.dumps(certificate.to_json()))) >= 2
    hypothesis = learner.learn(sample, SeededCoins(1))
    assert len(hypothesis.predict(sample.block().cells)) == sample.size.labelled
    assert hypothesis.describe(WIDE)


def test_the_largest_cell_of_64_bits_is_cut_like_any_other() -> None:
    cells = {"a": np.array([2**64 - 1, 0], dtype=np.uint64)}
    assert Threshold("a", 2**64 - 1, True).predict(cells).tolist() == [1, 0]
    assert Threshold("a", 2**64, True).predict(cells).tolist() == [0, 0]
    assert Threshold("a", 2**64, False).predict(cells).tolist() == [1, 1]
    assert Threshold("a", 0, True).predict(cells).tolist() == [1, 1]
    assert Threshold("a", -1, True).predict(cells).tolist() == [1, 1]


def test_an_epsilon_of_nearly_nothing_is_a_uniform_draw_that_promises_no_accuracy() -> None:
    schema = Schema((Numeric("a", 0, 2, integer=True),), label="y")
    sample = MemorySample.from_cells(schema, {"a": np.array([0, 2])}, np.array([0, 1]))
    learner = Occam(Thresholds(schema, "a"), Fraction(1, 10**30))
    assert learner.certify(sample.size).accuracy == ()
    found = law(lambda coins: learner.learn(sample, coins))
    assert set(found.values()) == {Fraction(1, 4)}


@pytest.mark.parametrize("direction", ["up", "down", "either"])
def test_no_records_at_all_leave_the_prior(direction: str) -> None:
    schema = Schema((Numeric("a", 0, 3, integer=True), Categorical("k", ("u", "v", "w"))), label="y")
    empty = {"a": np.array([], dtype=np.int64), "k": np.array([], dtype=np.int64)}
    sample = MemorySample.from_cells(schema, empty, np.array([], dtype=np.uint8))
    thresholds = Occam(Thresholds(schema, "a", direction), Fraction(1))  # type: ignore[arg-type]
    found = law(lambda coins: thresholds.learn(sample, coins))
    assert set(found.values()) == {Fraction(1, thresholds.concepts.size)}
    points = law(lambda coins: Occam(Points(schema, "a"), Fraction(1)).learn(sample, coins))
    assert set(points.values()) == {Fraction(1, 4)}
    stumps = law(lambda coins: Occam(Stumps(schema), Fraction(1)).learn(sample, coins))
    assert sorted(set(stumps.values())) == [Fraction(1, 18), Fraction(1, 6)]
    with pytest.raises(SizeError):
        thresholds.certify(Size(0))


NARROW = Schema(
    (Numeric("a", 0, 7, integer=True), Boolean("f"), Categorical("k", ("u", "v", "w"))), label="y"
)
WORDS = [
    "stumps",
    "thresholds:a",
    "points:a",
    "intervals:a",
    "unions:a:2",
    "rectangles:a",
    "trees:2",
    "lists:2",
    "conjunctions:2",
    "disjunctions:2",
]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("costs", [(1, 10**6), (1, 10**7), (1, 10**18)])
@pytest.mark.parametrize("epsilon", ["1", "1e-9"])
@pytest.mark.filterwarnings("ignore")
def test_costs_work_or_are_refused_before_anything_is_spent(
    word: str, costs: tuple[int, int], epsilon: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(2)
    table = {
        "a": rng.integers(0, 8, 60),
        "f": rng.integers(0, 2, 60).astype(bool),
        "k": rng.choice(["u", "v", "w"], 60),
        "y": rng.integers(0, 2, 60),
    }
    ledger = Ledger(epsilon=2, path=tmp_path / "ledger.db")
    refusal = ""
    try:
        learn(
            table, schema=NARROW, concepts=word, epsilon=epsilon, costs=costs, ledger=ledger, random_state=1
        )
    except SizeError as problem:
        refusal = str(problem)
    assert "Divide the costs" in refusal or not refusal
    assert ledger.spent.epsilon == (0 if refusal else Fraction(epsilon))
    assert refusal or costs[1] < 10**18


def test_scores_never_leave_64_bits() -> None:
    schema = Schema((Numeric("a", 0, 3, integer=True),), label="y")
    learner = Occam(Thresholds(schema, "a"), Fraction(1), costs=(1, 2**32))
    learner.certify(Size(LARGEST_PRICE // 2**32 - 1))
    with pytest.raises(SizeError, match="64-bit"):
        learner.certify(Size(LARGEST_PRICE // 2**32))
    sample = MemorySample.from_cells(schema, {"a": np.array([1, 2])}, np.array([0, 1]))
    with pytest.raises(SizeError, match="64-bit"):
        Occam(Thresholds(schema, "a"), Fraction(1), costs=(1, 2**61)).learn(sample, SeededCoins(0))
