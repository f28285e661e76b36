"""Majorities of three signed tests: the law by listing, what belongs to the class, and what a mixture makes of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import law
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees import majority
from privpac.concepts.trees.majority import Majorities, MajorityScores
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.words import concepts_from_json, stored_concepts
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.numbers.exact import ball

SCHEMA = tiny_schema(3, 2, 2)
CLASS = Majorities(SCHEMA, Binarisation.of(SCHEMA), threads=1)
RATIO = Fraction(3, 5)
DATA = [(0, 0, 1, 0), (0, 1, 1, 0), (1, 0, 0, 1), (2, 1, 0, 1), (2, 0, 1, 0), (1, 1, 1, 1), (2, 1, 1, 1)]


def _prices(costs: tuple[int, int]) -> dict[tuple[tuple[int, ...], tuple[bool, ...]], int]:
    """Every set of three tests and signs, scored from the definition: two of three decide."""
    block = sample_of(SCHEMA, DATA).block()
    assert block.labels is not None
    held = [test.holds(block.cells) for test in CLASS.tests.tests]
    price = np.array(costs)[block.labels]
    found = {}
    for chosen in combinations(range(len(held)), 3):
        for signs in product((False, True), repeat=3):
            votes = sum((held[t] == sign).astype(int) for t, sign in zip(chosen, signs, strict=True))
            found[chosen, signs] = int(price[(votes >= 2) != (block.labels == 1)].sum())
    return found


@pytest.mark.parametrize("costs", [(1, 1), (1, 3), (4, 1)])
def test_the_law_is_the_listed_law(costs: tuple[int, int]) -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(CLASS.statistic)
    gibbs = CLASS.gibbs(evidence, ratio=RATIO, costs=costs)
    prices = _prices(costs)
    assert len(prices) == CLASS.size
    total = sum(RATIO**price for price in prices.values())
    assert gibbs.exact() == total / CLASS.size
    block = sample_of(SCHEMA, DATA).block()
    by_price: dict[int, Fraction] = {}
    for tree, share in law(gibbs.draw).items():
        wrong = tree.predict(block.cells) != block.labels
        price = int(np.array(costs)[block.labels][wrong].sum())
        by_price[price] = by_price.get(price, Fraction(0)) + share
    expected = {price: Fraction(0) for price in prices.values()}
    for price in prices.values():
        expected[price] += RATIO**price / total
    assert by_price == expected


def test_every_member_is_the_majority_of_its_tests() -> None:
    domain = list(product(range(3), range(2), range(2)))
    cells = {name: np.array([row[i] for row in domain]) for i, name in enumerate(SCHEMA.names)}
    seen = set()
    for chosen in combinations(range(len(CLASS.tests.tests)), 3):
        for rule in range(8):
            tree = CLASS.member((chosen[0], chosen[1], chosen[2]), rule)
            held = [CLASS.tests.tests[test].holds(cells) for test in chosen]
            signs = [s for s in product((False, True), repeat=3) if _follows(tree.predict(cells), held, s)]
            assert signs
            seen.add(tree)
            assert CLASS.contains(tree)
            assert CLASS.contains_merged(tree.merged())
    assert len(seen) == CLASS.size


def _follows(predicted: np.ndarray, held: list[np.ndarray], signs: tuple[bool, ...]) -> bool:
    votes = sum((h == sign).astype(int) for h, sign in zip(held, signs, strict=True))
    return bool(((votes >= 2) == (predicted == 1)).all())


@pytest.mark.parametrize("categories", [3, 5])
def test_what_merging_leaves_is_recognised_on_one_column(categories: int) -> None:
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [
                {"name": "c", "kind": "categorical", "categories": [f"v{i}" for i in range(categories)]},
                {"name": "x", "kind": "numeric", "lower": 0, "upper": 6, "integer": True},
            ],
        }
    )
    majorities = Majorities(schema, Binarisation.of(schema), threads=1)
    p = len(majorities.tests.tests)
    members = {
        majorities.member((t[0], t[1], t[2]), r).merged() for t in combinations(range(p), 3) for r in range(8)
    }
    assert all(majorities.contains_merged(tree) for tree in members)
    others = [
        Split(test, low, high).merged()
        for test in majorities.tests.tests
        for low in (Leaf(0), Leaf(1))
        for high in (Leaf(0), Leaf(1), Split(majorities.tests.tests[-1], Leaf(0), Leaf(1)))
    ]
    assert [majorities.contains_merged(tree) for tree in others] == [tree in members for tree in others]


def test_prices_beyond_the_table_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(CLASS.statistic)
    scores = CLASS.scores(evidence, costs=(1, 3))
    dense = [scores.histogram(span) for span in (None, 2)]
    monkeypatch.setattr("privpac.concepts.trees.majority.DENSE", 0)
    listed = [scores.histogram(span) for span in (None, 2)]
    for a, b in zip(dense, listed, strict=True):
        assert (a.best, a.steps.tolist(), a.counts, a.beyond) == (
            b.best,
            b.steps.tolist(),
            b.counts,
            b.beyond,
        )
    with pytest.raises(IndexError):
        scores.locate(dense[0].best, dense[0].counts[0])


def test_other_than_two_classes_or_too_few_tests_are_refused() -> None:
    with pytest.raises(ParameterError, match="two classes"):
        Majorities(tiny_schema(3, 3, classes=3))
    with pytest.raises(ParameterError, match="three tests"):
        Majorities(tiny_schema(2, 2))


def test_counts_of_too_few_sets_are_refused() -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(OneTest(SCHEMA).statistic)
    with pytest.raises(ParameterError, match="sets"):
        CLASS.scores(evidence, costs=(1, 1))


def _mixture() -> TreeMixture:
    tests = Binarisation.of(SCHEMA)
    few = Binarisation.of(SCHEMA, cut_values={"a": [1], "b": [1], "c": [1]})
    parts = (
        Constants(SCHEMA, tests),
        OneTest(SCHEMA, tests),
        Trees(SCHEMA, 1, few, threads=1),
        Majorities(SCHEMA, tests, threads=1),
    )
    return TreeMixture(parts, (1, 4, 2, 3))


def _listed(part: object) -> list[Tree]:
    if isinstance(part, Constants):
        return [Leaf(0), Leaf(1)]
    if isinstance(part, OneTest):
        return [part.member(i) for i in range(part.size)]
    if isinstance(part, Trees):
        leaves = [Leaf(0), Leaf(1)]
        return [Split(test, low, high) for test in part.tests.tests for low in leaves for high in leaves]
    assert isinstance(part, Majorities)
    chosen = combinations(range(len(part.tests.tests)), 3)
    return [part.member((a, b, c), rule) for a, b, c in chosen for rule in range(8)]


@pytest.mark.parametrize("costs", [(1, 1), (2, 1)])
def test_a_mixture_of_all_kinds_is_the_listed_law(costs: tuple[int, int]) -> None:
    mixture = _mixture()
    block = sample_of(SCHEMA, DATA).block()
    assert block.labels is not None
    weights: dict[Tree, Fraction] = {}
    for part, share in zip(mixture.parts, mixture.shares, strict=True):
        members = _listed(part)
        assert len(members) == part.size
        assert part.least == Fraction(1, part.size)
        for tree in members:
            price = int(np.array(costs)[block.labels][tree.predict(block.cells) != block.labels].sum())
            weights[tree] = weights.get(tree, Fraction(0)) + Fraction(share, len(members)) * RATIO**price
    evidence = sample_of(SCHEMA, DATA).reduce(mixture.statistic)
    assert len(evidence) == 2  # parts on the same tests share their counts
    total = sum(weights.values())
    found = law(mixture.gibbs(evidence, ratio=RATIO, costs=costs).draw)
    assert found == {tree: weight / total for tree, weight in weights.items()}
    assert all(mixture.contains(tree) and mixture.contains_merged(tree.merged()) for tree in found)


def test_a_mixture_of_all_kinds_is_stored_and_read_back() -> None:
    stored = stored_concepts(_mixture())
    read = concepts_from_json(stored, SCHEMA)
    assert not isinstance(read, str)
    assert stored_concepts(read) == stored
    assert (read.word, read.odds) == (_mixture().word, _mixture().odds)


def test_floats_of_a_mixture_lie_within_their_bound() -> None:
    rng = np.random.default_rng(3)
    schema = tiny_schema(30, 20, 4)
    rows = np.c_[
        rng.integers(0, 30, 900), rng.integers(0, 20, 900), rng.integers(0, 4, 900), rng.integers(0, 2, 900)
    ]
    tests = Binarisation.of(schema, cuts=4)
    parts = (
        Constants(schema, tests),
        OneTest(schema, tests),
        Majorities(schema, tests),
        Trees(schema, 2, tests),
    )
    mixture = TreeMixture(parts, (1, 1, 1, 1))
    evidence = sample_of(schema, [tuple(row) for row in rows.tolist()]).reduce(mixture.statistic)
    weights = mixture.gibbs(evidence, ratio=Fraction(0.97), costs=(1, 2)).weights
    values, error = weights.floats()
    exact = weights.exact()
    shares = [Fraction(float(v)) / Fraction(float(values.sum())) for v in values]
    gap = sum(abs(a - b / sum(exact)) for a, b in zip(shares, exact, strict=True))
    assert 0 < error < 1e-11
    assert gap <= 2 * Fraction(error)
    for found, value in zip(weights.balls(200), exact, strict=True):
        assert found.overlaps(ball(value))
        assert found.rad() < found * 1e-40


def test_scores_are_private() -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(CLASS.statistic)
    assert isinstance(CLASS.scores(evidence, costs=(1, 1)), MajorityScores)
    assert "signed" not in repr(CLASS.scores(evidence, costs=(1, 1)))


@pytest.mark.parametrize("costs", [(1, 1), (3, 2), (10**6, 7), (10**9, 1)])
def test_numpy_finds_the_rules_of_the_kernels(
    costs: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(CLASS.statistic)
    kernels = CLASS.scores(evidence, costs=costs)
    want = {span: kernels.histogram(span) for span in (None, 0, 2)}
    monkeypatch.setattr(majority, "plainly", lambda operations: True)
    plain = CLASS.scores(evidence, costs=costs)
    assert (plain._plain is None) == (plain.everything >= majority.DENSE)
    for span, histogram in want.items():
        ours = plain.histogram(span)
        assert (ours.best, ours.steps.tolist(), ours.counts, ours.beyond) == (
            histogram.best,
            histogram.steps.tolist(),
            histogram.counts,
            histogram.beyond,
        )
    whole = want[None]
    for step, count in zip(whole.steps.tolist(), whole.counts, strict=True):
        for index in {0, count // 2, count - 1}:
            assert plain.locate(whole.best + step, index) == kernels.locate(whole.best + step, index)
