"""Processor seconds of every way in, as a person feels them: `python -m benchmarks.doors [NAME ...] [--json out.json]`.

Commands run as processes, interpreter and imports included, from a copy of the package as pip would install it; they
take turns, and the least of several turns counts. Rows that stand in the file already are kept, so that a run can be
continued; a NAME measures that part anew. `--data DIR` (with DIR/adult/{schema.json,data.csv.gz}) and `--peers-python
PATH`, an environment with interpret and diffprivlib, add fits side by side.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measuring import Row, least_seconds, row

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "privpac"
TURNS = 5


@dataclass(frozen=True)
class Place:
    """An installed copy of the package with a cache of kernels of its own, and files to work on."""

    folder: Path
    data: Path | None = None
    peers: str | None = None

    @cached_property
    def site(self) -> Path:
        """The package as pip would leave it: no kernels, compiled bytecode."""
        site = self.folder / "site"
        shutil.copytree(PACKAGE, site / "privpac", ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(site, quiet=2)
        return site

    def fresh_cache(self) -> None:
        shutil.rmtree(self.folder / "kernels", ignore_errors=True)

    def seconds(self, arguments: Sequence[str]) -> float:
        """Processor seconds, user and system, of Python with these arguments."""
        import resource  # where there is none, the other benchmarks still run

        def spent() -> float:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        own = {"PYTHONPATH": str(self.site), "NUMBA_CACHE_DIR": str(self.folder / "kernels")}
        start = spent()
        subprocess.run(
            [sys.executable, *arguments],
            check=True,
            cwd=self.folder,
            env={**kept, **own},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return spent() - start

    @cached_property
    def table(self) -> Path:
        """569 records of 30 numbers: scikit-learn's breast cancer."""
        from sklearn.datasets import load_breast_cancer

        return self.write("cancer", load_breast_cancer())

    @cached_property
    def longer_table(self) -> Path:
        """1,000 of its records, some of them twice."""
        from sklearn.datasets import load_breast_cancer

        return self.write("longer", load_breast_cancer(), records=1000)

    def write(self, name: str, bunch: object, records: int | None = None) -> Path:
        path = self.folder / f"{name}.csv"
        values = np.column_stack([bunch.data, bunch.target])  # type: ignore[attr-defined]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*bunch.feature_names, "target"])  # type: ignore[attr-defined]
            for place in range(records or len(values)):
                *cells, label = values[place % len(values)].tolist()
                writer.writerow([*cells, int(label)])
        return path

    @cached_property
    def model(self) -> Path:
        path = self.folder / "model.json"
        self.seconds((*self.learn, "--out", str(path), "--force"))
        return path

    @property
    def learn(self) -> tuple[str, ...]:
        options = "--schema", "from_data", "--label", "target", "--epsilon", "1"
        return ("-m", "privpac", "learn", str(self.table), *options)


def held(what: str, value: float, most: float | None) -> Row:
    """A row with a bar in processor seconds."""
    bar: Row = {} if most is None else {"most_seconds": most, "holds": value <= most}
    return {**row(what, value), **bar}


def turns(place: Place, jobs: Mapping[str, tuple[Sequence[str], float | None]]) -> list[Row]:
    """Least seconds of commands that take turns."""
    least = dict.fromkeys(jobs, float("inf"))
    for _ in range(TURNS):
        for name, (arguments, _) in jobs.items():
            least[name] = min(least[name], place.seconds(arguments))
    return [held(name, least[name], most) for name, (_, most) in jobs.items()]


# First use.


def first_use(place: Place) -> list[Row]:
    """The first `learn` after an install, with no kernel compiled, and what `privpac warm` changes."""
    least = float("inf")
    for _ in range(TURNS):
        place.fresh_cache()
        least = min(least, place.seconds(place.learn))
    place.fresh_cache()
    warming = place.seconds(("-m", "privpac", "warm"))
    rows = [
        held("first learn after an install, 569 records", least, 5.0),
        held("privpac warm", warming, None),
        held("first learn after privpac warm", place.seconds(place.learn), 2.5),
    ]
    return rows + turns(place, {"learn, 569 records": (place.learn, 1.2)})


# Commands and imports.


PLAN = ("--concepts", "stumps", "--columns", "10", "--bits", "32", "--epsilon", "1", "--error", "0.1")


def commands(place: Place) -> list[Row]:
    """Doors that need no kernel."""
    model, table = str(place.model), str(place.longer_table)
    privpac = "-m", "privpac"
    jobs: dict[str, tuple[Sequence[str], float | None]] = {
        "python -c pass": (("-c", "pass"), None),
        "import numpy": (("-c", "import numpy"), None),
        "import sklearn.base": (("-c", "import sklearn.base"), None),
        "from privpac import PrivateClassifier": (("-c", "from privpac import PrivateClassifier"), None),
        "verify --certificate-only": ((*privpac, "verify", "--certificate-only", model), 0.25),
        "verify": ((*privpac, "verify", model), None),
        "predict, 1,000 records": ((*privpac, "predict", model, table), 0.6),
        "explain": ((*privpac, "explain", model), None),
        "plan": ((*privpac, "plan", *PLAN), None),
    }
    return turns(place, jobs)


# Keys beyond 64 bits.

KEYS = 200_000


def keys(place: Place) -> list[Row]:
    """Thresholds on columns of 64 and of 128 bits, the same records otherwise."""
    from privpac.coins import SystemCoins
    from privpac.concepts.line.thresholds import Thresholds
    from privpac.constructions.draw.occam import Occam
    from privpac.data.columns import Numeric
    from privpac.data.engines.memory import MemorySample
    from privpac.data.schema import Schema

    generator = np.random.default_rng(1)
    low = generator.integers(0, 2**63, KEYS, dtype=np.uint64)
    labels = (low >= 2**62).astype(np.uint8)
    wide = [(value << 64) + value for value in low.tolist()]
    jobs: dict[str, Callable[[], object]] = {}
    for bits, values in ((64, low), (128, np.array(wide, dtype=object))):
        column = Numeric("key", 0, 2**bits - 1, integer=True)
        schema = Schema((column,), "hit", classes=("0", "1"))
        learner = Occam(Thresholds(schema, "key"), Fraction(1))
        data = MemorySample.of({"key": values}, schema, y=labels)

        def learn(learner: Occam = learner, data: MemorySample = data) -> object:
            return learner.learn(data, SystemCoins())

        learn()  # compiles
        jobs[f"thresholds on {KEYS:,} keys of {bits} bits"] = learn
    seconds = least_seconds(jobs, repeats=TURNS)
    narrow, wide_name = jobs
    return [
        row(narrow, seconds[narrow]),
        row(wide_name, seconds[wide_name], against=narrow, base=seconds[narrow], limit=4),
    ]


# Fits, side by side with the classifiers people use today.


def fits(place: Place) -> list[Row]:
    """Adult; like for like with diffprivlib's forest and DP-EBM (benchmarks/fit_speed.py), if they are there."""
    if place.data is None or place.peers is None:
        return []
    out = place.folder / "fits.json"
    script = str(Path(__file__).with_name("fit_speed.py"))
    options = "--data", str(place.data), "--peers-python", place.peers, "--json", str(out)
    subprocess.run([sys.executable, script, *options], check=True, stdout=subprocess.DEVNULL)
    found = {entry["method"]: entry for entry in json.loads(out.read_text(encoding="utf-8"))["rows"]}
    return fit_rows({name: entry["least_processor_seconds"] for name, entry in found.items()})


def fit_rows(seconds: Mapping[str, float]) -> list[Row]:
    """All fits, and ours against the defaults of each peer: the aim is not to be slower."""
    rows = [row(f"fit on Adult: {name}", value) for name, value in seconds.items() if name != OURS]
    peers = "dp_ebm_default", "diffprivlib_forest", "diffprivlib_tree"
    ours = f"fit on Adult: {OURS}", seconds[OURS]
    return rows + [row(*ours, against=f"fit on Adult: {peer}", base=seconds[peer], limit=1) for peer in peers]


OURS = "privpac 1"
"""The default classifier at epsilon 1."""


# Reading: CSV, frames, predictions of many records.

READING: dict[str, Callable[[Place], list[Row]]] = {}
"""Parts about reading, by name."""

PARTS: dict[str, Callable[[Place], list[Row]]] = {
    "first use": first_use,
    "commands": commands,
    "keys": keys,
    **READING,
    "fits": fits,
}


def known(file: Path | None) -> dict[str, list[Row]]:
    """What an earlier run wrote."""
    if file is None or not file.exists():
        return {}
    parts: dict[str, list[Row]] = {}
    for entry in json.loads(file.read_text(encoding="utf-8"))["rows"]:
        parts.setdefault(entry["part"], []).append(entry)
    return parts


def write(parts: Mapping[str, list[Row]], file: Path) -> None:
    rows = [entry for name in PARTS for entry in parts.get(name, [])]
    date = datetime.now(UTC).date().isoformat()
    document = {"what": "every way in", "date": date, "version": version("privpac"), "rows": rows}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[[], *PARTS], metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--peers-python")
    options = parser.parse_args()
    parts = {name: rows for name, rows in known(options.json).items() if name not in options.names}
    with TemporaryDirectory() as folder:
        place = Place(Path(folder), options.data, options.peers_python)
        for name in [name for name in options.names or PARTS if not parts.get(name)]:
            parts[name] = [{"part": name, **entry} for entry in PARTS[name](place)]
            for entry in parts[name]:
                print(json.dumps(entry), flush=True)
            if options.json is not None:
                write(parts, options.json)
    return 0 if all(entry.get("holds", True) for rows in parts.values() for entry in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
