"""A base rate that is bought: what it costs, what it may be, that nothing is counted unpaid, that verify sees it."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privpac
from privpac import Ledger
from privpac.audit.exact import audit
from privpac.audit.registry import REGISTRY
from privpac.coins import SeededCoins
from privpac.constructions.estimates import base_rate
from privpac.constructions.estimates.base_rate import ROUND_RATES, bought_rate
from privpac.constructions.estimates.sampling import Way
from privpac.constructions.recipe import Recipe
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NotCertified, ParameterError
from privpac.model import Model
from privpac.report.summary import summary_sections
from privpac.request import LearnRequest
from privpac.verification import verify_document

N = 20_000
X = {"name": "x", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}


def records(share: float, n: int = N) -> dict[str, Any]:
    x = np.arange(n) % 100
    return {"x": x, "y": (x < 100 * share).astype(int)}


def learnt(**more: Any) -> Model:
    wishes = {"schema": "from_data", "label": "y", "costs": "balanced", "epsilon": 1, "random_state": 3}
    return privpac.learn(records(0.06), **{**wishes, **more})


@pytest.mark.parametrize(
    ("share", "rate"), [(0.06, 0.05), (0.02, 0.02), (0.48, 0.5), (0.27, 0.3), (0.8, 0.8), (0.97, 0.98)]
)
def test_it_is_rounded_to_a_share_people_would_write(share: float, rate: float) -> None:
    schema = Schema.from_json({"label": "y", "columns": [X]})
    sample = MemorySample.of(records(share), schema)
    shares = bought_rate(sample, epsilon=Fraction(5), coins=SeededCoins(1))
    assert shares == (pytest.approx(1 - rate), pytest.approx(rate))
    assert sum(shares) == 1


def test_it_is_part_of_what_was_asked_and_the_certificate_counts_it() -> None:
    model = learnt()
    request = model.certificate["request"]
    assert (model.certificate["epsilon"], request["rate_epsilon"], request["epsilon"]) == (
        "1",
        "0.02",
        "0.882",
    )
    assert request["estimate_epsilon"] == "0.098", "a tenth of what is left pays for the verdict"
    assert model.schema.base_rate == (0.95, 0.05)
    assert request["costs"] == [1, 19]
    assert model.certificate["accuracy"] == [], "bounds are about costs that the records had no part in"
    text = json.dumps(model.certificate["privacy"])
    assert "geometric-noise" in text
    assert "sequential" in text
    said = dict(summary_sections(model, full=False))
    assert "bought base rate 0: 0.95, 1: 0.05" in said["Price of misjudging a record of each class"]


def test_it_is_verified_and_another_share_is_not_what_could_be_bought() -> None:
    tree = learnt().to_json()
    assert verify_document(json.loads(json.dumps(tree))).rebuilt
    for shares in ([0.94, 0.06], [0.9, 0.1]):  # of no round share, and of one with other costs
        forged = json.loads(json.dumps(tree))
        forged["schema"]["base_rate"] = shares
        forged.pop("digest")
        with pytest.raises(NotCertified):
            verify_document(forged)


def test_nothing_is_read_unpaid() -> None:
    """The promise and its price are the same whatever the records hold, and are known before any of them is counted."""
    ledger = Ledger(epsilon=1)
    learnt(ledger=ledger, random_state=None)
    assert ledger.spent.epsilon == 1
    schema = Schema.from_data(records(0.06), label="y")
    recipe = Recipe.of(LearnRequest(epsilon=Fraction(1), costs="balanced"), schema=schema, size=Size(N))
    assert recipe.buys_rate
    before = recipe.certify()
    for rate in ROUND_RATES:
        after = recipe.settled((float(1 - rate), float(rate))).certify()
        assert after.privacy.fact == before.privacy.fact
        assert (after.epsilon, after.delta) == (before.epsilon, before.delta)


def test_where_the_share_is_declared_nothing_is_bought() -> None:
    schema = replace(Schema.from_data(records(0.06), label="y"), base_rate=(0.94, 0.06))
    model = learnt(schema=schema, label=None)
    assert "rate_epsilon" not in model.certificate["request"]
    declared = Schema.from_json({"label": "y", "columns": [X]})
    with pytest.raises(ParameterError, match="base rate"):
        learnt(schema=declared, label=None)


def test_an_estimate_beside_it_is_made_on_records_kept_aside() -> None:
    model = learnt(estimate_epsilon=1)
    assert model.estimate is not None
    assert model.estimate.holdout
    same = learnt(estimate_epsilon=1, holdout=0).estimate
    assert same is not None
    assert (same.way, same.low, same.high) == (Way.NONE, 0, 1)


def test_files_and_memory_buy_the_same(tmp_path: Path) -> None:
    table = records(0.06)
    lines = ["x,y", *(f"{x},{y}" for x, y in zip(table["x"], table["y"], strict=True))]
    file = tmp_path / "table.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wishes = {
        "schema": Schema.from_data(table, label="y"),
        "costs": "balanced",
        "epsilon": 1,
        "random_state": 3,
    }
    here, there = (privpac.learn(str(file), engine=engine, **wishes) for engine in ("memory", "files"))
    assert here.schema.base_rate == there.schema.base_rate == (0.95, 0.05)
    assert here.hypothesis == there.hypothesis


def test_the_audit_sees_a_count_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert audit(REGISTRY["bought-rate"]()).holds
    monkeypatch.setattr(base_rate, "add_noise", lambda counts, **_: list(counts))
    assert audit(REGISTRY["bought-rate"](), stop_when_broken=True).holds is False
