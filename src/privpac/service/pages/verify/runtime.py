"""Pyodide, the Python that runs in a browser: where a copy lies on this machine, and whether it is the one we know.

It is not part of the package, which it would make ten times as large. Whoever writes the page has it fetched once, by a
command or by hand; the page itself never fetches anything from elsewhere. A page that people trust with a verdict
must not run what somebody slipped in, so every file is compared with its digest.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from privpac.drafts import whole_file
from privpac.errors import DataError, ParameterError, PrivpacError

__all__ = ["FILES", "VERSION", "download", "kept_files", "read_runtime"]

VERSION = "314.0.7"
PACKAGE = f"pyodide@{VERSION}"
"""As npm calls it. Where npm fetches from is set up on the machine, a mirror for instance, and none of our business."""
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
"""What the page needs of the npm package `pyodide`, each with its SHA-256."""

OWNER = "verify-page"
MOST_BYTES = 1 << 26
SECONDS = 60


def read_runtime(place: Path | None, cache: Path) -> dict[str, bytes]:
    """The files of the runtime, from a folder or archive that somebody names, or else as they were kept.

    What was named is kept for the next time. `PrivpacError` says how to get it if there is none, `ParameterError` that
    the place holds something else.
    """
    if place is None:
        files = kept_files(cache)
        if files is None:
            raise PrivpacError(
                f"The page runs on Pyodide {VERSION}, and there is no copy on this machine.",
                remedy="Add --download to fetch it once with npm (6 MB), or bring the archive that npm pack"
                f" {PACKAGE} writes on another machine, and name it with --pyodide.",
            )
        return files
    files = _unpack(place)
    if not _is_known(files):
        requirement = f"Pyodide {VERSION}: its unpacked folder, or the archive of npm pack {PACKAGE}"
        raise ParameterError(OWNER, "pyodide", str(place), allowed=requirement)
    _keep(files, cache)
    return files


def kept_files(cache: Path) -> dict[str, bytes] | None:
    """The files kept on this machine; None if there are none, or not those we know."""
    files = _unpack(_place(cache))
    return files if _is_known(files) else None


def download(cache: Path) -> None:
    """Have npm fetch the archive, and keep its files if they are those we know; nothing of it is run."""
    with tempfile.TemporaryDirectory() as folder:
        raw = _fetch(Path(folder))
    if raw is None:
        raise DataError(
            f"npm pack {PACKAGE} did not work: there is no npm, or it reaches nothing.",
            remedy="Run it on another machine, and name the archive it writes with --pyodide.",
        )
    files = _from_archive(raw)
    if not _is_known(files):
        raise DataError(f"What npm brought is not Pyodide {VERSION} as we know it, and was thrown away.")
    _keep(files, cache)


def _fetch(folder: Path) -> bytes | None:
    npm = shutil.which("npm")
    if npm is None:
        return None
    command = [npm, "pack", PACKAGE, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    try:
        subprocess.run(
            command, check=True, timeout=SECONDS, stdin=subprocess.DEVNULL, capture_output=True, cwd=folder
        )
        with next(folder.glob("*.tgz")).open("rb") as archive:
            return archive.read(MOST_BYTES)
    except (OSError, subprocess.SubprocessError, StopIteration):
        return None


def _place(cache: Path) -> Path:
    return cache / f"pyodide-{VERSION}"


def _unpack(place: Path) -> dict[str, bytes]:
    """Those of the files that a folder or an archive holds."""
    try:
        if place.is_file():
            return _from_archive(place.read_bytes())
        return {name: (place / name).read_bytes() for name in FILES if (place / name).is_file()}
    except OSError as problem:
        raise DataError(f"{str(place)!r} cannot be read: {problem.strerror}.") from None


def _from_archive(raw: bytes) -> dict[str, bytes]:
    """Nothing is unpacked to the disk: members are read by name, and only as much of them as there can be."""
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:gz") as archive:
            for name in FILES:
                member = archive.extractfile(f"package/{name}")
                if member is not None:
                    files[name] = member.read(MOST_BYTES)
    except (tarfile.TarError, EOFError, KeyError, OSError):
        return {}
    return files


def _is_known(files: Mapping[str, bytes]) -> bool:
    return {name: hashlib.sha256(raw).hexdigest() for name, raw in files.items()} == FILES


def _keep(files: Mapping[str, bytes], cache: Path) -> None:
    place = _place(cache)
    place.mkdir(parents=True, exist_ok=True)
    for name, raw in files.items():
        with whole_file(place / name) as draft:
            draft.write_bytes(raw)
