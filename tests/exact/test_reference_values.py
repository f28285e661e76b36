"""Exact worst cases computed independently, to five digits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac.audit.exact import audit
from privpac.audit.registry import learner_case, tiny_schema
from privpac.concepts.points import Points
from privpac.concepts.thresholds import Thresholds
from privpac.learners.occam import Occam


@pytest.mark.parametrize(
    ("kind", "cells", "n", "loss"),
    [
        ("points", 3, 6, 0.95911),
        ("points", 4, 6, 0.97234),
        ("points", 2, 2, 0.62011),
        ("points", 4, 4, 0.92845),
        ("thresholds", 4, 4, 0.94529),
        ("thresholds", 3, 6, 0.97234),
    ],
)
def test_worst_case_loss_of_the_exponential_mechanism(kind: str, cells: int, n: int, loss: float) -> None:
    schema = tiny_schema(cells)
    concepts = Points(schema, "a") if kind == "points" else Thresholds(schema, "a", "down")
    finding = audit(learner_case(kind, Occam(concepts, Fraction(1)), schema, n))
    assert finding.exact is not None
    assert math.log(finding.exact) == pytest.approx(loss, abs=1e-5)
