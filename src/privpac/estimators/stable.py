"""`StableClassifier`: robustness to one bad record, for people who do not need privacy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from privpac.coins import coins_for
from privpac.concepts.base import AnyClass
from privpac.concepts.labellings.base import with_dichotomies
from privpac.constructions.stable.stable import Stable, stable_split
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SchemaError, SizeError
from privpac.estimators.shell import Array, Shell, named
from privpac.numbers.parameters import chance
from privpac.request import LearnRequest

__all__ = ["StableClassifier"]


class StableClassifier(Shell, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A readable classifier of which no single record moves any prediction by much.

    Replace one record by whatever you like, knowing all others: the probability that the fitted rule says yes to a
    given question, or is any given rule, changes by at most `stability`. So one poisoned record can spoil a prediction
    with probability at most `stability` more than without it, and m of them with at most m times that. A learner
    without coins offers nothing of the kind: somewhere a single record decides.

    This is **not privacy**: a few records, drawn by coins, decide which rules are distinguished, and their values may
    show in the rule. Use `PrivateClassifier` to protect people.

    Parameters
    ----------
    concepts : str or concept class, default="stumps"
        "stumps", "thresholds:COLUMN", "intervals:COLUMN", "unions:COLUMN:K", "points:COLUMN",
        or a class whose labellings can be drawn from.
    stability : number, default=0.1
        The most that one record may move any probability; strictly between 1/n and 1.
    schema : Schema, path, mapping or "from_data"
        The description of the table. Read from the data, it may move with a record, and the promise then assumes that
        it does not.
    random_state : int, default=None
        None: randomness of the operating system. An integer repeats the same draw; who knows it can aim a bad record.

    Attributes
    ----------
    stability_ : Proof
        What is promised and why: `fact.gamma`, `explain()`, `to_json()`.
    hypothesis_ : Hypothesis
        The rule.
    learner_ : Stable
        How many records were kept to list rules, and the epsilon of the draw among them.
    classes_ : array
        The two classes, sorted.
    schema_ : Schema
        The schema that was used.
    n_features_in_, feature_names_in_
        How many columns there are without the label, and their names, as of `PrivateClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from privpac import Schema, StableClassifier
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [age]})
    >>> ages = np.arange(10_000).reshape(-1, 1) % 100
    >>> classifier = StableClassifier("thresholds:age", stability=0.1, schema=schema)
    >>> _ = classifier.fit(ages, ages.ravel() >= 50)
    >>> classifier.predict([[10], [90]])
    array([False,  True])
    >>> print(classifier.stability_.fact)
    0.1-stable, one record replaced
    >>> classifier.describe().startswith("1 if age"), "0.1-stable" in classifier.explain()
    (True, True)
    """

    def __init__(
        self,
        concepts: str | AnyClass = "stumps",
        *,
        stability: object = 0.1,
        schema: Schema | str | os.PathLike[str] | Mapping[str, Any] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.concepts = concepts
        self.stability = stability
        self.schema = schema
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = (
            True  # coins decide among rules that a hundred records hardly tell apart
        )
        tags.input_tags.string = True
        return tags

    def fit(self, X: object, y: object = None) -> StableClassifier:
        """Learn from the records in `X`, labelled by `y` or, without it, by the schema's label column in `X`.

        Raises `ParameterError`, `SchemaError`, `DataError` or `SizeError` if the request, the schema or the table does
        not fit.
        """
        table, labels, schema = self._read(X, y)
        if len(schema.classes) != 2:
            raise SchemaError(
                f"Only binary classification is supported here. There are {len(schema.classes)} classes.",
                column=schema.label,
                remedy="Join classes until two are left.",
            )
        sample = MemorySample.of(table, schema, y=named(schema, labels))
        learner = self._learner(schema, sample.size)
        coins = coins_for(self.random_state, owner="StableClassifier")
        self.hypothesis_ = learner.learn(sample, coins)
        self._remember(schema, labels.dtype)
        self.learner_ = learner
        self.stability_ = learner.stability(sample.size)
        return self

    def _learner(self, schema: Schema, size: Size) -> Stable:
        gamma = chance(self.stability, owner="StableClassifier", name="stability")
        if gamma * size.labelled <= 1:
            raise SizeError(
                f"{size.labelled} records are too few for this stability: each of them is more than that share.",
                remedy="Give more records, or a stability above one over their number.",
            )
        concepts = self._concepts(schema, size)
        kept, epsilon = stable_split(size.labelled, stability=gamma, vc=max(1, concepts.vc or 1))
        return Stable(concepts, kept, epsilon)

    def _concepts(self, schema: Schema, size: Size) -> AnyClass:
        if not isinstance(self.concepts, str):
            return with_dichotomies(self.concepts, owner="StableClassifier")
        request = Request(
            schema, size, LearnRequest(epsilon=chance(0.5, owner="StableClassifier", name="epsilon"))
        )
        return with_dichotomies(learner_for(self.concepts, request).concepts, owner="StableClassifier")

    def predict(self, X: object) -> Array:
        """The predicted class of every record in `X`, as one of `classes_`.

        Raises `SchemaError` if a column is missing, and `DataError` if a cell does not fit its column.
        """
        check_is_fitted(self)
        cells = MemorySample.of(self._table(X), self.schema_, labelled=False).block().cells
        return self._of_class(self.hypothesis_.predict(cells))

    def describe(self) -> str:
        """The rule as a sentence."""
        check_is_fitted(self)
        return self.hypothesis_.describe(self.schema_)

    def explain(self) -> str:
        """The rule, and why no record moves it by much."""
        check_is_fitted(self)
        kept, epsilon = self.learner_.kept, float(self.learner_.epsilon)
        return "\n".join(
            [
                self.describe(),
                "",
                "Stability",
                self.stability_.explain(),
                f"{kept} random records told rules apart; all drew one of them at epsilon {epsilon:.4g}.",
            ]
        )
