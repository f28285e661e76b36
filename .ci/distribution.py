"""Builds wheel and sdist into dist/, looks into the wheel, and uses it where nothing but the wheel is: `make dist`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

import checker_package

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
SMOKE = Path(__file__).with_name("smoke.py")
MOST_CHECKER_BYTES = 500_000
KINDS = {".css", ".html", ".js", ".py", ".svg", ".txt"}
"""Every kind of file the package cannot do without."""


def main() -> None:
    """Build, look, install, use; the first thing that is wrong ends it with a sentence."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    wheel, sdist = _only("privpac-*.whl"), _only("privpac-*.tar.gz")
    _look_into_wheel(wheel)
    _look_into_sdist(sdist)
    with tempfile.TemporaryDirectory() as folder:
        _use(wheel, Path(folder))
    checker = _checker()
    print(
        f"{wheel.name}, {sdist.name} and {checker.name} are in {DIST.name}/; the first works without extras, the last "
        "without anything."
    )


def _checker() -> Path:
    """The checker alone: built, small, and used in an environment that has nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        checker_package.write_project(Path(folder))
        _run(sys.executable, "-m", "build", "--wheel", "--outdir", str(DIST), folder)
        wheel = _only("privpac_checker-*.whl")
        if wheel.stat().st_size > MOST_CHECKER_BYTES:
            raise SystemExit(f"{wheel.name} has more than {MOST_CHECKER_BYTES:,} bytes")
        python = _fresh(Path(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel))
        models = sorted((ROOT / "tests" / "golden").glob("*/models/*.json"))
        for model in models:
            _run(str(python), "-I", "-m", "privpac_checker", str(model), quiet=True, cwd=Path(folder))
        print(f"ok: {wheel.name} ({wheel.stat().st_size:,} bytes) alone checks {len(models)} stored models")
    return wheel


def _run(*command: str, cwd: Path = ROOT, quiet: bool = False) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL if quiet else None)


def _only(pattern: str) -> Path:
    (path,) = DIST.glob(pattern)
    return path


def _sources() -> set[str]:
    """What git knows below src/, as the wheel names it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name.removeprefix("src/") for name in listed.split("\0") if name and (ROOT / name).is_file()}


def _look_into_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    package = {name for name in names if ".dist-info/" not in name}
    _expect_nothing(_sources() - package, f"{wheel.name} lacks")
    _expect_nothing(package - _sources(), f"{wheel.name} must not hold")
    _expect_nothing(KINDS - {Path(name).suffix for name in package}, f"{wheel.name} holds no file of kind")
    _expect_nothing({"privpac/py.typed"} - package, f"{wheel.name} lacks")
    if not any("/migrations/versions/" in name for name in package):
        raise SystemExit(f"{wheel.name} lacks the migrations of the service's tables")
    if not any(name.endswith("/LICENSE") and ".dist-info/" in name for name in names):
        raise SystemExit(f"{wheel.name} lacks the licence")


def _look_into_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"src/{name}" for name in _sources()} | {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
    }
    _expect_nothing(wanted - names, f"{sdist.name} lacks")
    _expect_nothing({name for name in names if "__pycache__" in name}, f"{sdist.name} must not hold")


def _expect_nothing(names: set[str], complaint: str) -> None:
    if names:
        raise SystemExit(f"{complaint}: {', '.join(sorted(names)[:10])}")


def _fresh(folder: Path) -> Path:
    """The interpreter of a new environment in this folder."""
    venv.create(folder / "fresh", with_pip=True)
    return folder / "fresh" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _use(wheel: Path, folder: Path) -> None:
    """Install the wheel without extras into an environment of its own, and run the smoke test from there."""
    python = _fresh(folder)
    constraints = str(ROOT / "constraints.txt")
    _run(
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-c",
        constraints,
        str(wheel),
    )
    alone = shutil.copy(SMOKE, folder)
    _run(str(python), "-I", str(alone), cwd=folder)  # isolated: no PYTHONPATH, no folder of this repository


if __name__ == "__main__":
    main()
