"""`privpac audit`: what it prints, what it writes, when it says no, and what it never shows."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from privpac.audit.registry import REGISTRY
from privpac.cli import main

FAST = ("geometric", "points", "trees-labels")
FIELDS = {"name", "certificate", "exact", "ratio", "pairs", "complete", "seconds"}

MODULE = """
import time
from fractions import Fraction
import numpy as np
from privpac.audit.exact import Case
from privpac.guarantee.facts import Loss, Privacy

RECORDS_SECRET = (("patient-4711", 0), ("patient-1147", 1))

def run(data, coins):
    bit = data[0][1]
    return f"says {data[0][0]}" if coins.flip(Fraction(4, 5)) else f"denies {data[0][0]}"

def fair(data, coins):
    return data[0][1] if coins.flip(Fraction(3, 4)) else 1 - data[0][1]

def slow(data, coins):
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    return coins.below(2)

def refuses(data, coins):
    if data[0][1] and coins.flip(Fraction(1, 2)):
        raise ValueError(f"what about {data[0][0]}?")
    return 0

def fails(data, coins):
    raise ValueError(f"what about {data[0][0]}?")

CLAIM = Privacy(Loss(factor=Fraction(3)))
FAIR = Case("fair", fair, RECORDS_SECRET, 1, CLAIM)
LEAKY = Case("leaky", run, RECORDS_SECRET, 1, CLAIM)
SLOW = Case("slow", slow, tuple((i,) for i in range(20)), 2, CLAIM)
REFUSES = Case("refuses", refuses, RECORDS_SECRET, 1, CLAIM)
ALONE = Case("alone", fair, RECORDS_SECRET[:1], 1, CLAIM)
FAILS = Case("fails", fails, RECORDS_SECRET, 1, CLAIM)

def made():
    return FAIR

NOTHING = 3

def noisy(data, seed):
    return sum(data) + np.random.default_rng(seed).laplace()

def half_noisy(data, seed):
    return sum(data) + np.random.default_rng(seed).laplace(0, 0.5)
"""

PATIENTS = """
PAIRS = [([("patient-4711", 0)], [("patient-1147", 1)])]

def echo(data, seed):
    return data[0][0]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "audited_cases.py").write_text(MODULE)
    (tmp_path / "audited_patients.py").write_text(PATIENTS)
    (tmp_path / "broken_module.py").write_text("raise ValueError('patient-4711')")
    (tmp_path / "needy_module.py").write_text("import no_such_thing_anywhere")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["audit", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_rows_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "exact", *FAST, "--json", "--budget-seconds", "60")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert [row["name"] for row in rows] == list(FAST)
    for row in rows:
        assert set(row) >= FIELDS
        assert row["complete"] is row["holds"] is True
        assert 0 < row["exact"] <= row["certificate"]
        assert row["ratio"] == pytest.approx(row["exact"] / row["certificate"])
        assert row["pairs"] == row["total_pairs"] > 0
        assert "worst" not in row


def test_a_table_for_people_and_files(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    wishes = ("--report", "page.html", "--out", "rows.json", "--show-data")
    code, out, err = run(capsys, "exact", *FAST, *wishes)
    assert code == 0
    assert out.splitlines()[0].split() == [
        "name",
        "certificate",
        "exact",
        "ratio",
        "pairs",
        "complete",
        "seconds",
    ]
    assert "neighbour" in out
    assert err == "Wrote rows.json.\nWrote page.html.\n"
    document = json.loads((folder / "rows.json").read_text())
    assert [row["name"] for row in document["rows"]] == list(FAST)
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "3 claims, none broken" in page
    assert "<script" not in page
    assert "http://" not in page + "https://".join(page.split("https://")[1:])
    assert all(f"<td>{name}</td>" in page for name in FAST)


@pytest.mark.long
def test_all_rows_share_a_small_budget(capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    code, out, _ = run(capsys, "exact", "--budget-seconds", "8", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert set(rows) == set(REGISTRY)
    assert not all(row["complete"] for row in rows.values())
    cut = [row for row in rows.values() if not row["complete"]]
    assert all(
        row["pairs"] < row["total_pairs"] or row["limit_pairs"] < row["total_limit_pairs"] for row in cut
    )
    assert all(row["holds"] is (True if row["compared"] else None) for row in rows.values())
    assert sum(row["complete"] for row in rows.values()) >= 1
    assert sum(row["seconds"] for row in rows.values()) < 12
    assert time.monotonic() - begin < 120


@pytest.mark.long
def test_without_a_name_many_rows_are_settled_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "exact", "--budget-seconds", "60")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split()[0] == "name"
    rows = [line.split()[0] for line in lines[1:-2]]
    assert len(rows) == len(set(rows)) >= 60
    assert set(rows) <= set(REGISTRY)
    assert lines[-1].startswith(f"{len(rows)} of {len(REGISTRY)} rows are settled (")
    assert lines[-1].endswith("(--budget-seconds).")
    assert not any(name in lines[-1] for name in REGISTRY)


def test_nothing_settled_is_no_success(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, err = run(capsys, "exact", "--budget-seconds", "0.001")
    assert code == 4
    assert out.startswith(f"0 of {len(REGISTRY)} rows are settled")
    assert "nothing was settled" in err


@pytest.mark.long
def test_an_unfinished_row_says_what_was_covered(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    wishes = ("exact", "audited_cases:SLOW", "audited_cases:FAIR", "--budget-seconds", "0.6")
    code, out, err = run(capsys, *wishes)
    assert code == 4
    assert "of 3,800" in out
    assert "1 of 2 rows are settled" in out
    assert "at least 0.000000" in out
    assert "No claim is broken, but not everything was looked at." in err
    code, out, err = run(capsys, *wishes, "--accept-partial")
    assert (code, err) == (0, "")
    assert "1 of 2 rows are settled" in out


def test_a_row_without_a_compared_pair_is_not_said_to_hold(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, err = run(capsys, "exact", "audited_cases:ALONE", "--json")
    (row,) = json.loads(out)
    assert (code, row["holds"], row["exact"], row["complete"]) == (4, None, None, True)
    assert json.loads(err)["kind"] == "NotCertified"
    code, out, _ = run(capsys, "exact", "audited_cases:ALONE", "--accept-partial")
    assert code == 0
    assert "nothing is known of audited_cases:ALONE, where no pair was compared." in out


def test_a_refusal_is_an_output_and_its_words_stay_hidden(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, err = run(capsys, "exact", "audited_cases:REFUSES", "--json")
    (row,) = json.loads(out)
    assert (code, row["holds"], row["delta"], row["raised"]) == (4, False, 0.5, ["ValueError"])
    assert "patient" not in out + err


def test_a_broken_claim_ends_with_exit_code_4(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, err = run(
        capsys, "exact", "audited_cases:LEAKY", "audited_cases:made", "--report", "p.html", "--out", "r.json"
    )
    assert code == 4
    assert "audited_cases:LEAKY: BROKEN" in out
    assert "infinite" in out
    assert "1 of 2 claims is broken: audited_cases:LEAKY." in err
    written = (folder / "p.html").read_text() + (folder / "r.json").read_text()
    assert "patient" not in out + err + written
    code, out, err = run(capsys, "exact", "audited_cases:LEAKY", "--json", "--show-data")
    assert code == 4
    (row,) = json.loads(out)
    assert row["exact"] is None
    assert "patient-4711" in row["worst"]["input"]
    assert json.loads(err)["kind"] == "NotCertified"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("forests", "MODULE:CASE or one of"),
        ("threshold-up", "Did you mean thresholds-up"),
        ("audited_cases:NOTHING", "must be a privpac.audit.exact.Case"),
        ("audited_cases:ELSEWHERE", "the name of something in 'audited_cases'"),
        ("no_such_module:CASE", "a module that can be imported"),
        ("needy_module:CASE", "needs the module 'no_such_thing_anywhere'"),
        ("broken_module:CASE", "it raised a ValueError"),
        ("audited_cases:FAILS", "Every run of audited_cases:FAILS raised an exception: ValueError."),
        (":", "of the form MODULE:NAME"),
    ],
)
def test_wrong_names(capsys: pytest.CaptureFixture[str], folder: Path, name: str, said: str) -> None:
    code, out, err = run(capsys, "exact", name)
    assert (code, out) == (2, "")
    assert said in err
    assert "patient" not in err
    code, _, err = run(capsys, "exact", "points", "--budget-seconds", "0")
    assert code == 2


SAMPLE = ("--epsilon", "1", "--seed", "1", "--json")


def test_samples_of_a_right_and_a_wrong_mechanism(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "sample", "audited_cases:noisy", *SAMPLE, "--runs", "4000")
    tree = json.loads(out)
    assert code == 0
    assert tree["verdict"] == "not refuted"
    assert tree["lower_bound"] < 1
    assert tree["confidence"] == 0.999
    assert tree["controls"]["right_flagged"] is False
    assert 0 < tree["controls"]["power_of_that"] < 1
    code, out, err = run(capsys, "sample", "audited_cases:half_noisy", *SAMPLE, "--runs", "10000")
    tree = json.loads(out)
    assert code == 4
    assert tree["verdict"] == "broken"
    assert tree["lower_bound"] > 1
    assert json.loads(err)["kind"] == "NotCertified"


def test_samples_show_no_data_unless_asked(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    wishes = ("sample", "audited_patients:echo", "--epsilon", "2", "--runs", "1000")
    code, out, err = run(capsys, *wishes)
    assert code == 4
    assert "a set of outputs" in out
    assert "patient" not in out.replace("audited_patients", "") + err
    _, out, _ = run(capsys, *wishes, "--show-data")
    assert "patient-4711" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("audited_cases:NOTHING", "--epsilon", "1"), "a function (dataset, seed) -> output"),
        (("audited_cases:noisy", "--epsilon", "much"), "epsilon"),
        (("audited_cases:noisy", "--epsilon", "1", "--runs", "10"), "runs"),
        (("audited_cases:noisy",), "epsilon"),
        (("bad_pairs:f", "--epsilon", "1"), "differ in exactly one record"),
    ],
)
def test_wrong_wishes(
    capsys: pytest.CaptureFixture[str], folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    (folder / "bad_pairs.py").write_text("PAIRS = [([0, 0], [1, 1])]\ndef f(data, seed):\n    return 0\n")
    code, out, err = run(capsys, "sample", *arguments)
    assert (code, out) == (2, "")
    assert said in err


CANARIES = """
import numpy as np

CANARIES = [(f"patient-{i}", "nobody") for i in range(1000)]
OTHERS = ["nobody"] * 3

def answers(data, seed, truth):
    bits = np.array([record != "nobody" for record in data[3:]])
    return np.where(np.random.default_rng(seed).random(len(bits)) < truth, bits, ~bits)

def honest(data, seed):
    return answers(data, seed, 0.7310)

def loud(data, seed):
    return answers(data, seed, 0.95)

def score(model, record):
    return 0.0 if record == "nobody" else float(model[int(record.split("-")[1])])
"""


def test_one_training_tells_a_loud_learner_from_an_honest_one(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "canaries.py").write_text(CANARIES)
    wishes = ("--epsilon", "1", "--guesses", "1000", "--seed", "1")
    code, out, err = run(capsys, "one-run", "canaries:honest", *wishes, "--json")
    tree = json.loads(out)
    assert (code, err, tree["verdict"]) == (0, "", "not refuted")
    assert 0.4 < tree["lower_bound"] < 1
    code, out, err = run(capsys, "one-run", "canaries:loud", *wishes)
    assert code == 4
    assert "Theorem 5.2" in out
    assert "broken" in out.lower()
    assert "patient" not in out + err


def test_one_run_says_what_the_module_lacks(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "silent.py").write_text("def train(data, seed):\n    return 0\nCANARIES = [(1, 0)]\n")
    (folder / "caged.py").write_text("def train(data, seed):\n    return 0\ndef score(m, r):\n    return 0\n")
    for name, said in (("silent:train", "score(model, record)"), ("caged:train", "CANARIES")):
        code, out, err = run(capsys, "one-run", name, "--epsilon", "1")
        assert (code, out) == (2, "")
        assert said in err


def test_without_symmetry_every_pair_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    compared = []
    for option in ("--symmetry", "--no-symmetry"):
        _, out, _ = run(capsys, "exact", "points", option, "--json", "--budget-seconds", "60")
        row = json.loads(out)[0]
        assert row["complete"]
        compared.append((row["compared"], row["exact"]))
    assert compared[0][0] < compared[1][0]
    assert compared[0][1] == compared[1][1]
