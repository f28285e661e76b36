"""A private estimate of accuracy: the confusion counts of a released hypothesis with exact geometric noise.

Statement: replacing one record takes one count down and one up by 1, so noise at `ratio` per unit is epsilon-DP with
e^epsilon = ratio^-2. The interval holds with the stated confidence over noise and sampling together.
Source: register `geometric-noise`; for sampling, `constructions.estimates.sampling`.
Holds if: the records are independent draws (for the interval; privacy needs nothing).
Proof: docs/proofs/geometric-noise.md. Tested by tests/exact/,
tests/unit/constructions/estimates/test_confusion.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import ctx
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
            **({} if self.way is _former(self.holdout) else {"way": self.way.value}),
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Confusion:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range.

        The way is written where it is not the only one that version 0.1.0 knew for such records.
        """
        numbers = ("accuracy", "low", "high", "noise", "sampling")
        written_way = ("way",) if "way" in tree else ()
        record(tree, "counts", "records", "holdout", "confidence", *written_way, *numbers)
        way = tree.get("way", _former(flag(tree["holdout"])).value)
        newer = not tree["holdout"] and way in (Way.PRIVACY, Way.BOTH)
        require(newer or not written_way, "there is no such way to bound the sampling")
        require(tree["confidence"] == str(CONFIDENCE), "the confidence is another one")
        return cls(
            counts=tuple(tuple(whole(c) for c in as_list(row)) for row in as_list(tree["counts"])),
            records=whole(tree["records"], least=1),
            holdout=flag(tree["holdout"]),
            way=Way(way),
            **{name: read_number(tree[name]) for name in numbers},
        )

    def fits(self, classes: int) -> bool:
        """Whether these can be counts of this many classes."""
        shape = [len(row) for row in self.counts] == [classes] * classes
        return shape and all(0 <= count <= self.records for row in self.counts for count in row)

    def __str__(self) -> str:
        kind = "on records kept aside" if self.holdout else "on the records it was learnt from"
        return (
            f"accuracy about {float(self.accuracy):.3f}, between {float(self.low):.3f} and {float(self.high):.3f} "
            f"with confidence {float(CONFIDENCE):.2f} ({kind}; ±{float(self.noise):.3f} for the noise, "
            f"±{float(self.sampling):.3f} for sampling)"
        )

    @property
    def remedy(self) -> str:
        """What would narrow the interval most, in a sentence."""
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


def _former(holdout: bool) -> Way:
    """The way that version 0.1.0 knew."""
    return Way.HOLDOUT if holdout else Way.CLASS


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
    noise = Fraction(sum_half_width(_ratio(epsilon), classes, failure), records)
    accuracy = min(Fraction(1), Fraction(sum(counts[i][i] for i in range(classes)), records))
    interval = max(Fraction(0), accuracy - noise), min(Fraction(1), accuracy + noise)
    low, high, way = span(*interval, records, choice=choice, failure=failure)
    sampling = max(interval[0] - low, high - interval[1])
    return Confusion(counts, records, accuracy, low, high, choice is None, noise, sampling, way)


def expected_width(*, classes: int, records: int, epsilon: Fraction, choice: Choice | None) -> Fraction:
    """How wide the interval of a rule of `USUAL` accuracy would be: from public numbers alone."""
    right = int(records * USUAL)
    counts = tuple(tuple(right if i == j == 0 else 0 for j in range(classes)) for i in range(classes))
    estimate = summarise(counts, records=records, epsilon=epsilon, choice=choice)
    return estimate.high - estimate.low


@lru_cache(maxsize=256)
def sum_half_width(ratio: Fraction, terms: int, failure: Fraction) -> int:
    """The smallest k (up to rounding) with Pr[|sum of `terms` independent noises| >= k + 1] at most `failure`.

    Chernoff: 2·M(s)^terms·e^(-s(k+1)) at the best s of a grid, where M(s) = E e^(s·max(X, 0)) also bounds the moment of
    a noise cut on either side, as the clamp to 0..n does: M = (1 + (1 - a)·a·e^s/(1 - a·e^s)) / (1 + a).
    """
    with ctx.workprec(128):
        a = ball(ratio)
        rate = -a.log()
        best = None
        for i in range(1, 64):
            s = rate * i / 64
            product = a * s.exp()
            moment = (1 + (1 - a) * product / (1 - product)) / (1 + a)
            edge = ((2 * moment**terms / ball(failure)).log() / s).upper().ceil().unique_fmpz()
            value = max(0, int(edge) - 1)
            best = value if best is None else min(best, value)
    assert best is not None
    return best


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
