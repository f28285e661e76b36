"""Answers instead of models."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.prediction import fresh_draws, vote_law
from privpac.constructions.prediction import net_relabelled as net_votes
from privpac.constructions.prediction import relabelled_vote as relabelled_votes
from privpac.constructions.prediction import vote as voting
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
    "plurality": lambda: vote_law.plurality(ratio=RATIO, models=5, classes=3),
    "exponential-vote": lambda: vote_law.exponential_vote(ratio=RATIO, models=5, classes=3),
    "exponential-vote-accuracy": lambda: voting.exponential_vote_accuracy(
        models=5, ratio=RATIO, records=5000, vc=1, failure=Fraction(1, 20)
    ),
    "vote": lambda: vote_law.vote(classes=2, ratio=RATIO, models=5),
    "delta-removal": lambda: fresh_draws.delta_removal(_answer(), classes=2, flip=Fraction(1, 10)),
    "vote-accuracy": lambda: voting.vote_accuracy(
        models=5, ratio=RATIO, records=5000, vc=1, failure=Fraction(1, 20)
    ),
    "flipped-answers": lambda: fresh_draws.flipped_answers(
        kept=1000,
        ratio=RATIO,
        flip=Fraction(1, 50),
        slip=Fraction(1, 1000),
        records=20_000,
        vc=1,
        failure=Fraction(1, 20),
    ),
    "net-relabelling": lambda: net_votes.net_relabelling(
        vote_law.vote(classes=2, ratio=Fraction(999, 1000), models=3),
        classes=2,
        ratio=Fraction(999, 1000),
        kept=400,
        of=2000,
        net=Fraction(1, 10),
        vc=1,
    ),
    "relabelled-vote": lambda: relabelled_votes.relabelled_vote(
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
    "net-relabelling-accuracy": lambda: net_votes.net_relabelling_accuracy(
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
