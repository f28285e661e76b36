"""`python -m tests.golden`: write what the present version writes differently from the last one, and how it all looks.

The documents go into a folder named after the version. A released version (`corpus.RELEASED`) is refused: what people
hold cannot be changed any more, so code that writes other bytes needs a version of its own. `looks.json` and
`audit.json`, which hold the present state only, are written for any version; review their difference like code.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from privpac import __version__
from tests.golden.audits import AUDIT, audited
from tests.golden.cases import CASES
from tests.golden.corpus import HERE, RELEASED, difference, expected, inherited, stored, units_below
from tests.golden.reading import copied, looks, use
from tests.golden.records import Place

LOOKS = HERE / "looks.json"
USES = "uses.json"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument(
        "--force", action="store_true", help="Write a released version's documents all the same."
    )
    parser.add_argument(
        "--audit", action="store_true", help="Enumerate the rows of the audit too (a minute)."
    )
    wishes = parser.parse_args(arguments)
    changed = write_documents(__version__, force=wishes.force)
    if changed is None:
        return 2
    write(LOOKS, {name: looks(unit) for name, unit in stored().items()})
    if wishes.audit:
        write(AUDIT, audited())
    print(f"{len(changed)} documents written for {__version__}.")
    return 0


def write(path: Path, tree: Any) -> None:
    path.write_text(json.dumps(tree, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_documents(version: str, *, force: bool) -> list[str] | None:
    """The units that were written; None if they differ and the version is released."""
    released = version in RELEASED and not force
    with tempfile.TemporaryDirectory() as name:
        made = _made(Path(name))
        known = expected(version) if released else inherited(version)
        changed = [unit for unit, path in made.items() if unit not in known or difference(known[unit], path)]
        if released:
            return _refused(version, changed) if changed else []
        _replace(HERE / version, {unit: made[unit] for unit in changed})
    return changed


def _refused(version: str, changed: list[str]) -> None:
    print(
        f"{version} is released, and {len(changed)} documents differ from what it wrote: {', '.join(changed)}. "
        "Give the changed code a version of its own, and run this again.",
        file=sys.stderr,
    )


def _replace(target: Path, units: dict[str, Path]) -> None:
    """A version's folder with these documents, and what they answer."""
    shutil.rmtree(target, ignore_errors=True)
    for unit, path in units.items():
        (target / unit).parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target / unit)
        else:
            shutil.copy(path, target / unit)
    if units:
        write(target / USES, _uses(target))


def _made(folder: Path) -> dict[str, Path]:
    (folder / "records").mkdir()
    Place.prepare(folder / "records")
    for case in CASES:
        case.make(Place("memory", folder / "records"), folder / "made")
    wanted = {unit for case in CASES for unit in case.units}
    return {unit: path for unit, path in units_below(folder / "made").items() if unit in wanted}


def _uses(folder: Path) -> dict[str, Any]:
    uses = {}
    for unit, path in units_below(folder).items():
        with tempfile.TemporaryDirectory() as place:
            uses[unit] = use(copied(path, Path(place)))
    return uses


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
