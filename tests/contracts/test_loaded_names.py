"""A public name is what it is, whatever was imported before: no module may take the place of a function."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CALLS = """
import importlib, pkgutil
import privpac
from privpac.errors import PrivpacError

for module in pkgutil.walk_packages(privpac.__path__, "privpac."):
    if not module.name.endswith("__main__") and ".migrations." not in module.name:
        importlib.import_module(module.name)

age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
ages = [i % 120 for i in range(2400)]
table = {"age": ages, "ill": [int(age >= 60) for age in ages]}
schema = privpac.Schema.from_json({"label": "ill", "columns": [age]})
model = privpac.learn(table, schema=schema, concepts="thresholds:age", epsilon=1, random_state=1)
privpac.verify(model)
model.save("model.json")
assert privpac.load("model.json").describe() == model.describe()
released = privpac.release_table(table, schema=schema, columns="age", epsilon=1, random_state=1)
released.save("table.json")
privpac.load_table("table.json")
privpac.compare_models(table, model, model, epsilon=1, random_state=1)
assert privpac.plan("thresholds", bits=7, error="0.1", epsilon=1).best is not None
assert privpac.plan.reachable("thresholds", bits=7, records=500, epsilon=1).best is not None
missing = [name for name in privpac.__all__ if not hasattr(privpac, name)]
assert not missing, missing
modules = [name for name in privpac._NAMES if type(getattr(privpac, name)).__name__ == "module"]
assert not modules, modules
"""


def test_every_module_is_imported_and_then_every_public_function_called(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CALLS], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
