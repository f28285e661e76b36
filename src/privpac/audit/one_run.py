"""Auditing with one run, for learners too slow to repeat: many canaries, each in or out by its own fair coin.

The bound is that of Steinke, Nasr and Jagielski (2023), Theorem 5.2: see `confidence.one_run_probability`. One run
gives a weaker bound than many do; a large number of canaries that do not get in each other's way is what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.audit.confidence import one_run_epsilon
from privpac.audit.sample import SEEDS, Dataset, read_claim
from privpac.coins import SeededCoins, SystemCoins
from privpac.errors import ParameterError

__all__ = ["OneRun", "audit_one_run"]

OWNER = "audit_one_run"


@dataclass(frozen=True)
class OneRun:
    """What one run with canaries tells."""

    epsilon: Fraction
    """The claim."""
    delta: Fraction
    lower_bound: Fraction
    confidence: Fraction
    canaries: int
    guesses: int
    correct: int

    @property
    def broken(self) -> bool:
        """Whether the measured loss is above the promised epsilon."""
        return self.lower_bound > self.epsilon


def audit_one_run(
    train: Callable[[Dataset, int], Any],
    score: Callable[[Any, Any], float],
    canaries: Sequence[tuple[Any, Any]],
    *,
    others: Dataset = (),
    guesses: int,
    epsilon: object,
    delta: object = 0,
    confidence: object = Fraction(999, 1000),
    seed: int | None = None,
) -> OneRun:
    """Train once on `others` and one record of every pair in `canaries`, the first of it if its coin shows heads.

    `score(model, record)` is large if the model seems to have seen that record. The pairs with the largest difference
    of scores are guessed to be heads, those with the smallest tails, `guesses` in all; the rest is passed over. The
    other coin would have replaced one record, so the claim is about replacing one.
    """
    claim, allowance, sure = read_claim(epsilon, delta, confidence, owner=OWNER)
    if not 0 < guesses <= len(canaries):
        raise ParameterError(
            OWNER, "guesses", guesses, allowed=f"between 1 and {len(canaries)}, the canaries"
        )
    coins = SystemCoins() if seed is None else SeededCoins(seed)
    heads = [coins.below(2) == 1 for _ in canaries]
    data = [*others, *(pair[0] if head else pair[1] for pair, head in zip(canaries, heads, strict=True))]
    model = train(data, coins.below(SEEDS))
    gaps = [score(model, pair[0]) - score(model, pair[1]) for pair in canaries]
    order = sorted(range(len(canaries)), key=lambda i: gaps[i])
    tails_guessed = order[: guesses // 2]
    heads_guessed = order[len(order) - (guesses - guesses // 2) :]
    correct = sum(heads[i] for i in heads_guessed) + sum(not heads[i] for i in tails_guessed)
    bound = one_run_epsilon(correct, guesses, canaries=len(canaries), failure=1 - sure, delta=allowance)
    return OneRun(claim, allowance, bound, sure, len(canaries), guesses, correct)
