"""The exact audit as a table: of every row its claim, and the true loss to the last digit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privpac.audit.exact import Finding, audit
from privpac.audit.registry import REGISTRY
from tests.golden.corpus import HERE

__all__ = ["AUDIT", "audited", "row"]

AUDIT = HERE / "audit.json"


def row(finding: Finding) -> dict[str, Any]:
    """What must stay as it is: construction, claim, exact loss and delta, and how many pairs they come from."""
    claim = finding.claim
    return {
        "construction": finding.name,
        "claim": [str(claim.epsilon), str(claim.delta), claim.unit.value],
        "loss": finding.epsilon,
        "exact": hashlib.sha256(f"{_digits(finding.exact)} {finding.delta}".encode()).hexdigest()[:16],
        "pairs": finding.pairs,
    }


def _digits(number: object) -> str:
    """All digits of it; in base 16 where Python writes no decimals any more."""
    if isinstance(number, Fraction) and number.denominator.bit_length() > 10_000:
        return f"{number.numerator:x}/{number.denominator:x}"
    return str(number)


def audited(known: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Every row of the registry, enumerated unless it is known."""
    return {name: known[name] if name in known else row(audit(case())) for name, case in REGISTRY.items()}
