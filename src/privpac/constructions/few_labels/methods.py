"""Learners of few labels by name: which is chosen for the records one has, how it is stored, and what it releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis, MergeableClass
from privpac.concepts.labellings.base import with_dichotomies
from privpac.constructions.base import Around, Learner, SemiLearner
from privpac.constructions.draw.occam import LEFT_OUT, Occam
from privpac.constructions.few_labels.active import Active
from privpac.constructions.few_labels.after_labels import Budget, base_for
from privpac.constructions.few_labels.boost import BASE, LabelBoost, Round
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.few_labels.relabel import SSLRelabel, Votes
from privpac.constructions.own import Concepts
from privpac.constructions.request import MERGEABLE, class_of_draw
from privpac.constructions.words import Request, learner_for, stored_concepts
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.fields import record, require, text, whole
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import decimal_text, plain, read_number
from privpac.request import LearnRequest

__all__ = [
    "METHODS",
    "MOST",
    "NOT_THIS_WAY",
    "FewLabels",
    "Goal",
    "LabelsOnly",
    "Session",
    "Settings",
    "choose",
    "concepts_for",
    "promised_error",
]

OWNER = "few labels"
SEARCHED: Mapping[str, str] = {
    "generic": "a sanitised table names the candidates, labels choose",
    "boost": "labels spread over unlabelled points, then a draw",
    "relabel": "unlabelled points relabelled by a draw, then learnt from",
}
"""Methods that use unlabelled records, and may spend a delta; how each saves labels, in a plan."""
METHODS = ("auto", "plain", *SEARCHED)
NOT_THIS_WAY = (ParameterError, SizeError, RuleRefused)
"""A method is not for this class, has too few records, or proves nothing about them: another method may do."""
MOST = 10**9
"""Labels beyond which no remedy is looked for."""


@dataclass(frozen=True)
class LabelsOnly(Around):
    """`learner` on the labelled part; people without labels lose nothing."""

    learner: Learner

    def require(self, size: Size) -> None:
        self.learner.require(Size(size.labelled))

    def certify(self, size: Size) -> Certificate:
        return replace(self.learner.certify(Size(size.labelled)), unlabelled=size.unlabelled)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, Size(size.labelled))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        return self.learner.learn(sample.labelled, coins)


# --- settings: found for the records one has, stored, and built again ---


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


_NUMBERS: Mapping[str, type[Round] | type[Votes]] = {"boost": Round, "relabel": Votes}


@dataclass(frozen=True)
class Settings:
    """A method with its numbers. A search in floats finds them, which may differ in the last digit between machines: so
    a document holds the numbers themselves, and `verify` certifies those."""

    method: str
    goal: Goal
    numbers: Round | Votes | None = None
    base: Budget | None = None
    session: Session | None = None
    """How many are asked and kept, where labels are asked for."""

    @classmethod
    def found(cls, method: str, concepts: AnyClass, size: Size, goal: Goal) -> Settings:
        """The best numbers for the records one has; refuses classes and sizes that the method cannot do."""
        if method not in _NUMBERS:
            settings = cls(method, goal)
            if method == "generic":
                settings.learner(concepts).certify(size)
            return settings
        kind: type[LabelBoost | SSLRelabel] = LabelBoost if method == "boost" else SSLRelabel
        learner = kind.calibrate(concepts, size, **vars(goal))
        learner.require(size)
        numbers = learner.round if isinstance(learner, LabelBoost) else learner.votes
        inner = cast(Any, learner.base)
        return cls(method, goal, numbers, Budget(inner.epsilon, getattr(inner, "delta", Fraction(0))))

    def learner(self, concepts: AnyClass) -> SemiLearner:
        """The learner that these numbers describe."""
        goal, numbers, base = self.goal, self.numbers, self.base
        if self.method == "plain":
            return LabelsOnly(Occam(concepts, goal.epsilon, failure=goal.failure))
        if self.method == "generic":
            cuts = cast(Any, concepts)
            return GenericLearner(cuts, goal.epsilon, failure=goal.failure, delta=goal.delta)
        cut = with_dichotomies(concepts, owner=OWNER)
        assert base is not None
        if isinstance(numbers, Round):
            follower = base_for(cut, base, failure=goal.failure * BASE)
            return LabelBoost(cut, follower, numbers, goal.epsilon, goal.delta, goal.failure)
        assert numbers is not None
        follower = base_for(cut, base, failure=goal.failure / 4)
        return SSLRelabel(cut, follower, numbers, goal.epsilon, goal.delta, goal.failure)

    def to_json(self) -> dict[str, Any]:
        """As a model stores them."""
        base = {} if self.base is None else {f"base_{k}": v for k, v in self.base._asdict().items()}
        numbers = {**vars(self.goal), **({} if self.numbers is None else vars(self.numbers)), **base}
        texts = {name: plain(n) if isinstance(n, Fraction) else n for name, n in numbers.items()}
        session = {} if self.session is None else {"active": dict(vars(self.session))}
        return {"method": self.method, **texts, **session}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Settings:
        """What a document holds, if it is the numbers of a method and no others."""
        method = text(tree["method"])
        require(method in METHODS[1:], "there is no such method")
        kind = _NUMBERS.get(method)
        named = {} if kind is None else {field.name: field.type for field in fields(kind)}
        base = () if kind is None else ("base_epsilon", "base_delta")
        session = ("active",) if "active" in tree else ()
        record(tree, "method", "epsilon", "failure", "delta", *named, *base, *session)
        goal = Goal(*(read_number(tree[name]) for name in ("epsilon", "failure", "delta")))
        require(method != "plain" or goal.delta == 0, "one draw spends no delta")
        values = {
            name: whole(tree[name], least=0) if of == "int" else read_number(tree[name])
            for name, of in named.items()
        }
        asked = Session(**_counts(tree["active"])) if session else None
        if kind is None:
            return cls(method, goal, session=asked)
        budget = Budget(*(read_number(tree[name]) for name in base))
        return cls(method, goal, cast(Any, kind)(**values), budget, asked)


def _counts(tree: Mapping[str, Any]) -> dict[str, int]:
    names = [field.name for field in fields(Session)]
    return {name: whole(record(tree, *names)[name], least=0) for name in names}


# --- the choice ---


def concepts_for(concepts: Concepts, request: Request) -> AnyClass:
    """The class a word names; it must be learnt by one draw."""
    word = concepts if isinstance(concepts, str) else concepts.word
    if word.startswith("blocks:"):  # methods of few labels spend a delta by themselves
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="another word where records have no labels: blocks cannot be combined with them",
            remedy=f"Use thresholds:{word.removeprefix('blocks:')}, with the delta: methods spend it where it pays.",
        )
    return class_of_draw(learner_for(concepts, replace(request, drawn=False)), word, owner=OWNER)


def promised_error(learner: SemiLearner, size: Size) -> Fraction:
    """The error a learner promises where some concept makes none; 1 if nothing."""
    proofs = learner.certify(size).accuracy
    errors = (proof.fact.error for proof in proofs if proof.fact.against is Against.REALIZABLE)
    return min(errors, default=Fraction(1))


@dataclass(frozen=True)
class _Try:
    """A class, the records one has, and what is asked: every method is tried on these public numbers."""

    concepts: AnyClass
    size: Size
    goal: Goal

    @property
    def pure(self) -> _Try:
        return replace(self, goal=replace(self.goal, delta=Fraction(0)))

    def error(self, settings: Settings | None) -> Fraction:
        """What settings promise; 1 if there are none."""
        return Fraction(1) if settings is None else promised_error(settings.learner(self.concepts), self.size)

    def method(self, method: str) -> Settings | None:
        """Settings of a method, if it is one for this class and these records."""
        try:
            settings = Settings.found(method, self.concepts, self.size, self.goal)
            settings.learner(self.concepts).certify(self.size)
        except NOT_THIS_WAY:
            return None
        return settings

    def pays(self, settings: Settings) -> bool:
        """Whether a delta is spent, and more is promised with it than by the same method without."""
        spent = settings.learner(self.concepts).certify(self.size).privacy.fact.delta
        without = self.pure.method(settings.method)
        return spent > 0 and (without is None or self.error(settings) < self.error(without))

    def best(self) -> Settings:
        """Of all methods the one that promises most; with a delta, of those for which it pays."""
        tried = [one for name in SEARCHED if self.size.unlabelled and (one := self.method(name))]
        if not self.goal.delta:
            return min((Settings("plain", self.goal), *tried), key=self.error)
        without = self.pure.best()
        best = min((one for one in tried if self.pays(one)), key=self.error, default=None)
        if best is None or self.error(best) >= self.error(without):
            raise self.no_delta(without.method)
        return best

    def no_delta(self, method: str) -> ParameterError:
        requirement = f"0 here: without it method {method} promises no less, by public numbers"
        return ParameterError(
            OWNER, "delta", plain(self.goal.delta), allowed=requirement, remedy="Leave delta out."
        )

    def chosen(self, method: str) -> Settings:
        """Settings of a method, or of the one that promises most; a delta that does not pay is refused."""
        if method not in METHODS:
            raise ParameterError(OWNER, "method", method, allowed="one of " + ", ".join(METHODS))
        if method == "auto":
            return self.best()
        if method == "plain" and self.goal.delta:
            raise ParameterError(
                OWNER,
                "delta",
                plain(self.goal.delta),
                allowed="0 for method plain, whose draw spends none",
                remedy="Leave delta out, or the unlabelled records: blocks:COLUMN spends a delta.",
            )
        settings = Settings.found(method, self.concepts, self.size, self.goal)
        if self.goal.delta and not self.pays(settings):
            raise self.no_delta(method)
        return settings

    def within(self, error: Fraction, method: str) -> Settings | None:
        """Settings of a method that promise an error, with the delta or without; None if there are none."""
        for one in (self, self.pure) if self.goal.delta else (self,):
            try:
                settings = one.chosen(method)
                return settings if one.error(settings) <= error else None
            except NOT_THIS_WAY:
                continue
        return None


def choose(concepts: AnyClass, size: Size, *, method: str, goal: Goal) -> Settings:
    """Settings of a method, or of the one that promises most; a delta that does not pay is refused."""
    return _Try(concepts, size, goal).chosen(method)


SOMETHING = Fraction(1, 2)
"""The error that is spoken of where nothing is promised: a coin toss has it."""
ANYWAY = " --anyway (anyway=True in Python) learns without a promise."


def _refusal(
    tried: _Try, error: Fraction, method: str, promise: Fraction, *, otherwise: str = ""
) -> SizeError:
    """Too few records: what they promise at best, whether another method would do, and how many labels would."""

    def said(settings: Settings) -> str:
        return " without a delta" if tried.goal.delta and not settings.goal.delta else ""

    def way(labelled: int) -> Settings | None:
        return replace(tried, size=Size(labelled, others)).within(error, method)

    labelled, others = tried.size.labelled, tried.size.unlabelled
    low, need = labelled, 2 * max(1, labelled)
    while (settings := way(need)) is None and need <= MOST:
        low, need = need, need * 2
    while settings is not None and need - low > max(1, need // 5000):  # nearly exact: a remedy, not a promise
        middle = (low + need) // 2
        closer = way(middle)
        low, need, settings = (middle, need, settings) if closer is None else (low, middle, closer)
    remedy = (
        f"no number of labels would do with {others} unlabelled records: collect more of them."
        if settings is None
        else f"{need} labelled and {others} unlabelled records would do{said(settings)}."
    )
    other = tried.within(error, "auto")
    if other is not None:
        way_out = f"Method {other.method}{said(other)} promises it with the records you have."
        remedy = f"{way_out} For method {method}: {remedy}"
    best = f"promise an error of {decimal_text(promise)} at best" if promise < 1 else "promise nothing"
    by = "" if method == "auto" else f" by method {method}"
    wanted = "" if otherwise else f", not {decimal_text(error)}"
    return SizeError(
        f"few labels: {labelled} labelled and {others} unlabelled records {best}{by}{wanted}.",
        remedy=remedy[:1].upper() + remedy[1:] + otherwise,
    )


@dataclass(frozen=True)
class FewLabels:
    """A learner of few labels for a request: certificate and run, as stored in a model."""

    concepts: Concepts
    request: Request
    settings: Settings

    def __post_init__(self) -> None:
        require(
            self.settings.goal.failure == self.request.failure,
            "the method is tuned for another failure than was asked for",
        )

    @classmethod
    def of(cls, asked: LearnRequest, *, schema: Schema, size: Size) -> FewLabels:
        """What a person asks of a table with this many records of either kind."""
        request = Request(schema, size, asked)
        return cls.chosen(
            asked.concepts, request, method=asked.method, error=asked.error, anyway=asked.anyway
        )

    @classmethod
    def chosen(
        cls,
        concepts: Concepts,
        request: Request,
        *,
        method: str = "auto",
        error: Fraction | None = None,
        anyway: bool = False,
    ) -> FewLabels:
        """For the records one has; refused, before anything is spent, if less than `error` is promised, or nothing at
        all and not wanted `anyway`."""
        members = concepts_for(concepts, request.asking(delta=Fraction(0)))
        goal = Goal(request.per_record, request.failure, request.delta_per_record)
        tried = _Try(members, request.size, goal)
        settings = tried.chosen(method)
        promise = tried.error(settings)
        if error is not None and promise > error:
            raise _refusal(tried, error, method, promise)
        recipe = cls(concepts, request, settings)
        if not anyway and not recipe.learner.certify(request.size).accuracy:
            raise _refusal(tried, SOMETHING, method, promise, otherwise=ANYWAY)
        return recipe

    @cached_property
    def members(self) -> AnyClass:
        """The class that its word names."""
        return concepts_for(self.concepts, self.request)

    @cached_property
    def learner(self) -> SemiLearner:
        """The learner that the settings describe."""
        return self.settings.learner(self.members)

    @property
    def active(self) -> Active | None:
        """The questions, if labels were asked for."""
        session = self.settings.session
        return (
            None
            if session is None
            else Active(self.learner, **vars(session), epsilon=self.request.per_record)
        )

    def certify(self) -> Certificate:
        """What will be promised to labelled and to unlabelled people."""
        size = self.request.size
        inner = self.learner.certify(size) if self.active is None else self.active.certify()
        proof, *also = (
            self.request.for_people(self._after_merging(one)) for one in (inner.privacy, *inner.also)
        )
        wishes = {
            "concepts": stored_concepts(self.concepts),
            **self.request.to_json(),
            "few_labels": self.settings.to_json(),
            "labelled": size.labelled,
            "unlabelled": size.unlabelled,
            "estimate_epsilon": None,
            "leaf_epsilon": None,
            "holdout": "0",
        }
        return replace(inner, privacy=proof, also=tuple(also), request=wishes)

    @property
    def _merges(self) -> bool:
        """Whether parts of a rule that change nothing are left out, as where a word is learnt by itself."""
        return isinstance(self.members, MERGEABLE)

    def _after_merging(self, proof: Proof[Privacy]) -> Proof[Privacy]:
        return rules.post_processing(proof, what=LEFT_OUT) if self._merges else proof

    def releases(self, hypothesis: Hypothesis) -> bool:
        """Whether this hypothesis could ever be what is learnt."""
        if self._merges:
            return cast(MergeableClass, self.members).contains_merged(hypothesis)
        size = self.request.size if self.active is None else self.active.inner_size
        return self.learner.releases(hypothesis, size)

    def run(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        """The rule, drawn with these coins; `written` says how it is released."""
        return self.learner.learn(sample, coins)

    def written(self, hypothesis: Hypothesis) -> Hypothesis:
        """What is released of the rule that was drawn."""
        return cast(Hypothesis, cast(Any, hypothesis).merged()) if self._merges else hypothesis
