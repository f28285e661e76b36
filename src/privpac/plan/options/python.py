"""Rows that the command line has no word for, as the few lines of Python that build them."""

from __future__ import annotations

from fractions import Fraction

from privpac.numbers.exact import plain
from privpac.plan.options.base import Need
from privpac.plan.wish import Wish

__all__ = ["agnostic_python", "denoised_python", "listed_python", "noisy_python", "sphere_python"]

CLASSES = {
    "points": ("privpac.concepts.points", "Points"),
    "thresholds": ("privpac.concepts.thresholds", "Thresholds"),
    "intervals": ("privpac.concepts.intervals", "Intervals"),
    "stumps": ("privpac.concepts.stumps", "Stumps"),
}
"""Classes by kind: where they are, and what they are called."""


def _lines(made: str, *imports: tuple[str, str]) -> str:
    """Imports in order, and what is built; `schema` is the caller's."""
    named = sorted({("fractions", "Fraction"), *imports}, key=lambda one: (one[0] != "fractions", one))
    return "\n".join([*(f"from {module} import {name}" for module, name in named), made])


def _class(wish: Wish) -> str:
    """The class, with the columns of its word."""
    kind, _, rest = wish.concepts.word.partition(":")
    column, _, direction = rest.partition(":")
    named = f', "{column}"' if column else ""
    return f"{CLASSES[kind][1]}(schema{named}" + (f', "{direction}")' if direction else ")")


def agnostic_python(wish: Wish, need: Need) -> str | None:
    if wish.concepts.kind not in CLASSES:
        return None
    half = plain(wish.failure / 2)
    return _lines(
        f'learner = calibrate_agnostic(\n    lambda inner: Occam({_class(wish)}, inner, failure=Fraction("{half}")),\n'
        f'    size=Size({need.labelled}), epsilon=Fraction("{plain(wish.epsilon)}"), failure=Fraction("{half}"),\n)',
        CLASSES[wish.concepts.kind],
        ("privpac.data.sample", "Size"),
        ("privpac.learners.occam", "Occam"),
        ("privpac.transforms.calibrate", "calibrate_agnostic"),
    )


def _noisy(wish: Wish, need: Need, failure: Fraction) -> str:
    """`failure` is halved inside: one half for the cut, one for the noise."""
    numbers = (plain(wish.epsilon), need.parameters["rate"], plain(failure))
    return f"NoisyCuts({_class(wish)}, " + ", ".join(f'Fraction("{number}")' for number in numbers) + ")"


def noisy_python(wish: Wish, need: Need) -> str | None:
    return _lines(
        f"learner = {_noisy(wish, need, wish.failure)}",
        CLASSES["thresholds"],
        ("privpac.learners.noisy_cuts", "NoisyCuts"),
    )


def denoised_python(wish: Wish, need: Need) -> str | None:
    rate = Fraction(need.parameters["rate"])
    left = wish.failure - 4 * rate * (1 - rate)  # what the noise leaves the cut
    return _lines(
        f"learner = DenoisedCuts({_noisy(wish, need, 2 * left)})",
        CLASSES["thresholds"],
        ("privpac.learners.noisy_cuts", "DenoisedCuts, NoisyCuts"),
    )


def sphere_python(wish: Wish, need: Need, *, agnostic: bool) -> str | None:
    if wish.concepts.kind != "sphere":
        return None
    assert wish.concepts.kappa is not None
    numbers = (wish.epsilon, wish.error, wish.failure, wish.concepts.kappa)
    written = ", ".join(f'Fraction("{plain(number)}")' for number in numbers)
    imports = [
        ("privpac.concepts.centred", "CentredHalfspaces"),
        ("privpac.concepts.reference", "UniformSphere"),
        ("privpac.learners.reference_cover", "ReferenceCover"),
    ]
    against = ", against=Against.AGNOSTIC" if agnostic else ""
    return _lines(
        "learner = ReferenceCover(\n    CentredHalfspaces(schema, schema.names), UniformSphere(schema, schema.names),\n"
        f"    {written}{against},\n)",
        *imports,
        *([("privpac.guarantee.facts", "Against")] if agnostic else []),
    )


def listed_python(wish: Wish, need: Need) -> str | None:
    column = wish.concepts.word.partition(":")[2] or "COLUMN"
    return _lines(
        f'points = tuple(Point("{column}", cell) for cell in range({wish.concepts.cells}))\n'
        f'sanitiser = ListedBLR(schema, ("{column}",), points, Fraction("{plain(wish.epsilon)}"),'
        f' failure=Fraction("{plain(wish.failure)}"))',
        ("privpac.concepts.points", "Point"),
        ("privpac.release.blr", "ListedBLR"),
    )
