"""Random hashed sets: exact marginals, kernels against integers, scores, SQL, files."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.concepts.line.stumps import Constant
from privpac.concepts.sets.hash_kernels import _plain, held_gains
from privpac.concepts.sets.hashes import HashedSet, HashFamily, field_for, hashed_scores
from privpac.constructions.points.covered import CoveredPoints
from privpac.data.sample import Size
from privpac.errors import NoSqlForm, ParameterError, SizeError
from tests.unit.point_rules import KINDS, by_database, keys, random_cells, sample_of


@pytest.mark.parametrize(("prime", "below"), [(5, 1), (5, 2), (7, 3)])
def test_cells_are_exactly_pairwise_independent(prime: int, below: int) -> None:
    family = HashFamily("code", prime, below, prime)
    drawn = law(family.draw)
    assert set(drawn.values()) == {Fraction(1, prime**2)}
    cells = {"code": np.arange(prime, dtype=np.uint32)}
    held = np.array([rule.predict(cells) for rule in drawn], dtype=np.int64)
    assert (held.sum(axis=0) == prime * below).all()
    both = held.T @ held
    assert (both[~np.eye(prime, dtype=bool)] == below**2).all()


@pytest.mark.parametrize("holds", [True, False])
def test_conditioned_keys_are_uniform_among_those_that_fit(holds: bool) -> None:
    family = HashFamily("code", 7, 2, 5)
    for cell in range(5):
        fits = [
            HashedSet("code", 7, a, b, 2)
            for a, b in product(range(7), repeat=2)
            if ((a * cell + b) % 7 < 2) == holds
        ]
        drawn = law(lambda coins, at=cell: family.draw_given(at, holds=holds, coins=coins))  # type: ignore[misc]
        assert drawn == dict.fromkeys(fits, Fraction(1, len(fits)))


def test_keys_are_uniform_and_independent() -> None:
    family = HashFamily("code", 3, 1, 2)
    drawn = law(lambda coins: tuple(map(tuple, family.keys(2, coins))))
    assert len(drawn) == 81
    assert set(drawn.values()) == {Fraction(1, 81)}
    first, second = HashFamily.sharing(keys(64), "code", Fraction(1, 400)).keys(100, SeededCoins(1))
    assert len(first) == len(second) == 100
    assert max(first) > 2**62


@pytest.mark.parametrize(
    "prime", [11, 65_537, 2**24 + 43, 2**31 - 1, 3_037_000_493, 2**64 + 13, 2**128 + 51, 2**89 - 1]
)
def test_kernels_agree_with_python_integers(prime: int) -> None:
    generator = np.random.default_rng(prime % 1000)

    def number(limit: int) -> int:
        return int.from_bytes(generator.bytes(40), "little") % limit

    edges = [0, 1, prime - 1, prime - 2, prime // 2, min(prime - 1, 2**64 - 1), min(prime - 1, 2**64)]
    first = [number(prime) for _ in range(200)] + edges
    second = [number(prime) for _ in range(200)] + edges[::-1]
    top = 2 ** (64 if prime < 2**65 else 128) if prime > 2**32 else prime
    top = min(top, prime)
    values = sorted({number(top) for _ in range(150)} | {0, 1, top - 1, top - 2, top // 2})
    array = np.array(values, dtype=object if top > 2**64 else np.uint64)
    gains = generator.integers(-3, 4, len(values))
    for below in (1, prime // 400 + 1, prime // 2):
        found = held_gains(prime, below, (first, second), array, gains)
        assert found.tolist() == _plain(prime, below, first, second, values, gains).tolist()


@pytest.mark.parametrize("prime", [2**64 + 13, 2**128 + 51])
def test_kernels_at_the_edges_of_the_field(prime: int) -> None:
    """Residues next to 0, to the bound and to the end, from products of every size."""
    bits = 64 if prime < 2**65 else 128
    below = prime // 3
    values = [1, 2, 3, 2**bits - 1, 2**bits - 2, 2 ** (bits - 1), 12345678901234567890 % 2**bits]
    array = np.array(values, dtype=np.uint64 if bits == 64 else object)
    gains = np.array([2**i for i in range(len(values))], dtype=np.int64)
    first, second = [], []
    for residue in (
        0,
        1,
        50,
        51,
        52,
        below - 1,
        below,
        below + 1,
        prime - 1,
        prime - 2,
        2**bits - 1,
        2**bits,
    ):
        for x in values:
            for a in (1, 2, 2**bits - 1, prime - 1, prime // 7):
                first.append(a)
                second.append((residue - a * x) % prime)
    found = held_gains(prime, below, (first, second), array, gains)
    assert found.tolist() == _plain(prime, below, first, second, values, gains).tolist()


def test_scores_are_mistakes_of_every_set_and_of_the_empty_one() -> None:
    schema = keys(16)
    family = HashFamily.sharing(schema, "code", Fraction(1, 3))
    cells = random_cells(schema, 40)
    cells[:10] = cells[0]
    labels = (np.arange(40) % 3 == 0).astype(np.uint8)
    drawn = family.keys(60, SeededCoins(2))
    concepts = CoveredPoints(schema, "code", Fraction(1), 60, family).concepts
    scores = hashed_scores(family, drawn, sample_of(schema, cells, labels).reduce(concepts.statistic))
    histogram = scores.histogram(None)
    counted: Counter[int] = Counter()
    for step, count in zip(histogram.steps.tolist(), histogram.counts, strict=True):
        rules = [scores.locate(histogram.best + step, i) for i in range(count)]
        for rule in rules:
            assert int((rule.predict({"code": cells}) != labels).sum()) == histogram.best + step
            counted[isinstance(rule, Constant)] += 1
    assert counted == {False: 60, True: 1}


@pytest.mark.parametrize("bits", [8, 16, 32, 62, 64, 100])
def test_sql_says_what_predict_says(bits: int) -> None:
    schema = keys(bits)
    cells = random_cells(schema, 300)
    cells[0], cells[1] = 0, schema.column("code").size - 1
    rule = HashFamily.sharing(schema, "code", Fraction(1, 3)).draw(SeededCoins(bits))
    if bits == 100:
        with pytest.raises(NoSqlForm):
            rule.to_sql(schema)
        return
    assert by_database(rule, schema, cells, KINDS[bits]) == rule.predict({"code": cells}).tolist()


@pytest.mark.parametrize("bits", [16, 64, 128])
def test_the_target_is_found_and_the_file_reads_back(bits: int) -> None:
    schema = keys(bits)
    cells = random_cells(schema, 300, seed=bits)
    cells[::4] = cells[0]
    labels = (cells == cells[0]).astype(np.uint8)
    learner = CoveredPoints.tuned(schema, "code", epsilon=Fraction(1), size=Size(300))
    rule = learner.learn(sample_of(schema, cells, labels), SeededCoins(bits))
    assert (rule.predict({"code": cells}) == labels).mean() > 0.9
    assert hypothesis_from_json(rule.to_json()) == rule
    assert misfit(rule, schema) is None
    assert rule.describe(schema).startswith("1 if code lies in a random set")


def test_what_does_not_fit_is_refused() -> None:
    assert field_for(2**31 + 1) == 2**64 + 13
    assert field_for(2**130) > 2**130
    with pytest.raises(ParameterError, match="few values"):
        HashFamily.sharing(keys(4), "code", Fraction(1, 400))
    with pytest.raises(ParameterError):
        HashFamily("code", 7, 1, 9)
    with pytest.raises(Exception, match="malformed"):
        hypothesis_from_json(
            {"kind": "hashed-set", "column": "code", "prime": "7", "a": "7", "b": "0", "below": "1"}
        )


@pytest.mark.parametrize("prime", [2**64 + 13, 2**128 + 51])
@pytest.mark.parametrize("below", [1, 12, 13, 52, 2**40, 2**63])
def test_values_near_a_small_bound_are_decided_exactly(prime: int, below: int) -> None:
    """A rough residue tells far values apart; those within a few multiples of 13 or 51 it must not."""
    top = prime - prime % 2**32 - 1
    values = [1, 5, 2**31 + 7, 2**32 - 1, top // 3, top // 7 + 11]
    for kept in (values[:4], values):  # the first ones fit into half a word
        first, second = [], []
        for multiplier in (1, 2, 2**32 + 1, prime // 2, prime - 14, prime - 52):
            for residue in (*range(-60, 61, 4), below - 1, below, below + 13):
                for value in kept:
                    first.append(multiplier)
                    second.append((residue - multiplier * value) % prime)
        array = np.array(kept, dtype=np.uint64 if prime < 2**65 else object)
        gains = np.array([2**i for i in range(len(kept))], dtype=np.int64)
        found = held_gains(prime, below, (first, second), array, gains)
        assert found.tolist() == _plain(prime, below, first, second, kept, gains).tolist()


def test_what_would_take_minutes_after_the_charge_is_refused_before_it() -> None:
    schema = keys(300)
    learner = CoveredPoints.tuned(schema, "code", epsilon=Fraction(1), size=Size(300))
    learner.require(Size(300))
    with pytest.raises(SizeError, match="clipped"):
        learner.require(Size(20_000))
    for bits in (16, 24, 30, 64):
        CoveredPoints.tuned(keys(bits), "code", epsilon=Fraction(1), size=Size(20_000)).require(Size(20_000))
