"""docs/audit.md is what docs/audit.json says, and nothing is left out of it."""

from __future__ import annotations

import json

from benchmarks.audit_page import DATA, PAGE, page

from privpac.audit.registry import REGISTRY
from tests.exact.mutants import MUTANTS

DOCUMENT = json.loads(DATA.read_text(encoding="utf-8"))


def test_the_page_is_made_from_the_numbers() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(DOCUMENT)


def test_every_construction_of_the_audit_is_known_and_every_claim_holds() -> None:
    names = {row["name"] for row in DOCUMENT["rows"]}
    assert names <= set(REGISTRY), "python -m benchmarks.audit_page --anew"
    assert len(names) >= 25
    assert all(row["holds"] and row["pairs"] > 0 for row in DOCUMENT["rows"])


def test_every_planted_fault_is_listed_and_caught() -> None:
    listed = {row["name"]: row["caught"] for row in DOCUMENT["mutants"]}
    assert set(listed) == set(MUTANTS), "python -m benchmarks.audit_page"
    assert all(listed.values())
