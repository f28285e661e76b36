"""What every class of concepts offers, and what every hypothesis can do.

A concept class is public: it knows the schema, never the records. Given the evidence (an additive statistic of the
records) it returns the Gibbs law over its members, to be drawn from with coins. A hypothesis is a frozen value made
of cell numbers; the schema turns cells into people's units.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.chains import Chains
from privpac.concepts.literals.questions import Questions
from privpac.concepts.shapes import Shape
from privpac.data.sample import Statistic
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Scores

__all__ = [
    "AnyClass",
    "AnyNumber",
    "ConceptClass",
    "Costs",
    "CountedByScore",
    "DrawnByScore",
    "EvenPrior",
    "Gibbs",
    "Hypothesis",
    "KnownDifferences",
    "MadeOfCuts",
    "ManyLabels",
    "MergeableClass",
    "MixtureGibbs",
    "Move",
    "Noted",
    "OnGrid",
    "OneColumn",
    "OverColumn",
    "RuleBase",
    "Scored",
    "ScoredClass",
    "ScoredGibbs",
    "Stored",
]

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)

Costs = tuple[int, ...]
"""Public price of misjudging a record of each class; the score of a hypothesis is the price of its mistakes."""

Cells = Mapping[str, NDArray[Any]]


Move = Callable[[str, int], int]
"""Where a cut of a column goes: the new cell for its name and the old one."""


class Hypothesis(Protocol):
    """A released rule: immutable, hashable, readable, storable as data."""

    def __hash__(self) -> int: ...

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        """Class numbers of encoded records."""

    def describe(self, schema: Schema) -> str:
        """A sentence or an indented tree, in the columns' own units."""

    def to_sql(self, schema: Schema) -> str:
        """An SQL expression that computes the predicted class from the raw columns."""

    def to_json(self) -> dict[str, object]:
        """Plain data with a `kind`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns `predict` looks at."""

    def misfit(self, schema: Schema) -> str | None:
        """Why it cannot be a rule about this schema, whose columns it looks at; None if it can (see `fitting`)."""

    def edges(self) -> Iterable[int] | None:
        """Cells at which a rule about one ordered column can begin another answer (some may change nothing); None if
        it is not made of cuts and values."""

    def recut(self, move: Move) -> Hypothesis | None:
        """The same rule with every cut of an ordered column where `move` puts it; None if it is not made of cuts."""

    def questions(self, schema: Schema) -> Questions | None:
        """The same function as questions asked one after the other, to be drawn as a tree; None if it asks none."""

    def shape(self, schema: Schema) -> Shape | None:
        """What a picture of it shows besides a tree; None if there is no such picture."""

    def proba(self, cells: Cells) -> NDArray[np.float64] | None:
        """For every encoded record the risk of each class, adding up to 1; None if it answers with a class only."""

    def column_weights(self, schema: Schema) -> Mapping[str, Fraction]:
        """How much of the rule rests on each column it looks at, in a unit of its own; from the rule alone."""

    def margins(self, cells: Cells) -> NDArray[np.float64] | None:
        """For every encoded record how far above the cut-off its points are; None if it counts no points."""

    def sql_columns(self, schema: Schema) -> Mapping[str, str]:
        """What a query may show beside the class, as SQL expressions by their names."""

    @property
    def title(self) -> str | None:
        """What a heading calls a rule of several lines; None if its kind and their number say enough."""


class RuleBase:
    """What a rule answers unless its kind knows better: no cuts, no questions, no shape, so it is shown in words.

    A class in `concepts` that inherits from it and declares a `kind` of its own can be read from files (see
    `concepts.catalogue`); it needs `from_json`, which undoes `to_json`.
    """

    kind: ClassVar[str]
    """What files call it."""

    if TYPE_CHECKING:

        @property
        def columns(self) -> tuple[str, ...]:
            """The columns `predict` looks at: every kind of rule says so itself."""

    def edges(self) -> Iterable[int] | None:
        return None

    def recut(self, move: Move) -> Hypothesis | None:
        return None

    def questions(self, schema: Schema) -> Questions | None:
        return None

    def shape(self, schema: Schema) -> Shape | None:
        return None

    def proba(self, cells: Cells) -> NDArray[np.float64] | None:
        return None

    def column_weights(self, schema: Schema) -> Mapping[str, Fraction]:
        """The same for all its columns, unless a kind of rule knows better."""
        return dict.fromkeys(self.columns, Fraction(1))

    def margins(self, cells: Cells) -> NDArray[np.float64] | None:
        return None

    def sql_columns(self, schema: Schema) -> Mapping[str, str]:
        return {}

    @property
    def title(self) -> str | None:
        return None


class OneColumn(RuleBase):
    """A rule about one column."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """That column alone."""
        return (self.column,)


class Gibbs(Protocol):
    """The law Pr[h] ∝ prior(h)·ratio^score(h) over a whole class."""

    def draw(self, coins: Coins) -> Hypothesis:
        """One member of the class, drawn exactly from the law."""


@runtime_checkable
class ConceptClass(Protocol[E]):
    """Public facts, what must be seen, and the law to draw from it: `E` is the evidence, what its statistic counts."""

    @property
    def schema(self) -> Schema:
        """The schema its members speak about."""

    @property
    def word(self) -> str:
        """How the class is named on the command line, such as 'thresholds:age'."""

    @property
    def size(self) -> int | None:
        """Number of members (or an upper bound), exactly; None when unknown."""

    @property
    def odds(self) -> Fraction | int:
        """An upper bound on prior(all others)/prior(any one member): what the accuracy bound pays for. size - 1 when
        the prior is uniform."""

    @property
    def vc(self) -> int | None:
        """An upper bound on the VC dimension; None when unknown."""

    @property
    def statistic(self) -> Statistic[E]:
        """The statistic of the records that `gibbs` needs as its evidence."""

    def require(self, n: int | None) -> None:
        """Refuse what would not fit in memory or time for `n` records (None: for any), from public numbers alone."""

    def gibbs(self, evidence: E, *, ratio: Fraction, costs: Costs) -> Gibbs:
        """The law Pr[h] ∝ prior(h)·ratio^score(h), where the score is the price of the mistakes in the evidence."""

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether a draw could ever be this one, from public parameters alone: what `verify` asks of a stored rule."""


AnyClass: TypeAlias = ConceptClass[Any]
"""Where the evidence stays with the class, and what it is made of does not matter."""


class MergeableClass(AnyClass, Protocol):
    """A class whose members may hold parts that change nothing; their method `merged` leaves these out."""

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        """Whether some member is this hypothesis once it is merged."""


class Stored:
    """A class that a certificate names by its public options, the fields of its dataclass, so that `verify` can build
    it again. Only classes in `concepts` that inherit from it themselves are read back: a subclass may be anything."""


@runtime_checkable
class OnGrid(Protocol):
    """A class whose members lie on a public grid, which certificates name."""

    @property
    def grid(self) -> str:
        """What the members lie on, and how far what is not among them may be from the nearest of them."""


@runtime_checkable
class Noted(Protocol):
    """A class of which certificates say more than its word."""

    @property
    def note(self) -> str:
        """What a promise against the best member means."""


class ManyLabels:
    """A class whose rules end in any number of labels; the rules of all others separate two."""


class CountedByScore:
    """A class that counts its members by runs of equal score: costs of any size take no more room."""


class AnyNumber:
    """A class from which a member can be drawn for any number of records."""

    def require(self, n: int | None) -> None:
        """Nothing is refused."""


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


class _Containing(Protocol):
    def contains(self, hypothesis: Hypothesis) -> bool: ...


class EvenPrior:
    """A class whose members are equally likely beforehand."""

    @property
    def odds(self: _Sized) -> int:
        """All others against one."""
        return self.size - 1


class MadeOfCuts(ABC):
    """A class of rules cut out of ordered columns, which stay such rules wherever their cuts are moved."""

    schema: Schema

    @property
    @abstractmethod
    def cut_columns(self) -> tuple[str, ...]:
        """The ordered columns that its members are cut out of."""

    @property
    @abstractmethod
    def ends(self) -> int:
        """Cuts of a member, at most: how many ranges lie between it and one whose cuts are a little off."""

    def chains(self, groups: int) -> Chains:
        """How bad members are covered if ends are known up to one of `groups` even shares of the records of a column.

        Members whose ends lie in the same groups have the same sides but in these groups, whatever records there are:
        for classes whose ends alone fix a rule, as many in every column. Others say it themselves.
        """
        each = self.ends // len(self.cut_columns)
        places = [self.schema.column(name).size for name in self.cut_columns]
        return Chains.by_ends(places, each, groups)

    def over(self, schema: Schema) -> Self:
        """The same class over other columns, with cuts at any of their cells."""
        return replace(self, schema=schema)  # type: ignore[type-var]

    def contains_moved(self: _Containing, hypothesis: Hypothesis) -> bool:
        """Whether it is a member once cuts may lie at any cell, whatever grid the class itself has."""
        return self.contains(hypothesis)


@runtime_checkable
class KnownDifferences(Protocol):
    """A class of which it is known how many points are shattered by the sets where two members differ."""

    @property
    def differences_vc(self) -> int:
        """The VC dimension of these sets."""


class OverColumn(AnyNumber, EvenPrior):
    """A class of rules about one column, equally likely beforehand: they need no more of the records than how many fall
    into each cell."""

    schema: Schema
    column: str

    @property
    def cut_columns(self) -> tuple[str, ...]:
        """That column, for classes of cuts."""
        return (self.column,)

    @property
    def statistic(self) -> CellCounts:
        """The counts of each class in each cell."""
        return CellCounts(self.schema.column(self.column), classes=len(self.schema.classes))


@runtime_checkable
class Scored(Protocol[E_contra]):
    """What can count the members of a class by score (see `mechanisms.scores`)."""

    def scores(self, evidence: E_contra, *, costs: Costs) -> Scores[Hypothesis]:
        """All members of the class, counted by the price of their mistakes in the evidence."""


class ScoredClass(ConceptClass[E], Scored[E], Protocol[E]):
    """A class whose members can be counted by score."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoredGibbs:
    """The Gibbs law of a class that can be counted by score. Private: it has no repr."""

    scores: Scores[Hypothesis]
    ratio: Fraction

    def draw(self, coins: Coins) -> Hypothesis:
        return gibbs.draw(self.scores, self.ratio, coins)


class DrawnByScore:
    """A class whose law follows from its scores alone."""

    def gibbs(self: Scored[E], evidence: E, *, ratio: Fraction, costs: Costs) -> ScoredGibbs:
        """The law given the evidence."""
        return ScoredGibbs(self.scores(evidence, costs=costs), ratio)


@dataclass(frozen=True, eq=False, repr=False)
class MixtureGibbs:
    """The Gibbs law of several parts with a public share of the prior each: first a part, then a member of it."""

    parts: tuple[Scores[Hypothesis], ...]
    shares: tuple[int, ...]
    sizes: tuple[int, ...]
    ratio: Fraction

    def draw(self, coins: Coins) -> Hypothesis:
        return gibbs.draw_mixture(self.parts, self.shares, self.sizes, self.ratio, coins)
