"""What a predictor is: it certifies one answer before it sees records, and answers as it certified.

`prepare` may fix nothing but coins that do not depend on the records, and models that are functions of such coins and
the records: then one replaced record changes what it changes, whatever is asked. Every other coin is fresh for every
distinct question. A hypothesis that was *drawn* from the records and answers twice would lose more than twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.guarantee.certificate import Certificate

__all__ = ["Predictor", "Prepared", "Reader"]


class Prepared(Protocol):
    """A predictor that has seen its records. Private: it never leaves the server, and has no telling repr."""

    def answer(self, cells: Cells, coins: Coins) -> NDArray[np.uint8]:
        """One class number for every row, each with fresh coins. The rows must be distinct questions."""


class Predictor(Protocol):
    """A pair of methods on one frozen value of public parameters."""

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns an answer depends on: questions that agree on them are the same question."""

    def require(self, size: Size) -> None:
        """Refuse what could not be prepared or answered from so many records, whatever they are and whatever is asked.

        From public parameters alone; `certify` begins with it. After it, nothing may be refused that depends on the
        records: a refusal would be an answer that nobody paid for.
        """

    def certify(self, size: Size) -> Certificate:
        """What is promised about one answer, from public parameters alone."""

    def prepare(self, sample: Sample, coins: Coins) -> Prepared:
        """What answers questions about these records; random choices that all answers share are made here."""

    def to_json(self) -> Mapping[str, Any]:
        """The public parameters: enough to certify anew (`readers.py` of the family)."""


Reader = Callable[[Mapping[str, Any], Schema], Predictor]
"""What undoes `Predictor.to_json`."""
