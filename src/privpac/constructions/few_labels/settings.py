"""Settings of the methods of few labels: how each is found for the records one has, stored, and built again.

They are found by a search in floats, which may differ in the last digit from one machine to another; so a document
holds the settings themselves, and `verify` certifies those.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from privpac.concepts.base import AnyClass
from privpac.concepts.labellings.base import with_dichotomies
from privpac.constructions.base import Learner, SemiLearner
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.boost import LabelBoost, Round
from privpac.constructions.few_labels.boost_accuracy import base_for
from privpac.constructions.few_labels.formulas import BASE
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.few_labels.labels_only import LabelsOnly
from privpac.constructions.few_labels.relabel import SSLRelabel
from privpac.data.sample import Size
from privpac.fields import record, require, text, whole
from privpac.numbers.exact import plain, read_number

__all__ = ["OWNER", "SEARCHES", "Goal", "Plain", "Session", "Settings"]

OWNER = "few labels"
GOAL, SESSION = ("epsilon", "failure", "delta"), ("records", "kept", "asked")
COUNTS = ("kept_labelled", "kept_unlabelled", "taken", "change", "mistake")
"""Numbers of records; all others are fractions."""
DELTAS = ("delta", "base_delta")
"""Stored only where a delta is spent: models that were learnt without one do not name them."""


@dataclass(frozen=True)
class Goal:
    """What is asked of a method: the budget of everybody, and how often its promise may fail."""

    epsilon: Fraction
    failure: Fraction
    delta: Fraction = Fraction(0)


@dataclass(frozen=True)
class Session:
    """Numbers of records of a session of questions."""

    records: int
    kept: int
    asked: int


@dataclass(frozen=True, kw_only=True)
class Settings(ABC):
    """One method with its numbers, in the order in which they are stored."""

    method: ClassVar[str]
    goal: Goal
    session: Session | None = None
    """How many are asked and kept, where labels are asked for."""

    @property
    def new_labels(self) -> int:
        """How many records get labels anew."""
        return 0

    @abstractmethod
    def learner(self, concepts: AnyClass) -> SemiLearner:
        """The learner that these numbers describe."""

    @classmethod
    def _names(cls) -> list[str]:
        further = [field.name for field in fields(cls) if field.name not in ("goal", "session")]
        return [*GOAL, *further]

    def to_json(self) -> dict[str, Any]:
        """As a model stores them."""
        numbers = {**vars(self.goal), **vars(self)}
        texts = {
            name: numbers[name] if name in COUNTS else plain(numbers[name])
            for name in self._names()
            if self.goal.delta or name not in DELTAS
        }
        session = {} if self.session is None else {"active": dict(vars(self.session))}
        return {"method": self.method, **texts, **session}

    @staticmethod
    def from_json(tree: Mapping[str, Any]) -> Settings:
        """What a document holds, if it is the numbers of a method and no others."""
        method = text(tree["method"])
        require(method in KINDS, "there is no such method")
        names = [name for name in KINDS[method]._names() if "delta" in tree or name not in DELTAS]
        record(tree, "method", *names, *(("active",) if "active" in tree else ()))
        numbers: dict[str, Any] = {
            name: whole(tree[name], least=0) if name in COUNTS else read_number(tree[name]) for name in names
        }
        goal = Goal(**{name: numbers.pop(name) for name in GOAL if name in numbers})
        return KINDS[method](goal=goal, session=_session(tree.get("active")), **numbers)


def _session(tree: Mapping[str, Any] | None) -> Session | None:
    if tree is None:
        return None
    record(tree, *SESSION)
    return Session(*(whole(tree[name], least=0) for name in SESSION))


@dataclass(frozen=True, kw_only=True)
class Plain(Settings):
    """One draw, from the records with labels alone."""

    method = "plain"

    def __post_init__(self) -> None:
        require(self.goal.delta == 0, "one draw spends no delta")

    def learner(self, concepts: AnyClass) -> SemiLearner:
        return LabelsOnly(Occam(concepts, self.goal.epsilon, failure=self.goal.failure))


@dataclass(frozen=True, kw_only=True)
class Generic(Settings):
    """A sanitised table of the records without labels, and a draw from its labellings."""

    method = "generic"

    @classmethod
    def search(cls, concepts: AnyClass, size: Size, goal: Goal) -> Generic:
        settings = cls(goal=goal)
        settings.learner(concepts).certify(size)  # refuses classes and sizes it cannot do
        return settings

    def learner(self, concepts: AnyClass) -> SemiLearner:
        goal = self.goal
        return GenericLearner(concepts, goal.epsilon, failure=goal.failure, delta=goal.delta)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class _NewLabels(Settings):
    """A draw gives labels to records without, and a base learns from these."""

    draw_epsilon: Fraction
    base_epsilon: Fraction
    base_delta: Fraction = Fraction(0)

    def base(self, concepts: AnyClass, *, failure: Fraction) -> Learner:
        return base_for(concepts, epsilon=self.base_epsilon, delta=self.base_delta, failure=failure)


@dataclass(frozen=True, kw_only=True)
class Boost(_NewLabels):
    """`LabelBoost` of one round."""

    method = "boost"
    kept_labelled: int
    kept_unlabelled: int
    taken: int

    @property
    def new_labels(self) -> int:
        return self.kept_unlabelled + self.kept_labelled

    @classmethod
    def search(cls, concepts: AnyClass, size: Size, goal: Goal) -> Boost:
        learner = LabelBoost.calibrate(
            concepts, size, epsilon=goal.epsilon, delta=goal.delta, failure=goal.failure
        )
        learner.require(size)
        (step,) = learner.rounds
        base_epsilon, base_delta = _budget_of(learner.base)
        return cls(
            goal=goal,
            draw_epsilon=step.epsilon,
            base_epsilon=base_epsilon,
            base_delta=base_delta,
            kept_labelled=step.kept_labelled,
            kept_unlabelled=step.kept_unlabelled,
            taken=step.taken,
        )

    def learner(self, concepts: AnyClass) -> SemiLearner:
        cut, goal = with_dichotomies(concepts, owner=OWNER), self.goal
        step = Round(self.draw_epsilon, self.kept_labelled, self.taken, self.kept_unlabelled)
        base = self.base(cut, failure=goal.failure * BASE)
        return LabelBoost(cut, base, (step,), goal.epsilon, goal.delta, failure=goal.failure)


@dataclass(frozen=True, kw_only=True)
class Relabel(_NewLabels):
    """`SSLRelabel`."""

    method = "relabel"
    kept_unlabelled: int
    taken: int
    change: int
    mistake: int

    @property
    def new_labels(self) -> int:
        return self.kept_unlabelled

    @classmethod
    def search(cls, concepts: AnyClass, size: Size, goal: Goal) -> Relabel:
        learner = SSLRelabel.calibrate(
            concepts, size, epsilon=goal.epsilon, delta=goal.delta, failure=goal.failure
        )
        learner.require(size)
        base_epsilon, base_delta = _budget_of(learner.base)
        return cls(
            goal=goal,
            draw_epsilon=learner.draw_epsilon,
            base_epsilon=base_epsilon,
            base_delta=base_delta,
            kept_unlabelled=learner.kept,
            taken=learner.taken,
            change=learner.change,
            mistake=learner.mistake,
        )

    def learner(self, concepts: AnyClass) -> SemiLearner:
        cut, goal = with_dichotomies(concepts, owner=OWNER), self.goal
        return SSLRelabel(
            cut,
            self.base(cut, failure=goal.failure / 4),
            self.kept_unlabelled,
            self.taken,
            self.draw_epsilon,
            self.change,
            goal.epsilon,
            goal.delta,
            mistake=self.mistake,
            failure=goal.failure,
        )


def _budget_of(base: Learner) -> tuple[Fraction, Fraction]:
    assert isinstance(base, Occam | BlockCuts)
    return base.epsilon, base.delta if isinstance(base, BlockCuts) else Fraction(0)


KINDS: Mapping[str, type[Settings]] = {kind.method: kind for kind in (Plain, Generic, Boost, Relabel)}
SEARCHES = {"generic": Generic.search, "boost": Boost.search, "relabel": Relabel.search}
"""How the numbers of a method are found, where there are any to find."""
