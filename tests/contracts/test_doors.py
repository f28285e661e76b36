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
code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
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


DOORS = {
    "verify": ("verify", "model.json"),
    "verify the certificate": ("verify", "--certificate-only", "model.json"),
    "predict": ("predict", "model.json", "table.csv"),
    "explain": ("explain", "model.json"),
    "plan": ("plan", "--schema", "schema.json", "--epsilon", "1", "--error", "0.1"),
    "learn": ("learn", "table.csv", "--schema", "schema.json", "--epsilon", "1"),
    "a dry run": ("learn", "table.csv", "--schema", "schema.json", "--epsilon", "1", "--dry-run"),
    "schema": ("schema", "table.csv"),
}
READ_ONLY = ("predict", "explain")
"""Doors that read one stored tree, and need none of the classes that it could have been drawn from."""
CLASSES = ("privpac.concepts.linear", "privpac.concepts.boxes", "privpac.concepts.line.")


@pytest.mark.long_cases("a dry run", "explain", "predict")
@pytest.mark.parametrize("door", DOORS)
def test_a_door_loads_nothing_heavy(place: Path, door: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", RUN, *DOORS[door]], cwd=place, capture_output=True, text=True, check=True
    )
    code, modules = json.loads(run.stderr.splitlines()[-1])
    assert code == 0, run.stderr
    assert not HEAVY & {name.split(".")[0] for name in modules}
    if door in READ_ONLY:
        assert not {name for name in modules if name.startswith(CLASSES)}


def test_an_estimator_loads_scikit_learn_and_nothing_that_learns() -> None:
    count = "import sys; from privpac import PrivateClassifier; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    assert "sklearn.base" in modules
    assert not {"numba", "privpac.learning", "privpac.constructions.words", "duckdb"} & set(modules)
