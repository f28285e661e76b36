"""Bad members in chains: exact failures of small distributions and of hard ones, and runs of the learner itself."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.special import gammaln
from scipy.stats import binom

from privpac.coins import SeededCoins
from privpac.concepts.base import MadeOfCuts
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.chains import Chains
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.constructions.draw.chained import chained_draw
from privpac.constructions.draw.occam import Occam
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee.facts import Against
from privpac.numbers.exact import ratio_for
from privpac.theory.occam import excess_agnostic
from tests.statistical.claims import claims

FAILURE = Fraction(1, 20)


def apart(groups: int) -> Chains:
    return Chains(2, apart=True)


def promised(n: int, odds: int, epsilon: float, chains: Callable[[int], Chains] = apart) -> float:
    found = chained_draw(
        n, chains=chains, odds=Fraction(odds), ratio=ratio_for(Fraction(epsilon) / 2), failure=FAILURE
    )
    return 1.0 if found is None else float(found[1])


def failure_of_one_step(n: int, odds: int, epsilon: float, excess: float) -> float:
    """Every record decides between the best cut and all others, which lie together: exactly, in floats."""
    agree = np.arange(n + 1)
    against = (2 * agree - n) * epsilon / 2 - math.log(odds)
    return float((binom.pmf(agree, n, (1 + excess) / 2) / (1 + np.exp(np.minimum(against, 700)))).sum())


def too_good(true: Callable[..., arb]) -> Callable[..., arb]:
    return lambda bound, n, error: true(bound, n, error * Fraction(5, 4))


@claims(chained_draw=too_good)
def test_the_hardest_single_step_fails_as_rarely_as_promised() -> None:
    bits, epsilon, n = 64, 1, 1_976
    for cells in (bits, 4 * bits):
        found = chained_draw(
            n, chains=apart, odds=Fraction(2**cells), ratio=ratio_for(Fraction(epsilon, 2)), failure=FAILURE
        )
        assert found is not None
        excess = found[0].error(n, FAILURE)
        assert 0 < excess < 1
        assert failure_of_one_step(n, 2**cells, epsilon, float(excess)) <= FAILURE


def test_the_hardest_single_step_at_other_sizes() -> None:
    for bits in (16, 64, 256):
        for epsilon in (0.3, 1.0, 3.0):
            n = int(40 * bits / epsilon)
            excess = promised(n, 2**bits, epsilon)
            assert excess < 1
            assert failure_of_one_step(n, 2**bits, epsilon, excess) <= FAILURE


def failure_of_two_atoms(
    n: int,
    mass: float,
    ones: list[float],
    cuts: list[int],
    epsilon: float,
    excess: float,
    *,
    once: bool = False,
) -> float:
    """All tables of two kinds of records: `cuts` is how many upward cuts lie before, between and behind them.

    With `once` each labelling of the records is drawn once, as the worst of the cuts that give it.
    """
    masses = [mass, 1 - mass]
    probabilities = [m * p for m, p in zip(masses, ones, strict=True)]
    probabilities += [m * (1 - p) for m, p in zip(masses, ones, strict=True)]
    moved = np.concatenate([[0], np.cumsum([m * (2 * p - 1) for m, p in zip(masses, ones, strict=True)])])
    bad = moved > moved.min() + excess + 1e-12
    counts = np.array(np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")).reshape(3, -1)
    counts = counts[:, counts.sum(0) <= n]
    counts = np.vstack([counts, n - counts.sum(0)])
    chance = gammaln(n + 1) - gammaln(counts + 1).sum(0)
    for count, p in zip(counts, probabilities, strict=True):
        chance = chance + (count * math.log(p) if p > 0 else np.where(count > 0, -np.inf, 0.0))
    mistakes = np.vstack([np.zeros(counts.shape[1]), np.cumsum(counts[:2] - counts[2:], axis=0)])
    weight = np.log(np.array([1] * 3 if once else cuts))[:, None] - mistakes * epsilon / 2
    weight = np.exp(weight - weight.max(0))
    worse = np.tile(bad[:, None], weight.shape[1])
    for kind in range(2 * once):  # without records of this kind the cuts on both sides give the same labels
        absent = (counts[kind] + counts[kind + 2] == 0) & (weight[kind] > 0)
        worse[kind + 1, absent] |= worse[kind, absent]
        weight[kind, absent] = 0
    return float((np.exp(chance) * (weight * worse).sum(0) / weight.sum(0)).sum())


def test_no_distribution_of_two_atoms_fails_more_often_than_promised() -> None:
    pick = random.Random(11)
    largest = 0.0
    for _ in range(120):
        n, epsilon = pick.choice([15, 25, 40]), pick.choice([1.0, 3.0, 8.0])
        cuts = [pick.choice([1, 5, 50, 1000]) for _ in range(3)]
        excess = promised(n, sum(cuts) - 1, epsilon)
        if excess >= 1:
            continue
        one_sided = [[1.0, (1 + excess) / 2], [(1 + excess) / 2] * 2, [pick.random(), pick.random()]]
        mass, ones = pick.choice([pick.random(), 1 / n]), pick.choice(one_sided)
        for once in (False, True):
            failed = failure_of_two_atoms(n, mass, ones, cuts, epsilon, excess * 0.999, once=once)
            largest = max(largest, failed)
            assert failed <= FAILURE
    assert largest > FAILURE / 20


def column(name: str, bits: int) -> dict[str, object]:
    return {"name": name, "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}


LINE = Schema.from_json({"label": "y", "columns": [column("x", 12)]})
PLANE = Schema.from_json({"label": "y", "columns": [column("x", 10), column("z", 10)]})


@pytest.mark.parametrize(
    "concepts",
    [Thresholds(LINE, "x"), Thresholds(LINE, "x", "either"), Unions(LINE, "x", 1), Unions(LINE, "x", 2)],
    ids=lambda one: str(one.word),
)
def test_runs_on_noisy_labels_keep_the_promise(concepts: MadeOfCuts) -> None:
    """Labels are coins that lean a little to class 1 in the upper half, whose best rules are worst to tell apart."""
    learner, n, cells, failed, runs = Occam(concepts, Fraction(2)), 400, 2**12, 0, 120
    (promise,) = (p.fact for p in learner.certify(Size(n)).accuracy if p.fact.against is Against.AGNOSTIC)
    assert promise.error < Fraction(2, 3)
    lean, generator, coins = float(promise.error), np.random.default_rng(5), SeededCoins(7)
    ones = np.where(np.arange(cells) >= cells // 2, 0.5 + lean, 0.5 - lean).clip(0, 1)
    best = np.minimum(ones, 1 - ones).mean()
    for _ in range(runs):
        x = generator.integers(0, cells, n)
        labels = (generator.random(n) < ones[x]).astype(np.uint8)
        sample = MemorySample.from_cells(LINE, {"x": x.astype(np.uint64)}, labels)
        answers = learner.learn(sample, coins).predict({"x": np.arange(cells)})
        failed += np.where(answers == 1, 1 - ones, ones).mean() > best + lean
    assert failed <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


def bad_members_are_covered(places: int, each: int, groups: int, shares: list[float]) -> bool:
    """As many sequences of groups of ends as counted, and no group whose inner records have a share of 1/groups."""
    below = np.concatenate([[0.0], np.cumsum(shares)])
    of = np.floor(groups * below * (1 - 1e-12)).astype(int) if groups < places else np.arange(places + 1)
    inner = max(below[of == group].max() - below[of == group].min() for group in set(of.tolist()))
    spans = {
        tuple(sorted(pick)) for pick in np.stack(np.meshgrid(*[of] * each), -1).reshape(-1, each).tolist()
    }
    found = Chains.by_ends([places], each, groups)
    return len(spans) <= found.number and each * inner <= float(found.slack) + 1e-9


def test_ends_in_groups_cover_all_members() -> None:
    generator = np.random.default_rng(2)
    for places in (1, 3, 8, 20):
        for groups in (1, 2, 5, 30):
            shares = generator.dirichlet(np.full(places, 0.3)).tolist()
            assert all(bad_members_are_covered(places, each, groups, shares) for each in (1, 2))


def test_what_classes_say() -> None:
    assert Thresholds(LINE, "x").chains(5) == Chains(2, apart=True)
    assert Thresholds(LINE, "x", "either").chains(5) == Chains(2)
    assert Unions(LINE, "x", 1).chains(5) == Chains(3 * 6 + 1, Fraction(1, 5))
    assert Unions(LINE, "x", 2).chains(5) == Chains(math.comb(9, 4), Fraction(4, 5))
    assert Rectangles(PLANE, ("x", "z")).chains(64) == Chains(math.comb(66, 2) ** 2, Fraction(4, 64))
    assert Rectangles(PLANE, ("x", "z"), bins=8).chains(64) == Chains(math.comb(10, 2) ** 2)
    assert Stumps(PLANE).chains(64) == Chains(2 + 4 * 65, Fraction(1, 64))
    assert Stumps(PLANE).chains(2**20) == Chains(Stumps(PLANE).size)


def test_more_records_and_more_epsilon_never_prove_less() -> None:
    odds = 2**32
    for chains in (apart, Unions(LINE, "x", 1).chains, Unions(LINE, "x", 2).chains):
        by_n = [promised(n, odds, 1.0, chains) for n in range(500, 20_000, 379)]
        assert by_n == sorted(by_n, reverse=True)
        by_epsilon = [promised(3_000, odds, 0.1 * 1.07**k, chains) for k in range(60)]
        assert by_epsilon == sorted(by_epsilon, reverse=True)


def test_long_keys_cost_little() -> None:
    """64 bits at error .1, epsilon 1: a fifth of what counting all members asks for."""
    assert promised(1_977, 2**64, 1.0) <= 0.1 < promised(1_976, 2**64, 1.0)
    assert excess_agnostic(9_423, size=2**64 + 1, failure=FAILURE, epsilon=1) > Fraction(1, 10)
