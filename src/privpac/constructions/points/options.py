"""Learners of points that beat the plain draw: clipped margins, an explicit code, random sets, cell by cell."""

from __future__ import annotations

from collections.abc import Callable

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.commands import learn_command
from privpac.constructions.option import FloorRow, Need, Option, cells_of, protects_whole_records
from privpac.constructions.wish import FAILURE, Wish
from privpac.errors import SizeError
from privpac.numbers.exact import decimal_text
from privpac.theory import floors

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 20

LARGEST_LISTED = 2**24
"""Cells that can be answered for one by one."""


def _points(concepts: ClassFacts) -> bool:
    return concepts.kind == "points" and (concepts.cells or 0) >= 4


def _short_points(concepts: ClassFacts) -> bool:
    return _points(concepts) and (concepts.cells or 0) <= LARGEST_LISTED


def _clipped(wish: Wish) -> Need | None:
    from privpac.constructions.points.formulas import plan_clipped

    n, clip = plan_clipped(wish.concepts.size, **wish.goal)
    return Need(n, parameters={"threshold": str(clip.threshold), "margin": str(clip.margin)})


def _clipped_at(wish: Wish, n: int) -> Need | None:
    from privpac.constructions.points.formulas import clip_at

    size = wish.concepts.size
    clip = clip_at(n, domain=size, **wish.goal)
    if clip is None:
        return None
    return Need(n, parameters={"threshold": str(clip.threshold), "margin": str(clip.margin)})


def _code(wish: Wish) -> Need:
    from privpac.constructions.points.representation_formulas import plan_code

    n, code, _ = plan_code(wish.concepts.size, **wish.goal)
    return Need(n, parameters={"prime": str(code.prime), "digits": str(code.digits)})


def _cover(wish: Wish) -> Need:
    from privpac.constructions.points.cover_formulas import plan_cover

    n, cover = plan_cover(**wish.goal)
    return Need(n, parameters={"keys": str(cover.keys), "share": decimal_text(cover.share)})


def _sparse(wish: Wish) -> Need:
    from privpac.constructions.points.sparse_formulas import plan_sparse

    n, sparsity = plan_sparse(**wish.goal)
    return Need(n, parameters={"flip": decimal_text(sparsity.flip)})


def _sparse_at(wish: Wish, n: int) -> Need | None:
    from privpac.constructions.points.sparse_formulas import sparsity_at

    sparsity = sparsity_at(n, **wish.goal)
    return None if sparsity is None else Need(n, parameters={"flip": decimal_text(sparsity.flip)})


def _boosted(wish: Wish) -> Need:
    from privpac.constructions.points.sampled_formulas import plan_boosted

    n, boost = plan_boosted(**wish.goal)
    return Need(n, parameters={"runs": str(boost.runs), "each": str(boost.each)})


def _anything(wish: Wish, need: Need) -> bool:
    """Every command can be run."""
    return True


def _has_sets(wish: Wish, need: Need) -> bool:
    """Whether a random set with the share that the command chooses holds any value at all."""
    from privpac.constructions.points.cover_formulas import cover_for

    cover = cover_for(need.labelled, failure=FAILURE, epsilon=wish.epsilon)
    return cover.share * wish.concepts.size >= 1


def _has_runs(wish: Wish, need: Need) -> bool:
    """The same for the sets of sampled runs."""
    from privpac.constructions.points.sampled_formulas import boost_for, plan_boosted

    try:
        _, boost = boost_for(need.labelled, failure=FAILURE, epsilon=wish.epsilon)
    except SizeError:  # so few records do for a larger failure only
        _, boost = plan_boosted(**wish.goal)
    return boost.draw.flip * wish.concepts.size >= 1


def _row(
    learner: str,
    title: str,
    source: str,
    needs: Callable[[Wish], Need | None],
    *,
    proper: bool = False,
    serves: Callable[[ClassFacts], bool] = _points,
    at: Callable[[Wish, int], Need | None] | None = None,
    variant: str,
    runs: Callable[[Wish, Need], bool] = _anything,
    hard: str,
) -> Option:
    def simulated(wish: Wish) -> int | None:
        from privpac.constructions.points.hard import NEEDS

        return NEEDS[hard](wish)

    def command(wish: Wish, need: Need) -> str | None:
        if not runs(wish, need):
            return None
        return learn_command(wish, need, concepts=f"{wish.concepts.word}:{variant}")

    return Option(
        learner,
        title,
        "realizable",
        "records",
        proper,
        source,
        needs,
        serves=serves,
        at=at,
        command=command,
        hard=simulated,
        way=variant,
    )


OPTIONS: tuple[Option, ...] = (
    _row(
        "clipped-points",
        "one draw with margins clipped, answers with a point",
        "clipped-points-accuracy",
        _clipped,
        proper=True,
        at=_clipped_at,
        variant="clipped",
        hard="clipped",
    ),
    _row(
        "reed-solomon-points",
        "one draw from the sets of a code",
        "reed-solomon-points",
        _code,
        variant="improper",
        hard="coded",
    ),
    _row(
        "pairwise-cover",
        "one draw from random hashed sets",
        "pairwise-cover",
        _cover,
        variant="cover",
        runs=_has_sets,
        hard="covered",
    ),
    _row(
        "sparse-sets",
        "every cell on its own",
        "sparse-sets-accuracy",
        _sparse,
        serves=_short_points,
        at=_sparse_at,
        variant="gibbs",
        hard="sparse",
    ),
    _row(
        "boosted-points",
        "sampled runs, one of them selected",
        "boosted-points",
        _boosted,
        variant="boosted",
        runs=_has_runs,
        hard="boosted",
    ),
)


def _proper_points(option: Option, wish: Wish) -> bool:
    return protects_whole_records(option) and option.proper and wish.concepts.kind == "points"


def _any_points(option: Option, wish: Wish) -> bool:
    return protects_whole_records(option) and wish.concepts.kind == "points"


def _proper_points_records(wish: Wish) -> int:
    return floors.floor_points_proper(cells_of(wish), **wish.goal)


def _proper_points_exclude(wish: Wish, n: int) -> bool:
    least = floors.least_failure_points(n, domain=cells_of(wish), error=wish.error, epsilon=wish.epsilon)
    return least > wish.failure


def _any_points_records(wish: Wish) -> int:
    return floors.floor_points_any(cells_of(wish), **wish.goal)


def _any_points_exclude(wish: Wish, n: int) -> bool:
    least = floors.least_failure_points_any(n, domain=cells_of(wish), error=wish.error, epsilon=wish.epsilon)
    return least > wish.failure


def _minimal(option: Option, wish: Wish) -> bool:
    """Points, and cuts in one direction: no rule can be spared."""
    minimal = wish.concepts.kind == "points" or (wish.concepts.kind == "thresholds" and wish.concepts.vc == 1)
    return protects_whole_records(option) and option.proper and minimal


def _minimal_records(wish: Wish) -> int:
    return floors.floor_minimal_class(wish.concepts.size, failure=wish.failure, epsilon=wish.epsilon)


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(20, "floor-points-proper", _proper_points, _proper_points_records, _proper_points_exclude),
    FloorRow(30, "floor-points-any", _any_points, _any_points_records, _any_points_exclude),
    FloorRow(55, "floor-minimal-class", _minimal, _minimal_records),
)
