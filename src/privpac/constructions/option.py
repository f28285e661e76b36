"""One way to learn, as a row: what it is called, whom it serves, what it needs, and what to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.wish import Wish
from privpac.numbers.exact import first_whole

__all__ = [
    "FloorRow",
    "Need",
    "Option",
    "Protects",
    "Setting",
    "cells_of",
    "everything",
    "fewest",
    "protects_whole_records",
]

Setting = Literal["realizable", "agnostic"]
Protects = Literal["records", "labels", "predictions"]
Solver = Callable[[Wish, int], Fraction | None]
"""The error or epsilon that this many records reach; None if they reach none."""


@dataclass(frozen=True)
class Need:
    """Records that are proved to suffice, and the parameters the proof runs with."""

    labelled: int
    unlabelled: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)


def everything(concepts: ClassFacts) -> bool:
    """A row for every class."""
    return True


@dataclass(frozen=True)
class Option:
    """A construction with explicit constants.

    `needs` answers the first question of a plan; `error` and `epsilon` the other two, where a formula does so directly
    (otherwise `needs` is searched: it must not grow with either). None from any of them: it cannot be promised.
    """

    learner: str
    title: str
    source: str
    """Key of the statement in the register."""
    needs: Callable[[Wish], Need | None]
    setting: Setting = "realizable"
    protects: Protects = "records"
    proper: bool = True
    serves: Callable[[ClassFacts], bool] = everything
    pure: bool = True
    """Whether delta is 0."""
    pool: bool = False
    """Whether unlabelled records are used: then floors on all records say nothing about the labelled ones."""
    asks: bool = False
    """Whether it chooses whose label is asked for: then floors on records whose labels are given say nothing."""
    at: Callable[[Wish, int], Need | None] | None = None
    """What is needed with this many labelled records, if they are enough: quicker to say than how many are needed."""
    error: Solver | None = None
    epsilon: Solver | None = None
    command: Callable[[Wish, Need], str | None] | None = None
    python: Callable[[Wish, Need], str | None] | None = None
    """What builds it in Python, where no command does: lines that name `schema`."""
    way: str = ""
    """What the word of the class may end in to ask for this row alone: `points:COLUMN:WAY`."""
    purpose: Literal["learn", "release"] = "learn"
    """A rule, or answers to all queries about a table."""

    @property
    def key(self) -> tuple[str, str]:
        """The learner and the setting, which no two rows share."""
        return self.learner, self.setting

    def direct(self, name: str) -> Solver | None:
        """What answers with an error or an epsilon, if a formula does."""
        return self.error if name == "error" else self.epsilon


def protects_whole_records(option: Option, *, delta: bool = False) -> bool:
    """Whether it hides whole records, without a delta unless that is allowed, and uses labelled ones only."""
    return option.protects == "records" and (option.pure or delta) and not option.pool


def cells_of(wish: Wish) -> int:
    """Cells of the one column that the class looks at."""
    assert wish.concepts.cells is not None
    return wish.concepts.cells


MOST = 10**12
"""Records beyond which no plan looks for what is enough."""


def fewest(
    wish: Wish, at: Callable[[Wish, int], Need | None], *, start: int, smallest: int = 1
) -> Need | None:
    """The need of the first number of records that is enough, searched from `start` on; None if there is none."""
    n = first_whole(lambda n: n > MOST or at(wish, n) is not None, start=start, smallest=smallest)
    return at(wish, n) if n <= MOST else None


@dataclass(frozen=True)
class FloorRow:
    """One lower bound: fewer records than `records` are too few for the options that it `binds`."""

    place: int
    """Where it stands among all of them: of equal ones the first is named."""
    source: str
    """Key of the statement in the register."""
    binds: Callable[[Option, Wish], bool]
    records: Callable[[Wish], int]
    rules_out: Callable[[Wish, int], bool] | None = None
    """Whether one number of records is too small, where that is quicker to decide."""
    purpose: str = "learn"

    def excludes(self, wish: Wish, n: int) -> bool:
        """Whether this many records are too few."""
        return self.records(wish) > n if self.rules_out is None else self.rules_out(wish, n)
