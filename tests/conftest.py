"""One profile for all property tests: the same examples in every run, and no clock, since machines are busy; one cache
of results that lives no longer than the run, so that no run sees what an earlier one left; and temporary files that go
with it (`places` says where they are). And which tests are long: `make test` leaves them to `make test-long`."""

from __future__ import annotations

import atexit
import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.places import WORKER

# Before anything loads OpenMP: its threads wait for each other by spinning, which on busy cores takes seconds of each
# for a model of forty records. Tests run side by side anyway.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("steady", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """What is collected stays to the end: to look through it for garbage, again and again, took a third of the
    time of collecting tests and an eighth of that of running them. To look more rarely saves a twentieth more: most of
    what there is are modules that tests load, which stay too."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)
        gc.enable()


# What would still be frozen when Python ends is reported as leaked, by libraries written in C++. Not earlier: pytest
# looks through everything once more when it has finished.
atexit.register(gc.unfreeze)


@pytest.hookimpl(tryfirst=True)  # before those are left out that are long
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases that tests name in `long_cases`; of whole files, a name without a case is an error."""
    unknown: dict[str, set[str]] = {}
    for item in items:
        for mark in item.iter_markers("long_cases"):
            test, _, case = item.nodeid.partition("[")
            unknown.setdefault(test, set(mark.args)).discard(case.removesuffix("]"))
            if case.removesuffix("]") in mark.args:
                item.add_marker("long")
    wrong = {test: sorted(names) for test, names in unknown.items() if names}
    if wrong and not any("::" in word for word in config.args):
        raise pytest.UsageError(f"no case has a name that long_cases gives: {wrong}")


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
