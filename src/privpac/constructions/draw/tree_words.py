"""Words for trees, lists and monomials of tests."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.request import PROTECTS, Builder, Request, Word, count_of

__all__ = ["WORDS", "one_test"]

PLACE = 40


def one_test(request: Request, rest: str) -> Learner:
    """The learner of `one-test`: the best of all trees with one test."""
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.occam(OneTest(request.schema, tests))


def _trees(request: Request, rest: str) -> Learner:
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.occam(Trees(request.schema, count_of("trees", rest), tests, threads=2))


def _lists(request: Request, rest: str) -> Learner:
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.occam(DecisionLists(request.schema, count_of("lists", rest), tests, threads=2))


def _monomials(kind: type[Conjunctions] | type[Disjunctions]) -> Builder:
    def build(request: Request, rest: str) -> Learner:
        request.require_two_classes(kind.name)
        tests = Binarisation.default(request.schema, n=request.size.labelled)
        return request.occam(kind(request.schema, count_of(kind.name, rest), tests, threads=2))

    return build


WORDS: Mapping[str, Word] = {
    "one-test": Word(
        "one-test",
        "one test with two different answers",
        one_test,
        PROTECTS,
        many_classes=True,
        leaves=True,
    ),
    "trees": Word(
        "trees:DEPTH", "all decision trees up to a depth", _trees, PROTECTS, many_classes=True, leaves=True
    ),
    "lists": Word("lists:K", "decision lists of up to K tests", _lists, PROTECTS, many_classes=True),
    "conjunctions": Word("conjunctions:K", "all of up to K tests", _monomials(Conjunctions), PROTECTS),
    "disjunctions": Word("disjunctions:K", "any of up to K tests", _monomials(Disjunctions), PROTECTS),
}
