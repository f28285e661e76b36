"""Reading the parts of a schema from JSON that a person wrote, and what is wrong with it, all of it at once."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from privpac.checker.document import Malformed, parsed_json
from privpac.data.columns import KINDS, Boolean, Categorical, Column, Date, Numeric
from privpac.errors import SchemaError

__all__ = [
    "COLUMN_KEYS",
    "KEYS",
    "OPTIONS",
    "REQUIRED_KEYS",
    "Problems",
    "auc_from",
    "column_from",
    "entries_of",
    "filled_in",
    "list_from",
    "misspelling",
    "rates_from",
    "slips",
]

OPTIONS = {
    "numeric": {"lower", "upper", "integer", "resolution", "missing", "scale", "usual", "title", "unit"},
    "categorical": {"categories", "other", "missing", "title", "meanings"},
    "boolean": {"missing", "title", "meanings"},
    "date": {"lower", "upper", "timezone", "missing", "title"},
}
REQUIRED_KEYS = {
    "numeric": {"lower": "a number", "upper": "a number"},
    "categorical": {"categories": 'a list such as ["low", "high"]'},
    "boolean": {},
    "date": {"lower": 'a date such as "2020-01-01"', "upper": 'a date such as "2029-12-31"'},
}
WORDS = ("title", "unit", "meanings")
"""What people wrote for people. Before these keys were options they were notes, and old documents hold such notes."""
FREE_NOTES = {"unit"}
"""A note without a meaning where it is no option: schema files that were written before it became one hold it."""
KEYS = (
    *("label", "columns", "classes", "origin", "base_rate", "attainable", "attainable_one_column"),
    *("label_title", "meanings"),
)
COLUMN_KEYS = ("name", "kind", *sorted(set().union(*OPTIONS.values())))

Result = TypeVar("Result")
ALIKE = 0.8
"""Keys more alike than this are taken for a slip: "lowr" and "lower" are, "owner" and "lower" are not."""
MOST_LISTED = 20


def misspelling(key: str, keys: Iterable[str]) -> str | None:
    """The known key that a strange one was probably meant to be; None for a key that resembles none.

    >>> misspelling("lowr", ("lower", "upper")), misspelling("note", ("lower", "upper"))
    ('lower', None)
    """
    word = key.lower()
    for candidate in keys:
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
        lines = [f"({number}) {error}" for number, error in enumerate(self.errors[:MOST_LISTED], 1)]
        left = len(self.errors) - len(lines)
        more = [f"And {left} more."] if left else []
        first = f"The schema has {len(self.errors)} problems. Correct all of them:"
        raise SchemaError("\n".join([first, *lines, *more]), column=self.errors[0].column)


def entries_of(source: str | Path) -> dict[str, Any]:
    """The entries of a schema, from a text or a file."""
    text, owner = str(source), "The schema"
    if isinstance(source, Path) or not text.lstrip().startswith("{"):
        owner = f"The schema file {text}"
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
            raise SchemaError(
                f"{owner} cannot be read: {reason}.", remedy="Write a draft with: privpac schema DATA"
            ) from None
    try:
        entries = parsed_json(text.encode("utf-8", "surrogatepass"))
    except json.JSONDecodeError as problem:
        raise SchemaError(
            f"{owner} is not valid JSON: {problem.msg} (line {problem.lineno}, column {problem.colno}).",
            remedy="Correct that place.",
        ) from None
    except (ValueError, RecursionError) as problem:
        reason = str(problem) if isinstance(problem, Malformed) else "it is not text, or nested too deeply"
        raise SchemaError(f"{owner} cannot be used: {reason}.", remedy="Correct that place.") from None
    if not isinstance(entries, dict):
        raise SchemaError(f"{owner} is not a JSON object.", remedy='It starts with {"label": ...')
    return entries


def filled_in(entry: Mapping[str, Any], key: str, owner: str, how: str, column: str | None = None) -> Any:
    """entry[key], or an error that says whether it is absent or was left blank, and what to write."""
    if entry.get(key) is None:
        state = "is still blank" if key in entry else "is missing"
        raise SchemaError(f'{owner}: "{key}" {state}.', column=column, remedy=f'Write "{key}": {how}.')
    return entry[key]


def all_filled_in(entry: Mapping[str, Any], needs: Mapping[str, str], owner: str, column: str) -> None:
    """Refuse, in one sentence, the keys of a column that are absent or were left blank."""
    open_keys = [key for key in needs if entry.get(key) is None]
    if len(open_keys) < 2:
        for key in open_keys:
            filled_in(entry, key, owner, needs[key], column)
        return
    names = " and ".join(f'"{key}"' for key in open_keys)
    state = "still blank" if all(key in entry for key in open_keys) else "missing"
    how = " and ".join(f'"{key}": {needs[key]}' for key in open_keys)
    raise SchemaError(f"{owner}: {names} are {state}.", column=column, remedy=f"Write {how}.")


def list_from(values: object, owner: str, remedy: str) -> Sequence[Any]:
    """The values, refused unless they are a list; those that are missing were refused before."""
    if values is None:
        return ()
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise SchemaError(f"{owner} is not a list.", remedy=remedy)
    return values


def slips(
    entry: Mapping[str, Any],
    keys: Collection[str],
    owner: str,
    problems: Problems,
    *,
    column: str | None = None,
) -> set[str]:
    """The known keys that strange ones were meant to be; each is noted as a problem, for it would be ignored."""
    corrections: set[str] = set()
    for key in entry:
        right = None if key in keys else misspelling(str(key), keys)
        if right is not None:
            corrections.add(right)
            problems.errors.append(
                SchemaError(
                    f'{owner}: "{key}" is not known.', column=column, remedy=f'Did you mean "{right}"?'
                )
            )
    return corrections


def column_from(entry: object, problems: Problems, *, stored: bool = False) -> Column | None:
    """One column; None if some of its problems were noted.

    Of a `stored` one, unknown keys may resemble known ones, and words for people that would be refused are notes.
    """
    if not isinstance(entry, Mapping):
        raise SchemaError(
            "An entry of the schema's columns is not an object.", remedy='Start it with {"name": ...'
        )
    name = filled_in(entry, "name", "A column of the schema", "the column's name")
    if not isinstance(name, str):
        raise SchemaError(f"A column's name is {name!r}, which is not text.", remedy="Put it in quotes.")
    owner = f"Column '{name}'"
    words = ", ".join(KINDS)
    kind = filled_in(entry, "kind", owner, f"one of {words}", name)
    if kind not in KINDS:
        raise SchemaError(
            f"{owner}: the kind {kind!r} is not known.", column=name, remedy=f"Use one of {words}."
        )
    before = len(problems.errors)
    corrections = set() if stored else slips(entry, COLUMN_KEYS, owner, problems, column=name)
    notes = (set(WORDS) if stored else FREE_NOTES) - OPTIONS[kind]
    for key in entry:
        if key in set(COLUMN_KEYS[2:]) - OPTIONS[kind] - notes and entry[key] is not None:
            problems.errors.append(
                SchemaError(
                    f'{owner}: "{key}" has no meaning for a {kind} column.', column=name, remedy="Remove it."
                )
            )
    needs = {key: how for key, how in REQUIRED_KEYS[kind].items() if key not in corrections}
    problems.attempt(partial(all_filled_in, entry, needs, owner, name))
    if len(problems.errors) > before:
        return None
    options = {key: entry[key] for key in OPTIONS[kind] if entry.get(key) is not None}
    notes |= _unfit(partial(_build, name, kind, extras={}), options) if stored else set()
    options = {key: value for key, value in options.items() if key not in notes}
    extras = {key: value for key, value in entry.items() if key not in COLUMN_KEYS or key in notes}
    return _build(name, kind, options, extras)


def _unfit(build: Callable[[dict[str, Any]], Column], options: Mapping[str, Any]) -> set[str]:
    """Options that are words for people and prevent a column: it can be built without them, but not with them."""
    bare = {key: value for key, value in options.items() if key not in WORDS}
    words = options.keys() - bare.keys()
    if words:
        build(bare)
    return {key for key in words if Problems().attempt(partial(build, {**bare, key: options[key]})) is None}


def _build(name: str, kind: str, options: dict[str, Any], extras: dict[str, Any]) -> Column:
    def wrong(key: str, how: str) -> SchemaError:
        return SchemaError(
            f"Column '{name}': {key} is not {how}.", column=name, remedy=f'Write "{key}": {how}.'
        )

    if kind == "numeric":
        if not isinstance(options.get("integer", False), bool):
            raise wrong("integer", "true or false")
        if options.get("integer") and "resolution" in options:
            raise SchemaError(
                f"Column '{name}': resolution has no meaning for an integer column.",
                column=name,
                remedy='Remove "resolution", or write "integer": false.',
            )
        return Numeric(name, extras=extras, **options)
    if kind == "categorical":
        if isinstance(options["categories"], str) or not isinstance(options["categories"], Sequence):
            raise wrong("categories", "a list")
        if any(isinstance(item, (list, dict)) or item is None for item in options["categories"]):
            raise wrong("categories", "a list of texts or numbers")
        return Categorical(name, extras=extras, **options)
    if kind == "boolean":
        return Boolean(name, extras=extras, **options)
    times = [_has_time(options[end]) for end in ("lower", "upper")]
    return Date(name, with_time=any(times), extras=extras, **options)


def _has_time(bound: object) -> bool:
    return isinstance(bound, str) and any(mark in bound.strip() for mark in "T :")


def rates_from(rate: object) -> tuple[float, ...] | None:
    """The shares of all classes; of two classes the second is enough."""
    if rate is None:
        return None
    shares: list[float] = []
    for share in rate if isinstance(rate, list | tuple) else [rate]:
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
            raise SchemaError(
                "The schema's base_rate is not a number between 0 and 1, or a list of such numbers.",
                remedy='Write "base_rate": 0.06 for the share of the second of two classes, or one share per class.',
            )
        shares.append(float(share))
    return (1 - shares[0], shares[0]) if len(shares) == 1 else tuple(shares)


def auc_from(value: object, key: str = "attainable") -> float | None:
    """A guess of an AUC: above that of a coin, below that of an oracle."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.5 < value < 1:
        raise SchemaError(
            f"The schema's {key} is not a number between 0.5 and 1.",
            remedy=f'Write "{key}": 0.75 for the AUC that you expect without privacy, or leave it out.',
        )
    return float(value)
