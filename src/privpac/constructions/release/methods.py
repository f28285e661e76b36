"""The words by which people name how a table is released: one table, and the best method for an ordered column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from privpac.constructions.release.blr import ThresholdBLR
from privpac.constructions.release.histogram import PointHistogram
from privpac.constructions.release.quantiles import Quantiles
from privpac.constructions.release.sanitiser import Sanitiser
from privpac.constructions.release.tree_counts import TreeCounts
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, TooFewRecords

__all__ = ["METHODS", "Method", "best_of_column", "sanitiser_for"]

Ordered = TreeCounts | Quantiles | ThresholdBLR


@dataclass(frozen=True)
class Method:
    """What a word means."""

    meaning: str
    build: Callable[..., Sanitiser]
    several: bool = False
    """Whether it takes several columns, the label among them."""


METHODS: dict[str, Method] = {
    "points": Method("counts of combinations of values, of any columns", PointHistogram, several=True),
    "tree": Method("a tree of counts, for thresholds and ranges of an ordered column", TreeCounts),
    "quantiles": Method("private quantiles of an ordered column", Quantiles),
    "blr": Method("a few records that answer all ranges of an ordered column", ThresholdBLR),
}
"""'auto' besides: of an ordered column the method with the best promise, otherwise points."""


def sanitiser_for(
    method: str,
    schema: Schema,
    columns: tuple[str, ...],
    *,
    epsilon: Fraction,
    error: Fraction | None,
    failure: Fraction,
    records: int,
) -> Sanitiser:
    """What a word names, built for these public wishes."""
    if method == "auto":
        if len(columns) == 1 and columns[0] in schema.names and schema.column(columns[0]).ordered:
            best = best_of_column(schema, columns[0], epsilon=epsilon, failure=failure, records=records)
            return _wished(best, error, records)
        method = "points"
    if method not in METHODS:
        raise ParameterError("release", "method", method, allowed=f"one of auto, {', '.join(METHODS)}")
    if METHODS[method].several:
        return METHODS[method].build(schema, columns, epsilon, error=error, failure=failure)
    if len(columns) != 1:
        raise ParameterError(
            "release",
            "column",
            ",".join(columns),
            allowed=f"a single column for method '{method}'",
            remedy="Only points takes several columns.",
        )
    return METHODS[method].build(schema, columns[0], epsilon, error=error, failure=failure)


def _wished(best: Ordered, error: Fraction | None, records: int) -> Ordered:
    """The best method for a column, or, if it does not prove the wanted error, the one that needs fewest records."""
    choices = [replace(best, error=error)]
    if error is not None:
        choices += [
            build(best.schema, best.column, best.epsilon, error=error, failure=best.failure)
            for build in (TreeCounts, ThresholdBLR, Quantiles)
        ]
    needed: dict[int, Ordered] = {}
    for sanitiser in choices:
        try:
            sanitiser.certify(Size(0, records))
            return sanitiser
        except TooFewRecords as refused:
            needed.setdefault(refused.needed, sanitiser)
    return needed[min(needed)]


@lru_cache(maxsize=256)
def best_of_column(
    schema: Schema, column: str, *, epsilon: Fraction, failure: Fraction, records: int
) -> Ordered:
    """The method that promises most about the ranges of an ordered column, from public numbers."""
    choices: list[Ordered] = [
        build(schema, column, epsilon, failure=failure) for build in (ThresholdBLR, TreeCounts, Quantiles)
    ]

    def promised(sanitiser: Ordered) -> Fraction:
        answers = sanitiser.certify(Size(0, records)).answers
        return answers[-1].fact.error if answers else Fraction(1)

    return min(choices, key=promised)
