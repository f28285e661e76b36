"""A released model and its file: `Model`, `load`. Learning one is in `learning`, doubting one in `verification`.

A model is one JSON document (`privpac-model/2`): hypothesis, schema, certificate, version, and a digest over its
canonical form. The digest shows accidental edits; it does not authenticate (docs/understand/limits.md).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac import __version__
from privpac.checker import document
from privpac.checker.document import digest, same, unsigned
from privpac.concepts.base import Hypothesis
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.confusion import Confusion
from privpac.constructions.estimates.figures import Figures, figures_of
from privpac.constructions.estimates.folding import fold
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.constructions.estimates.ranks import RankFigures
from privpac.constructions.estimates.verdict import Verdict, ranks_of, verdict_of
from privpac.data.schema import Schema
from privpac.data.tables import by_column, read
from privpac.drafts import whole_file
from privpac.errors import NotCertified, PrivpacError
from privpac.fields import refusing
from privpac.guarantee.certificate import SEED_WARNING, explain_certificate
from privpac.pictures.drawing import Drawing
from privpac.pictures.ranks import ranks_picture as draw_ranks
from privpac.pictures.tree import picture

__all__ = ["FORMAT", "Model", "digest", "load", "model_from"]

FORMAT = document.MODEL


@dataclass(frozen=True, repr=False)
class Model:
    """A released classifier with its public description and its certificate: everything in it may be published.

    `learn` makes one, `save` writes it, `load` reads it back, and `verify` derives every number of its file again.

    >>> import tempfile
    >>> from privpac import learn, load, verify
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> table = {"age": [i % 120 for i in range(2400)], "ill": [int(i % 120 >= 60) for i in range(2400)]}
    >>> schema = {"label": "ill", "columns": [age]}
    >>> model = learn(table, schema=schema, concepts="thresholds:age", epsilon=1, random_state=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.json")
    ...     model.save(path)
    ...     model.report(os.path.join(folder, "model.html"))
    ...     model.save_picture(os.path.join(folder, "model.svg"))
    ...     model.save_onnx(os.path.join(folder, "model.onnx"))
    ...     print(load(path).describe(), "| epsilon", verify(path).epsilon)
    1 if age >= 60, else 0 | epsilon 1

    What it says of records, which may come one by one:

    >>> model.predict([{"age": 71}, {"age": 3}]), model.classify({"age": [71]})
    (array([1, 0]), array([1], dtype=uint8))
    >>> model.to_sql()
    'CASE WHEN "age" >= 60 THEN 1 ELSE 0 END'
    >>> "SELECT" in model.sql(), len(model.to_onnx()) > 100
    (True, True)
    >>> model.picture()[:4], model.to_json()["format"], model.explain().splitlines()[0]
    ('<svg', 'privpac-model/2', 'Rule')

    A share of epsilon paid for private counts; what else it may hold, if that was asked for, is empty here:

    >>> model.describe_estimate().splitlines()[0].partition(",")[0]
    'accuracy about 1.000'
    >>> [model.describe_leaves(), model.describe_ranks(), model.ranks_picture()]
    ['', '', '']
    """

    hypothesis: Hypothesis
    """The rule."""
    schema: Schema
    certificate: Mapping[str, Any]
    """The stored form (`privpac-certificate/2`); `explain` prints it, `verify` re-derives it."""
    estimate: Confusion | None = None
    """The private estimate of the accuracy, if one was bought."""
    version: str = __version__
    """Of privpac, when it was made."""
    leaf_counts: LeafCounts | None = None
    """Noisy counts in the leaves of a tree, if a share of epsilon was given to them."""

    def __post_init__(self) -> None:
        leaves = self._leaves()
        if leaves is not None and not leaves[1].fits(leaves[0], len(self.schema.classes)):
            raise NotCertified("The model's leaf counts do not belong to its tree.")

    def _leaves(self) -> tuple[Tree, LeafCounts] | None:
        """The tree and its leaf counts, if it has any."""
        if self.leaf_counts is None:
            return None
        if not isinstance(self.hypothesis, Tree):
            raise NotCertified("The model has leaf counts, but its hypothesis is no tree.")
        return self.hypothesis, self.leaf_counts

    def predict(self, table: object) -> NDArray[Any]:
        """The predicted class of every record, as the schema writes it: a number, a boolean or text.

        `table` is a table of any library, a file, a dictionary of columns, a list of dictionaries with one record each,
        or one such record. Only the columns that the rule looks at are read: others may be missing, or hold anything.
        An array without names of columns has all of them, in the order of the schema.

        Raises `SchemaError` if one of these columns is missing, and `DataError` if a cell does not fit its column.
        """
        return self.schema.class_values[self.classify(table)]

    def classify(self, table: object) -> NDArray[np.uint8]:
        """The predicted class of every record, as its position among the schema's classes.

        `table` and errors are those of `predict`.
        """
        return self.hypothesis.predict(self._cells(table))

    def _cells(self, table: object) -> dict[str, NDArray[Any]]:
        """The cells of the columns that the rule looks at."""
        first, names = self.schema.names[0], self.hypothesis.columns
        records = read(by_column(table, self.schema.names), columns=self.schema.names, only=names or (first,))
        if not names:  # the same for everybody, and a column says for how many
            return {first: np.zeros(records.n, dtype=self.schema.column(first).dtype)}
        return {name: self.schema.column(name).encode(records.column(name)) for name in names}

    def predict_proba(self, table: object) -> NDArray[np.float64]:
        """For every record the risk of each class: what a card says of its points, or the share of each class in its
        leaf of a tree (noisy counts, drawn towards those of the nodes above the leaf).

        Rows add up to 1; columns are the schema's classes. The released label wins: `predict` is the label drawn with
        the tree, and the largest share of a leaf, which has noise of its own, need not be that label's.

        `table` and errors are those of `predict`; `PrivpacError` if the model is neither a card nor a tree with counts.

        >>> from privpac import learn
        >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
        >>> table = {"age": [i % 120 for i in range(2400)], "ill": [int(i % 120 >= 60) for i in range(2400)]}
        >>> schema = {"label": "ill", "columns": [age]}
        >>> tree = learn(table, schema=schema, concepts="trees:1", epsilon=2, probabilities=True, random_state=1)
        >>> tree.predict_proba({"age": 71}).round(2)
        array([[0., 1.]])
        """
        cells = self._cells(table)
        leaves = self._leaves()
        risks = self.hypothesis.proba(cells) if leaves is None else leaves[1].proba(leaves[0], cells)
        if risks is None:
            raise PrivpacError(
                "This model has no leaf counts, so it cannot tell probabilities.",
                remedy="Learn a card, concepts='card', or a tree with a share of epsilon for counts,"
                " probabilities=True.",
            )
        return risks

    def margins(self, table: object) -> NDArray[np.float64]:
        """For every record how many points it lies above the cut-off of a card; positive where class 1 is predicted.

        `table` and errors are those of `predict`; `PrivpacError` if the model is no card.

        >>> from privpac import learn
        >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
        >>> table = {"age": [i % 120 for i in range(2400)], "ill": [int(i % 120 >= 60) for i in range(2400)]}
        >>> schema = {"label": "ill", "columns": [age]}
        >>> card = learn(table, schema=schema, concepts="card", epsilon=2, random_state=1)
        >>> card.margins({"age": [71, 3]}) > 0
        array([ True, False])
        """
        margins = self.hypothesis.margins(self._cells(table))
        if margins is None:
            raise PrivpacError(
                "This model counts no points, so no record lies above or below a cut-off.",
                remedy="Learn a card: concepts='card'.",
            )
        return margins

    def __repr__(self) -> str:
        kind, tree = self.hypothesis.to_json()["kind"], self.certificate
        return f"<Model: {kind} for {self.schema.label_called}, epsilon {tree['epsilon']}, delta {tree['delta']}>"

    def __str__(self) -> str:
        """The rule, or as much of it as a page holds, whether it is of use, and what it costs: what `print` shows."""
        from privpac.report.summary import rule_text

        tree = self.certificate
        cost = f"(epsilon {tree['epsilon']}, delta {tree['delta']}; explain() says why)"
        return f"{rule_text(self)}\n{self.verdict}\n{cost}"

    def _repr_html_(self) -> str:
        """The same for a notebook, which has no other way to show several lines."""
        return f"<pre>{escape(str(self))}</pre>"

    def describe(self) -> str:
        """The rule in words, in the columns' own units."""
        return self.hypothesis.describe(self.schema)

    def describe_leaves(self, *, whole: bool = False) -> str:
        """The tree with the noisy counts of every leaf; empty without them.

        Branches that hardly any record reaches are folded into one line, and so is what a page does not hold; with
        `whole` nothing is folded, and what chance decided is marked.
        """
        leaves = self._leaves()
        return "" if leaves is None else fold(*leaves, self.schema, whole=whole).describe(self.schema)

    def to_sql(self) -> str:
        """The rule as an SQL expression over the raw columns, without a database's dialect."""
        return self.hypothesis.to_sql(self.schema)

    def sql(self) -> str:
        """The same as a query to hand over, with a comment that says what it is; `NoSqlForm` if there is none."""
        from privpac.report.sql import sql_query

        return sql_query(self)

    def picture(self) -> str:
        """The rule as a picture, in SVG, with thresholds in the columns' own units."""
        return self._drawing().svg()

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file at `path` that ends in .svg or, with matplotlib (`privpac[plots]`), in .png.

        Raises `ParameterError` for another ending, and `OSError` if the file cannot be written.
        """
        self._drawing().save(path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write everything about the model to `path`, as one HTML page that asks for nothing from outside.

        Raises `OSError` if the file cannot be written.
        """
        from privpac.report.page import report_html

        _write(path, report_html(self))

    def to_onnx(self) -> bytes:
        """The rule as an ONNX graph; `privpac.report.onnx_graph` says what its inputs are.

        Raises `MissingExtra` without `privpac[onnx]`, and `PrivpacError` for a rule that has no such form.
        """
        from privpac.report.onnx_graph import to_onnx

        return to_onnx(self)

    def save_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the rule to `path` as an ONNX file, for programs that score records without Python.

        Raises what `to_onnx` raises, and `OSError` if the file cannot be written.
        """
        Path(path).write_bytes(self.to_onnx())

    @property
    def importances(self) -> dict[str, float]:
        """How much of the text of the rule is about each of its columns, adding up to 1; it costs nothing.

        In a tree a test counts for the share of the tree below it, however few records get there; in a card a column
        for its points. How much accuracy rests on a column is another question, which only records can answer:
        `sklearn.inspection.permutation_importance`, on records that may be looked at.
        """
        weights = self.hypothesis.column_weights(self.schema)
        total = sum(weights.values())
        return {name: float(weight / total) for name, weight in weights.items()} if total else {}

    def _drawing(self) -> Drawing:
        return picture(self.hypothesis, self.schema, leaf_counts=self.leaf_counts, promise=self._promise())

    def _promise(self) -> str:
        """Whom the rule hides and how well, in one line: a picture on a wall has no certificate beside it."""
        tree, request = self.certificate, self.certificate["request"] or {}
        if tree["coins"] != "system":
            return SEED_WARNING
        unit = "label of a record" if tree["privacy"]["fact"]["unit"] == "label" else "record"
        if tree["privacy"]["fact"].get("records_per_person", 1) > 1:
            unit = "person"
        price = f"ε = {tree['epsilon']}" + ("" if tree["delta"] == "0" else f", δ = {tree['delta']}")
        records, file = (
            request.get("labelled", tree["labelled"]),
            str(self.to_json()["digest"]).removeprefix("sha256:"),
        )
        return (
            f"Made from {records:,} records, each {unit} hidden with {price}."
            f" Its certificate is in model file {file[:8]}…, for privpac verify."
        )

    @property
    def figures(self) -> Figures | None:
        """What the counts of the estimate say besides: the majority baseline, balanced accuracy, sensitivity,
        specificity, and the cost per record; None without an estimate."""
        if self.estimate is None:
            return None
        return figures_of(
            self.estimate, self.schema.classes, costs=self._costs, names=self.schema.class_names
        )

    @property
    def ranks(self) -> RankFigures | None:
        """What released counts say about order and risks (AUC, sensitivity, specificity, calibration), those of a
        card or tree, marked as flattering; None for rules without leaf counts or points,
        and for more than two classes."""
        return ranks_of(self.hypothesis, self.schema, self.leaf_counts, self._costs)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the rule is of use, in the measure that fits what was asked for: from what is released, so free."""
        return verdict_of(
            self.hypothesis,
            self.schema,
            certificate=self.certificate,
            estimate=self.estimate,
            leaf_counts=self.leaf_counts,
        )

    @property
    def _costs(self) -> list[int] | None:
        """What misjudging a record of each class was said to cost, if anything was said."""
        costs: list[int] | None = (self.certificate["request"] or {}).get("costs")
        return costs

    def ranks_picture(self) -> str:
        """Calibration and ROC curve as one picture, in SVG; empty without `ranks`, or if they are too noisy."""
        drawing = None if self.ranks is None else draw_ranks(self.ranks, self.schema.label_called)
        return "" if drawing is None else drawing.svg()

    def describe_ranks(self) -> str:
        """The same in words; empty without `ranks`."""
        return "" if self.ranks is None else "\n".join(self.ranks.lines())

    def describe_estimate(self) -> str:
        """The estimate in words, beside what a constant answer would reach; empty without one."""
        estimate, figures = self.estimate, self.figures
        if estimate is None or figures is None:
            return ""
        return "\n".join([str(estimate), estimate.remedy, *figures.lines()])

    def explain(self) -> str:
        """The rule, whether it is of use, the leaf counts, the estimate and the certificate, in words."""
        from privpac.report.summary import OF_USE, believed

        rule = self.describe_leaves(whole=True) or self.describe()
        parts = ["Rule", rule, "", OF_USE, str(self.verdict), "", explain_certificate(self.certificate)]
        if self.estimate is not None:
            parts += ["", "Private estimate", self.describe_estimate()]
        if self.ranks is not None:
            parts += ["", "Private figures", *filter(None, (self.describe_ranks(), believed(self)))]
        return "\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The document that `save` writes, with its digest."""
        tree: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "hypothesis": self.hypothesis.to_json(),
            "schema": self.schema.stored(),
            "certificate": dict(self.certificate),
            "leaf_counts": self.leaf_counts.to_json() if self.leaf_counts else None,
            "estimate": self.estimate.to_json() if self.estimate else None,
        }
        tree["digest"] = digest(tree)
        return tree

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file to `path`, whole or not at all; `OSError` if it cannot be written."""
        _write(path, json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")


def _write(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all."""
    with whole_file(Path(path)) as draft:
        draft.write_text(text, encoding="utf-8")


def load(path: str | os.PathLike[str]) -> Model:
    """Read the model file at `path`. Reading is not verifying: see `verify`.

    Raises `DataError` if there is no such file, and `NotCertified` if it is damaged, malformed, or no model.

    >>> load("no-such-model.json")
    Traceback (most recent call last):
    privpac.errors.DataError: There is no file 'no-such-model.json'.
    """
    return model_from(document.read_document(path, FORMAT))


def model_from(tree: Mapping[str, Any]) -> Model:
    """The model a document holds, exactly as it was written; its rule must belong to its schema."""
    with refusing("The model file is incomplete or malformed."):
        model = Model(
            hypothesis=hypothesis_from_json(tree["hypothesis"]),
            schema=Schema.from_stored(tree["schema"]),
            certificate=tree["certificate"],
            estimate=None if tree["estimate"] is None else Confusion.from_json(tree["estimate"]),
            version=tree["version"],
            leaf_counts=None if tree["leaf_counts"] is None else LeafCounts.from_json(tree["leaf_counts"]),
        )
        reason = misfit(model.hypothesis, model.schema)
        if reason is not None:
            raise NotCertified(f"The model's rule does not belong to its schema: {reason}.")
        if not same({**model.to_json(), "digest": None}, {**unsigned(tree), "digest": None}):
            raise NotCertified("The model file holds something that this version does not write.")
    return model
