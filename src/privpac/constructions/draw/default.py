"""`auto`: the default classifier, chosen by n, epsilon and the schema alone.

Up to n·epsilon 5,000 it is one draw from everything that may suit a table, under one public prior: rules of one test,
rules of three, which come in slowly as n·epsilon grows, on both scales of cuts, trees of four where there are records
enough, and a little on constants. Above, a first tree is drawn with a small part of epsilon, and the one draw may
refine it or start afresh (`refined_trees`). The records decide inside the draw which of these it is; nothing is looked
up beforehand. Two promises are made, against rules of one question and of three, at every size the same two.

Whatever comes in with more records has a handicap, a public number of mistakes, as long as its own bound is above what
was promised before: so prior moves with the number of records, and the certificate never gets worse.
Every constant was judged by leaving out one table at a time (benchmarks/results/accuracy.md).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.concepts.base import Costs
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import DEEPEST
from privpac.concepts.literals.scales import on_each_scale, on_scale
from privpac.concepts.trees.mixture import NamedMixture, TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest, TreePart
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.promises import handicaps_for
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.request import OWNER, Request
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against, Unit
from privpac.numbers.exact import ratio_for

__all__ = ["MOST_EPSILON", "auto", "default_mixture"]

MOST_EPSILON = Fraction(3)
"""No more is spent: from 3 to 10 accuracy *fell* by 0.007 on tables of up to 800 records, which a draw overfits."""

REFINED_ABOVE = 5_000
"""n·epsilon from where on a second look at the leaves of a tree pays for its share of epsilon."""

FIRST_SHARE = Fraction(1, 10)
"""Of epsilon, spent on the tree that may be refined; it grows from nothing as n·epsilon does from 5,000."""

FIRST_GROWTH = Fraction(1, 5)
"""How much of what epsilon has more than at n·epsilon 5,000 goes to that tree until it has its share, at most."""

FOUR_LEVELS_FROM = 1_000
"""n·epsilon, and n itself, from which on a fourth question pays: with fewer records, however large epsilon is, deep
trees fit what will not come again."""

ONE_QUESTION, THREE_QUESTIONS = "rules of one question", "rules of three questions"
"""Whom two promises are made against."""


def auto(request: Request, rest: str) -> Learner:
    """The default classifier."""
    if rest:
        raise ParameterError(OWNER, "word", f"auto:{rest}", allowed="auto")
    epsilon = min(request.per_record, MOST_EPSILON)
    unit = Unit.LABEL if request.protect == "labels" else Unit.RECORD
    n = request.size.labelled
    learner = _learner(request.schema, n, epsilon, request.costs, request.failure, unit)
    learner.concepts.require(n)
    return learner


@lru_cache(maxsize=32)
def _learner(
    schema: Schema, n: int, epsilon: Fraction, costs: Costs | None, failure: Fraction, unit: Unit
) -> Learner:
    design = _Design(schema, epsilon, costs, failure, unit)
    learner = design.learner(n, deep=design.deep_share(n))
    return Merged(learner) if isinstance(learner, Occam) else learner


class _Design:
    """Everything public but the number of records: what `auto` is at each of them."""

    def __init__(
        self, schema: Schema, epsilon: Fraction, costs: Costs | None, failure: Fraction, unit: Unit
    ) -> None:
        self.schema, self.epsilon, self.costs, self.failure, self.unit = schema, epsilon, costs, failure, unit
        self.price = max(costs or (1,))
        self.refined_above = math.floor(REFINED_ABOVE / epsilon)
        """The most records that are drawn with once."""

    @property
    def four_levels_from(self) -> int:
        """The fewest records for which trees of depth 4 are drawn from."""
        return max(math.ceil(FOUR_LEVELS_FROM / min(self.epsilon, Fraction(1))), first_deep(self.schema))

    def deep_share(self, n: int) -> Fraction:
        """How much of their share trees of depth 4 have: all of it from twice as many records on."""
        if not deep_tests(self.schema, n):
            return Fraction(0)
        return min(Fraction(1), max(Fraction(0), Fraction(n, self.four_levels_from) - 1))

    def learner(self, n: int, *, deep: Fraction) -> Occam | RefinedTrees:
        """With handicaps that keep the promises that were made of fewer records, or of a simpler design."""
        whole = self.unit is Unit.RECORD and not _all_said(coarse_tests(self.schema, n)[0])
        refines = whole and n > self.refined_above
        fresh = default_mixture(self.schema, n=n, epsilon=self.epsilon, deep=deep)
        plain = self._learner(n, fresh, deep=bool(deep), refines=refines)
        draw = plain.draw(n)
        if draw is None or not (deep or refines):
            return plain
        limits = self._agnostic_errors(self._kept_from(n, deep=bool(deep), refines=refines))
        mistakes = tuple(self.price * handicap for handicap in handicaps_for(draw, limits))
        shallow = max(count for _, count in fresh.rivals)
        extras = len(fresh.parts) - shallow
        mixture = replace(fresh, handicaps=(*((0,) * shallow), *mistakes[:extras]))
        if isinstance(plain, RefinedTrees):
            return replace(plain, fresh=mixture, handicaps=mistakes[extras:])
        return replace(plain, concepts=mixture)

    def _kept_from(self, n: int, *, deep: bool, refines: bool) -> int:
        """The number of records whose promise, without trees of depth 4, is kept."""
        if not deep:
            return self.refined_above
        return n if refines else self.four_levels_from

    def _agnostic_errors(self, n: int) -> dict[str, Fraction]:
        """What is promised for any records with this many of them, and without trees of depth 4."""
        draw = self.learner(n, deep=Fraction(0)).draw(n)
        proofs = () if draw is None else draw.promises()
        facts = (proof.fact for proof in proofs)
        return {fact.rivals: fact.error for fact in facts if fact.against is Against.AGNOSTIC}

    def _learner(self, n: int, fresh: NamedMixture, *, deep: bool, refines: bool) -> Occam | RefinedTrees:
        """Without handicaps."""
        if not refines:
            return Occam(fresh, self.epsilon, self.costs, self.failure, unit=self.unit)
        coarse = coarse_tests(self.schema, n)
        levels = DEEPEST if deep else _levels(coarse[0])
        sets = deep_tests(self.schema, n) if deep else coarse
        first = tuple(Trees(self.schema, levels, tests) for tests in sets)
        evidence = n * self.epsilon
        share = min(FIRST_SHARE, self._first_growth * (1 - REFINED_ABOVE / evidence))
        depths = tuple(range(1, _levels(coarse[0]) + 1))
        return RefinedTrees(
            fresh,
            TreeMixture(first, (1,) * len(first)),
            self.epsilon,
            share,
            depths,
            (0,) * len(depths),
            self.costs,
            self.failure,
        )

    @property
    def _first_growth(self) -> Fraction:
        """A perfect fit is promised an error in proportion to e^first/(1 - ratio), ratio that of the second draw. This
        does not rise with epsilon where the first draw takes ratio/(2 - ratio) of what is added to it, or less."""
        ratio = ratio_for(self.epsilon / 2)
        return min(FIRST_GROWTH, ratio / (2 - ratio))


MANY_TESTS = 1 << 16
"""Rules that ask one question have all 31 cuts per column, unless there are thousands of columns: a test takes some
hundred bytes."""

FEW_TESTS, WIDE_TESTS, FEWEST_CUTS = 128, 256, 4
"""Rules that ask three questions take memory and time with the cube of the number of tests: 128 of them, or four cuts
per column where a table is wide, at most 256."""

MOST_COUNTED = 2**40
"""Sets of three tests times records: beyond, there are fewer tests."""

DEEP_PAIRS = 10_000
"""Pairs of leaves a record that sums over trees of depth 4 may visit. A fourth question is asked where a person waits
for many records anyway, and not where a small table would suddenly take a hundred times as long."""

DEEP_COUNTED = 3 * 10**8
"""Sets of four columns times records: with more of them a fourth question is not asked."""


def coarse_tests(schema: Schema, n: int) -> tuple[Binarisation, ...]:
    """The tests of rules that ask three questions, on each scale; more than 128 only to have four cuts per column.

    >>> columns = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(40)]
    >>> [len(tests.tests) for tests in coarse_tests(Schema.from_json({"label": "y", "columns": columns}), 1000)]
    [160, 160]
    """
    most = bisect_right(range(1, WIDE_TESTS + 1), MOST_COUNTED, key=lambda few: math.comb(few, 3) * n)
    narrow = on_each_scale(schema, most=min(most, FEW_TESTS))
    wide = on_each_scale(schema, most=most, cuts=FEWEST_CUTS)
    return max(narrow, wide, key=lambda sets: sum(len(tests.tests) for tests in sets))


def deep_tests(schema: Schema, n: int) -> tuple[Binarisation, ...]:
    """The tests of trees that ask four questions: those on one scale, which serves small values and loses little on
    others; none where these are too many to be counted, or to be summed over, for this many records.

    >>> columns = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(10)]
    >>> schema = Schema.from_json({"label": "y", "columns": columns})
    >>> [[len(tests.tests) for tests in deep_tests(schema, n)] for n in (1000, 40_000)]
    [[], [120]]
    """
    tests = _deep(schema)
    if _all_said(tests):
        return ()
    few_sets = math.comb(len(tests.groups), DEEPEST) * n <= DEEP_COUNTED
    return (tests,) if n >= first_deep(schema) and few_sets and _few(tests) else ()


def first_deep(schema: Schema) -> int:
    """The fewest records for which sums over trees of depth 4 may be made."""
    tests = len(_deep(schema).tests)
    pairs = (math.comb(tests, DEEPEST - 1) << (DEEPEST - 1)) * tests * (len(schema.classes) - 1)
    return -(-pairs // DEEP_PAIRS)


def _deep(schema: Schema) -> Binarisation:
    return on_scale(schema, "mostly small", most=FEW_TESTS)


def _all_said(tests: Binarisation) -> bool:
    """Whether there are no more tests than a rule of three questions asks: no further question tells anything."""
    return len(tests.tests) <= DEEPEST - 1


def _few(tests: Binarisation) -> bool:
    return len(tests.tests) <= WIDE_TESTS


def _levels(tests: Binarisation) -> int:
    """Of trees that ask three questions; two where a table has very many categories."""
    return 3 if _few(tests) else 2


PARTS = 1_000
CONSTANTS, ONE_TEST, THREE_TESTS, FOUR_LEVELS = 2 * PARTS, 48 * PARTS, 48 * PARTS, 48 * PARTS
"""The prior, as shares of all scales together: on constants, one test, trees of depth 3 and of depth 4. So one, three
and four questions are equally likely, once three have come in."""

THREE_TESTS_FROM, ALL_THREE_FROM = 50, 150
"""n·epsilon from which on rules of three tests are drawn from, and from which on with their whole share: it grows with
the third power. Below, they would have less than a twentieth of the prior, and nothing could be promised of them."""


def default_mixture(
    schema: Schema, *, n: int, epsilon: Fraction, deep: Fraction = Fraction(0)
) -> NamedMixture:
    """All that may suit a table of n records, under the public prior; `deep` says how much of their share trees of
    depth 4 have.

    >>> x = {"name": "x", "kind": "numeric", "lower": 0, "upper": 99}
    >>> default_mixture(Schema.from_json({"label": "y", "columns": [x]}), n=100, epsilon=Fraction(1)).word
    'constants|one-test|trees:3'
    """
    fine = on_each_scale(schema, most=MANY_TESTS)
    parts: list[tuple[TreePart, int]] = [(Constants(schema, fine[0]), CONSTANTS)]
    parts += [(OneTest(schema, tests), ONE_TEST // len(fine)) for tests in fine]
    rivals = [(ONE_QUESTION, len(parts))]
    share = _share_of_three(n * epsilon)
    coarse = coarse_tests(schema, n)
    least = math.ceil(math.log2(len(schema.classes)))  # a rule must be able to name every class
    levels = _levels(coarse[0])
    if 1 < least < levels:
        parts += [(Trees(schema, least, tests), THREE_TESTS // len(coarse)) for tests in coarse]
    elif least >= levels:
        share = THREE_TESTS
    if share:
        parts += [(Trees(schema, levels, tests), max(1, share // len(coarse))) for tests in coarse]
        rivals.append((THREE_QUESTIONS, len(parts)))
    extras = deep_tests(schema, n) if deep else ()
    parts += [(Trees(schema, DEEPEST, tests), max(1, math.floor(FOUR_LEVELS * deep))) for tests in extras]
    members, shares = tuple(part for part, _ in parts), tuple(share for _, share in parts)
    return NamedMixture(members, shares, rivals=tuple(rivals))


def _share_of_three(evidence: Fraction) -> int:
    if evidence < THREE_TESTS_FROM:
        return 0
    return math.floor(THREE_TESTS * min(Fraction(1), (evidence / ALL_THREE_FROM) ** 3))
