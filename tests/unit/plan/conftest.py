"""A busy machine is no reason for other numbers: here simulations end by their estimates alone, but in tests of the
clock itself (test_simulation.py)."""

from __future__ import annotations

import pytest

from privpac.plan import simulation


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "GRACE", 3600.0)
