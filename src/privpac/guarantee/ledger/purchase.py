"""What a charge was paid for, in public words: never anything of the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from privpac.checker.document import digest
from privpac.errors import ParameterError

__all__ = ["Purchase"]

LONGEST = 300
"""Characters of one of its texts: names, not documents."""


@dataclass(frozen=True)
class Purchase:
    """The release behind a charge. Every part may be empty, and all are names that somebody chose before the draw.

    >>> print(Purchase(table="trees.csv", word="trees:2", file="model.json"))
    trees:2 from trees.csv to model.json
    """

    table: str = ""
    """What the table is called; never a digest of what stands in it."""
    schema: str = ""
    """The digest of the declared schema; empty where the schema was read from the data."""
    word: str = ""
    """What was released: the word of a class, or what is done with the records."""
    file: str = ""
    """What is written with it."""
    label: str = ""
    """The column that is predicted."""
    certificate: str = ""
    """The digest of the certificate, which exists before the draw; empty where the schema was read from the data."""

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if not isinstance(text, str) or len(text) > LONGEST or not text.isprintable():
                allowed = f"one line of at most {LONGEST} printable characters"
                raise ParameterError("Purchase", name, text, allowed=allowed)

    @classmethod
    def of(cls, **parts: object) -> Purchase:
        """From names as they come: what is no short printable text is left out, for a name must not stop a release."""
        return cls(**{name: _name(text) for name, text in parts.items()})

    @classmethod
    def read(cls, text: str) -> Purchase:
        """As `text` wrote it; ValueError, TypeError or ParameterError if it did not."""
        tree = json.loads(text)
        if not isinstance(tree, dict) or not set(tree) <= {part.name for part in fields(cls)}:
            raise ValueError("not a purchase")
        purchase = cls(**tree)
        if purchase.text() != text:
            raise ValueError("not a purchase")
        return purchase

    def text(self) -> str:
        """Canonical JSON of the parts that are there: what a store keeps and the hash covers."""
        return self._text

    @cached_property
    def _text(self) -> str:
        parts = {name: text for name, text in asdict(self).items() if text}
        return json.dumps(parts, sort_keys=True, separators=(",", ":"))

    def written_to(self, file: str) -> Purchase:
        """The same, and the file it is written to."""
        return replace(self, file=_name(file)) if file else self

    def certified(self, certificate: Mapping[str, Any]) -> Purchase:
        """The same, tied to the stored form of the certificate that is paid for.

        A certificate follows from public numbers alone, and is released. One whose schema was read from the records
        depends on them, and a charge stands even if nothing is released: then nothing of it is written down.
        """
        return replace(self, certificate=digest(certificate)) if self.schema else self

    def __str__(self) -> str:
        parts = [
            self.word,
            f"of {self.label}" if self.label else "",
            f"from {self.table}" if self.table else "",
        ]
        return " ".join(part for part in [*parts, f"to {self.file}" if self.file else ""] if part)


def _name(text: object) -> str:
    return text if isinstance(text, str) and len(text) <= LONGEST and text.isprintable() else ""
