"""Which check holds which formula to its promise, and proof that the check can fail.

A check claims a formula together with a version of it that promises too much:

    @claims(records_clipped=scaled(0.75), plan_clipped=first(scaled(0.75)))
    def test_clipped_draws() -> None: ...

`test_claims.py` puts that version in the formula's place, in the module of the check, and runs the check again: it
must fail. A theorem is claimed by its key, `clause_counts=scaled(0.9)`, and broken where its formula stands. So a claim
says by how much a formula may overstate before somebody notices, and a check that asserts nothing about a formula
cannot claim it. Parametrized checks name the case to run.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from flint import arb

import tests.statistical
from privpac.constructions.catalogue import formulas, theorems
from privpac.guarantee.theorem import AccuracyBound, ErrorBound, PrivacyBound, Theorem
from privpac.numbers.exact import ball

Function = Callable[..., Any]
Break = Callable[[Function], Function]


@dataclass(frozen=True)
class Claim:
    """A check of one formula, the case it is run with, and what it must notice."""

    formula: str
    check: Function
    case: Mapping[str, Any]
    broken: Break

    @property
    def name(self) -> str:
        return f"{self.formula} in {self.check.__module__.rsplit('.', 1)[-1]}.{self.check.__name__}"


CLAIMS: list[Claim] = []
"""Filled as the modules with checks are imported; `collected()` imports them all."""

ELSEWHERE = (
    "exact.test_few_labels",
    "unit.constructions.clauses.test_formulas",
    "unit.constructions.covers.test_covers",
    "unit.constructions.few_labels.test_boost",
    "unit.constructions.few_labels.test_generic",
    "unit.constructions.points.test_separation_formulas",
    "unit.mechanisms.test_exponential_vote",
    "unit.mechanisms.test_plurality",
    "unit.constructions.prediction.test_formulas",
    "unit.constructions.prediction.test_relabelled_vote",
    "families.test_wrappers",
    "unit.constructions.release.test_formulas",
    "unit.theory.test_vc",
    "unit.constructions.prediction.test_vote",
)
"""Other files with checks of formulas: losses by audit, pure algebra by brute force or from the statement."""


KINDS = (AccuracyBound, ErrorBound, PrivacyBound)
FORMULAS = ("factor", "failure", "proves", "derived")
"""The one formula of a theorem is the first of these that it has."""


def claims(
    case: Mapping[str, Any] | None = None, /, **formulas_broken: Break
) -> Callable[[Function], Function]:
    """The decorated check fails when one of these formulas is replaced by its broken version."""

    def mark(check: Function) -> Function:
        CLAIMS.extend(Claim(name, check, case or {}, broken) for name, broken in formulas_broken.items())
        return check

    return mark


def collected() -> list[Claim]:
    """Every claim of the statistical tests and of `ELSEWHERE`."""
    for module in pkgutil.iter_modules(tests.statistical.__path__):
        import_module(f"tests.statistical.{module.name}")
    for name in ELSEWHERE:
        import_module(f"tests.{name}")
    return CLAIMS


@contextmanager
def breaking(claim: Claim) -> Iterator[None]:
    """The formula is replaced wherever the check's own module names it; the library is left alone. Of a theorem it is
    the one formula that all else is derived from."""
    theorem = theorems().get(claim.formula.replace("_", "-"))
    if theorem is not None:
        with pytest.MonkeyPatch.context() as patch:
            own = theorem.__mro__[: theorem.__mro__.index(Theorem) - 1]
            formula = next(
                name for name in FORMULAS if any(name in vars(part) for part in own if part not in KINDS)
            )
            patch.setattr(theorem, formula, claim.broken(getattr(theorem, formula)))
            yield
        return
    true = formulas()[claim.formula].function
    false = claim.broken(true)
    names = claim.check.__globals__
    before = dict(names)
    for name, value in before.items():
        if value is true:
            names[name] = false
        elif isinstance(value, ModuleType) and vars(value).get(claim.formula) is true:
            names[name] = SimpleNamespace(**{**vars(value), claim.formula: false})
    try:
        yield
    finally:
        names.update(before)


# --- ways to promise too much ---


def changed(change: Callable[[Any], Any]) -> Break:
    """What the formula returns, changed."""
    return lambda true: lambda *args, **asked: change(true(*args, **asked))


def scaled(factor: float | str | Fraction) -> Break:
    """So many times the number: fewer records, a smaller error or epsilon, or a floor that is too high."""
    by = Fraction(str(factor)) if isinstance(factor, float) else Fraction(factor)

    def change(value: Any) -> Any:
        if isinstance(value, arb):
            return value * ball(by)
        return max(1, int(value * by)) if isinstance(value, int) else value * by

    return changed(change)


def moved(by: int | Fraction) -> Break:
    return changed(lambda value: value + by)


def first(broken: Break) -> Break:
    """The first of several numbers, broken."""
    return changed(lambda values: (broken(lambda: values[0])(), *values[1:]))


def field(name: str, broken: Break) -> Break:
    """One field of a plan, broken."""
    return changed(lambda plan: replace(plan, **{name: broken(lambda: getattr(plan, name))()}))


def always(value: Any) -> Break:
    return lambda _: lambda *_args, **_asked: value


def asked(**changes: Callable[[Any], Any]) -> Break:
    """The formula for other arguments than were asked for."""

    def broken(true: Function) -> Function:
        def false(*args: Any, **given: Any) -> Any:
            return true(*args, **{**given, **{name: change(given[name]) for name, change in changes.items()}})

        return false

    return broken
