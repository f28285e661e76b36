"""The checker as a distribution of its own: it needs nothing else, is small, and says what `privpac verify` says."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from privpac.checker.check import check_file

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "tests" / "golden").glob("*/models/*.json"))
RUN = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('privpac_checker', run_name='__main__')"


def _builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checker")
    _builder().checker_project(folder)
    return folder


def test_no_file_of_it_speaks_of_the_library(package: Path) -> None:
    for path in (package / "privpac_checker").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import privpac." not in text
        assert "from privpac." not in text


@pytest.mark.parametrize("path", MODELS[:2], ids=lambda path: path.stem)
def test_alone_it_says_the_same(package: Path, path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUN, str(package), str(path), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == check_file(path).to_json()


def test_alone_it_refuses_a_changed_file(package: Path, tmp_path: Path) -> None:
    forged = tmp_path / "model.json"
    forged.write_text(
        MODELS[0].read_text(encoding="utf-8").replace('"epsilon"', '"epsilom"', 1), encoding="utf-8"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUN, str(package), str(forged)], capture_output=True, text=True
    )
    assert run.returncode == 4
