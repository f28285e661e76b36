"""Words as people write them: the form of every word, with something in each of its places.

A new word is tried by every suite that goes through the words, without a case of its own there.
"""

from __future__ import annotations

__all__ = ["written_out"]

PLACES = {
    "K": "2",
    "DEPTH": "2",
    "D1+D2": "1+1",
    "ROUNDS": "2",
    "BITS": "2",
    "RATE": "0.01",
    "DIMENSION": "2",
    "KAPPA": "10",
}
"""What may stand in a place that names no column."""


def written_out(form: str, first: str, second: str) -> str:
    """`unions:COLUMN:K` is `unions:age:2`: small numbers, the first of these columns, both where a word takes two."""
    places = {
        **PLACES,
        "COLUMN": first,
        "COL,COL": f"{first},{second}",
        "FILE": f'["{first} >= 1","{second} >= 2"]',
        "WORD": f"thresholds:{first}",
    }
    head, *rest = form.split(":")
    return ":".join([head, *(places[place] for place in rest)])
