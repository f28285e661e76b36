"""Examples of accuracy over covers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.covers import rules as covers_rules
from privpac.guarantee.facts import Accuracy, Against, Fact
from privpac.guarantee.proof import Proof

ALIASES: dict[str, tuple[str, ...]] = {
    "labellings": ("labellings-realizable", "labellings-agnostic"),
    "reference_cover": ("reference-cover-realizable", "reference-cover-agnostic"),
}

TENTH, TWENTIETH = Fraction(1, 10), Fraction(1, 20)


def _reference(against: Against, records: int, ratio: Fraction) -> Proof[Accuracy]:
    return covers_rules.reference_cover(
        odds=88,
        records=records,
        ratio=Fraction(3, 5),
        tilt=ratio,
        kappa=Fraction(1),
        level=Fraction(1, 176),
        miss=Fraction(1, 1000),
        reference="the uniform distribution of an example",
        error=TENTH,
        failure=TWENTIETH,
        against=against,
    )


def _labellings(against: Against, records: int, tilt: Fraction) -> Proof[Accuracy]:
    return covers_rules.labellings(
        members=1025,
        records=records,
        ratio=Fraction(3, 5),
        tilt=tilt,
        error=TENTH,
        failure=TWENTIETH,
        against=against,
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "reference-cover-realizable": lambda: _reference(Against.REALIZABLE, 204, Fraction(3, 5)),
    "reference-cover-agnostic": lambda: _reference(Against.AGNOSTIC, 1678, Fraction(91, 100)),
    "labellings-realizable": lambda: _labellings(Against.REALIZABLE, 244, Fraction(3, 5)),
    "labellings-agnostic": lambda: _labellings(Against.AGNOSTIC, 1983, Fraction(91, 100)),
    "label-thresholds": lambda: covers_rules.label_thresholds(
        records=271,
        cuts=93,
        spacing=1,
        few=16,
        ratio=Fraction(3, 5),
        error=TENTH,
        failure=TWENTIETH,
    ),
    "label-cover": lambda: covers_rules.label_cover(
        records=1004,
        vc=1,
        candidates=100,
        ratio=Fraction(3, 5),
        level=Fraction(1, 100),
        error=TENTH,
        failure=TWENTIETH,
    ),
}
