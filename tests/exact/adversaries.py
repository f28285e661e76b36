"""Inner algorithms that lose all they may: a certificate that withstands them withstands every other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from privpac.audit.exact import Case
from privpac.coins import Coins
from privpac.constructions.cases import Record
from privpac.constructions.few_labels.active import Active, Questions
from privpac.guarantee.facts import Loss, Privacy

ONE = Fraction(1)
_NOBODY: Any = None  # drawing positions needs no learner


Picker = Callable[[int, int, int, Coins], Questions]
"""(records, kept, asked, coins) -> whom to ask, and who else is kept, in the order the base gets them."""


def random_positions(records: int, kept: int, asked: int, coins: Coins) -> Questions:
    """What ships."""
    return Active(_NOBODY, records, kept, asked, ONE).ask(coins)


def smallest_positions(records: int, kept: int, asked: int, coins: Coins) -> Questions:
    """As printed: those asked are the smallest of the kept."""
    chosen = sorted(coins.subset(records, kept))
    return Questions(tuple(chosen[:asked]), tuple(chosen[asked:]))


def asking(
    pick: Picker, *, records: int, kept: int, asked: int, ratio: Fraction, values: tuple[int, int] = (1, 2)
) -> Case:
    """Values 0, 1, 2; the base says yes by how far it is from these values of those asked, and of the others kept."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        questions = pick(records, kept, asked, coins)
        away = sum(1 for i in questions.asked if data[i][0] != values[0])
        away += sum(1 for i in questions.kept if data[i][0] != values[1])
        return coins.flip(ratio**away / 4)

    factor = 1 + Fraction(kept, records) * (1 / ratio - 1)
    return Case("asking", run, ((0,), (1,), (2,)), records, Privacy(Loss(factor=factor)), ordered=True)
