"""The form of the planner: which fields each class of rules needs, and the question they make together."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from privpac.constructions.words import WORDS
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.planning.making import Plan, Progress, make
from privpac.planning.question import Question

__all__ = ["CLASSES", "QUESTIONS", "PlanForm", "RuleClass"]

QUESTIONS = {
    "needed": ("Records", "How many records are enough?"),
    "reachable": ("Error", "Which error is within reach?"),
    "smallest_epsilon": ("Epsilon", "How private can it be?"),
}
INPUTS = {
    "needed": ("error", "epsilon"),
    "reachable": ("records", "epsilon"),
    "smallest_epsilon": ("records", "error"),
}
AGAINST = {"epsilon": "epsilon", "error": "error", "bits": "bits of the domain"}


@dataclass(frozen=True)
class RuleClass:
    """A kind of rule in words, the fields that size it, and how its word is put together."""

    title: str
    fields: tuple[str, ...]
    form: str
    count: str = ""
    """What `count` means, where the class has one."""
    usual: str = "2"
    of_schema: str | None = None
    """How its word is put together where a schema says what the columns are; None: not from a schema."""

    @property
    def takes_column(self) -> bool:
        """Whether it is about one column, which a schema names."""
        return self.of_schema is not None and "{column}" in self.of_schema


def _of_columns(title: str, form: str, count: str = "", *, more: tuple[str, ...] = ()) -> RuleClass:
    """A class over all columns of a table, so that a schema takes the place of their number."""
    fields = (*(["count"] if count else []), "columns", *more)
    return RuleClass(title, fields, form, count, of_schema=form)


_WORDED: dict[str, RuleClass] = {
    "auto": _of_columns("What suits (a test, or a tree)", "auto"),
    "trees": _of_columns("Decision trees", "trees:{count}", "Depth"),
    "one-test": _of_columns("One test on any column", "one-test"),
    "stumps": _of_columns("One test, or a constant", "stumps", more=("bits",)),
    "lists": _of_columns("Decision lists", "lists:{count}", "Tests in a list"),
    "conjunctions": _of_columns("All of a few tests", "conjunctions:{count}", "Tests at most"),
    "clauses": _of_columns(
        "What a few conjunctions say, improperly", "clauses:{count}", "Conjunctions at most"
    ),
    "disjunctions": _of_columns("Any of a few tests", "disjunctions:{count}", "Tests at most"),
    "scorecards": _of_columns("Scorecards", "scorecards:{count}", "Columns that score at most"),
    "thresholds": RuleClass("A cut in one column", ("bits",), "thresholds", of_schema="thresholds:{column}"),
    "intervals": RuleClass("One range of a column", ("bits",), "intervals", of_schema="intervals:{column}"),
    "unions": RuleClass(
        "Several ranges of a column",
        ("count", "bits"),
        "unions:{count}",
        "Ranges at most",
        of_schema="unions:{column}:{count}",
    ),
    "points": RuleClass("One value of a column", ("bits",), "points", of_schema="points:{column}"),
    "generated": RuleClass(
        "One value of a public generator", ("count",), "generated:{count}", "Bits of its seed", "16"
    ),
    "rectangles": RuleClass("A box in a few columns", ("count", "bits"), "rectangles:{count}", "Columns"),
    "halfspaces": RuleClass("Points for chosen columns", ("count",), "halfspaces:{count}", "Columns"),
    "reference": RuleClass("A cut in a continuous column", ("kappa",), "reference:{kappa}"),
    "sphere": RuleClass(
        "Half-spaces through the origin", ("count", "kappa"), "sphere:{count}:{kappa}", "Dimension", "3"
    ),
}
"""Those people ask for most first."""

NOT_OFFERED = ("card", "finite")
"""Of cards nothing is promised; pages read no file."""


def _as_its_form_says(name: str, form: str) -> RuleClass:
    """A class that has no words here: called by its name, with the fields that its form has places for."""
    parts = form.split(":")[1:]
    is_line = bool(parts) and "COL" in parts[0]
    count = len(parts) > is_line
    fields = (*(["count"] if count else []), "bits" if is_line else "columns")
    tail = ":{count}" if count else ""
    of_schema = None if is_line else f"{name}{tail}"
    return RuleClass(
        name.replace("-", " ").capitalize(),
        fields,
        f"{name}{tail}",
        "Number" if count else "",
        of_schema=of_schema,
    )


CLASSES: Mapping[str, RuleClass] = _WORDED | {
    name: _as_its_form_says(name, entry.form)
    for name, entry in WORDS.items()
    if not (name in (*_WORDED, *NOT_OFFERED) or entry.way_of or entry.transforms)
}
"""Every class that a plan can be made for."""

DEFAULTS = {
    "question": "needed",
    "concepts": "trees",
    "records": "3000",
    "error": "0.1",
    "epsilon": "1",
    "columns": "12",
    "bits": "16",
    "count": "",
    "kappa": "10",
    "failure": "0.05",
    "delta": "0",
    "unlabelled": "",
    "protect": "records",
    "have": "",
    "against": "epsilon",
    "schema": "",
    "column": "",
}
LONGEST = 40
"""Characters of a field: numbers are shorter."""


@dataclass(frozen=True)
class PlanForm:
    """The fields as they were filled in."""

    values: Mapping[str, str]
    described: Schema | None = None
    """The schema that says what the columns are, instead of numbers; `schema` is the name of its drawer."""

    @classmethod
    def of(cls, fields: Mapping[str, str], described: Schema | None = None) -> PlanForm:
        """Known fields, trimmed; what is left out has its default."""
        values = {name: str(fields.get(name, usual)).strip() for name, usual in DEFAULTS.items()}
        for name, value in values.items():
            if len(value) > LONGEST and name != "column":
                raise ParameterError("plan", name, value, allowed=f"at most {LONGEST} characters")
        for name, choices in (("question", QUESTIONS), ("concepts", CLASSES), ("against", AGAINST)):
            if values[name] not in choices:
                raise ParameterError("plan", name, values[name], allowed="one of " + ", ".join(choices))
        if described is not None and CLASSES[values["concepts"]].of_schema is None:
            values["concepts"] = DEFAULTS["concepts"]
        return cls(values, described)

    def __getitem__(self, name: str) -> str:
        return self.values[name]

    @property
    def rule_class(self) -> RuleClass:
        """The class of rules that was chosen."""
        return CLASSES[self["concepts"]]

    @property
    def count(self) -> str:
        """The number that was entered, or the usual one of the class."""
        return self["count"] or self.rule_class.usual

    @property
    def word(self) -> str:
        """The class as the command line writes it."""
        form = self.rule_class.form if self.described is None else self.rule_class.of_schema
        return str(form).format(count=self.count, kappa=self["kappa"], column=self.column)

    @property
    def column_names(self) -> list[str]:
        """The columns that a class of one column may be about."""
        return [] if self.described is None else [one.name for one in self.described.columns if one.ordered]

    @property
    def column(self) -> str:
        """The column that was chosen, or the first there is."""
        names = self.column_names
        return self["column"] if self["column"] in names else next(iter(names), "")

    @property
    def classes(self) -> Mapping[str, RuleClass]:
        """What can be chosen from: of a schema, what can be learnt from a table it describes."""
        return {name: kind for name, kind in CLASSES.items() if self.described is None or kind.of_schema}

    @property
    def against(self) -> str:
        """What curves run along; bits only where the class has them."""
        return (
            "epsilon"
            if self["against"] == "bits"
            and ("bits" not in self.rule_class.fields or self.described is not None)
            else self["against"]
        )

    @property
    def query(self) -> str:
        """The same form as part of an address."""
        return urlencode({name: value for name, value in self.values.items() if value != DEFAULTS[name]})

    @property
    def _entries(self) -> dict[str, str]:
        """The fields that count for this question and this class, as the command line calls them."""
        entries = {name: self[name] for name in INPUTS[self["question"]]}
        if self["question"] == "needed" and self["have"]:
            entries["records"] = self["have"]
        if self.described is None:
            entries |= {name: self[name] for name in ("columns", "bits") if name in self.rule_class.fields}
        else:
            entries["schema"] = "schema.json"
        entries |= {name: self[name] for name in ("unlabelled",) if self[name]}
        usual = {name: self[name] for name in ("failure", "delta", "protect")}
        return entries | {name: value for name, value in usual.items() if value != DEFAULTS[name]}

    def command(self) -> str:
        """The same question on the command line."""
        options = (part for name, value in self._entries.items() for part in (f"--{name}", value))
        return shlex.join(["privpac", "plan", "--concepts", self.word, *options])

    def as_question(self) -> Question:
        """What the planner is asked, its numbers read exactly. In pages `form.question` is the field."""
        said = {name: value for name, value in self._entries.items() if name != "schema"}
        return Question.read(concepts=self.word, schema=self.described, **said)

    def ask(self) -> Plan:
        """The plan; the same question is answered from memory."""
        return _answer(self.as_question())

    def simulate(self, seconds: float, progress: Progress) -> Plan:
        """The same, tried on invented records."""
        return make(self.as_question(), seconds=seconds, progress=progress)


@lru_cache(maxsize=256)
def _answer(question: Question) -> Plan:
    return make(question)
