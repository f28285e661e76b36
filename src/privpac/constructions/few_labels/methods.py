"""Learners of few labels by name: which is chosen for the records one has, and what it releases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis, MergeableClass
from privpac.constructions.base import SemiLearner
from privpac.constructions.draw.occam import LEFT_OUT
from privpac.constructions.few_labels.active import Active
from privpac.constructions.few_labels.settings import OWNER, SEARCHES, Goal, Plain, Settings
from privpac.constructions.own import Concepts
from privpac.constructions.request import MERGEABLE, class_of_draw
from privpac.constructions.words import Request, learner_for, stored_concepts
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.fields import require
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import decimal_text, plain
from privpac.request import LearnRequest

__all__ = ["METHODS", "NOT_THIS_WAY", "FewLabels", "choose", "concepts_for", "promised_error"]

METHODS = ("auto", "plain", "generic", "boost", "relabel")

NOT_THIS_WAY = (ParameterError, SizeError, RuleRefused)
"""A method is not for this class, has too few records, or proves nothing about them: another method may do."""

BLOCKS = "blocks:"
"""The word of cuts that spend a delta from labelled records alone; methods of few labels build them themselves."""


def concepts_for(concepts: Concepts, request: Request) -> AnyClass:
    """The class a word names; it must be learnt by one draw."""
    word = concepts if isinstance(concepts, str) else concepts.word
    if word.startswith(BLOCKS):
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="another word where records have no labels: blocks cannot be combined with them",
            remedy=f"Use thresholds:{word.removeprefix(BLOCKS)}, with the delta: methods spend it where it pays.",
        )
    return class_of_draw(learner_for(concepts, replace(request, drawn=False)), word, owner=OWNER)


def promised_error(learner: SemiLearner, size: Size) -> Fraction:
    """The error a learner promises where some concept makes none; 1 if nothing."""
    proofs = learner.certify(size).accuracy
    errors = (proof.fact.error for proof in proofs if proof.fact.against is Against.REALIZABLE)
    return min(errors, default=Fraction(1))


def choose(concepts: AnyClass, size: Size, *, method: str, goal: Goal) -> Settings:
    """Settings of a method, or of the one that promises most; a delta that does not pay is refused."""
    if method not in METHODS:
        raise ParameterError(OWNER, "method", method, allowed="one of " + ", ".join(METHODS))
    if goal.delta:
        return _with_delta(concepts, size, method, goal)
    if method in SEARCHES:
        return SEARCHES[method](concepts, size, goal)
    plainly = Plain(goal=goal)
    if method == "plain":
        return plainly
    possible = (_possible(concepts, size, name, goal) for name in SEARCHES if size.unlabelled)
    ways = (plainly, *(settings for settings in possible if settings is not None))
    return min(ways, key=lambda settings: _error_of(concepts, size, settings))


def _error_of(concepts: AnyClass, size: Size, settings: Settings) -> Fraction:
    return promised_error(settings.learner(concepts), size)


def _possible(concepts: AnyClass, size: Size, method: str, goal: Goal) -> Settings | None:
    """Settings of a method, if it is one for this class and these records."""
    try:
        settings = SEARCHES[method](concepts, size, goal)
        settings.learner(concepts).certify(size)
    except NOT_THIS_WAY:
        return None
    return settings


def _with_delta(concepts: AnyClass, size: Size, method: str, goal: Goal) -> Settings:
    """Settings that spend a delta and promise more than the same method without: all by public numbers."""
    if method == "plain":
        raise _no_delta(
            goal.delta,
            requirement="0 for method plain, whose draw spends none",
            remedy="Leave delta out, or the unlabelled records: blocks:COLUMN spends a delta.",
        )
    if method in SEARCHES:
        settings = SEARCHES[method](concepts, size, goal)
        if not _pays(concepts, size, settings, goal):
            raise _no_delta(
                goal.delta,
                requirement=f"0 here: without it method {method} promises no less, by public numbers",
                remedy="Leave delta out.",
            )
        return settings
    possible = (_possible(concepts, size, name, goal) for name in SEARCHES if size.unlabelled)
    paying = [one for one in possible if one is not None and _pays(concepts, size, one, goal)]
    without = choose(concepts, size, method="auto", goal=replace(goal, delta=Fraction(0)))
    best = min(paying, key=lambda one: _error_of(concepts, size, one), default=None)
    if best is None or _error_of(concepts, size, best) >= _error_of(concepts, size, without):
        raise _no_delta(
            goal.delta,
            requirement=f"0 here: without it method {without.method} promises no less, by public numbers",
            remedy="Leave delta out.",
        )
    return best


def _pays(concepts: AnyClass, size: Size, settings: Settings, goal: Goal) -> bool:
    """Whether a delta is spent, and more is promised with it than without."""
    learner = settings.learner(concepts)
    if learner.certify(size).privacy.fact.delta == 0:
        return False
    without = _possible(concepts, size, settings.method, replace(goal, delta=Fraction(0)))
    return without is None or promised_error(learner, size) < _error_of(concepts, size, without)


def _no_delta(delta: Fraction, *, requirement: str, remedy: str) -> ParameterError:
    return ParameterError(OWNER, "delta", plain(delta), allowed=requirement, remedy=remedy)


def _way(concepts: AnyClass, size: Size, method: str, goal: Goal, error: Fraction) -> Settings | None:
    """Settings of a method that promise an error: with the delta of the goal, or without where that promises no
    less; None if there are none."""
    for delta in dict.fromkeys((goal.delta, Fraction(0))):
        try:
            settings = choose(concepts, size, method=method, goal=replace(goal, delta=delta))
            return settings if _error_of(concepts, size, settings) <= error else None
        except NOT_THIS_WAY:
            continue
    return None


def _without_delta(settings: Settings, goal: Goal) -> str:
    return " without a delta" if goal.delta and not settings.goal.delta else ""


def _other_method(concepts: AnyClass, size: Size, method: str, goal: Goal, error: Fraction) -> str:
    """Which other method promises the error from the same records; empty if none does."""
    other = _way(concepts, size, "auto", goal, error)
    if other is None:
        return ""
    sentence = f"Method {other.method}{_without_delta(other, goal)}"
    return f"{sentence} promises it with the records you have. For method {method}: "


def _enough_labels(concepts: AnyClass, size: Size, method: str, goal: Goal, error: Fraction) -> str:
    """How many labels would do for the very method that was asked for, beside the same unlabelled records."""

    def way(labelled: int) -> Settings | None:
        return _way(concepts, Size(labelled, size.unlabelled), method, goal, error)

    low, need = size.labelled, 2 * max(1, size.labelled)
    while (settings := way(need)) is None:
        low, need = need, need * 2
        if need > MOST:
            return f"no number of labels would do with {size.unlabelled} unlabelled records: collect more of them."
    while need - low > max(1, need // 5000):  # nearly exact: a remedy, not a promise
        middle = (low + need) // 2
        closer = way(middle)
        low, need, settings = (middle, need, settings) if closer is None else (low, middle, closer)
    others = f"{size.unlabelled} unlabelled records"
    return f"{need} labelled and {others} would do{_without_delta(settings, goal)}."


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
        recipe = cls(concepts, request, choose(members, request.size, method=method, goal=goal))
        if error is not None and promised_error(recipe.learner, request.size) > error:
            recipe.refuse(error, method)
        if not anyway and not recipe.learner.certify(request.size).accuracy:
            recipe.refuse(SOMETHING, method, otherwise=ANYWAY)
        return recipe

    def refuse(self, error: Fraction, method: str, *, otherwise: str = "") -> None:
        """Too few records: what they promise at best by the method that was asked for, and what would do."""
        size, promise = self.request.size, promised_error(self.learner, self.request.size)
        members = concepts_for(self.concepts, self.request.asking(delta=Fraction(0)))
        goal = Goal(self.request.per_record, self.request.failure, self.request.delta_per_record)
        have = f"{size.labelled} labelled and {size.unlabelled} unlabelled records"
        best = f"promise an error of {decimal_text(promise)} at best" if promise < 1 else "promise nothing"
        by = "" if method == "auto" else f" by method {method}"
        remedy = _other_method(members, size, method, goal, error) + _enough_labels(
            members, size, method, goal, error
        )
        raise SizeError(
            f"few labels: {have} {best}{by}{'' if otherwise else f', not {decimal_text(error)}'}.",
            remedy=remedy[:1].upper() + remedy[1:] + otherwise,
        )

    @cached_property
    def learner(self) -> SemiLearner:
        """The learner that the settings describe."""
        return self.settings.learner(concepts_for(self.concepts, self.request))

    @property
    def active(self) -> Active | None:
        """The questions, if labels were asked for."""
        session = self.settings.session
        if session is None:
            return None
        return Active(self.learner, session.records, session.kept, session.asked, self.request.per_record)

    def certify(self) -> Certificate:
        """What will be promised to labelled and to unlabelled people."""
        inner = self.learner.certify(self.request.size) if self.active is None else self.active.certify()
        proof, *also = (
            self.request.for_people(self._after_merging(one)) for one in (inner.privacy, *inner.also)
        )
        size = self.request.size
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

    def _after_merging(self, proof: Proof[Privacy]) -> Proof[Privacy]:
        return rules.post_processing(proof, what=LEFT_OUT) if self._merges else proof

    @property
    def _merges(self) -> bool:
        """Whether parts of a rule that change nothing are left out, as where a word is learnt by itself."""
        return isinstance(concepts_for(self.concepts, self.request), MERGEABLE)

    def releases(self, hypothesis: Hypothesis) -> bool:
        """Whether this hypothesis could ever be what is learnt."""
        if self._merges:
            return cast(MergeableClass, concepts_for(self.concepts, self.request)).contains_merged(hypothesis)
        size = self.request.size if self.active is None else self.active.inner_size
        return self.learner.releases(hypothesis, size)

    def run(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        """The rule, drawn with these coins; `written` says how it is released."""
        return self.learner.learn(sample, coins)

    def written(self, hypothesis: Hypothesis) -> Hypothesis:
        """What is released of the rule that was drawn."""
        return cast(Hypothesis, cast(Any, hypothesis).merged()) if self._merges else hypothesis


SOMETHING = Fraction(1, 2)
"""The error that is spoken of where nothing is promised: a coin toss has it."""

ANYWAY = " --anyway (anyway=True in Python) learns without a promise."

MOST = 10**9
"""Labels beyond which no remedy is looked for."""
