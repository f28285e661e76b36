"""`PrivateClassifier`: the shell around `privpac.learn` for people who think in `fit` and `predict`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError, SchemaError
from privpac.estimators.shell import Array, Shell, named
from privpac.estimators.stored_certificate import StoredCertificate
from privpac.estimators.uncertified import warn_of_fitted_steps, warn_of_score
from privpac.numbers.parameters import positive
from privpac.request import LearnRequest

if TYPE_CHECKING:
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.model import Model

__all__ = ["PrivateClassifier"]

OWNER = "PrivateClassifier"

LARGEST_WEIGHT = 1_000
"""Of a class, where the smallest weighs 1."""


class PrivateClassifier(Shell, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A readable classifier with a certified privacy guarantee, as a scikit-learn estimator.

    Everything the guarantee rests on is declared: `schema` says what is public about the table, and without
    it `fit` refuses. `schema="from_data"` reads bounds, categories and classes from the records instead; it
    is convenient for trying out, and the certificate then lists it as an assumption.

    The certificate covers what `fit` releases: the rule, and the leaf counts and the estimate if asked for. It does not
    cover what others compute from the records: earlier pipeline steps that are fitted (a scaler), scores on
    private records (`score`, `cross_val_score`, the choice of `GridSearchCV`), or resampling that repeats
    records (bagging). Every fit is a release of its own; a `ledger` adds them up, across clones and worker
    processes.

    Where the schema declares how common the classes are, `fit` warns before it spends anything if the rule will most
    likely be no better than a constant; `privpac.learn` refuses by your own guess.

    Parameters
    ----------
    concepts : str, default="auto"
        What to learn: "auto", "trees:3", "lists:3", "stumps", "thresholds:COLUMN", ...; an unknown word lists them all.
    epsilon : number, default=1.0
        Privacy of the rule when one record is replaced; 0.1 means the decimal 0.1.
    delta : number, default=0.0
        A chance that epsilon does not hold: "blocks:COLUMN", "recconcave:COLUMN" and "card:ROUNDS" trade it for fewer
        records, and "stable:WORD" looks at that share of them. Where none of these is learnt, it must be 0.
    failure : number, default=0.05
        How likely what is proved of errors may fail; learners are tuned for it.
    schema : Schema, path, mapping or "from_data"
        The public description of the table (`privpac schema DATA` drafts one).
    protect : str, default="records"
        Whose change is hidden: "records" or "labels"; not every concept class has both. What hides its
        predictions is not a rule: see `PrivatePredictor`.
    costs : sequence of int, default=None
        Public price of misjudging a record of each class, in the order of the schema. All 1 when not given.
        "balanced" takes them from the shares of the classes that the schema declares (`base_rate`); with
        schema="from_data" a fiftieth of `epsilon` buys them.
    class_weight : mapping, default=None
        The same by the name scikit-learn's users know, such as `{0: 1, 1: 5}`; classes that are left out weigh 1.
        Weights become whole numbers: the smallest is 1, and none exceeds 1,000. "balanced" is refused, because it
        would read how common the classes are from the records: declare `base_rate` in the schema and say
        `costs="balanced"`.
    records_per_person : int, default=1
        At most this many records belong to one person; epsilon then protects the person.
    estimate_epsilon : number or "auto", default=None
        An extra share for the private counts that tell whether the rule is of use (`model_.verdict`). The default
        differs from that of `privpac.learn` and the command line, "auto", which takes up to a tenth of `epsilon` for
        them: here all of it is the rule's, so that what is fitted inside of a search or a pipeline spends nothing on
        counts that nobody reads, and the verdict is "unclear, not measured".
    holdout : number, default="auto"
        The part of the records kept aside for the estimate, which then costs nothing extra. "auto": a fifth of them,
        and at most 20,000, or none, whichever promises the narrower interval.
    leaf_epsilon : number, default=None
        An extra share for noisy counts in the leaves of a tree, which `predict_proba` needs.
    aim : str, default="label"
        What the rule is for: a class for every record ("label"), or records in order of their risk ("rank"). To rank,
        "auto" is a card, and any tree gets leaf counts from a share of `epsilon`.
    probabilities : bool, default=False
        Whether a fifth of `epsilon` goes to the counts in the leaves of a tree, so that there is `predict_proba`.
    ledger : Ledger, default=None
        Charged by every fit, before anything is computed.
    random_state : int, default=None
        None: randomness of the operating system, for release. An integer repeats the same draw and marks the
        certificate as not for release.
    method : str, default="auto"
        How records without labels are used: "plain" (not at all), "generic", "boost", "relabel", or
        the best of these. With a
        declared schema a label of -1 (if no class is called so), NaN or None marks such a record.

    Attributes
    ----------
    certificate_ : StoredCertificate
        What is promised and why: `explain()`, `epsilon`, `delta`, `assumptions`, `for_release`, `to_json()`.
    hypothesis_ : Hypothesis
        The released rule.
    classes_ : array
        The classes, sorted, in the type of `y` where it has such values and as text otherwise.
    model_ : Model
        Rule, schema and certificate as one; what `save` writes.
    schema_ : Schema
        The schema that was used.
    estimate_ : Confusion or None
        The private estimate of the accuracy.
    leaf_counts_ : LeafCounts or None
        Noisy counts of every class in every leaf of the tree.
    n_features_in_ : int
        The number of columns without the label.
    feature_names_in_ : array
        Their names; with schema="from_data" only when `X` has names.

    Examples
    --------
    >>> import numpy as np
    >>> from privpac import PrivateClassifier, Schema
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [age]})
    >>> ages = np.arange(1000).reshape(-1, 1) % 100
    >>> classifier = PrivateClassifier("thresholds:age", epsilon=1, schema=schema)
    >>> _ = classifier.fit(ages, ages.ravel() >= 50)
    >>> classifier.predict([[10], [90]])
    array([False,  True])
    >>> classifier.certificate_
    <Certificate: epsilon 1, delta 0, for release>
    >>> seeded = PrivateClassifier("thresholds:age", epsilon=1, schema=schema, random_state=1)
    >>> _ = seeded.fit(ages, ages.ravel() >= 50)
    >>> seeded.describe(), seeded.to_sql(), seeded.explain().splitlines()[0]
    ('1 if age >= 50, else 0', 'CASE WHEN "age" >= 50 THEN 1 ELSE 0 END', 'Rule')
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     seeded.save(os.path.join(folder, "model.json"))
    ...     seeded.save_picture(os.path.join(folder, "model.svg"))
    """

    def __init__(
        self,
        concepts: str = "auto",
        *,
        epsilon: object = 1.0,
        delta: object = 0.0,
        failure: object = 0.05,
        schema: Schema | str | os.PathLike[str] | Mapping[str, Any] | None = None,
        protect: str = "records",
        costs: Iterable[int] | None = None,
        class_weight: Mapping[Any, int] | None = None,
        records_per_person: int = 1,
        estimate_epsilon: object = None,
        holdout: object = "auto",
        leaf_epsilon: object = None,
        aim: str = "label",
        probabilities: bool = False,
        ledger: Ledger | None = None,
        random_state: int | None = None,
        method: str = "auto",
    ) -> None:
        self.concepts = concepts
        self.epsilon = epsilon
        self.delta = delta
        self.failure = failure
        self.schema = schema
        self.protect = protect
        self.costs = costs
        self.class_weight = class_weight
        self.records_per_person = records_per_person
        self.estimate_epsilon = estimate_epsilon
        self.holdout = holdout
        self.leaf_epsilon = leaf_epsilon
        self.aim = aim
        self.probabilities = probabilities
        self.ledger = ledger
        self.random_state = random_state
        self.method = method

    def _repr_html_inner(self) -> str:
        """What a notebook shows: scikit-learn's picture, and once it is fitted the rule and whether it is of use."""
        return f"{super()._repr_html_inner()}{self._fitted_html()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """The same, for notebooks that ask in this way."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        shown = bundle.get("text/html")
        return bundle if shown is None else {**bundle, "text/html": f"{shown}{self._fitted_html()}"}

    def _fitted_html(self) -> str:
        return self.model_._repr_html_() if hasattr(self, "model_") else ""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._takes_many
        tags.classifier_tags.poor_score = True  # from a hundred records at epsilon 1 privacy costs accuracy
        tags.input_tags.string = True
        return tags

    def fit(self, X: object, y: object = None, **refused: object) -> PrivateClassifier:
        """Learn from the records in `X`, labelled by `y` or, without it, by the schema's label column in `X`.

        With a declared schema a frame's columns are found by name, in any order, and others are ignored; an
        array's columns are in the order of the schema. Whole numbers in `y`, where no class is one, count the sorted
        classes from 0, as scikit-learn's meta-estimators do.

        What is wrong is found before the ledger is charged: `ParameterError`, `SchemaError`, `DataError` or
        `SizeError`, and `BudgetExceeded` where it has not enough left. Further arguments, such as weights of records,
        are `refused`.
        """
        _refuse(refused)
        warn_of_fitted_steps(self)
        table, labels, schema = self._read(X, y)
        model = self._learn(table, named(schema, labels), schema)
        self._remember(schema, labels.dtype)
        self.model_ = model
        self.hypothesis_ = model.hypothesis
        self.estimate_ = model.estimate
        self.leaf_counts_ = model.leaf_counts
        self.certificate_ = StoredCertificate(model.certificate)
        return self

    def score(self, X: object, y: object, sample_weight: object = None) -> float:
        """The share of the records in `X` with labels `y` that are predicted right, with a warning: no certificate
        covers it.

        `sample_weight` weighs them. Raises what `predict` raises.

            with warnings.catch_warnings(action="ignore"):
                classifier.score(public_records, public_labels)
        """
        warn_of_score()
        return float(super().score(X, y, sample_weight))

    def predict(self, X: object) -> Array:
        """The predicted class of every record in `X`, as one of `classes_`.

        Raises `SchemaError` if a column is missing, and `DataError` if a cell does not fit its column.
        """
        check_is_fitted(self)
        return self._of_class(self.model_.classify(self._table(X)))

    @property
    def predict_proba(self) -> Callable[[object], Array]:
        """`predict_proba(X)`: for every record the share of each class, in the order of `classes_`.

        It is there for cards, whose table tells the risk, and with `probabilities`, `aim="rank"` or `leaf_epsilon`:
        then shares are taken from the noisy counts of the record's leaf, drawn towards those of the nodes above it.
        `predict` stays the label drawn with the tree; the largest share may be another's.
        """
        if not self._tells_risks:
            raise AttributeError(
                f"{OWNER} has no predict_proba: the released rule answers with a class, and how many records of "
                "each class stand behind an answer is a further release. Ask for it before, with a share of epsilon: "
                f"{OWNER}(..., probabilities=True), or learn what ranks, {OWNER}(aim='rank'), or use predict."
            )
        return self._shares

    @property
    def _tells_risks(self) -> bool:
        """Whether risks are part of what was asked for."""
        from privpac.constructions.words import counts_leaves, tells_risks

        wishes = self.leaf_epsilon is not None or self.probabilities or self.aim == "rank"
        return wishes or tells_risks(self.concepts) or counts_leaves(self.concepts)

    def _shares(self, X: object) -> Array:
        check_is_fitted(self)
        shares: Array = self.model_.predict_proba(self._table(X))[:, self._sorted]
        return shares

    _shares.__name__ = "predict_proba"  # scikit-learn's scorers ask a method for its name

    @property
    def decision_function(self) -> Callable[[object], Array]:
        """`decision_function(X)`: the points of every record less those of the cut-off; it is there for cards.

        `predict` says the second of `classes_` where it is positive; ties with the cut-off count as half a point more.
        """
        if not self._counts_points:
            raise AttributeError(
                f"{OWNER} has no decision_function: only cards, {OWNER}('card'), count points."
            )
        return self._margins

    @property
    def _counts_points(self) -> bool:
        """Whether the rule is a card: by its word, or since `fit` chose one."""
        from privpac.concepts.cards.card import Card
        from privpac.constructions.words import tells_risks

        return tells_risks(self.concepts) or (
            "hypothesis_" in vars(self) and isinstance(self.hypothesis_, Card)
        )

    def _margins(self, X: object) -> Array:
        check_is_fitted(self)
        margins = self.model_.margins(self._table(X))
        return margins if self._sorted[0] == 0 else -margins

    _margins.__name__ = "decision_function"

    def describe(self) -> str:
        """The rule as a sentence or an indented tree."""
        check_is_fitted(self)
        return self.model_.describe()

    def explain(self) -> str:
        """The rule, the certificate and the estimate, in words."""
        check_is_fitted(self)
        return self.model_.explain()

    def to_sql(self) -> str:
        """The rule as an SQL expression for the position of the class in the schema."""
        check_is_fitted(self)
        return self.model_.to_sql()

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Draw the rule in a file at `path`, which ends in .svg or, with matplotlib, in .png; else `ParameterError`."""
        check_is_fitted(self)
        self.model_.save_picture(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file at `path` that `privpac.load` and the command line read; `OSError` if it cannot be
        written.
        """
        check_is_fitted(self)
        self.model_.save(path)

    @property
    def _takes_many(self) -> bool:
        from privpac.constructions.words import takes_many_classes

        return takes_many_classes(self.concepts)

    def _learn(self, table: object, labels: Array, schema: Schema) -> Model:
        from privpac.learning import learn  # here, so that the estimator is there before all that learns

        asked: dict[str, Any] = {
            one.name: getattr(self, one.name) for one in fields(LearnRequest) if hasattr(self, one.name)
        }
        try:
            return learn(
                table,
                y=labels,
                schema=schema,
                ledger=_ledger(self.ledger),
                random_state=self.random_state,
                unlabelled=self._lacks_labels(labels, schema),
                anyway=True,  # a search over parameters goes on where one of them is of no use: fit warns
                **{**asked, "costs": self._class_costs(schema)},
            )
        except SchemaError as problem:
            if self._takes_many or len(schema.classes) == 2:
                raise
            # The first words are those by which scikit-learn recognises a classifier for two classes.
            raise SchemaError(
                f"Only binary classification is supported here. {problem.problem}",
                column=problem.column,
                remedy=problem.remedy,
            ) from None

    def _class_costs(self, schema: Schema) -> object:
        """The costs, or those that `class_weight` means: one whole number per class, by the class as the schema writes
        it."""
        weights: object = self.class_weight
        if weights is None:
            return self.costs
        if isinstance(weights, str):
            raise ParameterError(
                OWNER,
                "class_weight",
                weights,
                allowed="whole numbers by class, such as {0: 1, 1: 5}: to balance the classes, their sizes would"
                " have to be read from the records",
                remedy='Declare "base_rate" in the schema and say costs="balanced", or write the numbers out.',
            )
        if self.costs is not None:
            raise ParameterError(OWNER, "class_weight", weights, allowed="left out where costs are given")
        if not isinstance(weights, Mapping):
            raise ParameterError(
                OWNER, "class_weight", weights, allowed="whole numbers by class, such as {0: 1, 1: 5}"
            )
        classes = schema.label_cells(np.array(list(weights))).tolist() if weights else []
        by_class = dict(zip(classes, weights.values(), strict=True))
        return _whole([by_class.get(position, 1) for position in range(len(schema.classes))])

    def _lacks_labels(self, labels: Array, schema: Schema) -> bool:
        """Some labels are missing: then records without labels are used as well. Who has none is public."""
        if self._reads_schema:
            return False
        try:
            schema.label_cells(labels)
        except DataError:
            try:
                return bool((schema.labels_if_any(labels) < 0).any())
            except DataError:
                pass  # the learner's own error says what is wrong
        return False


def _refuse(parameters: Mapping[str, object]) -> None:
    """Weights get their reason; anything else what Python says of an unknown argument."""
    for name, value in parameters.items():
        if name != "sample_weight":
            raise TypeError(f"{OWNER}.fit() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise ParameterError(
                f"{OWNER}.fit",
                name,
                type(value).__name__,
                allowed="left out, because a record with a weight of its own could sway the rule more than "
                "the certificate allows one record",
                remedy="Give whole classes a public price with costs, such as costs=(1, 5).",
            )


def _whole(weights: Sequence[object]) -> tuple[int, ...]:
    """Weights as whole numbers: in proportion to the smallest, which becomes 1, up to `LARGEST_WEIGHT`."""
    numbers = [positive(_plain(weight), owner=OWNER, name="class_weight") for weight in weights]
    least = min(numbers)
    return tuple(min(LARGEST_WEIGHT, round(number / least)) for number in numbers)


def _plain(number: object) -> Any:
    """Grids made with numpy hold its integers."""
    return int(number) if isinstance(number, np.integer) else number


def _ledger(value: object) -> Ledger | None:
    from privpac.guarantee.ledger.ledger import Ledger

    if value is None or isinstance(value, Ledger):
        return value
    raise ParameterError(OWNER, "ledger", type(value).__name__, allowed="a privpac.Ledger or None")
