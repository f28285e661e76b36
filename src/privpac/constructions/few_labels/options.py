"""Fewer labels at the price of records without any: relabelling by a private draw, and a sanitised table first."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.concepts.grids import FULL, grid_of_word
from privpac.constructions.class_facts import DICHOTOMIES, ClassFacts, can_list, can_vote, members_from
from privpac.constructions.commands import draw_command, learn_command
from privpac.constructions.few_labels.active import records_active
from privpac.constructions.few_labels.after_labels import Family, Spreading
from privpac.constructions.few_labels.boost import BOOSTING
from privpac.constructions.few_labels.floors import labels_floor
from privpac.constructions.few_labels.generic import POINTS, points_of_boxes
from privpac.constructions.few_labels.relabel import RELABELLING
from privpac.constructions.option import FloorRow, Need, Option, Setting
from privpac.constructions.release.quantiles import plan_quantiles
from privpac.constructions.release.tree_counts import plan_tree
from privpac.constructions.wish import Wish
from privpac.data.sample import Size
from privpac.numbers.exact import first_whole, plain, ratio_for
from privpac.numbers.search import PLENTY
from privpac.theory import agnostic_floors, sizes
from privpac.theory.vc import relative_error

PLACE = 40

POOLS = tuple(10**k * step for k in range(3, 9) for step in (1, 2, 5))
"""Unlabelled records that are tried, fewest first."""

ENOUGH = Fraction(3, 2)
"""The smallest pool within this factor of the fewest labels: further labels cost ten times the pool each."""


def _spread(concepts: ClassFacts) -> bool:
    """Classes whose labellings of the unlabelled points can be drawn; `any` stands for them."""
    return concepts.kind == "any" or can_list(concepts)


def _can_relabel(concepts: ClassFacts) -> bool:
    """Classes on whose labellings records can vote."""
    return concepts.kind == "any" or can_vote(concepts)


def _others(wish: Wish) -> int:
    return PLENTY if wish.unlabelled is None else max(1, wish.unlabelled)


@dataclass(frozen=True)
class _Rows:
    """Rows of a plan for a way to spread labels."""

    way: Spreading
    voted: bool

    def family(self, concepts: ClassFacts) -> Family:
        """The public numbers of a class."""
        first = members_from(concepts, voted=self.voted)
        return Family(concepts.size, concepts.vc, concepts.odds, first)

    def at(self, wish: Wish, labelled: int, unlabelled: int | None = None) -> Need | None:
        """What so many records need, beside all the others unless it is said how many; None if they do not suffice."""
        size = Size(labelled, unlabelled or _others(wish))
        numbers = self.way.enough(self.family(wish.concepts), size, **wish.goal)
        if numbers is None:
            return None
        kept = numbers.kept if self.voted else numbers.kept_labelled
        return Need(labelled, numbers.taken, {"kept": str(kept)})

    def needs(self, wish: Wish) -> Need:
        """The fewest labels; where any number of others is at hand, the smallest pool that saves nearly as many."""
        fewest = self.way.fewest(self.family(wish.concepts), unlabelled=_others(wish), **wish.goal)
        most = self.at(wish, fewest.labelled)
        assert most is not None
        if wish.unlabelled is not None:
            return most
        labelled = math.ceil(ENOUGH * most.labelled)
        pools = [n for n in POOLS if n < most.unlabelled]
        place = first_whole(
            lambda k: k >= len(pools) or self.at(wish, labelled, pools[k]) is not None, start=len(pools) // 2
        )
        smaller = self.at(wish, labelled, pools[place]) if place < len(pools) else None
        return most if smaller is None else smaller

    def can_run(self, wish: Wish, need: Need) -> bool:
        """Whether labellings of as many points as it takes with these records can be listed, or voted on."""
        if not can_list(wish.concepts, voted=self.voted):
            return False
        size = Size(need.labelled, need.unlabelled)
        numbers, _ = self.way.best(
            self.family(wish.concepts), size, epsilon=wish.epsilon, failure=wish.failure
        )
        points = numbers.kept if self.voted else numbers.points
        return can_list(wish.concepts, voted=self.voted, points=points, voters=need.labelled)


BOOST, RELABEL = _Rows(BOOSTING, voted=False), _Rows(RELABELLING, voted=True)


def _unlabelled_command(method: str) -> Callable[[Wish, Need], str | None]:
    def command(wish: Wish, need: Need) -> str | None:
        way = {"boost": BOOST, "relabel": RELABEL}.get(method)
        if way is not None and not way.can_run(wish, need):
            return None
        return learn_command(wish, need, options=f"--unlabelled UNLABELLED --method {method}")

    return command


def _line(concepts: ClassFacts) -> bool:
    """Classes of ranges of fine columns; boxes on all cells, for a coarse grid is not what the points come from."""
    if concepts.kind == "rectangles":
        full = grid_of_word(concepts.word.partition(":")[2])[1] == FULL
        return full and max(concepts.groups) > POINTS[-1]
    if concepts.kind == "stumps":
        return max(_table_cells(concepts), default=0) > POINTS[-1]
    is_line = concepts.kind in ("intervals", "unions") or (concepts.kind == "thresholds" and concepts.vc == 1)
    return is_line and (concepts.cells or 0) > POINTS[-1]


def _table_cells(concepts: ClassFacts) -> list[int]:
    """Cells of every column of which a table is released."""
    if concepts.kind == "stumps":
        return [cells for cells, is_ordered in concepts.table if is_ordered]
    return list(concepts.groups) or [concepts.cells or 1]


def _generic(wish: Wish) -> Need | None:
    """The smallest pool that saves nearly as many labels as the largest one."""
    pools = [n for n in POOLS if wish.unlabelled is None or n <= wish.unlabelled]
    fewest = _labels(wish, pools[-1]) if pools else None
    return None if fewest is None else _smallest_pool(wish, int(ENOUGH * fewest), pools)


def _smallest_pool(wish: Wish, n: int, pools: list[int]) -> Need | None:
    """The smallest pool beside which this many labels are enough, and the labels that are needed beside it."""

    def labels(place: int) -> int | None:
        fewest = _labels(wish, pools[place])
        return fewest if fewest is not None and fewest <= n else None

    last = len(pools) - 1
    if not pools or labels(last) is None:
        return None
    place = first_whole(lambda k: k >= last or labels(k) is not None, start=last // 2)
    return Need(labels(place) or n, pools[place])


@lru_cache(maxsize=512)
def _labels(wish: Wish, pool: int) -> int | None:
    """Labelled records needed beside a pool of this many unlabelled ones, a third of the failure for each step."""
    concepts, third = wish.concepts, wish.failure / 3
    ends = 1 if concepts.kind in ("thresholds", "stumps") else 2 * concepts.parts
    cut, best = _cut_error(wish, pool), None
    for points in points_of_boxes(concepts.parts) if concepts.groups else POINTS:
        # Between two kept points lies at most one share of the table; a range is two cuts, each off by the error.
        gap = ends * (Fraction(1, points) + 2 * cut)
        if gap >= wish.error:
            continue
        tolerated = relative_error(gap, n=pool, failure=third, vc=concepts.vc)
        if tolerated >= wish.error:
            continue
        labels = sizes.records_occam(
            Fraction(_snapped_members(concepts, points)),
            error=wish.error,
            tolerated=tolerated,
            failure=third,
            ratio=ratio_for(wish.epsilon / 2),
        )
        best = labels if best is None else min(best, labels)
    return best


def _cut_error(wish: Wish, pool: int) -> Fraction:
    """How far the share below any cut of a released column may be off; several columns share epsilon and failure."""
    concepts = wish.concepts
    column_sizes = _table_cells(concepts)
    columns, cells = len(column_sizes), max(column_sizes)
    epsilon, failure = wish.epsilon / columns, wish.failure / 3 / columns
    by_halving = plan_quantiles(pool, cells=cells, epsilon=epsilon, failure=failure, ratio_of=ratio_for).error
    if columns == 1 and not concepts.groups:
        return by_halving
    by_counts = plan_tree(pool, cells=cells, epsilon=epsilon, failure=failure)
    return by_halving if by_counts is None else min(by_halving, Fraction(by_counts.off, pool))


def _snapped_members(concepts: ClassFacts, points: int) -> int:
    """Members whose ends lie on this many points per column, or at the two ends of it."""
    if concepts.groups:
        return math.prod([(points + 1) * (points + 2) // 2] * len(concepts.groups)) + 1
    if concepts.kind == "stumps":  # of every column as likely beforehand, the two constants as a column
        tests = (
            2 * min(points, cells - 1) if is_ordered else 2 * cells for cells, is_ordered in concepts.table
        )
        return (len(concepts.table) + 1) * max(2, *tests)
    ends = 1 if concepts.kind == "thresholds" else 2 * concepts.parts
    return sum(math.comb(points + 2, k) for k in range(ends + 1))


INNER = tuple(Fraction(k) for k in (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40))
"""What those who are asked may lose among themselves; the records that hide them pay for it."""


@lru_cache(maxsize=512)
def _hidden_needs(wish: Wish, agnostic: bool) -> list[Need]:
    """What is needed at every epsilon among those who are asked, as far as there are records to hide them."""
    needs = [_questions_at(wish, inner, agnostic) for inner in INNER if inner > wish.epsilon]
    return [need for need in needs if wish.unlabelled is None or need.unlabelled <= wish.unlabelled]


def _questions_at(wish: Wish, inner: Fraction, agnostic: bool) -> Need:
    size = wish.concepts.odds + 1
    if agnostic:
        labelled = sizes.records_agnostic(
            size, excess=wish.error, failure=wish.failure, epsilon=inner, noise=wish.noise
        )
    else:
        labelled = sizes.records_occam(size, error=wish.error, failure=wish.failure, epsilon=inner)
    records = records_active(labelled, inner=inner, epsilon=wish.epsilon)
    return Need(labelled, records - labelled, {"inner": plain(inner), "records": str(records)})


def _ask_command(wish: Wish, need: Need) -> str | None:
    command = draw_command(wish, need)
    if command is None:
        return None
    return command.replace("privpac learn DATA", "privpac active ask DATA FOLDER") + (
        f" --labels {need.labelled} --method plain"
    )


ASKABLE = (*DICHOTOMIES, "generated", "scorecards", "halfspaces")
"""Classes learnt by one plain draw, which `privpac active` takes."""


def _asking(setting: Setting, source: str) -> Option:
    """Few are asked for their labels, at a large epsilon among themselves: the others hide who they are."""
    agnostic = setting == "agnostic"

    def needs(wish: Wish) -> Need | None:
        everybody = _questions_at(wish, wish.epsilon, agnostic).labelled
        room = _hidden_needs(wish, agnostic)
        fewest = min((need.labelled for need in room), default=0)
        choice = next((need for need in room if need.labelled <= ENOUGH * fewest), None)
        return choice if choice is not None and choice.labelled < everybody else None

    def at(wish: Wish, n: int) -> Need | None:
        """The fewest others that hide who of this many are asked, if this many labels are enough at all."""
        room = _hidden_needs(wish, agnostic)
        return next((need for need in room if need.labelled <= n and need.unlabelled <= _others(wish)), None)

    return Option(
        "active",
        "a random few are asked for their labels, one draw from them",
        source,
        needs,
        setting=setting,
        serves=lambda concepts: concepts.kind in (*ASKABLE, "any"),
        pool=True,
        asks=True,
        at=at,
        command=_ask_command,
    )


OPTIONS: tuple[Option, ...] = (
    Option(
        "generic-learner",
        "a sanitised table names the candidates, labels choose",
        "generic-learner",
        _generic,
        serves=_line,
        pool=True,
        at=lambda wish, n: _smallest_pool(wish, n, [pool for pool in POOLS if pool <= _others(wish)]),
        command=_unlabelled_command("generic"),
    ),
    Option(
        "ssl-relabel",
        "unlabelled points relabelled by a draw, then learnt from",
        "ssl-relabel-accuracy",
        RELABEL.needs,
        serves=_can_relabel,
        pool=True,
        at=RELABEL.at,
        command=_unlabelled_command("relabel"),
    ),
    Option(
        "label-boost",
        "labels spread over unlabelled points, then a draw",
        "label-boost-realizable",
        BOOST.needs,
        serves=_spread,
        pool=True,
        at=BOOST.at,
        command=_unlabelled_command("boost"),
    ),
    _asking("realizable", "active-subsampling"),
    _asking("agnostic", "active-subsampling"),
)


def _labels_records(wish: Wish) -> int:
    """Every learner, private or not; outside the condition of the theorem nothing is known."""
    if wish.failure >= Fraction(1, 2) or wish.error * 4 * (1 - wish.failure) >= 1 - 2 * wish.failure:
        return 0
    return labels_floor(wish.concepts.shatters, error=wish.error, failure=wish.failure)


def _few_points(option: Option, wish: Wish) -> bool:
    """All mass lies on a few points, which a density bound excludes; who asks for labels can ask at each of them."""
    return wish.concepts.shatters > 1 and wish.concepts.kappa is None and not option.asks


def _noisy(place: int, source: str, *, answers: bool) -> FloorRow:
    """Promises against the best rule for every noise, from labels that are given: of rules, or of answers with fresh
    coins, whose error is a mean over them."""
    floor = agnostic_floors.floor_agnostic_answers if answers else agnostic_floors.floor_agnostic
    failure = (
        agnostic_floors.least_failure_agnostic_answers if answers else agnostic_floors.least_failure_agnostic
    )
    half = Fraction(1, 2)

    def binds(option: Option, wish: Wish) -> bool:
        any_noise = option.setting == "agnostic" and wish.noise is None and wish.concepts.kappa is None
        return any_noise and not option.asks and (option.protects == "predictions") == answers

    def records(wish: Wish) -> int:
        if wish.failure >= half:
            return 0
        return floor(wish.concepts.shatters, excess=wish.error, failure=wish.failure)

    def excludes(wish: Wish, n: int) -> bool:
        return wish.failure < min(failure(n, excess=wish.error), half) or records(wish) > n

    return FloorRow(place, source, binds, records, excludes)


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(90, "floor-labels", _few_points, _labels_records),
    _noisy(92, "floor-agnostic", answers=False),
    _noisy(94, "floor-agnostic-answers", answers=True),
)
