"""The workhorse: draw a member of a public class by the exponential mechanism.

Statement: the drawn hypothesis is epsilon-DP when one record is replaced, for any records whatever. If the records are
independent, it errs by more than `error` (above the best of the class) with probability at most `failure`.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 3.2; Chaudhuri–Hsu 2011; constants ours.
Holds if: class, prior, costs and epsilon are public. With permute-and-flip instead of the exponential mechanism both
hold as well: a member is chosen only if its own coin shows heads, with probability ratio^(score - best) at most, which
is all that the direct bound uses (for bad members in chains see docs/proofs/chains.md).
Proof: docs/proofs/exponential-mechanism.md, docs/proofs/occam.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeVar, cast, get_args

from privpac.coins import Coins
from privpac.concepts.base import (
    AnyClass,
    ConceptClass,
    Costs,
    CountedByScore,
    Hypothesis,
    MadeOfCuts,
    MergeableClass,
    Noted,
    OnGrid,
    Scored,
    ScoredClass,
)
from privpac.concepts.chains import Chains
from privpac.concepts.trees.mixture import TreeMixture
from privpac.constructions.base import Around, DrawsMembers, Learner, ReadsOnce
from privpac.constructions.draw.chained import chained_draw
from privpac.constructions.draw.promises import Draw, agnostic_numbers
from privpac.constructions.wrappers.transform import empirical_accuracy
from privpac.data.sample import Counted, Sample, Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Against, Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.mechanisms import permute_and_flip
from privpac.mechanisms.gibbs import reach
from privpac.numbers.exact import ln_down, ln_up, plain, power_up, ratio_for
from privpac.numbers.parameters import chance, positive
from privpac.request import FAILURE
from privpac.theory.occam import error_occam

__all__ = [
    "FAILURE",
    "LEFT_OUT",
    "PUBLIC_FEATURES",
    "Merged",
    "Occam",
    "accuracy_of_draw",
    "check_price",
    "draw_from",
    "read_costs",
]

E = TypeVar("E")

Mechanism = Literal["exponential", "permute-and-flip"]

RULES: Mapping[str, Callable[..., Proof[Privacy]]] = {
    "exponential": rules.exponential_mechanism,
    "permute-and-flip": rules.permute_and_flip,
}


def read_costs(costs: Costs | None, classes: int, owner: str) -> Costs:
    """One positive integer per class; all 1 when not given."""
    if costs is None:
        return (1,) * classes
    prices = tuple(costs)
    if len(prices) != classes or any(isinstance(c, bool) or not isinstance(c, int) or c < 1 for c in prices):
        raise ParameterError(
            owner, "costs", costs, allowed=f"{classes} positive integers, one per class, such as 1 and 5"
        )
    return prices


LARGEST_PRICE = 2**60
"""Scores and sums of a few of them are 64-bit integers; one that wrapped around would break the sensitivity that
privacy rests on."""


LARGEST_TABLE = 2**24
"""Powers of the ratio that sums over trees, unions and their like may look up: 128 MB per table, a few of them."""

LARGEST_REACH = 2**46
"""Steps between scores that are counted one by one: their powers are products from two tables of at most 2^24."""


def check_price(size: Size, costs: Costs, *, ratio: Fraction, owner: str, counted: bool = False) -> None:
    """Refuse, from public numbers and before anything is spent, what a draw could not be computed for.

    A score is at most the price of all records; sums need a table of powers up to twice that, or up to where powers
    vanish. Classes that are counted score by score (`counted`) need tables of the square root of it.
    """
    price = size.total * max(costs)
    if price >= LARGEST_PRICE:
        raise SizeError(
            f"{owner}: {size.total} records at a cost of {max(costs)} each are beyond 64-bit scores.",
            remedy="Divide the costs by a common factor, or round them.",
        )
    furthest = reach(ratio)
    span = 2 * price if furthest is None else min(2 * price, furthest)
    if span > (LARGEST_REACH if counted else LARGEST_TABLE):
        raise SizeError(
            f"{owner}: costs up to {max(costs)} make too many different scores at this epsilon.",
            remedy="Divide the costs by a common factor or round them, or learn stumps, thresholds or points.",
        )


def accuracy_of_draw(
    *,
    odds: Fraction | int,
    size: int | None = None,
    chains: Callable[[int], Chains] | None = None,
    records: int,
    ratio: Fraction,
    failure: Fraction,
) -> tuple[Proof[Accuracy], ...]:
    """What one draw at `ratio` per (largest-cost) mistake proves about errors; nothing where the bound is void.

    `size` is the number of all members, where it may exceed what the odds of those that are promised something imply,
    and `chains` how bad members are covered: for any records whichever proves more counts.
    A ratio above the true one proves less, so it may be rounded up.
    """
    if ratio == 1:  # an epsilon so small that every member is equally likely
        return ()
    proofs = []
    error = error_occam(records, size=Fraction(odds) + 1, failure=failure, ratio=ratio)
    if error < 1:
        proofs.append(_occam(odds, records, ratio, ratio, error, failure, Against.REALIZABLE))
    factor, excess, tilt = agnostic_numbers(Fraction(odds), size, records, ratio, failure)
    chained = None
    if chains is not None:
        chained = chained_draw(
            records, chains=chains, odds=Fraction(odds), ratio=ratio, failure=failure, below=excess
        )
    if chained is not None:
        bound, error = chained
        proofs.append(bound.proof(records, error=error, failure=failure))
    elif excess < 1:
        proofs.append(_occam(factor, records, ratio, tilt, excess, failure, Against.AGNOSTIC))
    return tuple(proofs)


def _occam(
    odds: Fraction | int,
    records: int,
    ratio: Fraction,
    tilt: Fraction,
    error: Fraction,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy]:
    return rules.occam(
        odds=odds, records=records, ratio=ratio, tilt=tilt, error=error, failure=failure, against=against
    )


def draw_from(
    concepts: ConceptClass[E], sample: Counted, coins: Coins, *, ratio: Fraction, costs: Costs = (1, 1)
) -> Hypothesis:
    """One member, from the law that the records give: its evidence is what the statistic of the class counts."""
    return concepts.gibbs(sample.reduce(concepts.statistic), ratio=ratio, costs=costs).draw(coins)


@dataclass(frozen=True)
class Occam(DrawsMembers, ReadsOnce):
    """Draw from a class of `concepts` with weight prior · ratio^(price of mistakes), for `epsilon`.

    `costs` are the prices of misjudging a record of each class (1 each), `failure` the chance that the accuracy bound
    may fail, `mechanism` is "exponential" or "permute-and-flip", and `unit` says what is protected of a person.

    >>> from privpac import Occam, Schema, Size, Thresholds
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "columns": [age]})
    >>> certificate = Occam(Thresholds(schema, "age"), Fraction(1)).certify(Size(1000))
    >>> float(certificate.epsilon)
    1.0
    """

    concepts: AnyClass
    epsilon: Fraction
    costs: Costs | None = None
    failure: Fraction = FAILURE
    mechanism: Mechanism = "exponential"
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        if self.mechanism not in get_args(Mechanism):
            raise ParameterError(
                "Occam", "mechanism", self.mechanism, allowed="'exponential' or 'permute-and-flip'"
            )
        if self.mechanism == "permute-and-flip":
            self._check_walk()
        positive(self.epsilon, owner="Occam", name="epsilon")
        chance(self.failure, owner="Occam", name="failure")
        read_costs(self.costs, len(self.concepts.schema.classes), "Occam")

    def _check_walk(self) -> None:
        """Permute-and-flip is proved for a uniform prior, and walks through the class."""
        size = self.concepts.size
        uniform = size is not None and self.concepts.odds == size - 1 and isinstance(self.concepts, Scored)
        if not uniform or size is None or size > permute_and_flip.LARGEST:
            raise ParameterError(
                "Occam",
                "mechanism",
                self.mechanism,
                allowed=f"'exponential' for {self.concepts.word}",
                remedy="Permute-and-flip needs a uniform prior on at most a million members, counted by score.",
            )

    @cached_property
    def prices(self) -> Costs:
        """The price of misjudging a record of each class: 1 unless `costs` say otherwise."""
        return read_costs(self.costs, len(self.concepts.schema.classes), "Occam")

    @cached_property
    def ratio(self) -> Fraction:
        """Weight of one unit of price: one record moves a score by at most max(costs)."""
        return ratio_for(self.epsilon / (2 * max(self.prices)))

    def require(self, size: Size) -> None:
        size.require_labelled("Occam")
        self._require_room(size)

    def _require_room(self, size: Size) -> None:
        self.concepts.require(size.labelled)
        by_score = isinstance(self.concepts, CountedByScore)
        # Permute-and-flip looks at every score there is, also at those whose power vanishes.
        ratio = self.ratio if self.mechanism == "exponential" else Fraction(1)
        check_price(size, self.prices, ratio=ratio, owner=self.concepts.word, counted=by_score)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        return Certificate(
            privacy=self._privacy(),
            accuracy=self._accuracy(size.labelled),
            learner={
                "name": "occam",
                "concepts": self.concepts.word,
                "epsilon": plain(self.epsilon),
                "costs": list(self.prices),
                "failure": plain(self.failure),
                "mechanism": self.mechanism,
                **({"grid": self.concepts.grid} if isinstance(self.concepts, OnGrid) else {}),
                **({"note": self.concepts.note} if isinstance(self.concepts, Noted) else {}),
            },
            labelled=size.labelled,
        )

    def _privacy(self) -> Proof[Privacy]:
        draw = RULES[self.mechanism](ratio=self.ratio, sensitivity=max(self.prices), unit=self.unit)
        proof = rules.declared(draw, epsilon=self.epsilon)
        return proof if self.unit is Unit.RECORD else rules.assuming(proof, PUBLIC_FEATURES)

    def draw(self, records: int) -> Draw | None:
        """The draw in the numbers that accuracy follows from, where the class names whom it is compared with."""
        if not isinstance(self.concepts, TreeMixture) or not self.concepts.named:
            return None
        ratio = power_up(self.ratio, max(self.prices))
        return Draw(self.concepts, records=records, ratio=ratio, unit=self.ratio, failure=self.failure)

    def _accuracy(self, records: int) -> tuple[Proof[Accuracy], ...]:
        draw = self.draw(records)
        if draw is not None:
            return draw.promises()
        return accuracy_of_draw(
            odds=self.concepts.odds,
            size=self.concepts.size,
            chains=self.concepts.chains if isinstance(self.concepts, MadeOfCuts) else None,
            records=records,
            ratio=power_up(self.ratio, max(self.prices)),
            failure=self.failure,
        )

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """Mistakes on the very records, whatever they are, if some member makes none: the smallest number proved."""
        ratio = power_up(self.ratio, min(self.prices))
        if ratio == 1 or size.labelled < 1:
            return None
        odds = Fraction(self.concepts.odds)
        mistakes = ln_up(odds / self.failure) / ln_down(1 / ratio) if odds > self.failure else Fraction(0)
        error = Fraction(max(0, math.ceil(mistakes) - 1), size.labelled)
        if error >= 1:
            return None
        return rules.empirical_draw(
            odds=self.concepts.odds, records=size.labelled, ratio=ratio, error=error, failure=self.failure
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self._require_room(sample.size)  # no records leave the prior
        if self.mechanism == "permute-and-flip":
            evidence = sample.reduce(self.concepts.statistic)
            scores = cast(ScoredClass[Any], self.concepts).scores(evidence, costs=self.prices)
            return permute_and_flip.draw(scores, self.ratio, coins)
        return draw_from(self.concepts, sample, coins, ratio=self.ratio, costs=self.prices)


PUBLIC_FEATURES = "every column but the label is public; only labels are protected"
"""What is assumed where a label is protected, and not the rest of its record."""

LEFT_OUT = "parts of the rule that change nothing left out"
"""How certificates call it."""


@dataclass(frozen=True)
class Merged(Around):
    """`learner`, over a `MergeableClass`, with what it releases merged.

    A drawn list may repeat a test, ask one whose answer is known, or end in rules that say what the default says.
    Leaving them out looks at the rule and the schema only, so it is post-processing, and the function, with all that is
    proved of its errors, stays the same.
    """

    learner: Learner

    def certify(self, size: Size) -> Certificate:
        inner = self.learner.certify(size)
        return replace(inner, privacy=rules.post_processing(inner.privacy, what=LEFT_OUT))

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """What the learner promises about mistakes on the records themselves: they stay the same."""
        return empirical_accuracy(self.learner, size)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return cast(MergeableClass, self.learner.concepts).contains_merged(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        rule: Any = self.learner.learn(sample, coins)
        short: Hypothesis = rule.merged()
        return short
