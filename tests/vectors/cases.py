"""Steps that reach both truths of a condition, or the other branch of a formula, where the examples reach one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from privpac.constructions.card import rules as card
from privpac.constructions.cuts import rules as cuts
from privpac.constructions.few_labels import active, boost, generic
from privpac.constructions.points.clipped import ClippedLoss
from privpac.constructions.points.sampled import SampledLoss, StarLoss
from privpac.constructions.prediction import fresh_draws, vote_law
from privpac.constructions.prediction import net_relabelled as net_votes
from privpac.constructions.prediction import relabelled_vote as relabelled_votes
from privpac.constructions.prediction import vote as voting
from privpac.constructions.release import block_quantiles, blr, histogram, quantiles, sanitiser, tree_counts
from privpac.constructions.release.block_quantiles import (
    BlockQuantilePlan,
    failure_block_quantiles,
    place_bits,
)
from privpac.constructions.release.tree_counts import TreePlan, failure_tree
from privpac.constructions.stable import stable
from privpac.constructions.wrappers import relabelling
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Privacy, Queries, Release, Unit
from privpac.guarantee.proof import Proof
from privpac.theory.refined import Kind
from tests.contracts.examples import EXAMPLES, plain
from tests.contracts.examples import points as point_examples
from tests.contracts.examples import prediction as prediction_examples
from tests.contracts.examples import relabelling as relabelling_examples
from tests.contracts.examples import release as release_examples
from tests.vectors.remaking import remade

__all__ = ["CASES", "PREMISES"]

RATIO, HALF, FAILURE = Fraction(3, 5), Fraction(1, 2), Fraction(1, 20)
REALIZABLE, AGNOSTIC = Against.REALIZABLE, Against.AGNOSTIC


def pure(ratio: Fraction = RATIO, **scope: Any) -> Proof[Any]:
    return rules.exponential_mechanism(ratio=ratio, **scope)


def mixed(**scope: Any) -> Proof[Any]:
    return rules.k_fold(pure(**scope), times=3, saved=1)


def nothing_but_delta() -> Proof[Any]:
    """Epsilon 0 and a delta of 1/4."""
    return stable.listed_from_some(rules.bounded_range(ratio=Fraction(1)), kept=1, of=4)


def charged(epsilon: str = "3/2", delta: str = "1/2") -> Proof[Any]:
    return rules.declared(mixed(), epsilon=Fraction(epsilon) + 1, delta=Fraction(delta))


def answer(base: Proof[Any]) -> Proof[Any]:
    return rules.post_processing(base, what="an answer", release=Release.ANSWER)


def chained(records: int, **other: Any) -> Proof[Any]:
    (proof,) = replace(plain.CHAINED, **other).promise(records, FAILURE)
    return proof


def learnt(against: Against = REALIZABLE, records: int = 1000, **more: Any) -> Proof[Any]:
    realizable = against is REALIZABLE
    return rules.occam(
        odds=100,
        records=records,
        ratio=HALF,
        tilt=HALF if realizable else Fraction(7, 10),
        error=Fraction(1, 10) if realizable else HALF,
        failure=FAILURE,
        against=against,
        **more,
    )


def answers(queries: Queries, records: int = 1000) -> Proof[Any]:
    return blr.candidate_answers(
        candidates=10**6,
        records=records,
        ratio=RATIO,
        radius=Fraction(1, 50),
        error=Fraction(1, 50) + Fraction(39, 1000),
        failure=Fraction(1, 100),
        queries=queries,
    )


def refined(
    *, first: bool, odds: Fraction, size: int, records: int = 1000, error: Fraction = HALF
) -> Proof[Any]:
    return rules.refined_draw(
        pure(Fraction(99, 100)) if first else None,
        odds=100,
        records=records,
        ratio=RATIO if not first else Fraction(9, 10),
        tilt=Fraction(17, 20) if not first else Fraction(9, 10),
        error=error,
        failure=FAILURE,
        against=AGNOSTIC,
        kinds=[Kind(odds, size)],
    )


def tree(**changed: Any) -> Proof[Any]:
    settings: dict[str, Any] = {
        "cells": 100,
        "branching": 4,
        "levels": 4,
        "ratio": RATIO,
        "above": 9,
        "steps": 60,
        "hidden": 30,
        "tilt": Fraction(8, 5),
    }
    records = changed.pop("records", 1000)
    plan = TreePlan(**{**settings, **changed})
    return tree_counts.tree_answers(plan, records=records, failure=failure_tree(plan, records=records))


def blocks(levels: int = 3, records: int = 1000, cells: int = 100, steps: int = 30) -> Proof[Any]:
    plan = BlockQuantilePlan(levels, place_bits(records, cells=cells), RATIO, 10**6, 20, steps)
    failure = failure_block_quantiles(plan) * release_examples.NEARLY
    return block_quantiles.block_quantile_answers(plan, cells=cells, records=records, failure=failure)


def confident(against: Against, **changed: Any) -> Proof[Any]:
    settings: dict[str, Any] = {
        "runs": 3,
        "held": 2000,
        "of": 5000,
        "ratio": HALF,
        "tilt": Fraction(4, 5),
        "gap": Fraction(3, 10),
    }
    return rules.confidence(learnt(against), **{**settings, **changed})


def net(**changed: Any) -> Proof[Any]:
    settings: dict[str, Any] = {
        "ratio": Fraction(999, 1000),
        "kept": 400,
        "of": 2000,
        "net": Fraction(1, 10),
        "vc": 1,
    }
    vote = vote_law.vote(classes=2, ratio=Fraction(999, 1000), models=3)
    return net_votes.net_relabelling(vote, classes=2, **{**settings, **changed})


def two_answers() -> Proof[Any]:
    return release_examples.generic(two=True)


def relabelled(ratio: Fraction, change: int, mistake: int, base: Proof[Any] | None = None) -> Proof[Any]:
    return relabelling.relabelling(
        base or mixed(), classes=2, kept=2, of=5, ratio=ratio, change=change, mistake=mistake
    )


def voted(
    models: int, vc: int = 1, records: int = 5000, *, failure: Fraction = FAILURE, exponential: bool = False
) -> Proof[Any]:
    make = voting.exponential_vote_accuracy if exponential else voting.vote_accuracy
    return make(models=models, ratio=RATIO, records=records, vc=vc, failure=failure)


def labelled() -> Proof[Privacy]:
    """What labelled records are promised by one round."""
    return boost.label_boost_labelled(mixed(), classes=2, ratio=RATIO)


def asked() -> Proof[Privacy]:
    """What those who were asked are promised by whoever knows the list."""
    return active.positions_known(mixed(), part="queried part", release=Release.WITH_LIST)


def few_labels_of(later: Proof[Privacy], part: str = "unlabelled part") -> Proof[Privacy]:
    """What records without label are promised by a round."""
    return boost.label_boost_unlabelled(later, classes=2, part=part)


def rounds(later: Proof[Privacy], *blocks: Proof[Privacy]) -> list[Proof[Privacy]]:
    """The roles of one round more than these."""
    first = boost.label_boost_labelled(later, classes=2, ratio=HALF)
    block = few_labels_of(later, part=f"unlabelled part, {len(blocks)} later")
    return [first, block, *(boost.later_round(role) for role in blocks)]


def boosted_labels(kind: str, basis: str) -> Proof[Any]:
    """A round of relabelling with a small class by growth, or a huge one by size: made from the example."""
    made: dict[str, Any] = json.loads(json.dumps(EXAMPLES[f"label-boost-{kind}"]().to_json()))
    where = made["where"]
    where |= {"carried_basis": basis, "carried_of": "1" if basis == "growth" else str(10**20)}
    if kind == "realizable":
        where["carried_square"] = "1/1000"
    else:
        where["carried_uniform"] = str(Fraction(where["carried_single"]) + Fraction(1, 50))
    made["fact"]["error"] = str(Fraction(made["fact"]["error"]) + Fraction(1, 10))
    return remade(made)


def changed(name: str, where: dict[str, Any], fact: dict[str, Any]) -> Proof[Any]:
    """The example of a rule with other numbers, as its maker makes it."""
    made: dict[str, Any] = json.loads(json.dumps(EXAMPLES[name]().to_json()))
    return remade({**made, "where": {**made["where"], **where}, "fact": {**made["fact"], **fact}})


def without_mistakes() -> Proof[Any]:
    """Then the error that is carried over is exactly what the deviation allows."""
    where = json.loads(json.dumps(EXAMPLES["ssl-relabel-accuracy"]().to_json()))["where"]
    near = Fraction(where["near_square"])
    return changed(
        "ssl-relabel-accuracy",
        {"draw_odds": "0", "draw_most": 0, "near": str(near)},
        {"error": str(near + Fraction(where["apart"]))},
    )


def one_run() -> Proof[Any]:
    """Nothing is chosen among one run: it is as good as it was."""
    made = EXAMPLES["boosted-points"]().to_json()
    records = made["premises"][0]["fact"]["records"] + made["where"]["selecting"]
    return changed(
        "boosted-points", {"runs": 1, "records": records}, {"failure": "99/100", "records": records}
    )


def far_range(ratio: Fraction) -> Proof[Any]:
    return rules.draw_range(pure(ratio))


TINY = Fraction(1, 10**15)
"""A ratio whose square loses more than 60."""

AROUND_60 = {
    "below": Fraction(1, 8 * 10**12),
    "at": Fraction(1, 10686474581524),
    "above": Fraction(1, 13 * 10**12),
}
"""Ratios whose squares lose 59.4, 60 to twelve decimals, and 60.4: beyond 60 curves are taken at their limit."""


def around_60(name: str, make: Callable[[Fraction], Proof[Any]]) -> dict[str, Callable[[], Proof[Any]]]:
    """A step for each of them."""
    return {f"{name}, {place} 60": partial(make, ratio) for place, ratio in AROUND_60.items()}


CASES: dict[str, Callable[[], Proof[Any]]] = {
    "exponential-mechanism of labels": lambda: pure(unit=Unit.LABEL),
    "exponential-mechanism with a part": lambda: pure(part="one part"),
    "exponential-mechanism, several": lambda: rules.exponential_mechanism(ratio=RATIO, sensitivity=3),
    "permute-and-flip, several": lambda: rules.permute_and_flip(ratio=RATIO, sensitivity=3),
    "bounded-range, several": lambda: rules.bounded_range(ratio=RATIO, sensitivity=3),
    "geometric-noise, several": lambda: rules.geometric_noise(ratio=RATIO, change=5),
    "weighted-rounds": lambda: card.weighted_rounds(ratio=RATIO, cap=2, rounds=3),
    "leafwise-blocks, hardly enough": lambda: block_quantiles.leafwise_blocks(ratio=RATIO, bits=17, stake=29),
    "occupied-blocks, one level": lambda: cuts.occupied_blocks(ratio=RATIO, levels=1, stake=7),
    "occupied-blocks, small": lambda: cuts.occupied_blocks(ratio=RATIO, levels=5, stake=1),
    "stable-choice at once": lambda: cuts.stable_choice(ratio=RATIO, threshold=0),
    "plurality of two": lambda: vote_law.plurality(ratio=RATIO, models=5, classes=2),
    "clipped-points of two": lambda: ClippedLoss(2, RATIO, 5, 4).proof(),
    "clipped-points without surplus": lambda: ClippedLoss(9, RATIO, 9, 4).proof(),
    "clipped-points, margin at the threshold": lambda: ClippedLoss(9, RATIO, 4, 4).proof(),
    "star-entries, all": lambda: StarLoss(Fraction(1), Fraction(9)).proof(),
    "star-entries, no spread": lambda: StarLoss(HALF, Fraction(1)).proof(),
    "star-entries, none": lambda: StarLoss(Fraction(0), Fraction(9)).proof(),
    "sampled-point, silent": lambda: SampledLoss(HALF, Fraction(1, 99), Fraction(2)).proof(),
    "sampled-point, loud": lambda: SampledLoss(HALF, Fraction(9, 10), Fraction(5)).proof(),
    "sampled-point, no spread": lambda: SampledLoss(HALF, HALF, Fraction(1)).proof(),
    "sequential of three": lambda: rules.sequential(mixed(), mixed(), charged()),
    "sequential of one kind": lambda: rules.sequential(*[answer(mixed())] * 2),
    "sequential of many": lambda: rules.sequential(*[nothing_but_delta()] * 5),
    "disjoint-parts of labels": lambda: rules.disjoint_parts(
        rules.on_part(mixed(unit=Unit.LABEL), part="one part"),
        rules.on_part(pure(unit=Unit.LABEL), part="another part"),
    ),
    "disjoint-parts of answers": lambda: rules.disjoint_parts(
        rules.on_part(answer(mixed()), part="one part"), rules.on_part(answer(pure()), part="another part")
    ),
    "disjoint-parts of two releases": lambda: rules.disjoint_parts(
        rules.on_part(answer(mixed()), part="one part"), rules.on_part(pure(), part="another part")
    ),
    "group of one": lambda: rules.group(mixed(), size=1),
    "group of nothing": lambda: rules.group(nothing_but_delta(), size=2),
    "group of nothing, large": lambda: rules.group(nothing_but_delta(), size=9),
    "group of a charge": lambda: rules.group(
        rules.declared(pure(), epsilon=Fraction(3, 2), delta=Fraction(1, 1000)), size=2
    ),
    "group, pure": lambda: rules.group(rules.declared(pure(), epsilon=Fraction(3)), size=3),
    "group of two": lambda: rules.group(
        stable.listed_from_some(rules.bounded_range(ratio=Fraction(99, 100)), kept=1, of=40), size=2
    ),
    "k-fold-composition, nothing saved": lambda: rules.k_fold(
        rules.declared(pure(), epsilon=Fraction(3, 2)), times=5, saved=0
    ),
    "k-fold-composition, half": lambda: rules.k_fold(pure(), times=4, saved=2),
    "range-fold, all": lambda: rules.range_fold(
        rules.range_log_odds(far_range(RATIO)), times=4, epsilon=Fraction(0)
    ),
    "range-fold, large": lambda: rules.range_fold(
        rules.bounded_range(ratio=RATIO), times=4, epsilon=Fraction(9)
    ),
    "declared, just": lambda: rules.declared(
        rules.declared(mixed(), epsilon=Fraction(3), delta=HALF), epsilon=Fraction(3), delta=HALF
    ),
    "subsampling-without-replacement, all": lambda: rules.subsampling(mixed(), kept=7, of=7),
    "subsampling-without-replacement of a charge": lambda: rules.subsampling(charged(), kept=2, of=7),
    "sampling-with-replacement of nothing": lambda: rules.sampling_with_replacement(
        nothing_but_delta(), draws=3, of=7
    ),
    "sampling-with-replacement, much": lambda: rules.sampling_with_replacement(
        nothing_but_delta(), draws=30, of=7
    ),
    "sampling-with-replacement of a charge": lambda: rules.sampling_with_replacement(
        charged(), draws=5, of=7
    ),
    "total-variation of nothing": lambda: rules.total_variation(rules.bounded_range(ratio=Fraction(1))),
    "total-variation of much": lambda: rules.total_variation(rules.bounded_range(ratio=TINY)),
    "total-variation of a rounded one": lambda: rules.total_variation(
        rules.bounded_range(ratio=Fraction(1, 4))
    ),
    "total-variation, exact": lambda: rules.total_variation(rules.bounded_range(ratio=Fraction(1, 3))),
    "delta-removal, small": lambda: fresh_draws.delta_removal(
        answer(rules.declared(pure(), epsilon=Fraction(2), delta=Fraction(1, 10**6))), classes=2, flip=HALF
    ),
    "delta-removal, large": lambda: fresh_draws.delta_removal(
        answer(nothing_but_delta()), classes=2, flip=Fraction(1, 10)
    ),
    "delta-removal, even": lambda: fresh_draws.delta_removal(
        answer(nothing_but_delta()), classes=2, flip=HALF
    ),
    "relabelling, votes count": lambda: relabelled(Fraction(1, 10), 1, 9, pure(Fraction(99, 100))),
    "relabelling, equal prices": lambda: relabelled(RATIO, 2, 2),
    "relabelling, dear mistakes": lambda: relabelled(RATIO, 1, 2),
    "relabelling, dear changes": lambda: relabelled(RATIO, 5, 2),
    "relabelling, much delta": lambda: relabelled(RATIO, 1, 2, nothing_but_delta()),
    "relabelling-part, charged": lambda: relabelling.relabelling_part(
        charged(), classes=2, ratio=RATIO, change=1, part="left"
    ),
    "listed-from-some, all": lambda: stable.listed_from_some(rules.bounded_range(ratio=RATIO), kept=4, of=4),
    "stable-from-some, all": lambda: stable.stable_from_some(
        rules.total_variation(rules.bounded_range(ratio=RATIO)), kept=4, of=4
    ),
    "net-relabelling, small": lambda: net(kept=2, of=3, vc=0),
    "net-relabelling, no net": lambda: net(net=Fraction(0)),
    "net-relabelling, rarely": lambda: net(kept=1200, net=Fraction(1, 20)),
    "net-relabelling of pairs": lambda: net(vc=2),
    "label-boost-labelled, charged": lambda: boost.label_boost_labelled(charged(), classes=2, ratio=HALF),
    "label-boost-labelled of two rounds": lambda: boost.label_boost_labelled(
        labelled(), classes=2, ratio=HALF
    ),
    "label-boost-unlabelled, charged": lambda: boost.label_boost_unlabelled(charged(), classes=2),
    "label-boost-unlabelled of two rounds": lambda: boost.label_boost_unlabelled(
        labelled(), classes=2, part="unlabelled part, block 1"
    ),
    "label-boost of two rounds": lambda: rules.disjoint_parts(*rounds(labelled(), few_labels_of(mixed()))),
    "label-boost of three rounds": lambda: rules.disjoint_parts(
        *rounds(*rounds(labelled(), few_labels_of(mixed())))
    ),
    "concentrated-parts of two rounds": lambda: rules.concentrated_parts(
        *(rules.pure_concentrated(role) for role in rounds(labelled(), few_labels_of(mixed())))
    ),
    "later-round of a sample": lambda: boost.later_round(
        rules.subsampling(few_labels_of(mixed()), kept=1, of=3)
    ),
    "disjoint-parts of votes": lambda: rules.disjoint_parts(
        relabelling.relabelling_votes(classes=2, ratio=RATIO, mistake=2, part="labelled part"),
        relabelling.relabelling_part(mixed(), classes=2, ratio=RATIO, change=1, part="unlabelled part"),
    ),
    "roles, as each is passed on": lambda: rules.declared(
        rules.assuming(rules.post_processing(rules.sequential(labelled()), what="a rule"), "it rains"),
        epsilon=Fraction(9),
        delta=HALF,
    ),
    "roles, as costs are passed on": lambda: rules.concentrated_mixture(
        rules.concentrated_sum(
            rules.concentrated_post_processing(rules.pure_concentrated(labelled()), what="a rule")
        )
    ),
    "positions-known of who is labelled": lambda: active.positions_known(
        labelled(), part="queried part", release=Release.WITH_COINS
    ),
    "positions-known of who is not": lambda: active.positions_known(
        few_labels_of(mixed()), part="unqueried part", release=Release.WITH_LIST
    ),
    "post-processing of what tells positions": lambda: rules.post_processing(
        asked(), what="a rule", release=Release.WITH_LIST
    ),
    "concentrated-post-processing of what tells positions": lambda: rules.concentrated_post_processing(
        rules.pure_concentrated(asked()), what="a rule", release=Release.WITH_LIST
    ),
    "positions-known, alone": lambda: active.positions_known(
        mixed(), part="queried part", release=Release.WITH_LIST, alone=True
    ),
    "positions-known of the labelled": lambda: active.positions_known(
        rules.on_part(mixed(), part="labelled part"), part="queried part", release=Release.WITH_COINS
    ),
    "positions-known of the others": lambda: active.positions_known(
        rules.on_part(mixed(), part="unlabelled part"), part="unqueried part", release=Release.WITH_LIST
    ),
    "positions-known of all others": lambda: active.positions_known(
        mixed(), part="unqueried part", release=Release.WITH_COINS
    ),
    "occam-realizable, named": lambda: learnt(rivals="rules of one question"),
    "occam-agnostic, named": lambda: learnt(AGNOSTIC, rivals="rules of one question"),
    "chained-draw, several": lambda: chained(1000, chains=30, slack=Fraction(1, 50), apart=False),
    "chained-draw, above a half": lambda: chained(250),
    "chained-draw, both at once": lambda: chained(
        1000, odds=Fraction(4), tilt=Fraction(99, 100), share=Fraction(2, 100)
    ),
    "occam-realizable of one": lambda: rules.occam(
        odds=0,
        records=0,
        ratio=Fraction(1),
        tilt=Fraction(1),
        error=Fraction(1),
        failure=HALF,
        against=REALIZABLE,
    ),
    "occam-agnostic of one": lambda: rules.occam(
        odds=0,
        records=0,
        ratio=Fraction(1),
        tilt=Fraction(1),
        error=Fraction(1),
        failure=HALF,
        against=AGNOSTIC,
    ),
    "empirical-draw of one": lambda: rules.empirical_draw(
        odds=0, records=1, ratio=HALF, error=Fraction(0), failure=HALF
    ),
    "leafwise-blocks, more than enough": lambda: block_quantiles.leafwise_blocks(ratio=HALF, bits=2, stake=5),
    "refined-draw-agnostic, one kind": lambda: refined(first=False, odds=Fraction(7), size=10**6),
    "refined-draw-agnostic, hardly": lambda: refined(
        first=False, odds=Fraction(1, 10**9), size=1, error=Fraction(9, 20)
    ),
    "refined-draw-agnostic, of a draw": lambda: refined(first=True, odds=Fraction(7), size=1, records=4000),
    "subsampling-accuracy, all": lambda: rules.subsampling_accuracy(learnt(), of=1000),
    "subsampling-accuracy, improper": lambda: rules.subsampling_accuracy(point_examples._run(), of=2000),
    "resampling-empirical, agnostic": lambda: rules.resampling_empirical(learnt(AGNOSTIC), of=5000),
    "resampling-accuracy, agnostic": lambda: rules.resampling_accuracy(
        learnt(AGNOSTIC, 4000), of=10**5, vc=1, miss=FAILURE
    ),
    "resampling-accuracy, void": lambda: rules.resampling_accuracy(learnt(), of=20, vc=3, miss=FAILURE),
    "resampling-accuracy, agnostic and void": lambda: rules.resampling_accuracy(
        learnt(AGNOSTIC), of=20, vc=3, miss=FAILURE
    ),
    "confidence, agnostic": lambda: confident(AGNOSTIC),
    "confidence of one": lambda: confident(REALIZABLE, runs=1, held=0),
    "confidence, unfair": lambda: confident(REALIZABLE, held=3, runs=2),
    "confidence, agnostic and unfair": lambda: confident(AGNOSTIC, held=30, runs=2),
    "relabelling-accuracy, small": lambda: rules.relabelling_accuracy(
        relabelling_examples.empirical(10**5),
        kept=10**5,
        of=2 * 10**5,
        ratio=HALF,
        change=2,
        mistake=3,
        vc=2,
        miss=Fraction(1, 50),
    ),
    "relabelling-accuracy, void": lambda: rules.relabelling_accuracy(
        relabelling_examples.empirical(10),
        kept=10,
        of=20,
        ratio=HALF,
        change=2,
        mistake=3,
        vc=2,
        miss=Fraction(1, 50),
    ),
    "stable-accuracy, all": lambda: rules.stable_accuracy(
        kept=10**5, of=10**5, ratio=HALF, vc=1, miss=Fraction(1, 50)
    ),
    "stable-accuracy, void": lambda: rules.stable_accuracy(
        kept=10, of=10, ratio=HALF, vc=1, miss=Fraction(1, 50)
    ),
    "vote-accuracy, even": lambda: voted(6),
    "vote-accuracy of one": lambda: voted(1),
    "vote-accuracy of a large class": lambda: voted(3, vc=4, records=20_000),
    "vote-accuracy, no dimension": lambda: voted(2, vc=0),
    "exponential-vote-accuracy, even": lambda: voted(6, exponential=True),
    "exponential-vote-accuracy, no dimension": lambda: voted(2, vc=0, exponential=True),
    "flipped-answers, all": lambda: fresh_draws.flipped_answers(
        kept=20_000,
        ratio=RATIO,
        flip=Fraction(0),
        slip=Fraction(1, 1000),
        records=20_000,
        vc=1,
        failure=FAILURE,
    ),
    "flipped-answers, often": lambda: fresh_draws.flipped_answers(
        kept=10**5, ratio=RATIO, flip=HALF, slip=Fraction(1, 1000), records=10**5, vc=1, failure=FAILURE
    ),
    "flipped-answers, no dimension": lambda: fresh_draws.flipped_answers(
        kept=1000,
        ratio=RATIO,
        flip=Fraction(1, 50),
        slip=Fraction(1, 50),
        records=20_000,
        vc=0,
        failure=FAILURE,
    ),
    "relabelled-vote": lambda: relabelled_votes.relabelled_vote(
        kept=40_000,
        ratio=Fraction(1, 4),
        mistake=1,
        weight=Fraction(1, 3),
        models=3,
        inner=Fraction(1),
        records=225_000,
        vc=1,
        failure=FAILURE,
    ),
    "net-relabelling-accuracy, all": lambda: net_votes.net_relabelling_accuracy(
        kept=100_000,
        ratio=Fraction(1, 3),
        models=3,
        inner=Fraction(1, 4),
        flip=Fraction(0),
        slip=Fraction(1, 5000),
        records=100_000,
        vc=1,
        failure=FAILURE,
    ),
    "net-relabelling-accuracy, often": lambda: net_votes.net_relabelling_accuracy(
        kept=100_000,
        ratio=Fraction(1, 3),
        models=1,
        inner=Fraction(1, 10**9),
        flip=HALF,
        slip=Fraction(1, 5000),
        records=200_000,
        vc=0,
        failure=FAILURE,
    ),
    "histogram-answers, few records": lambda: histogram.histogram_answers(
        cells=1000, records=100, ratio=RATIO, above=9, steps=40, failure=Fraction(1, 10**4)
    ),
    "tree-answers, full": lambda: tree(above=None, hidden=0),
    "tree-answers, one level": lambda: tree(branching=100, levels=1, steps=500, tilt=Fraction(3, 2)),
    "tree-answers of one cell": lambda: tree(cells=1, levels=1, above=None, hidden=0),
    "tree-answers, even": lambda: tree(branching=2, levels=7),
    "tree-answers, odd": lambda: tree(branching=3, levels=5),
    "tree-answers, few records": lambda: tree(
        cells=8, branching=2, levels=3, records=120, steps=60, hidden=40, above=2, tilt=Fraction(3, 2)
    ),
    "tree-answers, high": lambda: tree(above=30, hidden=30, steps=200, ratio=Fraction(1, 100), records=231),
    "quantile-answers, odd": lambda: quantiles.quantile_answers(
        cells=7, records=1003, ratio=RATIO, levels=4, batch=4, steps=40, failure=Fraction(1, 100)
    ),
    "quantile-answers of one": lambda: quantiles.quantile_answers(
        cells=7, records=1003, ratio=RATIO, levels=1, batch=1, steps=40, failure=Fraction(1, 100)
    ),
    "block-quantile-answers, odd": lambda: blocks(4, 1003, 7),
    "block-quantile-answers of one": lambda: blocks(1, 100, 1, 40),
    "candidate-answers, exact": lambda: blr.candidate_answers(
        candidates=2,
        records=1000,
        ratio=HALF,
        radius=Fraction(0),
        error=Fraction(3, 1000),
        failure=Fraction(1, 15),
        queries=Queries.LISTED,
    ),
    "candidate-answers of one": lambda: blr.candidate_answers(
        candidates=1,
        records=1000,
        ratio=HALF,
        radius=Fraction(1, 50),
        error=Fraction(1, 50),
        failure=Fraction(1, 16),
        queries=Queries.THRESHOLDS,
    ),
    "generic-learner, two": two_answers,
    "generic-learner, listed": lambda: generic_of_listed(),
    "generic-learner, two errors": lambda: generic_of_listed(
        sanitiser.ranges_from_thresholds(answers(Queries.THRESHOLDS))
    ),
    "noise-concentrated of one count": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=RATIO, change=2), largest=2
    ),
    "noise-concentrated, change 1": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=RATIO, change=1), largest=1
    ),
    "noise-concentrated, change 3": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=RATIO, change=3), largest=1
    ),
    "noise-concentrated, far": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=Fraction(1, 10**30), change=1), largest=1
    ),
    "noise-concentrated, nearly far": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=Fraction(1, 10**14), change=2), largest=1
    ),
    "noise-concentrated, far for one count": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=Fraction(1, 10**14), change=2), largest=2
    ),
    "noise-concentrated, farther": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=Fraction(1, 10**27), change=2), largest=1
    ),
    "noise-concentrated, gentle": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=Fraction(99, 100), change=2), largest=2
    ),
    "pure-concentrated, far": lambda: rules.pure_concentrated(pure(TINY)),
    "pure-concentrated of nothing": lambda: rules.pure_concentrated(pure(Fraction(1))),
    "pure-concentrated, gentle": lambda: rules.pure_concentrated(pure(Fraction(999, 1000))),
    "pure-concentrated, at 60": lambda: rules.pure_concentrated(rules.declared(pure(), epsilon=Fraction(60))),
    "pure-concentrated, below 60": lambda: rules.pure_concentrated(
        rules.declared(pure(), epsilon=Fraction(59))
    ),
    "log-odds-concentrated, far": lambda: rules.log_odds_concentrated(rules.bounded_range(ratio=TINY)),
    "log-odds-concentrated of nothing": lambda: rules.log_odds_concentrated(
        rules.bounded_range(ratio=Fraction(1))
    ),
    "log-odds-concentrated, gentle": lambda: rules.log_odds_concentrated(
        rules.bounded_range(ratio=Fraction(999, 1000))
    ),
    "subsampled-concentrated, all": lambda: rules.subsampled_concentrated(far_range(RATIO), kept=7, of=7),
    "subsampled-concentrated, far": lambda: rules.subsampled_concentrated(far_range(TINY), kept=2, of=7),
    "subsampled-concentrated of nothing": lambda: rules.subsampled_concentrated(
        far_range(Fraction(1)), kept=2, of=7
    ),
    "range-concentrated of nothing": lambda: rules.range_concentrated(far_range(Fraction(1))),
    "draw-range of medians": lambda: rules.draw_range(quantiles.leafwise_medians(ratio=RATIO)),
    "draw-range of a vote": lambda: rules.draw_range(
        vote_law.exponential_vote(ratio=RATIO, models=5, classes=3)
    ),
    **around_60(
        "noise-concentrated of one count",
        lambda ratio: rules.noise_concentrated(rules.geometric_noise(ratio=ratio, change=2), largest=2),
    ),
    **around_60(
        "subsampled-concentrated, one of many",
        lambda ratio: rules.subsampled_concentrated(far_range(ratio), kept=1, of=2**62),
    ),
    "tree-answers of hardly any records": lambda: tree(
        cells=2,
        branching=2,
        levels=1,
        ratio=Fraction(1, 100),
        above=None,
        hidden=0,
        steps=2,
        tilt=Fraction(20),
        records=3,
    ),
    **{
        f"label-boost-{kind}, by {basis}": partial(boosted_labels, kind, basis)
        for kind in ("realizable", "agnostic")
        for basis in ("growth", "size")
    },
    "candidate-answers without error": lambda: blr.candidate_answers(
        candidates=1,
        records=1000,
        ratio=HALF,
        radius=Fraction(0),
        error=Fraction(0),
        failure=Fraction(1, 16),
        queries=Queries.THRESHOLDS,
    ),
    "sparse-sets-accuracy, hardly": lambda: changed(
        "sparse-sets-accuracy",
        {"flip": "1/10", "ratio": "1/2", "records": 5},
        {"error": "9/10", "failure": "97/100", "records": 5},
    ),
    "clipped-points-accuracy, hardly": lambda: changed(
        "clipped-points-accuracy",
        {"domain": "3", "ratio": "1/2", "threshold": 2, "margin": 1, "records": 5},
        {"error": "9/10", "failure": "9/10", "records": 5},
    ),
    "reed-solomon-points of two": lambda: changed(
        "reed-solomon-points",
        {"domain": "4", "prime": 2, "digits": 2, "tolerated": "3/5", "ratio": "4/5", "records": 400},
        {"error": "9/10", "failure": "1/20", "records": 400},
    ),
    "reed-solomon-points of few": lambda: changed(
        "reed-solomon-points",
        {"domain": "5", "prime": 5, "digits": 2, "tolerated": "3/5", "ratio": "4/5", "records": 900},
        {"error": "9/10", "failure": "1/20", "records": 900},
    ),
    "pairwise-cover of one": lambda: changed(
        "pairwise-cover",
        {"keys": 1, "share": "1/4", "good": 1, "ratio": "17/20", "records": 2000},
        {"error": "7/10", "failure": "99/100", "records": 2000},
    ),
    "independent-noise, much": lambda: cuts.independent_noise(
        learnt(), rate=Fraction(2, 5), noise=Fraction(4, 5)
    ),
    "histogram-answers, hardly": lambda: histogram.histogram_answers(
        cells=1, records=100, ratio=RATIO, above=40, steps=40, failure=Fraction(99, 100)
    ),
    "block-quantile-answers of one record": lambda: block_quantiles.block_quantile_answers(
        BlockQuantilePlan(1, place_bits(1, cells=1), Fraction(1, 100), 1, 1, 1),
        cells=1,
        records=1,
        failure=HALF,
    ),
    "rec-concave, hardly": lambda: changed("rec-concave", {"widths": 0}, {"failure": "99/100"}),
    "ssl-relabel-accuracy without mistakes": lambda: without_mistakes(),
    "refined-draw-agnostic that hardly refines": lambda: rules.refined_draw(
        pure(Fraction(99, 100)),
        odds=0,
        records=1,
        ratio=Fraction(9, 10),
        tilt=Fraction(9, 10),
        error=HALF,
        failure=FAILURE,
        against=AGNOSTIC,
        kinds=[Kind(Fraction(1, 1000), 1)],
    ),
    "noise-concentrated that loses 1": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=Fraction(6065306597126334237, 10**19), change=2), largest=1
    ),
    "boosted-points, one run": lambda: one_run(),
    "declared, all of delta": lambda: rules.declared(mixed(), epsilon=Fraction(3), delta=Fraction(1)),
    "vote-accuracy, small blocks": lambda: voted(1, vc=0, records=9, failure=Fraction(19, 20)),
    "exponential-vote-accuracy, small blocks": lambda: voted(
        1, vc=0, records=9, failure=Fraction(19, 20), exponential=True
    ),
    "relabelled-vote of many": lambda: relabelled_votes.relabelled_vote(
        kept=4096 * 40,
        ratio=Fraction(1, 4),
        mistake=1,
        weight=Fraction(1, 3),
        models=4096,
        inner=Fraction(1),
        records=4096 * 80,
        vc=0,
        failure=FAILURE,
    ),
    "net-relabelling-accuracy of many": lambda: net_votes.net_relabelling_accuracy(
        kept=4096 * 40,
        ratio=Fraction(1, 3),
        models=4096,
        inner=Fraction(1),
        flip=Fraction(0),
        slip=Fraction(1, 5000),
        records=4096 * 40,
        vc=0,
        failure=FAILURE,
    ),
    "concentrated-sum, often": lambda: rules.concentrated_sum(
        rules.pure_concentrated(nothing_but_delta()), times=9
    ),
    "concentrated-sum of answers": lambda: rules.concentrated_sum(
        rules.pure_concentrated(answer(mixed())), rules.pure_concentrated(answer(pure()))
    ),
    "concentrated-parts of answers": lambda: rules.concentrated_parts(
        rules.concentrated_on_part(rules.pure_concentrated(answer(mixed())), part="one part"),
        rules.concentrated_on_part(rules.pure_concentrated(answer(pure())), part="another part"),
    ),
    "concentrated-mixture of answers": lambda: rules.concentrated_mixture(
        rules.pure_concentrated(answer(pure())), rules.pure_concentrated(answer(mixed()))
    ),
    "concentrated-group of one": lambda: rules.concentrated_group(
        rules.range_concentrated(far_range(RATIO)), size=1
    ),
    "concentrated-group of two": lambda: rules.concentrated_group(
        rules.range_concentrated(far_range(RATIO)), size=2
    ),
    "concentrated-privacy, much delta": lambda: rules.concentrated_privacy(
        rules.pure_concentrated(nothing_but_delta()), delta=Fraction(9, 10), order=Fraction(2)
    ),
    "concentrated-privacy of little": lambda: rules.concentrated_privacy(
        rules.range_concentrated(far_range(RATIO)), delta=Fraction(1, 10**9), order=Fraction(5, 4)
    ),
    "switch-reconstruction of two": lambda: cuts.switch_reconstruction(
        learnt(),
        candidates=2,
        selection=3000,
        ratio=HALF,
        tilt=Fraction(4, 5),
        error=Fraction(1, 4),
        failure=Fraction(1, 10),
    ),
    "independent-noise, agnostic": lambda: cuts.independent_noise(
        learnt(AGNOSTIC), rate=Fraction(1, 1000), noise=HALF
    ),
    "noise-reconstruction, agnostic": lambda: cuts.noise_reconstruction(
        learnt(AGNOSTIC), rate=Fraction(1, 100)
    ),
    "assuming of accuracy": lambda: rules.assuming(learnt(), "it rains"),
    "assuming of a person": lambda: rules.assuming(rules.group(pure(), size=2), "it rains"),
    "resampling-empirical of a vote": lambda: rules.resampling_empirical(voted(5), of=9),
    "exponential vote, answers": lambda: prediction_examples.EXAMPLES["exponential-vote"](),
}


def generic_of_listed(*more: Proof[Any]) -> Proof[Any]:
    """The same with listed queries, of which a slab needs one."""
    listed = release_examples.candidates(Queries.LISTED)
    error = max(proof.fact.error for proof in (listed, *more))
    return generic.generic_learner(
        listed,
        *more,
        gap=Fraction(1, 100),
        slabs=2,
        vc=1,
        hypotheses=51,
        labelled=300,
        ratio=RATIO,
        tilt=Fraction(4, 5),
        tolerated=2 * (error + Fraction(1, 100)) + Fraction(17, 100),
        deviation=Fraction(1, 20),
        error=Fraction(7, 10),
        failure=sum(proof.fact.failure for proof in (listed, *more)) + Fraction(1, 20) + Fraction(1, 10),
    )


def _trees(*proofs: Proof[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(json.dumps([proof.to_json() for proof in proofs]))
    return found


def _privacy() -> list[Proof[Any]]:
    found = [pure(), mixed(), charged(), nothing_but_delta(), pure(unit=Unit.LABEL), mixed(unit=Unit.LABEL)]
    found += [answer(pure()), answer(mixed()), rules.group(pure(), size=2), rules.group(mixed(), size=2)]
    found += [rules.on_part(mixed(), part=part) for part in ("one part", "labelled part", "unlabelled part")]
    found += [rules.geometric_noise(ratio=RATIO, change=change) for change in (1, 2, 3)]
    found += [rules.permute_and_flip(ratio=RATIO), quantiles.leafwise_medians(ratio=RATIO)]
    found += [relabelled(RATIO, 2, 2)]
    found += [labelled(), few_labels_of(mixed()), *rounds(labelled(), few_labels_of(mixed()))]
    found += [
        rules.declared(pure(), epsilon=Fraction(1500)),
        answer(pure(unit=Unit.LABEL)),
        answer(rules.on_part(pure(), part="one part")),
        rules.assuming(pure(), "it rains"),
        rules.post_processing(mixed(), what="numbers", release=Release.NUMBERS),
        rules.declared(rules.sequential(pure()), epsilon=Fraction(11, 10)),
        stable.listed_from_some(rules.bounded_range(ratio=RATIO, unit=Unit.LABEL), kept=1, of=4),
    ]
    return found


def _accuracy() -> list[Proof[Any]]:
    found = [
        learnt(),
        learnt(AGNOSTIC),
        learnt(rivals="rules of one question"),
        relabelling_examples.empirical(1000),
    ]
    found += [
        rules.assuming(learnt(), "it rains"),
        rules.assuming(relabelling_examples.empirical(1000), "it rains"),
    ]
    found += [cuts.independent_noise(learnt(), rate=Fraction(1, 1000), noise=HALF), point_examples._run()]
    found += [rules.resampling_empirical(point_examples._run(), of=1000), learnt(records=900)]
    found += [
        rules.occam(
            odds=1,
            records=point_examples._run().fact.records,
            ratio=HALF,
            tilt=HALF,
            error=Fraction(1, 50),
            failure=FAILURE,
            against=REALIZABLE,
        ),
        rules.resampling_empirical(point_examples._run(), of=point_examples._run().fact.records),
    ]
    return found


def _concentrated() -> list[Proof[Any]]:
    found = [rules.pure_concentrated(proof) for proof in _privacy()[:13] if proof.fact.epsilon.upper < 60]
    return [*found, rules.range_concentrated(far_range(RATIO))]


PREMISES: dict[str, list[dict[str, Any]]] = {
    "privacy": _trees(*_privacy()),
    "accuracy": _trees(*_accuracy()),
    "concentrated": _trees(*_concentrated()),
    "answers": _trees(
        *(answers(queries) for queries in (Queries.THRESHOLDS, Queries.LISTED)),
        release_examples.histogram(),
        sanitiser.ranges_from_thresholds(answers(Queries.THRESHOLDS)),
        sanitiser.ranges_from_thresholds(answers(Queries.THRESHOLDS, 999)),
    ),
    "bounded-range": _trees(
        *(rules.bounded_range(ratio=ratio) for ratio in (RATIO, Fraction(1), TINY, Fraction(1, 10**9))),
        rules.bounded_range(ratio=RATIO, unit=Unit.LABEL),
    ),
    "range": _trees(
        *(rules.draw_range(proof) for proof in (pure(), pure(unit=Unit.LABEL), pure(part="one part"))),
        rules.draw_range(pure(release=Release.ANSWER)),
        far_range(Fraction(1)),
        far_range(TINY),
    ),
    "stability": _trees(
        *(rules.total_variation(rules.bounded_range(ratio=RATIO, unit=unit)) for unit in Unit),
    ),
}
"""What a step may rest on instead, by the kind of fact."""
