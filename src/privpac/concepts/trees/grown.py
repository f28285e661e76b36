"""What trees and decision lists share: rules grown test by test under a public prior, summed by `tree_law`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from privpac.concepts.base import Costs, ManyLabels
from privpac.concepts.labellings.members import Members
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor, Estimate
from privpac.concepts.trees.law import Law
from privpac.concepts.trees.prior import Prior, Shape, checked_prior, estimate, refuse_beyond
from privpac.data.schema import Schema

__all__ = ["Grown"]


class Grown(Members, ManyLabels, ABC):
    """The public facts of a class of grown rules; a subclass is a frozen dataclass with these fields.

    `stop` is the prior probability that growth ends at a node (the first, too, unless `root_splits`), `label_prior` the
    prior of the classes where it ends, `weights` positive integers, how likely each test is; all public.
    """

    shape: ClassVar[Shape]

    schema: Schema
    binarisation: Binarisation | None
    stop: Fraction
    root_splits: bool
    label_prior: tuple[Fraction, ...] | None
    weights: tuple[int, ...] | None
    threads: int

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many tests in a row are asked at most."""

    @property
    def levels_name(self) -> str:
        """What the subclass calls its number of levels, for messages."""
        return "depth" if self.shape == "tree" else "length"

    @property
    def word(self) -> str:
        return f"{self.shape}s:{self.levels}"

    def __post_init__(self) -> None:
        _ = self.prior  # refuses parameters that make none
        self.require(None)

    @cached_property
    def tests(self) -> Binarisation:
        return self.binarisation or Binarisation.of(self.schema)

    @cached_property
    def prior(self) -> Prior:
        return checked_prior(
            type(self).__name__, self.levels_name, shape=self.shape, depth=self.levels, tests=self.tests,
            stop=self.stop, root_splits=self.root_splits, label_prior=self.label_prior, weights=self.weights,
        )  # fmt: skip

    @property
    def size(self) -> int:
        return self.prior.size

    @property
    def odds(self) -> Fraction:
        return 1 / self.prior.least - 1

    @property
    def vc(self) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    @property
    def statistic(self) -> CooccurrenceTensor:
        return self._tensor(self.levels)

    def _tensor(self, levels: int) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, levels, len(self.schema.classes), self.threads)

    def _cost(self, levels: int, n: int) -> Estimate:
        return estimate(self._tensor(levels), n)

    def estimate(self, n: int) -> Estimate:
        """Public estimate of time and memory for n records."""
        return self._cost(self.levels, n)

    def require(self, n: int | None) -> None:
        """Refuse, before anything is read, what would not fit in memory or (where n is known) in time."""
        refuse_beyond(type(self).__name__, self.levels_name, self.levels, self.prior.tests, self._cost, n=n)

    def _has(self, test: Test) -> bool:
        return test in self._test_set

    @cached_property
    def _test_set(self) -> frozenset[Test]:
        return frozenset(self.tests.tests)

    def _labels(self, label: int) -> bool:
        """Whether a leaf could ever have this label."""
        return 0 <= label < len(self.prior.labels) and self.prior.labels[label] > 0

    def law(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> Law:
        columns = tuple((len(group.cells), group.nested) for group in self.tests.groups)
        return Law(self.prior, evidence, ratio, tuple(costs), self.threads, columns)
