"""Numbers as people write them, by the standard library alone: Python reads more than that, such as '1_0' for 10."""

from __future__ import annotations

import re

__all__ = ["spelled"]

_WRITTEN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?[0-9]+/[0-9]+")


def spelled(text: str) -> str:
    """The text of a decimal or a fraction, without blanks around it; `ValueError` if a person would not write it so.

    Underscores between digits and digits of other scripts are Python's: a person who types them made a slip.

    >>> spelled(" 0.5 "), spelled("1e-3"), spelled("1/3")
    ('0.5', '1e-3', '1/3')
    >>> spelled("1_0")
    Traceback (most recent call last):
    ValueError: not a number as people write it
    """
    bare = text.strip()
    if _WRITTEN.fullmatch(bare) is None:
        raise ValueError("not a number as people write it")
    return bare
