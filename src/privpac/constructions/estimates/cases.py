"""Rows of what `learn` releases beside a rule: estimates of its error, and counts of its leaves."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.coins import Coins
from privpac.constructions.cases import (
    Case,
    Record,
    records_of,
    remembered,
    tiny_schema,
)
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request
from privpac.data.sample import Size
from privpac.guarantee.facts import Privacy
from privpac.request import LearnRequest

__all__ = ["ROWS", "recipe_case"]

PLACE = 20

ONE = Fraction(1)


def _recipe(name: str, n: int, **wishes: Fraction) -> Case:
    schema = tiny_schema(2)
    request = Request(schema, Size(n), LearnRequest(epsilon=ONE))
    return recipe_case(name, lambda size: Recipe("thresholds:a", replace(request, size=size), **wishes), n)


def recipe_case(name: str, recipe: Callable[[Size], Recipe], n: int) -> Case:
    """What `learn` releases: a rule and what was asked for beside it."""
    of_size = lru_cache(maxsize=None)(recipe)
    schema = of_size(Size(n)).request.schema
    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = remembered(schema, data, memory)
        return of_size(sample.size).run(sample, coins)

    def certified(records: int) -> Privacy:
        return of_size(Size(records)).certify().privacy.fact

    return Case(name, run, records_of(schema), n, certified(n), certified=certified)


def _leaf_counts(name: str, protect: str) -> Case:
    """A tree of one test and noisy counts of its leaves, as `learn` releases them."""
    schema = tiny_schema(2)
    request = Request(schema, Size(1), LearnRequest(epsilon=ONE, protect=protect))
    return recipe_case(
        name, lambda size: Recipe("trees:1", replace(request, size=size), leaf_epsilon=Fraction(1, 2)), 1
    )


def _bought_rate() -> Case:
    """A threshold whose costs follow from a noisy count of a class, as `learn` releases both."""
    schema = replace(tiny_schema(2), origin="from_data")
    request = Request(schema, Size(2), LearnRequest(epsilon=ONE))
    return recipe_case(
        "threshold, and how common the classes are",
        lambda size: Recipe("thresholds:a", replace(request, size=size), rate_epsilon=ONE / 2),
        2,
    )


ROWS: Mapping[str, Callable[[], Case]] = {
    "estimate-same-records": lambda: _recipe(
        "threshold and estimate on the same records", 1, estimate_epsilon=Fraction(1, 2)
    ),
    "estimate-holdout": lambda: _recipe(
        "threshold and estimate on a hold-out part",
        2,
        estimate_epsilon=Fraction(1, 2),
        holdout=Fraction(1, 2),
    ),
    "bought-rate": _bought_rate,
    "leaf-counts": lambda: _leaf_counts("tree and counts of its leaves", "records"),
    "leaf-counts-labels": lambda: _leaf_counts("label-private tree and counts of its leaves", "labels"),
}
