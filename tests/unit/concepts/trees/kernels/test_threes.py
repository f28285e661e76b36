"""Sums below three tests: the same numbers as the sums over regions of any size, whichever tests share a column."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.kernels import threes
from privpac.concepts.trees.law import Law
from privpac.concepts.trees.trees import Trees
from tests.unit.tiny import counted, mixed_columns, table


def _law(
    *, n: int = 90, stop: Fraction = Fraction(0), ratio: Fraction = Fraction(4, 5), threads: int = 1
) -> Law:
    """Of trees of depth 4 on nested tests and on tests that exclude each other."""
    schema, block = table(mixed_columns(), n=n, seed=n)
    tests = Binarisation.of(schema, cuts=5)
    weights = tuple(range(1, len(tests.tests) + 1))
    trees = Trees(
        schema, 4, tests, stop=stop, label_prior=(Fraction(1), Fraction(3)), weights=weights, threads=threads
    )
    return trees.law(counted(trees.statistic, block), ratio=ratio, costs=(3, 2))


def _same(found: Law, wanted: Law) -> None:
    for (scores, masses), (want_scores, want_masses) in zip(found._sums, wanted._sums, strict=True):
        assert np.array_equal(scores, want_scores)
        assert np.allclose(masses, want_masses, rtol=1e-12, atol=0.0)


class _AnySize(Law):
    """The law whose sums are made region by region."""

    _by_pairs = False  # type: ignore[assignment]


def _slowly(law: Law) -> Law:
    return _AnySize(law.prior, law.evidence, law.ratio, law.costs)


@pytest.fixture(autouse=True)
def _kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privpac.concepts.trees.law.plainly", lambda _operations: False)
    monkeypatch.setattr("privpac.concepts.trees.law.WORTH_THREADS", 1)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("stop", [Fraction(0), Fraction(1, 4)])
def test_threes_have_the_sums_of_regions(stop: Fraction, threads: int) -> None:
    law = _law(stop=stop, threads=threads)
    assert law._by_pairs
    assert {nested for many, nested in law.columns if many > 1} == {False, True}
    _same(law, _slowly(law))


def test_far_from_the_best_the_second_power_vanishes() -> None:
    law = _law(n=600, ratio=Fraction(1, 512))
    _same(law, _slowly(law))


def test_without_columns_every_region_is_new() -> None:
    law = _law()
    _same(replace(law, columns=()), law)


def test_wrong_columns_are_seen() -> None:
    """Tests of different columns called nested: sums differ, so the comparison above can fail."""
    law = _law()
    wrong = replace(law, columns=((law.prior.tests, True),))
    with pytest.raises(AssertionError):
        _same(wrong, law)


def test_what_two_tests_of_a_column_say_together() -> None:
    column, nested = np.array([0, 0, 1, 1, 2]), np.array([True, True, False, False, True])
    said = {
        (low, high): [
            threes._together(column, nested, low, high, one, two) for two in (0, 1) for one in (0, 1)
        ]
        for low, high in ((0, 1), (2, 3), (1, 2))
    }
    assert said[0, 1] == [threes.LARGER, threes.NEW, threes.EMPTY, threes.SMALLER]
    assert said[2, 3] == [threes.NEW, threes.LARGER, threes.SMALLER, threes.EMPTY]
    assert said[1, 2] == [threes.NEW] * 4
