"""A certificate as it is stored with a model, with the handful of questions people ask of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from privpac.checker.check import check_certificate
from privpac.guarantee.certificate import explain_certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.parts import parts_of

__all__ = ["StoredCertificate"]


@dataclass(frozen=True, repr=False)
class StoredCertificate:
    """Reads `privpac-certificate/2`: data, so it can be copied and pickled; `verify` re-derives it."""

    tree: Mapping[str, Any]

    @property
    def epsilon(self) -> Fraction:
        """What is charged: everything declared, the estimate included."""
        return Fraction(self.tree["epsilon"])

    @property
    def delta(self) -> Fraction:
        """The delta that is promised."""
        return Fraction(self.tree["delta"])

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the guarantee rests on besides mathematics."""
        return tuple(self.tree["assumptions"])

    @property
    def parts(self) -> dict[str, Privacy]:
        """What labelled and unlabelled people are promised apart; empty where everybody is promised the same."""
        return parts_of(self.tree["privacy"])

    @property
    def for_release(self) -> bool:
        """False when the coins came from a seed: whoever knows it can undo the noise."""
        return bool(self.tree["coins"] == "system")

    def explain(self) -> str:
        """The derivation in words, assumptions first."""
        return explain_certificate(self.tree)

    def verify(self) -> int:
        """Re-derive every step with independent arithmetic, or raise NotCertified; the number of steps."""
        return check_certificate(self.tree)

    def to_json(self) -> dict[str, Any]:
        """A copy of the stored form."""
        return copy.deepcopy(dict(self.tree))

    def _repr_html_(self) -> str:
        """The derivation for a notebook."""
        return f"<pre>{escape(self.explain())}</pre>"

    def __repr__(self) -> str:
        release = "for release" if self.for_release else "not for release"
        return f"<Certificate: epsilon {self.tree['epsilon']}, delta {self.tree['delta']}, {release}>"
