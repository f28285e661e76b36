"""Answers instead of models."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.prediction import rules as prediction_rules
from privpac.guarantee import rules
from privpac.guarantee.facts import Release
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import ratio_for

ALIASES: dict[str, tuple[str, ...]] = {}

RATIO = Fraction(3, 5)


def _answer() -> Proof[Any]:
    """With a delta."""
    mixed = rules.k_fold(rules.exponential_mechanism(ratio=RATIO), times=3, saved=1)
    return rules.post_processing(mixed, what="an answer", release=Release.ANSWER)


EXAMPLES: dict[str, Callable[[], Proof[Any]]] = {
    "plurality": lambda: prediction_rules.plurality(ratio=RATIO, models=5, classes=3),
    "exponential-vote": lambda: prediction_rules.exponential_vote(ratio=RATIO, models=5, classes=3),
    "exponential-vote-accuracy": lambda: prediction_rules.exponential_vote_accuracy(
        models=5, ratio=RATIO, records=5000, vc=1, failure=Fraction(1, 20)
    ),
    "vote": lambda: prediction_rules.vote(classes=2, ratio=RATIO, models=5),
    "delta-removal": lambda: prediction_rules.delta_removal(_answer(), classes=2, flip=Fraction(1, 10)),
    "vote-accuracy": lambda: prediction_rules.vote_accuracy(
        models=5, ratio=RATIO, records=5000, vc=1, failure=Fraction(1, 20)
    ),
    "flipped-answers": lambda: prediction_rules.flipped_answers(
        kept=1000,
        ratio=RATIO,
        flip=Fraction(1, 50),
        slip=Fraction(1, 1000),
        records=20_000,
        vc=1,
        failure=Fraction(1, 20),
    ),
    "net-relabelling": lambda: prediction_rules.net_relabelling(
        prediction_rules.vote(classes=2, ratio=Fraction(999, 1000), models=3),
        classes=2,
        ratio=Fraction(999, 1000),
        kept=400,
        of=2000,
        net=Fraction(1, 10),
        vc=1,
    ),
    "relabelled-vote": lambda: prediction_rules.relabelled_vote(
        kept=20_000,
        ratio=ratio_for(Fraction(1, 50)),
        mistake=2,
        weight=Fraction(1, 2),
        models=9,
        inner=Fraction(1, 2),
        records=125_000,
        vc=1,
        failure=Fraction(1, 20),
    ),
    "net-relabelling-accuracy": lambda: prediction_rules.net_relabelling_accuracy(
        kept=5000,
        ratio=Fraction(1, 2),
        models=5,
        inner=Fraction(1, 2),
        flip=Fraction(1, 100),
        slip=Fraction(1, 5000),
        records=100_000,
        vc=1,
        failure=Fraction(1, 20),
    ),
}
