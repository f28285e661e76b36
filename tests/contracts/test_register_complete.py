"""Nothing is promised without a reason: rules, register, checker, proof pages and their index tell the same story."""

from __future__ import annotations

import ast
import re
import runpy
from fnmatch import fnmatch
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.audit.registry import REGISTRY
from privpac.checker import check
from privpac.checker.book import book
from privpac.constructions.catalogue import rules
from privpac.constructions.words import WORDS
from privpac.errors import NotCertified
from privpac.theory.machine import BESIDE, PROVED, machine_checked
from privpac.theory.statements import REGISTER
from tests.contracts.examples import ALIASES, EXAMPLES
from tests.exact.mutants import MUTANTS
from tests.together import together

RULES = book().rules

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "docs" / "proofs"
INDEX = (PROOFS / "README.md").read_text(encoding="utf-8")


# Whoever proves another rule by machine adds it here; none is ever taken away, but with the rule.
MACHINE_CHECKED = [
    "assuming",
    "bounded-range",
    "clipped-points",
    "declared",
    "delta-removal",
    "disjoint-parts",
    "exponential-mechanism",
    "exponential-vote",
    "geometric-noise",
    "group",
    "k-fold-composition",
    "label-boost-labelled",
    "label-boost-unlabelled",
    "later-round",
    "leafwise-blocks",
    "leafwise-medians",
    "listed-from-some",
    "occupied-blocks",
    "on-part",
    "permute-and-flip",
    "plurality",
    "positions-known",
    "post-processing",
    "range-log-odds",
    "relabelling",
    "relabelling-part",
    "relabelling-votes",
    "sampled-point",
    "sampling-with-replacement",
    "sequential",
    "stable-choice",
    "stable-from-some",
    "star-entries",
    "subsampling-without-replacement",
    "total-variation",
    "vote",
    "weighted-rounds",
]


def _keys(function: str) -> tuple[str, ...]:
    return ALIASES.get(function, (function.replace("_", "-"),))


def test_every_rule_says_whether_a_machine_checked_it() -> None:
    said = machine_checked()
    beside = {key for key, (status, _) in said.items() if status == BESIDE}
    assert set(said) - beside == set(RULES)
    assert beside <= set(REGISTER)
    theorems = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "proofs").glob("*.v"))
    meaning = (ROOT / "proofs" / "Meaning.v").read_text(encoding="utf-8")
    for rule, (status, reason) in said.items():
        name = rule.replace("-", "_")
        assert (f"Theorem {name}_sound" in theorems) == (status in (PROVED, BESIDE)), rule
        assert status != PROVED or f"built_{name} " in meaning, rule
        assert (status in ("paper", BESIDE)) == bool(reason), (
            f"{rule}: a privacy rule on paper needs a reason, and no other"
        )


def test_a_rule_once_checked_by_a_machine_stays_so() -> None:
    assert {rule for rule, (status, _) in machine_checked().items() if status == PROVED} == set(
        MACHINE_CHECKED
    )


def test_the_page_lists_the_rules_on_paper() -> None:
    """By name, or by the beginning of several names: all of them and no others."""
    page = (PROOFS / "machine-checked.md").read_text(encoding="utf-8")
    table = page.partition("## On paper")[2].partition("\n## ")[0]
    rows = [re.findall(r"`([a-z*-]+)`", line.split("|")[1]) for line in table.splitlines() if "| " in line]
    listed = [name for row in rows for name in row]
    paper = {rule for rule, (status, _) in machine_checked().items() if status == "paper"}
    assert all(any(fnmatch(rule, name) for name in listed) for rule in paper)
    assert all(any(fnmatch(rule, name) for rule in paper) for name in listed)
    assert not any(fnmatch(rule, name) for rule in MACHINE_CHECKED for name in listed)


ON_PAPER_TOO = {
    "models/card-delta-1e-6.json": "concentrated rules",
    "bundles/reference/bundle.json": "net-relabelling",
}


def test_only_these_stored_releases_rest_on_rules_about_privacy_that_no_machine_checked() -> None:
    said = machine_checked().items()
    paper = [rule for rule, (status, _) in said if status == "paper"]
    used = re.compile('"rule": ?"(' + "|".join(map(re.escape, paper)) + ')"')
    golden = ROOT / "tests" / "golden"
    newest = max((path for path in golden.iterdir() if path.name[0].isdigit()), key=lambda path: path.name)
    found, looked = set(), 0
    for file in newest.rglob("*.json"):
        if file.relative_to(newest).parts[0] in ("models", "learners", "bundles", "offers", "tables"):
            looked += 1
            if used.search(file.read_text(encoding="utf-8")):
                found.add(file.relative_to(newest).as_posix())
    assert looked > 100
    assert found == set(ON_PAPER_TOO)


def test_what_was_measured_of_slips_is_of_these_slips() -> None:
    """`python proofs/slips.py` writes slips.txt anew: every unsound change of the book is refused."""
    lines = (ROOT / "proofs" / "slips.txt").read_text(encoding="utf-8").splitlines()
    told = [(told, line.rpartition(": ")) for line in lines if (told := line.partition(": ")[0])]
    source = runpy.run_path(str(ROOT / "proofs" / "slips.py"))
    slips = [
        f"{kind}: {rule}: {was} -> {becomes or 'nothing'}"
        for rule, changes in source["SLIPS"].items()
        for was, becomes, kind in changes
    ]
    assert [before for _, (before, _, _) in told] == slips
    for kind, (line, _, end) in told:
        assert kind == "harmless" or end.startswith("refused by "), line
    text = source["BOOK"].read_text(encoding="utf-8")
    for rule, changes in source["SLIPS"].items():
        for was, becomes, _ in changes:
            assert source["changed"](text, rule, was, becomes) != text
    assert set(source["SLIPS"]) == set(MACHINE_CHECKED)


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
    with pytest.raises(NotCertified, match="at_most"):
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
    """It is used in functions that return a proof, of the common rules and of families, and nowhere else."""
    source = ROOT / "src" / "privpac"
    holders = {
        path.relative_to(source).as_posix(): ast.parse(text)
        for path in source.rglob("*.py")
        if re.search(r"\bSEAL\b", text := path.read_text(encoding="utf-8"))
    }
    for name in ("guarantee/proof.py", "guarantee/theorem.py", "constructions/catalogue.py"):
        holders.pop(name)  # one makes it, one is a rule as a class, one looks who has it
    assert all(re.fullmatch(r"guarantee/rules/\w+\.py|constructions/\w+/\w+\.py", name) for name in holders)
    assert len(holders) >= 10
    for name, tree in holders.items():
        users = [node for node in tree.body if _uses_the_seal(node)]
        assert users, name
        for node in users:
            assert isinstance(node, ast.FunctionDef), (name, ast.unparse(node)[:80])
            assert node.returns is not None
            assert ast.unparse(node.returns).startswith("Proof["), (name, node.name)


def _uses_the_seal(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == "SEAL" for inner in ast.walk(node))
