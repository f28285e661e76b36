"""What a service is told: every setting travels to its workers, and dangerous ones are refused."""

from __future__ import annotations

import pytest

from privpac.errors import ParameterError
from privpac.service.settings import Limits, Settings, is_loopback


def test_settings_travel_as_text() -> None:
    settings = Settings(
        "bundle", "sqlite:///x.db", port=0, workers=2, limits=Limits(rows=3), trusted=("a.B",)
    )
    assert Settings.from_text(settings.to_text()) == settings


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"port": 70_000}, {"workers": True}, {"port": -1}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Settings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["body_bytes", "rows", "requests_per_second"])
def test_limits_are_positive(name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        Limits(**{name: 0})


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("db.example", False)],
)
def test_pages_are_for_this_machine_only(host: str, local: bool) -> None:
    assert is_loopback(host) == local
    if local:
        assert Settings(host=host).pages
    else:
        with pytest.raises(ParameterError, match="--no-pages"):
            Settings(host=host)
        assert not Settings(host=host, pages=False).pages
