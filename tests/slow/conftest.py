"""Suites of this folder whose program is not there are left out, in so many words."""

from __future__ import annotations

import shutil

import pytest

NEEDS_NODE = "test_second_checker.py"

collect_ignore = [] if shutil.which("node") and shutil.which("npm") else [NEEDS_NODE]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out."""
    for name in collect_ignore:
        terminalreporter.write_line(
            f"NOT RUN: tests/slow/{name} needs node and npm; .ci/programs installs them."
        )
