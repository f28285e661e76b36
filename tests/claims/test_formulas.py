"""Every formula on a grid by the names of its parameters: nonsense is refused by name, and more is never worth less.

The values stand in `tests/claims/numbers`; that they are true is held by `@claims` (see `tests/statistical`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from privpac.errors import ParameterError, PrivpacError
from tests.claims import subjects
from tests.claims.table import read
from tests.together import together

TRIED = 4
LESS_IS_BETTER = ("records_", "error_", "excess_", "failure_", "floor_", "least_failure_")
"""What a formula gives, by the beginning of its name, falls where these grow: ..."""
FALLING = ("n", "epsilon", "failure", "error", "excess", "delta")
RISING = ("vc", "size", "domain", "dimension", "cells", "packing", "depth")
"""... and rises with these."""
MORE_IS_BETTER = ("most_success_",)
"""The other way round."""


def tried(name: str) -> list[dict[str, Any]]:
    grid = subjects.asked_of(subjects.formulas()[name]) or {}
    every = list(product(*grid.values()))
    chosen = random.Random(f"tried {name}").sample(every, min(TRIED, len(every)))
    return [dict(zip(grid, one, strict=True)) for one in chosen]


def value(formula: Callable[..., Any], asked: dict[str, Any]) -> Any:
    try:
        return formula(**read(asked))
    except PrivpacError:
        return None


def fitting(name: str) -> tuple[Callable[..., Any], dict[str, Any]] | None:
    """The formula with values that it takes."""
    formula = subjects.formulas()[name]
    return next(((formula, asked) for asked in tried(name) if value(formula, asked) is not None), None)


@together(subjects.formulas)
def test_what_people_write_is_refused_by_name_if_it_is_no_number(name: str) -> None:
    """Parameters that are marked as numbers of people; all others are handed on by formulas and learners."""
    found = fitting(name)
    if found is None:
        return
    formula, asked = found
    for parameter in asked:
        marked = str(formula.__annotations__[parameter])
        for wrong in (-1, float("nan"), "x", *([] if "None" in marked else [None])):
            if marked.startswith("Number"):
                with pytest.raises(ParameterError) as refusal:
                    formula(**{**read(asked), parameter: wrong})
                assert refusal.value.parameter == parameter, (parameter, wrong)


def steps(name: str, parameter: str) -> Iterator[tuple[Any, Any]]:
    """What the formula gives with less and with more of a parameter, all others the same."""
    formula = subjects.formulas()[name]
    values = sorted(subjects.VALUES[parameter], key=Fraction)
    for asked in tried(name):
        found = [value(formula, {**asked, parameter: one}) for one in values]
        numbers = [one for one in found if isinstance(one, int | Fraction) and not isinstance(one, bool)]
        yield from pairwise(numbers)


EXCUSED = {
    (
        "records_prior",
        "epsilon",
    ): "with a tolerance a flatter draw would do better, and the word is free to ask for it",
    (
        "records_vote",
        "epsilon",
    ): "a sharper vote is led astray by fewer models: so many models ask for less epsilon",
    ("floor_mistake_tree", "depth"): "the bound is that of a tree, and a part of it may give a larger one",
}
"""Formulas that are true and worth less with more: what holds must leave."""
NOTHING = Fraction(1, 10**15)
"""A failure below which nobody asks."""


def worth_less(name: str) -> set[tuple[str, str]]:
    """The parameters with more of which the formula promises less somewhere."""
    found: set[tuple[str, str]] = set()
    if not name.startswith((*LESS_IS_BETTER, *MORE_IS_BETTER)):
        return found
    for parameter in subjects.asked_of(subjects.formulas()[name]) or {}:
        rises, falls = parameter in RISING, parameter in FALLING
        for before, after in steps(name, parameter) if rises or falls else ():
            less, more = (before, after) if rises != name.startswith(MORE_IS_BETTER) else (after, before)
            if less > max(more, NOTHING):
                found.add((name, parameter))
    return found


@together(subjects.formulas)
def test_more_is_never_worth_less(name: str) -> None:
    assert worth_less(name) == {key for key in EXCUSED if key[0] == name}
