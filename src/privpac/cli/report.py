"""The HTML page about a model, written to a file."""

from __future__ import annotations

import os

from privpac.cli.destination import Destination
from privpac.model import Model
from privpac.report.page import report_html

__all__ = ["write_report"]


def write_report(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all."""
    destination = Destination.of(os.fspath(path), owner="report", option="path", force=True)
    assert destination is not None
    destination.write(report_html(model))
