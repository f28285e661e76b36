"""Learners of points that beat the plain draw: clipped margins, an explicit code, random sets, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.commands import learn_command
from privpac.constructions.option import FloorRow, Need, Option, cells_of, protects_whole_records
from privpac.constructions.points.clipped import Clip, clip_at, plan_clipped
from privpac.constructions.points.coded import plan_code
from privpac.constructions.points.covered import Cover, cover_bound, cover_for, cover_ratio, plan_cover
from privpac.constructions.points.sampled import (
    Boost,
    boost_proof,
    boost_with,
    plan_boosted,
    with_share,
)
from privpac.constructions.points.sparse import SparseAccuracy, plan_sparse, sparsity_at
from privpac.constructions.wish import Wish
from privpac.errors import SizeError
from privpac.numbers.exact import decimal_text, ratio_for
from privpac.theory import floors

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 20

LARGEST_LISTED = 2**24
"""Cells that can be answered for one by one."""

PERCENT, STEPS = 100, 101
"""Up to twice the records of the theorem are tried, a hundredth more at a time: few cells have few shares."""


def _points(concepts: ClassFacts) -> bool:
    return concepts.kind == "points" and (concepts.cells or 0) >= 4


def _clipped_at(wish: Wish, n: int) -> Need | None:
    clip = clip_at(n, domain=wish.concepts.size, **wish.goal)
    return None if clip is None else _with_clip(n, clip)


def _with_clip(n: int, clip: Clip) -> Need:
    return Need(n, parameters={"threshold": str(clip.threshold), "margin": str(clip.margin)})


def _code(wish: Wish) -> Need:
    n, code, _ = plan_code(wish.concepts.size, **wish.goal)
    return Need(n, parameters={"prime": str(code.prime), "digits": str(code.digits)})


def _cover_error(wish: Wish, n: int) -> Fraction | None:
    """As the learner certifies: with the sets for this many records, of a share that the column has."""
    cover = _cover_of(wish, n)
    if cover.share == 0:
        return None
    error = cover_bound(cover, failure=wish.failure, ratio=cover_ratio(wish.epsilon)).error(n, wish.failure)
    return error if error < 1 else None


def _cover_of(wish: Wish, n: int) -> Cover:
    from privpac.concepts.sets.hashes import share_of

    cover = cover_for(n, failure=wish.failure, epsilon=wish.epsilon)
    return Cover(cover.keys, share_of(cells_of(wish), cover.share))


def _cover_at(wish: Wish, n: int) -> Need | None:
    error = _cover_error(wish, n)
    if error is None or error > wish.error:
        return None
    cover = _cover_of(wish, n)
    return Need(n, parameters={"keys": str(cover.keys), "share": decimal_text(cover.share)})


def _first(wish: Wish, guess: int, at: Callable[[Wish, int], Need | None]) -> Need | None:
    """The need from the hoped number on that the learner certifies; none where its sets are too coarse for that."""
    needs = (at(wish, guess + guess * share // PERCENT) for share in range(STEPS))
    return next((need for need in needs if need is not None), None)


def _sparse_at(wish: Wish, n: int) -> Need | None:
    sparsity = sparsity_at(n, **wish.goal)
    return None if sparsity is None else _with_flip(n, sparsity)


def _with_flip(n: int, sparsity: SparseAccuracy) -> Need:
    return Need(n, parameters={"flip": decimal_text(sparsity.flip)})


def _boosting(wish: Wish) -> Need | None:
    error = Fraction(math.floor(wish.error * PERCENT), PERCENT)
    if error <= 0:
        return None
    guess, _ = plan_boosted(**{**wish.goal, "error": error})
    return _first(wish, guess, _boosted_at)


def _certified_boost(wish: Wish, n: int) -> tuple[Fraction, Boost] | None:
    """As the learner certifies: errors of two digits, and sets of a share that the column has."""
    from privpac.concepts.sets.hashes import share_of

    try:
        failure, error, boost = boost_with(n, failure=wish.failure, epsilon=wish.epsilon)
    except SizeError:
        return None
    share = share_of(cells_of(wish), boost.draw.flip)
    if share == 0 or failure > wish.failure:
        return None
    boost_part = with_share(boost, share, epsilon=wish.epsilon)
    proof = boost_proof(boost_part, error=error, failure=failure, ratio=ratio_for(wish.epsilon / 2))
    return None if proof is None else (error, boost)


def _boosted_error(wish: Wish, n: int) -> Fraction | None:
    promise = _certified_boost(wish, n)
    return None if promise is None else promise[0]


def _boosted_at(wish: Wish, n: int) -> Need | None:
    promise = _certified_boost(wish, n)
    if promise is None or promise[0] > wish.error:
        return None
    return Need(n, parameters={"runs": str(promise[1].runs), "each": str(promise[1].each)})


def _row(
    learner: str,
    title: str,
    source: str,
    needs: Callable[[Wish], Need | None],
    *,
    proper: bool = False,
    serves: Callable[[ClassFacts], bool] = _points,
    at: Callable[[Wish, int], Need | None] | None = None,
    error: Callable[[Wish, int], Fraction | None] | None = None,
    variant: str,
) -> Option:
    def command(wish: Wish, need: Need) -> str | None:
        return learn_command(wish, need, concepts=f"{wish.concepts.word}:{variant}")

    return Option(
        learner,
        title,
        source,
        needs,
        proper=proper,
        serves=serves,
        at=at,
        error=error,
        command=command,
        way=variant,
    )


OPTIONS: tuple[Option, ...] = (
    _row(
        "clipped-points",
        "one draw with margins clipped, answers with a point",
        "clipped-points-accuracy",
        lambda wish: _with_clip(*plan_clipped(wish.concepts.size, **wish.goal)),
        proper=True,
        at=_clipped_at,
        variant="clipped",
    ),
    _row(
        "reed-solomon-points",
        "one draw from the sets of a code",
        "reed-solomon-points",
        _code,
        variant="improper",
    ),
    _row(
        "pairwise-cover",
        "one draw from random hashed sets",
        "pairwise-cover",
        lambda wish: _first(wish, plan_cover(**wish.goal)[0], _cover_at),
        at=_cover_at,
        error=_cover_error,
        variant="cover",
    ),
    _row(
        "sparse-sets",
        "every cell on its own",
        "sparse-sets-accuracy",
        lambda wish: _with_flip(*plan_sparse(**wish.goal)),
        serves=lambda concepts: _points(concepts) and (concepts.cells or 0) <= LARGEST_LISTED,
        at=_sparse_at,
        variant="gibbs",
    ),
    _row(
        "boosted-points",
        "sampled runs, one of them selected",
        "boosted-points",
        _boosting,
        at=_boosted_at,
        error=_boosted_error,
        variant="boosted",
    ),
)


def _proper_points(option: Option, wish: Wish) -> bool:
    points = wish.concepts.kind == "points"
    return protects_whole_records(option, delta=True) and option.proper and points


def _any_points(option: Option, wish: Wish) -> bool:
    return protects_whole_records(option) and wish.concepts.kind == "points"


def _proper_points_records(wish: Wish) -> int:
    return floors.floor_points_proper(cells_of(wish), **wish.goal, delta=wish.delta)


def _proper_points_exclude(wish: Wish, n: int) -> bool:
    numbers = {**wish.without("failure"), "delta": wish.delta}
    return floors.least_failure_points(n, domain=cells_of(wish), **numbers) > wish.failure


def _any_points_records(wish: Wish) -> int:
    return floors.floor_points_any(cells_of(wish), **wish.goal)


def _any_points_exclude(wish: Wish, n: int) -> bool:
    least = floors.least_failure_points_any(n, domain=cells_of(wish), **wish.without("failure"))
    return least > wish.failure


def _minimal(option: Option, wish: Wish) -> bool:
    """Points, and cuts in one direction: no rule can be spared."""
    minimal = wish.concepts.kind == "points" or (wish.concepts.kind == "thresholds" and wish.concepts.vc == 1)
    return protects_whole_records(option) and option.proper and minimal


def _minimal_records(wish: Wish) -> int:
    return floors.floor_minimal_class(wish.concepts.size, **wish.without("error"))


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(20, "floor-points-proper", _proper_points, _proper_points_records, _proper_points_exclude),
    FloorRow(30, "floor-points-any", _any_points, _any_points_records, _any_points_exclude),
    FloorRow(55, "floor-minimal-class", _minimal, _minimal_records),
)
