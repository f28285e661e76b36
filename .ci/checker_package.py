"""Builds the checker as a distribution of its own, `privpac-checker`: pure Python, without a dependency.

Its sources are those of `privpac.checker` and `privpac.errors`, under the name `privpac_checker`: nothing is written
twice. The rule book lies beside them.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "privpac"

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "privpac-checker"
version = "{version}"
description = "Derives the certificates of privpac again, with arithmetic of its own and the standard library alone."
readme = "README.md"
license = "Apache-2.0"
requires-python = ">=3.11"
dependencies = []
classifiers = ["Topic :: Security", "Typing :: Typed"]

[project.scripts]
privpac-checker = "privpac_checker.__main__:main"

[tool.hatch.build.targets.wheel]
packages = ["privpac_checker"]
"""

README = """\
# privpac-checker

`privpac-checker FILE` says what a model file, released table, bundle or certificate of privpac promises, once every
step of its derivation was derived again and every signature in it was checked; exit code 4 if one does not follow. It
shares no code with what makes certificates, needs nothing but Python, and looks at nothing but the file. What it
cannot see: whether the stored parameters lead to this certificate, which `privpac verify` looks at besides.
"""


def version() -> str:
    """The version of privpac, which is the checker's."""
    text = (SOURCES / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__version__":
            return str(ast.literal_eval(node.value))
    raise SystemExit("privpac has no version")


def modules() -> dict[str, str]:
    """The checker's files by their place in the package, with imports under its own name."""
    files = sorted((SOURCES / "checker").rglob("*.py"))
    named = {path.relative_to(SOURCES / "checker").as_posix(): path for path in files} | {
        "errors.py": SOURCES / "errors.py"
    }
    return {name: _renamed(path.read_text(encoding="utf-8")) for name, path in named.items()}


def _renamed(text: str) -> str:
    text = re.sub(r"\bprivpac\.checker\b", "privpac_checker", text)
    return re.sub(r"\bprivpac\.errors\b", "privpac_checker.errors", text)


def write_project(folder: Path) -> None:
    """Lay out everything that a build needs."""
    (folder / "pyproject.toml").write_text(PROJECT.format(version=version()), encoding="utf-8")
    (folder / "README.md").write_text(README, encoding="utf-8")
    (folder / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
    for name, text in modules().items():
        path = folder / "privpac_checker" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "privpac_checker" / "rules.txt").write_bytes((SOURCES / "checker" / "rules.txt").read_bytes())
    (folder / "privpac_checker" / "py.typed").touch()
