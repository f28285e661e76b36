"""Symmetries of what is audited: one input of every orbit stands for all of them.

Statement. Let a group act on records, and on outputs, such that Pr[run(g·D) = g·o] = Pr[run(D) = o] for all inputs D
and outputs o, where g·D replaces every record r of D by g·r. Then comparing one input of every orbit with all its
neighbours gives the worst loss, and the largest delta at any epsilon, over all pairs of neighbours.

Proof. Let E and E' be neighbours and choose g such that g·E is the chosen input of its orbit. As g acts on each record
by itself and is a bijection of records, g·E and g·E' differ in one record where E and E' do; if only labels may change,
g must take records with the same features to such records, which is checked below. So g·E' is among the neighbours that
are compared. The probabilities of o under E and E' are those of g·o under g·E and g·E', and o -> g·o is injective on
outputs that occur (checked whenever a law is carried over). So both pairs have the same set of pairs of probabilities,
and the largest ratio and the sum of the positive parts of p - e^epsilon·q are functions of that set alone. Both
directions of a pair are compared, so it does not matter which of the two inputs was the chosen one.

Holds if the declared action is a symmetry of the run. That is a promise of whoever declares it: the audit tries it on a
few inputs and stops if it is false there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from privpac.coins import Raised
from privpac.constructions.cases import Record, Symmetry
from privpac.errors import ParameterError

__all__ = ["Group", "Law", "Numbers"]

Law = dict[Any, Fraction]
Numbers = tuple[int, ...]
"""An input, every record written as its place among the possible ones."""

LARGEST_GROUP = 5_040
"""Seven points in any order. Finding the chosen input of an orbit tries every element."""


class Group:
    """Everything the generators generate, acting on inputs.

    An element is a word in the generators. Words that move records alike may move outputs differently; each of them
    is a symmetry if the generators are, so any one will do.
    """

    def __init__(
        self,
        records: Sequence[Record],
        symmetries: Sequence[Symmetry],
        *,
        ordered: bool,
        labels_only: bool = False,
    ) -> None:
        self._ordered = ordered
        self._generators = tuple(symmetries)
        rows = [_permutation(records, symmetry, labels_only=labels_only) for symmetry in symmetries]
        identity = tuple(range(len(records)))
        words: dict[Numbers, tuple[int, ...]] = {identity: ()}
        front = [identity]
        while front:
            orbit = []
            for permutation in front:
                for number, row in enumerate(rows):
                    product = tuple(row[i] for i in permutation)
                    if product not in words:
                        words[product] = (*words[permutation], number)
                        orbit.append(product)
            if len(words) > LARGEST_GROUP:
                raise ParameterError(
                    "Case", "symmetries", len(rows), allowed=f"at most {LARGEST_GROUP} in all"
                )
            front = orbit
        self._words = words
        self._inverse = {element: _inverse(element) for element in words}
        self._chosen: dict[Numbers, tuple[Numbers, Numbers]] = {}

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self._words)

    def apply(self, element: Numbers, data: Numbers) -> Numbers:
        """The input that an element makes of this one; sorted unless the order of records matters."""
        image = [element[i] for i in data]
        return tuple(image) if self._ordered else tuple(sorted(image))

    def chosen(self, data: Numbers) -> tuple[Numbers, Numbers]:
        """The smallest input of the orbit, and an element that takes it to `data`."""
        if self.order == 1:
            return data, next(iter(self._words))
        if data not in self._chosen:
            best, element = min((self.apply(element, data), element) for element in self._words)
            self._chosen[data] = best, self._inverse[element]
        return self._chosen[data]

    def orbit_size(self, data: Numbers) -> int:
        """The number of different inputs that the elements make of this one."""
        return 1 if self.order == 1 else len({self.apply(element, data) for element in self._words})

    def carry(self, element: Numbers, law: Law) -> Law:
        """The law of run(element·D) from that of run(D)."""
        word = self._words[element]
        if not word:
            return law
        image: Law = {}
        for output, mass in law.items():
            if not isinstance(output, Raised):  # a refusal looks the same wherever the records are
                for number in word:
                    output = self._generators[number].output(output)
            image[output] = mass
        if len(image) != len(law):
            raise _false("it takes two outputs to one")
        return image

    def try_on(self, data: Numbers, law_of: Callable[[Numbers], Law]) -> None:
        """Compare the carried law of one input with the true one, for every generator."""
        for element, word in self._words.items():
            if len(word) == 1 and self.carry(element, law_of(data)) != law_of(self.apply(element, data)):
                raise _false("the law of a moved input is not the moved law")


def _false(reason: str) -> ParameterError:
    return ParameterError("Case", "symmetries", "a mapping", allowed=f"symmetries of the run, but {reason}")


def _permutation(records: Sequence[Record], symmetry: Symmetry, *, labels_only: bool) -> Numbers:
    place = {record: i for i, record in enumerate(records)}
    images = [place.get(symmetry.record(record)) for record in records]
    if sorted(i for i in images if i is not None) != list(range(len(records))):
        raise _false("one does not permute the records")
    row = tuple(i for i in images if i is not None)
    if labels_only:
        features = {record[:-1] for record in records}
        pairs = {(record[:-1], records[row[i]][:-1]) for i, record in enumerate(records)}
        if len(pairs) != len(features):
            raise _false("one takes records with the same features to different features")
    return row


def _inverse(element: Numbers) -> Numbers:
    inverse = [0] * len(element)
    for i, j in enumerate(element):
        inverse[j] = i
    return tuple(inverse)
