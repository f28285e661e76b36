"""Label privacy for single draws: candidates depend on features alone, rules come back to fine cells."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.boxes.box import Box
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.derived.regrid import Regrid
from privpac.concepts.finite import Finite
from privpac.concepts.line.stumps import Constant, Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Union, Unions, interval, intervals
from privpac.concepts.sets.points import Points
from privpac.constructions.draw.occam import Occam
from privpac.constructions.labels.classes import LabelPrivateDichotomies, are_fewer
from privpac.constructions.request import Request
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee.facts import Unit
from privpac.request import LearnRequest
from privpac.theory.vc import growth

ONE = Fraction(1)
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [
            {"name": "a", "kind": "numeric", "lower": 0, "upper": 1},
            {"name": "b", "kind": "numeric", "lower": 0, "upper": 30, "integer": True},
            {"name": "c", "kind": "categorical", "categories": ["u", "v", "w"]},
        ],
    }
)


def sample(seed: int, n: int, rule=None) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {c.name: rng.integers(0, c.size, n).astype(c.dtype) for c in SCHEMA.columns}
    labels = rng.integers(0, 2, n) if rule is None else rule(cells)
    return MemorySample.from_cells(SCHEMA, cells, np.asarray(labels).astype(np.uint8))


def test_rules_come_back_to_the_fine_cells() -> None:
    grid = Regrid(SCHEMA, (("a", (100, 2**31)), ("b", (5, 9, 20))))
    records = sample(1, 200)
    coarse = {name: grid.cells(name, records.block().cells[name]) for name in SCHEMA.names}
    rules = [
        *(Threshold("b", cut, up) for cut in range(5) for up in (True, False)),
        *(interval("b", low, high) for low in range(5) for high in range(low, 5)),
        Union("b", ((0, 1), (2, 4)), 1),
        Box(("a", "b"), (1, 0), (3, 2)),
        Box(("a", "b"), (0, 0), (0, 0)),
        Constant(1),
    ]
    for rule in rules:
        fine = rule.recut(grid.edge)
        assert (fine.predict(records.block().cells) == rule.predict(coarse)).all(), rule
    assert [column.size for column in grid.coarse.columns] == [3, 4, 3]


CLASSES = {
    "thresholds": Thresholds(SCHEMA, "a"),
    "either": Thresholds(SCHEMA, "a", "either"),
    "intervals": intervals(SCHEMA, "a"),
    "unions": Unions(SCHEMA, "b", intervals=2),
    "rectangles": Rectangles(SCHEMA, ("a", "b")),
    "stumps": Stumps(SCHEMA),
    "points": Points(SCHEMA, "b"),
    "finite": Finite(SCHEMA, ("a >= 0.5", "b > 9", "c == 'u'")),
}


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("n", [3, 30, 300, 3000])
def test_what_is_drawn_follows_from_public_numbers(name: str, n: int) -> None:
    """Labellings where there are fewer of them than members, otherwise a member of the class."""
    concepts = CLASSES[name]
    learner = Request(SCHEMA, Size(n), LearnRequest(epsilon=ONE, protect="labels")).occam(concepts)
    drawn = LabelPrivateDichotomies if growth(n, vc=concepts.vc) < concepts.size else Occam
    assert isinstance(learner, drawn)
    assert are_fewer(concepts, n) == isinstance(learner, LabelPrivateDichotomies)
    assert learner.certify(Size(n)).privacy.fact.unit is Unit.LABEL


@pytest.mark.parametrize("name", CLASSES)
def test_labels_decide_the_law_but_not_the_candidates(name: str) -> None:
    """With the same features and any labels, the same rules are possible."""
    learner = LabelPrivateDichotomies(CLASSES[name], ONE)
    features = sample(3, 5).block().cells
    supports = []
    for labels in ([0, 0, 0, 0, 0], [0, 1, 1, 0, 1]):
        records = MemorySample.from_cells(SCHEMA, dict(features), np.array(labels, np.uint8))
        supports.append(frozenset(law(lambda coins, r=records: learner.learn(r, coins))))
    assert supports[0] == supports[1]


def test_a_true_threshold_is_found_from_few_records_on_a_fine_column() -> None:
    """2^32 cells do not matter; with whole records protected a realizable promise needs 628."""
    records = sample(4, 300, lambda cells: cells["a"] >= 2**31)
    learner = LabelPrivateDichotomies(Thresholds(SCHEMA, "a"), ONE)
    proof, _ = learner.certify(Size(300)).accuracy
    assert proof.fact.error < Fraction(1, 10)
    rule = learner.learn(records, SeededCoins(1))
    assert (rule.predict(records.block().cells) != records.block().labels).mean() < 0.05


def test_with_costs_a_member_is_drawn_and_promised_what_whole_records_are() -> None:
    asked = Request(SCHEMA, Size(500), LearnRequest(epsilon=ONE, costs=(1, 3)))
    labels, whole = (
        asked.asking(protect=protect).occam(intervals(SCHEMA, "a")).certify(Size(500))
        for protect in ("labels", "records")
    )
    assert labels.privacy.fact.unit is Unit.LABEL
    assert labels.accuracy == whole.accuracy
