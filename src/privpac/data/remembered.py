"""A sample whose statistics are computed once, however often they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy.typing as npt

from privpac.data.sample import Counted, Indices, InMemory, Sample, Size, Statistic
from privpac.data.schema import Schema

__all__ = ["Remembered"]

S = TypeVar("S")


@dataclass(frozen=True, eq=False, repr=False)
class Remembered:
    """The inner sample; what it was reduced to is kept by statistic, and must not be changed."""

    inner: Sample
    known: dict[object, Any] = field(default_factory=dict)

    @property
    def size(self) -> Size:
        return self.inner.size

    @property
    def schema(self) -> Schema:
        return self.inner.schema

    def reduce(self, statistic: Statistic[S]) -> S:
        if statistic not in self.known:
            self.known[statistic] = self.inner.reduce(statistic)
        state: S = self.known[statistic]
        return state

    def take(self, positions: Indices) -> InMemory:
        return self.inner.take(positions)

    def rest(self, positions: Indices) -> Sample:
        return self.inner.rest(positions)

    def parts(
        self,
        number: Callable[[Mapping[str, npt.NDArray[Any]]], npt.NDArray[Any]],
        count: int,
        *,
        columns: tuple[str, ...],
    ) -> Sequence[Counted]:
        return self.inner.parts(number, count, columns=columns)
