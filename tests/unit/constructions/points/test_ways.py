"""points:COLUMN:WAY from a table to a verified file, through Python, scikit-learn and the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from privpac import Schema, learn, load, verify
from privpac.cli.app import app
from privpac.coins import SeededCoins
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.sets.points import Point
from privpac.concepts.sets.sparse import ListedFamily
from privpac.constructions import recipe
from privpac.constructions.draw.occam import Occam
from privpac.constructions.estimates.sampling import Choice, Way
from privpac.constructions.points.base import ONE_VALUE
from privpac.constructions.points.clipped import ClippedPoints
from privpac.constructions.points.coded import CodedPoints
from privpac.constructions.points.sampled import BoostedPoints, SampledPoint
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Size
from privpac.errors import ParameterError, SchemaError, SizeError
from privpac.estimators.classifier import PrivateClassifier
from privpac.report.summary import summary_json, summary_sections
from privpac.request import LearnRequest
from tests.unit.point_rules import keys, random_cells, sample_of

RECORDS = {"boosted": 16_000, "boosted-keyed": 16_000, "sampled": 4000, "keyed": 4000}


def table(bits: int, n: int, *, seed: int = 0) -> dict[str, list[int]]:
    """A rare code among 2^bits: a quarter of the records carry it."""
    cells = random_cells(keys(bits), n, seed).tolist()
    codes = [cells[0] if i % 4 == 0 else cell for i, cell in enumerate(cells)]
    return {"code": codes, "ill": [int(code == codes[0]) for code in codes]}


def taught(word: str, bits: int, n: int, **options: Any) -> Any:
    return learn(table(bits, n), schema=keys(bits), label="ill", concepts=word, random_state=1, **options)


@pytest.mark.long_cases(
    "boosted-keyed-128", "boosted-keyed-24", "boosted-128", "improper-128", "cover-24", "cover-128"
)
@pytest.mark.parametrize("bits", [24, 128])
@pytest.mark.parametrize("way", ["", *POINT_WAYS])
def test_every_way_finds_the_code_and_its_file_is_verified(way: str, bits: int, tmp_path: Path) -> None:
    n = RECORDS.get(way, 1000 if way else 2000)
    word = f"points:code:{way}" if way else "points:code"
    if way == "gibbs" and bits > 24:
        with pytest.raises(ParameterError, match=r"2\^24.*points:code:improper"):
            taught(word, bits, n)
        return
    model = taught(word, bits, n)
    model.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").rebuilt
    again = load(tmp_path / "model.json")
    data = table(bits, n)
    right = np.mean(np.array(again.predict({"code": data["code"]})) == np.array(data["ill"]))
    assert right > 0.9
    assert model.certificate["epsilon"] == "1"
    assert model.certificate["accuracy"]
    assert "points" in json.dumps(model.certificate["learner"])


def test_one_column_needs_no_name() -> None:
    assert isinstance(taught("points", 32, 1000).hypothesis, Point)
    schema = Schema.from_json(
        {
            "label": "ill",
            "columns": [
                {"name": name, "kind": "numeric", "lower": 0, "upper": 9, "integer": True}
                for name in ("a", "b:improper")
            ],
        }
    )
    request = Request(schema, Size(300), LearnRequest(epsilon=Fraction(1)))
    with pytest.raises(ParameterError, match="Name a column"):
        learner_for("points", request)
    with pytest.raises(SchemaError):
        learner_for("points:b", request)
    assert isinstance(learner_for("points:b:improper", request), Occam)  # the column of that name
    assert isinstance(learner_for("points:a:improper", request), Occam)  # ten values: points themselves


def test_a_column_may_be_called_like_a_way() -> None:
    schema = Schema.from_json(
        {
            "label": "ill",
            "columns": [
                {"name": "improper", "kind": "numeric", "lower": 0, "upper": 2**32 - 1, "integer": True}
            ],
        }
    )
    request = Request(schema, Size(300), LearnRequest(epsilon=Fraction(1)))
    assert isinstance(learner_for("points:improper", request), Occam)
    assert isinstance(learner_for("points:improper:improper", request), CodedPoints)


def test_inconsistent_labels_break_no_privacy_and_the_model_says_so() -> None:
    data = table(32, 400)
    data["ill"] = [int(i % 3 == 0) for i in range(400)]
    model = learn(data, schema=keys(32), label="ill", concepts="points:code:improper", random_state=1)
    assert model.certificate["learner"]["note"] == ONE_VALUE
    assert ONE_VALUE in model.explain()
    assert any(ONE_VALUE in text for _, text in summary_sections(model, full=False))


def test_what_keyed_sets_assume_stands_with_accuracy_and_not_with_privacy() -> None:
    model = taught("points:code:keyed", 64, 4000)
    assert model.certificate["assumptions"] == []
    accuracy = dict(summary_sections(model, full=False))["Accuracy, if the records are independent draws"]
    assert "Assumes that keyed BLAKE2b is a pseudorandom function" in accuracy
    assert "assuming that keyed BLAKE2b" in model.explain()
    assert summary_json(model)["sql"] is None
    assert "has no SQL form" in dict(summary_sections(model, full=True))["SQL"]


def test_refusals_name_the_way_that_can() -> None:
    with pytest.raises(ParameterError, match="takes costs"):
        learner_for(
            "points:code:improper",
            Request(keys(32), Size(300), LearnRequest(epsilon=Fraction(1), costs=(1, 5))),
        )
    with pytest.raises(SizeError, match="improper"):
        learner_for("points:code:boosted", Request(keys(32), Size(100), LearnRequest(epsilon=Fraction(1))))
    with pytest.raises(SizeError, match="too few"):
        learner_for("points:code:clipped", Request(keys(1), Size(300), LearnRequest(epsilon=Fraction(1))))
    with pytest.raises(ParameterError, match="few values"):
        learner_for("points:code:cover", Request(keys(3), Size(300), LearnRequest(epsilon=Fraction(1))))
    with pytest.raises(SizeError, match="labelled record"):
        ClippedPoints.tuned(keys(32), "code", epsilon=Fraction(1), size=Size(300)).certify(Size(0))


def test_where_outcomes_cannot_be_counted_privacy_bounds_an_estimate_or_records_of_its_own() -> None:
    model = taught("points:code:boosted", 32, 20_000, estimate_epsilon=1, holdout="0.1")
    assert model.estimate is not None
    assert model.certificate["learner"]["selecting"] > 0
    same = taught("points:code:sampled", 32, 4000, estimate_epsilon=1, holdout=0)
    assert same.estimate is not None
    assert same.estimate.way is Way.PRIVACY
    assert same.certificate["learner"]["estimate"]["ways"] == ["privacy"]


def test_without_either_bound_an_estimate_on_the_same_records_has_no_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recipe, "choice_of", lambda *_: Choice(None))
    same = taught("points:code:sampled", 32, 4000, estimate_epsilon=1, holdout=0)
    assert same.estimate is not None
    assert (same.estimate.way, same.estimate.low, same.estimate.high) == (Way.NONE, 0, 1)
    assert same.verdict.measured
    aside = taught("points:code:sampled", 32, 4000, estimate_epsilon=1).estimate
    assert aside is not None
    assert aside.way is Way.HOLDOUT


def test_a_printed_run_may_give_no_answer() -> None:
    schema = keys(8)
    learner = SampledPoint(
        schema,
        "code",
        Fraction(3),
        Fraction(1, 16),
        ListedFamily("code", 256, Fraction(1, 32)),
        fail=Fraction(1, 32),
    )
    cells = random_cells(schema, 400)
    sample = sample_of(schema, cells, np.ones(400, dtype=np.uint8))
    answers = [learner.learn(sample, SeededCoins(seed)) for seed in range(20)]
    assert all(isinstance(answer, NoAnswer) for answer in answers)  # many values of class 1: inconsistent
    (proof,) = learner.certify(Size(400)).accuracy
    assert proof.fact.failure == Fraction(1, 2)
    assert learner.certify(Size(4)).accuracy == ()


def test_boosted_runs_need_a_record_to_choose() -> None:
    learner = BoostedPoints.tuned(keys(32), "code", epsilon=Fraction(1), size=Size(16_000))
    with pytest.raises(SizeError, match="leave none"):
        learner.certify(Size(1000))


def test_the_classifier_takes_the_same_words() -> None:
    data = table(32, 400)
    rows = np.array(data["code"], dtype=np.uint64).reshape(-1, 1)
    schema = Schema.from_json(
        {
            "label": "y",
            "classes": ["0", "1"],
            "columns": [{"name": "x0", "kind": "numeric", "lower": 0, "upper": 2**32 - 1, "integer": True}],
        }
    )
    for word in ("points", "points:x0", "points:x0:improper"):
        model = PrivateClassifier(epsilon=2, concepts=word, schema=schema, random_state=3)
        model.fit(rows, np.array(data["ill"]))
        assert model.score(rows, np.array(data["ill"])) > 0.9


def test_the_command_line_finds_a_rare_code(tmp_path: Path) -> None:
    data = table(32, 400)
    lines = ["code,ill", *(f"{code},{ill}" for code, ill in zip(data["code"], data["ill"], strict=True))]
    (tmp_path / "codes.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "codes.schema.json").write_text(json.dumps(keys(32).to_json()), encoding="utf-8")
    command = ["learn", str(tmp_path / "codes.csv"), "--schema", str(tmp_path / "codes.schema.json")]
    command += ["--concepts", "points:code:improper", "--epsilon", "1", "--out", str(tmp_path / "model.json")]
    result = CliRunner().invoke(app(), command)
    assert result.exit_code == 0, result.output
    assert "of a public code" in result.output
    assert CliRunner().invoke(app(), ["verify", str(tmp_path / "model.json")]).exit_code == 0


def test_a_code_that_would_take_minutes_after_the_charge_is_refused_before_it() -> None:
    column = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**512 - 1, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    learner = CodedPoints.tuned(schema, "k", epsilon=Fraction(1), size=Size(3_000))
    assert learner is not None
    learner.require(Size(3_000))
    with pytest.raises(SizeError, match="points:k:clipped"):
        learner.require(Size(100_000))
