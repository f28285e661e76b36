"""Commands that `privpac plan` prints, run as a person would: at the planned size, from the table to the predictions.

The tables are as unkind to limits as their size allows: as many distinct values as there are cells.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from privpac import Ledger, plan
from privpac.cli.app import run

SCHEMA: dict[str, Any] = {
    "label": "y",
    "columns": [
        {"name": "c", "kind": "numeric", "lower": 0, "upper": 65535, "integer": True},
        {"name": "d", "kind": "numeric", "lower": 0, "upper": 255, "integer": True},
    ],
}

WORDS = (
    "auto",
    "thresholds:c",
    "points:c",
    "intervals:c",
    "unions:c:2",
    "rectangles:c,d",
    "stumps",
    "trees:2",
    "lists:2",
    "conjunctions:2",
    "disjunctions:2",
    "scorecards:2",
    "halfspaces:c,d",
    "generated:c:8",
)
RELEASED = ("thresholds:c", "points:d", "intervals:c")
PROTECTED = ("records", "labels", "predictions")
UNLABELLED = 20_000
"""Records without labels at hand."""
MANY = 100_000
"""Records of a service from which on one question is enough: each is answered by hundreds of rules made for it."""


@dataclass(frozen=True, order=True)
class Printed:
    """A command and the table it is meant for."""

    command: str
    labelled: int
    unlabelled: int

    @property
    def records(self) -> int:
        return self.labelled + self.unlabelled

    def __str__(self) -> str:
        words = self.command.removeprefix("privpac ").replace("DATA --schema SCHEMA ", "")
        return f"{words} [{self.labelled}+{self.unlabelled}]"


def printed(**question: str) -> list[Printed]:
    """Every command printed for these numbers, once for each table it is meant for."""
    return sorted({row for word in (*WORDS, *RELEASED) for row in printed_for(word, **question)})


def printed_for(word: str, **question: str) -> list[Printed]:
    """Those that are printed for one word."""
    wishes: list[dict[str, Any]] = []
    if word in WORDS:
        wishes += [{"protect": one, "unlabelled": UNLABELLED} for one in PROTECTED]
    wishes += [{"release": True}] if word in RELEASED else []
    rows = [row for wish in wishes for row in plan.needed(word, schema=SCHEMA, **question, **wish).rows]
    return sorted({Printed(row.command, row.records, row.unlabelled) for row in rows})


def spent(asked: Printed, offered: str) -> str:
    """The epsilon that a command names: what was offered, or less, for the default may be planned to spend less."""
    words = shlex.split(asked.command)
    epsilon = words[words.index("--epsilon") + 1]
    by_default = "--concepts" not in words or "auto" in words
    assert epsilon == offered or (by_default and Fraction(epsilon) < Fraction(offered)), str(asked)
    return epsilon


def carried_out(asked: Printed, folder: Path) -> dict[str, Any]:
    """Run it, then verify and use what it made; every step must succeed. Returns the certificate."""
    places = _tables(asked, folder)
    words = [places.get(word, word) for word in shlex.split(asked.command)[1:]]
    if words[0] == "active":
        return _asked(words, places, folder)
    if words[0] == "release":
        out = folder / "released.json"
        _paid([*words, "--certificate", str(out)], folder)
        assert run(["verify", str(out)]) == 0
        return dict(json.loads(out.read_text(encoding="utf-8"))["certificate"])
    if "predictions" in words:
        return _answered(words, places, folder, questions=2 if asked.records <= MANY else 1)
    out = folder / "model.json"
    _paid([*words, "--out", str(out)], folder)
    return _used(out, places)


def _tables(asked: Printed, folder: Path) -> dict[str, str]:
    alone = "UNLABELLED" in asked.command
    labelled = asked.labelled if alone else asked.labelled + asked.unlabelled
    places = {"SCHEMA": str(folder / "schema.json"), "FOLDER": str(folder / "session")}
    places["SYNTHETIC.csv"] = str(folder / "synthetic.csv")
    Path(places["SCHEMA"]).write_text(json.dumps(SCHEMA), encoding="utf-8")
    places["DATA"] = _table(folder / "data.csv", labelled, first=0)
    if alone:
        places["UNLABELLED"] = _table(folder / "more.csv", asked.unlabelled, first=labelled)
    return places


def _table(path: Path, records: int, *, first: int) -> str:
    """Odd multipliers: no value occurs twice before all of them have occurred."""
    rows = ((i * 40503 % 65536, i * 167 % 256) for i in range(first, first + records))
    lines = [f"{c},{d},{int(c >= 30_000)}" for c, d in rows]
    path.write_text("\n".join(["c,d,y", *lines]) + "\n", encoding="utf-8")
    return str(path)


def _paid(words: list[str], folder: Path) -> None:
    """Run with a ledger: what was charged must have been delivered."""
    ledger = Ledger.create(folder / "ledger.sqlite", epsilon=1000, delta="0.5")
    code = run([*words, "--ledger", ledger.path, "--random-state", "1"])
    assert code == 0, f"exit code {code}, {ledger.spent.epsilon} charged"
    assert ledger.spent.epsilon > 0


def _used(model: Path, places: dict[str, str]) -> dict[str, Any]:
    assert run(["verify", str(model)]) == 0
    assert run(["predict", str(model), places["DATA"], "--out", str(model.with_suffix(".csv"))]) == 0
    return dict(json.loads(model.read_text(encoding="utf-8"))["certificate"])


def _asked(words: list[str], places: dict[str, str], folder: Path) -> dict[str, Any]:
    session, answers, out = Path(places["FOLDER"]), folder / "answers.csv", folder / "model.json"
    assert run([*words, "--random-state", "1"]) == 0
    rows = Path(places["DATA"]).read_text(encoding="utf-8").splitlines()
    asked = (session / "ask.csv").read_text(encoding="utf-8").split()[1:]
    numbers = [int(line.partition(",")[0]) for line in asked]
    labels = [f"{number},{rows[number].rpartition(',')[2]}" for number in numbers]
    answers.write_text("\n".join(["record,label", *labels]) + "\n", encoding="utf-8")
    assert run(["active", "tell", str(session), str(answers)]) == 0
    _paid(["active", "learn", str(session), places["DATA"], "--out", str(out)], folder)
    return _used(out, places)


def _answered(words: list[str], places: dict[str, str], folder: Path, *, questions: int) -> dict[str, Any]:
    bundle, file = folder / "bundle", folder / "questions.csv"
    assert run([*words, "--out", str(bundle), "--random-state", "1"]) == 0
    assert run(["verify", str(bundle)]) == 0
    file.write_text("\n".join(["c,d", *["10,20", "65000,200"][:questions]]) + "\n", encoding="utf-8")
    out = folder / "answers.csv"
    _predict_paid(bundle, file, out, folder)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1 + questions
    return dict(json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))["certificate"])


def _predict_paid(bundle: Path, questions: Path, out: Path, folder: Path) -> None:
    ledger = Ledger.create(folder / "ledger.sqlite", epsilon=1000)
    words = ["predict", str(bundle), str(questions), "--ledger", ledger.path, "--out", str(out)]
    assert run(words) == 0, f"{ledger.spent.epsilon} charged"
    assert ledger.spent.epsilon > 0
