"""Faults that any learner could have: planted around it, or in what it starts from, without a word about which it is.

Every learner of the tree has a row of the audit's registry on which the first one dies.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from inspect import isabstract
from typing import Any

import pytest

import privpac.constructions
from privpac.coins import Coins, SeededCoins, outcome_law
from privpac.concepts.cards.risks import start_share
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.tree import Leaf
from privpac.concepts.trees.trees import Trees
from privpac.constructions.card import rules
from privpac.constructions.card.graded_tree import POINTS, GradedTrees
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.levels import TREE_CAP
from privpac.constructions.cases import Case, Record, records_of, sample_of, tiny_schema
from privpac.constructions.draw.occam import Occam
from privpac.data.sample import Sample
from privpac.guarantee.facts import Privacy, Unit

ONE, HALF = Fraction(1), Fraction(1, 2)


def redrawn(case: Case) -> Case:
    """After the last draw the outcome is, half of the time, one that follows from what the records are.

    Which one: the sum of the numbers of all records counts outcomes, the least likely first.
    """
    number = {record: i for i, record in enumerate(case.records)}

    @cache
    def outcomes() -> tuple[Hashable, ...]:
        first = case.inputs[0] if case.inputs else (case.records[0],) * case.n
        chances = outcome_law(lambda coins: case.run(first, coins), sets=case.sets)
        return tuple(sorted(chances, key=lambda outcome: chances[outcome]))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        outcome = case.run(data, coins)
        if not coins.flip(HALF):
            return outcome
        return outcomes()[sum(number[record] for record in data) % len(outcomes())]

    return replace(case, run=run, symmetries=())


@cache
def learners() -> Mapping[str, Any]:
    """Every class that learns."""
    folder = privpac.constructions
    names = [module.name for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}.")]
    found = (one for name in names for one in vars(importlib.import_module(name)).values())
    return {one.__name__: one for one in found if isinstance(one, type) and _learns(one)}


def _learns(kind: type) -> bool:
    """Whether somebody could learn with it; what only rows of the audit use stands beside them."""
    ours = kind.__module__.startswith(privpac.constructions.__name__) and not kind.__module__.endswith(
        "cases"
    )
    return (
        ours and hasattr(kind, "learn") and not isabstract(kind) and not getattr(kind, "_is_protocol", False)
    )


def outermost(case: Case) -> str | None:
    """The learner that a row runs; None if it runs a part of one."""
    seen: list[str] = []

    def seeing(name: str, learn: Callable[..., Any]) -> Callable[..., Any]:
        def seen_learning(self: Any, *args: Any, **options: Any) -> Any:
            seen.append(name)
            return learn(self, *args, **options)

        return seen_learning

    with pytest.MonkeyPatch.context() as patch:
        for name, kind in learners().items():
            patch.setattr(kind, "learn", seeing(name, kind.learn))
        first = case.inputs[0] if case.inputs else (case.records[0],) * case.n
        case.run(first, SeededCoins(0))
    return seen[0] if seen else None


class Released:
    """In place of noise: what was released is known, whatever the true numbers are, which are kept."""

    def __init__(self) -> None:
        self.true: list[int] = []

    def add_noise(
        self, values: Sequence[int], *, ratio: Fraction, low: int, high: int, coins: Coins
    ) -> list[int]:
        self.true = list(values)
        return [(low + high) // 2] * len(values)

    def true_share(self, count: int, records: int, spread: int) -> Fraction:
        """The fault: a share of class 1 from the true numbers, of the next leaf if there are several."""
        if len(self.true) == 1:
            return start_share(self.true[0], records, spread)
        zeros, ones = self.true[:2]
        del self.true[:2]
        return start_share(ones, zeros + ones, spread)


@dataclass(frozen=True)
class Started:
    """A learner that starts from released numbers: given these, the rest of its run, and what that may lose."""

    run: Callable[[Sample, Coins], Hashable]
    claim: Privacy
    noise: str
    """The module that adds noise."""
    start: str
    """The module that starts."""

    def case(self, patch: pytest.MonkeyPatch, *, n: int, faulty: bool) -> Case:
        released = Released()
        patch.setattr(f"privpac.constructions.{self.noise}.add_noise", released.add_noise)
        if faulty:
            patch.setattr(f"privpac.constructions.{self.start}.start_share", released.true_share)
        return Case(
            "started",
            lambda data, coins: self.run(sample_of(SCHEMA, data), coins),
            records_of(SCHEMA),
            n,
            self.claim,
        )


SCHEMA = tiny_schema(2)
TESTS = Binarisation.of(SCHEMA)


def _graded_tree() -> Started:
    """On a tree that is known, with the signs that the tree does not show."""
    learner = GradedTrees(Occam(Trees(SCHEMA, 1, TESTS), ONE), Fraction(16), TESTS, ONE)

    def run(sample: Sample, coins: Coins) -> Hashable:
        growth = learner.draw_levels(sample, learner.started(sample, Leaf(0), coins), coins)
        return growth.tree, tuple(stem.points for stem in growth.stems)

    claim = rules.weighted_rounds(ratio=learner.ratio, cap=TREE_CAP, rounds=len(POINTS)).fact
    return Started(run, claim, "estimates.leaf_counts", "card.graded_tree")


def _card() -> Started:
    learner = CardLearner(SCHEMA, Fraction(16), TESTS, 2)
    return Started(learner.learn, learner.spending.drawn(Unit.RECORD).fact, "card.learner", "card.learner")


STARTS: Mapping[str, Callable[[], Started]] = {
    "graded tree": _graded_tree,
    "card": _card,
}
