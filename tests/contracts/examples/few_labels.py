"""Examples of relabelling and of positions that are known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.audit.registry import tiny_schema
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import SemiLearner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels import rules as few_labels_rules
from privpac.constructions.few_labels.boost import LabelBoost, Round
from privpac.constructions.few_labels.relabel import SSLRelabel, relabel_accuracy
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


KEYS = Thresholds(tiny_schema(2**48), "a")
SIZE = Size(2_000, 40_000)


def _first(learner: SemiLearner, against: Against = Against.REALIZABLE) -> Proof[Fact]:
    found = learner.certify(SIZE).accuracy
    return next(proof for proof in found if proof.fact.against is against)


def boosted_blocks(against: Against = Against.REALIZABLE) -> Proof[Fact]:
    """The base is proved to follow these very points."""
    return _first(LabelBoost.calibrate(KEYS, SIZE, epsilon=Fraction(1), delta=Fraction(1, 10**6)), against)


def boosted_draws() -> Proof[Fact]:
    """The base gets draws from the points, and is proved for every distribution."""
    base, steps = Occam(KEYS, Fraction(2)), (Round(Fraction(27, 20), 200, 40_000, 7_000),)
    return _first(LabelBoost(KEYS, base, steps, Fraction(9), draws=2_000))


def relabelled_blocks() -> Proof[Fact]:
    """As `boosted_blocks`, for labels that were voted on."""
    return _first(SSLRelabel.calibrate(KEYS, SIZE, epsilon=Fraction(1), delta=Fraction(1, 10**6)))


MORE: dict[str, Callable[[], Proof[Fact]]] = {
    "label boost, then blocks": boosted_blocks,
    "label boost, then draws": boosted_draws,
    "ssl relabel, then blocks": relabelled_blocks,
}

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
