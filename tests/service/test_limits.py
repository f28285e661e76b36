"""A limit is no oracle: whether the service answers does not depend on the records, and nothing is refused for free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from privpac import Ledger, PrivatePredictor, Schema
from privpac.concepts.finite import Finite
from privpac.concepts.labellings import table
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.errors import SizeError
from privpac.service.access import keys
from privpac.service.app import create_app
from privpac.service.serving import Service
from privpac.service.settings import Limits, Settings
from tests.service.asking import Served

SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 10**6, "integer": True}]}
)


def bundle(folder: Path, values: list[int]) -> Path:
    """Every record names labellings, for every answer: as many points as there are different values."""
    n = len(values)
    predictor = FreshDraws.with_subset(
        Finite(SCHEMA, ["x >= 3", "x >= 5", "x < 9"]), Fraction(8), kept=n, records=n
    )
    private = PrivatePredictor(predictor, 8, 100, schema=SCHEMA, random_state=1)
    private.fit({"x": values}, y=[i % 2 for i in range(n)]).save(folder / "bundle")
    return folder / "bundle"


@contextmanager
def serving(folder: Path, values: list[int]) -> Iterator[Served]:
    folder.mkdir()
    url = f"sqlite:///{folder / 'ledger.db'}"
    settings = Settings(str(bundle(folder, values)), url, limits=Limits(requests_per_second=1e6))
    service = Service.open(settings, epsilon=100)
    _, analyst = keys.create(service.store, role="analyst")
    with TestClient(create_app(settings, service=service), raise_server_exceptions=False) as client:
        yield Served(client, service, analyst, "", folder / "ledger.db")


def test_one_more_different_value_changes_neither_status_nor_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten values at a limit of ten: all equal, nine different, ten different."""
    monkeypatch.setattr(table, "LARGEST_TABLE", 3 * 10)
    seen = set()
    for number, values in enumerate(([7] * 10, [0, 0, *range(1, 9)], list(range(10)))):
        with serving(tmp_path / str(number), values) as served:
            statuses = tuple(served.predict({"x": x}).status_code for x in (3, 5, 3))
            entries = tuple((entry.epsilon, entry.note.split(",")[0]) for entry in served.book.entries())
            seen.add((statuses, entries))
    assert seen == {((200, 200, 200), ((Fraction(8), "1 answers"),) * 2)}


@pytest.mark.parametrize("different", [1, 10, 11, 20])
def test_beyond_the_limit_there_is_no_bundle_whatever_the_records(
    different: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 records: 10 different values were answered, and 11 were refused, again and again for nothing."""
    monkeypatch.setattr(table, "LARGEST_TABLE", 3 * 10)
    values = [i % different for i in range(20)]
    with pytest.raises(SizeError, match="3 candidates at 20 points have more labels than the 30"):
        bundle(tmp_path, values)


def test_a_bundle_beyond_the_limit_is_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was made before there was a limit: refused before it listens, by its public numbers."""
    path = bundle(tmp_path, list(range(10)))
    monkeypatch.setattr(table, "LARGEST_TABLE", 10)
    with pytest.raises(SizeError, match="more labels than the 10"):
        Service.open(Settings(str(path), f"sqlite:///{tmp_path / 'ledger.db'}"), epsilon=100)


@pytest.mark.parametrize("fails", [lambda x: x == 3, lambda x: True], ids=["some", "all"])
def test_a_planted_failure_is_no_oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: object
) -> None:
    """A predictor that fails on records and questions of its choice tells once that it fails, and is paid for it."""
    draw = FreshDraws.draw

    def planted(self, sample, cells, coins):  # type: ignore[no-untyped-def]
        if fails(int(cells["x"][0])) and len(np.unique(sample.block().cells["x"])) > 1:  # type: ignore[operator]
            raise SizeError("too many different values")
        return draw(self, sample, cells, coins)

    monkeypatch.setattr(FreshDraws, "draw", planted)
    with serving(tmp_path / "a", [0, 1, 2]) as served:
        codes = [served.predict({"x": x}).status_code for x in (3, 3, 4, 5, 3)]
        assert codes == [410] * 5
        assert served.spent == "epsilon 8"
        assert [entry.epsilon for entry in served.book.entries()] == [8]
        assert "different values" not in served.predict({"x": 3}).text
    again = Service.open(
        Settings(str(tmp_path / "a" / "bundle"), f"sqlite:///{tmp_path / 'a' / 'ledger.db'}")
    )
    assert again.answering.ended
    Ledger.open(tmp_path / "a" / "ledger.db").verify()
