"""How many files a reader follows: those of the package whose functions run in one call, module bodies aside.

Learning is counted up to the model; the verification it ends with is what `verify` does, and is counted with that.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = """
import json, sys, warnings
from pathlib import Path
import privpac, privpac.learning
from privpac.cli import main
from privpac.compiled import load_compiler

warnings.simplefilter("ignore")
root = str(Path(privpac.__file__).parent)
age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
bmi = {"name": "bmi", "kind": "numeric", "lower": 0, "upper": 60, "integer": True}
schema = {"label": "ill", "classes": [0, 1], "columns": [age, bmi]}
n = 1000
ages = [i % 100 for i in range(n)]
table = {"age": ages, "bmi": [i % 60 for i in range(n)], "ill": [age // 50 for age in ages]}

def files(call):
    touched, importing = set(), 0
    def see(frame, event, arg):
        nonlocal importing
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(root):
            return
        if code.co_name == "<module>":
            importing += 1 if event == "call" else -1
        elif not importing and code.co_flags & 2:  # a function, not the body of a class
            touched.add(code.co_filename[len(root) + 1 :])
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
    return sorted(touched)

place = sys.argv[1]
def learn(word, **paid):
    return privpac.learn(table, schema=schema, concepts=word, epsilon=1, random_state=1, **paid)

load_compiler()  # or numpy would take some of the steps, which ones depending on what was compiled before
learn("auto").save(place)
counts = {"whole": files(lambda: learn("thresholds:age"))}
privpac.learning.verify_model = lambda model, concepts: None
counts |= {word: files(lambda: learn(word)) for word in ("thresholds:age", "stumps", "auto")}
ledger = privpac.Ledger(epsilon=10)
counts["paid"] = files(lambda: learn("stumps", ledger=ledger))
counts["verify"] = files(lambda: main(["verify", place, "--certificate-only", "--json"]))
print(json.dumps(counts), file=sys.stderr)
"""

MOST = {"thresholds:age": 34, "stumps": 35, "auto": 45, "paid": 44, "verify": 10, "whole": 47}
"""Files at most: a change that needs another one merges two. `paid` charges a ledger, and `whole` verifies besides.
All steps are taken by kernels, so that a run counts the same whatever was compiled before it."""


@pytest.fixture(scope="module")
def touched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    place = tmp_path_factory.mktemp("touched") / "model.json"
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(place)], capture_output=True, text=True, check=True, timeout=600
    )
    counts: dict[str, list[str]] = json.loads(run.stderr.splitlines()[-1])
    return counts


@pytest.mark.parametrize("call", MOST)
def test_a_reader_follows_few_files(touched: dict[str, list[str]], call: str) -> None:
    assert len(touched[call]) <= MOST[call], "\n".join(touched[call])


def test_what_runs_is_seen(touched: dict[str, list[str]]) -> None:
    seen = {Path(name).as_posix() for name in touched["stumps"]}
    assert {"learning.py", "releasing.py", "concepts/line/stumps.py", "coins/tosses.py"} <= seen
    assert not any(name.startswith("checker/") for name in seen)
    assert "checker/check.py" in touched["verify"]
