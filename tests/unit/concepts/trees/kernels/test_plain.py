"""Small tables need no compiler: every sum and weight that numpy makes has the bits of the kernels', or, where a kernel
takes a shorter way to the pairs, is the same up to the bound of both; and the same coins draw the same rule."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor
from privpac.concepts.trees import law as tree_law
from privpac.concepts.trees.law import Law, Region
from privpac.concepts.trees.prior import Prior, checked_prior
from tests.unit.tiny import counted, mixed_columns, table

Floats = NDArray[np.float64]
Choice = tuple[Prior, Cooccurrence, Fraction, tuple[int, ...]]


@st.composite
def laws(draw: st.DrawFn) -> Choice:
    classes, depth = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    n, seed = draw(st.integers(1, 90)), draw(st.integers(0, 2**32 - 1))
    schema, block = table(mixed_columns(), n=n, classes=classes, seed=seed)
    tests = Binarisation.of(schema, cuts=draw(st.integers(1, 4)))
    shape: Literal["tree", "list"] = draw(st.sampled_from(("tree", "list")))
    labels = draw(st.lists(st.integers(0, 3), min_size=classes, max_size=classes).filter(any))
    weights = draw(st.one_of(st.none(), st.lists(st.integers(1, 9), min_size=len(tests.tests),
                                                 max_size=len(tests.tests))))  # fmt: skip
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


def both(choice: Choice, monkeypatch: pytest.MonkeyPatch) -> tuple[Law, Law]:
    """By numpy and by the kernels."""
    laws = []
    for plain in (True, False):
        with monkeypatch.context() as patch:
            patch.setattr(tree_law, "plainly", lambda operations, plain=plain: plain)
            law = Law(*choice)
            assert (law._plain is not None) == plain
            assert law._sums
            laws.append(law)
    return laws[0], laws[1]


def regions(p: int, size: int) -> list[Region]:
    """A few regions of so many tests."""
    sets = list(combinations(range(p), size))
    picked = sets if len(sets) <= 6 else sets[:: len(sets) // 6]
    return [
        tuple(zip(chosen, signs, strict=True))
        for chosen in picked
        for signs in product((False, True), repeat=size)
    ]


@settings(deadline=None, max_examples=60)
@given(laws())
def test_sums_and_weights_are_those_of_the_kernels(choice: Choice) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        plain, kernels = both(choice, monkeypatch)
    depth = choice[0].depth
    shorter = depth > tree_law.PAIR and kernels._by_pairs

    def same(ours: Floats, theirs: Floats, error: float) -> bool:
        if shorter:
            return np.allclose(ours, theirs, rtol=2 * error, atol=0.0)
        return ours.tobytes() == theirs.tobytes()

    for ours, theirs, error in zip(plain._sums, kernels._sums, plain.prior.errors, strict=True):
        assert np.array_equal(ours[0], theirs[0])
        assert same(ours[1], theirs[1], error)
    for left in range(1, depth + 1):
        for region in [None, *regions(choice[0].tests, depth - left)]:
            both_ways = plain.node_floats(region, left), kernels.node_floats(region, left)
            assert same(*both_ways, plain.prior.errors[left])


@settings(deadline=None, max_examples=30)
@given(laws(), st.integers(0, 2**32))
def test_the_same_coins_draw_the_same_rule(choice: Choice, seed: int) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        plain, kernels = both(choice, monkeypatch)
    for region in [(), None]:
        for left in range(1, choice[0].depth + 1):
            ours, theirs = (SeededCoins(seed).choose(law.node(region, left)) for law in (plain, kernels))
            assert ours == theirs
