"""What the scikit-learn shells share: reading tables, labels and schemas by scikit-learn's conventions and ours."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from narwhals.dependencies import is_into_dataframe
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, validate_data

from privpac.data.raw import lookup
from privpac.data.schema import Schema, schema_for
from privpac.data.tables import read
from privpac.errors import DataError

__all__ = [
    "Array",
    "Shell",
    "as_array",
    "class_values",
    "free_name",
    "is_frame",
    "labels_of",
    "named",
    "no_complex",
]

Array = NDArray[Any]

AS_IT_IS = {"dtype": None, "ensure_all_finite": False}
"""For scikit-learn's array check: text stays text, and our own error names the column with an empty cell."""


class Shell:
    """Reading of records for estimators with a `schema`, declared or "from_data"."""

    schema: Schema | str | os.PathLike[str] | Mapping[str, Any] | None
    classes_: Array
    _sorted: Array
    """Positions of `classes_` in the schema."""

    @property
    def _reads_schema(self) -> bool:
        return isinstance(self.schema, str) and self.schema == "from_data"

    def _read(self, X: object, y: object) -> tuple[object, Array, Schema]:
        """Records, labels and schema of a fit.

        With a declared schema a frame's columns are found by name, in any order, and others are ignored; an array's
        columns are in the order of the schema.
        """
        if self._reads_schema:
            table, labels = self._validate(X, y)
            return table, labels, Schema.from_data(table, label=free_name(y, table), y=labels)
        schema = schema_for(self.schema, X)
        return X, labels_of(schema, X, y, owner=type(self).__name__), schema

    def _remember(self, schema: Schema, kind: np.dtype[Any]) -> None:
        """The columns of a declared schema are those of the estimator; its classes are sorted, as everywhere in
        scikit-learn, whatever their order in the schema."""
        self.schema_ = schema
        values = class_values(schema, kind)
        self._sorted = np.argsort(values, kind="stable")
        self.classes_ = values[self._sorted]
        if not self._reads_schema:
            self.n_features_in_ = len(schema.columns)
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def _of_class(self, positions: Array) -> Array:
        """Of positions in the schema's list of classes: the classes, as `classes_` writes them."""
        values: Array = self.classes_[np.argsort(self._sorted)[positions]]
        return values

    def _table(self, X: object) -> object:
        """Records to predict."""
        return self._familiar(X) if self._reads_schema else X

    def _validate(self, X: object, y: object) -> tuple[object, Array]:
        """Records and labels by scikit-learn's own conventions; a frame keeps the types of its columns."""
        no_complex(y, "y")
        if is_frame(X):
            table, labels = validate_data(self, X, y, skip_check_array=True)
        else:
            table, labels = validate_data(self, as_array(X), y, ensure_min_samples=2, **AS_IT_IS)
        labels = column_or_1d(labels, warn=True)
        check_classification_targets(labels)
        return table, labels

    def _familiar(self, X: object) -> object:
        """Records to predict: the columns `fit` saw, in the same order."""
        if not is_frame(X):
            array = validate_data(self, as_array(X), reset=False, **AS_IT_IS)
            if (
                array.dtype.kind == "f" and not np.isfinite(array).all()
            ):  # also in columns the rule does not look at
                raise DataError(
                    "X has a NaN or infinite cell.",
                    remedy="Fill it, or declare a schema that says what an empty cell counts as.",
                )
            return array
        validate_data(self, X, reset=False, skip_check_array=True)
        return X if hasattr(self, "feature_names_in_") else check_array(X, **AS_IT_IS)


def is_frame(X: object) -> bool:
    """Whether narwhals can read it as a data frame."""
    return bool(is_into_dataframe(X))


def as_array(X: object) -> Any:
    """`X` with its dimensions and type checked here, because scikit-learn's refusals would print records."""
    array: Any = X if hasattr(X, "ndim") else np.asarray(X, dtype=_common(X))
    no_complex(array, "X")
    if array.ndim != 2:
        raise DataError(
            f"X has {array.ndim} dimension(s), but a table has two.",
            remedy="Reshape your data: X.reshape(-1, 1) is one column, X.reshape(1, -1) one record.",
        )
    return array


def _common(X: object) -> type | None:
    """None if numpy's own choice of a type keeps every value of some rows as it is, and object otherwise.

    Among values of several types, and among integers of Python, numpy chooses one that suits all of them: a text makes
    texts of the numbers of other records, and a fraction rounds their long integers.
    """
    types: set[type] = set()
    for row in X if isinstance(X, (list, tuple)) else ():
        if isinstance(row, np.ndarray):
            types.add(row.dtype.type)
        elif isinstance(row, (list, tuple)):
            types.update(map(type, row))
    return object if len(types) > 1 or types == {int} else None


def no_complex(values: object, name: str) -> None:
    """Refuse complex numbers, which no column can hold."""
    if np.asarray(values).dtype.kind == "c":
        raise DataError(f"Complex data not supported: {name} must be real numbers, text, booleans or dates.")


def labels_of(schema: Schema, X: object, y: object, *, owner: str) -> Array:
    """The labels as an array whose type says what a prediction should look like."""
    if y is not None:
        no_complex(y, "y")
        if isinstance(y, (list, tuple)) and len(set(map(type, y))) > 1:
            raise _several_types(schema.label)
        labels: Array = column_or_1d(y, warn=True)
    elif isinstance(X, (np.ndarray, list, tuple)):
        raise DataError(
            f"{owner} requires y to be passed, but the target y is None.",
            column=schema.label,
            remedy=f"Pass y, or a frame with the column '{schema.label}'.",
        )
    else:
        labels = read(X, columns=[schema.label]).array(schema.label)
    if labels.dtype.kind == "O" and not all(isinstance(item, str) for item in labels.tolist()):
        raise _several_types(schema.label)
    return labels


def _several_types(label: str) -> DataError:
    return DataError(
        f"Label '{label}' consists of Python objects that are not all of one type.",
        column=label,
        remedy="Fill empty cells and give it one type, for example with np.asarray(y, dtype=int).",
    )


def free_name(y: object, table: object) -> str:
    """A name for the label that no column has: the one `y` brings, or "label"."""
    own_name = getattr(y, "name", None)
    name = own_name if isinstance(own_name, str) and own_name else "label"
    names = read(table).names
    while name in names:
        name += "_"
    return name


def class_values(schema: Schema, kind: np.dtype[Any]) -> Array:
    """The schema's classes as values of a type, if each of them is one; as text otherwise.

    The type decides and no record does: what `classes_` looks like is public.
    """
    if kind.kind in "biuf":
        try:
            values = np.array([_value(text.lower(), kind.kind) for text in schema.classes], dtype=kind)
            if np.array_equal(schema.label_cells(values), np.arange(len(values))):
                return values
        except (ValueError, ArithmeticError):
            pass  # the classes are not numbers, or not of this type
    if _counts_classes(schema, kind):
        ranks: Array = np.argsort(np.argsort(schema.classes)).astype(kind)
        return ranks
    return np.array(schema.classes, dtype=object if kind.kind == "O" else None)


def named(schema: Schema, labels: Array) -> Array:
    """Labels as the schema writes them: whole numbers, where no class is one, count the sorted classes from 0.

    That is how scikit-learn's `LabelEncoder` writes classes, and with it `VotingClassifier`, `StackingClassifier` and
    `cross_val_predict`. Schema and type decide, so no record changes what another one's label means.
    """
    if not _counts_classes(schema, labels.dtype):
        return labels
    names = np.array([*sorted(schema.classes), NO_LABEL], dtype=object)
    if labels.min(initial=0) < -1 or labels.max(initial=0) >= len(schema.classes):
        return labels  # to be refused by who reads them
    texts: Array = names[labels.astype(np.int64)]  # -1 is the last of them
    return texts


NO_LABEL = "-1"


def _counts_classes(schema: Schema, kind: np.dtype[Any]) -> bool:
    """Whether labels of this type can only be positions: they are whole numbers, and no class reads as one."""
    if kind.kind not in "iu" or np.iinfo(kind).max < len(schema.classes):
        return False
    return not any(re.fullmatch(r"-?\d+", name) for name in lookup(schema.classes))


def _value(text: str, kind: str) -> bool | int | float:
    number = Decimal({"true": "1", "false": "0"}.get(text, text))
    if kind == "f":
        return float(number)
    return int(number) if kind != "b" else bool(number)
