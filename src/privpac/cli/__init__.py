"""The command line: one verb per file, results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext

__all__ = ["main"]

ENDED = 128  # shells add the number of the signal that ended a program
SERVING = ("serve", "ui")
"""Verbs that an interrupt ends in their own way: the server finishes what it has begun."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from privpac.interrupts import Interrupts

    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json, serving = "--json" in words, bool(words) and words[0] in SERVING
    interrupts = Interrupts(as_json=as_json)
    try:
        with nullcontext() if serving else interrupts.heard():
            # Inside, so that Ctrl-C is told in words while modules are still being loaded.
            from privpac.cli.app import run

            code = run(words)
    except KeyboardInterrupt:
        if not serving:
            _say(interrupts.farewell(), as_json=as_json)
        return ENDED + interrupts.signal
    if interrupts.afterwards():
        _say(interrupts.afterwards(), as_json=as_json)
    return code


def _say(text: str, *, as_json: bool) -> None:
    import json

    sys.stderr.write((json.dumps({"note": text}) if as_json else text) + "\n")
