"""One profile for all property tests: the same examples in every run, and no clock, since machines are busy; one cache
of results that lives no longer than the run, so that no run sees what an earlier one left; and temporary files that go
with it (`places` says where they are)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.places import WORKER

settings.register_profile("steady", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("steady")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Shared by all processes of a run: what one has reproduced or simulated is there for the others."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if WORKER in os.environ else base) / "cache"
    place.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVPAC_CACHE", str(place))
        yield place


@pytest.fixture(scope="session", autouse=True)
def _kernels() -> Iterator[None]:
    """Tests in one process use the kernels, whatever ran before. That numpy gives the same bits has tests of its own,
    and commands that run as processes take whichever way is quicker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privpac.compiled.PLAIN", 0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Goes with the run's other folders; processes of a run that end abruptly clear nothing away themselves."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("temporary")
        patch.setenv("TMPDIR", str(place))
        patch.setattr(tempfile, "tempdir", None)
        yield place
