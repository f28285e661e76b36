"""`stable:WORD`: delta says how many records are looked at one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac import Schema, Size
from privpac.constructions.request import Request
from privpac.constructions.stable.stable import Stable
from privpac.constructions.words import learner_for
from privpac.request import LearnRequest

SCHEMA = Schema.from_json({"label": "y", "columns": [{"name": "b", "kind": "boolean"}]})


@pytest.mark.parametrize(("delta", "kept"), [("0.05", 10), ("0.0549", 10), ("0.055", 11)])
def test_as_many_records_are_looked_at_as_delta_allows(delta: str, kept: int) -> None:
    learner = learner_for(
        "stable:stumps", Request(SCHEMA, Size(200), LearnRequest(epsilon=Fraction(1), delta=Fraction(delta)))
    )
    assert isinstance(learner, Stable)
    assert learner.kept == kept
    assert learner.certify(Size(200)).privacy.fact.delta <= Fraction(delta)


def test_the_stability_is_said_with_the_privacy() -> None:
    asked = LearnRequest(epsilon=Fraction(1), delta=Fraction(1, 20))
    certificate = learner_for("stable:stumps", Request(SCHEMA, Size(200), asked)).certify(Size(200))
    gamma = float(certificate.learner["stability"])
    assert 1 / 20 < gamma < 1 / 20 + 1 / 4
    said = float(certificate.explain().partition("any set of rules by at most ")[2].partition(".\n")[0])
    assert gamma <= said < gamma + 1e-6
