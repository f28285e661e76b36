"""Trees of several classes in one draw: the law by listing, the floats within their bound, the default that uses it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import Enumeration, SeededCoins, law
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import PartWeights, TreeMixture
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.concepts.trees.trees import Trees
from privpac.errors import ParameterError

SCHEMA = tiny_schema(3)
COARSE = Binarisation.of(SCHEMA, cut_values={"a": [1]})
PARTS = (Trees(SCHEMA, 1, Binarisation.of(SCHEMA), threads=1), Trees(SCHEMA, 2, COARSE, threads=1))
MIXTURE = TreeMixture(PARTS, (1, 2))
RATIO = Fraction(3, 5)
DATA = [(0, 0), (0, 0), (1, 1), (2, 1), (2, 0), (1, 1)]


def _listed(trees: Trees, depth: int) -> Iterator[Tree]:
    if depth == 0:
        yield Leaf(0)
        yield Leaf(1)
        return
    for test in trees.tests.tests:
        for low in _listed(trees, depth - 1):
            for high in _listed(trees, depth - 1):
                yield Split(test, low, high)


def _by_listing(costs: tuple[int, int]) -> dict[Tree, Fraction]:
    block = sample_of(SCHEMA, DATA).block()
    assert block.labels is not None
    price = np.array(costs)[block.labels]
    weights: dict[Tree, Fraction] = {}
    for part, share in zip(PARTS, MIXTURE.shares, strict=True):
        members = list(_listed(part, part.depth))
        for tree in members:
            score = int(price[tree.predict(block.cells) != block.labels].sum())
            weight = Fraction(share, len(members)) * RATIO**score
            weights[tree] = weights.get(tree, Fraction(0)) + weight
    total = sum(weights.values())
    return {tree: weight / total for tree, weight in weights.items()}


@pytest.mark.parametrize("costs", [(1, 1), (1, 3)])
def test_the_law_is_the_listed_law(costs: tuple[int, int]) -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(MIXTURE.statistic)
    found = law(MIXTURE.gibbs(evidence, ratio=RATIO, costs=costs).draw)
    assert found == _by_listing(costs)


def test_statistics_add_up() -> None:
    statistic = MIXTURE.statistic
    whole = sample_of(SCHEMA, DATA).reduce(statistic)
    halves = [sample_of(SCHEMA, part).reduce(statistic) for part in (DATA[:2], DATA[2:])]
    merged = statistic.merge(*halves)
    assert all((a.counts == b.counts).all() for a, b in zip(whole, merged, strict=True))


def test_forced_doubt_decides_as_fractions_do(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = sample_of(SCHEMA, DATA).reduce(MIXTURE.statistic)
    gibbs = MIXTURE.gibbs(evidence, ratio=RATIO, costs=(1, 1))
    weights = gibbs.weights
    exact = weights.exact()
    edge = exact[0] / sum(exact)
    monkeypatch.setattr(PartWeights, "floats", lambda self: (np.ones(2), 1.0))
    for seed in range(300):
        drawn = Fraction(SeededCoins(seed).bits(64), 2**64)
        if abs(drawn - edge) > Fraction(1, 2**60):
            assert SeededCoins(seed).choose(weights) == int(drawn >= edge)


@pytest.mark.long
def test_floats_lie_within_their_bound_on_real_sizes() -> None:
    rng = np.random.default_rng(3)
    schema = tiny_schema(40, 30)
    data = np.c_[rng.integers(0, 40, 3000), rng.integers(0, 30, 3000), rng.integers(0, 2, 3000)]
    mixture = TreeMixture((Trees(schema, 1), Trees(schema, 2, Binarisation.of(schema, cuts=3))), (1, 1))
    evidence = sample_of(schema, [tuple(row) for row in data.tolist()]).reduce(mixture.statistic)
    gibbs = mixture.gibbs(evidence, ratio=Fraction(0.99), costs=(1, 1))
    weights = gibbs.weights
    values, error = weights.floats()
    exact = weights.exact()
    shares = [Fraction(float(v)) / Fraction(float(values.sum())) for v in values]
    gap = sum(abs(a - b / sum(exact)) for a, b in zip(shares, exact, strict=True))
    assert 0 < error < 1e-11
    assert gap <= 2 * Fraction(error)


@pytest.mark.parametrize("share", [2**880, 2**950], ids=["2^880", "2^950"])
def test_parts_that_floats_drop_are_in_the_bound(share: int) -> None:
    """The second part errs three times, beyond the table of powers (2^-930), and has a share that makes up for it."""
    mixture = TreeMixture((PARTS[0], Trees(SCHEMA, 1, COARSE, threads=1)), (1, share))
    records = [(0, 0)] * 3 + [(1, 0)] * 3 + [(2, 1)] * 3  # COARSE has no cut between 1 and 2
    evidence = sample_of(SCHEMA, records).reduce(mixture.statistic)
    weights = mixture.gibbs(evidence, ratio=Fraction(1, 2**310), costs=(1, 1)).weights
    values, error = weights.floats()
    assert values[1] == 0.0
    exact = weights.exact()
    dropped = exact[1] / sum(exact)
    assert dropped > 2.0**-60
    assert error >= 1.0 or dropped <= error
    assert Enumeration().probabilities(weights)[1] == dropped


def test_size_and_odds_count_every_tree() -> None:
    first, second = (len(list(_listed(part, part.depth))) for part in PARTS)
    assert MIXTURE.size == first + second
    assert MIXTURE.odds == max(Fraction(3 * first), Fraction(3 * second, 2)) - 1


def test_shares_must_be_positive() -> None:
    with pytest.raises(ParameterError, match="shares"):
        TreeMixture(PARTS, (1, 0))
