"""How the points of a round are laid on a column: one on each of neighbouring cuts, so that a column rises in steps.

A test that is drawn says where a column matters, and roughly where it turns. Its points are laid on as many
neighbouring cuts as there are points; then records far from the cut differ from records near it, and a card of few
rounds ranks better, by .01 of AUC (benchmarks/scores.py). All of it follows from the drawn test: drawing is what
costs privacy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from privpac.concepts.cards.risks import WALL
from privpac.concepts.cards.tallies import Points
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.weights import points_of_round

__all__ = ["Steps", "laid", "rounds_in", "steps_for"]

FINEST = 3
"""At most so many points make a fifth of log-odds: then the first round has nine, the largest digit."""


@dataclass(frozen=True)
class Steps:
    """The points of each round, how many of them make a fifth of log-odds, and whether they lie on several cuts."""

    schedule: tuple[int, ...]
    fifth: int
    spread: bool


def steps_for(rounds: int, *, fine: bool) -> Steps:
    """As many points as leave at most 32 tests on the card; `fine`: small steps of rounds that a delta makes cheap.

    >>> steps_for(3, fine=False)
    Steps(schedule=(9, 6, 3), fifth=3, spread=True)
    >>> [steps_for(rounds, fine=False).fifth for rounds in (5, 9, 18)]
    [3, 2, 1]
    >>> steps_for(32, fine=False).spread
    False
    """
    plain = tuple(points_of_round(number, rounds) for number in range(rounds))
    if fine:
        return Steps(plain, FINEST, spread=True)
    for fifth in range(FINEST, 0, -1):
        if fifth * sum(plain) <= WALL:
            return Steps(tuple(fifth * points for points in plain), fifth, spread=True)
    return Steps(plain, 1, spread=False)


def laid(tests: Binarisation, number: int, points: int, *, spread: bool) -> tuple[Points, ...]:
    """The points, more or less than none, of the drawn test: on it alone, or one each on the cuts around it.

    At an end of the column the cuts are the last ones there are; where there are fewer cuts than points, each has as
    many as the others, or one more.
    """
    first = 0
    for group in tests.groups:
        if number < first + len(group.cells):
            break
        first += len(group.cells)
    most, size = abs(points), len(group.cells)
    if not spread or not group.nested:
        return (Points(tests.tests[number], points),)
    if size < most:
        places = Counter(place * size // most for place in range(most))
    else:
        start = min(max(number - first - (most - 1) // 2, 0), size - most)
        places = Counter(range(start, start + most))
    sign = 1 if points > 0 else -1
    return tuple(Points(tests.tests[first + place], sign * times) for place, times in sorted(places.items()))


def rounds_in(drawn: tuple[Points, ...], schedule: tuple[int, ...]) -> Iterator[tuple[Points, ...]]:
    """What each round brought: tests of one column in ascending order, of one sign, whose points add up to the round's.

    Ends early where the tests are no such rounds, and has one part too many where tests are left.
    """
    rest = drawn
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
    cells = [one.test.cell for one in part]
    return (
        len({(one.test.column, one.test.kind, one.points > 0) for one in part}) == 1
        and all(a < b for a, b in pairwise(cells))
        and (len(part) == 1 or part[0].test.kind == "at least")
    )
