"""Named raw columns, fetched one at a time, so that a table never has to be in memory as a whole."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from privpac.data.raw import Array
from privpac.data.texts import Raw, plain_array
from privpac.errors import SchemaError, SizeError

__all__ = ["RawTable", "near", "no_repeats"]


@dataclass(frozen=True, repr=False, eq=False)
class RawTable:
    """`n` records with named columns; `fetch` brings one column, as it is stored, into memory."""

    names: tuple[str, ...]
    n: int
    fetch: Callable[[str], Raw]

    def __post_init__(self) -> None:
        if self.n == 0:
            raise SizeError("The table has no records.", remedy="Give at least one record.")

    def __repr__(self) -> str:
        return f"RawTable(n={self.n}, names={list(self.names)})"

    def column(self, name: str) -> Raw:
        """One raw column, in the form it came in."""
        require([name], names=self.names)
        return self.fetch(name)

    def array(self, name: str) -> Array:
        """One raw column as an array: any dtype, possibly masked."""
        return plain_array(self.column(name))


MOST_NAMED = 6
"""Missing columns that a message names."""


def require(wanted: Sequence[str], *, names: Sequence[str]) -> None:
    """Refuse if a wanted column does not exist; the message names all of them."""
    absent = [name for name in wanted if name not in names]
    if absent:
        listed = ", ".join(repr(name) for name in absent[:MOST_NAMED])
        more = f" and {len(absent) - MOST_NAMED} more" if len(absent) > MOST_NAMED else ""
        another = len(absent) > 1 and not set(wanted) & set(names)
        raise SchemaError(
            f"The table has no column{'s' * (len(absent) > 1)} {listed}{more}.",
            column=absent[0],
            remedy="It seems to be another table." if another else near(absent[0], names),
        )


def near(name: str, names: Sequence[str]) -> str:
    """A remedy for a misspelt name: the nearest ones, if any is near at all."""
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not close:
        return (
            f"None of the {len(names)} columns has a name like it." if len(names) > 1 else "Check the name."
        )
    return f"Did you mean {' or '.join(repr(candidate) for candidate in close)}?"


def no_repeats(names: Sequence[str]) -> None:
    """Refuse two columns of one name: which of them a schema means would be a guess."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SchemaError(
                f"The table has two columns named '{name}'.",
                column=name,
                remedy="Rename or remove one of them.",
            )
        seen.add(name)
