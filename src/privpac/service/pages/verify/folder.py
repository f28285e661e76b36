"""Writes the Verify page as one static folder: a page, the checker's own sources, and a Python that runs them.

What is served is what stands here: the sources of the checker go into the folder as they are, none is written twice.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from privpac import __version__
from privpac.checker.steps import RULES
from privpac.constructions.catalogue import REGISTER
from privpac.service.pages.verify.policy import POLICY
from privpac.service.pages.verify.runtime import VERSION

__all__ = ["CONTENTS", "contents", "sources", "write_page"]

SOURCES = (
    "__init__.py",
    "errors.py",
    "fields.py",
    "checker",
    "guarantee/__init__.py",
    "guarantee/guesses.py",
    "guarantee/sentences.py",
    "numbers/__init__.py",
    "numbers/decimals.py",
    "report/__init__.py",
    "report/derivation.py",
    "report/meaning.py",
    "report/wording.py",
    "service/__init__.py",
    "service/pages/__init__.py",
    "service/pages/verify/__init__.py",
    "service/pages/verify/look.py",
    "signing",
)
"""What runs in the browser: the checker, its words, and who signed. All of it needs the standard library alone."""

SHARED_FILES = ("site.css", "pieces.css", "mark.svg", "theme.js")
"""Of the other pages: one design for all."""

CONTENTS = ("index.html", "page.css", "page.js", "shown.js", "worker.js", "second.js")
"""Of this page alone."""

_DATE = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive: the same sources make the same bytes."""


def write_page(folder: Path, runtime: Mapping[str, bytes]) -> list[str]:
    """Write the page into a folder, which is made if need be; returns the names of the files, in order."""
    files = contents(runtime)
    for name, raw in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return sorted(files)


def contents(runtime: Mapping[str, bytes]) -> dict[str, bytes]:
    """Every file of the folder by its name: page, design, checkers and runtime."""
    package = files("privpac")
    pages = package / "service" / "pages"
    static = {name: (pages / "verify" / "static" / name).read_bytes() for name in CONTENTS}
    parts = {name: (pages / "static" / name).read_bytes() for name in SHARED_FILES}
    second = _below(package / "checker" / "js", "second/", ".js")
    return {
        **static,
        "index.html": _fill(static["index.html"], version=__version__, policy=POLICY),
        **parts,
        **second,
        "checker.zip": sources(),
        "rules.json": _rules(),
        "NOTICE.txt": NOTICE.encode(),
        **{f"pyodide/{name}": raw for name, raw in runtime.items()},
    }


def _fill(page: bytes, **words: str) -> bytes:
    for name, text in words.items():
        page = page.replace(f"{{{{ {name} }}}}".encode(), text.encode())
    return page


def sources() -> bytes:
    """The checker and its words as an archive that Python imports from."""
    package = files("privpac")
    texts: dict[str, bytes] = {}
    for name in SOURCES:
        place = package.joinpath(*name.split("/"))
        texts |= _below(place, f"{name}/", ".py") if place.is_dir() else {name: place.read_bytes()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in sorted(texts.items()):
            archive.writestr(zipfile.ZipInfo(f"privpac/{name}", _DATE), raw, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _below(place: Traversable, prefix: str, ending: str) -> dict[str, bytes]:
    """Files of one kind in a folder and the folders in it; none if there is no such folder."""
    files: dict[str, bytes] = {}
    for inner in place.iterdir() if place.is_dir() else ():
        if inner.is_dir():
            files |= _below(inner, f"{prefix}{inner.name}/", ending)
        elif inner.name.endswith(ending):
            files[f"{prefix}{inner.name}"] = inner.read_bytes()
    return files


def _rules() -> bytes:
    """Title and source of the theorem behind every rule that a certificate may name."""
    titles = {
        rule: [REGISTER[rule].title, REGISTER[rule].source] for rule in sorted(RULES) if rule in REGISTER
    }
    return json.dumps(titles, ensure_ascii=False, indent=1).encode() + b"\n"


NOTICE = f"""\
This folder holds a page that checks certificates of privpac {__version__} in a browser. It works from any static web
server, also without a network:

    python -m http.server --directory .

then open http://localhost:8000/. Nothing that is dropped on the page leaves the browser.

privpac: Apache-2.0.
pyodide/: Pyodide {VERSION} (MPL-2.0, https://pyodide.org), with CPython and its standard library (PSF-2.0), unchanged
from the npm package "pyodide".
"""
