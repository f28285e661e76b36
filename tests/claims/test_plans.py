"""A row of a plan is a certificate: at the planned numbers every printed command certifies the error of its row, and
that this fails no more often than was asked; with fewer records it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from privpac.constructions.few_labels.methods import METHODS
from privpac.constructions.prediction.forms import PLANNED
from privpac.constructions.release.methods import METHODS as RELEASES
from privpac.constructions.words import WORDS
from privpac.data.columns import Numeric
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.guarantee.certificate import Certificate
from privpac.planning.question import Question
from privpac.planning.search import promise
from privpac.planning.table import Row, rows_of
from privpac.theory.statements import REGISTER
from tests.claims.commands import certificate_of


def cells(bits: int) -> dict[str, Any]:
    schema = Schema(tuple(Numeric(name, 0, 2**bits - 1, integer=True) for name in "cd"), label="y")
    return {"schema": schema.to_json()}


REAL = {"schema": {"label": "y", "columns": [{"name": "c", "kind": "numeric", "lower": 0, "upper": 1}]}}
LONG_KEYS = {"bits": 128}

SUBJECTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    **{
        f"{word}, 64 cells": (word, cells(6))
        for word in ("thresholds:c", "points:c", "rectangles:c,d", "auto")
    },
    **{
        f"{word}, 1024 cells": (word, cells(10))
        for word in (
            *(
                "thresholds:c",
                "thresholds:c:either",
                "points:c",
                "intervals:c",
                "unions:c:2",
                "rectangles:c,d",
            ),
            *("stumps", "one-test", "trees:2", "lists:2", "conjunctions:2", "disjunctions:2", "clauses:2"),
            *("scorecards:2", "halfspaces:c,d", "auto", "confident:thresholds:c", "points:c:clipped"),
        )
    },
    **{f"{word}, real": (word, REAL) for word in ("thresholds:c", "points:c", "intervals:c")},
    **{f"{word}, long keys": (word, LONG_KEYS) for word in ("thresholds", "points")},
    "points, 32 bits": ("points", {"bits": 32}),
    "points, 16 bits": ("points", {"bits": 16}),
    "reference:10": ("reference:10", {}),
    "centred half-planes": ("sphere:3:10", {}),
}

GRID: Mapping[str, Mapping[str, Any]] = {
    "0.1, 1, 0.01": {"error": "0.1", "epsilon": 1, "failure": "0.01"},
    "0.03, 1, 0.2": {"error": "0.03", "epsilon": 1, "failure": "0.2"},
    "0.2, 0.5, 0.05": {"error": "0.2", "epsilon": "0.5", "failure": "0.05"},
    "0.05, 2, 0.001": {"error": "0.05", "epsilon": 2, "failure": "0.001"},
    "0.3, 0.1, 0.5": {"error": "0.3", "epsilon": "0.1", "failure": "0.5"},
    "20000 records, 1, 0.01": {"records": 20_000, "epsilon": 1, "failure": "0.01"},
    "0.1, 20000 records, 0.2": {"error": "0.1", "records": 20_000, "failure": "0.2"},
}
"""Two of error, epsilon and records, and the failure."""

QUICK = {
    "0.2, 0.5, 0.05-thresholds:c, 64 cells",
    "0.1, 1, 0.01-clauses:2, 1024 cells",
    "0.1, 20000 records, 0.2-stumps, 1024 cells",
}


def plans(word: str, described: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Row]:
    """Whatever is protected, with a delta and without labels at hand; and where there is one, a release."""
    asked = {"concepts": word, "delta": "0.000001", **numbers, **described}
    for protect in ("records", "labels", "predictions"):
        yield from rows_of(Question.read(protect=protect, unlabelled=200_000, **asked))
    if word.partition(":")[0] in ("thresholds", "points", "intervals") and not word.endswith(
        ("either", "clipped")
    ):
        yield from rows_of(Question.read(release=True, **asked))


@cache
def rows(subject: str, question: str) -> tuple[Row, ...]:
    """The rows of all plans, each once."""
    found = plans(*SUBJECTS[subject], GRID[question])
    return tuple({(row.learner, row.setting, row.way.protects, row.word): row for row in found}.values())


def keeps(row: Row, certificate: Certificate) -> bool:
    """Whether what is certified of the row's setting is no less than what the row says."""
    question = row.way.question
    if certificate.privacy.fact.epsilon.upper > row.epsilon:
        return False
    if question.asked.release:  # a range has two ends, each off by what is certified of one
        ends = 2 if question.head == "intervals" else 1
        return any(
            ends * p.fact.error <= row.error and p.fact.failure <= question.asked.failure
            for p in certificate.answers
        )
    if question.kappa is not None and Fraction(str(certificate.learner["kappa"])) < question.kappa:
        return False
    facts = [proof.fact for proof in certificate.accuracy if proof.fact.against.value == row.setting]
    return any(fact.error <= row.error and fact.failure <= question.asked.failure for fact in facts)


def is_kept(row: Row) -> bool:
    """Whether the command that is printed certifies the row."""
    command, schema = row.command, row.way.question.schema
    for number in range(1, command.count("COLUMN") + 1):
        command = command.replace("COLUMN", f"c{number}", 1)
    try:
        return keeps(row, certificate_of(command, schema, Size(row.records, row.unlabelled)))
    except (PrivpacError, ValueError):  # refused, or worse
        return False


CASES = [f"{question}-{subject}" for question in GRID for subject in SUBJECTS]


@pytest.mark.long_cases(*(case for case in CASES if case not in QUICK))
@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("question", GRID)
def test_the_command_of_every_row_certifies_its_error_and_failure(question: str, subject: str) -> None:
    found = rows(subject, question)
    assert found or "records" in question or subject.startswith("confident")  # so few may prove nothing
    wrong = {(row.learner, row.setting, row.way.protects): row.command for row in found if not is_kept(row)}
    assert not wrong


def test_fewer_records_do_not_do_it() -> None:
    """What a search calls the first number is: with one record less, the certificate promises less."""
    for row in rows("thresholds:c, 64 cells", "0.2, 0.5, 0.05"):
        fewer = promise(row.way, row.setting, row.records - 1, row.epsilon, row.error)
        assert fewer is None or fewer.error > row.error, (row.learner, row.records)


def test_every_row_names_a_theorem_and_how_it_learns() -> None:
    for row in rows("thresholds:c, 64 cells", "0.2, 0.5, 0.05"):
        assert row.promise.theorem in REGISTER
        assert row.way.planned.title


def test_every_door_has_rows() -> None:
    found = rows("thresholds:c, 64 cells", "0.2, 0.5, 0.05")
    commands = "\n".join(row.command for row in found)
    for part in (
        "active ask",
        "--protect labels",
        "--protect predictions",
        "--delta 0.000001",
        "privpac release",
    ):
        assert part in commands
    assert {row.way.planned.form for row in found} >= {planned.form for planned in PLANNED[:2]}
    assert all(f"--method {method}" in commands for method in METHODS if method not in ("auto", "plain"))
    assert all(f"--method {name}" in commands for name, method in RELEASES.items() if not method.several)


NO_PLAN = {
    "graded-tree": "its errors are those of the default tree; how well it ranks was measured, not proved",
    "subsampled": "a wrapper around any learner, whose records it takes as they are",
    "confident": "raises the confidence of a learner that has little; one draw has enough",
    "stable": "robust to one record, which is not privacy",
}
"""Ways to learn that are no row of the plan for their class, and why; each is planned where it is named."""


def test_every_way_to_learn_is_a_row_or_has_a_reason() -> None:
    silent = {
        word for word, entry in WORDS.items() if (entry.way_of or entry.transforms) and not entry.planned
    }
    assert silent == set(NO_PLAN)


def test_a_command_that_forgets_its_failure_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = (
        row
        for row in rows("points, 32 bits", "0.1, 1, 0.01")
        if (row.learner, row.setting, row.way.protects) == ("clipped-points", "realizable", "records")
    )
    assert is_kept(row)
    forgetful = row.command.replace(" --failure 0.01", "")
    monkeypatch.setattr(Row, "command", property(lambda row: forgetful))
    assert not is_kept(row)
