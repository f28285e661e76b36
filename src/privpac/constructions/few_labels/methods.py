"""Learners of few labels by name: how one is chosen for the records one has, stored, and built again.

Settings are found by a search in floats, which may differ in the last digit from one machine to another; so a stored
request holds the settings themselves, and `verify` certifies those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from privpac.coins import Coins
from privpac.concepts.base import ConceptClass, Hypothesis, MergeableClass
from privpac.concepts.labellings.base import with_dichotomies
from privpac.constructions.base import Learner, SemiLearner
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.draw.occam import FAILURE, LEFT_OUT, Occam
from privpac.constructions.few_labels.active import Active
from privpac.constructions.few_labels.boost import LabelBoost, Round
from privpac.constructions.few_labels.boost_accuracy import base_for
from privpac.constructions.few_labels.formulas import BASE
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.few_labels.labels_only import LabelsOnly
from privpac.constructions.few_labels.relabel import SSLRelabel
from privpac.constructions.request import MERGEABLE, class_of_draw
from privpac.constructions.words import Request, learner_for, stored_concepts
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.fields import record, require, text, whole
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against, Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import decimal_text, plain, read_number

__all__ = ["METHODS", "NOT_THIS_WAY", "FewLabels", "concepts_for", "promised_error", "semi_learner"]

METHODS = ("auto", "plain", "generic", "boost", "relabel")
OWNER = "few labels"

NOT_THIS_WAY = (ParameterError, SizeError, RuleRefused)
"""A method is not for this class, has too few records, or proves nothing about them: another method may do."""

BLOCKS = "blocks:"
"""The word of cuts that spend a delta from labelled records alone; methods of few labels build them themselves."""

ACTIVE = ("records", "kept", "asked")
"""Numbers of records of a session of questions."""

_DRAW_FIELDS = ("draw_epsilon", "base_epsilon", "kept_unlabelled", "taken")
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "generic": (),
    "boost": (*_DRAW_FIELDS, "kept_labelled"),
    "relabel": (*_DRAW_FIELDS, "change", "mistake"),
}
"""What each method is stored with, besides its name, epsilon and failure."""


def _require_settings(settings: Mapping[str, Any]) -> None:
    """Settings of a method, and no others."""
    method = text(settings["method"])
    require(method in SETTINGS, "there is no such method")
    active = ("active",) if "active" in settings else ()
    record(settings, "method", "epsilon", "failure", *SETTINGS[method], *active, *_spent(method, settings))


def _spent(method: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What a delta adds; models that were learnt without one do not name it."""
    if "delta" not in settings or method == "plain":
        return ()
    return ("delta",) if method == "generic" else ("delta", "base_delta")


def concepts_for(concepts: str | ConceptClass, request: Request) -> ConceptClass:
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


def semi_learner(concepts: ConceptClass, settings: Mapping[str, Any]) -> SemiLearner:
    """The learner that stored settings name."""
    epsilon, failure = read_number(settings["epsilon"]), read_number(settings["failure"])
    _require_settings(settings)
    if settings["method"] == "plain":
        return LabelsOnly(Occam(concepts, epsilon, failure=failure))
    delta = read_number(settings["delta"]) if "delta" in settings else Fraction(0)
    if settings["method"] == "generic":
        return GenericLearner(concepts, epsilon, failure=failure, delta=delta)  # type: ignore[arg-type]
    cut = with_dichotomies(concepts, owner=OWNER)
    draw = read_number(settings["draw_epsilon"])
    if settings["method"] == "boost":
        sizes = (whole(settings[name], least=0) for name in ("kept_labelled", "taken", "kept_unlabelled"))
        base = _stored_base(cut, settings, failure=failure * BASE)
        return LabelBoost(cut, base, (Round(draw, *sizes),), epsilon, delta, failure=failure)
    return SSLRelabel(
        cut,
        _stored_base(cut, settings, failure=failure / 4),
        whole(settings["kept_unlabelled"], least=0),
        whole(settings["taken"], least=0),
        draw,
        whole(settings["change"], least=0),
        epsilon,
        delta,
        mistake=whole(settings["mistake"], least=0),
        failure=failure,
    )


def _stored_base(cut: ConceptClass, settings: Mapping[str, Any], *, failure: Fraction) -> Learner:
    base_delta = read_number(settings["base_delta"]) if "base_delta" in settings else Fraction(0)
    return base_for(cut, epsilon=read_number(settings["base_epsilon"]), delta=base_delta, failure=failure)


@dataclass(frozen=True)
class _Goal:
    """What is asked of a method: the budget of everybody, and how often its promise may fail."""

    epsilon: Fraction
    failure: Fraction
    delta: Fraction = Fraction(0)

    def settings(self, method: str, **numbers: object) -> dict[str, Any]:
        """Settings of a method as they are stored: a delta only where there is one."""
        slip = {"delta": plain(self.delta)} if self.delta else {}
        spent = {name: value for name, value in numbers.items() if self.delta or name != "base_delta"}
        return {
            "method": method,
            "epsilon": plain(self.epsilon),
            "failure": plain(self.failure),
            **slip,
            **spent,
        }


def _generic(concepts: ConceptClass, size: Size, goal: _Goal) -> dict[str, Any]:
    settings = goal.settings("generic")
    semi_learner(concepts, settings).certify(size)  # refuses classes and sizes it cannot do
    return settings


def _boost(concepts: ConceptClass, size: Size, goal: _Goal) -> dict[str, Any]:
    learner = LabelBoost.calibrate(
        concepts, size, epsilon=goal.epsilon, delta=goal.delta, failure=goal.failure
    )
    learner.require(size)
    (step,) = learner.rounds
    return goal.settings(
        "boost",
        draw_epsilon=plain(step.epsilon),
        **_base_settings(learner.base),
        kept_labelled=step.kept_labelled,
        kept_unlabelled=step.kept_unlabelled,
        taken=step.taken,
    )


def _base_settings(base: object) -> dict[str, Any]:
    assert isinstance(base, Occam | BlockCuts)
    base_delta = base.delta if isinstance(base, BlockCuts) else Fraction(0)
    return {"base_epsilon": plain(base.epsilon), "base_delta": plain(base_delta)}


def _relabel(concepts: ConceptClass, size: Size, goal: _Goal) -> dict[str, Any]:
    learner = SSLRelabel.calibrate(
        concepts, size, epsilon=goal.epsilon, delta=goal.delta, failure=goal.failure
    )
    learner.require(size)
    return goal.settings(
        "relabel",
        draw_epsilon=plain(learner.draw_epsilon),
        **_base_settings(learner.base),
        kept_unlabelled=learner.kept,
        taken=learner.taken,
        change=learner.change,
        mistake=learner.mistake,
    )


def promised_error(learner: SemiLearner, size: Size) -> Fraction:
    """The error a learner promises where some concept makes none; 1 if nothing."""
    proofs = learner.certify(size).accuracy
    errors = (proof.fact.error for proof in proofs if proof.fact.against is Against.REALIZABLE)
    return min(errors, default=Fraction(1))


_FINDERS = {"generic": _generic, "boost": _boost, "relabel": _relabel}


def choose(
    concepts: ConceptClass,
    size: Size,
    *,
    method: str,
    epsilon: Fraction,
    failure: Fraction,
    delta: Fraction = Fraction(0),
) -> dict[str, Any]:
    """Settings of a method, or of the one that promises most; a delta that does not pay is refused."""
    if method not in METHODS:
        raise ParameterError(OWNER, "method", method, allowed="one of " + ", ".join(METHODS))
    goal = _Goal(epsilon, failure, delta)
    if delta:
        return _with_delta(concepts, size, method, goal)
    if method in _FINDERS:
        return _FINDERS[method](concepts, size, goal)
    plainly = goal.settings("plain")
    if method == "plain":
        return plainly
    least, best = _error_of(concepts, size, plainly), plainly
    for find in _FINDERS if size.unlabelled else ():
        settings = _possible(concepts, size, find, goal)
        if settings is not None and (error := _error_of(concepts, size, settings)) < least:
            least, best = error, settings
    return best


def _error_of(concepts: ConceptClass, size: Size, settings: Mapping[str, Any]) -> Fraction:
    return promised_error(semi_learner(concepts, settings), size)


def _possible(concepts: ConceptClass, size: Size, method: str, goal: _Goal) -> dict[str, Any] | None:
    """Settings of a method, if it is one for this class and these records."""
    try:
        settings = _FINDERS[method](concepts, size, goal)
        semi_learner(concepts, settings).certify(size)
    except NOT_THIS_WAY:
        return None
    return settings


def _with_delta(concepts: ConceptClass, size: Size, method: str, goal: _Goal) -> dict[str, Any]:
    """Settings that spend a delta and promise more than the same method without: all by public numbers."""
    if method == "plain":
        raise _no_delta(
            goal.delta,
            requirement="0 for method plain, whose draw spends none",
            remedy="Leave delta out, or the unlabelled records: blocks:COLUMN spends a delta.",
        )
    if method in _FINDERS:
        settings = _FINDERS[method](concepts, size, goal)
        if not _pays(concepts, size, settings, goal):
            raise _no_delta(
                goal.delta,
                requirement=f"0 here: without it method {method} promises no less, by public numbers",
                remedy="Leave delta out.",
            )
        return settings
    possible = (_possible(concepts, size, name, goal) for name in _FINDERS if size.unlabelled)
    paying = [one for one in possible if one is not None and _pays(concepts, size, one, goal)]
    without = choose(concepts, size, method="auto", epsilon=goal.epsilon, failure=goal.failure)
    best = min(paying, key=lambda one: _error_of(concepts, size, one), default=None)
    if best is None or _error_of(concepts, size, best) >= _error_of(concepts, size, without):
        raise _no_delta(
            goal.delta,
            requirement=f"0 here: without it method {without['method']} promises no less, by public numbers",
            remedy="Leave delta out.",
        )
    return best


def _pays(concepts: ConceptClass, size: Size, settings: Mapping[str, Any], goal: _Goal) -> bool:
    """Whether a delta is spent, and more is promised with it than without."""
    learner = semi_learner(concepts, settings)
    if learner.certify(size).privacy.fact.delta == 0:
        return False
    without = _possible(concepts, size, settings["method"], replace(goal, delta=Fraction(0)))
    return without is None or promised_error(learner, size) < _error_of(concepts, size, without)


def _no_delta(delta: Fraction, *, requirement: str, remedy: str) -> ParameterError:
    return ParameterError(OWNER, "delta", plain(delta), allowed=requirement, remedy=remedy)


def _way(
    concepts: ConceptClass, size: Size, method: str, goal: _Goal, error: Fraction
) -> dict[str, Any] | None:
    """Settings of a method that promise an error: with the delta of the goal, or without where that promises no
    less; None if there are none."""
    for delta in dict.fromkeys((goal.delta, Fraction(0))):
        try:
            settings = choose(
                concepts, size, method=method, epsilon=goal.epsilon, failure=goal.failure, delta=delta
            )
            return settings if _error_of(concepts, size, settings) <= error else None
        except NOT_THIS_WAY:
            continue
    return None


def _without_delta(settings: Mapping[str, Any], goal: _Goal) -> str:
    return " without a delta" if goal.delta and "delta" not in settings else ""


def _other_method(concepts: ConceptClass, size: Size, method: str, goal: _Goal, error: Fraction) -> str:
    """Which other method promises the error from the same records; empty if none does."""
    other = _way(concepts, size, "auto", goal, error)
    if other is None:
        return ""
    sentence = f"Method {other['method']}{_without_delta(other, goal)}"
    return f"{sentence} promises it with the records you have. For method {method}: "


def _enough_labels(concepts: ConceptClass, size: Size, method: str, goal: _Goal, error: Fraction) -> str:
    """How many labels would do for the very method that was asked for, beside the same unlabelled records."""

    def way(labelled: int) -> dict[str, Any] | None:
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

    concepts: str | ConceptClass
    request: Request
    settings: Mapping[str, Any]
    """As `choose` finds them; with `active`, also how many were asked and kept."""

    @classmethod
    def chosen(
        cls,
        concepts: str | ConceptClass,
        request: Request,
        *,
        method: str = "auto",
        error: Fraction | None = None,
        failure: Fraction = FAILURE,
    ) -> FewLabels:
        """For the records one has; refused, before anything is spent, if less than `error` is promised."""
        members = concepts_for(concepts, replace(request, delta=Fraction(0)))
        settings = choose(
            members,
            request.size,
            method=method,
            epsilon=request.per_record,
            failure=failure,
            delta=request.delta_per_record,
        )
        recipe = cls(concepts, request, settings)
        if error is not None and promised_error(recipe.learner, request.size) > error:
            recipe.refuse(error, method)
        return recipe

    def refuse(self, error: Fraction, method: str) -> None:
        """Too few records: what they promise at best by the method that was asked for, and what would do."""
        size, promise = self.request.size, promised_error(self.learner, self.request.size)
        members = concepts_for(self.concepts, replace(self.request, delta=Fraction(0)))
        goal = _Goal(
            self.request.per_record, read_number(self.settings["failure"]), self.request.delta_per_record
        )
        have = f"{size.labelled} labelled and {size.unlabelled} unlabelled records"
        best = f"promise an error of {decimal_text(promise)} at best" if promise < 1 else "promise nothing"
        by = "" if method == "auto" else f" by method {method}"
        remedy = _other_method(members, size, method, goal, error) + _enough_labels(
            members, size, method, goal, error
        )
        raise SizeError(
            f"few labels: {have} {best}{by}, not {decimal_text(error)}.",
            remedy=remedy[:1].upper() + remedy[1:],
        )

    @cached_property
    def learner(self) -> SemiLearner:
        """The learner that the settings describe."""
        return semi_learner(concepts_for(self.concepts, self.request), self.settings)

    @property
    def active(self) -> Active | None:
        """The questions, if labels were asked for."""
        tree = self.settings.get("active")
        if tree is None:
            return None
        record(tree, *ACTIVE)
        records, kept, labelled = (whole(tree[name], least=0) for name in ACTIVE)
        return Active(self.learner, records, kept, labelled, self.request.per_record)

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
            "few_labels": dict(self.settings),
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


MOST = 10**9
"""Labels beyond which no remedy is looked for."""
