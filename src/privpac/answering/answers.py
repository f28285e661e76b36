"""Answers that were given: asked again, a question gets the same answer and nothing is spent.

An answer is stored after it was paid for. If storing fails, a repeat is paid for again: never the other way round.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from privpac.errors import PrivpacError

__all__ = ["Answers", "FileAnswers", "MemoryAnswers"]

AT_ONCE = 500  # keys per statement: every SQLite takes this many parameters
BUSY_SECONDS = 60.0


class MemoryAnswers:
    """Class numbers by question, for one process. Its user holds a lock (`PrivatePredictor`)."""

    def __init__(self) -> None:
        self._answers: dict[bytes, int] = {}
        self.ended = False
        """Whether a draw failed, so that nothing new is answered."""

    def known(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """The answers to those of the questions that were asked before."""
        return {key: self._answers[key] for key in keys if key in self._answers}

    def keep(self, answers: Mapping[bytes, int]) -> dict[bytes, int]:
        """Store them, and return what is stored: of two answers to a question the first remains."""
        return {key: self._answers.setdefault(key, answer) for key, answer in answers.items()}

    def count(self) -> int:
        """The number of questions that were answered."""
        return len(self._answers)

    def end(self) -> None:
        """Remember, for good, that a draw failed: nothing new is answered any more."""
        self.ended = True


class FileAnswers:
    """The same in an SQLite file, for any number of processes of one machine. Only its owner may read it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        if not self._path.exists():
            # Made with its mode: between making and changing it others could look.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        with self._open_connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answer (key BLOB PRIMARY KEY, label INTEGER NOT NULL) WITHOUT ROWID"
            )
            connection.execute("CREATE TABLE IF NOT EXISTS ending (number INTEGER PRIMARY KEY)")

    def known(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        with self._open_connection() as connection:
            return _stored_answers(connection, keys)

    def keep(self, answers: Mapping[bytes, int]) -> dict[bytes, int]:
        with self._open_connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR IGNORE INTO answer VALUES (?, ?)", list(answers.items()))
            labels = _stored_answers(connection, list(answers))
            connection.execute("COMMIT")
        return labels

    def count(self) -> int:
        with self._open_connection() as connection:
            return int(connection.execute("SELECT COUNT(*) FROM answer").fetchone()[0])

    def end(self) -> None:
        with self._open_connection() as connection:
            connection.execute("INSERT OR IGNORE INTO ending VALUES (1)")

    @property
    def ended(self) -> bool:
        with self._open_connection() as connection:
            return connection.execute("SELECT 1 FROM ending").fetchone() is not None

    @contextmanager
    def _open_connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(
                sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
            ) as connection:
                yield connection
        except sqlite3.Error as problem:
            raise PrivpacError(
                f"The answers in {str(self._path)!r} could not be used: {problem}.",
                remedy="Answers that were paid for and not stored are paid for again.",
            ) from problem


Answers = MemoryAnswers | FileAnswers
"""Where a predictor keeps what it answered."""


def _stored_answers(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, int]:
    labels: dict[bytes, int] = {}
    for start in range(0, len(keys), AT_ONCE):
        some = list(keys[start : start + AT_ONCE])
        marks = ",".join("?" * len(some))
        rows = connection.execute(f"SELECT key, label FROM answer WHERE key IN ({marks})", some)
        labels.update((bytes(key), int(label)) for key, label in rows)
    return labels
