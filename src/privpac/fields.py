"""Reading JSON that anybody may have written: bounded before it is built, exact fields, exact types.

JSON knows one kind of number and Python takes true for 1, so a reader that is content with what compares equal accepts
files nobody wrote. Here 2.0 is not 2, true is not 1, and "007" is not 7.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from privpac.errors import NotCertified, PrivpacError

__all__ = [
    "MALFORMED",
    "MOST_DIGITS",
    "Malformed",
    "flag",
    "listed",
    "parsed_json",
    "record",
    "refusing",
    "require",
    "require_bounded",
    "text",
    "whole",
    "written_whole",
]

MOST_DIGITS = 4300
"""Decimal digits of an integer in a file: as many as Python reads and writes without being asked to do more."""

MOST_BYTES = 2**28
"""Of a file; the largest released tables have some ten million bytes."""

MOST_VALUES = 2**23
"""Values in a document, those inside of others included: as Python keeps them, below a gigabyte."""

DEEPEST = 256
"""Values inside of each other: a derivation of a hundred steps takes two levels for each."""

MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a file that nobody here wrote may trip over, while what it describes is built again."""

_WHOLE = re.compile(r"0|-?[1-9][0-9]*")


class Malformed(ValueError):
    """A stored document does not have the shape that is written."""


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Malformed(reason)


@contextmanager
def refusing(sentence: str) -> Iterator[None]:
    """Whatever a forged file trips over inside, the answer is this sentence."""
    try:
        yield
    except NotCertified:
        raise
    except (*MALFORMED, PrivpacError):
        raise NotCertified(sentence) from None


def parsed_json(raw: bytes) -> object:
    """JSON as it is written down, within public limits; a ValueError or RecursionError where it is none."""
    require(len(raw) <= MOST_BYTES, "the file is too large")
    # Before every value but the first stands one of these, so what Python would build is bounded by what is read.
    require(sum(map(raw.count, (b",", b"[", b"{"))) < MOST_VALUES, "there are too many values")
    tree: object = json.loads(
        raw.decode("utf-8"),
        object_pairs_hook=_once,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_finite,
    )
    require_bounded(tree)
    return tree


def require_bounded(tree: object) -> None:
    """Refuse data too deep or too many to be walked through; without recursion, so that depth itself does no harm."""
    level, count = [tree], 0
    for _ in range(DEEPEST):
        count += len(level)
        require(count <= MOST_VALUES, "there are too many values")
        inner: list[object] = []
        for value in level:
            if isinstance(value, Mapping):
                inner += value.values()
            elif isinstance(value, (list, tuple)):
                inner += value
        if not inner:
            return
        level = inner
    require(False, "values are nested too deeply")


def _integer(digits: str) -> int:
    require(len(digits) <= MOST_DIGITS, "an integer is too long")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    require(math.isfinite(number), "a number is out of range")
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no name stands twice: of two values a digest would cover only the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise Malformed(f"it has the key '{twice[:40]}' twice in one entry")
    return found


def _no_constant(name: str) -> Any:
    raise Malformed(f"{name} is not JSON")


def record(value: object, *names: str) -> Mapping[str, Any]:
    """A JSON object with these fields and no others."""
    require(isinstance(value, Mapping) and set(value) == set(names), "the fields are not those expected")
    return value  # type: ignore[return-value]


def listed(value: object) -> Sequence[Any]:
    require(isinstance(value, (list, tuple)), "a list is expected")
    return value  # type: ignore[return-value]


def text(value: object) -> str:
    require(isinstance(value, str), "text is expected")
    return str(value)


def flag(value: object) -> bool:
    require(isinstance(value, bool), "true or false is expected")
    return bool(value)


def whole(value: object, *, least: int | None = None, most: int | None = None) -> int:
    """An integer as such: neither true nor 2.0."""
    if type(value) is not int:
        raise Malformed("a whole number is expected")
    require(least is None or value >= least, "a whole number is too small")
    require(most is None or value <= most, "a whole number is too large")
    return value


def written_whole(value: object) -> int:
    """An integer written as text, in its one spelling: cells may exceed what other readers of JSON take."""
    digits = text(value)
    require(len(digits) <= MOST_DIGITS and _WHOLE.fullmatch(digits) is not None, "digits are expected")
    return int(digits)
