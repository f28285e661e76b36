"""Whole tables released: records after which every query of a kind is answered within an error, for any table at all.

They answer another question than the learners, so they are rows of a plan only where a release is asked for
(`--release`); the word then says which queries: points, or thresholds and intervals (ranges) of a column.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.commands import failure_option, python_lines
from privpac.constructions.option import FloorRow, Need, Option, cells_of, fewest
from privpac.constructions.release.block_quantiles import plan_block_quantiles
from privpac.constructions.release.blr import most_listed, plan_candidates, radius_listed
from privpac.constructions.release.histogram import plan_histogram
from privpac.constructions.release.quantiles import plan_quantiles
from privpac.constructions.release.tree_counts import plan_tree
from privpac.constructions.wish import Wish
from privpac.numbers.exact import plain, ratio_for
from privpac.theory import floors

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 90

Proved = Callable[[Wish, int], Fraction]


def _histogram(wish: Wish, n: int) -> Fraction:
    plan = plan_histogram(n, cells=cells_of(wish), ratio=ratio_for(wish.epsilon / 2), failure=wish.failure)
    return Fraction(plan.steps, n)


def _tree(wish: Wish, n: int) -> Fraction:
    plan = plan_tree(n, cells=cells_of(wish), epsilon=wish.epsilon, failure=wish.failure)
    return Fraction(1) if plan is None else Fraction(plan.off, n)


def _quantiles(wish: Wish, n: int) -> Fraction:
    return plan_quantiles(
        n, cells=cells_of(wish), epsilon=wish.epsilon, failure=wish.failure, ratio_of=ratio_for
    ).error


def _blr(wish: Wish, n: int) -> Fraction:
    return plan_candidates(
        n, cells=cells_of(wish), ratio=ratio_for(wish.epsilon / 2), failure=wish.failure
    ).error


def _block_quantiles(wish: Wish, n: int) -> Fraction:
    plan = plan_block_quantiles(
        n, cells=cells_of(wish), epsilon=wish.epsilon, delta=wish.delta, failure=wish.failure
    )
    return Fraction(1) if plan is None else plan.error(n)


def _listing_error(wish: Wish, n: int) -> Fraction:
    cells = cells_of(wish)
    return plan_candidates(
        n,
        cells=cells,
        ratio=ratio_for(wish.epsilon / 2),
        failure=wish.failure,
        radius=lambda points: radius_listed(points, cells=cells, queries=cells),
        most=most_listed(cells, queries=cells),
    ).error


def _row(
    name: str,
    title: str,
    source: str,
    error_of: Proved,
    serves: Callable[[ClassFacts], bool],
    *,
    method: str | None = None,
    pure: bool = True,
    python: Callable[[Wish, Need], str | None] | None = None,
) -> Option:
    def ends(concepts: ClassFacts) -> int:
        """A range has two ends, each off by what is proved of one."""
        return 2 if concepts.kind == "intervals" else 1

    def error(wish: Wish, n: int) -> Fraction | None:
        distance = ends(wish.concepts) * error_of(wish, n)
        return distance if distance < Fraction(1, 2) else None

    def at(wish: Wish, n: int) -> Need | None:
        distance = error(wish, n)
        return Need(n) if distance is not None and distance <= wish.error else None

    def command(wish: Wish, need: Need) -> str | None:
        if method is None:
            return None
        column = wish.concepts.word.partition(":")[2].partition(":")[0] or "COLUMN"
        delta = "" if pure else f" --delta {plain(wish.delta)}"
        return (
            f"privpac release DATA --schema SCHEMA --column {column} --method {method}"
            f" --epsilon {plain(wish.epsilon)} --error {plain(wish.error / ends(wish.concepts))}"
            f"{delta}{failure_option(wish.failure)} --out SYNTHETIC.csv"
        )

    return Option(
        name,
        title,
        source,
        lambda wish: fewest(wish, at, start=1000),
        setting="agnostic",
        serves=serves,
        pure=pure,
        at=at,
        error=error,
        command=command,
        python=python,
        purpose="release",
    )


def _points(concepts: ClassFacts) -> bool:
    return concepts.kind == "points"


def _line(concepts: ClassFacts) -> bool:
    return concepts.kind in ("thresholds", "intervals") and (concepts.cells or 0) >= 2


def _few_values(concepts: ClassFacts) -> bool:
    cells = concepts.cells or 1
    return _points(concepts) and most_listed(cells, queries=cells) > 0


def _listed_python(wish: Wish, need: Need) -> str | None:
    column = wish.concepts.word.partition(":")[2] or "COLUMN"
    return python_lines(
        f'points = tuple(Point("{column}", cell) for cell in range({wish.concepts.cells}))\n'
        f'sanitiser = ListedBLR(schema, ("{column}",), points, Fraction("{plain(wish.epsilon)}"),'
        f' failure=Fraction("{plain(wish.failure)}"))',
        ("privpac.concepts.sets.points", "Point"),
        ("privpac.constructions.release.blr", "ListedBLR"),
    )


OPTIONS: tuple[Option, ...] = (
    _row(
        "histogram",
        "noisy counts of all values, small ones dropped",
        "histogram-answers",
        _histogram,
        _points,
        method="points",
    ),
    _row("tree-counts", "a tree of noisy counts", "tree-answers", _tree, _line, method="tree"),
    _row("quantiles", "medians of medians", "quantile-answers", _quantiles, _line, method="quantiles"),
    _row("threshold-blr", "one draw of a small table", "candidate-answers", _blr, _line, method="blr"),
    _row(
        "block-quantiles",
        "medians of medians, among occupied blocks",
        "block-quantile-answers",
        _block_quantiles,
        _line,
        method="blocks",
        pure=False,
    ),
    # Its queries are rules, which no command line lists: ListedBLR in Python.
    _row(
        "listed-blr",
        "one draw of all small tables",
        "listed-candidates",
        _listing_error,
        _few_values,
        python=_listed_python,
    ),
)


def _counts_records(wish: Wish) -> int:
    """Whether the class asks for counts of points, thresholds or ranges."""
    return floors.floor_point_counts(cells_of(wish), **wish.goal)


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(
        10,
        "floor-point-counts",
        lambda option, wish: option.pure and (wish.concepts.cells or 0) >= 2,
        _counts_records,
        purpose="release",
    ),
)
