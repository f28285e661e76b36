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

from privpac.concepts.cards.both import Answer, Both
from privpac.concepts.cards.risks import WALL
from privpac.concepts.cards.tallies import Points
from privpac.concepts.literals.binarise import Binarisation, Group, Kind, Test
from privpac.constructions.card.weights import points_of_round

__all__ = ["Steps", "laid", "laid_together", "rounds_in", "steps_for"]

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
    if not spread or not group.nested:
        return (Points(tests.tests[number], points),)
    places = Counter(_around(group, number - first, abs(points)))
    sign = 1 if points > 0 else -1
    return tuple(Points(tests.tests[first + place], sign * times) for place, times in places.items())


def laid_together(
    one: Group, other: Group, places: tuple[int, int], holds: tuple[bool, bool], points: int, *, spread: bool
) -> tuple[Points, ...]:
    """The points of two drawn answers: on these alone, or one each on those around them, wider ones first or last.

    Both cuts move at the same time, so that whoever gives the answers at one place gives them at all the wider ones.
    """
    most = abs(points) if spread and (one.nested or other.nested) else 1
    firsts, seconds = _around(one, places[0], most), _around(other, places[1], most)
    if one.nested and other.nested and holds[0] != holds[1]:
        seconds = seconds[::-1]
    times = Counter(
        Both(_answer(one, first, holds[0]), _answer(other, second, holds[1]))
        for first, second in zip(firsts, seconds, strict=True)
    )
    each = points // most
    return tuple(Points(both, each * count) for both, count in times.items())


def _answer(group: Group, place: int, holds: bool) -> Answer:
    kind: Kind = "at least" if group.nested else "equals"
    return Answer(Test(group.column, group.cells[place], kind), holds)


def _around(group: Group, place: int, most: int) -> list[int]:
    """So many places around a drawn one, ascending, as many as there are or some of them twice; a category stays."""
    size = len(group.cells)
    if not group.nested:
        return [place] * most
    if size < most:
        return [number * size // most for number in range(most)]
    start = min(max(place - (most - 1) // 2, 0), size - most)
    return list(range(start, start + most))


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
    if any(isinstance(one.test, Both) for one in part):
        return len({(_questions(one.test), one.points > 0) for one in part}) == 1
    tests = [one.test for one in part if isinstance(one.test, Test)]
    return (
        len({(test.column, test.kind, one.points > 0) for test, one in zip(tests, part, strict=True)}) == 1
        and all(a.cell < b.cell for a, b in pairwise(tests))
        and (len(part) == 1 or tests[0].kind == "at least")
    )


def _questions(test: Test | Both) -> object:
    """What two answers are about, but for their places; a test alone is about itself."""
    if isinstance(test, Test):
        return test
    return tuple((one.test.column, one.test.kind, one.holds) for one in test.answers)
