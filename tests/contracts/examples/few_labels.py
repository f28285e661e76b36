"""Examples of relabelling and of positions that are known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from privpac.audit.registry import tiny_schema
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import SemiLearner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import positions_known
from privpac.constructions.few_labels.boost import (
    LabelBoost,
    Round,
    label_boost_labelled,
    label_boost_unlabelled,
    later_round,
)
from privpac.constructions.few_labels.relabel import SSLRelabel
from privpac.constructions.wrappers.sampling import Resampled
from privpac.data.sample import Size
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact, Privacy, Release
from privpac.guarantee.parts import QUERIED
from privpac.guarantee.proof import Proof
from privpac.guarantee.theorem import ErrorBound

RATIO = Fraction(3, 5)


def _inner() -> Proof[Privacy]:
    """With a delta, so that the rules' second number is looked at too."""
    return rules.k_fold(rules.exponential_mechanism(ratio=RATIO), times=3, saved=1)


def _of(kind: type[LabelBoost] | type[SSLRelabel], labelled: int) -> tuple[LabelBoost | SSLRelabel, Size]:
    size = Size(labelled, 10**6)
    return kind.calibrate(Thresholds(tiny_schema(1000), "a"), size, epsilon=Fraction(1)), size


def _bound(key: str) -> tuple[ErrorBound, int]:
    """The bound of a learner, and its labelled records."""
    learner, size = _of(SSLRelabel, 10_000) if key == "ssl-relabel-accuracy" else _of(LabelBoost, 100_000)
    return next(bound for bound in learner.bounds() if bound.key == key), size.labelled


def _proved(key: str) -> Proof[Fact]:
    bound, labelled = _bound(key)
    (proof,) = bound.promise(labelled, Fraction(1, 20))
    return proof


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
    base = Resampled(Occam(KEYS, Fraction(2)), 2_000)
    return _first(LabelBoost(KEYS, base, Round(Fraction(27, 20), 200, 40_000, 7_000), Fraction(9)))


def relabelled_blocks() -> Proof[Fact]:
    """As `boosted_blocks`, for labels that were voted on."""
    return _first(SSLRelabel.calibrate(KEYS, SIZE, epsilon=Fraction(1), delta=Fraction(1, 10**6)))


MORE: dict[str, Callable[[], Proof[Fact]]] = {
    "label boost, then blocks": boosted_blocks,
    "label boost, then draws": boosted_draws,
    "ssl relabel, then blocks": relabelled_blocks,
}

EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "label-boost-labelled": lambda: label_boost_labelled(_inner(), classes=2, ratio=RATIO),
    "label-boost-unlabelled": lambda: label_boost_unlabelled(_inner(), classes=2),
    "later-round": lambda: later_round(label_boost_unlabelled(_inner(), classes=2)),
    "positions-known": lambda: positions_known(_inner(), part=QUERIED, release=Release.WITH_LIST),
    "label-boost-realizable": lambda: _proved("label-boost-realizable"),
    "label-boost-agnostic": lambda: _proved("label-boost-agnostic"),
    "ssl-relabel-accuracy": lambda: _proved("ssl-relabel-accuracy"),
}

COMPUTED = ("label-boost-realizable", "label-boost-agnostic", "ssl-relabel-accuracy")
BOUNDS: dict[str, Callable[[], ErrorBound]] = {
    key: partial(lambda name: _bound(name)[0], key) for key in COMPUTED
}
"""Bounds whose parameters a certificate does not store: it stores what they compute."""
