"""`PrivateQuery`: active learning in the manner of scikit-activeml: `query` positions, fill in labels, `fit`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.asking import Asking
from privpac.concepts.base import AnyClass
from privpac.data.schema import Schema, schema_for
from privpac.data.tables import read, vector
from privpac.errors import PrivpacError
from privpac.guarantee.ledger.ledger import Ledger
from privpac.model import Model

__all__ = ["PrivateQuery"]


class PrivateQuery:
    """Ask for the labels of a random few, then learn from them and all records without labels.

    The positions are drawn once, without looking at any record; `query` returns those whose label is still missing, so
    it can be called until it returns none. Who was kept without being asked stays within this object: `session` saves
    it to a folder only its owner may read, and the certificate states which number holds if it leaks.

    `labels` is the number of labels to ask for, or `error` the error that the fewest labels must promise. All else is
    as for `learn`: `concepts`, `schema`, `epsilon`, `method`, `records_per_person`, `random_state`, and a `ledger`,
    which `fit` charges.

    >>> import numpy as np
    >>> from privpac import Schema
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [age]})
    >>> X = np.arange(20_000).reshape(-1, 1) % 120
    >>> y = np.full(20_000, -1)
    >>> strategy = PrivateQuery("thresholds:age", epsilon=1, labels=100, schema=schema, random_state=1)
    >>> asked = strategy.query(X, y)
    >>> y[asked] = X[asked, 0] >= 60
    >>> len(asked), len(strategy.query(X, y))
    (100, 0)
    >>> strategy.fit(X, y).describe()
    '1 if age >= 59, else 0'
    """

    def __init__(
        self,
        concepts: str | AnyClass,
        *,
        schema: Schema | str | os.PathLike[str] | Mapping[str, Any],
        epsilon: object = 1.0,
        labels: int | None = None,
        error: object = None,
        method: str = "auto",
        records_per_person: int = 1,
        ledger: Ledger | None = None,
        random_state: int | None = None,
    ) -> None:
        self.concepts = concepts
        self.schema = schema
        self.epsilon = epsilon
        self.labels = labels
        self.error = error
        self.method = method
        self.records_per_person = records_per_person
        self.ledger = ledger
        self.random_state = random_state
        self.session: Asking | None = None

    def query(self, X: object, y: object = None, *, batch_size: int | None = None) -> NDArray[np.int64]:
        """Positions in `X` to label next, at most `batch_size`; those `y` has a label for are left out.

        Raises `ParameterError`, `SchemaError` or `SizeError` if the request does not fit the table.
        """
        session = self._session_with(X, y)
        waiting = session.waiting if batch_size is None else session.waiting[:batch_size]
        return np.asarray(waiting, dtype=np.int64)

    def fit(self, X: object, y: object) -> Model:
        """The model of the records in `X`, once everybody who was asked has a label in `y`; other labels are not read.

        Raises `SizeError` while labels are missing, and `BudgetExceeded` where the ledger has not enough left.
        """
        return self._session_with(X, y).learn(X, ledger=self.ledger, random_state=self.random_state)

    def _session_with(self, X: object, y: object) -> Asking:
        description = schema_for(self.schema, X)
        records = read(X, columns=description.names).n
        if self.session is None:
            self.session = Asking.start(
                records,
                schema=description,
                concepts=self.concepts,
                epsilon=self.epsilon,
                labels=self.labels,
                error=self.error,
                method=self.method,
                records_per_person=self.records_per_person,
                random_state=self.random_state,
            )
        if records != self.session.recipe.request.size.total:
            raise PrivpacError(
                f"The questions were drawn for {self.session.recipe.request.size.total} records, not {records}.",
                remedy="Use the same records, or a new PrivateQuery.",
            )
        if y is not None:
            self.session = self.session.tell(self._answers(description, y))
        return self.session

    def _answers(self, schema: Schema, y: object) -> dict[int, object]:
        """Labels of those asked only: nobody else's is looked at."""
        assert self.session is not None
        positions = np.asarray(self.session.asked, dtype=np.int64)
        codes = schema.labels_if_any(vector(y)[positions])
        return {int(p): schema.classes[int(c)] for p, c in zip(positions, codes, strict=True) if c >= 0}
