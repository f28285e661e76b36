"""Compiled recursions of `union_sums`: all states through a gap, a stretch of gaps, a row of blocks.

State j is the number ratio^exponent[j] · value[j] and counts the subsets with j changes of side so far. Its
scale exponent[j] is always attained: value[j] >= 1 up to rounding, or 0 when there is no such subset yet.
Error analysis: docs/proofs/union-sums.md.
"""

from __future__ import annotations

import numpy as np

from privpac.compiled import compiled
from privpac.concepts.trees.powers import Floats, Integers

__all__ = ["scan"]


@compiled
def _is_open(row: Floats, value: Floats, j: int, most: int) -> bool:
    """Whether a term that occurs now has no factor yet."""
    is_open = False
    for c in range(1, most + 1):
        is_open |= row[c] < 0.0 and value[j - c] > 0.0
    return is_open


@compiled
def _is_unprepared(factor: Floats) -> bool:
    for j in range(1, len(factor)):
        for c in range(1, j + 1):
            if factor[j, c] < 0.0:
                return True
    return False


@compiled
def _forget_turns(factor: Floats) -> None:
    """The anchor has moved, and with it the factors of an odd number of changes."""
    for j in range(1, len(factor)):
        for c in range(1, j + 1, 2):
            factor[j, c] = -1.0


@compiled
def _prepare_row(
    j: int,
    most: int,
    walk: int,
    anchor: int,
    exponent: Integers,
    start: Floats,
    local: Floats,
    value: Floats,
    factor: Floats,
    rescales: Integers,
    table: Floats,
    below: int,
) -> None:
    """Set factor[j, c] = ratio^(exponent of the term at D = anchor) for every term that occurs now.

    If a term lies above the scale of state j now, at D = walk, or the state has none yet, the scale moves
    to the highest term. Terms that do not occur must not move it: a scale nobody attains could hide those
    that do.
    """
    sign = 1 if j & 1 else -1
    empty = start[j] == 0.0 and local[j] == 0.0
    lowest = np.int64(2**62)
    for c in range(1, most + 1):
        if value[j - c] > 0.0:
            lowest = min(lowest, exponent[j - c] - exponent[j] + (sign * walk if c & 1 else 0))
    if empty or lowest < 0:
        scale = table[below - lowest] if not empty and below - lowest < len(table) else 0.0
        exponent[j] += lowest
        start[j] *= scale
        local[j] *= scale
        rescales[j] += 1
        for later in range(j + 1, len(value)):
            factor[later, later - j] = -1.0
        for c in range(1, j + 1):
            factor[j, c] = -1.0
    for c in range(1, most + 1):
        if value[j - c] > 0.0:
            steps = exponent[j - c] - exponent[j] + (sign * anchor if c & 1 else 0)
            factor[j, c] = table[below + steps] if below + steps < len(table) else 0.0


@compiled
def _stretch(
    first: int,
    end: int,
    lengths: Floats,
    steps: Integers,
    walk: int,
    anchor: int,
    start: Floats,
    local: Floats,
    value: Floats,
    ways: Floats,
    inverse: Floats,
    factor: Floats,
    table: Floats,
    below: int,
) -> tuple[int, int]:
    """Go on through long gaps while all factors hold; returns the gap where that ends, and D before it."""
    last = len(value) - 1
    for gap in range(first, end):
        length, offset = lengths[gap], walk - anchor
        if length < last or abs(offset) > below:
            return gap, walk
        for c in range(last):
            ways[c + 1] = ways[c] * (length - c) * inverse[c]
        turn, next_turn = table[below - offset], table[below + offset]
        for j in range(last, 0, -1):  # downwards: state j reads the states below it as they were before
            total = 0.0
            for c in range(1, j + 1, 2):
                total += value[j - c] * ways[c] * factor[j, c]
            total *= turn
            turn, next_turn = next_turn, turn
            for c in range(2, j + 1, 2):
                total += value[j - c] * ways[c] * factor[j, c]
            local[j] += total
            value[j] = start[j] + local[j]
        walk += steps[gap]
    return end, walk


@compiled
def _careful(
    length: float,
    walk: int,
    anchor: int,
    exponent: Integers,
    start: Floats,
    local: Floats,
    value: Floats,
    ways: Floats,
    inverse: Floats,
    factor: Floats,
    rescales: Integers,
    table: Floats,
    below: int,
) -> None:
    """Take all states through one gap that may be short, or need factors that are not prepared."""
    last = len(value) - 1
    top = last if length >= last else int(length)
    for c in range(top):
        ways[c + 1] = ways[c] * (length - c) * inverse[c]
    turns = table[below - walk + anchor], table[below + walk - anchor]
    for j in range(last, 0, -1):
        most = min(j, top)
        if _is_open(factor[j], value, j, most):
            _prepare_row(j, most, walk, anchor, exponent, start, local, value, factor, rescales, table, below)
        total = 0.0
        for c in range(1, most + 1, 2):
            total += value[j - c] * ways[c] * factor[j, c]
        total *= turns[j & 1]
        for c in range(2, most + 1, 2):
            total += value[j - c] * ways[c] * factor[j, c]
        local[j] += total
        value[j] = start[j] + local[j]


@compiled
def _note_terms(
    length: float,
    walk: int,
    target: int,
    exponent: Integers,
    value: Floats,
    exponents: Integers,
    mantissas: Floats,
) -> None:
    """The terms that one gap adds to state `target`, by number of changes in the gap."""
    term = walk if target & 1 else -walk
    ways = 1.0
    for c in range(1, target + 1):
        ways = ways * (length - (c - 1)) * (1.0 / c)
        if ways == 0.0:
            break
        exponents[c - 1] = exponent[target - c] + (term if c & 1 else 0)
        mantissas[c - 1] = value[target - c] * ways


@compiled
def scan(
    lengths: Floats,
    steps: Integers,
    block: int,
    walk: int,
    exponent: Integers,
    value: Floats,
    rescales: Integers,
    table: Floats,
    below: int,
    walks: Integers,
    first_exponents: Integers,
    first_values: Floats,
    last_exponents: Integers,
    increments: Floats,
    target: int,
    term_exponents: Integers,
    term_mantissas: Floats,
) -> int:
    """Take all states through whole blocks of gaps; returns D after them.

    For each block D and the states before it are written down, and what it adds to them. D is an anchor,
    whose powers are prepared once, plus an offset small enough for the table. Every block starts afresh, so
    that it can be repeated by itself; for target > 0 the terms that each gap adds to that state are noted
    as well.
    """
    states = len(value)
    start, local, ways, inverse = (
        np.zeros(states),
        np.zeros(states),
        np.ones(states),
        1.0 / np.arange(1.0, states),
    )
    factor = np.full((states, states), -1.0)  # negative: not prepared
    for row in range(len(walks)):
        walks[row] = walk
        for j in range(states):
            first_exponents[row, j] = exponent[j]
            first_values[row, j] = start[j] = value[j]
            local[j] = 0.0
            factor[j, :] = -1.0
        anchor, gap, end = walk, row * block, min((row + 1) * block, len(lengths))
        while gap < end:
            if target == 0 and not _is_unprepared(factor):
                gap, walk = _stretch(
                    gap,
                    end,
                    lengths,
                    steps,
                    walk,
                    anchor,
                    start,
                    local,
                    value,
                    ways,
                    inverse,
                    factor,
                    table,
                    below,
                )
                if gap == end:
                    break
            if target:
                _note_terms(
                    lengths[gap], walk, target, exponent, value, term_exponents[gap], term_mantissas[gap]
                )
            if abs(walk - anchor) > below:
                anchor = walk
                _forget_turns(factor)
            _careful(
                lengths[gap],
                walk,
                anchor,
                exponent,
                start,
                local,
                value,
                ways,
                inverse,
                factor,
                rescales,
                table,
                below,
            )
            walk += steps[gap]
            gap += 1
        for j in range(states):
            last_exponents[row, j] = exponent[j]
            increments[row, j] = local[j]
    return walk
