"""The checker of this package says of every vector what was frozen; the vectors leave out no rule, word or format."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from privpac.checker.book import book
from privpac.checker.document import KINDS
from tests.vectors.__main__ import write_files
from tests.vectors.frozen import Vector, accepted, vectors
from tests.vectors.judging import UNREADABLE, objection

RULES = book().rules

EVERY = 8
"""One of so many edits is judged in `make test`; `make test-long` judges all of them, by two checkers."""


@cache
def every() -> list[Vector]:
    """Made of their edits when the first test asks, not by every process that collects tests."""
    return list(vectors())


def misjudged(files: list[Vector]) -> list[str]:
    """Names of those of which the checker says something else than was frozen."""
    return [
        file.name for file in files if bool(objection(file.kind, file.text)) != (file.expected == "refused")
    ]


def test_what_must_be_accepted_is_accepted() -> None:
    assert misjudged(list(accepted())) == []


def test_what_must_be_refused_is_refused() -> None:
    assert misjudged(every()[::EVERY]) == []


@pytest.mark.long
def test_every_vector_comes_to_what_was_frozen() -> None:
    assert misjudged(every()) == []


def test_a_checker_without_one_of_its_conditions_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever forgets a rule's condition and accepts every step of its name accepts what must be refused."""
    edited = [vector for vector in every() if vector.expected == "refused" and "-rule-" in vector.name]
    rules = book().rules  # of the book that checks now: another test may have read it anew
    for rule in rules:
        with monkeypatch.context() as forgetful:
            forgetful.setitem(rules, rule, [replace(form, body=[]) for form in rules[rule]])
            own = [vector for vector in edited if vector.name.endswith(f"-rule-{rule}")]
            assert any(not objection(vector.kind, vector.text) for vector in own), rule


def test_there_are_enough_of_them_and_each_has_its_reason() -> None:
    count = Counter(vector.expected for vector in every())
    assert count["accepted"] >= 150
    assert count["refused"] >= 500
    assert all(vector.reason for vector in every() if vector.expected != "accepted")
    assert len({vector.name for vector in every()}) == len(every())
    assert len({vector.text for vector in every()}) == len(every())


def _rules(tree: Any) -> set[str]:
    if isinstance(tree, dict):
        own = {tree["rule"]} if isinstance(tree.get("rule"), str) else set()
        return own.union(*map(_rules, tree.values()))
    return set[str]().union(*map(_rules, tree)) if isinstance(tree, list) else set()


def test_every_rule_and_every_format_occurs_among_what_is_accepted_and_what_is_refused() -> None:
    for expected in ("accepted", "refused"):
        trees = [json.loads(v.text) for v in every() if v.expected == expected and v.reason != UNREADABLE]
        assert set(RULES) <= set().union(*map(_rules, trees))
        formats = {str(tree.get("format")) for tree in trees if isinstance(tree, dict)}
        assert set(KINDS) <= formats


def test_every_word_that_was_stored_is_among_them_and_was_forged() -> None:
    """The corpus has a document for every word that can be learnt; released ones are never written again."""
    words = {vector.name for vector in accepted() if "-models-" in vector.name}
    forged = {vector.name.split("-", 1)[1] for vector in every() if vector.expected == "refused"}
    assert len(words) > 80
    assert words <= forged


def test_each_of_them_is_written_as_a_file(tmp_path: Path) -> None:
    chosen = every()[::100]
    assert write_files(tmp_path, chosen) == len(chosen)
    index = json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))
    for row, vector in zip(index, chosen, strict=True):
        assert (tmp_path / row["file"]).read_text(encoding="utf-8") == vector.text
        assert (row["expected"], row["reason"], row["kind"]) == (vector.expected, vector.reason, vector.kind)
