"""Rows for the learners of points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from privpac.concepts.sets.codes import CodeSets
from privpac.concepts.sets.hashes import HashFamily
from privpac.concepts.sets.keys import KeyedFamily
from privpac.concepts.sets.sparse import ListedFamily
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.points.boosted import BoostedPoints
from privpac.constructions.points.clipped import ClippedPoints
from privpac.constructions.points.coded import CodedPoints
from privpac.constructions.points.covered import CoveredPoints
from privpac.constructions.points.formulas import Clip, loss_clipped
from privpac.constructions.points.sampled import Family, SampledPoint
from privpac.constructions.points.sampled_formulas import Boost, Draw, loss_sampled, loss_star
from privpac.constructions.points.sparse import SparsePoints
from privpac.constructions.points.sparse_formulas import Sparsity
from privpac.numbers.exact import ln_up, ratio_for

__all__ = [
    "ROWS",
    "boosted_case",
    "clipped_case",
    "coded_case",
    "covered_case",
    "sampled_case",
    "sparse_case",
]

PLACE = 100

ONE, TENTH = Fraction(1), Fraction(1, 10)


def _with_exact_claim(case: Case, learner_loss: Fraction) -> Case:
    """The case with the loss itself as claim, not the decimal above it: equality can then be seen."""
    claim = replace(case.claim, epsilon=type(case.claim.epsilon)(factor=learner_loss))
    return replace(case, claim=claim, certified=lambda records: claim)


def clipped_case(
    name: str = "points-clipped", *, cells: int, n: int, threshold: int, margin: int, rate: Fraction
) -> Case:
    """Points with clipped counts."""
    clip = Clip(ratio_for(rate), threshold, margin)
    loss = loss_clipped(cells, clip=clip)
    schema = tiny_schema(cells)
    return _with_exact_claim(
        learner_case(name, ClippedPoints(schema, "a", ln_up(loss), clip), schema, n), loss
    )


def coded_case(name: str = "points-code", *, cells: int = 9, prime: int = 3, n: int = 3) -> Case:
    """Sets of a Reed–Solomon code."""
    schema = tiny_schema(cells)
    return learner_case(name, CodedPoints(CodeSets(schema, "a", prime, 2), ONE), schema, n)


def covered_case(name: str = "points-cover", *, cells: int = 2, keys: int = 2, n: int = 2) -> Case:
    """One of several random sets."""
    schema = tiny_schema(cells)
    family = HashFamily("a", 3, 1, cells)
    return learner_case(name, CoveredPoints(schema, "a", ONE, keys, family), schema, n)


def sparse_case(
    name: str = "points-gibbs", *, cells: int = 3, n: int = 4, flip: Fraction = Fraction(1, 10)
) -> Case:
    """Sparse sets."""
    schema = tiny_schema(cells)
    learner = SparsePoints(schema, "a", ONE, Sparsity(flip, ratio_for(ONE / 2)))
    return learner_case(name, learner, schema, n)


def sampled_case(
    name: str, family: Family, *, cells: int, n: int, rate: Fraction, fail: Fraction | None = None
) -> Case:
    """A random set conditioned on one record."""
    schema = tiny_schema(cells)
    learner = SampledPoint(schema, "a", ONE, rate, family, fail)
    loss = (
        loss_star(rate=rate, spread=learner.spread)
        if fail is None
        else loss_sampled(rate=rate, fail=fail, spread=learner.spread)
    )
    return _with_exact_claim(learner_case(name, replace(learner, epsilon=ln_up(loss)), schema, n), loss)


def boosted_case(
    name: str = "points-boosted",
    *,
    cells: int = 2,
    runs: int = 2,
    each: int = 1,
    selecting: int = 1,
    family: Family | None = None,
) -> Case:
    """Order matters: parts are cut by position."""
    schema = tiny_schema(cells)
    family = family or ListedFamily("a", cells, TENTH)
    draw = Draw(Fraction(1, 5), family.share)
    boost = Boost(runs, each, selecting, draw, Fraction(1, 4))
    epsilon = ln_up(loss_star(rate=draw.rate, spread=draw.spread), 5)
    learner = BoostedPoints(schema, "a", epsilon, boost, family, Fraction(3, 4))
    return replace(learner_case(name, learner, schema, boost.records), ordered=True)


ROWS: Mapping[str, Callable[[], Case]] = {
    "points-clipped": lambda: clipped_case(cells=3, n=5, threshold=3, margin=2, rate=Fraction(4, 5)),
    "points-clipped-long": lambda: clipped_case(
        "points-clipped-long", cells=2, n=9, threshold=6, margin=4, rate=Fraction(3, 5)
    ),
    "points-code": coded_case,
    "points-cover": covered_case,
    "points-gibbs": sparse_case,
    "points-sampled-printed": lambda: sampled_case(
        "points-sampled-printed",
        ListedFamily("a", 3, Fraction(1, 32)),
        cells=3,
        n=4,
        rate=Fraction(1, 16),
        fail=Fraction(1, 32),
    ),
    "points-sampled-printed-keys": lambda: sampled_case(
        "points-sampled-printed-keys",
        HashFamily("a", 3, 1, 2),
        cells=2,
        n=4,
        rate=Fraction(1, 4),
        fail=Fraction(1, 8),
    ),
    "points-sampled": lambda: sampled_case(
        "points-sampled", ListedFamily("a", 3, TENTH), cells=3, n=4, rate=Fraction(1, 5)
    ),
    "points-sampled-pairwise": lambda: sampled_case(
        "points-sampled-pairwise", HashFamily("a", 5, 1, 3), cells=3, n=3, rate=TENTH
    ),
    "points-sampled-keyed": lambda: sampled_case(
        "points-sampled-keyed", KeyedFamily("a", 2, modulus=7, key_bits=1), cells=3, n=4, rate=TENTH
    ),
    "points-boosted": boosted_case,
    "points-boosted-keyed": lambda: boosted_case(
        "points-boosted-keyed", family=KeyedFamily("a", 1, modulus=5, key_bits=1)
    ),
}
