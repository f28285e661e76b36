"""The only source of randomness.

Learners draw through `Coins`. The same code then has three readings: `SystemCoins` (operating-system entropy,
for release), `SeededCoins` (reproducible, never for release) and `EnumeratedCoins` (every branch with its exact
probability: the output law of the code that ships).

Claim of `choose`: outcome i has probability exactly weight_i / sum of weights.
Proof: docs/proofs/certified-choice.md.
"""

from __future__ import annotations

from privpac.coins.base import Coins, EnclosureError, Repeatable, Weights
from privpac.coins.branches import Enumeration, Raised, Unfolding, law, outcome_law
from privpac.coins.tosses import SeededCoins, SystemCoins, coins_for

__all__ = [
    "Coins",
    "EnclosureError",
    "Enumeration",
    "Raised",
    "Repeatable",
    "SeededCoins",
    "SystemCoins",
    "Unfolding",
    "Weights",
    "coins_for",
    "law",
    "outcome_law",
]
