"""What a release needs, one word each:

python .ci/release.py dist       wheel and sdist of privpac, and the checker alone, into dist/; looked into and used
python -I .ci/release.py use     what anybody does first with an installed privpac, and nothing but that
python .ci/release.py X.Y.Z      writes the version into every place that names it: see CONTRIBUTING.md
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES, DIST, GOLDEN = ROOT / "src" / "privpac", ROOT / "dist", ROOT / "tests" / "golden"
KINDS = {".css", ".html", ".js", ".md", ".py", ".svg", ".txt"}
PAGES, PACKED = "docs/theory", "src/privpac/theory/pages"
"""The theory pages, which hold the statements, and where the wheel has them."""
"""Every kind of file the package cannot do without."""
MOST_CHECKER_BYTES = 500_000
CHECKER = """\
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
CHECKER_README = """\
# privpac-checker

`privpac-checker FILE` says what a model file, released table, bundle or certificate of privpac promises, once every
step of its derivation was derived again and every signature in it was checked; exit code 4 if one does not follow. It
shares no code with what makes certificates, needs nothing but Python, and looks at nothing but the file. What it
cannot see: whether the stored parameters lead to this certificate, which `privpac verify` looks at besides.
"""


def expect(holds: bool, what: str) -> None:
    """Stop with a sentence unless `holds`; unlike `assert`, also under `python -O`."""
    if not holds:
        raise SystemExit(f"release: not so: {what}")
    print(f"ok: {what}")


def run(*command: str | Path, cwd: Path = ROOT, quiet: bool = False) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL if quiet else None)


# The distributions.


def checker_project(folder: Path) -> None:
    """The checker as a distribution of its own: its sources under its own name, and nothing written twice."""
    text = (SOURCES / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    expect(version is not None, "privpac has a version")
    (folder / "pyproject.toml").write_text(CHECKER.format(version=version and version[1]), encoding="utf-8")
    (folder / "README.md").write_text(CHECKER_README, encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder)
    place = folder / "privpac_checker"
    shutil.copytree(SOURCES / "checker", place, ignore=shutil.ignore_patterns("__pycache__", "js"))
    shutil.copy(SOURCES / "errors.py", place)
    (place / "py.typed").touch()
    for path in place.rglob("*.py"):
        text = re.sub(r"\bprivpac\.checker\b", "privpac_checker", path.read_text(encoding="utf-8"))
        path.write_text(re.sub(r"\bprivpac\.errors\b", "privpac_checker.errors", text), encoding="utf-8")


def dist() -> None:
    """Build, look, install, use; the first thing that is wrong ends it with a sentence."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    (wheel,), (sdist,) = DIST.glob("privpac-*.whl"), DIST.glob("privpac-*.tar.gz")
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src", PAGES)
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    known = {name for name in found if name and (ROOT / name).is_file()}
    with zipfile.ZipFile(wheel) as archive:
        every = {name for name in archive.namelist() if not name.endswith("/")}
    package = {name for name in every if ".dist-info/" not in name}
    expect(
        {f"src/{name}".replace(PACKED, PAGES) for name in package} == known,
        f"{wheel.name} holds what git knows, and nothing else",
    )
    expect({Path(name).suffix for name in package} >= KINDS, f"{wheel.name} holds {', '.join(sorted(KINDS))}")
    expect(any(name.endswith("/LICENSE") for name in every - package), f"{wheel.name} holds the licence")
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    wanted = known | {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"}
    expect(wanted <= packed, f"{sdist.name} holds the sources and what speaks of them")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        python = fresh(folder / "all")
        run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel)
        alone = shutil.copy(__file__, folder)
        run(python, "-I", alone, "use", cwd=folder)  # isolated: no PYTHONPATH, no folder of this repository
        (folder / "checker").mkdir()
        checker_project(folder / "checker")
        run(sys.executable, "-m", "build", "--wheel", "--outdir", str(DIST), str(folder / "checker"))
        (small,) = DIST.glob("privpac_checker-*.whl")
        expect(small.stat().st_size <= MOST_CHECKER_BYTES, f"{small.name} is small")
        python = fresh(folder / "alone")
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", small)
        for model in sorted(GOLDEN.glob("*/models/*.json")):
            run(python, "-I", "-m", "privpac_checker", model, quiet=True, cwd=folder)
        expect(True, f"{small.name} alone checks the stored models")


def fresh(place: Path) -> Path:
    """The interpreter of a new environment."""
    venv.create(place, with_pip=True)
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def use() -> None:
    """Learn, verify, predict, plan, ask for the version, with nothing but the installed package."""
    from importlib.metadata import version

    import privpac

    scripts = Path(sysconfig.get_path("scripts"))
    program = scripts / ("privpac.exe" if sys.platform == "win32" else "privpac")

    def said(*words: str) -> str:
        done = subprocess.run([program, *words], capture_output=True, text=True, check=True, encoding="utf-8")
        return done.stdout

    installed = Path(sysconfig.get_path("purelib")).resolve() in Path(privpac.__file__).resolve().parents
    expect(installed, "privpac is the installed one")
    ages = [18 + i * 7919 % 77 for i in range(5000)]
    age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
    ledger = privpac.Ledger(epsilon=2)
    model = privpac.learn(
        {"age": ages, "ill": [int(age >= 60) for age in ages]},
        schema={"label": "ill", "columns": [age]},
        epsilon=1,
        ledger=ledger,
    )
    expect(ledger.left.epsilon == 1, "learning cost what was said")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        model.save(file)
        expect(privpac.verify(file).steps > 0, "the stored certificate is derived again")
        expect("epsilon 1" in said("verify", str(file)), "the command line verifies it too")
        # 65 records have such an age, all alike: a rule that errs on them weighs at most e^-32 of the best one.
        answers = privpac.load(file).predict({"age": [30, 80]})
        expect([int(answer) for answer in answers] == [0, 1], "the stored rule answers")
    planned = privpac.plan("thresholds", bits=32, error=0.1, epsilon=1)
    expect(any(row.proved for row in planned.answers), "a plan proves a number of records")
    expect(
        said("--version").split()[-1] == version("privpac") == privpac.__version__, "one version everywhere"
    )


# The version.


def release(version: str) -> None:
    """Write what the release changes: stored documents and vectors by processes that read the new version."""
    today = date.today().isoformat()
    replaced("src/privpac/__init__.py", r'^__version__ = ".*"$', f'__version__ = "{version}"')
    for folder in GOLDEN.glob("[0-9]*"):
        shutil.rmtree(folder)
    for module in ("tests.golden", "tests.vectors"):
        run(sys.executable, "-m", module)
    replaced("CHANGELOG.md", r"^## \[Unreleased\]$", f"## [Unreleased]\n\n## [{version}] - {today}")
    replaced("CITATION.cff", r"^version: .*$", f"version: {version}")
    replaced("CITATION.cff", r"^date-released: .*$", f"date-released: {today}")
    pages = "docs/reference/bibliography.md", "docs/compare/index.md"
    replaced(pages[0], r'"privpac [\d.]+, statement', f'"privpac {version}, statement')
    replaced(pages[0], r"learning\. Version [\d.]+, \d{4}\.$", f"learning. Version {version}, {today[:4]}.")
    replaced(pages[1], r"^\| \*\*privpac\*\* [\d.]+ \|", f"| **privpac** {version} |")


def replaced(name: str, pattern: str, text: str) -> None:
    """The one place of a file that a pattern names, written anew."""
    path = ROOT / name
    new, places = re.subn(pattern, text, path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    if places != 1:
        raise SystemExit(f"{name} has no line like {pattern}")
    path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["dist"]:
            dist()
        case ["use"]:
            use()
        case [str(number)] if re.fullmatch(r"\d+\.\d+\.\d+", number):
            release(number)
        case _:
            raise SystemExit(__doc__)
