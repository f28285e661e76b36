"""What released confusion counts say besides the accuracy: what a constant answer would reach, each class, the costs.

Statement: everything here is computed from noisy counts that are released already and from public numbers, so it costs
no privacy (post-processing). It has no interval, and what noise may have made alone is not told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privpac.constructions.estimates.confusion import Confusion

__all__ = ["BALANCE", "SELDOM", "Figures", "figures_of", "seldom_text"]

SELDOM = Fraction(1, 10)
"""A rule that finds a smaller share of a class hardly ever names it."""
BALANCE = (
    "If both classes matter the same, declare their public shares in the schema (base_rate) and learn with --costs"
    ' balanced, in Python costs="balanced".'
)
"""What to try where one of two classes is hardly ever named, and mistakes of either cost the same."""
RARE = f"{BALANCE} To rank records by their risk, learn a card."
"""The same for a rule that need not tell risks; also where a constant answer is right as often."""
NOTHING = "What a constant answer would reach, and each class by itself, cannot be said either."
NOTE = "These follow from the same noisy counts: they cost no further privacy, and have no interval."


@dataclass(frozen=True)
class Figures:
    """Shares, and costs per record, from the noisy counts of a `Confusion`.

    >>> nothing = Fraction(0)
    >>> counts = Confusion(((850, 37), (63, 50)), 1000, Fraction(9, 10), nothing, nothing, True, nothing, nothing)
    >>> print(figures_of(counts, ("no", "yes")).lines()[0])
    Right about 0.900 of the time; always saying no would be right about 0.887 of the time.
    """

    classes: tuple[str, ...]
    accuracy: Fraction
    constant: int
    """The class with the most records, as a position."""
    majority: Fraction
    """The accuracy of always saying that class."""
    recalls: tuple[Fraction | None, ...]
    """For each class the share of its records that are predicted right; None where its count may be noise."""
    tells: bool = True
    """Whether the counts tell anything of the accuracy."""
    seldom: int | None = None
    """Of two classes the one that the rule hardly ever names, if noise does not explain it."""
    cost: Fraction | None = None
    """What the rule's mistakes cost per record, if prices of mistakes were given."""
    constant_cost: Fraction | None = None
    """The same for the cheapest constant answer."""
    names: tuple[str, ...] = ()
    """What people call the classes; empty where they are called as they are."""

    @property
    def balanced(self) -> Fraction | None:
        """The mean of `recalls`: one half for a constant answer, whichever class is rare."""
        shares = [share for share in self.recalls if share is not None]
        return sum(shares, Fraction(0)) / len(shares) if len(shares) == len(self.recalls) else None

    @property
    def sensitivity(self) -> Fraction | None:
        """Of two classes: the share of the second one's records that are found."""
        return self.recalls[1] if len(self.recalls) == 2 else None

    @property
    def specificity(self) -> Fraction | None:
        """Of two classes: the share of the first one's records that are left alone."""
        return self.recalls[0] if len(self.recalls) == 2 else None

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as sentences call them."""
        return self.names or self.classes

    def lines(self) -> list[str]:
        """In sentences, the baseline first."""
        if not self.tells:
            return [NOTHING]
        sentences = [
            f"Right about {float(self.accuracy):.3f} of the time; always saying {self.class_names[self.constant]}"
            f" would be right about {float(self.majority):.3f} of the time.",
            self._classes(),
        ]
        if self.seldom is not None:
            sentences.append(
                seldom_text(self.class_names[self.seldom], float(self.recalls[self.seldom] or 0))
            )
        if self.cost is not None and self.constant_cost is not None:
            sentences.append(
                f"Mistakes cost about {float(self.cost):.3f} per record; those of the cheapest constant answer"
                f" {float(self.constant_cost):.3f}."
            )
        elif len(self.recalls) == 2 and (self.accuracy <= self.majority or self.seldom is not None):
            sentences.append(RARE)
        return [*sentences, NOTE]

    def _classes(self) -> str:
        names = (
            ["specificity", "sensitivity"] if len(self.classes) == 2 else ["share found"] * len(self.classes)
        )
        shares = ", ".join(
            f"{name} ({of}) {'cannot be said' if share is None else f'{float(share):.3f}'}"
            for name, of, share in zip(names, self.class_names, self.recalls, strict=True)
        )
        if self.balanced is None:
            return f"Of the classes: {shares}."
        return f"Balanced accuracy about {float(self.balanced):.3f}: {shares}."

    def to_json(self) -> dict[str, Any]:
        """For programs: numbers as exact text."""
        return {
            "majority": str(self.majority),
            "majority_class": self.classes[self.constant],
            "balanced_accuracy": _text(self.balanced),
            "recalls": [_text(share) for share in self.recalls],
            "sensitivity": _text(self.sensitivity),
            "specificity": _text(self.specificity),
            "cost": _text(self.cost),
            "constant_cost": _text(self.constant_cost),
        }


def figures_of(
    estimate: Confusion,
    classes: Sequence[str],
    *,
    costs: Sequence[int] | None = None,
    names: Sequence[str] = (),
) -> Figures:
    """The figures of an estimate: `costs` are the prices of misjudging a record of each class, `names` what people
    call the classes."""
    rows = [sum(row) for row in estimate.counts]
    constant = max(range(len(rows)), key=rows.__getitem__)
    noise = estimate.noise * estimate.records
    recalls = tuple(
        Fraction(row[label], rows[label]) if rows[label] > noise else None
        for label, row in enumerate(estimate.counts)
    )
    rare = [label for label, share in enumerate(recalls) if share is not None and share < SELDOM]
    figures = Figures(
        classes=tuple(classes),
        names=tuple(names),
        accuracy=estimate.accuracy,
        constant=constant,
        majority=_share_of(constant, rows, estimate.records),
        recalls=recalls,
        tells=estimate.tells,
        seldom=rare[0] if rare and len(rows) == 2 else None,
    )
    if costs is None or len(set(costs)) == 1:
        return figures
    costs_by_class = [price * total for price, total in zip(costs, rows, strict=True)]
    savings = sum(
        price * row[label] for label, (price, row) in enumerate(zip(costs, estimate.counts, strict=True))
    )
    return replace(
        figures,
        cost=Fraction(sum(costs_by_class) - savings, estimate.records),
        constant_cost=Fraction(sum(costs_by_class) - max(costs_by_class), estimate.records),
    )


def _share_of(label: int, rows: Sequence[int], records: int) -> Fraction:
    """The share of a class, by noisy counts of which the number is public: of two classes what is not in the other is
    in this one (see `share_right`)."""
    count = rows[label] if len(rows) > 2 else Fraction(records + 2 * rows[label] - sum(rows), 2)
    return max(Fraction(0), min(Fraction(1), Fraction(count) / records))


def seldom_text(name: str, share: float) -> str:
    """That a rule hardly ever names a class, of whose records it finds this share."""
    return f"The rule hardly ever says {name}: it finds only about {share:.3f} of these records."


def _text(share: Fraction | None) -> str | None:
    return None if share is None else str(share)
