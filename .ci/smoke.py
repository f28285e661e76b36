"""What anybody does first with an installed privpac: learn, verify, predict, plan, ask for the version.

Uses nothing but the installed package, so that it also shows what is missing from a wheel and which dependency was
forgotten: run it with the interpreter of an environment that has privpac and no extras, `python .ci/smoke.py`.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path

import privpac
from privpac import plan

RECORDS = 5000
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
SCHEMA = {"label": "ill", "columns": [AGE]}


def expect(holds: bool, what: str) -> None:
    """Stop with a sentence unless `holds`; unlike `assert`, also under `python -O`."""
    if not holds:
        raise SystemExit(f"smoke test: {what}")
    print(f"ok: {what}")


def command(*words: str) -> str:
    """What the installed `privpac` prints for these words."""
    program = Path(sysconfig.get_path("scripts")) / ("privpac.exe" if sys.platform == "win32" else "privpac")
    return subprocess.run(
        [program, *words], capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout


def main() -> None:
    """Run every step in an empty folder."""
    home = Path(privpac.__file__).resolve()
    expect(Path(sysconfig.get_path("purelib")).resolve() in home.parents, "privpac is the installed one")
    ages = [18 + i * 7919 % 77 for i in range(RECORDS)]
    table = {"age": ages, "ill": [int(age >= 60) for age in ages]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        ledger = privpac.Ledger(epsilon=2)
        model = privpac.learn(table, schema=SCHEMA, epsilon=1, ledger=ledger)
        expect(ledger.left.epsilon == 1, "learning cost what was said")
        model.save(file)
        expect(privpac.verify(file).steps > 0, "the stored certificate is derived again")
        expect("epsilon 1" in command("verify", str(file)), "the command line verifies it too")
        # 65 records have such an age, all alike: a rule that errs on them weighs at most e^-32 of the best one.
        answers = privpac.load(file).predict({"age": [30, 80]})
        expect([int(answer) for answer in answers] == [0, 1], "the stored rule answers")
        planned = plan.needed("thresholds", bits=32, error=0.1, epsilon=1)
        expect(any(row.proved for row in planned.answers), "a plan proves a number of records")
    expect(
        command("--version").split()[-1] == version("privpac") == privpac.__version__,
        "one version everywhere",
    )


if __name__ == "__main__":
    main()
