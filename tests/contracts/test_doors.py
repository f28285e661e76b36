"""Doors that need no kernels load none: neither the compiler, nor scikit-learn, nor a library of frames."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from privpac import learn

HEAVY = {"numba", "llvmlite", "scipy", "sklearn", "pandas", "polars", "narwhals", "pyarrow", "matplotlib"}
RUN = """
import json, sys
from privpac.cli import main
doors = {}
for name, arguments in json.loads(sys.argv[1]).items():
    doors[name] = [main(arguments), sorted(sys.modules)]
print(json.dumps(doors), file=sys.stderr)
"""
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
WARD = {"name": "ward", "kind": "categorical", "categories": ["a", "b"]}
SCHEMA = {"label": "ill", "classes": ["no", "yes"], "columns": [AGE, WARD]}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its schema and a model."""
    folder = tmp_path_factory.mktemp("doors")
    rows = [(k % 100, "ab"[k % 2], "yes" if k % 100 >= 60 else "no") for k in range(300)]
    lines = ["age,ward,ill", *(f"{age},{ward},{ill}" for age, ward, ill in rows)]
    (folder / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    learn(folder / "table.csv", schema=SCHEMA, epsilon=1, random_state=1).save(folder / "model.json")
    return folder


READ_ONLY = {"predict": ("predict", "model.json", "table.csv"), "explain": ("explain", "model.json")}
"""Doors that read one stored tree, and need none of the classes that it could have been drawn from."""
DOORS = {
    **READ_ONLY,
    "verify": ("verify", "model.json"),
    "verify the certificate": ("verify", "--certificate-only", "model.json"),
    "schema": ("schema", "table.csv"),
    "plan": ("plan", "--schema", "schema.json", "--epsilon", "1", "--error", "0.1"),
    "a dry run": ("learn", "table.csv", "--schema", "schema.json", "--epsilon", "1", "--dry-run"),
    "learn": ("learn", "table.csv", "--schema", "schema.json", "--epsilon", "1"),
}
"""In one process, one after the other: what a door has loaded is still there behind the next ones, so that what is
light behind the last was light behind each. Those that may load least come first."""
CLASSES = ("privpac.concepts.linear", "privpac.concepts.boxes", "privpac.concepts.line.")


@pytest.fixture(scope="module")
def behind(place: Path) -> dict[str, tuple[int, list[str]]]:
    """By door: the exit code, and the modules that are loaded behind it."""
    run = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(DOORS)], cwd=place, capture_output=True, text=True, check=True
    )
    loaded: dict[str, tuple[int, list[str]]] = json.loads(run.stderr.splitlines()[-1])
    return loaded


@pytest.mark.parametrize("door", DOORS)
def test_a_door_loads_nothing_heavy(behind: dict[str, tuple[int, list[str]]], door: str) -> None:
    code, modules = behind[door]
    assert code == 0
    assert not HEAVY & {name.split(".")[0] for name in modules}
    if door in READ_ONLY:
        assert not {name for name in modules if name.startswith(CLASSES)}


def test_an_estimator_loads_scikit_learn_and_nothing_that_learns() -> None:
    count = "import sys; from privpac import PrivateClassifier; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    assert "sklearn.base" in modules
    assert not {"numba", "privpac.learning", "privpac.constructions.words", "duckdb"} & set(modules)
