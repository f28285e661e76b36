"""Independent noise on thresholds, and how it is taken off again: the reason why it cannot replace a proper learner.

`NoisyCuts` draws a cut privately and then flips the answer of every cell with probability `rate`. What it releases
looks nothing like a cut, and yet `DenoisedCuts` recovers the cut from it, almost always, without the records: a learner
that hides behind independent noise is a proper learner in disguise, and needs as many records.
Statement: both are as private as the cut (post-processing). Accuracy: register `independent-noise`,
`noise-reconstruction`.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Definition 5.6 and Theorem 5.8; constants ours.
Proof: docs/proofs/noise-reconstruction.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.union_law import Range
from privpac.concepts.line.unions import Union
from privpac.constructions.base import DrawsMembers, Learner
from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.draw.occam import FAILURE, Occam
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.mechanisms.binomial import random_cells
from privpac.numbers.exact import plain
from privpac.numbers.parameters import chance, fraction_below, positive

__all__ = ["DenoisedCuts", "NoisyCuts", "nearest_cut"]

OWNER = "NoisyCuts"
LARGEST_DOMAIN = 2**20
"""Up to this many cells, each has a coin of its own; of more, the flipped ones are drawn as a set: the same law."""

MOST_CELLS = 2**62
"""Places of flipped cells are whole numbers of a machine."""

MOST_FLIPS = 2**17
"""Cells that are flipped on average beyond `LARGEST_DOMAIN`: each of them makes a range of what is released."""


@dataclass(frozen=True)
class NoisyCuts:
    """A cut drawn by the exponential mechanism at `epsilon`, every cell's answer flipped with probability `rate`."""

    concepts: Thresholds
    epsilon: Fraction
    rate: Fraction
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        positive(self.epsilon, owner=OWNER, name="epsilon")
        chance(self.failure, owner=OWNER, name="failure")
        fraction_below(Fraction(1, 2), self.rate, owner=OWNER, name="rate")
        if self.concepts.direction == "either":
            raise ParameterError(OWNER, "direction", "either", allowed="'up' or 'down'")
        if self.domain > LARGEST_DOMAIN and not self._few_flips:
            raise ParameterError(
                OWNER,
                "rate",
                plain(self.rate),
                allowed=f"at most {MOST_FLIPS} over the cells of a column, if these are more than {LARGEST_DOMAIN},"
                f" and at most {MOST_CELLS}",
                remedy="Every flipped cell is part of what is released: take a smaller rate; thresholds:COLUMN takes"
                " any column.",
            )

    @property
    def _few_flips(self) -> bool:
        """Whether the flipped cells, a few, can be drawn as a set among very many."""
        return self.domain <= MOST_CELLS and self.domain * self.rate <= MOST_FLIPS

    @property
    def domain(self) -> int:
        """The number of cells of the column."""
        return self.concepts.schema.column(self.concepts.column).size

    @property
    def inner(self) -> Learner:
        """The proper learner behind the noise, with half of the failure."""
        return Occam(self.concepts, self.epsilon, failure=self.failure / 2)

    @property
    def outcomes(self) -> None:
        return None

    @property
    def noise(self) -> Fraction:
        """Error the noise may add: its mean divided by the other half of the failure."""
        return self.rate / (self.failure / 2)

    @property
    def passes(self) -> int:
        return self.inner.passes

    def require(self, size: Size) -> None:
        self.inner.require(size)

    def certify(self, size: Size) -> Certificate:
        inner = self.inner.certify(size)
        fits = [p for p in inner.accuracy if p.fact.error + self.noise <= 1]
        return replace(
            inner,
            privacy=rules.post_processing(inner.privacy, what="every cell's answer flipped independently"),
            accuracy=tuple(cuts_rules.independent_noise(p, rate=self.rate, noise=self.noise) for p in fits),
            learner={**inner.learner, "name": "noisy-cuts", "rate": plain(self.rate)},
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether it is a set of cells: flips make any."""
        if not isinstance(hypothesis, Union) or not hypothesis.is_ascending:
            return False
        same = (hypothesis.column, hypothesis.inside) == (self.concepts.column, 1)
        return same and (not hypothesis.intervals or hypothesis.intervals[-1][1] <= self.domain)

    def learn(self, sample: Sample, coins: Coins) -> Union:
        cut = self.inner.learn(sample, coins)
        assert isinstance(cut, Threshold)  # what a draw among thresholds returns
        if self.domain > LARGEST_DOMAIN:
            flips = random_cells(self.domain, share=self.rate, coins=coins).tolist()
        else:
            flips = [cell for cell in range(self.domain) if coins.flip(self.rate)]
        whole = (cut.cut, self.domain) if cut.up else (0, cut.cut)
        return Union(self.concepts.column, _with_flips(whole, flips))


def _with_flips(ones: Range, flips: Iterable[int]) -> tuple[Range, ...]:
    """The cells whose answer is 1 if it was exactly on `ones` and then turned on every flipped cell."""
    ends: set[int] = set()
    for low, high in (ones, *((cell, cell + 1) for cell in flips)):
        ends ^= {low} ^ {high}  # where two ranges meet, the answer stays as it is
    places = sorted(ends)
    return tuple(zip(places[::2], places[1::2], strict=True))


@dataclass(frozen=True)
class DenoisedCuts(DrawsMembers):
    """The cut that differs from the noisy rule in the fewest cells; of several, the first."""

    noisy: NoisyCuts

    @property
    def concepts(self) -> Thresholds:
        return self.noisy.concepts

    @property
    def passes(self) -> int:
        return self.noisy.passes

    def require(self, size: Size) -> None:
        self.noisy.require(size)

    def certify(self, size: Size) -> Certificate:
        outer, inner = self.noisy.certify(size), self.noisy.inner.certify(size)
        extra = 4 * self.noisy.rate * (1 - self.noisy.rate)
        fits = [p for p in inner.accuracy if p.fact.failure + extra < 1]
        return replace(
            outer,
            privacy=rules.post_processing(outer.privacy, what="the cut nearest to the noisy answers"),
            accuracy=tuple(cuts_rules.noise_reconstruction(p, rate=self.noisy.rate) for p in fits),
            learner={**outer.learner, "name": "denoised-cuts"},
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        noisy = self.noisy.learn(sample, coins)
        up = self.concepts.direction == "up"
        return Threshold(
            self.concepts.column, nearest_cut(noisy.intervals, domain=self.noisy.domain, up=up), up
        )


def nearest_cut(ones: tuple[Range, ...], *, domain: int, up: bool) -> int:
    """The first cut whose answers differ in the fewest cells from those that are 1 exactly on the given ranges.

    Moving a cut across a cell changes the mismatches by one, up or down, so the minimum lies at an end of a range.
    """
    # Mismatches relative to those of cut 0: for `down`, crossing a zero adds one and crossing a one saves one.
    sign = -1 if up else 1
    best, least, count, place = 0, 0, 0, 0
    for low, high in (*ones, (domain, domain)):
        for end, step in ((low, sign), (high, -sign)):
            count += step * (end - place)
            place = end
            if count < least:
                best, least = end, count
    return best
