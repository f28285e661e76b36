"""`python .ci/release.py X.Y.Z`: what a release writes, before its tests and its tag.

CONTRIBUTING.md, *How to release*, says what comes before and after. Written are the version, its stored documents and
the files for other checkers, the list of released versions, the heading of the changelog, the citation, and the pages
that name the version to cite or to compare. `git diff` then shows the release; nothing is committed here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"


def replaced(name: str, pattern: str, text: str) -> None:
    """The one place of a file that a pattern names, written anew."""
    path = ROOT / name
    old = path.read_text(encoding="utf-8")
    new, places = re.subn(pattern, text, old, count=1, flags=re.MULTILINE)
    if places != 1:
        raise SystemExit(f"{name} has no line like {pattern}")
    path.write_text(new, encoding="utf-8")


def run(module: str) -> None:
    """A module of the tests, in a process that reads the new version."""
    subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=True)


def main(version: str) -> None:
    """Write what the release changes."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit("a version is three numbers, as in 0.2.0")
    today = date.today().isoformat()
    replaced("src/privpac/__init__.py", r'^__version__ = ".*"$', f'__version__ = "{version}"')
    for folder in GOLDEN.glob("[0-9]*"):
        shutil.rmtree(folder)
    run("tests.golden")
    run("tests.vectors")
    replaced("CHANGELOG.md", r"^## \[Unreleased\]$", f"## [Unreleased]\n\n## [{version}] - {today}")
    replaced("CITATION.cff", r"^version: .*$", f"version: {version}")
    replaced("CITATION.cff", r"^date-released: .*$", f"date-released: {today}")
    replaced(
        "docs/reference/bibliography.md", r'"privpac [\d.]+, statement', f'"privpac {version}, statement'
    )
    replaced(
        "docs/reference/bibliography.md",
        r"learning\. Version [\d.]+, \d{4}\.$",
        f"learning. Version {version}, {today[:4]}.",
    )
    replaced("docs/compare/index.md", r"^\| \*\*privpac\*\* [\d.]+ \|", f"| **privpac** {version} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
