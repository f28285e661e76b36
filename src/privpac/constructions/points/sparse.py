"""Find a value of a column with a set drawn cell by cell: improper, fewest records, up to 2^24 values.

The exponential mechanism over all sets of cells with a product prior; it learns any sparse set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.sparse import SparseSets, require_listable
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points.base import LARGEST_STEP, OneRun, require_summable
from privpac.constructions.points.clipped import FARTHEST, never_worse
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.binomial import mean_over_binomial
from privpac.numbers.exact import ball, first_whole, ratio_for
from privpac.numbers.parameters import Number, chance, positive
from privpac.numbers.rough import Floats, binomial_window
from privpac.numbers.search import first_by_decay
from privpac.theory.occam import GRID
from privpac.theory.register import formula

__all__ = ["SparseAccuracy", "SparsePoints", "plan_sparse", "records_sparse"]

PLACE = 100

# --- How right it is ---


@dataclass(frozen=True)
class SparseAccuracy(AccuracyBound, key="sparse-sets-accuracy"):
    """Every cell enters by itself, with odds f/(1 - f)·r^-(its class-1 minus its class-0 records); the answer errs by
    more than `error` with probability at most the largest, over target masses p ≤ error, of

    m·min(1, f(1 - p)/(error - p)) + (1 - m)·f(1 - p)/error, m = E[1/(1 + f/(1 - f)·r^-B)], B binomial(n, p),

    if one value carries class 1; f = flip, r = ratio.
    """

    flip: Fraction
    ratio: Fraction

    def check(self) -> None:
        need(self.key, 0 < self.flip < 1 and 0 < self.ratio < 1, "flip and ratio must lie in (0, 1)")

    def proves(self, n: int, error: Fraction, failure: Fraction) -> bool:
        odds = ball(self.flip / (1 - self.flip))

        def miss(mass: Fraction) -> arb:
            growth = 1 / ball(self.ratio)
            return mean_over_binomial(lambda power: 1 / (1 + odds * power), n=n, chance=mass, growth=growth)

        return never_worse(miss, heavy=self.flip, noise=self.flip, error=error, failure=failure)


# --- Its parameters ---


@lru_cache(maxsize=256)
def _flips(failure: Fraction) -> tuple[tuple[Fraction, ...], Floats]:
    """Prior probabilities of a cell tried by the search, as parts of the error, and in floats: a failure that is rarer
    than the usual one leaves less to noise."""
    rare = min(Fraction(1), 20 * failure)
    parts = tuple(rare * Fraction(k, 1000) for k in range(4, 41))
    return parts, np.array([float(part) for part in parts])


def _best_flip(n: int, *, error: Fraction, failure: Fraction, epsilon: Fraction) -> tuple[float, Fraction]:
    """The prior with the smallest failure, in floats, at the heaviest target that noise still drowns."""
    wrong, (parts, floats) = float(error), _flips(failure)
    flips = wrong * floats
    counts, chances = binomial_window(n, (wrong - flips) / (1 - flips))
    odds = np.exp(np.minimum(float(epsilon) / 2 * counts, 600.0))
    misses = (chances / (1 + (flips / (1 - flips))[:, None] * odds)).sum(axis=1)
    fails = np.round(misses + (1 - misses) * floats * (1 - wrong), 9)
    at = int(np.argmin(fails))
    return (float(fails[at]), error * parts[at]) if fails[at] < 1 else (1.0, Fraction(0))


def sparsity_for(n: int, *, failure: Fraction, epsilon: Fraction) -> SparseAccuracy:
    """Parameters for `n` records: those with which the search sees the smallest error; any are private."""

    def best(step: int) -> tuple[float, Fraction]:
        return _best_flip(n, error=step * GRID, failure=failure, epsilon=epsilon)

    def enough(step: int) -> bool:
        return step >= LARGEST_STEP or best(step)[0] <= failure

    guess = 24 / float(epsilon * max(n, 1) * GRID)
    step = first_whole(enough, start=min(int(guess), LARGEST_STEP), smallest=1)
    flip = best(step)[1]
    return SparseAccuracy(flip or GRID, ratio_for(epsilon / 2))


def sparsity_at(n: int, *, error: Fraction, failure: Fraction, epsilon: Fraction) -> SparseAccuracy | None:
    """The prior with which `n` records are proved to reach an error; None if the search finds none."""
    fails, flip = _best_flip(n, error=error, failure=failure, epsilon=epsilon)
    sparsity = SparseAccuracy(flip, ratio_for(epsilon / 2))
    holds = fails <= failure and sparsity.proves(n, error, failure)
    return sparsity if holds else None


@formula("sparse-sets-accuracy")
def plan_sparse(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, SparseAccuracy]:
    """Records coordinate Gibbs needs, whatever the domain, and the prior that needs so few.

    Statement: `SparseAccuracy`, searched over the prior. Source: register `sparse-sets-accuracy`.
    Holds if: as `SparseAccuracy`. Proof: docs/proofs/sparse-sets.md.

    >>> plan_sparse(error=0.1, failure=0.05, epsilon=1)[0]
    234
    """
    owner = "plan_sparse"
    wrong, loss = chance(error, owner=owner, name="error"), positive(epsilon, owner=owner, name="epsilon")
    miss = chance(failure, owner=owner, name="failure")

    def hope(n: int) -> float:
        return _best_flip(n, error=wrong, failure=miss, epsilon=loss)[0]

    def is_proved(n: int) -> bool:
        return sparsity_at(n, error=wrong, failure=miss, epsilon=loss) is not None

    guess = int(2 * math.log(float(1 / (wrong * miss * Fraction(1, 50)))) / float(wrong * loss)) + 1
    start = first_by_decay(hope, float(miss), start=guess, most=FARTHEST * guess)
    n = first_whole(is_proved, start=start, smallest=start, step=1)
    flip = _best_flip(n, error=wrong, failure=miss, epsilon=loss)[1]
    return n, SparseAccuracy(flip, ratio_for(loss / 2))


@formula("sparse-sets-accuracy")
def records_sparse(*, error: Number, failure: Number, epsilon: Number) -> int:
    """Records coordinate Gibbs needs: `plan_sparse` without the parameters.

    Statement: as `plan_sparse`. Source: register `sparse-sets-accuracy`. Holds if: as `plan_sparse`.
    Proof: docs/proofs/sparse-sets.md.

    >>> records_sparse(error=0.1, failure=0.05, epsilon=0.5)
    431
    """
    return plan_sparse(error=error, failure=failure, epsilon=epsilon)[0]


# --- The learner ---


@dataclass(frozen=True)
class SparsePoints(OneRun):
    """Draw a set of values, each by itself."""

    schema: Schema
    column: str
    epsilon: Fraction
    sparsity: SparseAccuracy
    failure: Fraction = FAILURE

    name: ClassVar[str] = "sparse points"
    way: ClassVar[str] = "gibbs"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_listable(self.schema, self.column, owner="SparsePoints")

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> SparsePoints:
        """The prior that proves most with this many records."""
        require_summable(size, owner="SparsePoints")
        sparsity = sparsity_for(size.labelled, failure=failure, epsilon=epsilon)
        return cls(schema, column, epsilon, sparsity, failure)

    @property
    def _sets(self) -> SparseSets:
        return SparseSets(self.schema, self.column, self.sparsity.flip)

    def mechanism(self) -> Proof[Privacy]:
        return rules.exponential_mechanism(ratio=self.sparsity.ratio)

    def bounds(self, size: Size) -> Iterator[SparseAccuracy]:
        yield self.sparsity

    def parameters(self, size: Size) -> Mapping[str, object]:
        return {"flip": self.sparsity.flip}

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self._sets.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        evidence = sample.reduce(self._sets.statistic)
        return self._sets.gibbs(evidence, ratio=self.sparsity.ratio, costs=(1, 1)).draw(coins)


# --- What the exact audit runs ---


def sparse_case(
    name: str = "points-gibbs", *, cells: int = 3, n: int = 4, flip: Fraction = Fraction(1, 10)
) -> Case:
    """Sparse sets."""
    schema = tiny_schema(cells)
    learner = SparsePoints(schema, "a", Fraction(1), SparseAccuracy(flip, ratio_for(Fraction(1, 2))))
    return learner_case(name, learner, schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {"points-gibbs": sparse_case}
