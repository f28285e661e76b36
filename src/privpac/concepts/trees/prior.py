"""Public priors over trees and decision lists, what they imply, and what their sums cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.labellings.members import Members
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import DEEPEST, CooccurrenceTensor, Estimate, require_counts
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import UNIT_ROUNDOFF

__all__ = ["LEAST_MASS", "PAIR_COST", "CountedBySets", "Prior", "checked_prior", "estimate"]

Shape = Literal["tree", "list"]

LEAST_MASS = Fraction(1, 2**400)
"""Trees less likely than this beforehand are left to ball arithmetic: products of floats could underflow."""
DROPPED_MASS = 2.0**-340
"""More than what dropped powers and underflows can add up to, relative to their sums (docs/proofs/tree-sums.md)."""
MOST_BYTES = 2 * 2**30
MOST_SECONDS = 600.0
"""Beyond these a depth is refused beforehand, with the estimate."""
PAIR_COST = 6.0
"""Nanoseconds a pair of leaves costs in the sums, on one core (benchmarks/speed.py)."""


@dataclass(frozen=True)
class Prior:
    """Public probabilities of stopping, of the tests and of the labels."""

    shape: Shape
    depth: int
    weights: tuple[int, ...]
    """Positive integers, one per test."""
    stop: Fraction
    root_splits: bool
    labels: tuple[Fraction, ...]
    """Probabilities that add up to one."""

    @property
    def tests(self) -> int:
        return len(self.weights)

    @property
    def repeat(self) -> int:
        """Options a test: a list asks for a test or its opposite."""
        return 2 if self.shape == "list" else 1

    def stop_at(self, depth: int) -> Fraction:
        return Fraction(0) if self.root_splits and depth == self.depth else self.stop

    def option(self, test: int, depth: int) -> Fraction:
        """The probability of one option (a test, or a literal) at a node with `depth` levels left."""
        return (1 - self.stop_at(depth)) * Fraction(self.weights[test], self.repeat * self._total)

    @cached_property
    def _total(self) -> int:
        return sum(self.weights)

    @property
    def size(self) -> int:
        """How many trees, with their labels, have a positive prior."""
        labels = sum(label > 0 for label in self.labels)
        size = labels
        for depth in range(1, self.depth + 1):
            below = size * size if self.shape == "tree" else labels * size
            size = self.repeat * self.tests * below + (labels if self.stop_at(depth) > 0 else 0)
        return size

    @cached_property
    def least(self) -> Fraction:
        """The smallest positive prior of a tree, with its labels."""
        rarest = min(range(self.tests), key=lambda test: self.weights[test])
        label = min(label for label in self.labels if label > 0)
        least = label
        for depth in range(1, self.depth + 1):
            split = self.option(rarest, depth) * least * (least if self.shape == "tree" else label)
            stop = self.stop_at(depth) * label
            least = min(split, stop) if stop > 0 else split
        return least

    @cached_property
    def floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities of the labels and weights of the tests, for kernels."""
        return np.array([float(label) for label in self.labels]), np.array(self.weights, dtype=np.float64)

    @cached_property
    def factors(self) -> list[tuple[float, float]]:
        """By levels left: the factor of a test's weight when splitting, and the probability to stop."""
        stops = [self.stop_at(depth) for depth in range(self.depth + 1)]
        return [(float((1 - stop) / self._total), float(stop)) for stop in stops]

    @cached_property
    def errors(self) -> list[float]:
        """By levels left: the relative error of a float sum; 1 where floats could underflow."""
        sound = self.least >= LEAST_MASS
        return [self.error(depth) if sound else 1.0 for depth in range(self.depth + 1)]

    def error(self, depth: int) -> float:
        """Relative error of a float sum with `depth` levels, and of the weights of its options.

        Roundings: a leaf converts its label priors (1), looks up powers (2: their error is 2^-52), multiplies
        (1) and adds the labels. A level multiplies two masses (1), a power (3) and a weight (2), adds the
        options, multiplies by a factor (2), aligns (3) and adds the leaf (1). With one level left, what differs
        is summed for every pair of labels and multiplied by their priors and a power: at most six and one for
        each of them in place of those of two leaves.
        """
        leaf = roundings = len(self.labels) + 3
        for level in range(depth):
            below = roundings + (roundings if self.shape == "tree" else leaf)
            if level == 0:
                below = max(below, comb(len(self.labels) + 1, 2) + 6)
            roundings = below + self.repeat * self.tests + 12
        return 1.01 * roundings * UNIT_ROUNDOFF + DROPPED_MASS


def checked_prior(
    owner: str,
    levels: str,
    *,
    shape: Shape,
    depth: int,
    tests: Binarisation,
    stop: Fraction,
    root_splits: bool,
    label_prior: tuple[Fraction, ...] | None,
    weights: tuple[int, ...] | None,
) -> Prior:
    """A prior from public parameters, or an error that names the wrong one."""
    classes = len(tests.schema.classes)
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= DEEPEST:
        raise ParameterError(owner, levels, depth, allowed=f"an integer from 1 to {DEEPEST}")
    if not isinstance(stop, (int, Fraction)) or not 0 <= stop < 1:
        raise ParameterError(owner, "stop", stop, allowed="a Fraction from 0 to below 1")
    labels = (Fraction(1, classes),) * classes if label_prior is None else tuple(map(Fraction, label_prior))
    if len(labels) != classes or min(labels) < 0 or sum(labels) == 0:
        requirement = f"{classes} non-negative weights, one per class, not all 0"
        raise ParameterError(owner, "label_prior", label_prior, allowed=requirement)
    shares = (1,) * len(tests.tests) if weights is None else tuple(weights)
    whole = weights is None or all(isinstance(share, int) and 0 < share < 2**53 for share in shares)
    if len(shares) != len(tests.tests) or not whole:
        requirement = f"{len(tests.tests)} positive integers, one per test"
        raise ParameterError(owner, "weights", weights, allowed=requirement)
    total = sum(labels)
    return Prior(shape, depth, shares, Fraction(stop), root_splits, tuple(label / total for label in labels))


def estimate(tensor: CooccurrenceTensor, n: int, *, pair_cost: float = PAIR_COST) -> Estimate:
    """Time and memory of counting and summing, from public numbers."""
    p, depth = len(tensor.binarisation.tests), tensor.depth
    regions = [comb(p, size) << size for size in range(depth)]
    counting = tensor.estimate(n)
    pairs = sum(regions) * p * max(1, tensor.classes - 1)
    return Estimate(counting.seconds + pairs * pair_cost * 1e-9, counting.bytes + 2 * 16 * sum(regions))


class CountedBySets(Members, ABC):
    """A class of rules over public tests: how many records pass each small set of them is all that it must see."""

    schema: Schema
    binarisation: Binarisation | None
    levels_name: ClassVar[str]
    """What the class calls the largest number of tests in a set, for messages."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many tests a set has at most."""

    @property
    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def _cost(self, levels: int, n: int) -> Estimate: ...

    @cached_property
    def tests(self) -> Binarisation:
        """The tests that were given, or those of the schema."""
        return self.binarisation or Binarisation.of(self.schema)

    @property
    def vc(self) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    def estimate(self, n: int) -> Estimate:
        """Public estimate of time and memory for n records."""
        return self._cost(self.levels, n)

    def require(self, n: int | None) -> None:
        """Refuse, before anything is read, what would not fit in memory or (where n is known) in time; the refusal
        names what does."""
        require_counts(n)

        def fits(levels: int) -> bool:
            need = self._cost(levels, n or 0)
            return need.bytes <= MOST_BYTES and (n is None or need.seconds <= MOST_SECONDS)

        if fits(self.levels):
            return
        name, need = self.levels_name, self._cost(self.levels, n or 0)
        smaller = next((levels for levels in range(self.levels - 1, 0, -1) if fits(levels)), None)
        remedy = "Use fewer cuts or columns." if smaller is None else f"Use {name}={smaller}, or fewer cuts."
        text = f"{need.bytes / 2**30:.1f} GiB" + ("" if n is None else f" and {need.seconds:,.0f} seconds")
        what = f"{type(self).__name__}: {name}={self.levels} with {len(self.tests.tests)} tests"
        raise SizeError(f"{what} needs about {text}.", remedy=remedy)
