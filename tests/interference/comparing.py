"""Run on many tables, and hold every two runs with the same drawn outcome against each other, byte by byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tests.interference.tables import Pair, Table

__all__ = ["Artefacts", "Interference", "Refused", "Result", "Run", "compared"]

Artefacts = Mapping[str, bytes]


class Interference(AssertionError):
    """Something that leaves tells two tables apart although the same was drawn from both."""


@dataclass(frozen=True)
class Result:
    """What one run drew, and everything that leaves because of it."""

    outcome: str
    artefacts: Callable[[], Artefacts]
    """Called for outcomes that two tables share."""


@dataclass(frozen=True)
class Refused:
    """A refusal before anything was charged: of which kind, and in which words."""

    words: str


Run = Callable[[Table, int], Result | Refused]


@dataclass
class _Meetings:
    """Which tables drew what, and which of them met."""

    pairs: frozenset[Pair]
    drawn: dict[str, dict[str, Result]] = field(default_factory=dict)
    """By outcome and table, the first run of each."""

    def add(self, table: str, result: Result) -> None:
        self.drawn.setdefault(result.outcome, {}).setdefault(table, result)

    def waiting(self) -> set[Pair]:
        met = {
            pair
            for tables in self.drawn.values()
            for pair in self.pairs
            if all(name in tables for name in pair)
        }
        return set(self.pairs - met)

    def check(self) -> int:
        """Compare until every pair was; how many comparisons that were."""
        count, waiting = 0, set(self.pairs)
        for tables in self.drawn.values():
            met = {pair for pair in waiting if all(name in tables for name in pair)}
            if not met:
                continue
            waiting -= met
            (first, expected), *others = ((name, run.artefacts()) for name, run in tables.items())
            for name, artefacts in others:
                _same(first, expected, name, artefacts)
                count += len(expected)
        return count


def compared(
    run: Run, tables: Mapping[str, Table], pairs: Iterable[Pair], *, seeds: int = 400
) -> int | Refused:
    """How many artefacts of two tables with the same outcome were compared; or the refusal that all of them got.

    Coins are seeded, the same for all tables, until every pair has drawn a common outcome: a pair that never does is a
    failure of the test. Pairs are what must meet; whatever else meets on the way is compared as well, for nothing may
    depend on more of the records than what was drawn. Tables that nobody waits for any more are not run again.
    """
    meetings = _Meetings(frozenset(pairs))
    named = {name: tables[name] for pair in meetings.pairs for name in pair}
    waiting = set(named)
    refusals: dict[Refused, str] = {}
    for seed in range(seeds):
        for name in [name for name in named if name in waiting]:
            result = run(named[name], seed)
            if isinstance(result, Refused):
                refusals.setdefault(result, name)
            else:
                meetings.add(name, result)
        if refusals:
            return _refused(refusals, meetings)
        waiting = {name for pair in meetings.waiting() for name in pair}
        if not waiting:
            return meetings.check()
    raise AssertionError(f"no common outcome in {seeds} runs of {sorted(meetings.waiting())}")


def _refused(refusals: Mapping[Refused, str], meetings: _Meetings) -> Refused:
    """Tables of one size are all refused, in the same words, or none is."""
    if meetings.drawn:
        served = next(iter(next(iter(meetings.drawn.values()))))
        (refusal, name), *_ = refusals.items()
        raise Interference(f"{name!r} is refused ({refusal.words}), {served!r} is not")
    if len(refusals) > 1:
        raise Interference(f"refusals depend on the records: {[refusal.words for refusal in refusals]}")
    return next(iter(refusals))


def _same(first: str, expected: Artefacts, second: str, artefacts: Artefacts) -> None:
    if expected.keys() != artefacts.keys():
        raise Interference(f"{first!r} and {second!r} leave {sorted(expected.keys() ^ artefacts.keys())}")
    for name, content in expected.items():
        other = artefacts[name]
        if content != other:
            raise Interference(f"{name} tells {first!r} from {second!r}: {_difference(content, other)}")


def _difference(one: bytes, two: bytes) -> str:
    place = next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )
    start = max(0, place - 60)
    return f"{one[start : place + 60]!r} against {two[start : place + 60]!r}"
