"""What a file may name is a closed list: read off one folder, named here, and nothing joins it from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from privpac.concepts.base import RuleBase, Stored
from privpac.concepts.catalogue import hypothesis_from_json, is_storable, stored_classes, stored_rules
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.constructions.words import concepts_from_json
from privpac.data.schema import Schema
from privpac.errors import NotCertified

RULES = """
box card code-set conjunction constant disjunction exceptions halfspace hashed-set keyed-set list lookup match
no-answer point predicate scorecard sparse-set threshold tree union
"""
CLASSES = """
CentredHalfspaces CodeSets Conjunctions Constants Cuts DecisionLists Disjunctions Finite GeneratedPoints Halfplanes
Halfspaces OneTest Points Rectangles Scorecards Stumps TabledHalfspaces Thresholds TreeMixture
Trees Unions
"""
SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": [0, 1],
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 9, "integer": True}],
    }
)


@dataclass(frozen=True)
class Stranger(Threshold):
    """Written outside of the folder."""

    kind: ClassVar[str] = "stranger"


@dataclass(frozen=True)
class Strangers(Thresholds, Stored):
    """A class of one's own, with everything that classes of the folder have."""


def test_exactly_these_rules_and_classes_are_read_from_files() -> None:
    assert list(stored_rules()) == sorted(RULES.split())
    assert list(stored_classes()) == sorted(CLASSES.split())


def test_a_rule_from_elsewhere_is_never_read() -> None:
    assert issubclass(Stranger, RuleBase)
    assert "stranger" not in stored_rules()
    with pytest.raises(NotCertified, match="does not know"):
        hypothesis_from_json(Stranger("age", 3, True).to_json())


def test_a_class_from_elsewhere_is_never_read_not_even_under_a_known_name() -> None:
    assert "Strangers" not in stored_classes()
    assert not is_storable(Strangers(SCHEMA, "age"))
    Strangers.__name__ = "Thresholds"
    assert not is_storable(Strangers(SCHEMA, "age"))
    with pytest.raises(NotCertified):
        concepts_from_json({"class": "Strangers", "options": {"column": "age", "direction": "up"}}, SCHEMA)


@pytest.mark.parametrize("name", ["RuleBase", "Stored", "_Monomial", "Tree", "GrownRules", "os.system", ""])
def test_nothing_else_of_the_folder_is_read(name: str) -> None:
    with pytest.raises(NotCertified):
        hypothesis_from_json({"kind": name})
    with pytest.raises(NotCertified):
        concepts_from_json({"class": name, "options": {}}, SCHEMA)
