"""`auto`: the default classifier, chosen by n, epsilon and the schema alone.

The second design. Up to n·epsilon 5,000 it is one draw from everything that may suit a table, under one public prior:
half of it on one test with two different answers, a quarter each on majorities of three tests and on trees of depth 3,
on both scales of cuts, and a little on constants. The records decide inside the draw which of these it is; nothing is
looked up beforehand, and the price is the logarithm of a share in the accuracy bound. Up to 100 rules of three tests
are left out, above 5,000 a tree is grown in stages. `auto:1` is the first design, which chose one class on evenly
spaced cuts by bands of n·epsilon; documents that it wrote name it `auto`, and are verified with it
(`constructions.stored_classes`).

Every constant was judged by leaving out one table at a time (benchmarks/accuracy/README.md).
Tested by tests/unit/constructions/draw/test_default.py and tests/exact/ (rows `auto-mixture`, `staged-mixture`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import CooccurrenceTensor
from privpac.concepts.literals.scales import on_each_scale
from privpac.concepts.trees.constants import Constants
from privpac.concepts.trees.majority import VOTERS, Majorities
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.one_test import OneTest
from privpac.concepts.trees.parts import TreePart
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.merged import Merged
from privpac.constructions.draw.occam import Occam
from privpac.constructions.draw.staged_trees import StagedTrees, default_stages
from privpac.constructions.draw.stages import SECOND_STAGE_ABOVE
from privpac.constructions.draw.tree_words import one_test
from privpac.constructions.request import OWNER, Request
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof

__all__ = ["LATEST", "auto", "default_accuracy", "default_mixture"]

LATEST = "2"
"""The design that `auto` means."""

ONE_TEST_UP_TO = 100
"""n·epsilon up to which one test with two different answers beats every tree prior tried (benchmarks/accuracy)."""


def auto(request: Request, rest: str) -> Learner:
    """The default classifier; `rest` is the number of its design, the latest if there is none."""
    if rest not in ("", "1", LATEST):
        raise ParameterError(OWNER, "word", f"auto:{rest}", allowed=f"auto, auto:1 or auto:{LATEST}")
    if rest == "1" or request.protect == "labels":  # under label privacy cuts follow the values that occur
        return _first_design(request)
    n, epsilon = request.size.labelled, request.per_record
    if n * epsilon > SECOND_STAGE_ABOVE:
        return _staged(request)
    mixture = default_mixture(request.schema, n=n, three_tests=n * epsilon > ONE_TEST_UP_TO)
    mixture.require(n)
    return Merged(Occam(mixture, epsilon, request.costs))


def default_accuracy(request: Request, *, failure: Fraction) -> tuple[Proof[Accuracy], ...]:
    """What `auto` certifies about errors, for a plan: with any failure probability."""
    learner = auto(request, "")
    inner = learner.learner if isinstance(learner, Merged) else learner
    if not isinstance(inner, Occam | StagedTrees):
        return ()
    return replace(inner, failure=failure).certify(request.size).accuracy


MANY_TESTS = 1 << 16
"""Rules that ask one question have all 31 cuts per column, unless there are thousands of columns: a test takes some
hundred bytes."""

FEW_TESTS, WIDE_TESTS, FEWEST_CUTS = 128, 256, 4
"""Rules that ask three questions take memory and time with the cube of the number of tests: 128 of them, or four cuts
per column where a table is wide, at most 256."""

MOST_SECONDS = 4.0
"""Counting a set of tests may take about so long; beyond, there are fewer of them. It follows from n and the schema."""


def coarse_tests(schema: Schema, n: int) -> tuple[Binarisation, ...]:
    """The tests of rules that ask three questions, on each scale.

    >>> columns = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(40)]
    >>> [len(tests.tests) for tests in coarse_tests(Schema.from_json({"label": "y", "columns": columns}), 1000)]
    [160, 160]
    """
    if _seconds(_at_most(schema, WIDE_TESTS), n) <= MOST_SECONDS:
        return _at_most(schema, WIDE_TESTS)
    quick = bisect_right(
        range(1, WIDE_TESTS), MOST_SECONDS, key=lambda most: _seconds(_at_most(schema, most), n)
    )
    return _at_most(schema, max(1, quick))


def _at_most(schema: Schema, most: int) -> tuple[Binarisation, ...]:
    """At most so many tests on each scale, and more than 128 only to have four cuts per column."""
    few = on_each_scale(schema, most=min(most, FEW_TESTS))
    wide = on_each_scale(schema, most=most, cuts=FEWEST_CUTS)
    return max(few, wide, key=lambda sets: sum(len(tests.tests) for tests in sets))


def _seconds(sets: tuple[Binarisation, ...], n: int) -> float:
    """What counting takes for the slowest of these, as far as rules of three tests can be had at all."""
    counted = (
        CooccurrenceTensor(tests, VOTERS, len(tests.schema.classes)) for tests in sets if _is_few(tests)
    )
    return max((tensor.estimate(n).seconds for tensor in counted), default=0.0)


def _is_few(tests: Binarisation) -> bool:
    return len(tests.tests) <= WIDE_TESTS


CONSTANTS, ONE_TEST, THREE_TESTS = 2, 48, 24
"""The prior, as shares of all scales together: half on one test, a
quarter each on majorities and on trees of three tests, and a little on constants."""


def default_mixture(schema: Schema, *, n: int, three_tests: bool = True) -> TreeMixture:
    """All that may suit a table of n records, under the public prior.

    >>> x = {"name": "x", "kind": "numeric", "lower": 0, "upper": 99}
    >>> default_mixture(Schema.from_json({"label": "y", "columns": [x]}), n=100).word
    'constants|one-test|trees:3|majorities'
    """
    fine = on_each_scale(schema, most=MANY_TESTS)
    parts: list[tuple[TreePart, int]] = [(Constants(schema, fine[0]), CONSTANTS)]
    parts += [(OneTest(schema, tests), ONE_TEST // len(fine)) for tests in fine]
    coarse = coarse_tests(schema, n) if three_tests else ()
    for tests in coarse:
        parts += [(rules, THREE_TESTS // len(coarse)) for rules in _of_three_tests(schema, tests)]
    return TreeMixture(tuple(part for part, _ in parts), tuple(share for _, share in parts))


def _of_three_tests(schema: Schema, tests: Binarisation) -> Iterator[TreePart]:
    """Trees of depth 3 and majorities; where a table has very many categories, trees of depth 2."""
    yield Trees(schema, 3 if _is_few(tests) else 2, tests)
    if _is_few(tests) and _can_vote(schema, tests):
        yield Majorities(schema, tests)


def _can_vote(schema: Schema, tests: Binarisation) -> bool:
    return len(schema.classes) == 2 and len(tests.tests) >= VOTERS


def _staged(request: Request) -> Learner:
    """A first tree or majority, and in every leaf of it a tree, once or twice more, on either scale."""
    schema, n = request.schema, request.size.labelled
    first, *others = coarse_tests(schema, n)
    widest = max(len(tests.tests) for tests in (first, *others))
    stages = default_stages(n=n, epsilon=request.per_record, tests=widest, most=WIDE_TESTS)
    return StagedTrees(
        schema,
        request.per_record,
        stages,
        first,
        request.costs,
        others=tuple(others),
        majorities=stages[0] >= VOTERS and all(_can_vote(schema, tests) for tests in (first, *others)),
    )


def _first_design(request: Request) -> Learner:
    if request.protect == "records" and request.size.labelled * request.per_record <= ONE_TEST_UP_TO:
        return one_test(request, "")
    tests = Binarisation.default(request.schema, n=request.size.labelled)
    stages = default_stages(n=request.size.labelled, epsilon=request.per_record, tests=len(tests.tests))
    deeper = _deeper(request) if stages == (3,) and request.protect == "records" else None
    if deeper is None:
        return request.staged(stages, tests)
    shallow = Trees(request.schema, 3, tests)
    return Merged(Occam(TreeMixture((shallow, deeper), (1, 1)), request.per_record, request.costs))


DEEPER_FROM = 1000
DEEPER_CUTS = 12
DEEPER_TESTS = 120
DEEPER_SECONDS = 4.0
"""From this n·epsilon on, and where it costs no more than this, trees of depth 4 on 12 cuts a column are drawn from as
well: some tables want a fourth question more than fine cuts, others do not, and the draw decides (benchmarks/accuracy).
"""


def _deeper(request: Request) -> Trees | None:
    n = request.size.labelled
    if n * request.per_record < DEEPER_FROM:
        return None
    tests = Binarisation.of(request.schema, cuts=DEEPER_CUTS)
    if len(tests.tests) > DEEPER_TESTS:
        return None
    deeper = Trees(request.schema, 4, tests)
    return deeper if deeper.estimate(n).seconds <= DEEPER_SECONDS else None
