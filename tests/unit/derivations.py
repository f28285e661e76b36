"""At least one derivation of every rule, short and long numbers, declared and proved losses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.prediction import fresh_draws, vote_law
from privpac.constructions.prediction import net_relabelled as net_votes
from privpac.constructions.prediction import relabelled_vote as relabelled_votes
from privpac.constructions.prediction import vote as voting
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Release, Unit
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import ratio_for
from privpac.theory.occam import error_occam, excess_agnostic, tilt_agnostic
from tests.contracts.examples import EXAMPLES, few_labels, reconstruction, release

ONE = Fraction(1)
SHORT = Fraction(3, 5)
REAL = ratio_for(Fraction(1, 2))


def short() -> Proof[Any]:
    return rules.exponential_mechanism(ratio=SHORT)


def real() -> Proof[Any]:
    return rules.exponential_mechanism(ratio=REAL)


def charged(delta: str = "0") -> Proof[Any]:
    return rules.declared(real(), epsilon=ONE, delta=Fraction(delta))


def accuracy(against: Against) -> Proof[Any]:
    if against is Against.REALIZABLE:
        error, tilt = error_occam(1000, size=2**32, failure=0.05, ratio=REAL), REAL
    else:
        error = excess_agnostic(1000, size=2**32, failure=0.05, ratio=REAL)
        tilt = tilt_agnostic(error, ratio=REAL)
    return rules.occam(
        odds=2**32 - 1,
        records=1000,
        ratio=REAL,
        tilt=tilt,
        error=error,
        failure=Fraction(1, 20),
        against=against,
    )


DERIVATIONS: dict[str, Proof[Any]] = {
    **{f"example of {key}": make() for key, make in EXAMPLES.items()},
    "exponential": real(),
    "exponential, costs": rules.exponential_mechanism(ratio=SHORT, sensitivity=7),
    "exponential, costs of a million": rules.exponential_mechanism(
        ratio=ratio_for(Fraction(1, 2 * 10**6)), sensitivity=10**6
    ),
    "exponential, one answer": rules.exponential_mechanism(
        ratio=SHORT, release=Release.ANSWER, unit=Unit.LABEL
    ),
    "permute and flip": rules.permute_and_flip(ratio=REAL),
    "geometric": rules.geometric_noise(ratio=REAL, change=2),
    "geometric, large change": rules.geometric_noise(ratio=ratio_for(Fraction(1, 1000)), change=1000),
    "bounded range": rules.bounded_range(ratio=REAL, sensitivity=2),
    "total variation": rules.total_variation(rules.bounded_range(ratio=REAL)),
    "total variation, a round number": rules.total_variation(rules.bounded_range(ratio=SHORT)),
    "total variation, none": rules.total_variation(rules.bounded_range(ratio=ONE)),
    "total variation, everything": rules.total_variation(rules.bounded_range(ratio=ratio_for(Fraction(500)))),
    "post-processing": rules.post_processing(
        rules.geometric_noise(ratio=SHORT, change=2), what="the largest count", release=Release.HYPOTHESIS
    ),
    "sequential": rules.sequential(charged("0.001"), real(), rules.geometric_noise(ratio=SHORT, change=1)),
    "sequential, many": rules.sequential(*[real()] * 60),
    "sequential, deltas above 1": rules.sequential(charged("0.7"), charged("0.7")),
    "disjoint parts": rules.disjoint_parts(
        rules.on_part(charged("0.001"), part="training part"), rules.on_part(short(), part="hold-out part")
    ),
    "group": rules.group(short(), size=4),
    "group of one": rules.group(charged(), size=1),
    "group, declared with delta": rules.group(charged("0.000001"), size=3),
    "group, proved with delta": rules.group(rules.k_fold(short(), times=3, saved=1), size=2),
    "group, long": rules.group(real(), size=100),
    "group, delta at 1": rules.group(charged("0.5"), size=3),
    "subsampling": rules.subsampling(short(), kept=2, of=4),
    "subsampling, declared with delta": rules.subsampling(charged("0.001"), kept=7, of=100),
    "with replacement": rules.sampling_with_replacement(short(), draws=2, of=3),
    "with replacement, declared with delta": rules.sampling_with_replacement(
        charged("0.000001"), draws=1000, of=1000
    ),
    "k-fold, nothing saved": rules.k_fold(charged(), times=5, saved=0),
    "k-fold, short": rules.k_fold(short(), times=6, saved=2),
    "k-fold, all saved": rules.k_fold(short(), times=4, saved=2),
    "k-fold, long": rules.k_fold(real(), times=100, saved=30),
    "k-fold, declared": rules.k_fold(charged(), times=10, saved=3),
    "declared": charged(),
    "declared with delta": charged("0.001"),
    "declared after a k-fold": rules.declared(
        rules.k_fold(charged(), times=100, saved=30), epsilon=Fraction(41), delta=Fraction(3, 4)
    ),
    "assuming": rules.assuming(charged(), "the schema is public"),
    "occam, realizable": accuracy(Against.REALIZABLE),
    "occam, agnostic": accuracy(Against.AGNOSTIC),
    "occam, one member": rules.occam(
        odds=0,
        records=3,
        ratio=SHORT,
        tilt=SHORT,
        error=Fraction(1, 10),
        failure=Fraction(1, 20),
        against=Against.REALIZABLE,
    ),
    "vote": vote_law.vote(classes=2, ratio=REAL, models=25),
    "vote, even": vote_law.vote(classes=2, ratio=SHORT, models=2),
    "plurality": vote_law.plurality(ratio=REAL, models=25, classes=7),
    "vote accuracy": voting.vote_accuracy(
        models=7, ratio=REAL, records=20_000, vc=3, failure=Fraction(1, 20)
    ),
    "vote accuracy, even": voting.vote_accuracy(
        models=4, ratio=SHORT, records=20_000, vc=1, failure=Fraction(1, 7)
    ),
    "delta removal": fresh_draws.delta_removal(
        rules.post_processing(charged("0.001"), what="an answer", release=Release.ANSWER),
        classes=2,
        flip=Fraction(1, 50),
    ),
    "delta removal, few flips": fresh_draws.delta_removal(
        rules.post_processing(charged("0.001"), what="an answer", release=Release.ANSWER),
        classes=2,
        flip=Fraction(1, 5000),
    ),
    "flipped answers": fresh_draws.flipped_answers(
        kept=748,
        ratio=REAL,
        flip=Fraction(23, 1000),
        slip=Fraction(1, 748),
        records=18_128,
        vc=1,
        failure=Fraction(1, 20),
    ),
    "stable choice, no threshold": cuts_rules.stable_choice(ratio=SHORT, threshold=0),
    "stable choice, long": cuts_rules.stable_choice(ratio=REAL, threshold=500),
    "recursion, a small domain": reconstruction.rec_concave(2**16, 2950),
    "blocks, a small domain": reconstruction.blocks_accuracy(2**16, 600),
    **{name: make() for name, make in release.MORE.items()},
    **{name: make() for name, make in few_labels.MORE.items()},
    "net relabelling": net_votes.net_relabelling(
        rules.declared(
            vote_law.vote(classes=2, ratio=ratio_for(Fraction(1, 100)), models=5),
            epsilon=Fraction(1, 100),
        ),
        classes=2,
        ratio=ratio_for(Fraction(1, 300)),
        kept=300,
        of=1000,
        net=Fraction(1, 9),
        vc=2,
    ),
    "net relabelling, no net": net_votes.net_relabelling(
        vote_law.vote(classes=2, ratio=SHORT, models=5),
        classes=2,
        ratio=SHORT,
        kept=2,
        of=5,
        net=Fraction(0),
        vc=1,
    ),
    "relabelled vote": relabelled_votes.relabelled_vote(
        kept=40_000,
        ratio=ratio_for(Fraction(1, 100)),
        mistake=3,
        weight=Fraction(1, 3),
        models=5,
        inner=REAL,
        records=200_000,
        vc=1,
        failure=Fraction(1, 20),
    ),
    "net relabelling, accuracy": net_votes.net_relabelling_accuracy(
        kept=5000,
        ratio=REAL,
        models=11,
        inner=SHORT,
        flip=Fraction(1, 300),
        slip=Fraction(1, 5000),
        records=150_000,
        vc=2,
        failure=Fraction(1, 20),
    ),
}
