"""Whether a best member may be released: its lead over the second, with geometric noise, against a threshold.

Statement: if every score moves by at most 1 when one record is replaced, releasing the best member exactly when
lead + noise >= 2 + threshold is (epsilon, delta)-DP with e^epsilon = ratio^-2, delta = ratio^threshold/(1 + ratio).
Source: register `stable-choice`. Holds if: the list is public, ties are broken by a public order.
Proof: docs/proofs/stable-choice.md.
"""

from __future__ import annotations

from fractions import Fraction

__all__ = ["release_chance"]


def release_chance(lead: int, *, ratio: Fraction, threshold: int) -> Fraction:
    """P[lead + G >= 2 + threshold] for two-sided geometric G: P[G >= m] is ratio^m/(1 + ratio) for m >= 0.

    A caller may cap leads at a public number, which moves no further than the lead: the fraction then stays short.
    """
    missing = 2 + threshold - lead
    if missing >= 0:
        return ratio**missing / (1 + ratio)
    return 1 - ratio ** (1 - missing) / (1 + ratio)
