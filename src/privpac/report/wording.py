"""The facts of a stored certificate in words, with the checker's arithmetic.

The same words as `str` of a fact (a test compares them), but made by the standard library alone: whatever checks a
certificate without the library, such as a page in a browser, can also say what it promises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privpac.checker.book import Tree
from privpac.checker.directed import ln_ceiling
from privpac.guarantee.sentences import (
    accuracy_sentence,
    answers_sentence,
    bounded_range_sentence,
    concentrated_sentence,
    privacy_sentence,
    range_sentence,
    stability_sentence,
)
from privpac.numbers.decimals import decimal_text

__all__ = ["fact_in_words", "short"]

_NUMBERS = ("delta", "rho", "gamma", "error", "failure")
_SENTENCES: Mapping[str, Callable[..., str]] = {
    "privacy": privacy_sentence,
    "bounded-range": bounded_range_sentence,
    "range": range_sentence,
    "concentrated": concentrated_sentence,
    "stability": stability_sentence,
    "accuracy": accuracy_sentence,
    "answers": answers_sentence,
}
_UNSPOKEN = {
    "privacy": {"kind", "neighbours"},
    "range": {"kind", "release"},
    "concentrated": {"kind", "release"},
    "accuracy": {"kind", "proper"},
}
"""Fields of a stored fact that its sentence leaves out."""


def fact_in_words(fact: Tree) -> str:
    """One sentence for a stored fact that the checker has accepted."""
    kind = fact["kind"]
    left_out = _UNSPOKEN.get(kind, {"kind"})
    return _SENTENCES[kind](**{name: _words(name, fact[name]) for name in fact if name not in left_out})


def _words(name: str, value: Any) -> Any:
    if name == "epsilon":
        upper = Fraction(value["log"]) + ln_ceiling(Fraction(value["factor"]))
        return decimal_text(max(upper, Fraction(0)))
    return decimal_text(Fraction(value)) if name in _NUMBERS else value


def short(value: object) -> str:
    """Six digits of a long number, all of which are in the file; yes or no of what is true or false."""
    text = str(value) if not isinstance(value, bool) else "yes" if value else "no"
    if len(text) <= 16:
        return text
    try:
        return f"≈ {float(Fraction(text)):.6g}"
    except ValueError:
        return text  # words
    except OverflowError:
        return f"≈ 2^{int(Fraction(text)).bit_length() - 1}"
