"""What is run on every table: each word people can write, with settings under which neighbours draw the same.

Low epsilons make common outcomes likely, small columns make them quick. Every word is tried as its form says, a new one
too; `test_complete.py` compares what is listed besides with the registries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from privpac.constructions.few_labels import methods as few_labels
from privpac.constructions.prediction.forms import CLASSIFIERS
from privpac.constructions.request import Word
from privpac.constructions.words import WORDS
from privpac.data.schema import Schema
from tests.forms import written_out
from tests.interference.tables import FEW, PAIRS, SCHEMA, WIDE, Pair

__all__ = [
    "ANSWERED",
    "ANSWERS_FOR_SURE",
    "BESIDE",
    "CLASSES",
    "FEW_LABELS",
    "LEARNT",
    "PREFIXES",
    "RELEASED",
    "VOTES",
    "Case",
    "by_name",
]


@dataclass(frozen=True)
class Case:
    """Wishes of a release, how many times as many records it needs, and which tables must meet."""

    word: str
    wishes: Mapping[str, Any] = field(default_factory=dict)
    times: int = 1
    pairs: tuple[Pair, ...] = PAIRS
    schema: Schema = SCHEMA

    @property
    def head(self) -> str:
        return self.word.partition(":")[0]

    def __str__(self) -> str:
        return " ".join([self.word, *(f"{name}={value}" for name, value in self.wishes.items())])


LOW: Mapping[str, Any] = {"epsilon": "0.01"}

SAME_KEYS: tuple[Pair, ...] = (
    ("base", "another label"),
    ("base", "an empty cell"),
    ("all equal", "all equal but a label"),
)
"""Sets of very many values are seldom the same for two tables unless the values they count are."""

_FURTHER = (
    Case("thresholds:age:either", LOW),
    Case("points:key:clipped", {"epsilon": "0.2"}),
    Case("points:key:improper", LOW),
    Case("points:key:cover", LOW, pairs=SAME_KEYS, schema=WIDE),
    Case("points:key:gibbs", LOW),
    Case("points:key:sampled", LOW),
    Case("points:key:keyed", LOW),
    Case("points:key:boosted", {"epsilon": "4"}, times=5, pairs=FEW[:1], schema=WIDE),
    Case("points:key:boosted-keyed", {"epsilon": "4"}, times=5, pairs=FEW[:1], schema=WIDE),
    Case("card:mixed", LOW, pairs=FEW),
    Case("reference:age,dose", {"epsilon": "1"}, times=10, pairs=FEW, schema=WIDE),
    Case("reference:dose:agnostic:0.5", {"epsilon": "1"}, times=10, schema=WIDE),
)
"""Words in further forms."""

_OTHERWISE = (
    Case('finite:["age >= 30","age >= 60","dose < 10"]', LOW),
    Case("generated:key:2", LOW),
    Case("clauses:1", LOW),
    Case("card:2", LOW),
    Case("reference:dose", {"epsilon": "1"}, times=10, schema=WIDE),
    Case("agnostic:thresholds:age", {"epsilon": "1"}),
    Case("subsampled:stumps", LOW),
    Case("stable:thresholds:age", {**LOW, "delta": "0.1"}),
)
"""Words whose tables would not meet, or not soon, in the form and with the wishes that all others are tried with."""


def _as_all_others(word: Word) -> Case:
    wishes = {**LOW, "delta": "0.000001"} if word.takes_delta else LOW
    return Case(written_out(word.form, "age", "dose"), wishes)


_RECORDS = (
    *_FURTHER,
    *_OTHERWISE,
    *(_as_all_others(word) for head, word in WORDS.items() if head not in {case.head for case in _OTHERWISE}),
)

OTHER_TESTS: tuple[Pair, ...] = (("all equal", "all equal but one"), ("base", "a new value"))
"""Where features are public, a card's tests come from them: these tables, which are no neighbours then, have no test in
common, or not those on which the points of a round lie."""

RECORDS_ONLY = ("points:key", "card:mixed")
"""Forms that protect whole records, of words that may protect labels."""

_LABELS = tuple(
    replace(
        case,
        wishes={**case.wishes, "protect": "labels"},
        pairs=tuple(pair for pair in case.pairs if case.head != "card" or pair not in OTHER_TESTS),
    )
    for case in _RECORDS
    if "labels" in WORDS[case.head].protects and not case.word.startswith(RECORDS_ONLY)
)

_AS_MEMBERS = (
    Case("agnostic:trees:1", {"epsilon": "1"}),
    Case("agnostic:unions:age:2", {"epsilon": "1"}),
    Case("stable:lists:1", {**LOW, "delta": "0.1"}),
)
"""Members of a finite class in place of labellings."""

LEARNT: tuple[Case, ...] = _RECORDS + _LABELS + _AS_MEMBERS
"""Every word, with whatever it protects."""

SAME_COUNTS: tuple[Pair, ...] = (
    ("base", "a value twice"),
    ("base", "an unknown category"),
    ("base", "outside the bounds"),
)
"""Noisy counts are seldom the same for two tables unless the true ones are."""

BESIDE: tuple[Case, ...] = (
    Case("thresholds:age", {"epsilon": "0.05", "estimate_epsilon": "6"}, pairs=SAME_COUNTS),
    Case("stumps", {"epsilon": "0.05", "estimate_epsilon": "6", "holdout": "0.25"}, pairs=SAME_COUNTS),
    Case("trees:1", {"epsilon": "0.05", "leaf_epsilon": "6"}, pairs=SAME_COUNTS),
    Case("trees:2", {"epsilon": "0.05", "costs": (1, 3), "records_per_person": 2}),
)
"""What may be asked for besides the rule."""

FEW_LABELS: tuple[Case, ...] = (
    *(Case("thresholds:age", {"epsilon": "1", "method": method}, times=2) for method in few_labels.METHODS),
    *(Case("trees:1", {"epsilon": "1", "method": method}, times=2) for method in ("boost", "relabel")),
)
"""Every way to use records without labels."""

RELEASED: tuple[Case, ...] = (
    Case("points", {"epsilon": "2", "columns": ("flag",)}),
    Case("points", {"epsilon": "4", "columns": ("flag", "ill")}, pairs=SAME_COUNTS),
    Case("tree", {"epsilon": "4", "columns": ("age",)}, pairs=SAME_COUNTS[:2]),
    Case("quantiles", {"epsilon": "0.05", "columns": ("age",)}),
    Case("blr", {"epsilon": "0.05", "columns": ("age",)}),
    Case("blocks", {"epsilon": "0.05", "delta": "0.01", "columns": ("age",)}),
    Case("auto", {"epsilon": "0.05", "columns": ("age",)}),
)
"""Every way to release a table."""

CLASSES = tuple(
    dict.fromkeys(case.word for case in _RECORDS if ":key:" not in case.word or case.head != "points")
)
"""One word of each class and its directions, for predictors that take a class."""

VOTES = tuple(f"vote:{name}{':2' * (name == 'forest')}" for name in CLASSIFIERS)

PREFIXES = ("predict-by-vote", "predict-by-relabelling", "predict-by-net")
"""What makes a predictor of a class."""

ANSWERED: tuple[str, ...] = (
    "auto",
    *VOTES,
    "weighted:tree",
    *CLASSES,
    *(f"{prefix}:{word}" for prefix in PREFIXES for word in CLASSES),
)
"""Every predictor a word names; those that do not exist are refused, whatever the records are."""

ANSWERS_FOR_SURE = frozenset(
    (
        *VOTES,
        "weighted:tree",
        "auto",
        "thresholds:age",
        "intervals:age",
        "stumps",
        "points:age",
        "predict-by-vote:thresholds:age",
        "trees:2",
        "lists:2",
        "halfspaces:age,dose",
        "predict-by-vote:trees:2",
    )
)
"""So that refusing everything is noticed."""


def by_name(case: Case) -> str:
    return str(case)
