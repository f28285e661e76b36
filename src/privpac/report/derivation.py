"""A stored derivation as people read it: the fact on top, the rule it follows by, and below what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privpac.errors import NotCertified
from privpac.guarantee.sentences import parameter_words
from privpac.report.wording import fact_in_words, short

__all__ = ["Step"]

DEEPEST = 200

Titles = Mapping[str, tuple[str, str]]
"""Rule → title and source of the theorem behind it."""


@dataclass(frozen=True)
class Step:
    """One step of a derivation: the fact, the theorem behind its rule, its numbers, and what it rests on."""

    fact: str
    title: str
    source: str
    where: tuple[tuple[str, str], ...]
    assumes: tuple[str, ...]
    premises: tuple[Step, ...] = field(default=())

    @classmethod
    def of(cls, tree: Mapping[str, Any], titles: Titles, *, depth: int = 0) -> Step:
        """The step at the root of a stored derivation, with all its premises; refused if nested too deeply."""
        if depth > DEEPEST:
            raise NotCertified("The derivation is nested too deeply.")
        rule = str(tree["rule"])
        title, source = titles.get(rule, (rule.replace("-", " "), ""))
        return cls(
            fact_in_words(tree["fact"]),
            title,
            source,
            tuple(parameter_words(str(key), short(value)) for key, value in tree.get("where", {}).items()),
            tuple(str(text) for text in tree.get("assumes", ())),
            tuple(cls.of(below, titles, depth=depth + 1) for below in tree.get("premises", ())),
        )

    @property
    def count(self) -> int:
        """The number of steps, this one included."""
        return 1 + sum(step.count for step in self.premises)

    def to_json(self) -> dict[str, Any]:
        """The same for a page that draws it."""
        return {
            "fact": self.fact,
            "title": self.title,
            "source": self.source,
            "where": [list(pair) for pair in self.where],
            "assumes": list(self.assumes),
            "premises": [step.to_json() for step in self.premises],
        }
