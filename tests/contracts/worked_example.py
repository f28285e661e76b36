"""The example of CONTRIBUTING.md in a copy of the tree, and which tests could notice it there.

As a plugin of pytest (`-p tests.contracts.worked_example`) it leaves out those that could not.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"^New file `([^`]+)`:\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDED = re.compile(r"^At the end of `([^`]+)`:\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = (".*", "build", "dist", "node_modules", "site")
"""What is made anew where it is needed. Compiled kernels are copied: compiling takes longer than all else."""
KNOWN = "known-tests.txt"
"""A file in the copy: the tests that the tree itself has, one per line."""
TABLES = re.compile(r"\b(?:REGISTER|REGISTRY|WORDS|OPTIONS|RULES|EXAMPLES|KINDS|CASES|LEARNT|catalogue)\b")
"""What lists constructions, by whatever name."""
OTHER_MATTERS = re.compile(r"test_(?:store_\w+|engine_files|sklearn|cli_errors)\.py")
"""Contracts of stores, engines, the command line and scikit-learn, whatever is learnt."""


def shown() -> dict[str, str]:
    """The files that CONTRIBUTING.md shows."""
    return dict(SHOWN.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))


def added() -> dict[str, str]:
    """What CONTRIBUTING.md adds at the end of files."""
    return dict(ADDED.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))


def planted(copy: Path) -> Path:
    """A copy of the tree with these files, and with what one command writes then."""
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for name in (".ci", ".github", ".gitattributes", ".pre-commit-config.yaml"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, copy / name)
    for name, text in shown().items():
        place = copy / name
        assert not place.exists()
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for name, text in added().items():
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")
    (copy / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    run(copy, "make", "--old-file=.venv/.ready", "catalogue")
    return copy


def run(tree: Path, *command: str) -> str:
    """What a command prints that has to succeed in a tree; `python` is this one."""
    command = tuple(sys.executable if word == "python" else word for word in command)
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def could_notice(test: str, known: frozenset[str]) -> bool:
    """Whether it is new, or about no single case, in a contract or beside a list of the catalogue."""
    if test not in known:
        return True
    file = ROOT / test.partition("::")[0]
    speaks = file.parent.name == "contracts" or TABLES.search(file.read_text(encoding="utf-8"))
    return "[" not in test and bool(speaks) and not OTHER_MATTERS.fullmatch(file.name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known = frozenset((ROOT / KNOWN).read_text(encoding="utf-8").splitlines())
    chosen = [item for item in items if could_notice(item.nodeid, known)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen
