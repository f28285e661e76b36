"""Everything that learns, answers or releases has a row in the planner, or a reason here why it has none."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from privpac import plan
from privpac.audit.registry import REGISTRY
from privpac.cli.app import app, run
from privpac.constructions.few_labels.methods import METHODS
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.prediction.forms import FORMS
from privpac.constructions.release.methods import METHODS as RELEASES
from privpac.constructions.words import WORDS
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.planning.answer import Answer
from privpac.planning.kinds import KINDS
from privpac.planning.options import OPTIONS
from privpac.theory.statements import REGISTER
from tests.planned import learner_of
from tests.together import together

LEARNERS = {option.learner for option in OPTIONS}

PLAIN = "occam"
NO_PROMISE = "none: "
"""What follows is the reason."""
_ONE_RUN = NO_PROMISE + "one run fails every second time; boosted-points repeats it"
_CLASSIFIERS = NO_PROMISE + "nothing is proved of the errors of other libraries' classifiers"
_PARTS = NO_PROMISE + "a mechanism or a number beside a rule, not a way to learn one"
_MIXTURE = "default"
_CARD = NO_PROMISE + "how well a card ranks was measured, not proved"
_GRADED = NO_PROMISE + "its errors are those of the default tree; how well it ranks was measured, not proved"
_NESTED = NO_PROMISE + "a wrapper around any learner, whose records it takes as they are"

ROW_OF: dict[str, str] = {
    # the longest beginning of a name in the audit registry decides
    "active": "active",
    "agnostic": "agnostic",
    "auto-mixture": _MIXTURE,
    "blocks": "blocks",
    "card": _CARD,
    "clauses": "clause-counts",
    "comparison": _PARTS,
    "confidence": NO_PROMISE + "raises the confidence of a learner that has little; one draw has enough",
    "confident": NO_PROMISE + "raises the confidence of a learner that has little; one draw has enough",
    "conjunctions": PLAIN,
    "denoised-cuts": "denoised-cuts",
    "disjunctions": PLAIN,
    "estimate": _PARTS,
    "bought-rate": _PARTS,
    "finite": PLAIN,
    "finite-labels": "labels",
    "flipped": "flipped-answers",
    "generated": PLAIN,
    "generic": "generic-learner",
    "geometric": _PARTS,
    "graded-tree": _GRADED,
    "halfspaces": PLAIN,
    "halfspaces-labels": "labels",
    "intervals": PLAIN,
    "intervals-labels": "labels",
    "label-boost": "label-boost",
    "leaf-counts": _PARTS,
    "lists": PLAIN,
    "nested": _NESTED,
    "net-relabelled": "net-relabelled",
    "noisy-cuts": "noisy-cuts",
    "one-test": PLAIN,
    "permute-and-flip": _PARTS,
    "points": PLAIN,
    "points-boosted": "boosted-points",
    "points-clipped": "clipped-points",
    "points-code": "reed-solomon-points",
    "points-cover": "pairwise-cover",
    "points-gibbs": "sparse-sets",
    "points-labels": "labels",
    "points-sampled": _ONE_RUN,
    "recconcave": "rec-concave",
    "refined": _MIXTURE,
    "rectangles": PLAIN,
    "rectangles-labels": "labels",
    "reference": "reference-cover",
    "reference-sampled": NO_PROMISE
    + "the prior mass of balls, which its promise needs, is declared by its builder",
    "relabelled": NO_PROMISE + "parts fixed beforehand; agnostic draws them and needs fewer records",
    "relabelled-vote": "relabelled-vote",
    "release-blocks": "block-quantiles",
    "release-blr": "threshold-blr",
    "release-blr-listed": "listed-blr",
    "release-histogram": "histogram",
    "release-quantiles": "quantiles",
    "release-tree": "tree-counts",
    "resampled": _NESTED,
    "scorecards": PLAIN,
    "ssl-relabel": "ssl-relabel",
    "stable": NO_PROMISE + "robust to one record, which is not privacy",
    "stumps": PLAIN,
    "stumps-labels": "labels",
    "subsampled": _NESTED,
    "switches": "switches",
    "thresholds": PLAIN,
    "thresholds-labels": "labels",
    "tree-mixture": _MIXTURE,
    "trees": PLAIN,
    "unions": PLAIN,
    "unions-labels": "labels",
    "vote": "vote",
    "vote-classifiers": _CLASSIFIERS,
    "vote-three-classes": _CLASSIFIERS,
}

WORD_ROW = {
    "blocks": "blocks",
    "clauses": "clause-counts",
    "switches": "switches",
    "recconcave": "rec-concave",
    "card": _CARD,
    "graded-tree": _GRADED,
    "reference": "reference-cover",
    "noisy-cuts": "noisy-cuts",
    "denoised-cuts": "denoised-cuts",
    "agnostic": "agnostic",
    "stable": NO_PROMISE + "robust to one record, which is not privacy",
    "subsampled": _NESTED,
    "confident": NO_PROMISE + "raises the confidence of a learner that has little; one draw has enough",
}
WAY_ROW = {
    "clipped": "clipped-points",
    "improper": "reed-solomon-points",
    "cover": "pairwise-cover",
    "gibbs": "sparse-sets",
    "boosted": "boosted-points",
    "boosted-keyed": "boosted-points",
    "sampled": _ONE_RUN,
    "keyed": _ONE_RUN,
}
METHOD_ROW = {"plain": PLAIN, "generic": "generic-learner", "boost": "label-boost", "relabel": "ssl-relabel"}
RELEASE_ROW = {
    "points": "histogram",
    "tree": "tree-counts",
    "quantiles": "quantiles",
    "blr": "threshold-blr",
    "blocks": "block-quantiles",
}
ANSWER_ROW = {
    "CLASS": "flipped-answers",
    "predict-by-vote": "vote",
    "predict-by-relabelling": "relabelled-vote",
    "predict-by-net": "net-relabelled",
    "vote": _CLASSIFIERS,
    "weighted": _CLASSIFIERS,
    "auto": _CLASSIFIERS,
}


def stated(row: str) -> bool:
    return row in LEARNERS or (row.startswith(NO_PROMISE) and len(row) > 20)


def row_of(name: str) -> str:
    """What an audited construction is in a plan; the row of its name, unless `ROW_OF` says otherwise."""
    rows = {learner: learner for learner in LEARNERS} | ROW_OF
    fitting = [start for start in rows if name == start or name.startswith(f"{start}-")]
    assert fitting, "a new construction: a row of the plan with this name, or a reason in ROW_OF"
    return rows[max(fitting, key=len)]


@together(sorted(REGISTRY))
def test_every_audited_construction_is_planned_or_has_a_reason(name: str) -> None:
    assert stated(row_of(name))


@pytest.mark.parametrize(
    ("known", "rows"),
    [
        (list(POINT_WAYS), WAY_ROW),
        ([method for method in METHODS if method != "auto"], METHOD_ROW),
        (list(RELEASES), RELEASE_ROW),
        ([form.partition(":")[0] for form in FORMS], ANSWER_ROW),
        ([word for word in WORDS if word not in {"auto", *KINDS}], WORD_ROW),
    ],
    ids=("ways of points", "few labels", "releases", "answers", "words"),
)
def test_every_word_is_planned_or_has_a_reason(known: list[str], rows: dict[str, str]) -> None:
    assert set(known) <= set(rows) | LEARNERS
    assert all(stated(row) for row in rows.values())


def test_every_row_is_named_by_something_that_exists() -> None:
    tables = (ROW_OF, WORD_ROW, WAY_ROW, METHOD_ROW, RELEASE_ROW, ANSWER_ROW)
    assert {row for table in tables for row in table.values()} | set(map(row_of, REGISTRY)) >= LEARNERS
    assert all(option.source in REGISTER for option in OPTIONS)


SCHEMA = """{"label": "y", "columns": [
  {"name": "c", "kind": "numeric", "lower": 0, "upper": 65535, "integer": true},
  {"name": "d", "kind": "numeric", "lower": 0, "upper": 255, "integer": true}]}"""

ASKED = {
    "thresholds:c": {},
    "points:c": {},
    "intervals:c": {},
    "unions:c:2": {},
    "rectangles:c,d": {},
    "stumps": {},
    "trees:2": {},
    "lists:2": {},
    "conjunctions:2": {},
    "scorecards:2": {},
    "generated:c:8": {},
}


def planned(word: str, folder: Path, **more: object) -> list[Answer]:
    file = folder / "schema.json"
    file.write_text(SCHEMA, encoding="utf-8")
    found = [*plan.needed(word, schema=str(file), error="0.1", epsilon=1, **more).answers]
    return [row for row in found if row.command is not None]


@pytest.mark.parametrize("word", ASKED)
@pytest.mark.parametrize("protect", ["records", "labels", "predictions"])
def test_every_printed_command_is_one_the_command_line_reads(word: str, protect: str, tmp_path: Path) -> None:
    rows = planned(word, tmp_path, protect=protect)
    assert rows
    group = typer.main.get_command(app())
    for row in rows:
        name, *arguments = shlex.split(row.command or "")
        assert name == "privpac"
        command = group
        while hasattr(command, "commands"):
            command = command.commands[arguments.pop(0)]
        context = command.make_context("plan", list(arguments), resilient_parsing=False)
        assert context.params["concepts"].partition(":")[0]
        assert context.params["epsilon"] == "1"


@pytest.mark.parametrize("word", ["thresholds:c", "points:c", "intervals:c"])
def test_every_release_command_is_one_the_command_line_reads(word: str, tmp_path: Path) -> None:
    for row in planned(word, tmp_path, release=True):
        name, verb, *arguments = shlex.split(row.command or "")
        context = typer.main.get_command(app()).commands[verb].make_context(verb, arguments)
        assert (name, context.params["columns"]) == ("privpac", "c")


PROMISED = [
    ("thresholds:d", "agnostic", "agnostic"),
    ("points:d", "agnostic", "agnostic"),
    ("intervals:d", "agnostic", "agnostic"),
    ("thresholds:d:down", "noisy-cuts", "realizable"),
    ("thresholds:d", "denoised-cuts", "realizable"),
]


@pytest.mark.long_cases("points:d-agnostic-agnostic")
@pytest.mark.parametrize(("word", "learner", "setting"), PROMISED)
def test_a_printed_word_promises_what_was_planned(word: str, learner: str, setting: str) -> None:
    row = plan.needed(word, schema=json.loads(SCHEMA), error="0.1", epsilon=1).option(learner, setting)
    _promises(row, Schema.from_json(json.loads(SCHEMA)), row.need.labelled)


def test_printed_words_for_densities_and_spheres_promise_what_was_planned() -> None:
    for word, columns in (("reference:10", 1), ("sphere:2:3", 2)):
        schema = Schema.from_json(
            {
                "label": "y",
                "columns": [
                    {"name": f"c{i}", "kind": "numeric", "lower": -1, "upper": 1}
                    for i in range(1, columns + 1)
                ],
            }
        )
        for row in plan.needed(word, error="0.2", epsilon=2).answers:
            _promises(row, schema, row.need.labelled)


def _promises(row: Answer, schema: Schema, records: int) -> None:
    learner = learner_of(row, schema, records)
    certificate = learner.certify(Size(records))
    facts = [proof.fact for proof in certificate.accuracy]
    kept = [fact for fact in facts if fact.against.value == row.option.setting]
    assert any(fact.failure <= row.wish.failure and fact.error <= row.wish.error for fact in kept)
    assert certificate.epsilon == row.wish.epsilon


def test_printed_python_for_tables() -> None:
    small = {
        "label": "y",
        "columns": [{"name": "c", "kind": "numeric", "lower": 0, "upper": 3, "integer": True}],
    }
    found = plan.needed("points:c", schema=small, error="0.2", epsilon=1, release=True).option("listed-blr")
    sanitiser = _built(found, Schema.from_json(small))["sanitiser"]
    answers = sanitiser.certify(Size(0, found.need.labelled)).answers
    assert answers[0].fact.error <= found.wish.error


def _built(row: Answer, schema: Schema) -> dict[str, Any]:
    names: dict[str, Any] = {"schema": schema}
    exec(row.to_json()["python"], names)
    return names


def test_every_row_can_be_run_somehow() -> None:
    """By a command or by Python, for a class that exists; rows that would be refused at their size print none."""
    for word in ("thresholds:d", "points:d", "intervals:c", "unions:c:2", "stumps", "rectangles:c,d"):
        for protect in ("records", "labels", "predictions"):
            made = plan.needed(word, schema=json.loads(SCHEMA), error="0.1", epsilon=1, protect=protect)
            bare = {row.option.learner for row in made.answers if row.command is None and row.python is None}
            fresh = ANSWERS_REFUSED.get(word, set()) if protect == "predictions" else set()
            assert bare == fresh


ANSWERS_REFUSED = {
    "rectangles:c,d": {"relabelled-vote", "net-relabelled"},  # too many records for sums over boxes
}


def test_printed_commands_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cheapest rows of few labels and of the rest, on tables as large as they ask for."""
    rows = {row.option.learner: row for row in planned("thresholds:d", tmp_path)}
    for learner in ("occam", "active", "switches"):
        row = rows[learner]
        total = row.need.labelled + row.need.unlabelled
        lines = [f"{i * 7 % 65536},{i * 31 % 256},{int(i * 31 % 256 >= 90)}" for i in range(total)]
        data = tmp_path / f"{learner}.csv"
        data.write_text("\n".join(["c,d,y", *lines]) + "\n", encoding="utf-8")
        places = {
            "DATA": str(data),
            "SCHEMA": str(tmp_path / "schema.json"),
            "FOLDER": str(tmp_path / learner),
        }
        arguments = [places.get(word, word) for word in shlex.split(row.command or "")[1:]]
        assert run([*arguments, "--random-state", "1"]) == 0
    assert (tmp_path / "active" / "ask.csv").read_text(encoding="utf-8").count("\n") == rows[
        "active"
    ].need.labelled + 1
    capsys.readouterr()


def test_a_printed_command_for_unlabelled_records_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = plan.needed("thresholds:d", schema=planned_schema(tmp_path), error="0.45", epsilon=8)
    row = found.option("label-boost")
    assert row.command is not None
    tables = {"DATA": (row.need.labelled, True), "UNLABELLED": (row.need.unlabelled, False)}
    places = {"SCHEMA": str(tmp_path / "schema.json")}
    for name, (count, labels) in tables.items():
        values = [i * 31 % 256 for i in range(count)]
        lines = [
            f"{i % 65536},{value}" + (f",{int(value >= 90)}" if labels else "")
            for i, value in enumerate(values)
        ]
        places[name] = str(tmp_path / f"{name}.csv")
        Path(places[name]).write_text(
            "\n".join(["c,d,y" if labels else "c,d", *lines]) + "\n", encoding="utf-8"
        )
    arguments = [places.get(word, word) for word in shlex.split(row.command)[1:]]
    assert run([*arguments, "--random-state", "1"]) == 0
    assert "0.45" in capsys.readouterr().out or row.need.labelled < 1000


def planned_schema(folder: Path) -> str:
    file = folder / "schema.json"
    file.write_text(SCHEMA, encoding="utf-8")
    return str(file)
