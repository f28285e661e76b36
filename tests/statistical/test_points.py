"""Every learner of points keeps its accuracy promise: 2,000 data sets, and the exact failure given each of them.

The laws are written down here a second time, for distributions on few values: members of a class matter only through
which of those values they hold. Controls use a quarter of the records, or promises that are too good.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from privpac.constructions.points.clipped import ClippedAccuracy, plan_clipped
from privpac.constructions.points.coded import CodeAccuracy, plan_code
from privpac.constructions.points.covered import CoverAccuracy, plan_cover
from privpac.constructions.points.sampled import (
    Boost,
    SampledAccuracy,
    plan_boosted,
    plan_sampled,
    records_boosted,
)
from privpac.constructions.points.sparse import plan_sparse
from privpac.numbers.exact import ratio_for
from privpac.theory.sizes import records_occam, records_points
from tests.statistical.claims import changed, claims, first, scaled

DATA_SETS = 2000
ERROR, FAILURE, LOSS = 0.1, 0.05, 1.0
ASKED = {"error": ERROR, "failure": FAILURE, "epsilon": LOSS}
SLACK = 3.0
"""Standard errors a mean may lie above the promise before it counts as broken."""

MASSES = {
    "one other value": [0.1001, 0.8999],
    "nine others": [0.1001, *[0.8999 / 9] * 9],
    "a light target": [0.099, 0.06, *[0.841 / 8] * 8],
}
"""The mass of the target, then of other values; all else weighs nothing."""


def draws(masses: list[float], n: int, seed: int) -> NDArray[np.int64]:
    """How often each value occurs, in 2,000 data sets."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n, np.array(masses) / sum(masses), size=DATA_SETS)


def patterns(members: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which of the values a member holds, and how many members hold just those; members are columns."""
    kinds, counts = np.unique(members.T, axis=0, return_counts=True)
    return kinds, counts


def failures(
    counts: NDArray[np.int64],
    masses: list[float],
    kinds: NDArray[np.bool_],
    sizes: NDArray[np.int64],
    *,
    rate: float,
    error: float = ERROR,
) -> NDArray[np.float64]:
    """P[error above the promise | data] of the exponential mechanism over members of these kinds."""
    target = np.zeros(len(masses), dtype=bool)
    target[0] = True
    wrong = kinds != target
    mistakes = counts @ wrong.T
    logs = np.log(sizes) - rate * mistakes
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    bad = wrong @ np.array(masses) > error
    return np.asarray(weights[:, bad].sum(axis=1) / weights.sum(axis=1))


def kept(fails: NDArray[np.float64], promise: float = FAILURE) -> bool:
    return bool(fails.mean() - SLACK * fails.std() / math.sqrt(len(fails)) <= promise)


def broken(fails: NDArray[np.float64], promise: float = FAILURE) -> bool:
    return bool(fails.mean() - SLACK * fails.std() / math.sqrt(len(fails)) > promise)


def singletons(masses: list[float], domain: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The points themselves: each value, and all the others together."""
    kinds = np.vstack([np.eye(len(masses), dtype=bool), np.zeros((1, len(masses)), dtype=bool)])
    return kinds, np.array([*[1] * len(masses), domain - len(masses)], dtype=np.float64)


@pytest.mark.parametrize("d", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("family", MASSES)
def test_proper_draws(d: int, family: str) -> None:
    masses, n = MASSES[family], records_occam(2**d, **ASKED)
    kinds, sizes = singletons(masses, 2**d)
    assert kept(failures(draws(masses, n, d), masses, kinds, sizes, rate=LOSS / 2))
    if family != "a light target":
        assert broken(failures(draws(masses, n // 2, d), masses, kinds, sizes, rate=LOSS / 2))


@pytest.mark.parametrize("d", [8, 16, 32, 64, 128])
def test_the_exact_sum_over_the_extremal_family_is_what_is_simulated(d: int) -> None:
    masses, n = MASSES["one other value"], records_points(2**d, **ASKED)
    kinds, sizes = singletons(masses, 2**d)
    fails = failures(draws(masses, n, 100 + d), masses, kinds, sizes, rate=LOSS / 2)
    assert kept(fails)
    assert fails.mean() > 0.8 * FAILURE


@claims({"d": 16, "family": "one other value"}, plan_clipped=first(scaled(0.75)))
@pytest.mark.parametrize("d", [16, 32, 64, 128])
@pytest.mark.parametrize("family", MASSES)
def test_clipped_draws(d: int, family: str) -> None:
    n, clip = plan_clipped(2**d, **ASKED)
    assert ClippedAccuracy(**vars(clip)).proves(n, Fraction(1, 10), Fraction(1, 20))
    masses, rate = MASSES[family], -math.log(clip.ratio)

    def fails(records: int) -> NDArray[np.float64]:
        scores = np.array([clip.score(int(k)) for k in draws(masses, records, d)[:, 0]])
        others = 2.0**d - 1
        heavy = sum(mass + masses[0] > ERROR for mass in masses[1:])
        bad = others if masses[0] > ERROR else heavy
        return bad / (others + np.exp(rate * scores))

    assert kept(fails(n))
    if family == "one other value":
        assert fails(n).mean() > 0.8 * FAILURE  # the bound is sharp there
        assert broken(fails(n * 3 // 4))


def base_digits(x: int, prime: int, digits: int) -> list[int]:
    return [x // prime**i % prime for i in range(digits)]


@claims({"d": 16, "family": "one other value"}, plan_code=first(scaled(0.5)))
@pytest.mark.parametrize("d", [16, 32, 64])
@pytest.mark.parametrize("family", MASSES)
def test_the_code(d: int, family: str) -> None:
    n, code, tolerated = plan_code(2**d, **ASKED)
    ratio = ratio_for(Fraction(1, 2))
    bound = CodeAccuracy(2**d, code.prime, code.digits, tolerated, ratio)
    assert bound.proves(n, Fraction(1, 10), Fraction(1, 20))
    masses = MASSES[family]
    values = np.random.default_rng(d).integers(0, 2 ** min(d, 62), size=len(masses)).tolist()
    places = np.arange(code.prime)
    answers = np.array(
        [
            sum(
                digit * pow(int(u), i, code.prime)
                for i, digit in enumerate(base_digits(x, code.prime, code.digits))
            )
            % code.prime
            for x in values
            for u in places
        ]
    ).reshape(len(values), code.prime)
    kinds: Counter[tuple[bool, ...]] = Counter()
    for u in places:
        column = answers[:, u]
        for v in set(column.tolist()):
            kinds[tuple((column == v).tolist())] += 1
    empty = tuple([False] * len(values))
    kinds[empty] += code.size - sum(kinds.values())
    held, sizes = np.array(list(kinds)), np.array(list(kinds.values()))
    assert kept(failures(draws(masses, n, d), masses, held, sizes, rate=LOSS / 2))
    if family == "one other value":
        assert broken(failures(draws(masses, n // 3, d), masses, held, sizes, rate=LOSS / 2))


def cover_kinds(values: list[int], keys: int, share: Fraction, seed: int) -> Counter[tuple[bool, ...]]:
    """A random cover over the field of 2^61 - 1 elements."""
    prime = 2**61 - 1
    edge = int(share * prime)
    generator = np.random.default_rng(seed)
    a, b = (generator.integers(0, prime, size=keys).astype(object) for _ in range(2))
    held = np.array([(a * x + b) % prime < edge for x in values], dtype=bool)
    found, counts = patterns(held)
    kinds = Counter({tuple(kind.tolist()): int(count) for kind, count in zip(found, counts, strict=True)})
    kinds[tuple([False] * len(values))] += 1  # the empty set
    return kinds


@pytest.mark.long_cases("a light target", "nine others")
@claims({"family": "one other value"}, plan_cover=first(scaled(0.5)))
@pytest.mark.parametrize("family", MASSES)
def test_the_random_cover(family: str) -> None:
    n, cover = plan_cover(**ASKED)
    bound = CoverAccuracy(cover.keys, cover.share, 64, ratio_for(Fraction(1, 2)))
    assert bound.proves(n, Fraction(1, 10), Fraction(1, 20))
    masses = MASSES[family]
    values = np.random.default_rng(7).integers(0, 2**60, size=len(masses)).tolist()
    fails, few = [], []
    for seed in range(8):
        kinds = cover_kinds(values, cover.keys, cover.share, seed)
        held, sizes = np.array(list(kinds)), np.array(list(kinds.values()))
        fails.append(failures(draws(masses, n, seed)[:250], masses, held, sizes, rate=LOSS / 2))
        few.append(failures(draws(masses, n // 3, seed)[:250], masses, held, sizes, rate=LOSS / 2))
    assert kept(np.concatenate(fails))
    if family == "one other value":
        assert broken(np.concatenate(few))


def noisy_set_fails(
    chance_in: NDArray[np.float64], masses: list[float], flip: float, error: float
) -> NDArray[np.float64]:
    """P[error above the promise] when the target is held with these chances and all others with probability flip."""
    others = np.array(masses[1:])
    fails = np.zeros(len(chance_in))
    for bits in range(2 ** len(others)):
        inside = np.array([bits >> i & 1 for i in range(len(others))], dtype=bool)
        weight = math.prod(flip if bit else 1 - flip for bit in inside)
        noise = float(others[inside].sum())
        fails += weight * (chance_in * (noise > error) + (1 - chance_in) * (noise + masses[0] > error))
    return fails


@claims({"family": "one other value", "epsilon": 1.0}, plan_sparse=first(scaled(0.5)))
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
@pytest.mark.parametrize("family", MASSES)
def test_cell_by_cell(family: str, epsilon: float) -> None:
    n, sparsity = plan_sparse(error=ERROR, failure=FAILURE, epsilon=epsilon)
    assert sparsity.proves(n, Fraction(1, 10), Fraction(1, 20))
    masses, flip = MASSES[family], float(sparsity.flip)

    def fails(records: int) -> NDArray[np.float64]:
        odds = flip / (1 - flip) * np.exp(epsilon / 2 * draws(masses, records, 3)[:, 0])
        return noisy_set_fails(odds / (1 + odds), masses, flip, ERROR)

    assert kept(fails(n))
    if family == "one other value":
        assert broken(fails(n // 2))


@claims({"family": "one other value"}, plan_sampled=first(scaled(0.5)))
@pytest.mark.parametrize("family", MASSES)
def test_one_sampled_run(family: str) -> None:
    promise = 0.5125
    n, draw = plan_sampled(error=ERROR, failure=promise, epsilon=LOSS)
    light = Fraction(1, 20)
    assert SampledAccuracy(draw.rate, draw.flip, light=light).proves(n, Fraction(1, 10), Fraction("0.5125"))
    masses, flip = MASSES[family], float(draw.flip)

    def fails(records: int) -> NDArray[np.float64]:
        seen = 1 - (1 - float(draw.rate)) ** draws(masses, records, 4)[:, 0]
        return noisy_set_fails(seen * (1 - flip) + (1 - seen) * flip, masses, flip, ERROR)

    assert kept(fails(n), promise)
    if family == "one other value":
        assert broken(fails(n // 8), promise)


def an_eighth(plan: tuple[int, Boost]) -> tuple[int, Boost]:
    boost = replace(plan[1], each=plan[1].each // 8, selecting=plan[1].selecting // 8)
    return boost.records, boost


@claims(plan_boosted=changed(an_eighth), records_boosted=scaled("1/8"))
def test_boosted_runs() -> None:
    """Runs are bad by themselves with a known chance; the selection among them is simulated."""
    n, boost = plan_boosted(**ASKED)
    assert n == boost.records <= records_boosted(**ASKED)
    masses, flip, light = MASSES["nine others"], float(boost.draw.flip), float(boost.light)
    missed = Fraction(math.ceil(((FAILURE / 2) ** (1 / boost.runs)) * 10**6), 10**6)
    ratio = ratio_for(Fraction(1, 2))
    tilt = Fraction(math.isqrt(int(boost.tolerated * 10 * 10**12)), 10**6)
    assert float(boost.fails(missed, Fraction(1, 10), max(tilt, ratio))) <= 0.051
    generator = np.random.default_rng(5)
    weights = np.array(masses)
    held = generator.random((DATA_SETS, boost.runs, len(masses))) < flip
    seen = 1 - (1 - float(boost.draw.rate)) ** generator.binomial(
        boost.each, masses[0], (DATA_SETS, boost.runs)
    )
    held[:, :, 0] = generator.random(seen.shape) < seen * (1 - flip) + (1 - seen) * flip
    wrong = held.copy()
    wrong[:, :, 0] = ~wrong[:, :, 0]
    errors = wrong @ weights
    last = generator.multinomial(boost.selecting, weights / weights.sum(), size=DATA_SETS)
    mistakes = np.einsum("ijk,ik->ij", wrong, last)
    scale = np.exp(-LOSS / 2 * (mistakes - mistakes.min(axis=1, keepdims=True)))
    fails = (scale * (errors > ERROR)).sum(axis=1) / scale.sum(axis=1)
    assert kept(fails)
    single = (errors[:, :1] > 2 * light).mean()
    assert single > FAILURE  # one run alone would not do
