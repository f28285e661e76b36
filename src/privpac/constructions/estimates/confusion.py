"""A private estimate of accuracy: the confusion counts of a released hypothesis with exact geometric noise.

Statement: replacing one record takes one count down and one up by 1, so noise at `ratio` per unit is epsilon-DP with
e^epsilon = ratio^-2. The interval holds with the stated confidence over noise and sampling together.
Source: register `geometric-noise`; for sampling, `constructions.estimates.sampling`.
Holds if: the records are independent draws (for the interval; privacy needs nothing).
Proof: docs/proofs/geometric-noise.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.estimates.sampling import Choice, Way, span
from privpac.data.sample import Block, Sample
from privpac.errors import ParameterError, SizeError
from privpac.fields import as_list, flag, record, require, whole
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import ball, plain, ratio_for, read_number
from privpac.theory.generalisation import gap_holdout

__all__ = [
    "CONFIDENCE",
    "USUAL",
    "Confusion",
    "ConfusionCounts",
    "compare",
    "estimate_privacy",
    "expected_width",
    "release_confusion",
    "share_right",
    "summarise",
]

CONFIDENCE = Fraction(95, 100)
"""Of every interval: the field's habit."""

USUAL = Fraction(4, 5)
"""The accuracy that widths are compared at before anything is known: about what rules reach on the tables of
benchmarks/accuracy."""

_CHANGE = 2


@dataclass(frozen=True)
class ConfusionCounts:
    """The additive statistic: how many records of each class (row) are predicted as each class (column)."""

    hypothesis: Hypothesis
    classes: int
    columns: tuple[str, ...]

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((self.classes, self.classes), dtype=np.int64)

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        if block.labels is None:
            raise SizeError("Confusion counts need labelled records.")
        predictions = self.hypothesis.predict(block.cells).astype(np.int64)
        flat = block.labels.astype(np.int64) * self.classes + predictions
        return state + np.bincount(flat, minlength=self.classes**2).reshape(self.classes, self.classes)

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


@dataclass(frozen=True)
class Confusion:
    """Released: noisy counts (rows: true class, columns: predicted) and an interval for the accuracy."""

    counts: tuple[tuple[int, ...], ...]
    records: int
    accuracy: Fraction
    low: Fraction
    high: Fraction
    holdout: bool
    noise: Fraction
    """Half-width of the interval due to noise."""
    sampling: Fraction
    """Width due to sampling, of the wider side; on the learner's own records it covers how the rule was chosen."""
    way: Way = Way.CLASS
    """What the width due to sampling follows from."""

    def to_json(self) -> dict[str, Any]:
        """The estimate as JSON, numbers as exact text."""
        return {
            "counts": [list(row) for row in self.counts],
            "records": self.records,
            "accuracy": str(self.accuracy),
            "low": str(self.low),
            "high": str(self.high),
            "holdout": self.holdout,
            "noise": str(self.noise),
            "sampling": str(self.sampling),
            "confidence": str(CONFIDENCE),
            "way": self.way.value,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Confusion:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        numbers = ("accuracy", "low", "high", "noise", "sampling")
        record(tree, "counts", "records", "holdout", "confidence", "way", *numbers)
        way, holdout = Way(tree["way"]), flag(tree["holdout"])
        require((way is Way.HOLDOUT) == holdout, "there is no such way to bound the sampling")
        require(tree["confidence"] == str(CONFIDENCE), "the confidence is another one")
        return cls(
            counts=tuple(tuple(whole(c) for c in as_list(row)) for row in as_list(tree["counts"])),
            records=whole(tree["records"], least=1),
            holdout=holdout,
            way=way,
            **{name: read_number(tree[name]) for name in numbers},
        )

    def fits(self, classes: int) -> bool:
        """Whether these can be counts of this many classes."""
        shape = [len(row) for row in self.counts] == [classes] * classes
        return shape and all(0 <= count <= self.records for row in self.counts for count in row)

    @property
    def tells(self) -> bool:
        """Whether the interval, before its ends are cut off, is shorter than the range of all accuracies: that noise
        puts it near an end makes it no more of a finding."""
        return 2 * (self.noise + self.sampling) < 1

    def __str__(self) -> str:
        if not self.tells:
            return f"Nothing can be said about the accuracy: {self._why_nothing}"
        kind = "on records kept aside" if self.holdout else "on the records it was learnt from"
        return (
            f"accuracy about {float(self.accuracy):.3f}, between {float(self.low):.3f} and {float(self.high):.3f} "
            f"with confidence {float(CONFIDENCE):.2f} ({kind}; ±{float(self.noise):.3f} for the noise, "
            f"±{float(self.sampling):.3f} for sampling)"
        )

    @property
    def _why_nothing(self) -> str:
        if self.noise >= self.sampling:
            return f"with {self.records:,} records and this epsilon the counts are noise."
        return f"{self.records:,} records are too few for that."

    @property
    def remedy(self) -> str:
        """What would narrow the interval most, in a sentence."""
        if not self.tells and self.noise >= self.sampling:
            return "More records, or a larger epsilon for the estimate, would tell."
        if self.noise >= self.sampling:
            return "Most of the width is noise: a larger epsilon for the estimate would narrow it."
        if self.holdout:
            return "Most of the width is chance: more records, or a larger holdout, would narrow it."
        width_aside = 5 * self.noise + gap_holdout(max(1, self.records // 5), failure=(1 - CONFIDENCE) / 2)
        more = (
            "more records, or a holdout of 0.2,"
            if width_aside < self.noise + self.sampling
            else "more records"
        )
        return f"Most of the width allows for a rule that was chosen by these very records: {more} would narrow it."


def _ratio(epsilon: Fraction) -> Fraction:
    ratio = ratio_for(epsilon / _CHANGE)
    if ratio == 1:
        raise ParameterError(
            "estimate", "epsilon", plain(epsilon), allowed="large enough for noise of finite size"
        )
    return ratio


def estimate_privacy(
    *, epsilon: Fraction, unit: Unit = Unit.RECORD, difference: bool = False
) -> Proof[Privacy]:
    """What releasing the confusion counts costs, or one `difference` of two models: at most `epsilon`.

    A replaced record moves two cells of the table by 1 each, but a difference of two models by 2, which costs more rho.
    """
    mechanism = rules.geometric_noise(ratio=_ratio(epsilon), change=_CHANGE, single=not difference, unit=unit)
    return rules.declared(mechanism, epsilon=epsilon)


def release_confusion(
    sample: Sample,
    hypothesis: Hypothesis,
    *,
    epsilon: Fraction,
    coins: Coins,
    choice: Choice | None,
) -> Confusion:
    """Noisy confusion counts. `choice`: how the hypothesis was chosen with these very records; None when they had no
    part in it."""
    classes = len(sample.schema.classes)
    columns = hypothesis.columns or sample.schema.names[:1]
    true = sample.reduce(ConfusionCounts(hypothesis, classes, columns))
    n = sample.size.labelled
    noisy = add_noise(true.ravel().tolist(), ratio=_ratio(epsilon), low=0, high=n, coins=coins)
    counts = tuple(tuple(noisy[i * classes : (i + 1) * classes]) for i in range(classes))
    return summarise(counts, records=n, epsilon=epsilon, choice=choice)


def summarise(
    counts: tuple[tuple[int, ...], ...], *, records: int, epsilon: Fraction, choice: Choice | None
) -> Confusion:
    """What follows from released counts and public numbers alone: the estimate and its interval."""
    classes, failure = len(counts), (1 - CONFIDENCE) / 2
    noise = Fraction(*_noise_of_right(_ratio(epsilon), classes, failure)) / records
    accuracy = share_right(counts, records)
    interval = max(Fraction(0), accuracy - noise), min(Fraction(1), accuracy + noise)
    low, high, way = span(*interval, records, choice=choice, failure=failure)
    sampling = max(interval[0] - low, high - interval[1])
    return Confusion(counts, records, accuracy, low, high, choice is None, noise, sampling, way)


def share_right(counts: Sequence[Sequence[int]], records: int) -> Fraction:
    """The share of records that are predicted right, by noisy counts of which the number is public.

    Of two classes the mistakes tell it too, for what is no mistake is right: half the noise of either cancels.

    >>> share_right(((850, 37), (63, 50)), 1000), share_right(((9, 0, 0), (1, 5, 0), (0, 1, 4)), 20)
    (Fraction(9, 10), Fraction(9, 10))
    """
    right = sum(row[label] for label, row in enumerate(counts))
    if len(counts) == 2:
        found = Fraction(records + right - (counts[0][1] + counts[1][0]), 2 * records)
    else:
        found = Fraction(right, records)
    return max(Fraction(0), min(Fraction(1), found))


def _noise_of_right(ratio: Fraction, classes: int, failure: Fraction) -> tuple[int, int]:
    """The half-width of `share_right` due to noise, in records: a number and what it is to be divided by."""
    return (
        (sum_half_width(ratio, 4, failure), 2)
        if classes == 2
        else (sum_half_width(ratio, classes, failure), 1)
    )


def expected_width(*, classes: int, records: int, epsilon: Fraction, choice: Choice | None) -> Fraction:
    """How wide the interval of a rule of `USUAL` accuracy would be: from public numbers alone."""
    right = int(records * USUAL)
    counts = tuple(tuple(right if i == j == 0 else 0 for j in range(classes)) for i in range(classes))
    estimate = summarise(counts, records=records, epsilon=epsilon, choice=choice)
    return estimate.high - estimate.low


@lru_cache(maxsize=256)
def sum_half_width(ratio: Fraction, terms: int, failure: Fraction) -> int:
    """The smallest k with Pr[|±X_1 ± ... ± X_terms| >= k + 1] proved to be at most `failure`, for noises X that are cut
    at 0 and n around any counts.

    A cut noise lies between min(L, 0) and max(L, 0) of the uncut one L, so either tail is at most that of the sum of
    the positive parts, whose law is known: max(L, 0) is 0 with probability 1/(1 + a), and geometric otherwise. That
    such a sum exceeds k with j terms above 0 says that k tosses of success 1 - a bring fewer than j successes. The law
    is enclosed in balls. Proof: docs/proofs/geometric-noise.md.
    """
    half = failure / 2
    with ctx.workprec(128):
        a = ball(ratio)

        def rare(k: int) -> bool:
            return bool(_tail_of_positive_parts(a, terms, k) <= ball(half))

        high = 1
        while not rare(high):
            high *= 2
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if rare(middle) else (middle, high)
    return high


def _tail_of_positive_parts(a: arb, terms: int, k: int) -> arb:
    """Pr[max(L_1, 0) + ... + max(L_terms, 0) >= k + 1] for independent discrete Laplace noises of this ratio."""
    fewer, total = arb(0), arb(0)  # Pr[Binomial(k, 1 - a) < j], and the sum over j
    for j in range(1, terms + 1):
        if j - 1 <= k:
            fewer += comb(k, j - 1) * (1 - a) ** (j - 1) * a ** (k - j + 1)
        total += comb(terms, j) * (a / (1 + a)) ** j * (1 / (1 + a)) ** (terms - j) * fewer
    return total


def compare(
    sample: Sample,
    first: Hypothesis,
    second: Hypothesis,
    *,
    epsilon: Fraction,
    coins: Coins,
) -> tuple[int, int]:
    """How many more records the first hypothesis gets right than the second: (noisy difference, half-width).

    One record moves the difference by at most 2 (right-and-wrong becomes wrong-and-right), so one number costs what
    a whole confusion table does, and carries the noise of one count.
    """
    right = [_correct(sample, hypothesis) for hypothesis in (first, second)]
    n = sample.size.labelled
    ratio = _ratio(epsilon)
    noisy = add_noise([right[0] - right[1]], ratio=ratio, low=-n, high=n, coins=coins)[0]
    return noisy, sum_half_width(ratio, 1, 1 - CONFIDENCE)


def _correct(sample: Sample, hypothesis: Hypothesis) -> int:
    columns: Sequence[str] = hypothesis.columns or sample.schema.names[:1]
    counts = sample.reduce(ConfusionCounts(hypothesis, len(sample.schema.classes), tuple(columns)))
    return int(np.trace(counts))
