"""`auto`: the default classifier, chosen by n, epsilon and the schema alone.

The second design. Up to n·epsilon 5,000 it is one draw from everything that may suit a table, under one public prior:
one test with two different answers, as likely three (majorities or trees of depth 3, half each), on both scales of
cuts, from 1,000 on as likely trees of depth 4, on one scale, and a little on constants. The records decide inside the
draw which of these it is; nothing is looked up beforehand, and the price is the logarithm of a share in the accuracy
bound. Up to 100 rules of several tests are left out, above 5,000 a tree is grown in stages. `auto:1` is the first
design, which chose one class on evenly spaced cuts by bands of n·epsilon; documents that it wrote name it `auto`, and
are verified with it (`concepts.catalogue`).

Every constant was judged by leaving out one table at a time (benchmarks/accuracy/README.md).
Tested by tests/unit/constructions/draw/test_default.py and tests/exact/ (rows `auto-mixture`, `staged-mixture`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import DEEPEST, CooccurrenceTensor
from privpac.concepts.literals.scales import on_each_scale, on_scale
from privpac.concepts.trees.majority import VOTERS, Majorities
from privpac.concepts.trees.mixture import MixtureWithExtras, TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest, TreePart
from privpac.concepts.trees.prior import PAIR_COST, estimate
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged, Occam
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

FOUR_LEVELS_FROM = 1_000
"""n·epsilon, and n itself, from which on a fourth question pays: with fewer records, however large epsilon is, deep
trees fit what will not come again."""


def first_with_four_levels(epsilon: Fraction) -> int:
    """The fewest records for which trees of depth 4 are drawn from.

    >>> first_with_four_levels(Fraction(1, 10)), first_with_four_levels(Fraction(3))
    (10000, 1000)
    """
    return math.ceil(FOUR_LEVELS_FROM / min(epsilon, Fraction(1)))


def _levels(n: int, epsilon: Fraction) -> int:
    if n * epsilon <= ONE_TEST_UP_TO:
        return 1
    return VOTERS if n < first_with_four_levels(epsilon) else DEEPEST


def auto(request: Request, rest: str) -> Learner:
    """The default classifier; `rest` is the number of its design, the latest if there is none."""
    if rest not in ("", "1", LATEST):
        raise ParameterError(OWNER, "word", f"auto:{rest}", allowed=f"auto, auto:1 or auto:{LATEST}")
    if rest == "1" or request.protect == "labels":  # under label privacy cuts follow the values that occur
        return _first_design(request)
    n, epsilon = request.size.labelled, request.per_record
    if n * epsilon > SECOND_STAGE_ABOVE:
        return _in_stages(request)
    few = FEWER_TESTS if n * epsilon <= FEWER_UP_TO else FEW_TESTS
    mixture = default_mixture(request.schema, n=n, levels=_levels(n, epsilon), few=few)
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

FEWER_TESTS, FEWER_UP_TO = 64, 200
"""Up to this n·epsilon a draw cannot tell more cuts apart: on twelve tables 64 tests err as seldom as 128 (0.2171 and
0.2174, a difference of at most 0.001 whichever table is left out), and take a third of the time."""

MOST_SECONDS = 4.0
"""Counting a set of tests may take about so long; beyond, there are fewer of them. It follows from n and the schema."""

DEEP_SECONDS = 0.7
"""A fourth question takes time with the fourth power: 128 tests, or as many as can be counted and summed over in about
this time; none once three questions take as long, for few tests are left to it by then."""

DEEP_PACE = 64_000
"""Records per second that a fourth question on 128 tests may cost. It is asked where a person waits for many records
anyway, and not where a small table would suddenly take a hundred times as long."""

DEEP_PAIR_COST = 1.5
"""Nanoseconds a pair of leaves costs in sums of depth 4 for two classes, on one core: 1.3 to 1.6 on eight tables of 73
to 128 tests. (The older cost, four times as high, is that of more classes, and the first design depends on it.)"""


def coarse_tests(schema: Schema, n: int, few: int = FEW_TESTS) -> tuple[Binarisation, ...]:
    """The tests of rules that ask three questions, on each scale; more than `few` only to have four cuts per column.

    >>> columns = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(40)]
    >>> [len(tests.tests) for tests in coarse_tests(Schema.from_json({"label": "y", "columns": columns}), 1000)]
    [160, 160]
    """

    return _within(
        MOST_SECONDS, WIDE_TESTS, partial(_few_or_wide, schema, few), partial(_counting_seconds, n)
    )


def _counting_seconds(n: int, tests: Binarisation) -> float:
    """Of sets of three tests; on more tests rules of three are not had at all."""
    tensor = CooccurrenceTensor(tests, VOTERS, len(tests.schema.classes))
    return tensor.estimate(n).seconds if _is_few(tests) else 0.0


def deep_tests(schema: Schema, n: int, coarse: tuple[Binarisation, ...]) -> tuple[Binarisation, ...]:
    """The tests of trees that ask four questions: those on one scale, which serves small values and loses little on
    others; none where they would take too long for this many records, or `coarse` ones, of three questions, as long.

    >>> columns = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(10)]
    >>> schema = Schema.from_json({"label": "y", "columns": columns})
    >>> [[len(tests.tests) for tests in deep_tests(schema, n, coarse_tests(schema, n))] for n in (1000, 40_000)]
    [[], [120]]
    """

    def seconds(tests: Binarisation) -> float:
        """Of counting and summing."""
        tensor = CooccurrenceTensor(tests, DEEPEST, len(schema.classes))
        return estimate(tensor, n, pair_cost=DEEP_PAIR_COST if tensor.classes == 2 else PAIR_COST).seconds

    def sets(most: int) -> tuple[Binarisation, ...]:
        return (on_scale(schema, "mostly small", most=most),)

    slow = max(map(seconds, sets(FEW_TESTS))) > n / DEEP_PACE
    if slow or max(map(partial(_counting_seconds, n), coarse)) > DEEP_SECONDS:
        return ()
    quick = _within(DEEP_SECONDS, FEW_TESTS, sets, seconds)
    return quick if max(map(seconds, quick)) <= DEEP_SECONDS else ()


def _within(
    most: float,
    tests: int,
    sets: Callable[[int], tuple[Binarisation, ...]],
    seconds: Callable[[Binarisation], float],
) -> tuple[Binarisation, ...]:
    """The sets of at most this many tests, or of fewer if the slowest would take longer than `most` seconds."""
    quick = bisect_right(range(1, tests + 1), most, key=lambda few: max(map(seconds, sets(few))))
    return sets(max(1, quick))


def _few_or_wide(schema: Schema, few: int, most: int) -> tuple[Binarisation, ...]:
    """At most this many tests on each scale, and more than a few only to have four cuts per column."""
    narrow = on_each_scale(schema, most=min(most, few))
    wide = on_each_scale(schema, most=most, cuts=FEWEST_CUTS)
    return max(narrow, wide, key=lambda sets: sum(len(tests.tests) for tests in sets))


def _is_few(tests: Binarisation) -> bool:
    return len(tests.tests) <= WIDE_TESTS


CONSTANTS, ONE_TEST, THREE_TESTS, FOUR_LEVELS = 2, 48, 24, 48
"""The prior, as shares of all scales together: on constants, on one test, on each of majorities and trees of depth 3,
and on trees of depth 4. So one, three and four questions are equally likely; a larger share of four is better on each
of the four tables that are asked this many, whichever of them is left out (benchmarks/accuracy)."""


def default_mixture(schema: Schema, *, n: int, levels: int = 3, few: int = FEW_TESTS) -> TreeMixture:
    """All that may suit a table of n records and asks at most this many questions, under the public prior.

    >>> x = {"name": "x", "kind": "numeric", "lower": 0, "upper": 99}
    >>> default_mixture(Schema.from_json({"label": "y", "columns": [x]}), n=100).word
    'constants|one-test|trees:3|majorities'
    """
    fine = on_each_scale(schema, most=MANY_TESTS)
    parts: list[tuple[TreePart, int]] = [(Constants(schema, fine[0]), CONSTANTS)]
    parts += [(OneTest(schema, tests), ONE_TEST // len(fine)) for tests in fine]
    coarse = coarse_tests(schema, n, few) if levels >= VOTERS else ()
    for tests in coarse:
        parts += [(rules, THREE_TESTS // len(coarse)) for rules in _of_three_tests(schema, tests)]
    deep = deep_tests(schema, n, coarse) if levels == DEEPEST else ()
    parts += [(Trees(schema, DEEPEST, tests), FOUR_LEVELS // len(deep)) for tests in deep]
    members, shares = tuple(part for part, _ in parts), tuple(share for _, share in parts)
    return MixtureWithExtras(members, shares, len(deep)) if deep else TreeMixture(members, shares)


def _of_three_tests(schema: Schema, tests: Binarisation) -> Iterator[TreePart]:
    """Trees of depth 3 and majorities; where a table has very many categories, trees of depth 2."""
    yield Trees(schema, 3 if _is_few(tests) else 2, tests)
    if _is_few(tests) and _can_vote(schema, tests):
        yield Majorities(schema, tests)


def _can_vote(schema: Schema, tests: Binarisation) -> bool:
    return len(schema.classes) == 2 and len(tests.tests) >= VOTERS


def _in_stages(request: Request) -> Learner:
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
        deeper=deep_tests(schema, n, (first, *others))
        if stages[0] == VOTERS and _levels(n, request.per_record) == DEEPEST
        else (),
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
"""From this n·epsilon on, and where it costs no more than this, trees of depth 4 on 12 cuts per column are drawn from
as well: some tables want a fourth question more than fine cuts, others do not, and the draw decides
(benchmarks/accuracy)."""


def _deeper(request: Request) -> Trees | None:
    n = request.size.labelled
    if n * request.per_record < DEEPER_FROM:
        return None
    tests = Binarisation.of(request.schema, cuts=DEEPER_CUTS)
    if len(tests.tests) > DEEPER_TESTS:
        return None
    deeper = Trees(request.schema, 4, tests)
    return deeper if deeper.estimate(n).seconds <= DEEPER_SECONDS else None
