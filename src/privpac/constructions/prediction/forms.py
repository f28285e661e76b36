"""What may answer: an object, or the word for one on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, Protocol, cast, runtime_checkable

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Costs, Gibbs
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.predictor import Predictor, Prepared
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Law, Vote, default_models
from privpac.constructions.prediction.voters import Classifiers, Concepts
from privpac.constructions.request import Planned
from privpac.constructions.words import WORDS, Request, learner_for, tells_risks
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.guarantee.certificate import Certificate
from privpac.numbers.parameters import is_count
from privpac.request import LearnRequest

__all__ = ["CLASSIFIERS", "FORMS", "PLANNED", "predictor_for"]

OWNER = "PrivatePredictor"


Settings = Callable[[str, int], dict[str, Any]]
"""From what a word ends in, and the number of classes, to parameters of a classifier."""


def _classifier(path: str, settings: Settings = lambda rest, classes: {}) -> Callable[[str, int], Any]:
    """What makes a classifier of scikit-learn, which is loaded when one is made."""
    module, _, name = path.rpartition(".")
    return lambda rest, classes: getattr(import_module(f"sklearn.{module}"), name)(**settings(rest, classes))


def _counting(name: str, form: str, default: int) -> Settings:
    return lambda rest, classes: {name: _number(rest, form, default)}


def _solver(rest: str, classes: int) -> dict[str, Any]:
    """The faster of the two on small blocks knows two classes only."""
    return {"solver": "liblinear" if classes == 2 else "lbfgs"}


CLASSIFIERS: Mapping[str, Callable[[str, int], Any]] = {
    "logistic": _classifier("linear_model.LogisticRegression", _solver),
    "tree": _classifier("tree.DecisionTreeClassifier", _counting("max_depth", "vote:tree:DEPTH", 3)),
    "forest": _classifier(
        "ensemble.RandomForestClassifier", _counting("n_estimators", "vote:forest:TREES", 50)
    ),
    "boosting": _classifier("ensemble.HistGradientBoostingClassifier"),
    "neighbours": _classifier(
        "neighbors.KNeighborsClassifier", _counting("n_neighbors", "vote:neighbours:K", 5)
    ),
    "bayes": _classifier("naive_bayes.GaussianNB"),
}
"""Classifiers a vote can be made of, by name."""

FORMS = (
    "auto",
    "vote:logistic",
    "vote:tree:DEPTH",
    "vote:forest:TREES",
    "vote:boosting",
    "vote:neighbours:K",
    "vote:bayes",
    "weighted:CLASSIFIER",
    "CLASS",
    "predict-by-vote:CLASS",
    "predict-by-relabelling:CLASS",
    "predict-by-net:CLASS",
)
"""How a predictor is named; CLASS is a class such as thresholds:age: by itself, a fresh draw for every answer.
`weighted` votes by exponential weights, which is better where rho is added, `vote` by the majority."""

PLANNED: tuple[Planned, ...] = (
    Planned("{word}", "a stable draw, answers flipped now and then; epsilon per answer"),
    Planned(
        "predict-by-vote:{word}",
        "a noisy vote of consistent models on disjoint parts; epsilon per answer",
        aims=True,  # as many models as the error needs
    ),
    Planned(
        "predict-by-relabelling:{word}",
        "a vote of models on records that the others relabel; epsilon per answer",
    ),
    Planned(
        "predict-by-net:{word}",
        "a vote of models on all records, relabelled by a fresh draw; epsilon per answer",
    ),
)
"""What answers for a class of which labellings are listed, in a plan."""

PLANNERS: Mapping[str, Callable[..., Predictor]] = {
    "predict-by-relabelling": RelabelledVote.planned,
    "predict-by-net": NetRelabelled.planned,
}


def _number(text: str, form: str, default: int) -> int:
    if text and not is_count(text):
        raise ParameterError(OWNER, "base", text, allowed=f"of the form {form}")
    return int(text or default)


@runtime_checkable
class _Answers(Protocol):
    """What tells a predictor from other objects."""

    def prepare(self, sample: Sample, coins: Coins) -> Prepared: ...

    def certify(self, size: Size) -> Certificate: ...


@runtime_checkable
class _LikeConcepts(Protocol):
    """What tells a class of concepts from other objects."""

    def gibbs(self, evidence: object, *, ratio: Fraction, costs: Costs) -> Gibbs: ...


def predictor_for(
    base: object,
    *,
    schema: Schema,
    epsilon: Fraction,
    models: int | None,
    records: int,
    law: Law = Law.MAJORITY,
) -> Predictor:
    """The predictor a person means by `base`, at `epsilon` an answer for one record.

    `law` is how classifiers vote unless a word says so.
    """
    if isinstance(base, str):
        return _from_word(base, schema=schema, epsilon=epsilon, models=models, records=records, law=law)
    if isinstance(base, _Answers):
        return _for_schema(cast(Predictor, base), schema, epsilon)
    if isinstance(base, _LikeConcepts):
        return FreshDraws.planned(cast(AnyClass, base), epsilon, records=records)
    voters = Classifiers(schema, base)
    voters.rehearse()
    return Vote(voters, epsilon, models or default_models(records, epsilon, law), law=law)


def _for_schema(predictor: Predictor, schema: Schema, epsilon: Fraction) -> Predictor:
    if predictor.schema != schema:
        raise SchemaError("The predictor was made for another schema.", remedy="Give both the same schema.")
    return predictor


LAWS: Mapping[str, Law] = {"vote": Law.MAJORITY, "weighted": Law.EXPONENTIAL}
"""The words that say how classifiers vote."""


def _from_word(
    word: str, *, schema: Schema, epsilon: Fraction, models: int | None, records: int, law: Law
) -> Predictor:
    head, _, rest = word.partition(":")
    if word == "auto":
        head, rest = next(name for name, entry in LAWS.items() if entry is law), "logistic"
    law = LAWS.get(head, law)
    count = models or default_models(records, epsilon, law)
    name, _, option = rest.partition(":")
    if head in LAWS and name in CLASSIFIERS:
        voters = Classifiers(schema, CLASSIFIERS[name](option, len(schema.classes)))
        return Vote(voters, epsilon, count, law=law)
    _refuse_old(head, rest)
    if head == "predict-by-vote" and rest:
        return Vote(Concepts(_class(rest, schema, epsilon, records)), epsilon, count, law=law)
    if head in PLANNERS and rest:
        return PLANNERS[head](_class(rest, schema, epsilon, records), epsilon, records=records)
    if head in WORDS:
        return FreshDraws.planned(_class(word, schema, epsilon, records), epsilon, records=records)
    raise ParameterError(OWNER, "base", word, allowed="one of " + ", ".join(FORMS))


OLD: Mapping[str, str] = {
    "consistent": "predict-by-vote",
    "relabelled": "predict-by-relabelling",
    "reference": "predict-by-net",
}
"""Words for answers that meant something else where a rule is released."""


def _refuse_old(head: str, rest: str) -> None:
    """Answer an old word by the new one; `reference:COLUMN` by itself is a class of rules."""
    if head in OLD and rest.partition(":")[0] in WORDS:
        new = f"{OLD[head]}:{rest}"
        allowed = "one of " + ", ".join(FORMS)
        raise ParameterError(OWNER, "base", f"{head}:{rest}", allowed=allowed, remedy=f"Write {new}.")


def _class(word: str, schema: Schema, epsilon: Fraction, records: int) -> AnyClass:
    """The class that a word names; refused where rules are not drawn from one class but made round by round."""
    if tells_risks(word):
        raise ParameterError(
            OWNER,
            "base",
            word,
            allowed="one of " + ", ".join(FORMS),
            remedy="A card is released as a whole: privpac.learn(..., concepts='card').",
        )
    return learner_for(word, Request(schema, Size(records), LearnRequest(epsilon=epsilon))).concepts
