"""Where the corpus lies, and when two documents count as the same.

Until 1.0 there is one folder, of the present version: earlier documents are refused (docs/reference/stability.md).

Every document names the version that wrote it, and its digest covers that name. Two documents are therefore the same
if their bytes are, once `version` and `digest` are taken out; written by one and the same version, nothing is taken
out. Of a bundle, the two kinds of files whose bytes depend on other libraries (`.npz` on zlib, `.skops` on skops and
scikit-learn) are compared by what they hold or not at all, and their hashes in `bundle.json` are taken out. SQLite
files are compared by their mark, their tables and their rows. Times, identities that are drawn anew, and the hashes
and signatures that cover them are taken out everywhere.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from privpac import __version__

__all__ = ["CURRENT", "HERE", "database", "difference", "expected", "stored", "units_below"]

HERE = Path(__file__).parent
CURRENT = HERE / __version__
"""Where the documents of this version are."""


def units_below(folder: Path) -> dict[str, Path]:
    """Every document of a version's folder, as KIND/NAME; a bundle or a session is a folder."""
    return {
        f"{kind.name}/{unit.name}": unit
        for kind in sorted(folder.iterdir() if folder.is_dir() else ())
        if kind.is_dir()
        for unit in sorted(kind.iterdir())
    }


def stored() -> dict[str, Path]:
    """Every document of every version, as VERSION/KIND/NAME."""
    folders = sorted(folder for folder in HERE.iterdir() if re.match(r"\d+\.", folder.name))
    return {f"{folder.name}/{unit}": path for folder in folders for unit, path in units_below(folder).items()}


def expected(version: str) -> dict[str, Path]:
    """What this version is expected to write."""
    return units_below(HERE / version)


def difference(old: Path, new: Path) -> str | None:
    """The name of the first file in which two documents differ; None if they are the same."""
    olds, news = _files(old), _files(new)
    if olds.keys() != news.keys():
        return f"{old.name}: {', '.join(sorted(olds.keys() ^ news.keys()))} is in one of them only"
    return next((name for name in olds if not _same(olds[name], news[name])), None)


def _files(unit: Path) -> Mapping[str, Path]:
    if unit.is_file():
        return {unit.name: unit}
    return {path.name: path for path in sorted(unit.iterdir())}


def _same(old: Path, new: Path) -> bool:
    if old.suffix == ".skops":
        return True
    if old.suffix == ".sqlite":
        return database(old) == database(new)
    if old.suffix == ".npz":
        return dict(_arrays(old)) == dict(_arrays(new))
    if old.name == "secret.json":
        return set(json.loads(old.read_bytes())) == set(
            json.loads(new.read_bytes())
        )  # a key, and tags under it
    if old.suffix in (".json", ".jsonl"):
        return _same_text(old.read_bytes(), new.read_bytes())
    return old.read_bytes() == new.read_bytes()


def _arrays(path: Path) -> Iterator[tuple[str, tuple[str, bytes]]]:
    with np.load(path, allow_pickle=False) as arrays:
        for name in arrays.files:
            yield name, (arrays[name].dtype.str, arrays[name].tobytes())


_ANEW = ("id", "head", "hash", "time")
"""Columns and fields of a ledger that no two of them share."""


def database(path: Path) -> tuple[int, Any, Any]:
    """The mark, the tables and the rows of an SQLite file, without what is drawn anew; the file stays as it is."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        objects = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
        rows = {name: list(_rows(connection, name)) for kind, name, _ in objects if kind == "table"}
    return mark, objects, rows


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    cursor = connection.execute(f'SELECT * FROM "{table}" ORDER BY 1')
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield {name: value for name, value in zip(names, row, strict=True) if name not in _ANEW}


_VERSION = re.compile(rb'("version": ")([^"]*)')
_DIGEST = re.compile(rb'("digest": ")[^"]*(?="(?:\s*}\s*$|,\s*"signatures"))')
_SIGNED = ("ledger", "document", "signature")
_FOREIGN = re.compile(rf'((?:\.(?:npz|skops)|"(?:{"|".join((*_ANEW, *_SIGNED))}))": ")[^"]*'.encode())
"""Hashes of files that other libraries write, what is drawn anew for every document, and signatures of it."""


def _same_text(old: bytes, new: bytes) -> bool:
    """Equal bytes; of two versions, or with hashes of foreign files, without what must differ then."""
    bare = [_FOREIGN.sub(rb"\1", text) for text in (old, new)]
    if bare != [old, new] or _named_version(old) != _named_version(new):
        bare = [_DIGEST.sub(rb"\1", _VERSION.sub(rb"\1", text, count=1)) for text in bare]
    return bare[0] == bare[1]


def _named_version(text: bytes) -> bytes | None:
    match = _VERSION.search(text)
    return None if match is None else match[2]
