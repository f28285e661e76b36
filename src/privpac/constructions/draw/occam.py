"""The workhorse: draw a member of a public class by the exponential mechanism.

Statement: the drawn hypothesis is epsilon-DP when one record is replaced, for any records whatever. If the records are
independent, it errs by more than `error` (above the best of the class) with probability at most `failure`.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 3.2; Chaudhuri–Hsu 2011; constants ours.
Holds if: class, prior, costs and epsilon are public. With permute-and-flip instead of the exponential mechanism both
hold as well: a member is chosen only if its own coin shows heads, with probability ratio^(score - best) at most, which
is all that the accuracy proof uses.
Proof: docs/proofs/exponential-mechanism.md, docs/proofs/occam.md. Tested by tests/exact/, tests/statistical/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
    MergeableClass,
    Noted,
    OnGrid,
    Scored,
    ScoredClass,
)
from privpac.constructions.base import Around, DrawsMembers, Learner, ReadsOnce
from privpac.constructions.wrappers.nested import empirical_accuracy
from privpac.data.sample import Counted, Sample, Size
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.proof import Proof
from privpac.mechanisms import permute_and_flip
from privpac.mechanisms.gibbs import reach
from privpac.numbers.exact import ln_down, ln_up, plain, power_up, ratio_for
from privpac.theory.occam import error_occam, excess_agnostic, tilt_agnostic
from privpac.theory.staged import Stage

__all__ = [
    "FAILURE",
    "LEFT_OUT",
    "Merged",
    "Occam",
    "accuracy_of_draw",
    "accuracy_of_stages",
    "check_price",
    "draw_from",
    "read_costs",
]

E = TypeVar("E")

FAILURE = Fraction(1, 20)
"""The failure probability accuracy is stated for: the field's habit, and what the planner asks by default."""


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
    *, odds: Fraction | int, size: int | None = None, records: int, ratio: Fraction, failure: Fraction
) -> tuple[Proof[Accuracy], ...]:
    """What one draw at `ratio` per (largest-cost) mistake proves about errors; nothing where the bound is void.

    `size` is the number of all members, where it may exceed what the odds of those that are promised something imply.
    A ratio above the true one proves less, so it may be rounded up.
    """
    if ratio == 1:  # an epsilon so small that every member is equally likely
        return ()
    proofs = []
    error = error_occam(records, size=Fraction(odds) + 1, failure=failure, ratio=ratio)
    if error < 1:
        proofs.append(_occam(odds, records, ratio, ratio, error, failure, Against.REALIZABLE))
    factor, excess, tilt = _agnostic(Fraction(odds), size, records, ratio, failure)
    if excess < 1:
        proofs.append(_occam(factor, records, ratio, tilt, excess, failure, Against.AGNOSTIC))
    return tuple(proofs)


BETWEEN = 16
"""Exponents that are tried between counting members and weighing them."""


def _agnostic(
    odds: Fraction, size: int | None, records: int, ratio: Fraction, failure: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """The factor, excess and tilt of the agnostic bound.

    With members that nothing is promised against there may be more of them, `others`, than the odds say. The factor
    is then others^(1 - theta)·odds^theta for any theta up to ln(tilt)/ln(ratio) (docs/proofs/occam.md).
    """
    others = 0 if size is None else size - 1
    if others <= odds:
        excess = excess_agnostic(records, size=odds + 1, failure=failure, ratio=ratio)
        return odds, excess, tilt_agnostic(excess, ratio=ratio) if excess < 1 else ratio
    for step in range(BETWEEN, -1, -1):  # the factor grows, and more tilts are allowed
        factor = _root_up(others ** (BETWEEN - step) * math.ceil(odds) ** step)
        excess = excess_agnostic(records, size=factor + 1, failure=failure, ratio=ratio)
        if excess < 1:
            tilt = tilt_agnostic(excess, ratio=ratio)
            if tilt**BETWEEN <= ratio**step:
                return factor, excess, tilt
    return odds, Fraction(1), ratio


def _root_up(value: int) -> Fraction:
    """A whole number not below the root of order BETWEEN, which is a power of two."""
    for _ in range(BETWEEN.bit_length() - 1):
        value = math.isqrt(value - 1) + 1 if value else 0
    return Fraction(value)


def accuracy_of_stages(
    stages: Sequence[Stage], *, records: int, size: int, failure: Fraction, privacy: Proof[Privacy] | None
) -> tuple[Proof[Accuracy], ...]:
    """What draws in stages prove about errors, by counting rules or by the learner's own privacy, whichever is less;
    nothing where that is void."""
    proofs: list[Proof[Accuracy]] = []
    ways = (None,) if privacy is None else (None, privacy)
    for against in (Against.REALIZABLE, Against.AGNOSTIC):
        candidates = [_of_stages(private, stages, records, size, failure, against) for private in ways]
        proofs += sorted((proof for proof in candidates if proof), key=lambda proof: proof.fact.error)[:1]
    return tuple(proofs)


def _of_stages(
    private: Proof[Privacy] | None,
    stages: Sequence[Stage],
    records: int,
    size: int,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy] | None:
    try:
        return rules.staged_draws(
            private, stages=stages, records=records, size=size, failure=failure, against=against
        )
    except RuleRefused:  # void
        return None


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
    may fail, and `mechanism` is "exponential" or "permute-and-flip".

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

    def __post_init__(self) -> None:
        if self.mechanism not in get_args(Mechanism):
            raise ParameterError(
                "Occam", "mechanism", self.mechanism, allowed="'exponential' or 'permute-and-flip'"
            )
        if self.mechanism == "permute-and-flip":
            self._check_walk()
        if self.epsilon <= 0:
            raise ParameterError("Occam", "epsilon", plain(self.epsilon), allowed="a positive number")
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
        sensitivity = max(self.prices)
        return Certificate(
            privacy=rules.declared(
                RULES[self.mechanism](ratio=self.ratio, sensitivity=sensitivity), epsilon=self.epsilon
            ),
            accuracy=accuracy_of_draw(
                odds=self.concepts.odds,
                size=self.concepts.size,
                records=size.labelled,
                ratio=power_up(self.ratio, sensitivity),
                failure=self.failure,
            ),
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


LEFT_OUT = "parts of the rule that change nothing left out"
"""How certificates call it."""


@dataclass(frozen=True)
class Merged(Around):
    """`learner`, over a `MergeableClass`, with what it releases merged.

    A drawn list may repeat a test, ask one whose answer is known, or end in rules that say what the default says.
    Leaving them out looks at the rule and the schema only, so it is post-processing, and the function, with all that is
    proved of its errors, stays the same.
    Tested by tests/exact/ (rows `lists`, `lists-three-classes`, `conjunctions`, `disjunctions`).
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
