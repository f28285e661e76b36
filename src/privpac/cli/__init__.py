"""The command line: one verb per file, results on stdout, everything else on stderr."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]

INTERRUPTED = 130  # what shells report for a program ended by Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        # Inside, so that Ctrl-C is quiet while modules are still being loaded.
        from privpac.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
