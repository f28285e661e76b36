"""Planted leaks are found, and a run that compares nothing fails: these tests can fail."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger, Model, learn
from privpac.errors import SizeError
from tests.interference.artefacts import Released, attempt, drawn, of_model
from tests.interference.coins import steady
from tests.interference.comparing import Interference, Refused, Result, Run, compared
from tests.interference.tables import PAIRS, SCHEMA, TABLES, Table

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")


def leaking(leak: Callable[[Table, Model, Ledger], Model], place: Path) -> Run:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            model = learn(
                table,
                schema=SCHEMA,
                epsilon="0.05",
                concepts="thresholds:age",
                random_state=seed,
                ledger=book,
            )
            made = leak(table, model, book)
            return drawn(made), lambda: of_model(made, place)

        return attempt(release)

    return run


def noted(model: Model, value: object) -> Model:
    """The model with one more word in its certificate, where nobody checks it."""
    certificate = dict(model.certificate)
    return replace(model, certificate={**certificate, "learner": {**certificate["learner"], "tag": value}})


def hashed(table: Table, model: Model, book: Ledger) -> Model:
    return noted(model, hashlib.sha256(repr(table).encode()).hexdigest())


def counted(table: Table, model: Model, book: Ledger) -> Model:
    return noted(model, len(set(table["age"])))


def hidden(table: Table, model: Model, book: Ledger) -> Model:
    """Nothing that is printed or stored shows it; a pickle does."""
    object.__setattr__(model, "records", len(set(table["age"])))
    return model


def charged(table: Table, model: Model, book: Ledger) -> Model:
    book.charge(epsilon=1, note=f"{len(set(table['age']))} values")
    return model


def refused(table: Table, model: Model, book: Ledger) -> Model:
    if len(set(table["age"])) > 5:
        raise SizeError("There are too many values.")
    return model


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """`verify` would refuse a certificate with another word in it, before bytes are compared."""
    monkeypatch.setattr("tests.interference.artefacts.verify", _accepting)


def _accepting(path: object) -> Any:
    from privpac.verification import Verified

    return Verified(0, rebuilt=True, for_release=True, assumptions=(), epsilon="1", delta="0")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("leak", "artefact"),
    [(hashed, "model file"), (counted, "model file"), (hidden, "pickle"), (charged, "ledger")],
)
def test_a_planted_leak_is_found(leak: Any, artefact: str, tmp_path: Path) -> None:
    with pytest.raises(Interference, match=f"^{artefact} tells"):
        compared(leaking(leak, tmp_path), TABLES, PAIRS)


def test_a_refusal_after_the_charge_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="charged, then refused"):
        compared(leaking(refused, tmp_path), TABLES, PAIRS)


def test_a_free_refusal_that_depends_on_the_records_is_found() -> None:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            if len(set(table["age"])) > 5:
                raise SizeError("There are too many values.")
            return "", dict

        return attempt(release)

    with pytest.raises(Interference, match="'a new value' is refused"):
        compared(run, TABLES, [("base", "a new value")])


def test_words_of_refusals_are_compared() -> None:
    def run(table: Table, seed: int) -> Result | Refused:
        return Refused(f"{len(set(table['age']))} values are too many.")

    with pytest.raises(Interference, match="refusals depend on the records"):
        compared(run, TABLES, PAIRS)


def test_tables_that_never_draw_the_same_are_not_called_the_same() -> None:
    def run(table: Table, seed: int) -> Result | Refused:
        return Result(repr(table), dict)

    with pytest.raises(AssertionError, match="no common outcome in 3 runs"):
        compared(run, TABLES, PAIRS, seeds=3)
