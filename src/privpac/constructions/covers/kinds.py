"""Cuts and half-spaces on continuous domains in public numbers."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions.class_facts import OWNER, ClassFacts, Description, Kinds
from privpac.errors import ParameterError
from privpac.numbers.parameters import at_least, rational

__all__ = ["KINDS"]

PLACE = 6


def _reference(rest: str, description: Description) -> ClassFacts:
    """Cuts of the unit interval, densities up to kappa times the uniform one."""
    kappa = _density(rest, "reference:10")
    return ClassFacts(f"reference:{rest}", "reference", 2, Fraction(1), 1, 1, kappa=kappa, named=False)


def _sphere(rest: str, description: Description) -> ClassFacts:
    """Half-spaces through the origin, densities up to kappa times the uniform one on the sphere."""
    dimension, _, density = rest.partition(":")
    d = at_least(2, dimension or 3, owner=OWNER, name="dimension")
    kappa = _density(density or "1", "sphere:3:10")
    return ClassFacts(f"sphere:{rest}", "sphere", 2, Fraction(1), d, d, parts=d, kappa=kappa, named=False)


def _density(text: str, form: str) -> Fraction:
    if not text:
        raise ParameterError(
            OWNER,
            "kappa",
            None,
            allowed=f"given, as in {form}",
            remedy="On a continuous domain nothing can be promised without a bound on the density: no number of records"
            " suffices (floor-thresholds-smooth).",
        )
    kappa = rational(
        text, owner=OWNER, name="kappa", allowed=f"a number of at least 1, as in {form}, not a column"
    )
    if kappa < 1:
        raise ParameterError(
            OWNER, "kappa", text, allowed="a number of at least 1, since no density is smaller"
        )
    return kappa


KINDS: Kinds = {
    "reference": ("reference:KAPPA", _reference),
    "sphere": ("sphere:DIMENSION:KAPPA", _sphere),
}
