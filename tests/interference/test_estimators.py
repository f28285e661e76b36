"""Fitted estimators: their attributes, representations and pickles depend on the drawn rule alone."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privpac import Ledger, PrivateClassifier, PrivateQuery, StableClassifier
from tests.interference.artefacts import Released, attempt, drawn, of_model, shown, text
from tests.interference.coins import steady
from tests.interference.comparing import Artefacts, Refused, Result, compared
from tests.interference.tables import PAIRS, SCHEMA, Table, sized

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")

TYPES = {"age": "Int64", "flag": "boolean"}
"""Declared, so that an empty cell does not change the type of its column."""


def frame(table: Table) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Records as a frame, and their labels in every form in which people bring them."""
    records = pd.DataFrame(dict(table)).astype(TYPES)
    labels = list(table["ill"])
    codes = [int(label == "yes") for label in labels]
    return records.drop(columns="ill"), {
        "text": np.array(labels),
        "objects": np.array(labels, dtype=object),
        "series": pd.Series(labels, name="ill"),
        "whole numbers": np.array(codes),
        "truth values": np.array(codes, dtype=bool),
    }


NUMBERED = {**SCHEMA.to_json(), "classes": [0, 1]}


def of_estimator(estimator: Any) -> Artefacts:
    """Attributes one by one, so that a difference has a name, and all of them as a pickle."""
    learnt = {name: pickle.dumps(value) for name, value in vars(estimator).items() if name != "ledger"}
    bare = estimator.__class__.__new__(estimator.__class__)
    bare.__dict__.update({name: value for name, value in vars(estimator).items() if name != "ledger"})
    return {
        **learnt,
        "repr": shown(estimator) + shown(getattr(estimator, "certificate_", None)),
        "words": text(estimator.describe()) + text(estimator.explain()),
        "names": text(sorted(vars(estimator))),
        "pickle": pickle.dumps(bare),
    }


@pytest.mark.parametrize(
    ("concepts", "kind"),
    [
        *(
            ("thresholds:age", kind)
            for kind in ("text", "objects", "series", "whole numbers", "truth values")
        ),
        ("auto", "text"),
        ("trees:2", "objects"),
    ],
)
def test_a_private_classifier(concepts: str, kind: str) -> None:
    schema: Any = SCHEMA if kind in ("text", "objects", "series") else NUMBERED

    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            records, labels = frame(table)
            estimator = PrivateClassifier(
                concepts, epsilon="0.05", schema=schema, random_state=seed, ledger=book
            ).fit(records, labels[kind])
            estimator.random_state = None  # the seed is no part of what is drawn
            return drawn(estimator.model_), lambda: of_estimator(estimator)

        return attempt(release)

    assert isinstance(compared(run, sized(), PAIRS), int)


@pytest.mark.parametrize("concepts", ["stumps", "thresholds:age", "intervals:age", "points:age"])
def test_a_stable_classifier(concepts: str) -> None:
    """Not private, but no record shows except through the rule."""

    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            records, labels = frame(table)
            estimator = StableClassifier(concepts, stability="0.3", schema=SCHEMA, random_state=seed)
            estimator.fit(records, labels["text"])
            estimator.random_state = None
            return str(estimator.hypothesis_.to_json()), lambda: of_estimator(estimator)

        return attempt(release)

    assert isinstance(compared(run, sized(2), PAIRS), int)


def test_a_private_query(tmp_path: Path) -> None:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            records, labels = frame(table)
            strategy = PrivateQuery(
                "thresholds:age", epsilon=1, labels=20, schema=SCHEMA, random_state=seed, ledger=book
            )
            asked = strategy.query(records).tolist()
            model = strategy.fit(records, labels["text"])
            said = {"asked": text(asked), "session": shown(strategy.session)}
            return drawn(model) + str(asked), lambda: {**said, **of_model(model, tmp_path)}

        return attempt(release)

    assert isinstance(compared(run, sized(2), PAIRS), int)
