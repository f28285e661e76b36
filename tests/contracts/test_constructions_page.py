"""The table of every construction on every class: up to date, complete, and nothing in it is charged in vain."""

from __future__ import annotations

import pytest
from benchmarks import constructions as table


def test_the_page_is_that_of_the_results() -> None:
    rows = list(table.stored().values())
    assert table.PAGE.read_text(encoding="utf-8") == table.page(rows), (
        "run python -m benchmarks.constructions --page"
    )


@pytest.mark.long
def test_every_construction_has_a_cell_for_every_class() -> None:
    shown = table.classes()
    wanted = {
        (construction, protect, one.name)
        for construction, protect in table.constructions(shown)
        for one in shown
    }
    assert wanted == set(table.stored()), "run python -m benchmarks.constructions"


def test_every_cell_has_its_seconds_or_a_reason() -> None:
    for row in table.stored().values():
        assert (row.seconds is None) == bool(row.reason)
        assert row.seconds is None or row.labelled > 0


def test_a_charge_in_vain_would_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal after the charge is no cell of the table."""
    (one,) = (one for one in table.classes() if one.name == "thresholds")

    def run(*arguments: object) -> None:
        ledger = arguments[4]
        assert isinstance(ledger, table.Ledger)
        ledger.charge(epsilon="0.1", note="too early")
        raise table.PrivpacError("refused after all")

    monkeypatch.setattr(table, "_run", run)
    with pytest.raises(table.ChargedInVainError):
        table.measured(one, table.Size(10), {})


@pytest.mark.long
def test_sizes_and_reasons_are_those_of_today() -> None:
    known = table.stored()
    for row in table.cells(known, anew=False):
        old = known[row.key]
        assert (row.labelled, row.unlabelled, row.reason) == (old.labelled, old.unlabelled, old.reason), (
            row.key
        )


@pytest.mark.long
@pytest.mark.parametrize("name", ["thresholds", "intervals", "boxes, 2"])
def test_cells_run_at_their_planned_size(name: str) -> None:
    (one,) = (one for one in table.classes() if one.name == name)
    for construction in ("occam", "agnostic", "label-boost", "vote", "subsampled"):
        protect = "predictions" if construction == "vote" else "records"
        old = table.stored()[construction, protect, name]
        new = table.cell(one, construction, protect, None, anew=True)
        assert (new.seconds is None) == (old.seconds is None)
