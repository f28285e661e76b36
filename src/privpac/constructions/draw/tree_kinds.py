"""Trees, lists and what else is made of yes-or-no tests, in public numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from privpac.constructions.class_facts import OWNER, ClassFacts, Description, Kinds
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]

PLACE = 4


def _one_test(rest: str, description: Description) -> ClassFacts:
    tests, classes = description.number_of_tests("one-test"), description.number_of_classes()
    return _of_tests("one-test", 1, tests * classes * (classes - 1), tests, description)


def _trees(rest: str, description: Description) -> ClassFacts:
    levels = _levels("trees", rest)
    tests, leaves = description.number_of_tests("trees"), 2**levels
    size = tests ** (leaves - 1) * description.number_of_classes() ** leaves
    # With a question of its own on every level, the leaves of a full tree can be labelled in every way.
    return _of_tests(
        "trees", levels, size, tests, description, 2 ** min(levels, description.number_of_columns())
    )


def _lists(rest: str, description: Description) -> ClassFacts:
    levels, tests, classes = (
        _levels("lists", rest),
        description.number_of_tests("lists"),
        description.number_of_classes(),
    )
    return _of_tests("lists", levels, classes * (2 * tests * classes) ** levels, tests, description)


def _monomials(kind: str) -> Callable[[str, Description], ClassFacts]:
    def facts(rest: str, description: Description) -> ClassFacts:
        levels, tests = _levels(kind, rest), description.number_of_tests(kind)
        size = sum(math.comb(tests, k) << k for k in range(levels + 1))
        return _of_tests(kind, levels, size, tests, description)

    return facts


def _levels(word: str, rest: str) -> int:
    levels = int(rest or 3) if is_count(rest or "3") else 0
    if not 1 <= levels <= 4:
        raise ParameterError(
            OWNER,
            "concepts",
            f"{word}:{rest}",
            allowed=f"{word}:1 to {word}:4",
            remedy="Deeper ones: auto.",
        )
    return levels


def _of_tests(
    kind: str, levels: int, size: int, tests: int, description: Description, shatters: int = 1
) -> ClassFacts:
    word = f"{kind}:{levels}" if kind != "one-test" else kind
    facts = ClassFacts.of_tests(word, kind, size, tests, levels, named=description.named)
    return replace(facts, shatters=min(shatters, facts.vc), labels=description.number_of_classes())


KINDS: Kinds = {
    "one-test": ("one-test --columns C", _one_test),
    "trees": ("trees:DEPTH --columns C", _trees),
    "lists": ("lists:K --columns C", _lists),
    "conjunctions": ("conjunctions:K --columns C", _monomials("conjunctions")),
    "disjunctions": ("disjunctions:K --columns C", _monomials("disjunctions")),
}
