"""The words by which people name how a table is released: one table, and the best method for an ordered column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from privpac.constructions.release.block_quantiles import BlockQuantiles
from privpac.constructions.release.blr import ThresholdBLR
from privpac.constructions.release.histogram import PointHistogram
from privpac.constructions.release.quantiles import Quantiles
from privpac.constructions.release.sanitiser import Sanitiser
from privpac.constructions.release.tree_counts import TreeCounts
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, TooFewRecords
from privpac.numbers.exact import plain

__all__ = ["METHODS", "Method", "best_of_column", "sanitiser_for"]

Ordered = TreeCounts | Quantiles | ThresholdBLR | BlockQuantiles


@dataclass(frozen=True)
class Method:
    """What a word means."""

    meaning: str
    build: Callable[..., Sanitiser]
    several: bool = False
    """Whether it takes several columns, the label among them."""
    uses_delta: bool = False


METHODS: dict[str, Method] = {
    "points": Method("counts of combinations of values, of any columns", PointHistogram, several=True),
    "tree": Method("a tree of counts, for thresholds and ranges of an ordered column", TreeCounts),
    "quantiles": Method("private quantiles of an ordered column", Quantiles),
    "blr": Method("a few records that answer all ranges of an ordered column", ThresholdBLR),
    "blocks": Method(
        "private quantiles of an ordered column with many bits, under a delta",
        BlockQuantiles,
        uses_delta=True,
    ),
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
    delta: Fraction = Fraction(0),
) -> Sanitiser:
    """What a word names, built for these public wishes."""
    if method == "auto":
        if len(columns) == 1 and columns[0] in schema.names and schema.column(columns[0]).ordered:
            best = best_of_column(
                schema, columns[0], epsilon=epsilon, failure=failure, records=records, delta=delta
            )
            return _method_for(best, error, records, delta=delta)
        method = "points"
    if method not in METHODS:
        raise ParameterError("release", "method", method, allowed=f"one of auto, {', '.join(METHODS)}")
    if delta and not METHODS[method].uses_delta:
        raise ParameterError(
            "release",
            "delta",
            plain(delta),
            allowed=f"0 for method '{method}'",
            remedy="A delta serves one ordered column, with method blocks or auto.",
        )
    if METHODS[method].several:
        return METHODS[method].build(schema, columns, epsilon, error=error, failure=failure)
    if len(columns) != 1:
        raise ParameterError(
            "release",
            "columns",
            ",".join(columns),
            allowed=f"a single column for method '{method}'",
            remedy="Only points takes several columns.",
        )
    spent = {"delta": delta} if METHODS[method].uses_delta else {}
    return METHODS[method].build(schema, columns[0], epsilon, error=error, failure=failure, **spent)


def _choices(
    schema: Schema,
    column: str,
    epsilon: Fraction,
    *,
    error: Fraction | None,
    failure: Fraction,
    delta: Fraction,
) -> list[Ordered]:
    """Every way to release this column; the ones that spend a delta come last, so that it must pay for itself."""
    pure = (ThresholdBLR, TreeCounts, Quantiles)
    choices: list[Ordered] = [build(schema, column, epsilon, error=error, failure=failure) for build in pure]
    if delta:
        choices.append(BlockQuantiles(schema, column, epsilon, error=error, failure=failure, delta=delta))
    return choices


def _method_for(best: Ordered, error: Fraction | None, records: int, *, delta: Fraction) -> Ordered:
    """The best method for a column, or, if it does not prove the wanted error, the one that needs fewest records."""
    choices = [replace(best, error=error)]
    if error is not None:
        choices += _choices(
            best.schema, best.column, best.epsilon, error=error, failure=best.failure, delta=delta
        )
    sanitisers: dict[int, Ordered] = {}
    for sanitiser in choices:
        try:
            sanitiser.certify(Size(0, records))
            return sanitiser
        except TooFewRecords as refusal:
            sanitisers.setdefault(refusal.needed, sanitiser)
    return sanitisers[min(sanitisers)]


@lru_cache(maxsize=256)
def best_of_column(
    schema: Schema,
    column: str,
    *,
    epsilon: Fraction,
    failure: Fraction,
    records: int,
    delta: Fraction = Fraction(0),
) -> Ordered:
    """The method that promises most about the ranges of an ordered column, from public numbers."""
    choices = _choices(schema, column, epsilon, error=None, failure=failure, delta=delta)

    def error_of(sanitiser: Ordered) -> Fraction:
        answers = sanitiser.certify(Size(0, records)).answers
        return answers[-1].fact.error if answers else Fraction(1)

    return min(choices, key=error_of)
