"""Inputs that sit on a limit: one record more, all alike, one class only, as many different ones as there are.

An audit of a row visits every input of its size, and so never leaves that size. Code that counts (records, distinct
values, classes) may do something else just beyond it; here the same run meets the next size, on the inputs where such
counts are smallest or largest, with what is certified for that size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice

from privpac.audit.exact import Case
from privpac.constructions.cases import Record
from privpac.errors import PrivpacError

__all__ = ["at_limits", "extreme_inputs"]


def at_limits(case: Case) -> Case | None:
    """The case with one record more, on extreme inputs; None if nothing is certified of so many records."""
    if case.certified is None:
        return None
    try:
        claim = case.certified(case.n + 1)
    except PrivpacError:  # a public refusal: this construction is made for one size
        return None
    inputs = tuple(dict.fromkeys(extreme_inputs(case.records, case.n + 1)))
    return replace(
        case, name=f"{case.name}, at a limit", n=case.n + 1, claim=claim, inputs=inputs, symmetries=()
    )


def extreme_inputs(records: tuple[Record, ...], n: int) -> Iterator[tuple[Record, ...]]:
    """All records equal, all of one class, and as many different ones as possible."""
    label = records[0][-1]
    one_class = [record for record in records if record[-1] == label]
    yield (records[0],) * n
    yield tuple(islice(cycle(one_class), n))
    yield tuple(islice(cycle(records), n))
