"""The stable learner (A_sta): no single record moves any prediction by much.

A random `kept` of the records say which concepts are distinguished: one for each labelling of their points. All records
then draw one of them by the exponential mechanism, by their mistakes.
Statement: replacing one record moves the probability of every event by at most q + (1 - q)·tanh(epsilon/4), q = kept/n;
as privacy it is (epsilon, q), and q is far too large a delta to protect anybody. It is robustness, not privacy.
Source: Dagan–Feldman 2020, Theorem 1 and Lemma 7 (printed: q + 2·epsilon).
Holds if: the representative of a labelling is chosen by the set of the kept points alone (`Dichotomies.member`).
Proof: docs/proofs/stable.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import ctx

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import Dichotomous, dimension, with_dichotomies
from privpac.constructions.base import DrawsMembers, DrawsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, BoundedRange, Privacy, Stability
from privpac.guarantee.proof import SEAL, Proof, need
from privpac.numbers.exact import ball, ln_down, plain
from privpac.numbers.parameters import Number, at_least, chance, fraction_below, positive, whole_positive
from privpac.theory.register import formula
from privpac.theory.vc import ln_growth

__all__ = ["Stable", "draw_epsilon_for", "listed_from_some", "stable_from_some", "stable_split"]


def listed_from_some(premise: Proof[BoundedRange], *, kept: int, of: int) -> Proof[Privacy]:
    """A draw by all records from a class listed from the points of a uniform `kept`-subset: (g, kept/of).

    Source: Dagan–Feldman 2020, Lemma 7, read as privacy; register `listed-from-some`. Holds if representatives are
    chosen by the set of points alone (assumed of the caller).
    """
    rule = "listed-from-some"
    need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    fact = Privacy(premise.fact.epsilon, Fraction(kept, of), premise.fact.unit)
    return Proof(fact, rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)


def stable_from_some(premise: Proof[Stability], *, kept: int, of: int) -> Proof[Stability]:
    """The same as stability: gamma' = q + (1 - q)·gamma with q = kept/of.

    Source: Dagan–Feldman 2020, Lemma 7, tight; register `stable-from-some`. Holds as `listed_from_some`.
    """
    rule = "stable-from-some"
    need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    q = Fraction(kept, of)
    gamma = q + (1 - q) * premise.fact.gamma
    return Proof(Stability(gamma, premise.fact.unit), rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)


@dataclass(frozen=True)
class Stable(DrawsMembers, DrawsOnce):
    """A draw at `epsilon` from one concept a labelling of `kept` random points."""

    concepts: AnyClass
    kept: int
    epsilon: Fraction
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        with_dichotomies(self.concepts, owner="Stable")
        whole_positive(self.kept, owner="Stable", name="kept")
        positive(self.epsilon, owner="Stable", name="epsilon")
        chance(self.failure, owner="Stable", name="failure")

    @property
    def _dichotomous(self) -> Dichotomous:
        return with_dichotomies(self.concepts, owner="Stable")

    @property
    def passes(self) -> int:
        """One takes the records that list the labellings, one counts their mistakes."""
        return 2

    def require(self, size: Size) -> None:
        size.require_labelled("Stable", least=self.kept)
        self._dichotomous.require_listed(self.kept, elsewhere=size.labelled - self.kept)

    def stability(self, size: Size) -> Proof[Stability]:
        """How far one record moves the probability of any event."""
        draw = rules.total_variation(rules.bounded_range(ratio=self.ratio))
        size.require_labelled("Stable", least=self.kept)
        return stable_from_some(draw, kept=self.kept, of=size.labelled)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        return Certificate(
            privacy=listed_from_some(rules.bounded_range(ratio=self.ratio), kept=self.kept, of=n),
            accuracy=self._accuracy(n),
            learner={
                "name": "stable",
                "concepts": self.concepts.word,
                "kept": self.kept,
                "epsilon": plain(self.epsilon),
                "stability": plain(self.stability(size).fact.gamma),
            },
            labelled=n,
        )

    def _accuracy(self, n: int) -> tuple[Proof[Accuracy], ...]:
        vc = dimension(self.concepts, counted=self.kept, drawn=self.kept)
        if (
            vc is None or ln_down(1 / self.ratio) == 0
        ):  # a draw that is uniform for all that twelve digits say
            return ()
        proof = rules.stable_accuracy(kept=self.kept, of=n, ratio=self.ratio, vc=vc, miss=self.failure / 4)
        return (proof,) if proof.fact.error < 1 else ()

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        positions = np.array(coins.subset(sample.size.labelled, self.kept), dtype=np.int64)
        labellings = self._dichotomous.dichotomies(sample.take(positions))
        return labellings.member(labellings.mistakes(sample).draw(self.ratio, coins))


# --- how many records list rules, and the epsilon of the draw ---

PLACES = 10**12
"""Results are decimals of twelve places, rounded to the safe side."""
ROUNDING = Fraction(1, 10**11)
"""What is kept below a stability that a certificate has to meet."""


@formula("stable-from-some")
def draw_epsilon_for(stability: Number, *, share: Number) -> Fraction:
    """The largest epsilon of the draw that keeps a stability; rounded down.

    Statement: 4·artanh((stability - share)/(1 - share)). Source: register `stable-from-some`. Holds if: the share is
    below the stability. Proof: docs/proofs/stable.md.

    >>> round(float(draw_epsilon_for("0.1", share="0.05")), 5)
    0.21072
    """
    owner = "draw_epsilon_for"
    gamma = chance(stability, owner=owner, name="stability")
    q = fraction_below(gamma, share, owner=owner, name="share")
    with ctx.workprec(192):
        largest = 4 * ball((gamma - q) / (1 - q)).atanh() * PLACES
        return Fraction(int(largest.lower().floor().unique_fmpz()), PLACES)


@formula("stable-accuracy")
def stable_split(
    n: int, *, stability: Number, vc: int, failure: Number = Fraction(1, 20)
) -> tuple[int, Fraction]:
    """(kept, epsilon of the draw) with exactly this stability that errs least, to a few percent.

    Statement: (ln growth(n) + ln(4/failure))/kept + 2(ln growth(kept) + ln(4/failure))/(epsilon·n) is least.
    Source: register `stable-accuracy`. Holds if: n·stability is above 1. Proof: docs/proofs/stable.md.

    >>> stable_split(10_000, stability="0.1", vc=1)[0]
    614
    """
    owner = "stable_split"
    have, gamma = at_least(2, n, owner=owner, name="n"), chance(stability, owner=owner, name="stability")
    most = math.ceil(gamma * have) - 1
    if most < 1:
        raise ParameterError(
            owner, "stability", str(stability), allowed=f"above 1/{have}, one over the records"
        )
    log = math.log(4 / float(chance(failure, owner=owner, name="failure")))
    growth = float(ln_growth(have, vc=vc))

    def price(kept: int) -> float:
        q = kept / have
        draw = 4 * math.atanh((float(gamma) - q) / (1 - q))
        return (growth + log) / kept + 2 * (vc * math.log(kept + 1) + log) / (draw * have)

    steps = {max(1, round(most * 0.97**i)) for i in range(400)}
    kept = min(steps, key=price)
    # A little less, because certificates round the stability of a draw up to twelve decimals.
    return kept, draw_epsilon_for(gamma - ROUNDING, share=Fraction(kept, have))
