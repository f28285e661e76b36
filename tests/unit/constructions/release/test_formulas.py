"""Numbers of records: values worked out beforehand, and the inequalities they rest on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from privpac.constructions.release.blr import plan_candidates, radius_listed, radius_quantiles
from privpac.constructions.release.histogram import failure_histogram, plan_histogram
from privpac.constructions.release.quantiles import plan_quantiles, rank_errors
from privpac.constructions.release.tree_counts import failure_tree, plan_tree, tree_levels
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import claims, moved, scaled

ONE, FAILURE, TENTH = Fraction(1), Fraction(1, 20), Fraction(1, 10)
RATIO = ratio_for(Fraction(1, 2))


def needed(promised: Callable[[int], Fraction | None], error: Fraction = TENTH, most: int = 10**6) -> int:
    """The smallest number of records with this promise."""
    low, high = 1, most
    while low < high:
        n = (low + high) // 2
        found = promised(n)
        low, high = (low, n) if found is not None and found <= error else (n + 1, high)
    return low


def histogram(bits: int, *, clean: bool) -> Callable[[int], Fraction]:
    wanted = None if clean else TENTH
    return lambda n: Fraction(
        plan_histogram(n, cells=2**bits, ratio=RATIO, failure=FAILURE, error=wanted).steps, n
    )


def tree(
    bits: int, branching: int | None = None, *, full: bool | None = None
) -> Callable[[int], Fraction | None]:
    def promised(n: int) -> Fraction | None:
        plan = plan_tree(n, cells=2**bits, epsilon=ONE, failure=FAILURE, branching=branching, full=full)
        return None if plan is None else Fraction(plan.off, n)

    return promised


def quantiles(bits: int) -> Callable[[int], Fraction]:
    return lambda n: plan_quantiles(n, cells=2**bits, epsilon=ONE, failure=FAILURE, ratio_of=ratio_for).error


def candidates(bits: int) -> Callable[[int], Fraction]:
    return lambda n: plan_candidates(n, cells=2**bits, ratio=RATIO, failure=FAILURE).error


@pytest.mark.parametrize(
    ("bits", "dense", "clean"), [(8, 176, 382), (16, 287, 502), (32, 508, 726), (64, 952, 1188)]
)
def test_histograms_need_no_more_than_worked_out(bits: int, dense: int, clean: int) -> None:
    """Ours count only occupied cells as too low, and let up to one empty cell stay: fewer records on both sides."""
    assert needed(histogram(bits, clean=False)) <= dense
    assert needed(histogram(bits, clean=True)) <= clean


@pytest.mark.parametrize(("bits", "records"), [(8, 1088), (16, 3823)])
def test_full_trees_need_no_more_than_worked_out(bits: int, records: int) -> None:
    assert records - 10 <= needed(tree(bits)) <= records


@pytest.mark.parametrize(("bits", "binary"), [(8, 3341), (16, 11605), (32, 42728)])
def test_sixteen_children_beat_two(bits: int, binary: int) -> None:
    two = needed(tree(bits, 2, full=True))
    assert binary - 40 <= two <= binary
    assert needed(tree(bits, 16, full=True)) < two / 2


def test_full_trees_of_huge_domains_need_what_was_worked_out() -> None:
    assert needed(tree(32, 16, full=True)) <= 14163
    assert needed(tree(64, 16, full=True)) <= 54335
    # What is not counted may hide records: expanding on demand costs a fifth more.
    assert needed(tree(32)) <= 1.2 * 14163


@pytest.mark.parametrize(("bits", "records"), [(8, 6222), (16, 9096), (32, 14842), (64, 26336)])
def test_quantiles_need_no_more_than_worked_out_although_values_may_repeat(bits: int, records: int) -> None:
    assert needed(quantiles(bits)) <= records


@pytest.mark.parametrize(("bits", "records"), [(16, 14_549), (32, 32_334)])
def test_quantile_candidates_at_an_error_of_a_twentieth(bits: int, records: int) -> None:
    found = needed(candidates(bits), Fraction(1, 20))
    assert records - 50 <= found <= records
    if bits == 16:
        assert plan_candidates(found, cells=2**16, ratio=RATIO, failure=FAILURE).points == 21


OURS: dict[str, tuple[Callable[[], list[int]], list[int], list[int]]] = {
    # What is needed, ours and as worked out beforehand. Only occupied cells can be too low, whole counts and exact
    # powers: multiples of ten, since a tenth of the records is what a count may be off by.
    "all counts, 8 … 64 bits": (
        lambda: [needed(histogram(d, clean=False)) for d in (8, 16, 32, 64)],
        [170, 270, 490, 930],
        [176, 287, 508, 952],
    ),
    "counts without empty cells": (
        lambda: [needed(histogram(d, clean=True)) for d in (8, 16, 32, 64)],
        [260, 370, 600, 1050],
        [382, 502, 726, 1188],
    ),
    "sixteen children": (
        lambda: [needed(tree(d, 16, full=True)) for d in (8, 16, 32, 64)],
        [1080, 3820, 14160, 54310],
        [1088, 3823, 14163, 54335],
    ),
    "two children": (
        lambda: [needed(tree(d, 2, full=True)) for d in (8, 16, 32, 64)],
        [3340, 11600, 42710, 163290],
        [3341, 11605, 42728, 163402],
    ),
    # Ranks are halved and copies of a value get places of their own.
    "quantiles": (
        lambda: [needed(quantiles(d)) for d in (8, 16, 32, 64)],
        [6085, 8030, 11856, 19446],
        [6222, 9096, 14842, 26336],
    ),
    "candidates at 1/20, 16 and 32 bits": (
        lambda: [needed(candidates(d), Fraction(1, 20)) for d in (16, 32)],
        [14548, 32302],
        [14549, 32334],
    ),
}


@pytest.mark.parametrize("name", OURS)
def test_what_is_needed_to_the_record(name: str) -> None:
    found, ours, known = OURS[name]
    assert found() == ours
    assert all(a <= b for a, b in zip(ours, known, strict=True))


def test_generic_candidates_need_five_hundred_times_as_many() -> None:
    """ln(2|Q|)/(2·l²·error²) points at l = 2/3, over a domain of 2^16: lists of them, or multisets."""
    points = math.ceil(math.log(2 * 2**16) / (2 * (2 / 3) ** 2 * 0.05**2))
    assert points == 5303
    lists = points * math.log(2**16)
    multisets = sum(math.log((2**16 + i) / (i + 1)) for i in range(points))
    wider = math.ceil(math.log(2 * 2**32) / (2 * (2 / 3) ** 2 * 0.05**2)) * math.log(2**32)
    for log, records in ((lists, 7_057_818), (multisets, 2_261_186), (wider, 27_399_747)):
        assert math.ceil(2 * (log + math.log(20)) / ((1 - 2 / 3) * 0.05)) == records


def test_heights_only_help_until_empty_cells_are_gone() -> None:
    low = failure_histogram(60, cells=2**32, records=500, ratio=RATIO, above=0)
    assert failure_histogram(60, cells=2**32, records=500, ratio=RATIO, above=20) >= low
    assert failure_histogram(5, cells=4, records=3, ratio=RATIO, above=6) == 1
    assert failure_histogram(61, cells=2**32, records=500, ratio=RATIO, above=0) < low


def test_a_wanted_error_raises_the_height_and_keeps_the_promise() -> None:
    plain = plan_histogram(5000, cells=2**32, ratio=RATIO, failure=FAILURE)
    wished = plan_histogram(5000, cells=2**32, ratio=RATIO, failure=FAILURE, error=TENTH)
    assert wished.above > plain.above
    assert plain.steps < wished.steps <= 500
    again = failure_histogram(wished.steps, cells=2**32, records=5000, ratio=RATIO, above=wished.above)
    assert again <= FAILURE


@claims(tree_levels=moved(-1))
def test_levels_of_a_tree() -> None:
    assert [tree_levels(cells, 2) for cells in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]
    assert tree_levels(2**64, 16) == 16


def test_plans_are_proved_and_one_step_less_is_not() -> None:
    for bits, n in ((16, 5000), (32, 20000)):
        plan = plan_tree(n, cells=2**bits, epsilon=ONE, failure=FAILURE)
        assert plan is not None
        assert failure_tree(plan, records=n) <= FAILURE
        assert failure_tree(replace(plan, steps=plan.steps - plan.steps // 20), records=n) > FAILURE


def test_nothing_is_planned_where_noise_swamps_everything() -> None:
    assert plan_tree(3, cells=2**16, epsilon=Fraction(1, 10**6), failure=FAILURE) is None
    assert plan_tree(3, cells=2**16, epsilon=Fraction(1, 10**30), failure=FAILURE) is None
    with pytest.raises(ArithmeticError, match="proves nothing"):
        plan_quantiles(3, cells=4, epsilon=Fraction(1, 10**30), failure=FAILURE, ratio_of=ratio_for)


@claims(rank_errors=scaled(0.99))
def test_rank_errors_follow_the_recursion() -> None:
    assert rank_errors(5, ONE) == Fraction(57, 16)
    assert rank_errors(0, ONE) == 0


def test_radii() -> None:
    assert radius_quantiles(21) == Fraction(1, 42)
    # Rounding wins on few cells, chance on many.
    assert radius_listed(20, cells=4, queries=6) == Fraction(4, 80)
    many = radius_listed(400, cells=10**6, queries=100)
    assert many == pytest.approx(math.sqrt(math.log(200) / 800), abs=1e-9)


@claims(radius_listed=scaled(0.99))
def test_rounding_reaches_its_radius() -> None:
    """The worst of all count vectors over four cells comes within the radius of some multiset, and not much nearer."""
    points, n, cells = 3, 12, 4
    multisets = [
        [p.count(c) for c in range(cells)] for p in combinations_with_replacement(range(cells), points)
    ]
    worst = Fraction(0)
    for counts in product(range(n + 1), repeat=cells - 1):
        if sum(counts) > n:
            continue
        full = [*counts, n - sum(counts)]
        best = min(
            sum(
                (max(Fraction(0), Fraction(full[c], n) - Fraction(m[c], points)) for c in range(cells)),
                Fraction(0),
            )
            for m in multisets
        )
        worst = max(worst, best)
    assert worst == radius_listed(points, cells=cells, queries=2**cells)
