"""Sums over trees: what the kernel makes of regions of two tests is what numpy makes of them, regions of three tests
are regions of two among the records of a third, and the same coins draw the same rule either way."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor
from privpac.concepts.trees import sums as tree_sums
from privpac.concepts.trees.law import Law, Region
from privpac.concepts.trees.prior import Prior, checked_prior
from privpac.concepts.trees.sums import TreeSums, region_counts, region_rows, restrict
from tests.unit.tiny import counted, mixed_columns, table

Choice = tuple[Prior, Cooccurrence, Fraction, tuple[int, ...]]


@st.composite
def laws(draw: st.DrawFn, deepest: int = 3) -> Choice:
    classes, depth = draw(st.integers(2, 4)), draw(st.integers(1, deepest))
    n, seed = draw(st.integers(1, 90)), draw(st.integers(0, 2**32 - 1))
    schema, block = table(mixed_columns(), n=n, classes=classes, seed=seed)
    tests = Binarisation.of(schema, cuts=draw(st.integers(1, 4)))
    many = len(tests.tests)
    shape: Literal["tree", "list"] = draw(st.sampled_from(("tree", "list")))
    labels = draw(st.lists(st.integers(0, 3), min_size=classes, max_size=classes).filter(any))
    weights = draw(st.one_of(st.none(), st.lists(st.integers(1, 9), min_size=many, max_size=many)))
    prior = checked_prior(
        "test",
        "depth",
        shape=shape,
        depth=depth,
        tests=tests,
        stop=draw(st.sampled_from((Fraction(0), Fraction(1, 3)))),
        root_splits=draw(st.booleans()),
        label_prior=tuple(map(Fraction, labels)),
        weights=None if weights is None else tuple(weights),
    )
    evidence = counted(CooccurrenceTensor(tests, depth, classes), block)
    ratio = draw(st.sampled_from((Fraction(3, 7), Fraction(99, 100), Fraction(1, 2**40))))
    costs = tuple(draw(st.sampled_from((1, 2, 10**7, 10**9))) for _ in range(classes))
    return prior, evidence, ratio, costs


def both(choice: Choice) -> tuple[Law, Law]:
    """By numpy alone and by the kernel, their sums made."""
    made = []
    for plain in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tree_sums, "plainly", lambda _operations, plain=plain: plain)
            law = Law(*choice)
            assert law._sums.tables
            made.append(law)
    return made[0], made[1]


def regions(p: int, size: int) -> list[Region]:
    """A few regions of so many tests."""
    sets = list(combinations(range(p), size))
    picked = sets if len(sets) <= 6 else sets[:: len(sets) // 6]
    return [
        tuple(zip(chosen, signs, strict=True))
        for chosen in picked
        for signs in product((False, True), repeat=size)
    ]


def alike(ours: Any, theirs: Any, error: float) -> None:
    for (bases, masses), (wanted, expected) in zip(ours, theirs, strict=True):
        assert np.array_equal(bases, wanted)
        assert np.allclose(masses, expected, rtol=2 * error, atol=0.0)


@settings(deadline=None, max_examples=60)
@given(laws())
def test_the_kernel_sums_what_numpy_does(choice: Choice) -> None:
    plain, kernel = both(choice)
    alike(plain._sums.tables, kernel._sums.tables, max(choice[0].errors))


@settings(deadline=None, max_examples=40)
@given(laws(), st.integers(0, 2**32))
def test_the_same_coins_draw_the_same_rule(choice: Choice, seed: int) -> None:
    plain, kernel = both(choice)
    for left in range(1, choice[0].depth + 1):
        for region in [None, *regions(choice[0].tests, choice[0].depth - left)]:
            ours, theirs = (SeededCoins(seed).choose(law.node(region, left)) for law in (plain, kernel))
            assert ours == theirs


@settings(deadline=None, max_examples=15)
@given(laws(deepest=2))
def test_weights_are_those_of_exact_sums(choice: Choice) -> None:
    law = Law(
        *choice[:3], tuple(min(cost, 3) for cost in choice[3])
    )  # fractions of higher powers are too long
    for left in range(1, choice[0].depth + 1):
        for region in [None, *regions(choice[0].tests, choice[0].depth - left)][:5]:
            weights = law.node(region, left)
            (values, error), exact = weights.floats(), weights.exact()
            if error < 1.0:
                total, whole = sum(exact), float(values.sum())
                shares = np.array([float(weight / total) for weight in exact])
                assert np.abs(values / whole - shares).sum() <= 2 * error + 1e-15


@pytest.mark.parametrize("classes", [2, 3])
def test_regions_of_three_tests_are_regions_of_two_among_some_records(classes: int) -> None:
    schema, block = table(mixed_columns(), n=300, classes=classes, seed=5)
    tests = Binarisation.of(schema, cuts=4)
    p = len(tests.tests)
    prior = checked_prior(
        "test", "depth", shape="tree", depth=4, tests=tests, stop=Fraction(1, 4), root_splits=True,
        label_prior=tuple(map(Fraction, range(1, classes + 1))), weights=tuple(range(1, p + 1)),
    )  # fmt: skip
    evidence = counted(CooccurrenceTensor(tests, 4, classes), block)
    sums = Law(prior, evidence, Fraction(4, 5), (3, 2, 1)[:classes])._sums
    found = sums._bottom(3)
    for c in range(2, p):
        here = slice(8 * comb(c, 3), 8 * comb(c + 1, 3))
        for holds in (False, True):
            counts = restrict(evidence.counts, p, 4, c, holds)
            among = TreeSums(counts, replace(prior, depth=3), sums.costs, sums.table)._bottom(2)
            parts = [
                tuple(values[here].reshape(-1, 2, 4)[:, int(holds)].ravel() for values in one)
                for one in found
            ]
            alike(parts, [tuple(values[: 4 * comb(c, 2)] for values in one) for one in among], 1e-13)


def test_counts_of_regions_are_those_of_records() -> None:
    schema, block = table(mixed_columns(), n=200, classes=3, seed=8)
    tests = Binarisation.of(schema, cuts=2)
    p, evidence = len(tests.tests), counted(CooccurrenceTensor(tests, 4, 3), block)
    passed = [test.holds(block.cells) for test in tests.tests]
    for size in range(4):
        for region in regions(p, size):
            assert region is not None
            there = np.logical_and.reduce([passed[t] == holds for t, holds in region] or [np.ones(200, bool)])
            counts = np.bincount(block.labels[there], minlength=3)
            assert region_counts(evidence.counts, p, region).tolist() == counts.tolist()
            for h, row in enumerate(region_rows(evidence.counts, p, region).T):
                assert row.tolist() == np.bincount(block.labels[there & passed[h]], minlength=3).tolist()
