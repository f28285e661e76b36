"""Whatever a rule makes the checker accepts, by an arithmetic of its own, and no edit that promises more.

Examples are those of every rule of the book. What edits of parameters give is judged one by one in `tests/vectors`: a
step may hold with another number, too.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from privpac.checker.check import check_derivation
from privpac.constructions import catalogue
from privpac.errors import NotCertified, PrivpacError
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound, ErrorBound, PrivacyBound
from tests.claims import subjects, table
from tests.contracts.examples import EXAMPLES
from tests.together import together

CLAIMED = ("rho", "delta", "gamma", "error", "failure")
"""Numbers of a fact of which less is better."""


def test_whatever_a_rule_makes_the_checker_accepts() -> None:
    made = 0
    for rule, premise, where in subjects.varied_rules().values():
        for other in table.variations(where):
            of_its_kind = (
                one for one in subjects.premises().values() if type(one.fact) is type(premise.fact)
            )
            for below in (premise, *of_its_kind):
                try:
                    proof = rule(below, **other)
                except PrivpacError:
                    continue
                assert check_derivation(proof.to_json()) >= 2
                made += 1
    assert made > 50


Call = tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]]


@cache
def calls() -> Mapping[str, Call]:
    """How the example of every rule calls it, overheard; a theorem is called by its fields and its goal."""
    heard: list[tuple[Any, Call]] = []

    def told(prove: Callable[..., Any]) -> Callable[..., Any]:
        def proved(bound: Any, *numbers: Any, **goal: Any) -> Any:
            goal = {**dict(zip(("n",), numbers, strict=False)), **goal}
            whole = {part.name: getattr(bound, part.name) for part in fields(bound)}
            below = {name: value for name, value in whole.items() if isinstance(value, Proof)}
            where = {name: value for name, value in whole.items() if name not in below} | goal

            def rule(*premises: Any, **where: Any) -> Any:
                asked = {name: where.pop(name) for name in goal}
                made = type(bound)(**dict(zip(below, premises, strict=True)), **where)
                return prove(made, **asked)

            rule.__name__ = bound.key.replace("-", "_")
            heard.append((prove(bound, **goal), (rule, tuple(below.values()), where)))
            return heard[-1][0]

        return proved

    def told_at_once(promise: Callable[..., Any]) -> Callable[..., Any]:
        def promised(bound: Any, n: int, failure: Any) -> Any:
            whole = {part.name: getattr(bound, part.name) for part in fields(bound)}

            def rule(n: int, failure: Any, **where: Any) -> Any:
                proofs = promise(type(bound)(**where), n, failure)
                need(bound.key, bool(proofs), "nothing is proved")
                return proofs[0]

            rule.__name__ = bound.key.replace("-", "_")
            proofs = promise(bound, n, failure)
            where = {**whole, "n": n, "failure": failure}
            heard.extend((proof, (rule, (), where)) for proof in proofs)
            return proofs

        return promised

    def overheard(rule: Callable[..., Any]) -> Callable[..., Any]:
        def called(*premises: Any, **where: Any) -> Any:
            heard.append((rule(*premises, **where), (rule, premises, where)))
            return heard[-1][0]

        return called

    with pytest.MonkeyPatch.context() as patch:
        functions = {name: rule for name, rule in catalogue.rules().items() if not isinstance(rule, type)}
        for rule in functions.values():
            listening = overheard(rule)
            for module in list(sys.modules.values()):
                if getattr(module, rule.__name__, None) is rule:
                    patch.setattr(module, rule.__name__, listening)
        for kind in (AccuracyBound, PrivacyBound):
            patch.setattr(kind, "proof", told(kind.proof))
        patch.setattr(ErrorBound, "promise", told_at_once(ErrorBound.promise))
        made = {key: example() for key, example in EXAMPLES.items()}
    return {key: call for key, proof in made.items() for one, call in heard if one is proof}


def test_every_rule_is_overheard() -> None:
    assert set(calls()) == set(EXAMPLES)
    assert {rule.__name__ for rule, _, _ in calls().values()} == set(catalogue.rules())


def others(value: Any) -> Iterator[Any]:
    """The same with another number in it; of plans and the like, with another number in one of their fields."""
    if type(value) in (int, Fraction):
        yield from {type(value)(one) for one in (0, -1, 1, value - 1, value + 1, value / 2, 3 * value)} - {
            value
        }
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            for other in others(getattr(value, field.name)):
                with suppress(PrivpacError):  # refused by itself
                    yield replace(value, **{field.name: other})


@together(EXAMPLES)
def test_with_other_numbers_a_rule_refuses_or_the_checker_accepts(key: str) -> None:
    rule, premises, where = calls()[key]
    for name, value in where.items():
        for other in others(value):
            try:
                proof = rule(*premises, **{**where, name: other})
            except PrivpacError:
                continue
            assert check_derivation(proof.to_json()) >= 1, (name, other)


def accepted(tree: dict[str, Any]) -> bool:
    try:
        return check_derivation(tree) >= 1
    except NotCertified:
        return False


def steps(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for premise in tree.get("premises", ()):
        yield from steps(premise)


@together(EXAMPLES)
def test_a_fact_that_promises_more_is_refused(key: str) -> None:
    tree: dict[str, Any] = EXAMPLES[key]().to_json()
    assert accepted(tree)
    compared = 0
    for name in CLAIMED:
        if Fraction(tree["fact"].get(name, 0)) > 0 and not key.startswith("occam"):
            better = str(Fraction(tree["fact"][name]) * Fraction(9, 10))
            assert not accepted({**tree, "fact": {**tree["fact"], name: better}}), name
            compared += 1
    loss = tree["fact"].get("epsilon")
    if loss is not None:
        less = {"log": str(Fraction(loss["log"]) / 2), "factor": str(1 + (Fraction(loss["factor"]) - 1) / 2)}
        assert not accepted({**tree, "fact": {**tree["fact"], "epsilon": less}})
        compared += 1
    if key.startswith("occam"):  # error and failure are premises of its inequality: it fails outright
        assert not accepted({**tree, "fact": {**tree["fact"], "error": "1/1000", "failure": "1/1000"}})
        compared += 1
    assert compared


@together(EXAMPLES)
def test_a_step_without_one_of_its_parts_is_refused(key: str) -> None:
    tree: dict[str, Any] = EXAMPLES[key]().to_json()
    for number, _ in enumerate(steps(tree)):
        for name in ("rule", "fact", "where", "premises", "assumes"):
            forged = copy.deepcopy(tree)
            step = list(steps(forged))[number]
            if step.get(name):
                kept = step.pop(name)
                assert not accepted(forged), (number, name)
                step[name] = (
                    next(rule for rule in ("sequential", "group") if rule != kept) if name == "rule" else []
                )
                assert not accepted(forged), (number, name)
