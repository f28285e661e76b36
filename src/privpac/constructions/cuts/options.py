"""A cut by other ways than one draw: recursion over its bits, through ranges, behind noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.commands import learn_command
from privpac.constructions.cuts.blocks_formulas import records_blocks
from privpac.constructions.cuts.formulas import SWITCH_SHARE, error_switch
from privpac.constructions.cuts.recursive_formulas import records_rec_concave
from privpac.constructions.option import FloorRow, Need, Option, cells_of, fewest, protects_whole_records
from privpac.constructions.wish import Wish
from privpac.numbers.exact import plain, ratio_for
from privpac.theory import any_floors, floors, sizes
from privpac.theory.occam import error_occam

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 30


def _cuts(concepts: ClassFacts) -> bool:
    return concepts.kind == "thresholds" and concepts.vc == 1 and (concepts.cells or 0) >= 4


def _blocks(wish: Wish) -> Need | None:
    if 2 * wish.delta > min(wish.epsilon, Fraction(1)):
        return None
    return Need(records_blocks(cells_of(wish), **wish.goal, delta=wish.delta))


def _with_delta(kind: str) -> Callable[[Wish, Need], str | None]:
    def command(wish: Wish, need: Need) -> str | None:
        word = f"{kind}:" + wish.concepts.word.partition(":")[2]
        return learn_command(wish, need, concepts=word, options=f"--delta {plain(wish.delta)}")

    return command


RANGES = 2
"""Ranges the first rule may have, as in the example of the word: enough to see what the way costs."""


MOST_CELLS = 2**64
"""Sums over ranges of longer keys are not run."""


def _switches_error(wish: Wish, n: int) -> Fraction | None:
    """What SwitchCuts over ranges certifies: half of the failure for the ranges, the rest for the choice."""
    cells, changes = wish.concepts.cells, 2 * RANGES
    assert cells is not None
    selection = math.floor(n * SWITCH_SHARE)
    if selection < 1 or n - selection < 1:
        return None
    ranges = sum(math.comb(cells, k) for k in range(min(changes, cells) + 1))
    half, ratio = wish.failure / 2, ratio_for(wish.epsilon / 2)
    inner = error_occam(n - selection, size=ranges, failure=half, epsilon=wish.epsilon)
    if inner >= 1:
        return None
    error = error_switch(selection, candidates=changes + 2, failure=half, tolerated=inner, ratio=ratio)
    return error if error < Fraction(1, 2) else None


def _switches_at(wish: Wish, n: int) -> Need | None:
    error = _switches_error(wish, n)
    enough = error is not None and error <= wish.error
    return Need(n, parameters={"ranges": str(RANGES)}) if enough else None


def _switches_command(wish: Wish, need: Need) -> str | None:
    rest = wish.concepts.word.partition(":")[2]
    return learn_command(wish, need, concepts=f"switches:{rest}:{RANGES}")


def _rate(wish: Wish) -> Fraction:
    """How often an answer is flipped: the fourth part of error times failure, less where that were too many cells.

    Three digits of it, so that it can be written in a command.
    """
    rate = min(wish.error * wish.failure / 4, Fraction(MOST_FLIPS, max(cells_of(wish), LARGEST_NOISY)))
    unit = Fraction(1, 10 ** (2 - math.floor(math.log10(rate))))
    return rate // unit * unit


def _noisy(wish: Wish) -> Need | None:
    """One draw with half of error and failure, behind noise whose mean is the fourth part of error times failure."""
    return _noisy_need(wish, wish.error / 2, wish.failure / 2)


def _denoising(wish: Wish) -> Need | None:
    """The cut nearest to the noisy answers: the draw's own promise, and 4·rate of failure."""
    rate = _rate(wish)
    return _noisy_need(wish, wish.error, wish.failure - 4 * rate * (1 - rate))


def _noisy_need(wish: Wish, error: Fraction, failure: Fraction) -> Need:
    n = sizes.records_occam(wish.concepts.size, error=error, failure=failure, epsilon=wish.epsilon)
    return Need(n, parameters={"rate": plain(_rate(wish))})


def _short_cuts(concepts: ClassFacts) -> bool:
    return _cuts(concepts) and (concepts.cells or 0) <= MOST_NOISY


LARGEST_NOISY, MOST_FLIPS, MOST_NOISY = 2**20, 2**17, 2**62
"""As `constructions.cuts.noisy`: cells with a coin each, flipped ones among more cells, and most cells."""


def _noisy_command(kind: str) -> Callable[[Wish, Need], str | None]:
    def command(wish: Wish, need: Need) -> str | None:
        rest = wish.concepts.word.partition(":")[2]
        return learn_command(wish, need, concepts=f"{kind}:{rest}:{need.parameters['rate']}")

    return command


OPTIONS: tuple[Option, ...] = (
    Option(
        "rec-concave",
        "one level of recursion over the bits of a cut",
        "rec-concave",
        lambda wish: Need(records_rec_concave(cells_of(wish), **wish.goal, delta=wish.delta)),
        serves=_cuts,
        pure=False,
        command=_with_delta("recconcave"),
    ),
    Option(
        "blocks",
        "one draw among the middles of occupied blocks",
        "occupied-blocks-accuracy",
        _blocks,
        serves=_cuts,
        pure=False,
        command=_with_delta("blocks"),
    ),
    Option(
        "switches",
        "a cut among the ends of ranges that were learnt first",
        "switch-reconstruction",
        lambda wish: fewest(wish, _switches_at, start=2000, smallest=2),
        serves=lambda concepts: _cuts(concepts) and (concepts.cells or 0) <= MOST_CELLS,
        at=_switches_at,
        error=_switches_error,
        command=_switches_command,
    ),
    Option(
        "noisy-cuts",
        "one draw, every answer flipped now and then: a rule that is no cut",
        "independent-noise",
        _noisy,
        proper=False,
        serves=_short_cuts,
        command=_noisy_command("noisy-cuts"),
    ),
    Option(
        "denoised-cuts",
        "the cut nearest to a rule whose answers are flipped now and then",
        "noise-reconstruction",
        _denoising,
        serves=_short_cuts,
        command=_noisy_command("denoised-cuts"),
    ),
)


def _proper_thresholds(option: Option, wish: Wish) -> bool:
    concepts = wish.concepts
    proper = protects_whole_records(option, delta=True) and option.proper and (concepts.cells or 0) >= 2
    return proper and concepts.kind == "thresholds" and concepts.vc == 1


def _few_switches(option: Option, wish: Wish) -> bool:
    """Every threshold is an interval, and a union of k intervals changes its label at most 2k times."""
    line = wish.concepts.kind in ("thresholds", "intervals", "unions")
    return protects_whole_records(option) and option.proper and line and (wish.concepts.cells or 0) >= 2


def _changes(wish: Wish) -> int:
    return 2 if wish.concepts.kind == "thresholds" else 2 * wish.concepts.parts


def _thresholds_records(wish: Wish) -> int:
    return floors.floor_thresholds_proper(cells_of(wish), **wish.goal, delta=wish.delta)


def _thresholds_exclude(wish: Wish, n: int) -> bool:
    numbers = {**wish.without("failure"), "delta": wish.delta}
    return floors.least_failure_thresholds(n, domain=cells_of(wish), **numbers) > wish.failure


def _switches_records(wish: Wish) -> int:
    often = 1 - wish.failure
    return floors.floor_thresholds_few_switches(
        cells_of(wish), switches=_changes(wish), success=often, **wish.without("failure")
    )


def _switches_exclude(wish: Wish, n: int) -> bool:
    most = floors.most_success_thresholds_few_switches(
        n, domain=cells_of(wish), switches=_changes(wish), **wish.without("failure")
    )
    return most < 1 - wish.failure


def _levels(concepts: ClassFacts) -> int:
    """Levels of a tree of mistakes: a binary search for every end of a rule, each among cells of its own."""
    match concepts.kind:
        case "thresholds":
            blocks = [concepts.cells or 1]
        case "intervals" | "unions":
            ends = 2 * concepts.parts
            blocks = [(concepts.cells or 1) // ends] * ends
        case "rectangles":
            blocks = [cells // 2 for cells in concepts.groups for _ in range(2)]
        case _:
            blocks = []
    return sum(cells.bit_length() - 1 for cells in blocks if cells)


def _paths(option: Option, wish: Wish) -> bool:
    return protects_whole_records(option) and not option.asks and _levels(wish.concepts) >= 1


def _paths_records(wish: Wish) -> int:
    return any_floors.floor_mistake_tree(_levels(wish.concepts), **wish.goal)


def _paths_exclude(wish: Wish, n: int) -> bool:
    depth = min(_levels(wish.concepts), any_floors.MOST_LEVELS)
    mistakes = any_floors.best_mistakes(depth, error=wish.error, epsilon=wish.epsilon)
    if mistakes is None:
        return False
    numbers = wish.without("failure")
    most = any_floors.most_success_mistake_tree(n, depth=depth, mistakes=mistakes, **numbers)
    return most < 1 - wish.failure


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(40, "floor-thresholds-proper", _proper_thresholds, _thresholds_records, _thresholds_exclude),
    FloorRow(50, "floor-thresholds-few-switches", _few_switches, _switches_records, _switches_exclude),
    FloorRow(52, "floor-mistake-tree", _paths, _paths_records, _paths_exclude),
)
