"""`learn`, the scikit-learn shell and the command line with records without labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import PrivateClassifier, Schema, learn, verify
from privpac.cli.app import run
from privpac.data.columns import Numeric
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.parts import LABELLED, UNLABELLED, parts_of

SCHEMA = Schema((Numeric("age", 0, 2**20 - 1, integer=True),), "ill")
RNG = np.random.default_rng(1)
AGES = RNG.integers(0, 2**20, 20_000)
ILL = (AGES >= 2**19).astype(float)
SOME = np.where(np.arange(20_000) < 2_000, ILL, -1)


def made(**changes: Any) -> Any:
    wishes = {
        "schema": SCHEMA,
        "y": SOME,
        "unlabelled": True,
        "concepts": "thresholds:age",
        "method": "boost",
    }
    return learn({"age": AGES}, **{**wishes, **changes})


@pytest.mark.parametrize("method", ["auto", "plain", "boost", "relabel"])
def test_learnt_verified_and_told_apart(tmp_path: Path, method: str) -> None:
    model = made(method=method)
    tree = model.certificate
    assert (tree["labelled"], tree["unlabelled"], tree["epsilon"]) == (2_000, 18_000, "1")
    assert np.mean(model.classify({"age": AGES}) == ILL) > 0.9
    if method in ("boost", "relabel"):
        assert list(parts_of(tree["privacy"])) == [LABELLED, UNLABELLED]
    model.save(tmp_path / "m.json")
    assert verify(tmp_path / "m.json").rebuilt


def test_further_records_in_a_table_of_their_own() -> None:
    model = learn(
        {"age": AGES[:2_000], "ill": ILL[:2_000]},
        schema=SCHEMA,
        unlabelled={"age": AGES[2_000:]},
        concepts="thresholds:age",
    )
    assert model.certificate["unlabelled"] == 18_000


def test_too_small_for_the_request_is_refused_before_anything_is_spent() -> None:
    ledger = Ledger(epsilon=1)
    with pytest.raises(SizeError) as caught:
        made(error="0.001", ledger=ledger)
    assert "2000 labelled and 18000 unlabelled records promise an error of 0." in str(caught.value)
    assert "18000 unlabelled records would do." in str(caught.value)
    assert ledger.spent.epsilon == 0
    made(error="0.2", ledger=ledger)
    assert ledger.spent.epsilon == 1


def test_a_method_that_proves_nothing_here_leaves_the_choice_to_the_others() -> None:
    ages = Schema((Numeric("age", 0, 100, integer=True),), "ill")
    table = {"age": list(range(40)), "ill": [0] * 5 + [1] * 5 + [None] * 30}
    wishes: dict[str, Any] = {
        "schema": ages,
        "unlabelled": True,
        "concepts": "thresholds:age",
        "epsilon": "0.05",
    }
    with pytest.raises(RuleRefused):
        learn(table, method="relabel", **wishes)
    with pytest.raises(
        SizeError, match=r"promise nothing\. \d+ labelled and 30 unlabelled records would do.*anyway"
    ):
        learn(table, **wishes)
    auto, plain = (
        learn(table, method=way, random_state=1, anyway=True, **wishes) for way in ("auto", "plain")
    )
    assert auto.to_json() == plain.to_json()


def test_what_promises_nothing_names_the_method_that_does_and_is_not_charged(tmp_path: Path) -> None:
    """The records that were charged for a rule about which nothing was known."""
    schema = Schema((Numeric("age", 0, 15, integer=True),), "ill")
    table = {
        "age": [i % 16 for i in range(2000)],
        "ill": [int(i % 16 > 7) if i < 400 else None for i in range(2000)],
    }
    ledger = Ledger.create(tmp_path / "budget.db", epsilon=1)
    wishes: dict[str, Any] = {
        "schema": schema,
        "unlabelled": True,
        "concepts": "thresholds:age",
        "method": "generic",
    }
    with pytest.raises(SizeError, match=r"promise nothing by method generic\. Method plain promises it"):
        learn(table, ledger=ledger, epsilon="0.1", **wishes)
    assert ledger.spent.epsilon == 0
    assert learn(table, epsilon="0.1", anyway=True, random_state=1, **wishes).certificate["accuracy"] == []


def test_what_does_not_go_together_is_refused() -> None:
    for extra in ({"estimate_epsilon": 1}, {"leaf_epsilon": 1}, {"holdout": "0.1"}, {"costs": (1, 2)}):
        with pytest.raises(ParameterError, match="left out together with unlabelled"):
            made(**extra)
    with pytest.raises(ParameterError) as refused:
        made(concepts="graded-tree")
    assert refused.value.parameter == "concepts"
    with pytest.raises(ParameterError) as refused:
        made(method="guess")
    assert refused.value.parameter == "method"


def test_people_with_several_records() -> None:
    model = made(records_per_person=2)
    assert model.certificate["epsilon"] == "1"
    assert "no person stands behind more than 2 records" in model.explain()


# --- scikit-learn ---


def test_minus_one_and_nan_mark_records_without_labels() -> None:
    frame = AGES.reshape(-1, 1)
    for y in (SOME, np.where(SOME < 0, np.nan, SOME), SOME.astype(int)):
        classifier = PrivateClassifier("thresholds:age", schema=SCHEMA, method="boost").fit(frame, y)
        assert list(classifier.certificate_.parts) == [LABELLED, UNLABELLED]
        assert set(classifier.predict(frame[:100])) <= {0, 1}
    plain = PrivateClassifier("thresholds:age", schema=SCHEMA).fit(frame, ILL)
    assert plain.certificate_.parts == {}
    assert plain.get_params()["method"] == "auto"


# --- the command line ---


def write(path: Path, rows: list[list[Any]]) -> str:
    path.write_text("\n".join(",".join(str(cell) for cell in row) for row in rows) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA.to_json()), encoding="utf-8")
    named = [[a, int(i)] for a, i in zip(AGES[:2_000], ILL[:2_000], strict=True)]
    bare = [[a] for a in AGES[2_000:8_000]]
    return {
        "schema": str(schema),
        "named": write(tmp_path / "named.csv", [["age", "ill"], *named]),
        "bare": write(tmp_path / "bare.csv", [["age"], *bare]),
        "gaps": write(tmp_path / "gaps.csv", [["age", "ill"], *named, *([a, ""] for (a,) in bare)]),
        "folder": str(tmp_path / "session"),
        "model": str(tmp_path / "model.json"),
        "answers": str(tmp_path / "answers.csv"),
    }


def test_learn_with_unlabelled_records(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    common = [
        "--schema",
        files["schema"],
        "--epsilon",
        "1",
        "--concepts",
        "thresholds:age",
        "--method",
        "boost",
    ]
    for data, unlabelled in ((files["named"], files["bare"]), (files["gaps"], "missing")):
        assert run(["learn", data, *common, "--unlabelled", unlabelled, "--json"]) == 0
        tree = json.loads(capsys.readouterr().out)
        assert list(tree["parts"]) == [LABELLED, UNLABELLED]
        assert (tree["certificate"]["labelled"], tree["certificate"]["unlabelled"]) == (2_000, 6_000)
    assert run(["learn", files["named"], *common, "--unlabelled", files["bare"], "--error", "0.0001"]) == 2
    assert "would do" in capsys.readouterr().err
    assert run(["learn", files["named"], *common]) == 2
    assert "unlabelled" in capsys.readouterr().err


def test_ask_tell_learn(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, data = files["folder"], files["gaps"]
    wishes = ["--schema", files["schema"], "--concepts", "thresholds:age", "--epsilon", "1"]
    assert run(["active", "ask", data, folder, *wishes, "--labels", "150", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["asked"], told["waiting"]) == (150, 150)
    assert set(told["known"]) >= QUESTIONS
    assert run(["active", "ask", data, folder, *wishes, "--labels", "150"]) == 2
    assert "without a session" in capsys.readouterr().err
    assert run(["active", "learn", folder, data]) == 2
    assert "150 of 150 labels are missing" in capsys.readouterr().err
    records = [int(line.split(",")[0]) for line in (Path(folder) / "ask.csv").read_text().split()[1:]]
    labels = {record: int(AGES[record - 1] >= 2**19) for record in records}
    for part in (records[:100], records[100:]):
        write(Path(files["answers"]), [["record", "label"], *([r, labels[r]] for r in part)])
        assert run(["active", "tell", folder, files["answers"]]) == 0
    assert "0 still waited for" in capsys.readouterr().out
    assert run(["active", "learn", folder, data, "--out", files["model"]]) == 0
    assert "one record of the queried part" in capsys.readouterr().out
    assert run(["verify", files["model"]]) == 0


def test_a_session_with_a_seed_says_so_and_names_its_list(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    wishes = ["--schema", files["schema"], "--concepts", "thresholds:age", "--epsilon", "1", "--labels", "20"]
    folder = files["folder"] + "/"
    assert run(["active", "ask", files["bare"], folder, *wishes, "--random-state", "1"]) == 0
    shown = capsys.readouterr()
    assert "NOT FOR RELEASE" in shown.err
    assert "//" not in shown.out
    assert "numbers records from 1" in shown.out


QUESTIONS = {"hypothesis and positions asked", "hypothesis and positions kept"}


def test_answers_that_cannot_be_read(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    wishes = ["--schema", files["schema"], "--concepts", "thresholds:age", "--epsilon", "1"]
    assert run(["active", "ask", files["bare"], files["folder"], *wishes, "--error", "0.2"]) == 0
    write(Path(files["answers"]), [["record", "label"], ["first", 1]])
    assert run(["active", "tell", files["folder"], files["answers"]]) == 2
    assert "no number" in capsys.readouterr().err
    write(Path(files["answers"]), [["record", "label"], [10**9, 1]])
    assert run(["active", "tell", files["folder"], files["answers"]]) == 2
    assert "not asked" in capsys.readouterr().err
