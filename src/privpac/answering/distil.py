"""Distil: label a public table through a predictor, and train any classifier on the answers.

The answers are private, so whatever is computed from them is as private (post-processing): the trained model may be
released and asked for ever. The table must be public, or belong to people who agreed: its rows are not protected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.answering.predictor import PrivatePredictor
from privpac.answering.price import composed
from privpac.constructions.prediction.voters import Encoding
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Release

__all__ = ["Distilled", "distil"]


@dataclass(frozen=True)
class Distilled:
    """A classifier trained on private answers, with the certificate of all of them."""

    estimator: Any
    schema: Schema
    certificate: Certificate
    answers: int

    def predict(self, table: object) -> NDArray[Any]:
        """The predicted class of every row, as the schema writes it."""
        cells = MemorySample.of(table, self.schema, labelled=False).block().cells
        codes = np.asarray(self.estimator.predict(Encoding(self.schema).matrix(cells)), dtype=np.int64)
        return self.schema.class_values[codes]


def distil(predictor: PrivatePredictor, table: object, estimator: object) -> Distilled:
    """Ask `predictor` for the class of every row of a public table, and train a clone of `estimator` on the answers."""
    from sklearn.base import clone

    cells = MemorySample.of(table, predictor.schema, labelled=False).block().cells
    before = predictor.answers_given
    labels = predictor.classify_cells(cells)
    answers = predictor.answers_given - before
    student = clone(estimator).fit(Encoding(predictor.schema).matrix(cells), labels)
    return Distilled(student, predictor.schema, _certificate(predictor, len(labels)), answers)


def _certificate(predictor: PrivatePredictor, rows: int) -> Certificate:
    """Of all declared answers, or of as many as there are rows: repeats were paid for when they were first asked."""
    offer, certificate = predictor.offer, predictor.certificate
    together = certificate.privacy
    if offer.answers is None:
        together = composed(offer.one_answer, answers=rows, delta=offer.delta)
    what = "a classifier trained on the answers"
    return replace(
        certificate,
        privacy=rules.post_processing(together, what=what, release=Release.HYPOTHESIS),
        accuracy=(),
    )
