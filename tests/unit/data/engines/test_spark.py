"""What can be told of Spark without a cluster; the rest is in `tests/slow`."""

from __future__ import annotations

import importlib
import sys
import zipfile
from pathlib import Path
from zipimport import zipimporter

import pytest

from privpac.data.engines.spark import forget_archives


def test_archives_are_forgotten_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed_one.py", "value = 1\n")
        archive.writestr("packed_two.py", "value = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    assert importlib.import_module("packed_one").value == 1
    assert any(isinstance(finder, zipimporter) for finder in sys.path_importer_cache.values())
    forget_archives()
    assert not any(isinstance(finder, zipimporter) for finder in sys.path_importer_cache.values())
    assert importlib.import_module("packed_two").value == 2
