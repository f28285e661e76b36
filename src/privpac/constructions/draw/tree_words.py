"""Words for trees, lists and monomials of tests."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.parts import OneTest
from privpac.constructions.base import Learner
from privpac.constructions.request import OWNER, PROTECTS, Builder, Request, Word, count_of
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["WORDS", "one_test"]

PLACE = 40


def one_test(request: Request, rest: str) -> Learner:
    """The learner of `one-test`: the best of all trees with one test."""
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.occam(OneTest(request.schema, tests))


def _trees(request: Request, rest: str) -> Learner:
    return _in_stages(request, rest or "3")


def _in_stages(request: Request, rest: str) -> Learner:
    depths = rest.split("+")
    if not all(map(is_count, depths)):
        form = "trees:3 or staged:3+3"
        raise ParameterError(OWNER, "depth", rest, allowed=f"a whole number as in {form}")
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    return request.staged(tuple(int(depth) for depth in depths), tests)


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
        "one-test", "one test with two different answers", one_test, many_classes=True, leaves=True
    ),
    "trees": Word(
        "trees:DEPTH", "all decision trees up to a depth", _trees, PROTECTS, many_classes=True, leaves=True
    ),
    "staged": Word(
        "staged:D1+D2", "a tree grown in private stages", _in_stages, PROTECTS, many_classes=True, leaves=True
    ),
    "lists": Word("lists:K", "decision lists of up to K tests", _lists, many_classes=True),
    "conjunctions": Word("conjunctions:K", "all of up to K tests", _monomials(Conjunctions)),
    "disjunctions": Word("disjunctions:K", "any of up to K tests", _monomials(Disjunctions)),
}
