"""A word, method, class, kind or rule without a case cannot be forgotten: every table of the product is compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privpac import __version__
from privpac.audit.registry import REGISTRY
from privpac.checker.book import book
from privpac.concepts.catalogue import stored_classes, stored_rules
from privpac.constructions.catalogue import readers
from privpac.constructions.few_labels.methods import METHODS as FEW_LABEL_METHODS
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.prediction.forms import CLASSIFIERS, FORMS
from privpac.constructions.release.methods import METHODS as RELEASE_METHODS
from privpac.constructions.words import WORDS
from privpac.data.columns import KINDS as COLUMN_KINDS
from privpac.guarantee.ledger.store import EARLIER_FORMAT
from tests.golden.audits import AUDIT
from tests.golden.bundles import Answered
from tests.golden.cases import CASES, CLASSIFIED
from tests.golden.corpus import HERE, database, expected, stored
from tests.golden.kinds import Asked, FewLabelled, Learnt, Tabled
from tests.golden.records import ENGINES

RULES = book().rules

ROOT = HERE.parents[1]
WORDED = [case for case in CASES if isinstance(case, Learnt) and isinstance(case.concepts, str)]


def _objects(tree: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a document, with the field it stands in."""
    if isinstance(tree, dict):
        yield name, tree
        for field, value in tree.items():
            yield from _objects(value, field)
    elif isinstance(tree, list):
        for value in tree:
            yield from _objects(value, name)


def _stored(field: str, *, inside: str | None = None) -> set[str]:
    """Every text that stands in a field somewhere in the corpus, of objects that stand in the field `inside`."""
    texts: set[str] = set()
    for unit in expected(__version__).values():
        for path in [unit] if unit.suffix == ".json" else unit.glob("*.json"):
            objects = _objects(json.loads(path.read_text(encoding="utf-8")))
            texts |= {
                node[field]
                for name, node in objects
                if isinstance(node.get(field), str) and inside in (None, name)
            }
    return texts


def test_names_are_used_once() -> None:
    units = [unit for case in CASES for unit in case.units]
    assert len(units) == len(set(units))


def test_every_word_with_every_protection_runs_on_every_engine() -> None:
    everywhere = {case.promise for case in WORDED if case.engines == ENGINES}
    assert everywhere == {(name, protect) for name, word in WORDS.items() for protect in word.protects}


def test_every_way_to_find_a_point() -> None:
    ways = {case.concepts.split(":")[2] for case in WORDED if case.concepts.count(":") == 2}
    assert set(POINT_WAYS) <= ways


def test_every_wish() -> None:
    wishes = {name for case in CASES if isinstance(case, Learnt) for name in case.wishes}
    assert wishes == {
        "costs",
        "delta",
        "epsilon",
        "estimate_epsilon",
        "holdout",
        "leaf_epsilon",
        "protect",
        "records_per_person",
    }


def test_every_method_of_few_labels_and_of_release() -> None:
    assert {case.method for case in CASES if isinstance(case, FewLabelled)} == set(FEW_LABEL_METHODS)
    assert len({case.method for case in CASES if isinstance(case, Asked)}) >= 3
    methods = {case.wishes.get("method", "auto") for case in CASES if isinstance(case, Tabled)}
    assert methods == {"auto", *RELEASE_METHODS}


def test_every_form_of_prediction() -> None:
    words = {case.base for case in CASES if isinstance(case, Answered) and isinstance(case.base, str)}
    heads = {word.partition(":")[0] for word in words | set(CLASSIFIED)}
    assert {form.partition(":")[0] for form in FORMS} - {"CLASS"} <= heads
    assert heads & set(WORDS), "CLASS: a fresh draw for every answer"
    votes = {word.split(":")[1] for word in words | set(CLASSIFIED) if word.startswith("vote:")}
    assert votes == set(CLASSIFIERS)


def test_every_kind_that_a_file_can_name() -> None:
    assert _stored("kind", inside="hypothesis") == set(stored_rules())
    assert _stored("kind", inside="predictor") == set(readers())
    assert _stored("kind", inside="columns") == set(COLUMN_KINDS)
    assert _stored("class") == set(stored_classes())
    assert _stored("rule") == set(RULES)


FORMAT = re.compile(r"privpac-[a-z-]+/[0-9]+")


def _formats(unit: Path) -> set[str]:
    """Every format that a document is of, or holds."""
    formats: set[str] = set()
    for path in [unit] if unit.is_file() else unit.iterdir():
        if path.suffix == ".sqlite":
            formats |= set(FORMAT.findall(str(database(path))))
        elif path.suffix in (".json", ".jsonl"):
            formats |= set(FORMAT.findall(path.read_text(encoding="utf-8")))
    return formats


def test_every_format_that_the_code_knows_is_on_the_page_and_in_the_corpus() -> None:
    page = set(FORMAT.findall((ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")))
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src" / "privpac").rglob("*.py"))
    constants = {name for text in sources for name in re.findall(f'"({FORMAT.pattern})"', text)} - {
        EARLIER_FORMAT
    }
    documents = set[str]().union(*map(_formats, stored().values()))
    assert constants == page, "a format that is written is described"
    assert {name.partition("/")[2] for name in page} == {"2"}
    assert documents == page, "a case in tests/golden/cases.py, then python -m tests.golden"


def test_every_row_of_the_audit_has_its_numbers() -> None:
    assert set(json.loads(AUDIT.read_text(encoding="utf-8"))) == set(REGISTRY), (
        "python -m tests.golden --audit"
    )
