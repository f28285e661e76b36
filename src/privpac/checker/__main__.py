"""`python -m privpac.checker FILE`: what a document promises, or the reason why not, with the standard library alone.

Exit codes: 0 the certificate follows, 2 wrong input, 4 it does not follow.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from privpac.checker.check import NOT_CHECKED, check_file
from privpac.checker.signature import UNSIGNED
from privpac.errors import PrivpacError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one document and return the exit code; results go to stdout, refusals to stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m privpac.checker",
        description="Check limits, digest, signatures and derivation of a document, and say what it promises.",
        epilog="Exit codes: 0 the certificate follows, 2 wrong input, 4 it does not follow.",
    )
    parser.add_argument(
        "file", metavar="FILE", help="A model file, a released table, a bundle, or a bare certificate."
    )
    parser.add_argument("--json", action="store_true", help="Print one JSON document instead of text.")
    wishes = parser.parse_args(arguments)
    try:
        promise = check_file(wishes.file)
    except PrivpacError as problem:
        print(json.dumps(problem.to_json()) if wishes.json else problem, file=sys.stderr)
        return problem.exit_code
    claims = [signature.claim() for signature in promise.signatures]
    lines = [*promise.lines(), *(claims or [UNSIGNED]), NOT_CHECKED]
    print(json.dumps(promise.to_json(), indent=2) if wishes.json else "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
