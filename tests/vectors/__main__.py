"""`python -m tests.vectors OUT` writes every vector as a file; without OUT the lists of what is
accepted and of what is edited are made anew.

`python -m tests.vectors --tight` makes the list of edges anew, and leaves the others."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.vectors.frozen import Vector, vectors
from tests.vectors.making import make, make_tight


def write_files(folder: Path, files: Iterable[Vector]) -> int:
    """Each of them as `accepted/NAME.json`, `refused/NAME.json` or `unseen/NAME.json`, and `index.json`."""
    rows = []
    for vector in files:
        path = folder / vector.expected / f"{vector.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(vector.text.encode("utf-8", "surrogatepass"))
        file = path.relative_to(folder).as_posix()
        rows.append({"file": file, "kind": vector.kind, "expected": vector.expected, "reason": vector.reason})
    (folder / "index.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return len(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["--tight"]:
        make_tight()
    elif len(sys.argv) > 1:
        count = write_files(Path(sys.argv[1]), vectors())
        print(f"{count} files are in {sys.argv[1]}; index.json says what each must come to.")
    else:
        make()
