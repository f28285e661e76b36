"""Whatever a service hands out besides answers is the same for all records, byte by byte."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from privpac import MemorySample, SeededCoins
from privpac.answering.bundle import bundle
from privpac.answering.offer import offer_for
from privpac.request import LearnRequest
from tests.service.asking import AGES, PRICE, SCHEMA, Served

HERE = {"origin": "http://testserver"}
PUBLIC = (
    "/v1/certificate",
    "/v1/schema",
    "/openapi.json",
    "/healthz",
    "/readyz",
    "/certificate/service",
    "/certificate/service/certificate.json",
)


def write(path: Path, word: str, *, changed: bool) -> None:
    """A bundle, or its neighbour with another label, both under the same name."""
    labels = ["yes" if age >= 60 else "no" for age in AGES]
    if changed:
        labels[0] = "yes"
    sample = MemorySample.of({"age": AGES, "kind": ["u", "v"] * (len(AGES) // 2)}, SCHEMA, y=labels)
    wishes = LearnRequest(concepts=word, epsilon=Fraction(PRICE), models=3, protect="predictions")
    offer = offer_for(wishes, schema=SCHEMA, size=sample.size, coins="seeded")
    bundle.write(path, offer, offer.predictor.prepare(sample, SeededCoins(1)), coins=SeededCoins(2))


def handed_out(served: Served) -> dict[str, bytes]:
    assert served.client.post("/sign-in", data={"key": served.analyst}, headers=HERE).status_code == 200
    found = {path: served.get(path) for path in PUBLIC}
    assert {reply.status_code for reply in found.values()} == {200}
    checked = served.client.post("/certificate/service/check", headers=HERE)
    assert "erified" in checked.text
    return {path: reply.content for path, reply in found.items()} | {"check": checked.content}


@pytest.mark.parametrize("word", ["predict-by-vote:thresholds:age", "vote:tree", "thresholds:age"])
def test_nothing_that_is_handed_out_depends_on_a_record(
    serve: Callable[..., Served], tmp_path: Path, word: str
) -> None:
    seen = []
    for changed in (False, True):
        shutil.rmtree(tmp_path / "bundle", ignore_errors=True)
        write(tmp_path / "bundle", word, changed=changed)
        seen.append(handed_out(serve()))
    assert seen[0] == seen[1]
    tree = json.loads(seen[0]["/certificate/service/certificate.json"])
    assert set(tree) == {"format", "version", "schema", "certificate", "id", "digest"}
    assert tree["format"] == bundle.FORMAT
