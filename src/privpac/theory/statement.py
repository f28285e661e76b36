"""One theorem as data, and the short names of the papers statements come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

__all__ = ["BBKN", "BNS", "CH", "DF", "IID", "LWY", "PURE", "Statement", "Status"]

Status = Literal["printed", "derived", "repaired", "shape", "false"]
"""printed: as in the source. derived: our proof, often with a better constant. repaired: the printed form is
wrong or incomplete and ours is not. shape: only an order of growth, never a number in a certificate.
false: refuted by a counterexample that a test shows; nothing relies on it."""

BBKN = "Beimel–Brenner–Kasiviswanathan–Nissim 2013"
BNS = "Beimel–Nissim–Stemmer 2015"
CH = "Chaudhuri–Hsu 2011"
DF = "Dagan–Feldman 2020"
LWY = "Li–Wang–Ye 2025"

PURE = "the algorithm is epsilon-differentially private for replacing one record (delta = 0)"
IID = "records are independent draws from one distribution"


@dataclass(frozen=True)
class Statement:
    """One theorem, lemma or inequality in our own words, with its conditions and constants."""

    key: str
    title: str
    source: str
    status: Status
    says: str
    conditions: tuple[str, ...] = ()
    constants: Mapping[str, Fraction | str] = field(default_factory=dict, hash=False)
    erratum: str | None = None
    proof: str | None = None

    def __post_init__(self) -> None:
        # A copy behind a read-only view: a frozen statement must not be editable through its mapping.
        object.__setattr__(self, "constants", MappingProxyType(dict(self.constants)))
