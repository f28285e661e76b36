"""Label privacy for single draws: candidates depend on features alone, rules come back to fine cells."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privpac
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins, law
from privpac.concepts.boxes.box import Box
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.derived.regrid import Regrid, covering_edges, most_groups
from privpac.concepts.finite import Finite
from privpac.concepts.line.intervals import Interval, Intervals
from privpac.concepts.line.stumps import Constant, Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Union, Unions
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.trees import Trees
from privpac.constructions.labels.classes import LabelPrivateDichotomies, LabelPrivateGrid, label_private
from privpac.constructions.labels.formulas import label_cuts
from privpac.constructions.labels.trees import PUBLIC_FEATURES
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Unit

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
COLUMN = SCHEMA.column("b")


def sample(seed: int, n: int, rule=None) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {c.name: rng.integers(0, c.size, n).astype(c.dtype) for c in SCHEMA.columns}
    labels = rng.integers(0, 2, n) if rule is None else rule(cells)
    return MemorySample.from_cells(SCHEMA, cells, np.asarray(labels).astype(np.uint8))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.integers(0, 5))
def test_every_cut_is_close_to_an_edge_and_edges_are_few(values, spacing):
    cells = {"b": np.array(values, dtype=COLUMN.dtype)}
    records = MemorySample.from_cells(
        SCHEMA, {"a": np.zeros(len(values), np.uint32), "c": np.zeros(len(values), np.uint32), **cells}
    )
    edges = covering_edges(COLUMN, records, spacing=spacing)
    assert list(edges) == sorted(set(edges))
    assert len(edges) + 1 <= most_groups(len(values), spacing)
    below = [sum(v < cut for v in values) for cut in (0, *edges, COLUMN.size)]
    for cut in range(COLUMN.size + 1):
        own = sum(v < cut for v in values)
        assert min(abs(own - rank) for rank in below) <= spacing


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.integers(0, 30), min_size=1, max_size=40), spacing=st.integers(0, 3))
def test_cuts_and_ends_are_no_more_than_the_statement_says(values: list[int], spacing: int) -> None:
    """Both ends count: the register once had one cut for two records and a spacing of one, where the ends are two."""
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "b", "kind": "numeric", "lower": 0, "upper": 60, "integer": True}],
        }
    )
    for own, ties in ((values, True), (sorted(set(values)), False)):
        n = len(own)
        records = MemorySample.of({"b": [v + 1 for v in own]}, schema, y=[0] * n)
        edges = covering_edges(schema.column("b"), records, spacing=spacing)
        assert len(edges) + 2 <= max(2, label_cuts(n, spacing=spacing, ties=ties))


def test_repeated_values_may_need_an_edge_each() -> None:
    """All values twice: every second rank exists, so an edge serves two ranks and not three."""
    values = np.repeat(np.arange(15), 2).astype(COLUMN.dtype)
    zeros = np.zeros(30, np.uint32)
    records = MemorySample.from_cells(SCHEMA, {"a": zeros, "b": values, "c": zeros})
    edges = covering_edges(COLUMN, records, spacing=1)
    assert len(edges) == 14 > -(-31 // 3)


def test_rules_come_back_to_the_fine_cells() -> None:
    grid = Regrid(SCHEMA, (("a", (100, 2**31)), ("b", (5, 9, 20))))
    records = sample(1, 200)
    coarse = {name: grid.cells(name, records.block().cells[name]) for name in SCHEMA.names}
    rules = [
        *(Threshold("b", cut, up) for cut in range(5) for up in (True, False)),
        *(Interval("b", low, high) for low in range(5) for high in range(low, 5)),
        Union("b", ((0, 1), (2, 4)), 1),
        Box(("a", "b"), (1, 0), (3, 2)),
        Box(("a", "b"), (0, 0), (0, 0)),
        Constant(1),
    ]
    for rule in rules:
        fine = grid.fine(rule)
        assert (fine.predict(records.block().cells) == rule.predict(coarse)).all(), rule
    assert [column.size for column in grid.coarse.columns] == [3, 4, 3]


CLASSES = {
    "thresholds": Thresholds(SCHEMA, "a"),
    "either": Thresholds(SCHEMA, "a", "either"),
    "intervals": Intervals(SCHEMA, "a"),
    "unions": Unions(SCHEMA, "b", intervals=2),
    "rectangles": Rectangles(SCHEMA, ("a", "b")),
    "stumps": Stumps(SCHEMA),
    "points": Points(SCHEMA, "b"),
    "finite": Finite(SCHEMA, ("a >= 0.5", "b > 9", "c == 'u'")),
}


@pytest.mark.parametrize("name", CLASSES)
def test_certificates_speak_of_labels_and_check(name: str) -> None:
    learner = label_private(CLASSES[name], epsilon=ONE)
    certificate = learner.certify(Size(2000))
    assert certificate.privacy.fact.unit is Unit.LABEL
    assert certificate.assumptions == (PUBLIC_FEATURES,)
    assert check_certificate(certificate.to_json()) >= 3
    (proof,) = certificate.accuracy
    assert proof.fact.error < Fraction(1, 3)
    assert proof.rule == ("label-thresholds" if name == "thresholds" else "label-cover")
    assert learner.outcomes == CLASSES[name].size


@pytest.mark.parametrize("name", CLASSES)
def test_labels_decide_the_law_but_not_the_candidates(name: str) -> None:
    """With the same features and any labels, the same rules are possible."""
    learner = label_private(CLASSES[name], epsilon=ONE)
    features = sample(3, 5).block().cells
    supports = []
    for labels in ([0, 0, 0, 0, 0], [0, 1, 1, 0, 1]):
        records = MemorySample.from_cells(SCHEMA, dict(features), np.array(labels, np.uint8))
        supports.append(frozenset(law(lambda coins, r=records: learner.learn(r, coins))))
    assert supports[0] == supports[1]


def test_a_true_threshold_is_found_from_few_records_on_a_fine_column() -> None:
    """2^32 cells do not matter; with whole records protected a realizable promise needs 628."""
    records = sample(4, 300, lambda cells: cells["a"] >= 2**31)
    learner = LabelPrivateGrid(Thresholds(SCHEMA, "a"), ONE)
    (proof,) = learner.certify(Size(300)).accuracy
    assert proof.fact.error < Fraction(1, 10)
    rule = learner.learn(records, SeededCoins(1))
    assert (rule.predict(records.block().cells) != records.block().labels).mean() < 0.05


def test_costs_are_prices_without_a_promise() -> None:
    learner = LabelPrivateGrid(Stumps(SCHEMA), ONE, costs=(1, 3))
    certificate = learner.certify(Size(500))
    assert certificate.accuracy == ()
    assert check_certificate(certificate.to_json()) == 3


def test_constant_columns_and_single_records() -> None:
    zeros = np.zeros(4, np.uint32)
    records = MemorySample.from_cells(
        SCHEMA, {"a": zeros, "b": zeros, "c": zeros}, np.array([1, 1, 1, 0], np.uint8)
    )
    for concepts in CLASSES.values():
        assert label_private(concepts, epsilon=ONE).learn(records, SeededCoins(1)) is not None


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: LabelPrivateGrid(Points(SCHEMA, "b"), ONE), ParameterError, "cuts in ordered columns"),
        (lambda: LabelPrivateGrid(Stumps(SCHEMA), Fraction(0)), ParameterError, "positive"),
        (lambda: LabelPrivateDichotomies(Points(SCHEMA, "b"), Fraction(0)), ParameterError, "positive"),
        (
            lambda: LabelPrivateDichotomies(Trees(replace(SCHEMA, classes=("a", "b", "c")), 1), ONE),
            ParameterError,
            "labellings of given points",
        ),
        (
            lambda: label_private(Points(SCHEMA, "b"), epsilon=ONE, costs=(1, 2)),
            ParameterError,
            "equal costs",
        ),
        (lambda: LabelPrivateGrid(Stumps(SCHEMA), ONE).certify(Size(0)), SizeError, "at least one"),
        (
            lambda: LabelPrivateDichotomies(Points(SCHEMA, "b"), ONE).certify(Size(0)),
            SizeError,
            "at least one",
        ),
    ],
)
def test_refused(make, error, words) -> None:
    with pytest.raises(error, match=words):
        make()


def test_class_objects_may_be_given_with_labels_protected(tmp_path) -> None:
    rng = np.random.default_rng(0)
    table = {
        "a": rng.uniform(0, 1, 200),
        "b": rng.integers(0, 31, 200),
        "c": rng.choice(["u", "v", "w"], 200),
    }
    labels = (table["b"] > 12).astype(int)
    for concepts in (Stumps(SCHEMA), CLASSES["finite"]):
        model = privpac.learn(
            table, schema=SCHEMA, y=labels, concepts=concepts, epsilon=2, protect="labels", random_state=0
        )
        model.save(tmp_path / "model.json")
        assert privpac.verify(tmp_path / "model.json").rebuilt
