"""Half-spaces through the middle, cuts of a cover, references: law against the definition, SQL, refusals."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest

import privpac
from privpac.coins import SeededCoins, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.derived.reference import ByCdf, PublicTable, Uniform, UniformSphere
from privpac.concepts.fitting import misfit
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.halfspace import Halfspace
from privpac.concepts.linear.plane import Halfplanes
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import DataError, NotCertified, ParameterError, SchemaError, SizeError

RATIO = Fraction(2, 3)


def grid(size: int, names: str = "abc") -> Schema:
    columns = [{"name": n, "kind": "numeric", "lower": 0, "upper": size - 1, "integer": True} for n in names]
    return Schema.from_json(
        {"label": "y", "columns": [*columns, {"name": "k", "kind": "categorical", "categories": ["u", "v"]}]}
    )


def sample(schema: Schema, seed: int, n: int) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {c.name: rng.integers(0, c.size, n).astype(c.dtype) for c in schema.columns}
    return MemorySample.from_cells(schema, cells, rng.integers(0, 2, n).astype(np.uint8))


def directions(reach: int, dimension: int) -> list[tuple[int, ...]]:
    return [w for w in product(range(-reach, reach + 1), repeat=dimension) if max(map(abs, w)) == reach]


def price(rule: Halfspace, records: MemorySample, costs: tuple[int, int]) -> int:
    block = records.block()
    wrong = rule.predict(block.cells) != block.labels
    return sum(costs[int(label)] for label in block.labels[wrong])


@pytest.mark.parametrize("columns", ["ab", "abc"])
@pytest.mark.parametrize("size", [2, 3, 5, 8])
@pytest.mark.parametrize("costs", [(1, 1), (3, 2)])
def test_every_direction_has_its_price(columns: str, size: int, costs: tuple[int, int]) -> None:
    schema, reach = grid(size), 3 if columns == "ab" else 2
    concepts = CentredHalfspaces(schema, tuple(columns), reach)
    for seed in range(4):
        records = sample(schema, seed, 7)
        scores = concepts.scores(records.reduce(concepts.statistic), costs=costs)
        listed = Counter(price(concepts.member(w), records, costs) for w in directions(reach, len(columns)))
        histogram = scores.histogram(None)
        assert dict(zip((histogram.best + histogram.steps).tolist(), histogram.counts, strict=True)) == listed
        assert concepts.size == sum(listed.values())
        for score, count in listed.items():
            found = {scores.locate(score, index) for index in range(count)}
            assert len(found) == count
            assert all(price(rule, records, costs) == score for rule in found)


def test_a_member_says_what_a_centred_half_space_says() -> None:
    schema = grid(4)
    concepts = CentredHalfspaces(schema, ("a", "b"), 5)
    block = sample(schema, 1, 40).block()
    x = np.stack([2 * block.cells[name].astype(int) - 3 for name in "ab"], axis=1)
    for w in directions(5, 2):
        assert (concepts.member(w).predict(block.cells) == (x @ np.array(w) >= 0)).all()


def test_the_law_of_the_plane() -> None:
    schema = grid(3)
    concepts, records = CentredHalfspaces(schema, ("a", "b"), 2), sample(grid(3), 3, 4)
    weights = {
        concepts.member(w): RATIO ** price(concepts.member(w), records, (1, 1)) for w in directions(2, 2)
    }
    drawn = law(
        lambda coins: concepts.gibbs(records.reduce(concepts.statistic), ratio=RATIO, costs=(1, 1)).draw(
            coins
        )
    )
    assert drawn == {rule: weight / sum(weights.values()) for rule, weight in weights.items()}


def test_wide_cells_do_not_overflow() -> None:
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": n, "kind": "numeric", "lower": -1, "upper": 1, "missing": 0} for n in "ab"],
        }
    )
    concepts = CentredHalfspaces(schema, ("a", "b"))
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.2, 1.2, (300, 2))
    y = (x[:, 0] > x[:, 1]).astype(int)
    records = MemorySample.of({"a": x[:, 0], "b": x[:, 1]}, schema, y=y)
    rule = concepts.gibbs(records.reduce(concepts.statistic), ratio=Fraction(1, 1000), costs=(1, 1)).draw(
        SeededCoins(1)
    )
    assert (rule.predict(records.block().cells) == y).mean() > 0.98
    assert hypothesis_from_json(json.loads(json.dumps(rule.to_json()))) == rule
    assert misfit(rule, schema) is None
    assert "·a" in rule.describe(schema)
    raw = [*x.tolist(), [None, 0.5], [float("inf"), -2.0]]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (a DOUBLE, b DOUBLE)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", raw)
    answers = [row[0] for row in connection.execute(f"SELECT {rule.to_sql(schema)} FROM t").fetchall()]
    table = {"a": [row[0] for row in raw], "b": [row[1] for row in raw]}
    assert answers == rule.predict(MemorySample.of(table, schema, labelled=False).block().cells).tolist()


def test_integers_as_sql() -> None:
    schema = grid(9)
    rule = CentredHalfspaces(schema, ("a", "b", "c"), 2).member((2, -1, 1))
    cells = sample(schema, 5, 30).block().cells
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (a INT, b INT, c INT)")
    rows = [*zip(*(cells[name].tolist() for name in "abc"), strict=True), (-5, 20, 3)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    answers = [row[0] for row in connection.execute(f"SELECT {rule.to_sql(schema)} FROM t").fetchall()]
    want = rule.predict(
        {name: np.array([min(8, max(0, row[i])) for row in rows], np.uint32) for i, name in enumerate("abc")}
    )
    assert answers == want.tolist()


@pytest.mark.parametrize(
    "tree",
    [
        {"kind": "halfspace", "columns": [], "weights": [], "cutoff": "0"},
        {"kind": "halfspace", "columns": ["a"], "weights": ["1", "2"], "cutoff": "0"},
        {"kind": "halfspace", "columns": ["a", "a"], "weights": ["1", "2"], "cutoff": "0"},
    ],
)
def test_a_malformed_half_space_is_refused(tree: dict[str, object]) -> None:
    with pytest.raises(NotCertified):
        hypothesis_from_json(tree)


def test_categories_are_not_added_up() -> None:
    assert misfit(Halfspace(("a", "k"), (1, 1), 0), grid(3)) is not None


REFUSED = {
    "one column": (lambda: CentredHalfspaces(grid(3), ("a",)), ParameterError, "two to 5"),
    "six columns": (lambda: CentredHalfspaces(grid(3, "abcdef"), tuple("abcdef")), ParameterError, "10\\^9"),
    "categories": (lambda: CentredHalfspaces(grid(3), ("a", "k")), ParameterError, "numeric"),
    "no reach": (lambda: CentredHalfspaces(grid(3), ("a", "b"), 0), ParameterError, "reach"),
    "too many directions": (
        lambda: CentredHalfspaces(grid(3), ("a", "b", "c"), 10**4),
        SizeError,
        "directions",
    ),
    "no cuts": (lambda: Cuts(grid(3), "a"), ParameterError, "cuts"),
    "too many cuts": (lambda: Cuts(grid(3), "a", count=9), ParameterError, "between 1 and 4"),
    "cuts outside": (lambda: Cuts(grid(3), "a", cells=(7,)), ParameterError, "between 0 and 3"),
    "a sphere of one column": (lambda: UniformSphere(grid(3), ("a",)), ParameterError, "two different"),
    "a sphere of categories": (lambda: UniformSphere(grid(3), ("a", "k")), ParameterError, "numeric"),
    "a range of categories": (lambda: Uniform(grid(3), ("k",)), ParameterError, "order"),
    "a falling distribution": (
        lambda: ByCdf(grid(3), "a", (0, Fraction(2, 3), Fraction(1, 3), 1)),
        ParameterError,
        "never falling",
    ),
    "a distribution above 1": (lambda: ByCdf.of(grid(3), "a", lambda x: 7.0), ParameterError, "0 to 1"),
    "an empty table": (lambda: PublicTable(sample(grid(3), 0, 0)), DataError, "without records"),
    "a constant column": (lambda: PublicTable(sample(grid(3), 0, 1)).below("a", 1), SchemaError, "constant"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_sentence(name: str) -> None:
    make, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20, 21])
@pytest.mark.parametrize("up", [True, False])
def test_even_cuts_are_scored_like_thresholds(count: int, up: bool) -> None:
    schema = grid(20)
    cuts = Cuts(schema, "a", count=count, up=up)
    cells = [cuts.cut(i) for i in range(count)]
    assert cells == sorted(cells)
    assert cells[0] >= 0
    assert cells[-1] <= 20
    for seed in range(4):
        records = sample(schema, seed, 9)
        weights: Counter[Threshold] = Counter()
        for cell in cells:
            rule = Threshold("a", cell, up)
            weights[rule] += RATIO ** int(
                (rule.predict(records.block().cells) != records.block().labels).sum()
            )  # type: ignore[assignment]
        evidence = records.reduce(cuts.statistic)
        drawn = law(lambda coins, e=evidence: cuts.gibbs(e, ratio=RATIO, costs=(1, 1)).draw(coins))
        assert drawn == {rule: Fraction(w) / sum(weights.values()) for rule, w in weights.items()}


def test_a_billion_even_cuts_are_runs() -> None:
    schema = Schema.from_json(
        {"label": "y", "columns": [{"name": "a", "kind": "numeric", "lower": 0, "upper": 1}]}
    )
    cuts = Cuts(schema, "a", count=10**9)
    records = MemorySample.of({"a": [0.1, 0.2, 0.7, 0.8]}, schema, y=[0, 0, 1, 1])
    histogram = cuts.scores(records.reduce(cuts.statistic), costs=(1, 1)).histogram(None)
    assert sum(histogram.counts) == 10**9
    assert histogram.counts[0] == pytest.approx(5e8, rel=1e-6)  # no mistakes between 0.2 and 0.7
    rule = cuts.gibbs(records.reduce(cuts.statistic), ratio=Fraction(1, 10**6), costs=(1, 1)).draw(
        SeededCoins(2)
    )
    assert (rule.predict(records.block().cells) == [0, 0, 1, 1]).all()


def test_levels_of_covers_are_what_the_nearest_cut_gives() -> None:
    schema = grid(30)
    table = PublicTable(
        MemorySample.from_cells(schema, {n: sample(schema, 6, 40).block().cells[n] for n in schema.names})
    )
    references = [
        table,
        ByCdf.of(schema, "a", lambda x: (x / 30) ** 2, knots=10),
        Uniform(schema, ("a", "b")),
    ]
    for reference in references:
        for count in (1, 2, 5, 9):
            cuts = Cuts.of_reference(schema, "a", reference, count)
            mass = [reference.below("a", cell) for cell in range(31)]
            worst = max(min(abs(mass[t] - mass[c]) for c in cuts.cells) for t in range(31))
            assert worst <= cuts.level(reference)
        assert reference.below("a", 0) == 0
        assert reference.below("a", 30) == 1
        drawn = reference.draw(50, SeededCoins(1))["a"]
        assert 0 <= int(drawn.min()) <= int(drawn.max()) < 30


def test_draws_follow_their_reference() -> None:
    schema = grid(32)
    linear = ByCdf.of(schema, "a", lambda x: (x / 32) ** 2)
    drawn = linear.draw(4000, SeededCoins(3))["a"].astype(int)
    assert abs((drawn < 16).mean() - 0.25) < 0.04  # six standard deviations
    sphere = UniformSphere(schema, ("a", "b", "c"))
    cells = sphere.draw(3000, SeededCoins(4))
    x = np.stack([2 * cells[n].astype(int) - 31 for n in "abc"], axis=1) / 32
    assert np.abs(np.linalg.norm(x, axis=1) - 1).max() < 0.1
    assert np.abs(x.mean(axis=0)).max() < 0.08
    assert np.abs((x**2).mean(axis=0) - 1 / 3).max() < 0.05
    with pytest.raises(ParameterError, match="Uniform for thresholds"):
        sphere.below("a", 3)


@pytest.mark.parametrize(("concepts", "protect"), [(CentredHalfspaces, "records"), (Halfplanes, "labels")])
def test_models_of_given_classes_verify(concepts, protect: str, tmp_path) -> None:
    schema = grid(9)
    records = sample(schema, 8, 60)
    cells = records.block().cells
    table = {"a": cells["a"], "b": cells["b"], "c": cells["c"], "k": ["u"] * 60}
    model = privpac.learn(
        table,
        schema=schema,
        y=records.block().labels,
        concepts=concepts(schema, ("a", "b")),
        protect=protect,
        epsilon=2,
        random_state=0,
    )
    model.save(tmp_path / "model.json")
    assert privpac.verify(tmp_path / "model.json").rebuilt
