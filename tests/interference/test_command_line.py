"""The command line: what it prints, on both streams and in both forms, and what it writes depend on the draw alone."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from privpac import Ledger
from privpac.answering.bundle import bundle, writing
from privpac.cli import main
from privpac.compiled import WATCH
from privpac.signing.keys import SigningKey
from tests.interference.artefacts import text
from tests.interference.books import without_passing
from tests.interference.coins import SteadyCoins, released, steady
from tests.interference.comparing import Artefacts, Refused, Result, compared
from tests.interference.tables import FEW, SCHEMA, TABLES, Pair, Table

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")

BUDGET = ("ledger", "create", "book.sqlite", "--epsilon", "5")
WISHES = ("data.csv", "--schema", "schema.json", "--random-state", "SEED", "--epsilon")
LEARN = ("learn", *WISHES, "0.05", "--ledger", "book.sqlite")
CUTS = ("--concepts", "thresholds:age")


@dataclass(frozen=True)
class Script:
    """Commands one after the other, the file that holds what was drawn, and what else is written."""

    name: str
    commands: tuple[tuple[str, ...], ...]
    drawn: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = FEW
    refused: bool = False
    stated: bool = False
    """Whether a statement is written, of which seeded files have none."""

    def __str__(self) -> str:
        return self.name


SCRIPTS = (
    Script(
        "learn, explain, verify, predict",
        (
            BUDGET,
            (*LEARN, *CUTS, "--out", "model.json", "--report", "report.html", "--full"),
            ("explain", "model.json", "--picture", "rule.svg"),
            ("explain", "model.json", "--json"),
            ("verify", "model.json"),
            ("verify", "model.json", "--json"),
            ("predict", "model.json", "questions.csv"),
            ("predict", "model.json", "questions.csv", "--json"),
            ("ledger", "show", "book.sqlite"),
            ("ledger", "show", "book.sqlite", "--json"),
        ),
        ("model.json",),
        ("model.json", "report.html", "rule.svg"),
        FEW,
    ),
    Script(
        "learn, in JSON",
        (BUDGET, (*LEARN, "--concepts", "trees:2", "--out", "m.json", "--json")),
        ("m.json",),
        (),
        FEW,
    ),
    Script(
        "learn from files that are streamed",
        (BUDGET, (*LEARN, *CUTS, "--engine", "files", "--out", "model.json")),
        ("model.json",),
        (),
        FEW,
    ),
    Script(
        "release",
        (
            BUDGET,
            (
                "release",
                *WISHES,
                "0.05",
                "--column",
                "age",
                "--method",
                "quantiles",
                "--anyway",
                "--out",
                "made.csv",
                "--full",
            ),
            ("verify", "made.json"),
            ("explain", "made.json", "--statement", "annex.html"),
            ("explain", "made.json", "--statement", "annex.md"),
        ),
        ("made.csv",),
        ("made.csv", "made.json", "annex.html", "annex.md"),
        FEW,
        stated=True,
    ),
    Script(
        "release, in JSON",
        (
            (
                "release",
                *WISHES,
                "0.05",
                "--column",
                "age",
                "--method",
                "blr",
                "--out",
                "made.csv",
                "--anyway",
                "--json",
            ),
        ),
        ("made.csv",),
        ("made.csv", "made.json"),
        FEW,
    ),
    Script("what learning would take", ((*LEARN[:-2], "--dry-run"), (*LEARN[:-2], "--dry-run", "--json"))),
    Script(
        "refused: a budget that is too small",
        (
            BUDGET,
            ("learn", *WISHES, "6", *CUTS, "--ledger", "book.sqlite"),
            ("learn", *WISHES, "6", *CUTS, "--ledger", "book.sqlite", "--json"),
            ("ledger", "show", "book.sqlite"),
        ),
        refused=True,
    ),
    Script(
        "refused: an error that is too small",
        (("release", *WISHES, "0.05", "--column", "age", "--error", "0.001", "--out", "made.csv"),),
        refused=True,
    ),
    Script(
        "refused: too few records", (("learn", *WISHES, "1", "--concepts", "reference:dose"),), refused=True
    ),
    Script("refused: no such class", (("learn", *WISHES, "1", "--concepts", "forests"),), refused=True),
)


def written(place: Path, table: Table) -> None:
    """The table and its schema, as people keep them."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "schema.json").write_text(json.dumps(SCHEMA.to_json()))
    for name, rows in (("data.csv", None), ("questions.csv", 5)):
        with (place / name).open("w", newline="") as stream:
            writer = csv.writer(stream)
            source = table if rows is None else TABLES["base"]
            names = [column for column in source if rows is None or column != SCHEMA.label]
            writer.writerow(names)
            cells = zip(*(source[column][:rows] for column in names), strict=True)
            writer.writerows(["" if cell is None else cell for cell in row] for row in cells)


Told = Callable[[], tuple[str, str]]


def said(commands: Sequence[Sequence[str]], seed: int, told: Told) -> tuple[list[int], Artefacts]:
    """Exit codes, and what every command printed, apart from times and what names a ledger."""
    codes, printed = [], {}
    for number, command in enumerate(commands):
        codes.append(main([str(seed) if word == "SEED" else word for word in command]))
        book = Ledger.open("book.sqlite") if Path("book.sqlite").exists() else None
        for stream, words in zip(("stdout", "stderr"), told(), strict=True):
            printed[f"{stream} of {number}: {' '.join(command)}"] = without_passing(words, book).encode()
    return codes, printed


def unseeded(command: tuple[str, ...]) -> tuple[str, ...]:
    """The same command with the system's coins."""
    if "SEED" not in command:
        return command
    place = command.index("SEED")
    return (*command[: place - 1], *command[place + 1 :])


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    WATCH.keep_quiet()  # whether kernels were compiled before depends on the cache, not on records
    return lambda: tuple(capsys.readouterr())  # type: ignore[return-value]


def outcome(place: Path, names: Sequence[str]) -> str:
    """Of a model what chance decided, of other files all of it."""
    parts = []
    for name in names:
        content = (place / name).read_text()
        if name.endswith(".json"):
            tree = json.loads(content)
            content = json.dumps([tree.get(part) for part in ("hypothesis", "leaf_counts", "estimate")])
        parts.append(content)
    return "\n".join(parts)


@pytest.mark.long_cases("release", "refused: an error that is too small")
@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_what_is_printed_and_written(
    script: Script, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    codes: set[int] = set()

    def run(table: Table, seed: int) -> Result | Refused:
        written(place, table)
        monkeypatch.chdir(place)
        commands = script.commands
        if script.stated:
            released(monkeypatch, seed)
            commands = tuple(map(unseeded, commands))
        found, printed = said(commands, seed, told)
        codes.update(found)
        files = {name: (place / name).read_bytes() for name in script.files}
        artefacts = {**printed, **files, "codes": text(found)}
        drawn = outcome(place, script.drawn)
        return Result(drawn, lambda: artefacts)

    assert isinstance(compared(run, TABLES, script.pairs, seeds=60), int)
    assert codes & {2, 3, 4} if script.refused else codes == {0}


def test_comparing_two_models(tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    models = tmp_path / "models"
    written(models, TABLES["base"])
    monkeypatch.chdir(models)
    made = [(*LEARN[:-2], *CUTS, "--out", f"{i}.json") for i in (1, 2)]
    for seed, command in enumerate(made):
        assert said([command], seed, told)[0] == [0]
    place = tmp_path / "place"

    def run(table: Table, seed: int) -> Result | Refused:
        written(place, table)
        monkeypatch.chdir(place)
        compare = ("compare", "../models/1.json", "../models/2.json", "data.csv", "--epsilon", "1")
        commands = [(*compare, "--random-state", "SEED", *more) for more in ((), ("--json",))]
        codes, printed = said(commands, seed, told)
        assert codes == [0, 0]
        difference = json.loads(next(v for k, v in printed.items() if k.startswith("stdout of 1")))[
            "difference"
        ]
        return Result(str(difference), lambda: printed)

    assert isinstance(compared(run, TABLES, FEW, seeds=60), int)


@pytest.mark.parametrize("word", ["thresholds:age", "predict-by-vote:thresholds:age", "vote:tree"])
def test_a_bundle_that_answers(
    word: str, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"

    def run(table: Table, seed: int) -> Result | Refused:
        written(place, table)
        monkeypatch.chdir(place)
        for module in (bundle, writing):
            monkeypatch.setattr(module, "SystemCoins", lambda: SteadyCoins(seed))
        models = ("--models", "5") if word != "thresholds:age" else ()
        learn = ("learn", *WISHES, "0.1", "--protect", "predictions", "--concepts", word, *models)
        ask = ("predict", "bundle", "questions.csv", "--ledger", "book.sqlite")
        stated = ("explain", "bundle", "--statement", "annex.md")
        released(monkeypatch, seed)
        make = unseeded((*learn, "--out", "bundle"))
        commands = [BUDGET, make, ("verify", "bundle"), ask, (*ask, "--json"), stated]
        codes, printed = said(commands, seed, told)
        assert codes == [0] * 6
        answers = next(v for k, v in printed.items() if k.startswith("stdout of 3"))
        tree = json.loads((place / "bundle" / "bundle.json").read_text())
        public = {"bundle.json": text({k: v for k, v in tree.items() if k not in ("id", "digest")})}
        annex = (place / "annex.md").read_text()  # the digest covers the bundle's random name
        public["annex.md"] = annex.replace(tree["digest"], "DIGEST").replace(tree["id"], "ID").encode()
        return Result(answers.decode(), lambda: {**printed, **public})

    assert isinstance(compared(run, TABLES, FEW, seeds=60), int)


def test_a_session_of_questions(tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"

    def run(table: Table, seed: int) -> Result | Refused:
        written(place, table)
        monkeypatch.chdir(place)
        seeded = ("--random-state", "SEED")
        wishes = (*CUTS, "--epsilon", "1", "--labels", "10", *seeded)
        first = said(
            [("active", "ask", "data.csv", "session", "--schema", "schema.json", *wishes)], seed, told
        )
        listed = (place / "session" / "ask.csv").read_text()
        rows = [line.split(",")[0] for line in listed.split()[1:]]
        answers = "".join(f"{row},{table['ill'][int(row) - 1]}\n" for row in rows)
        (place / "answers.csv").write_text("record,label\n" + answers)
        then = said(
            [
                ("active", "tell", "session", "answers.csv"),
                ("active", "learn", "session", "data.csv", "--out", "model.json", *seeded),
            ],
            seed,
            told,
        )
        assert first[0] + then[0] == [0, 0, 0]
        public = (place / "session" / "session.json").read_bytes()
        artefacts = {**{f"asking: {k}": v for k, v in first[1].items()}, **then[1], "session": public}
        artefacts["model"] = (place / "model.json").read_bytes()
        return Result(listed + outcome(place, ("model.json",)), lambda: artefacts)

    assert isinstance(compared(run, TABLES, FEW, seeds=60), int)


@pytest.mark.parametrize("paid", [False, True])
def test_what_is_signed_and_stated(
    paid: bool, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signatures with their receipts, and annexes: with one key, all that differs is what names the ledger."""
    SigningKey.make().save(tmp_path / "office.key")
    place = tmp_path / "place"
    budget = (BUDGET, (*LEARN, *CUTS)) if paid else ((*LEARN[:-2], *CUTS),)
    *before, learn = budget
    commands = (
        *before,
        (*learn, "--out", "model.json", "--sign", "../office.key", "--signer", "Office"),
        ("verify", "model.json"),
        ("verify", "model.json", "--json"),
        ("explain", "model.json", "--statement", "annex.html"),
        ("explain", "model.json", "--statement", "annex.md"),
        ("sign", "model.json", "--key", "../office.key", "--signer", "Archive", "--detached", "archive.json"),
        *((("ledger", "verify", "book.sqlite", "--receipt", "model.json"),) if paid else ()),
    )

    def run(table: Table, seed: int) -> Result | Refused:
        written(place, table)
        monkeypatch.chdir(place)
        released(monkeypatch, seed)
        codes, printed = said(list(map(unseeded, commands)), seed, told)
        assert set(codes) == {0}
        book = Ledger.open("book.sqlite") if paid else None
        # What is hashed holds the ledger's random name; the file itself is compared without it.
        bytes_signed = hashlib.sha256((place / "model.json").read_bytes()).hexdigest()
        files = {
            name: _without_signature(without_passing((place / name).read_text(), book), paid=paid)
            .replace(bytes_signed, "SHA-256")
            .encode()
            for name in ("model.json", "annex.html", "annex.md", "archive.json")
        }
        drawn = outcome(place, ("model.json",))
        return Result(drawn, lambda: {**printed, **files})

    assert isinstance(compared(run, TABLES, FEW, seeds=60), int)


def _without_signature(words: str, *, paid: bool) -> str:
    """Without the 64 bytes that sign the ledger's random name, where they do."""
    return re.sub(r'("signature": ?)"[^"]+"', r'\1"SIGNATURE"', words) if paid else words
