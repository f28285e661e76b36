"""What only transforms have: what the learner inside is given, targets that are hit, splits that are best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.stable.stable import Stable, draw_epsilon_for, stable_split
from privpac.constructions.wrappers.calibrate import (
    STEP,
    best_split,
    calibrate,
    calibrate_agnostic,
    inner_epsilon_relabelled,
)
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.relabelling import Agnostic, Relabelled, Vote, relabelling
from privpac.constructions.wrappers.sampling import Resampled, Subsampled
from privpac.data.sample import Size
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Loss
from tests.claims.subjects import SCHEMA, Asked, records
from tests.statistical.claims import claims, first, moved

ONE = Fraction(1)
CUTS = Thresholds(SCHEMA, "c")


@dataclass(frozen=True)
class Spy(Occam):
    """One draw that keeps what it was given."""

    seen: list[Any] = field(default_factory=list, compare=False)

    def learn(self, sample: Any, coins: Any) -> Any:
        block = sample.block("c")
        self.seen.append((block.cells["c"].tolist(), block.labels.tolist()))
        return super().learn(sample, coins)


def given(transform: Any, n: int, seed: int = 1) -> tuple[list[int], list[Any]]:
    """All cells, and what the learner inside was given."""
    spy = Spy(CUTS, ONE)
    data = records(n)
    transform(spy).learn(data, SeededCoins(seed))
    return data.block().cells["c"].tolist(), spy.seen


def test_what_the_learner_inside_is_given() -> None:
    cells, [(kept, _)] = given(lambda spy: Subsampled(spy, 20), 30)
    assert len(kept) == 20
    assert set(kept) <= set(cells)
    assert kept != [cell for cell in cells if cell in kept]  # in random order
    _, [(kept, _)] = given(lambda spy: Resampled(spy, 50), 5)
    assert (len(kept), len(set(kept))) == (50, 5)
    cells, seen = given(lambda spy: Confidence(spy, 3, 4, ONE), 25)
    assert [kept for kept, _ in seen] == [cells[0:7], cells[7:14], cells[14:21]]
    cells, [(kept, labels)] = given(lambda spy: Relabelled(spy, 100, Fraction(5)), 400)
    assert kept == cells[:100]
    assert np.mean((np.array(kept) >= 512) == np.array(labels)) > 0.9
    assert (np.diff(np.array(labels)[np.argsort(kept)].astype(int)) >= 0).all()  # by one cut


def test_a_target_is_hit_and_nothing_more_would_do() -> None:
    for epsilon, n in product(("0.1", "3"), (300, 1000)):
        target = Fraction(epsilon)
        stacks = (
            calibrate(lambda e: Subsampled(Resampled(Occam(CUTS, e), 50), 100), size=Size(n), epsilon=target),
            calibrate_agnostic(lambda e: Occam(CUTS, e), size=Size(n), epsilon=target),
            calibrate_agnostic(lambda e: Occam(CUTS, e), size=Size(n), epsilon=target, kept=n // 100),
        )
        for found in stacks:
            assert found.certify(Size(n)).epsilon == target
            assert found.learner.certify(Size(n)).privacy.fact.epsilon <= Loss(log=target)
            assert not _raised(found.learner).certify(Size(n)).privacy.fact.epsilon <= Loss(log=target)
    with pytest.raises(ParameterError):
        calibrate(lambda e: Agnostic(Occam(CUTS, e), 10, ONE), size=Size(100), epsilon=Fraction(1, 10))


def _raised(learner: Any) -> Any:
    """The same stack with a little more epsilon inside."""
    if isinstance(learner, Occam):
        return replace(learner, epsilon=learner.epsilon + 2 * STEP)
    return replace(learner, learner=_raised(learner.learner))


def loss(share: Fraction, vote: Fraction, inner: Fraction, weight: Fraction = ONE) -> Fraction:
    """What `relabelling` says of these; the share as a part of a million records."""
    some = Vote(int(share * 10**6), int((1 - share) * 10**6), vote, weight)
    run = rules.declared(rules.exponential_mechanism(ratio=ONE), epsilon=inner)
    prices = {"ratio": some.ratio, "change": some.change, "mistake": some.mistake}
    proof = relabelling(run, classes=2, kept=some.kept, of=10**6, **prices)
    return proof.fact.epsilon.upper


@claims(inner_epsilon_relabelled=moved(Fraction(1, 10**5)))
def test_the_inverse_is_the_largest_inner_epsilon() -> None:
    for share, vote, target in (
        (Fraction("0.1"), Fraction("0.05"), 1),
        (Fraction("0.5"), Fraction("0.4"), 2),
    ):
        inner = inner_epsilon_relabelled(target, share=share, vote=vote)
        assert inner is not None
        losses = [loss(share, vote, e) for e in (inner, inner + STEP * 1000)]
        assert losses[0] <= Fraction(target) + Fraction(1, 10**9) < losses[1]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "2"])
def test_no_split_is_much_better_than_the_best(epsilon: str) -> None:
    def price(share: Fraction, vote: Fraction) -> Fraction:
        inner = inner_epsilon_relabelled(epsilon, share=share, vote=vote)
        return 1 / (vote * (1 - share)) + 1 / (share * inner) if inner else Fraction(10**9)

    best = best_split(epsilon)
    grid = [Fraction(epsilon) * Fraction(k, 40) for k in range(1, 25)]
    others = min(
        price(share, share * t) for share in grid if share < 1 for t in map(Fraction, ("0.3", "0.45", "0.8"))
    )
    assert price(best.share, best.vote) <= others * Fraction(1002, 1000)


def test_noisy_labels_are_followed_as_well_as_is_promised() -> None:
    asked = Asked("agnostic:thresholds:c", 40_000)
    learner = asked.learner()
    (fact,) = (proof.fact for proof in learner.certify(asked.request.size).accuracy)
    assert (fact.against, fact.error < Fraction(3, 10)) == (Against.AGNOSTIC, True)
    data = records(asked.n)
    cells = data.block().cells
    rule = learner.learn(data, SeededCoins(1))
    assert np.mean(rule.predict(cells) != (cells["c"] >= 512)) <= float(fact.error)


@claims(draw_epsilon_for=moved(Fraction(1, 10**5)), stable_split=first(moved(10)))
def test_a_stability_is_met_and_not_wasted() -> None:
    def stability(kept: int, n: int, epsilon: Fraction) -> Fraction:
        return Stable(CUTS, kept, epsilon).stability(Size(n)).fact.gamma

    for gamma, kept in (("0.1", 5), ("0.99", 50)):
        epsilon = draw_epsilon_for(gamma, share=Fraction(kept, 100))
        assert abs(Fraction(gamma) - stability(kept, 100, epsilon)) < Fraction(1, 10**9)
    n = 10**5
    kept, epsilon = stable_split(n, stability="0.01", vc=1)
    assert 0 <= Fraction("0.01") - stability(kept, n, epsilon) < Fraction(1, 10**9)
    errors = [
        Stable(CUTS, some, draw_epsilon_for("0.01", share=Fraction(some, n)))
        .certify(Size(n))
        .accuracy[0]
        .fact.error
        for some in (kept, 100, 300, 900)
    ]
    assert all(errors[0] <= other * Fraction(1001, 1000) for other in errors)


@pytest.mark.parametrize("epsilon", ["1.008", "2.985", "2.986", "200/67", "3.333", "7.77"])
def test_a_split_that_is_rounded_leaves_something_for_the_learner_inside(epsilon: str) -> None:
    """A vote rounded up took more than all: `agnostic:` ended with an assertion at epsilon 3 less a verdict's share."""
    split = best_split(Fraction(epsilon))
    assert split.inner > 0
    spent = loss(split.share, split.vote, split.inner)
    assert Fraction(epsilon) * Fraction(4, 5) <= spent <= Fraction(epsilon) + Fraction(1, 10**9)
