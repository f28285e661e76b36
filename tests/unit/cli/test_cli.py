"""The command line on good input: what it prints, what it writes, what it leaves alone."""

from __future__ import annotations

import csv
import errno
import io
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from privpac import Ledger, __version__, load, verify
from privpac.cli import console, main
from privpac.cli.destination import Destination
from privpac.theory.statements import REGISTER

VERBS = ("learn", "predict", "explain", "verify", "schema", "ledger", "theorems", "reproduce")
SCHEMA = {
    "label": "ill",
    "classes": ["no", "yes, surely"],
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 100, "integer": True},
        {"name": "smoker", "kind": "boolean"},
    ],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with 400 records whose label is age >= 60, and their schema."""
    monkeypatch.chdir(tmp_path)
    labels = ["no"] * 60 + ['"yes, surely"'] * 40
    rows = [f"{i % 100},{i % 3 == 0},{labels[i % 100]}" for i in range(400)]
    (tmp_path / "data.csv").write_text("\n".join(["age,smoker,ill", *rows]) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return tmp_path


UNFORECAST = "Not forecast: nothing was measured for thresholds:age; auto, trees and cards are forecast.\n"
LEARN = ("learn", "data.csv", "--schema", "schema.json", "--concepts", "thresholds:age", "--epsilon")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def learnt(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, object]:
    code, out, _ = run(capsys, *LEARN, "20", *more, "--json")
    assert code == 0
    tree: dict[str, object] = json.loads(out)
    return tree


def test_version_and_help_import_nothing_heavy() -> None:
    heavy = ("numpy", "numba", "sklearn", "flint", "duckdb", "narwhals", "rich.markdown")
    ask = (
        "import sys\nfrom privpac.cli import main\n"
        "codes = [main(['--version']), main(['--help']), main(['learn', '--help'])]\n"
        f"found = [m for m in {heavy!r} if m in sys.modules]\n"
        "sys.exit(repr((codes, found)) if found or any(codes) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"privpac {__version__}\n")
    assert all(verb in done.stdout for verb in VERBS)


def test_every_verb_offers_json(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in VERBS:
        code, out, _ = run(capsys, verb, *(["show"] if verb == "ledger" else []), "--help")
        assert code == 0
        assert "--json" in out


def test_learn_prints_rule_estimate_and_certificate(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *LEARN, "8", "--estimate-epsilon", "2")
    assert (code, err) == (0, UNFORECAST)
    assert out.startswith("Rule\nyes, surely if age >= ")
    assert "Private estimate\naccuracy about" in out
    assert "Privacy\nSomebody who knows everything except one record, and finds" in out
    assert "\n(10, 0)-DP, one record replaced, the rule is released" in out
    assert "independent draws" in out
    assert "[exponential mechanism]" not in out
    assert sorted(p.name for p in place.iterdir()) == ["data.csv", "schema.json"]


def test_json_is_one_document_with_the_model(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = learnt(capsys, "--out", "m.json", "--report", "r.html", "--estimate-epsilon", "0.1")
    assert tree["epsilon"] == "20.1"  # exact: the text was never a float
    assert tree["for_release"] is True
    assert (tree["out"], tree["report"]) == ("m.json", "r.html")
    assert tree["model"] == json.loads((place / "m.json").read_text(encoding="utf-8"))
    assert verify("m.json").epsilon == "20.1"
    assert (place / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(p.name for p in place.iterdir()) == ["data.csv", "m.json", "r.html", "schema.json"]


def test_a_seed_warns_and_repeats(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(capsys, *LEARN, "0.1", "--random-state", "7") for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0][2].startswith(f"{UNFORECAST}Warning: NOT FOR RELEASE")
    code, out, err = run(capsys, *LEARN, "0.1", "--random-state", "7", "--json")
    assert code == 0
    assert json.loads(err)["warning"].startswith("NOT FOR RELEASE")
    assert json.loads(out)["for_release"] is False


def test_schema_from_data_is_an_assumption(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = learnt(capsys, "--schema", "from_data", "--label", "ill", "--records-per-person", "2")
    assert any("read from the data" in text for text in tree["assumptions"])  # type: ignore[attr-defined]
    assert any("more than 2 records" in text for text in tree["assumptions"])  # type: ignore[attr-defined]


def test_costs_and_holdout_reach_the_certificate(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = learnt(capsys, "--costs", "1,5", "--estimate-epsilon", "3", "--holdout", "0.2")
    request = tree["certificate"]["request"]  # type: ignore[index]
    assert (request["costs"], request["holdout"]) == ([1, 5], "0.2")
    assert tree["epsilon"] == "20"  # the hold-out part costs nothing more
    assert tree["estimate"]["holdout"] is True  # type: ignore[index]


def test_leaf_counts_are_bought_and_shown(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = learnt(capsys, "--concepts", "trees:1", "--leaf-epsilon", "0.3", "--report", "r.html")
    assert tree["epsilon"] == "20.3"
    assert tree["leaf_counts"]["records"] == 400  # type: ignore[index]
    assert "How many records arrive where" in (place / "r.html").read_text(encoding="utf-8")
    _, out, _ = run(capsys, *LEARN, "20", "--concepts", "trees:1", "--leaf-epsilon", "9")
    assert "(about " in out


def test_the_ledger_is_charged_what_is_declared(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ledger", "create", "l.db", "--epsilon", "1")[0] == 0
    for _ in range(10):
        assert run(capsys, *LEARN, "0.1", "--ledger", "l.db", "--json")[0] == 0
    assert run(capsys, *LEARN, "0.1", "--ledger", "l.db", "--out", "m.json")[0] == 3
    assert not (place / "m.json").exists()
    tree = json.loads(run(capsys, "ledger", "show", "l.db", "--json")[1])
    assert tree["left"] == {"epsilon": "0", "delta": "0"}
    assert [entry["epsilon"] for entry in tree["entries"]] == ["0.1"] * 10
    assert "spent  epsilon 1" in run(capsys, "ledger", "show", "l.db")[1]
    assert (
        run(capsys, "ledger", "create", "l.db", "--epsilon", "5")[0] == 2
    )  # never a fresh budget over an old one
    assert Ledger.open("l.db").total.epsilon == 1


def test_what_was_released_elsewhere_is_charged_by_hand(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "ledger", "create", "l.db", "--epsilon", "1")
    charge = ("ledger", "charge", "l.db", "--epsilon")
    assert run(capsys, *charge, "0.75", "--note", "the annual report")[0] == 0
    code, _, err = run(capsys, *charge, "0.5", "--note", "one more")
    assert code == 3
    assert "0.25" in err
    assert run(capsys, *charge, "0.1", "--note", " ")[0] == 2
    assert run(capsys, "ledger", "charge", "none.db", "--epsilon", "1", "--note", "a")[0] == 2
    assert [entry.note for entry in Ledger.open("l.db").entries()] == ["the annual report"]


def test_predict_gives_one_line_a_record(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learnt(capsys, "--out", "m.json")
    code, out, err = run(capsys, "predict", "m.json", "data.csv")
    assert (code, err) == (0, "")
    lines = list(csv.reader(io.StringIO(out)))
    assert lines[0] == ["prediction"]
    assert [line[0] for line in lines[1:]] == list(load("m.json").predict("data.csv"))
    assert '"yes, surely"' in out  # a comma in a class does not make a second column
    assert run(capsys, "predict", "m.json", "data.csv", "--out", "p.csv")[:2] == (0, "")
    assert (place / "p.csv").read_text() == out
    tree = json.loads(run(capsys, "predict", "m.json", "data.csv", "--json")[1])
    assert tree["predictions"] == [line[0] for line in lines[1:]]
    assert json.loads(
        run(capsys, "predict", "m.json", "data.csv", "--out", "p.csv", "--force", "--json")[1]
    ) == {
        "records": 400,
        "out": "p.csv",
    }


def test_explain_and_verify(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learnt(capsys, "--out", "m.json", "--random-state", "1")
    code, out, _ = run(capsys, "explain", "m.json", "--report", "r.html")
    assert code == 0
    assert "[exponential mechanism]" in out
    assert (place / "r.html").exists()
    assert json.loads(run(capsys, "explain", "m.json", "--json")[1])["rule"] == load("m.json").describe()
    code, out, _ = run(capsys, "verify", "m.json")
    assert code == 0
    assert out.startswith("Verified: epsilon 20, delta 0;")
    assert "NOT FOR RELEASE" in out
    assert json.loads(run(capsys, "verify", "m.json", "--json")[1])["verified"] is True


def test_a_schema_is_said_in_words_and_confirmed(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, "schema", "--check", "schema.json")
    assert code == 0
    assert "ill (to be predicted): one of" in out
    assert "age: whole numbers from 0 to" in out
    code, out, _ = run(capsys, "schema", "--check", "schema.json", "--json")
    assert len(json.loads(out)["columns"]) == len(SCHEMA["columns"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    for answer, expected in ((False, 2), (True, 0)):
        monkeypatch.setattr("typer.confirm", lambda text, *, err, said=answer: said)
        assert run(capsys, "schema", "--check", "schema.json")[0] == expected
        assert run(capsys, "schema", "--check", "schema.json", "--yes")[0] == 0


def test_schema_drafts_what_a_person_fills_in(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "schema", "data.csv", "--label", "ill")
    assert code == 0
    drafted = json.loads(out)
    assert drafted["label"] == "ill"
    assert [column["name"] for column in drafted["columns"]] == ["age", "smoker"]
    assert "surely" not in out
    code, out, _ = run(capsys, "schema", "data.csv", "--label", "ill", "--out", "new.json", "--json")
    assert code == 0
    assert "age.lower" in json.loads(out)["blanks"]
    assert json.loads((place / "new.json").read_text()) == drafted
    (place / "new.json").write_text("filled in by hand")
    assert run(capsys, "schema", "data.csv", "--out", "new.json")[0] == 2
    assert (place / "new.json").read_text() == "filled in by hand"
    assert run(capsys, "schema", "data.csv", "--out", "new.json", "--force")[0] == 0


def test_theorems_lists_every_statement(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "theorems")
    assert code == 0
    assert all(key in out for key in REGISTER)
    trees = json.loads(run(capsys, "theorems", "--json")[1])["statements"]
    assert [tree["key"] for tree in trees] == list(REGISTER)
    code, out, _ = run(capsys, "theorems", "exponential-mechanism")
    assert code == 0
    assert "Used by: guarantee.rules.privacy.exponential_mechanism" in out
    assert run(capsys, "theorems", "exponential mechanism") == (code, out, "")
    code, _, err = run(capsys, "theorems", "exponential-mechanisms")
    assert code == 2
    assert "Did you mean exponential-mechanism" in err


def test_interrupting_is_told_in_a_sentence(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("privpac.learning.learn_as", interrupted)
    assert run(capsys, *LEARN, "1") == (130, "", "Interrupted: nothing was charged.\n")


def test_a_fault_tells_its_place_and_no_record(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("private 4711")

    monkeypatch.setattr("privpac.learning.learn_as", broken)
    code, out, err = run(capsys, *LEARN, "1")
    assert (code, out) == (1, "")
    assert "RuntimeError in learn.py, line" in err  # not the test's file, whatever folder it lies in
    assert "4711" not in err
    assert len(err.splitlines()) == 1


def test_a_closed_pipe_is_quiet() -> None:
    command = "import sys; from privpac.cli import main; sys.exit(main(['theorems']))"
    with subprocess.Popen(
        [sys.executable, "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_a_paid_model_is_not_lost_with_the_disk(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("privpac.model.Model.save", full)
    code, out, err = run(capsys, *LEARN, "1", "--out", "m.json")
    assert code == 2
    assert "No space left" in err
    (place / "rescued.json").write_text(out)
    assert verify("rescued.json").epsilon == "1"


def test_a_paid_model_is_not_lost_with_its_report(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    def full(self: Destination, text: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("os.fsync", fails)
            written(self, text)

    written = Destination.write
    monkeypatch.setattr(Destination, "write", full)
    code, out, err = run(capsys, *LEARN, "1", "--report", "r.html")
    assert code == 2
    assert "'r.html' cannot be written: broken" in err
    (place / "rescued.json").write_text(out)
    assert verify("rescued.json").epsilon == "1"


def test_a_rule_of_a_session_is_not_lost_with_the_disk(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ("--schema", "schema.json", "--concepts", "thresholds:age", "--labels", "50", "--epsilon", "1")
    assert run(capsys, "active", "ask", "data.csv", "s", *ask, "--method", "plain")[0] == 0
    waiting = (place / "s" / "ask.csv").read_text().split()[1:]
    (place / "told.csv").write_text("record,label\n" + "\n".join(f"{row}no" for row in waiting) + "\n")
    assert run(capsys, "active", "tell", "s", "told.csv")[0] == 0

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("privpac.model.Model.save", full)
    code, out, err = run(capsys, "active", "learn", "s", "data.csv", "--out", "m.json")
    assert code == 2
    assert "No space left" in err
    (place / "rescued.json").write_text(out)
    assert verify("rescued.json").for_release


def test_an_old_file_stays_until_the_new_one_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.csv"
    target.write_text("old")
    destination = Destination.of(str(target), owner="test", option="out", force=True)
    assert destination is not None

    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(Exception, match="cannot be written"):
        destination.write("new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    monkeypatch.undo()
    destination.write("new")
    assert target.read_text() == "new"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_on_a_terminal_shows_a_sign_of_life() -> None:
    shown = Terminal()
    with console.working("Learning", as_json=False, stream=shown, patience=0.05):
        deadline = time.monotonic() + 10
        while "Learning" not in shown.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "Learning" in shown.getvalue()


@pytest.mark.parametrize(("as_json", "stream"), [(True, Terminal()), (False, io.StringIO())])
def test_no_progress_for_programs_and_pipes(as_json: bool, stream: io.StringIO) -> None:
    with console.working("Learning", as_json=as_json, stream=stream, patience=0.0):
        time.sleep(0.1)
    assert stream.getvalue() == ""


def test_names_in_a_file_do_not_speak_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.show("a class called \x1b[2J\x07, and\ta tab\nand a line")
    console.show_sections([("Rule \x1b[31m", "1 if \x9b31m")])
    shown = capsys.readouterr().out
    assert not set("\x1b\x07\x9b") & set(shown)
    assert "\\x1b[2J\\x07, and\ta tab\nand a line" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["learn", "t.csv", "--picture", "a.png"],
            "privpac plan and explain have it. See privpac learn --help.",
        ),
        (["explain", "m.json", "--proba"], "privpac predict has it. See privpac explain --help."),
        (["explain", "m.json", "--xyzzy"], "No such option: --xyzzy. See privpac explain --help."),
    ],
)
def test_an_option_of_another_verb_is_named_with_it(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.strip().endswith(told)
