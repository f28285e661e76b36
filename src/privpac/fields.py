"""Reading JSON that anybody may have written: exact fields, exact types, numbers of bounded length.

JSON knows one kind of number and Python takes true for 1, so a reader that is content with what compares equal accepts
files nobody wrote. Here 2.0 is not 2, true is not 1, and "007" is not 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from privpac.checker.document import MOST_DIGITS, Malformed, require
from privpac.errors import NotCertified, PrivpacError

__all__ = [
    "MALFORMED",
    "MOST_DIGITS",
    "Malformed",
    "as_list",
    "flag",
    "record",
    "refusing",
    "require",
    "text",
    "whole",
    "written_whole",
]

MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a file that nobody here wrote may trip over, while what it describes is built again."""

_WHOLE = re.compile(r"0|-?[1-9][0-9]*")


@contextmanager
def refusing(sentence: str) -> Iterator[None]:
    """Whatever a forged file trips over inside, the answer is this sentence."""
    try:
        yield
    except NotCertified:
        raise
    except (*MALFORMED, PrivpacError):
        raise NotCertified(sentence) from None


def record(value: object, *names: str) -> Mapping[str, Any]:
    """A JSON object with these fields and no others."""
    require(isinstance(value, Mapping) and set(value) == set(names), "the fields are not those expected")
    return value  # type: ignore[return-value]


def as_list(value: object) -> Sequence[Any]:
    """A list; refused if it is anything else."""
    require(isinstance(value, (list, tuple)), "a list is expected")
    return value  # type: ignore[return-value]


def text(value: object) -> str:
    """A text; refused if it is anything else."""
    require(isinstance(value, str), "text is expected")
    return str(value)


def flag(value: object) -> bool:
    """True or false; refused if it is anything else."""
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
