"""Everything the pages stand on: who may look, whose budget, which folder, where work is kept."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

from privpac.errors import DataError, ParameterError
from privpac.service.access.rate import Rate
from privpac.service.pages.budget.books import Books
from privpac.service.pages.drawers import Drawers
from privpac.service.pages.jobs import Jobs
from privpac.service.pages.learn.uploads import UploadLimits
from privpac.service.pages.visitors import Gate

__all__ = ["MOST_UPLOAD", "Place"]

MOST_UPLOAD = 64 << 20
"""Bytes of one upload: larger tables are for the command line, which streams them."""

TABLES = (".csv", ".csv.gz", ".tsv", ".parquet")
MODELS = (".json",)
MOST_LISTED = 200
WRONG_SECRETS_PER_SECOND = 1.0
"""From one address: a person mistypes a key now and then, a program that tries keys does nothing else."""


@dataclass(frozen=True)
class Place:
    """The surroundings of all routes, made once when a server starts."""

    gate: Gate
    books: Books = field(default_factory=Books)
    folder: Path | None = None
    """Tables and models on the server's own machine that may be named; nothing outside of it."""
    bundle: Path | None = None
    """What a service answers from: its certificate is shown."""
    hosts: frozenset[str] | None = None
    """Values of the Host header that are answered; None: whatever a proxy lets through."""
    most_upload: int = MOST_UPLOAD
    upload_limits: UploadLimits = field(default_factory=UploadLimits)
    drawers: Drawers = field(default_factory=Drawers)
    jobs: Jobs = field(default_factory=Jobs)
    wrong_secrets: Rate = field(default_factory=lambda: Rate(WRONG_SECRETS_PER_SECOND))
    """By address: whoever tries keys or tokens to sign in with is slowed down. A service shares that of its API."""

    def close(self) -> None:
        """End the jobs and delete the drawers; what was paid for stays, and is said."""
        self.jobs.close()
        for drawer in self.drawers.close():
            logging.getLogger("privpac").warning("Paid for, and kept: %s", drawer.path)

    def listed(self, *, models: bool = False) -> list[str]:
        """Names of files below the folder, for people to choose from."""
        if self.folder is None:
            return []
        ends, root = (MODELS if models else TABLES), self.folder.resolve()
        paths = sorted(
            path.relative_to(root).as_posix()
            for path in root.rglob("*")
            if not any(part.startswith(".") for part in path.relative_to(root).parts)
            and (path.name.lower().endswith(ends) or (models and (path / "bundle.json").is_file()))
            and path.resolve().is_relative_to(root)
        )
        return paths[:MOST_LISTED]

    def named(self, name: str, *, models: bool = False) -> Path:
        """A file or bundle below the folder, wherever links and dots would like to lead."""
        if self.folder is None:
            raise DataError(
                "These pages read no files of the server.",
                remedy="Upload the file, or start them with privpac ui --folder DIR.",
            )
        root = self.folder.resolve()
        requirement = "a table or model inside the folder these pages were started with"
        try:
            path = (root / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise ParameterError("folder", "name", name, allowed=requirement) from None
        right = path.name.lower().endswith(MODELS if models else TABLES)
        if not path.is_relative_to(root) or not (right or (models and (path / "bundle.json").is_file())):
            raise ParameterError("folder", "name", name, allowed=requirement)
        return path
