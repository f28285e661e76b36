"""Rules that somebody listed: `finite:FILE` is a public JSON file of rules, which become part of the word itself.

A certificate stores the word with every rule in it, so that `verify` needs no other file. Files are read where a person
names them, on the command line and in Python, and never where a word comes from elsewhere, such as a page.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from privpac.errors import DataError, ParameterError
from privpac.fields import Malformed, as_list, text

__all__ = ["FORM", "MOST_RULES", "PREFIX", "rules_of", "short_word", "with_rules"]

PREFIX = "finite:"
"""How such a word begins, also behind others."""
FORM = "finite:FILE"
OWNER = "learn"

MOST_RULES = 2**16
"""Every rule is asked about every record."""

REQUIREMENT = (
    'finite:FILE, the name of a JSON file with a list of rules, such as ["age >= 50", "smokes == 1"]'
)


def with_rules(word: str) -> str:
    """The word with the rules of its file in it; any other word as it is.

    The file is whatever follows `finite:`, also behind the words of transforms: `agnostic:finite:FILE`.

    >>> with_rules("thresholds:age"), with_rules('finite:["age >= 50"]')
    ('thresholds:age', 'finite:["age >= 50"]')
    """
    before, head, rest = word.partition(PREFIX)
    if not head or (before and not before.endswith(":")) or rest.startswith("["):
        return word
    return f"{before}{PREFIX}{json.dumps(_read(rest), ensure_ascii=False, separators=(',', ':'))}"


def _read(name: str) -> list[str]:
    try:
        return rules_of(Path(os.path.expanduser(name)).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise DataError(
            f"The rules of '{PREFIX}{name}' cannot be read.", remedy=f"Write {REQUIREMENT}."
        ) from None


def rules_of(source: str) -> list[str]:
    """The rules of a list in JSON, as text."""
    try:
        rules = [text(rule) for rule in as_list(json.loads(source))]
    except (ValueError, RecursionError, Malformed):
        raise ParameterError(OWNER, "concepts", _start(f"{PREFIX}{source}"), allowed=REQUIREMENT) from None
    if not 2 <= len(rules) <= MOST_RULES:
        raise ParameterError(
            OWNER, "concepts", f"{len(rules)} rules", allowed=f"a list of 2 to {MOST_RULES:,} rules"
        )
    return rules


def short_word(word: str) -> str:
    """The word for people to read, with the number of its rules in their place.

    >>> short_word('agnostic:finite:["age >= 50","age >= 60"]')
    'agnostic:finite:2 rules'
    """
    before, head, rest = word.partition(f"{PREFIX}[")
    return f"{before}{PREFIX}{len(rules_of('[' + rest))} rules" if head else word


def _start(word: str) -> str:
    return word if len(word) <= 60 else f"{word[:57]}..."
