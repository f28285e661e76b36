"""Examples of relabelling and of positions that are known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.audit.registry import tiny_schema
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels import rules as few_labels_rules
from privpac.constructions.few_labels.boost import LabelBoost
from privpac.constructions.few_labels.relabel import relabel_accuracy
from privpac.constructions.few_labels.relabel_formulas import relabel_settings
from privpac.constructions.few_labels.transfer_formulas import Family
from privpac.data.sample import Size
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact, Privacy, Release
from privpac.guarantee.parts import QUERIED
from privpac.guarantee.proof import Proof

ALIASES: dict[str, tuple[str, ...]] = {
    "label_boost_accuracy": ("label-boost-realizable", "label-boost-agnostic"),
}

RATIO = Fraction(3, 5)


def _inner() -> Proof[Privacy]:
    """With a delta, so that the rules' second number is looked at too."""
    return rules.k_fold(rules.exponential_mechanism(ratio=RATIO), times=3, saved=1)


def _boost(against: Against) -> Proof[Fact]:
    size = Size(100_000, 1_000_000)
    learner = LabelBoost.calibrate(Thresholds(tiny_schema(1000), "a"), size, epsilon=Fraction(1))
    found = learner.certify(size).accuracy
    return next(proof for proof in found if proof.fact.against is against)


def _ssl() -> Proof[Fact]:
    family = Family(1001, 1, Fraction(1000))
    settings = relabel_settings(10_000, 10**6, family=family, epsilon=Fraction(1), failure=Fraction(1, 20))
    base = Occam(Thresholds(tiny_schema(1000), "a"), settings.base_epsilon)
    found = relabel_accuracy(settings, base, family=family, failure=Fraction(1, 20))
    assert found is not None
    return found


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "label-boost-labelled": lambda: few_labels_rules.label_boost_labelled(_inner(), classes=2, ratio=RATIO),
    "label-boost-unlabelled": lambda: few_labels_rules.label_boost_unlabelled(_inner(), classes=2),
    "positions-known": lambda: few_labels_rules.positions_known(
        _inner(), part=QUERIED, release=Release.WITH_LIST
    ),
    "label-boost-realizable": lambda: _boost(Against.REALIZABLE),
    "label-boost-agnostic": lambda: _boost(Against.AGNOSTIC),
    "ssl-relabel-accuracy": _ssl,
}
