"""A construction is one folder, a rule in the book, a proof page and tests: the example of CONTRIBUTING.md carried out.

The files and the rule that CONTRIBUTING.md shows are added to a copy of the tree, and the one command that it names is
run. Nothing else is changed, and then every test of the copy that could notice runs and holds.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.contracts.worked_example import KNOWN, ROOT, added, could_notice, planted, run, shown

FAMILY = "src/privpac/constructions/constants/"
OUTSIDE = {
    "docs/proofs/constant-label.md",
    "tests/contracts/examples/constants.py",
    "tests/statistical/test_constants.py",
}
"""The proof page and the tests."""
BOOK = "src/privpac/checker/rules.txt"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted(tmp_path_factory.mktemp("example") / "privpac")


def test_only_its_folder_its_check_its_proof_page_and_its_tests_are_touched() -> None:
    assert {name for name in shown() if not name.startswith(FAMILY)} == OUTSIDE
    assert len(shown()) > len(OUTSIDE)
    assert added().keys() == {
        BOOK,
        "src/privpac/theory/machine_checked.txt",
        "docs/theory/exponential-mechanism.md",
    }
    assert "`make catalogue`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_what_could_notice_it_is_what_is_new_and_what_speaks_of_everything() -> None:
    place = "tests/contracts/test_register_complete.py"
    known = frozenset(
        {f"{place}::test_every_page", f"{place}::test_a_rule[vote]", "tests/unit/test_model.py::test_a"}
    )
    assert could_notice(f"{place}::test_every_page", known)
    assert could_notice(f"{place}::test_a_rule[constant-label]", known)
    assert not could_notice(f"{place}::test_a_rule[vote]", known)
    assert not could_notice(
        "tests/contracts/test_store_sql.py::test_a", frozenset({"tests/contracts/test_store_sql.py::test_a"})
    )


LISTED = """
import json
from docs.hooks import pages, statements
from privpac import plan
from privpac.audit.registry import REGISTRY
from privpac.checker.book import book
from privpac.constructions import catalogue
from privpac.constructions.words import WORDS
from privpac.planning.options import OPTIONS
from privpac.theory.statements import REGISTER
page = lambda name: pages.text(pages.ROOT / "docs", name)
print(json.dumps({
    "register": "constant-label" in REGISTER,
    "formulas": "loss_constant" in catalogue.formulas(),
    "rules": "constant_label" in catalogue.rules(),
    "checker": "constant-label" in book().rules,
    "words": "constants" in WORDS,
    "plan": any(option.learner == "constants" for option in OPTIONS),
    "audit": "constants" in REGISTRY,
    "page of words": "| `constants` | one label for everybody |" in page("reference/words.md"),
    "page of rules": "### constant_label\\n" in page("reference/rules.md"),
    "page of the rule book": "\\nrule constant-label: privacy\\n" in page("reference/book.md"),
    "page of theorems": "[`constant-label`](theory/exponential-mechanism.md#constant-label)" in page("theorems.md"),
    "page of proofs": "[constant-label](constant-label.md) | `constants` |" in page("proofs/README.md"),
    "statement": "A label drawn by" in statements.on_page_markdown(page("theory/exponential-mechanism.md")),
    "architecture": "    constants/         One label for everybody" in page("architecture.md"),
}))
"""


@pytest.mark.long
def test_it_appears_everywhere_without_being_listed(tree: Path) -> None:
    listed = json.loads(run(tree, "python", "-c", LISTED))
    assert all(listed.values()), listed
    assert not any("constant-label" in page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md"))


@pytest.mark.long
def test_it_is_planned_on_the_command_line(tree: Path) -> None:
    plan = run(
        tree, "python", "-m", "privpac", "plan", "--concepts", "constants", "--error", "0.1", "--epsilon", "1"
    )
    assert "privpac learn DATA --schema SCHEMA --concepts constants --epsilon 1" in plan
    assert "constant-label-records" in run(tree, "python", "-m", "privpac", "theorems")


@pytest.mark.long
def test_every_test_that_could_notice_it_holds(tree: Path) -> None:
    """Its own, those that its word, rule, statements, options and cases add to the suites, and all contracts."""
    suite = (
        "-m",
        "pytest",
        "tests",
        "--ignore=tests/slow",
        "--ignore=tests/contracts/test_worked_example.py",
    )
    listed = run(ROOT, "python", *suite, "--collect-only")
    (tree / KNOWN).write_text(listed, encoding="utf-8")
    report = run(tree, "python", *suite, "-p", "tests.contracts.worked_example")
    assert int(re.findall(r"(\d+) passed", report)[-1]) > 300
