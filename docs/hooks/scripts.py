"""The gallery: every script of examples/gallery/ is run, and becomes a page with its picture, code and output.

The contract with the scripts is in examples/gallery/README.md. Results are kept in .cache/gallery/ under a hash of the
script and of the package, so that only what changed is run again.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Broken", "Shown", "found", "pages", "run", "run_all"]

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "examples" / "gallery"
KEPT = ROOT / ".cache" / "gallery"
PICTURE = "PRIVPAC_GALLERY_OUT"
SECONDS = 300  # of one script, even on a busy machine; ten of them is what a reader waits for


class Broken(Exception):
    """A script of the gallery does not do what its contract says."""


@dataclass(frozen=True)
class Shown:
    """What a script printed, and where the picture is that it drew."""

    output: str
    picture: Path


def found() -> list[Path]:
    """The scripts by name."""
    return sorted(SCRIPTS.glob("*.py"))


def pages() -> Mapping[str, Callable[[], str]]:
    """Page → the function that writes it; none if there are no scripts."""
    scripts = found()
    if not scripts:
        return {}
    made: dict[str, Callable[[], str]] = {"gallery/index.md": _index}
    for script in scripts:
        made[f"gallery/{script.stem}.md"] = lambda script=script: _page(script)
    return made


def described(script: Path) -> tuple[str, str]:
    """Title and text: the first line of the docstring, and the rest."""
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    title, _, rest = text.partition("\n")
    if not title.strip():
        raise Broken(f"{script.name} has no docstring; its first line is the title.")
    return title.strip().rstrip("."), rest.strip()


def run_all() -> dict[str, Shown]:
    """Every script, two at a time."""
    scripts = found()
    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as workers:
        return {script.stem: shown for script, shown in zip(scripts, workers.map(run, scripts), strict=True)}


def run(script: Path) -> Shown:
    """What the script shows: kept from earlier, or run now."""
    kept = KEPT / f"{script.stem}-{_key(script)}"
    shown = Shown(output="", picture=kept / f"{script.stem}.svg")
    if not shown.picture.exists():
        _execute(script, kept)
    return Shown((kept / "output.txt").read_text(encoding="utf-8"), shown.picture)


def _execute(script: Path, kept: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "out" / f"{script.stem}.svg"
        work = Path(folder) / "work"
        picture.parent.mkdir()
        work.mkdir()
        settings = {
            **os.environ,
            PICTURE: str(picture),
            "MPLBACKEND": "svg",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
            "PYTHONIOENCODING": "utf-8",
        }
        command = [sys.executable, "-W", "error::RuntimeWarning", str(script)]
        try:
            done = subprocess.run(
                command, cwd=work, env=settings, capture_output=True, timeout=SECONDS, encoding="utf-8"
            )
        except subprocess.TimeoutExpired:
            raise Broken(f"{script.name} runs longer than {SECONDS} seconds.") from None
        if done.returncode:
            raise Broken(f"{script.name} fails:\n{done.stderr[-2000:]}")
        if not picture.exists():
            raise Broken(f"{script.name} drew no picture at ${PICTURE}.")
        if not done.stdout.strip():
            raise Broken(f"{script.name} prints nothing.")
        _keep(picture, done.stdout, kept)


def _keep(picture: Path, output: str, kept: Path) -> None:
    for old in KEPT.glob(f"{picture.stem}-{'?' * 16}"):
        shutil.rmtree(old, ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)
    (kept / "output.txt").write_text(output, encoding="utf-8")
    shutil.copy(picture, kept / picture.name)  # last: its presence says that the folder is complete


def _key(script: Path) -> str:
    return hashlib.sha256(_package().encode() + script.read_bytes()).hexdigest()[:16]


@cache
def _package() -> str:
    """A hash of everything a script can import from us."""
    total = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _index() -> str:
    lines = [
        "# Gallery",
        "",
        "Scripts that run as they stand: one question, one picture each. They are run whenever the site is built.",
        "",
        '<div class="gallery" markdown>',
        "",
    ]
    for script in found():
        title, _ = described(script)
        lines.append(f"* [![]({script.stem}.svg) {title}]({script.stem}.md)")
    return "\n".join([*lines, "", "</div>", ""])


def _page(script: Path) -> str:
    title, text = described(script)
    shown = run(script)
    code = _without_docstring(script.read_text(encoding="utf-8"))
    return (
        f"# {title}\n\n{text}\n\n![{title}]({script.stem}.svg)\n\n"
        f"## Output\n\n```text\n{shown.output.rstrip()}\n```\n\n"
        f"## Script\n\n`examples/gallery/{script.name}`\n\n```python\n{code}\n```\n"
    )


def _without_docstring(code: str) -> str:
    """The text of the page is the docstring, so the listing begins after it."""
    first = ast.parse(code).body[0]
    return "\n".join(code.splitlines()[first.end_lineno :]).strip()
