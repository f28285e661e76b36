"""A construction is one folder, its check, its proof page and its tests: the example of CONTRIBUTING.md, carried out.

The files that CONTRIBUTING.md shows are added to a copy of the tree, and nothing else in it is changed. The example's
own tests and the contracts that ask for completeness then run in the copy.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"^New (file|line) (?:in )?`([^`]+)`:\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAMILY = "src/privpac/constructions/constants/"
OUTSIDE = {
    "src/privpac/checker/steps/constants.py",
    "docs/proofs/constant-label.md",
    "tests/contracts/examples/constants.py",
    "tests/statistical/test_constants.py",
}
"""The check, the proof page and the tests."""


def shown() -> list[tuple[str, str, str]]:
    return SHOWN.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, tests and proof pages, with the example added."""
    copy = tmp_path_factory.mktemp("tree")
    for folder in ("src", "tests", "docs/proofs", "benchmarks"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "golden"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    for what, name, text in shown():
        place = copy / name
        if what == "file":
            assert not place.exists()
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, encoding="utf-8")
        else:  # a line of a table: below its head
            page = place.read_text(encoding="utf-8")
            head = re.search(r"^\|(?:---\|)+\n", page, re.MULTILINE)
            assert head is not None
            place.write_text(page[: head.end()] + text + page[head.end() :], encoding="utf-8")
    return copy


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_its_folder_its_check_its_proof_page_and_its_tests_are_touched() -> None:
    files = {name for what, name, _ in shown() if what == "file"}
    assert {name for name in files if not name.startswith(FAMILY)} == OUTSIDE
    assert len(files) > len(OUTSIDE)


FOUND = """
import json
from privpac import plan
from privpac.audit.registry import REGISTRY
from privpac.checker.steps import RULES
from privpac.constructions import catalogue
from privpac.constructions.words import WORDS
from privpac.plan.options import OPTIONS
print(json.dumps({
    "register": "constant-label" in catalogue.REGISTER,
    "formulas": "loss_constant" in catalogue.formulas(),
    "rules": "constant_label" in catalogue.rules(),
    "checker": "constant-label" in RULES,
    "words": "constants" in WORDS,
    "plan": any(option.learner == "constants" for option in OPTIONS),
    "answers": len(plan.needed("constants", error="0.1", epsilon=1).answers),
    "audit": "constants" in REGISTRY,
}))
"""


@pytest.mark.long
def test_it_appears_everywhere_without_being_listed(tree: Path) -> None:
    done = run(tree, "-c", FOUND)
    assert done.returncode == 0, done.stderr
    assert all(json.loads(done.stdout).values())
    assert not any(json.loads(run(ROOT, "-c", ABSENT).stdout))


ABSENT = """
import json
from privpac.constructions import catalogue
from privpac.constructions.words import WORDS
print(json.dumps(["constant-label" in catalogue.REGISTER, "constants" in WORDS]))
"""


@pytest.mark.long
def test_its_tests_and_the_contracts_hold(tree: Path) -> None:
    """Its own tests, and those that ask whether rules, checks, pages, plans and claims are complete."""
    done = run(
        tree,
        "-m",
        "pytest",
        "tests/statistical/test_constants.py",
        "tests/statistical/test_claims.py",
        "tests/contracts/test_register_complete.py",
        "tests/contracts/test_plan_complete.py",
        "-k",
        "constant or every_rule_has or every_formula_has or every_page_is or index_names or can_be_simulated or seal",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= 12, done.stdout
