"""Suites of this folder are slow, and each of them runs in one process, whose server or browser it shares; those whose
program is not there are left out, in so many words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

NEEDS_NODE = ["test_looking.py", "test_mutated.py", "test_second_checker.py", "test_second_translator.py"]

collect_ignore = [] if shutil.which("node") and shutil.which("npm") else NEEDS_NODE


@pytest.hookimpl(tryfirst=True)  # before those are left out that were not asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker("slow")
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out."""
    for name in collect_ignore:
        terminalreporter.write_line(
            f"NOT RUN: tests/slow/{name} needs node and npm; .ci/programs installs them."
        )
