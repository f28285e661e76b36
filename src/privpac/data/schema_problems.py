"""What is wrong with a schema, all of it at once, and keys that look like a slip of the pen."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from privpac.errors import SchemaError

__all__ = ["Problems", "misspelling"]

Result = TypeVar("Result")
ALIKE = 0.8
"""Keys more alike than this are taken for a slip: "lowr" and "lower" are, "owner" and "lower" are not."""
MOST_LISTED = 20


def misspelling(key: str, known: Iterable[str]) -> str | None:
    """The known key that a strange one was probably meant to be; None for a key that resembles none.

    >>> misspelling("lowr", ("lower", "upper")), misspelling("note", ("lower", "upper"))
    ('lower', None)
    """
    word = key.lower()
    for candidate in known:
        likeness = difflib.SequenceMatcher(None, word, candidate).ratio()
        if likeness > ALIKE or sorted(word) == sorted(candidate):
            return candidate
    return None


@dataclass
class Problems:
    """The problems met so far while a schema is read; `refuse` raises all of them as one error."""

    errors: list[SchemaError] = field(default_factory=list)

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """What `step` returns; None, and its problem noted, if it is refused."""
        try:
            return step()
        except SchemaError as error:
            self.errors.append(error)
            return None

    def refuse(self) -> None:
        """Raise what was noted, if anything was."""
        if not self.errors:
            return
        if len(self.errors) == 1:
            raise self.errors[0]
        listed = [f"({number}) {error}" for number, error in enumerate(self.errors[:MOST_LISTED], 1)]
        left = len(self.errors) - len(listed)
        more = f" And {left} more." if left else ""
        raise SchemaError(
            f"The schema has {len(self.errors)} problems: {' '.join(listed)}{more}",
            column=self.errors[0].column,
            remedy="Correct all of them.",
        )
