"""The register is complete, consistent and read-only."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from privpac.constructions.catalogue import families, formula_modules, formulas
from privpac.errors import ParameterError
from privpac.theory import statements
from privpac.theory.register import formula
from privpac.theory.statements import REGISTER, Statement, Status, found, pages, statement
from tests.together import together

ROOT = Path(__file__).resolve().parents[3]
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PROOF = re.compile(r"docs/proofs/[a-z0-9]+(-[a-z0-9]+)*\.md")

NEEDED = [
    "exponential-mechanism",
    "bounded-range",
    "total-variation",
    "permute-and-flip",
    "geometric-noise",
    "post-processing",
    "sequential",
    "disjoint-parts",
    "group",
    "subsampling-without-replacement",
    "sampling-with-replacement",
    "k-fold-composition",
    "declared",
    "assuming",
    "occam-realizable",
    "occam-agnostic",
    "occam-prior",
    "generalisation-holdout",
    "generalisation-class",
    "floor-minimal-class",
    "floor-points-proper",
    "floor-thresholds-proper",
    "points-outside-count",
]


def test_no_statement_is_lost_by_its_form():
    """Every heading that is a key begins a statement that is read, with nothing left out of it."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    assert sorted(re.findall(r"^### `([a-z0-9-]+)`$", text, re.MULTILINE)) == sorted(REGISTER)
    facts = len(re.findall(r"^\* (?:Holds if|Constant|Erratum|Proof): ", text, re.MULTILINE))
    entries = REGISTER.values()
    assert facts == sum(len(entry.conditions) + len(entry.constants) for entry in entries) + sum(
        (entry.erratum is not None) + (entry.proof is not None) for entry in entries
    )
    assert set(NEEDED) <= set(REGISTER)


def test_a_key_that_stands_twice_is_refused(monkeypatch):
    twice = [*pages(), next(iter(pages()))]
    monkeypatch.setattr(statements, "pages", lambda: iter(twice))
    with pytest.raises(ParameterError):
        len(statements._Register())


def test_statements_are_found_by_paper_and_number():
    assert {"label-boost-agnostic"} == {entry.key for entry in found("Theorem 4.16")}
    assert found("theorem 4.16") == found("001 Theorem 4.16") != found("003 Theorem 4.16") == []
    assert all("Beimel–Nissim–Stemmer 2015" in entry.source for entry in found("001"))
    assert len(found("001")) > 10
    assert found("") == found("exponential-mechanism") == found("005") == []


@together(REGISTER.values(), name=lambda entry: entry.key)
def test_every_entry_is_complete(entry: Statement):
    assert REGISTER[entry.key] is entry
    assert KEBAB.fullmatch(entry.key)
    assert entry.title
    assert entry.source
    assert len(entry.says) > 20
    assert entry.says.endswith(".")
    assert entry.status in get_args(Status)
    assert all(isinstance(value, str) for value in entry.constants.values())
    assert entry.conditions, "a statement without conditions is suspicious"
    assert entry.erratum is None or entry.erratum.endswith(".")
    assert entry.status != "repaired" or entry.erratum, "a repair must say what was wrong"
    # Whatever may stand in a certificate needs a proof page; an order of growth may not stand there.
    assert (entry.proof is None) == (entry.status == "shape")
    assert entry.proof is None or PROOF.fullmatch(entry.proof)


def test_a_statement_cannot_be_edited():
    entry = statement("post-processing")
    with pytest.raises(FrozenInstanceError):
        entry.says = "anything goes"  # type: ignore[misc]
    with pytest.raises(TypeError):
        statement("generalisation-holdout").constants["factor"] = Fraction(1)  # type: ignore[index]
    with pytest.raises(TypeError):
        REGISTER["new"] = entry  # type: ignore[index]
    assert hash(entry) == hash(statement("post-processing"))


def test_an_unknown_key_suggests_the_nearest():
    with pytest.raises(ParameterError, match="exponential-mechanism"):
        statement("exponental-mechanism")
    with pytest.raises(ParameterError, match="REGISTER lists the keys"):
        statement("@@@@")


@together(list(formulas()))
def test_every_formula_names_its_statement(name):
    assert formulas()[name].statement is REGISTER[formulas()[name].function.statement]


@together(list(formulas()))
def test_every_formula_documents_itself(name):
    doc = formulas()[name].function.__doc__
    assert doc
    for heading in ("Statement:", "Source:", "Holds if:", "Proof: docs/proofs/"):
        assert heading in doc, f"{name} lacks '{heading}'"


def test_every_module_with_formulas_is_found():
    source = ROOT / "src"
    marked = {
        ".".join(path.relative_to(source).with_suffix("").parts)
        for path in (source / "privpac").rglob("*.py")
        if "\n@formula(" in path.read_text("utf-8")
    }
    assert marked <= set(formula_modules())


def test_families_are_the_folders():
    folder = ROOT / "src/privpac/constructions"
    assert set(families()) == {path.parent.name for path in folder.glob("*/__init__.py")}


def test_there_are_formulas():
    assert len(formulas()) >= 25


def test_formulas_refuse_unknown_statements_and_repeated_names():
    with pytest.raises(ParameterError):
        statement("no-such-statement")

    def records_occam() -> None: ...

    with pytest.raises(ParameterError, match="records_occam"):
        formula("occam-realizable")(records_occam)
