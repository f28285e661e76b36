"""The rounds of a card: what each draws from, its points, and how they are laid on neighbouring cuts of a column.

A test that is drawn says where a column matters, and roughly where it turns. Its points are laid on several
neighbouring cuts, so that a column rises in steps; then records far from the cut differ from records near it, and a
card of few rounds ranks better, by .01 of AUC (benchmarks/risks.py). All of it follows from the drawn test: drawing is
what costs privacy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from privpac.concepts.cards.both import Both
from privpac.concepts.cards.risks import WALL
from privpac.concepts.cards.tallies import Points
from privpac.concepts.literals.binarise import Binarisation, Group, Test
from privpac.constructions.card.weights import points_of_round

__all__ = ["Round", "Steps", "lay_points", "rounds_in", "steps_for"]

FINEST = 3
"""At most this many points make a fifth of log-odds: then the first round has nine, the largest digit."""

TENTHS = {3: 5, 2: 3, 1: 2}
"""The points of a round on a mixed card, tenths of log-odds, where other cards have 3, 2 or 1 fifths: somewhat smaller
steps, because two answers at once tell more (docs/compare/ranks.md)."""


@dataclass(frozen=True)
class Round:
    """The points of a round, among how many neighbouring cuts they are shared out, and whether it draws two answers at
    once and not a test."""

    points: int
    cuts: int
    together: bool = False


@dataclass(frozen=True)
class Steps:
    """The rounds, and how many points make a fifth of log-odds."""

    rounds: tuple[Round, ...]
    fifth: int

    @property
    def schedule(self) -> tuple[int, ...]:
        """The points of each round."""
        return tuple(one.points for one in self.rounds)


def steps_for(rounds: int, *, fine: bool = False, mixed: bool = False) -> Steps:
    """As many points as leave at most 32 tests on the card; `fine`: small steps of rounds that a delta makes cheap;
    `mixed`: a test each in the first quarter, and then two answers at once.

    >>> steps_for(3).schedule, steps_for(3).fifth
    ((9, 6, 3), 3)
    >>> [steps_for(rounds).fifth for rounds in (5, 9, 18)]
    [3, 2, 1]
    >>> {one.cuts for one in steps_for(32).rounds}
    {1}
    >>> [(one.points, one.cuts, one.together) for one in steps_for(4, mixed=True).rounds]
    [(5, 3, False), (3, 1, True), (3, 1, True), (2, 1, True)]
    """
    fifths = tuple(points_of_round(number, rounds) for number in range(rounds))
    if mixed:
        return Steps(_mixed_rounds(fifths), fifth=2)
    if fine:
        return Steps(tuple(Round(points, points) for points in fifths), FINEST)
    for fifth in range(FINEST, 0, -1):
        if fifth * sum(fifths) <= WALL:
            return Steps(tuple(Round(fifth * points, fifth * points) for points in fifths), fifth)
    return Steps(tuple(Round(points, 1) for points in fifths), 1)


def _mixed_rounds(fifths: tuple[int, ...]) -> tuple[Round, ...]:
    """Single tests first, on several cuts each, so that the card has blocks of columns; then pairs, one line each."""
    alone = (len(fifths) + 2) // 4
    singles = (Round(TENTHS[points], points) for points in fifths[:alone])
    return (*singles, *(Round(TENTHS[points], 1, together=True) for points in fifths[alone:]))


def lay_points(tests: Binarisation, number: int, points: int, *, cuts: int) -> tuple[Points, ...]:
    """The points, more or less than none, of the drawn test: on it alone, or shared out among the cuts around it.

    At an end of the column the cuts are the last ones there are; where there are fewer of them than asked for, some
    have several shares.
    """
    first = 0
    for group in tests.groups:
        if number < first + len(group.cells):
            break
        first += len(group.cells)
    if not group.nested:
        return (Points(tests.tests[number], points),)
    shares: Counter[int] = Counter()
    for place, share in zip(_around(group, number - first, cuts), _shares(points, cuts), strict=True):
        shares[place] += share
    return tuple(Points(tests.tests[first + place], share) for place, share in shares.items())


def _shares(points: int, cuts: int) -> Iterator[int]:
    """Points for each of this many cuts, as equal as whole numbers are.

    >>> list(_shares(6, 3)), list(_shares(-5, 3))
    ([2, 2, 2], [-1, -2, -2])
    """
    sign, total = (1, points) if points > 0 else (-1, -points)
    return (sign * (total * (place + 1) // cuts - total * place // cuts) for place in range(cuts))


def _around(group: Group, place: int, most: int) -> list[int]:
    """This many places around a drawn one, ascending, as many as there are or some of them twice."""
    size = len(group.cells)
    if size < most:
        return [number * size // most for number in range(most)]
    start = min(max(place - (most - 1) // 2, 0), size - most)
    return list(range(start, start + most))


def rounds_in(draws: tuple[Points, ...], schedule: tuple[int, ...]) -> Iterator[tuple[Points, ...]]:
    """What each round brought: tests of one column in ascending order, of one sign, whose points add up to the round's.

    Ends early where the tests are no such rounds, and has one part too many where tests are left.
    """
    rest = draws
    for points in schedule:
        count, total = 0, 0
        while count < len(rest) and total < points:
            total += abs(rest[count].points)
            count += 1
        part, rest = rest[:count], rest[count:]
        if total != points or not _is_one_round(part):
            return
        yield part
    if rest:
        yield rest


def _is_one_round(part: tuple[Points, ...]) -> bool:
    if any(isinstance(one.test, Both) for one in part):
        return len(part) == 1
    tests = [one.test for one in part if isinstance(one.test, Test)]
    return (
        len({(test.column, test.kind, one.points > 0) for test, one in zip(tests, part, strict=True)}) == 1
        and all(a.cell < b.cell for a, b in pairwise(tests))
        and (len(part) == 1 or tests[0].kind == "at least")
    )
