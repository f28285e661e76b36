"""What draws in stages prove: each adds few mistakes to what could have been left as it was, and the sum generalises.

Numbers are fractions at or above the true values: logarithms and roots have twelve decimals, so that the independent
checker computes the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from privpac.errors import ParameterError
from privpac.numbers.exact import ln_down, ln_up, sqrt_up
from privpac.numbers.parameters import at_least, chance
from privpac.theory.register import formula

__all__ = ["Stage", "error_staged", "excess_staged", "slack_staged"]

_SCALE = 10**12


class Stage(NamedTuple):
    """One draw: prior of all other outcomes over that of the one it is compared with, and the weight of a mistake."""

    odds: Fraction
    ratio: Fraction


@formula("staged-draws-agnostic")
def slack_staged(stages: Sequence[Stage], *, failure: Fraction) -> Fraction:
    """Mistakes on the records that all stages together add to those of what the first stage is compared with.

    Statement: the sum of ln(odds/failure)/ln(1/ratio) over the stages, 0 where odds are at most `failure`; each stage
    exceeds its own with probability at most `failure`.
    Source: register `staged-draws-agnostic` (ours). Holds if: later stages may leave everything as it is, with the
    prior that their odds say. Proof: docs/proofs/staged-draws.md. Tested by: tests/statistical/test_staged.py.

    >>> float(slack_staged([Stage(Fraction(100), Fraction(1, 2))], failure=Fraction(1, 100)))
    13.287712379569
    """
    total = Fraction(0)
    for stage in stages:
        if not 0 < stage.ratio < 1:
            raise ParameterError("slack_staged", "ratio", stage.ratio, allowed="above 0 and below 1")
        if stage.odds > failure:
            # ln(1/r) is at least 1 - r, which stays positive where a rounded logarithm of nearly 1 would not.
            per_mistake = max(ln_down(1 / stage.ratio), 1 - stage.ratio)
            total += ln_up(stage.odds / failure) / per_mistake
    return _up(total)


@formula("staged-draws-agnostic")
def excess_staged(
    n: int, stages: Sequence[Stage], *, failure: Fraction, size: int = 1, growth: Fraction | None = None
) -> Fraction:
    """The error above that of the best member of the first stage's class; it may exceed 1, and then says nothing.

    Statement: slack/n + g(1) + g(size), g(N) = sqrt(ln(N·parts/failure)/(2n)), with failure/parts in the slack, parts
    two more than the stages. With `growth`, which is e^epsilon: slack/n + 2·g(1) + tanh(epsilon/4).
    Source: register `staged-draws-agnostic` (ours). Holds if: at most `size` rules can be released, or the learner is
    epsilon-private and losses are 0 or 1. Proof: docs/proofs/staged-draws.md.
    Tested by: tests/statistical/test_staged.py.
    """
    have, parts = at_least(1, n, owner="excess_staged", name="n"), len(stages) + 2
    each = chance(failure, owner="excess_staged", name="failure") / parts
    one = sqrt_up(ln_up(1 / each) / (2 * have))
    if growth is None:
        return _up(slack_staged(stages, failure=each) / have + one + sqrt_up(ln_up(size / each) / (2 * have)))
    root = sqrt_up(growth)
    return _up(slack_staged(stages, failure=each) / have + 2 * one + (root - 1) / (root + 1))


@formula("staged-draws-realizable")
def error_staged(
    n: int, stages: Sequence[Stage], *, failure: Fraction, size: int = 1, growth: Fraction | None = None
) -> Fraction:
    """The error if some member of the first stage's class makes none; 1 where nothing is proved.

    Statement: q(size) = (sqrt(slack/n) + sqrt(ln(size·parts/failure)/n))², parts one more than the stages. With
    `growth`, e^epsilon, the rate whose odds are e^epsilon times those of q(1).
    Source: register `staged-draws-realizable` (ours). Holds if: as `excess_staged`. Proof: docs/proofs/staged-draws.md.
    Tested by: tests/statistical/test_staged.py.
    """
    have, parts = at_least(1, n, owner="error_staged", name="n"), len(stages) + 1
    each = chance(failure, owner="error_staged", name="failure") / parts
    rules = Fraction(size) if growth is None else Fraction(1)
    slack = slack_staged(stages, failure=each) / have
    rate = _up((sqrt_up(slack) + sqrt_up(ln_up(rules / each) / have)) ** 2)
    if rate >= 1:
        return Fraction(1)
    return rate if growth is None else _up(rate * growth / (1 - rate + rate * growth))


def _up(value: Fraction) -> Fraction:
    return Fraction(math.ceil(value * _SCALE), _SCALE)
