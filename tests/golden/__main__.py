"""`python -m tests.golden`: write what the present version writes, and how it all looks.

The documents go into a folder named after the version. Review their difference like code, and that of `looks.json` and
`audit.json`. With `--new`, all that is stored stays as it is, and what has nothing stored yet is added.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from privpac import __version__
from tests.golden.audits import AUDIT, audited
from tests.golden.cases import CASES
from tests.golden.corpus import HERE, difference, expected, stored, units_below
from tests.golden.kinds import Case
from tests.golden.reading import copied, looks, use
from tests.golden.records import Place

LOOKS = HERE / "looks.json"
USES = "uses.json"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument(
        "--audit", action="store_true", help="Enumerate the rows of the audit too (a minute)."
    )
    parser.add_argument(
        "--new", action="store_true", help="Only add what has no document or numbers yet (seconds)."
    )
    wishes = parser.parse_args(arguments)
    changed = (write_new if wishes.new else write_documents)(__version__)
    write_json(LOOKS, _looks(_read(LOOKS) if wishes.new else {}))
    if wishes.audit or wishes.new:
        write_json(AUDIT, audited(_read(AUDIT) if wishes.new else {}))
    print(f"{len(changed)} documents written for {__version__}.")
    return 0


def write_json(path: Path, tree: Any) -> None:
    path.write_text(json.dumps(tree, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _looks(known: Mapping[str, Any]) -> dict[str, Any]:
    return {name: known[name] if name in known else looks(unit) for name, unit in stored().items()}


def write_new(version: str) -> list[str]:
    """The units that nothing was stored of, and that were added to those of the version."""
    known = expected(version)
    cases = [case for case in CASES if set(case.units) - known.keys()]
    with tempfile.TemporaryDirectory() as name:
        units = _units(Path(name), cases)
        new = [unit for unit in units if unit not in known]
        _add(HERE / version, {unit: units[unit] for unit in new})
    return new


def write_documents(version: str) -> list[str]:
    """The units that were written because they differ from what was stored, or were not; others stay as they are."""
    with tempfile.TemporaryDirectory() as name:
        units = _units(Path(name), CASES)
        known = expected(version)
        changed = [unit for unit, path in units.items() if unit not in known or difference(known[unit], path)]
        for unit in [unit for unit in known if unit not in units or unit in changed]:
            _remove(known[unit])
        _forget(HERE / version, {unit for unit in units if unit not in changed})
        _add(HERE / version, {unit: units[unit] for unit in changed})
    return changed


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _forget(folder: Path, kept: Container[str]) -> None:
    """Of what documents answered, keep that of those which stay."""
    if (folder / USES).exists():
        write_json(folder / USES, {unit: use for unit, use in _read(folder / USES).items() if unit in kept})


def _add(target: Path, units: Mapping[str, Path]) -> None:
    """These documents in a version's folder, and what all of its documents answer."""
    for unit, path in units.items():
        (target / unit).parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target / unit)
        else:
            shutil.copy(path, target / unit)
    if units:
        write_json(target / USES, _uses(target, _read(target / USES)))


def _units(folder: Path, cases: Sequence[Case]) -> dict[str, Path]:
    (folder / "records").mkdir()
    Place.prepare(folder / "records")
    for case in cases:
        case.make(Place("memory", folder / "records"), folder / "made")
    wanted = {unit for case in cases for unit in case.units}
    return {unit: path for unit, path in units_below(folder / "made").items() if unit in wanted}


def _uses(folder: Path, known: Mapping[str, Any]) -> dict[str, Any]:
    uses = {}
    for unit, path in units_below(folder).items():
        with tempfile.TemporaryDirectory() as place:
            uses[unit] = known[unit] if unit in known else use(copied(path, Path(place)))
    return uses


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
