"""Writes constraints.txt from pip's report of what it would install: `make constraints`.

Names and versions only. Where a package came from is the business of whoever installs it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HEAD = """\
# Written by `make constraints`: the versions that everything is tested with, on Python 3.11. `make setup` installs
# these. They are not requirements, which are in pyproject.toml. A package that is not listed (another system, another
# Python) is not constrained.
"""


def main() -> None:
    """Read the report named on the command line and print the constraints."""
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    pins = {_normal(item["metadata"]["name"]): item["metadata"]["version"] for item in report["install"]}
    pins.pop("privpac")
    sys.stdout.write(HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(pins.items())))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
