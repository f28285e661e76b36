"""Nothing is promised without a reason: rules, register, checker, proof pages and their index tell the same story."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.audit.registry import REGISTRY
from privpac.checker import check
from privpac.checker.steps import RULES
from privpac.constructions.catalogue import REGISTER, rules
from privpac.constructions.words import WORDS
from privpac.errors import NotCertified
from tests.contracts.examples import ALIASES, EXAMPLES
from tests.exact.mutants import MUTANTS
from tests.together import together

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "docs" / "proofs"
INDEX = (PROOFS / "README.md").read_text(encoding="utf-8")


def _keys(function: str) -> tuple[str, ...]:
    return ALIASES.get(function, (function.replace("_", "-"),))


def test_every_rule_has_a_checker_a_statement_an_example_and_a_line_in_the_index() -> None:
    keys = {key for function in rules() for key in _keys(function)}
    assert set(RULES) == keys
    assert set(EXAMPLES) == keys
    assert keys <= set(REGISTER)
    for function in rules():
        row = next((line for line in INDEX.splitlines() if line.startswith(f"| `{function}` |")), "")
        assert all(f"`{key}`" in row for key in _keys(function)), (
            f"{function} is not in docs/proofs/README.md"
        )


@together(EXAMPLES)
def test_the_rule_names_the_key_and_the_checker_follows_it(key: str) -> None:
    proof = EXAMPLES[key]()
    assert proof.rule == key
    assert check.check_derivation(proof.to_json()) >= 1


def _smaller(text: str) -> str:
    return str(Fraction(text) * Fraction(9, 10))


def _flattered(fact: dict[str, Any]) -> list[dict[str, Any]]:
    """The fact with each of its numbers better than proved, one at a time."""
    better: list[dict[str, Any]] = []
    for name in ("rho", "delta", "gamma", "error", "failure"):
        if Fraction(fact.get(name, 0)) > 0:
            better.append({**fact, name: _smaller(fact[name])})
    if "epsilon" in fact:
        loss = fact["epsilon"]
        factor = 1 + (Fraction(loss["factor"]) - 1) / 2
        better.append({**fact, "epsilon": {"log": str(Fraction(loss["log"]) / 2), "factor": str(factor)}})
    return better


@together(EXAMPLES)
def test_the_checker_refuses_the_same_step_with_a_better_number(key: str) -> None:
    tree: dict[str, Any] = EXAMPLES[key]().to_json()
    better = _flattered(tree["fact"])
    if key.startswith(
        "occam"
    ):  # there 'error' and 'failure' are premises of the inequality: make it fail outright
        better = [{**tree["fact"], "error": "1/1000", "failure": "1/1000"}]
    assert better
    for fact in better:
        forged = {**tree, "fact": fact}
        with pytest.raises(NotCertified):
            check.check_derivation(forged)


def test_a_declaration_below_the_true_loss_is_refused_even_if_it_agrees_with_itself() -> None:
    tree: dict[str, Any] = EXAMPLES["declared"]().to_json()
    tree["where"] = {**tree["where"], "epsilon": "0.1"}
    tree["fact"] = {**tree["fact"], "epsilon": {"log": "1/10", "factor": "1"}}
    with pytest.raises(NotCertified, match="larger than what is declared"):
        check.check_derivation(tree)


@together(REGISTER)
def test_every_statement_has_its_proof_page_and_the_page_names_it(key: str) -> None:
    entry = REGISTER[key]
    if entry.proof is None:
        assert entry.status == "shape"
        return
    page = ROOT / entry.proof
    assert page.exists(), f"{entry.proof} is not written"
    assert f"`{key}`" in page.read_text(encoding="utf-8"), f"{entry.proof} does not mention `{key}`"


def test_every_page_is_in_the_index() -> None:
    pages = {path.name for path in PROOFS.glob("*.md")} - {"README.md"}
    assert pages <= set(re.findall(r"\]\(([\w-]+\.md)\)", INDEX))


def test_the_index_names_rows_and_mutants_that_exist() -> None:
    for line in INDEX.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`"):
            assert set(re.findall(r"`([^`]+)`", cells[3])) <= set(REGISTRY), line
            assert set(re.findall(r"`([^`]+)`", cells[4])) <= set(MUTANTS), line


@together([word for word, entry in WORDS.items() if entry.build and word != "auto"])
def test_everything_that_can_be_learnt_is_audited_exactly(word: str) -> None:
    assert any(word in row for row in REGISTRY), f"add a row named after {word} to privpac.audit.registry"


def test_only_rules_hold_the_seal_of_proofs() -> None:
    source = ROOT / "src" / "privpac"
    holders = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"\bSEAL\b", path.read_text(encoding="utf-8"))
    } - {"guarantee/proof.py"}
    assert all(re.fullmatch(r"guarantee/rules/\w+\.py|constructions/\w+/rules\.py", name) for name in holders)
    assert len(holders) >= 10
