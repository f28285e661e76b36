"""Powers and indices in plain text (e^(−ε/2), 2^64, x_1) are raised and lowered once a page is rendered.

The sources stay as a person types and greps them, and so do code and the index of the search. What cannot be read for
sure is left as it is.
"""

from __future__ import annotations

import re
from typing import Any

from docs.hooks.mathematics import CODE

__all__ = ["on_page_markdown", "on_post_page", "raised", "typeset"]

APART = re.compile(
    r"<(?P<name>pre|code|math|script|style|svg|title|textarea|head)\b.*?</(?P=name)>|<[^>]*>", re.DOTALL
)
"""What is not prose: code, formulas that are typeset already, everything within a tag."""
SIGN = "[−±-]?"
EXPONENT = re.compile(rf"{SIGN}(?:\d+(?:\.\d+)?|[^\W\d_]+(?:_\w)?'?|∞|\|[^|<]+\||⌊[^⌋<]+⌋|\{{[^}}<]+\}})")
"""A number, a name with its index, or a part within bars or braces; what is longer stands in brackets."""
INDEX = re.compile(
    r"(?P<base>(?<![\w.])[^\W\d_]['′]?|[∫∏∑)])_(?P<index>\{[^}<]*\}|\([^()<]*\)|\w{1,2}(?!\w)|\d+|\+)"
)
SYMBOL = re.compile(r"(?P<symbol>[∫∏∑ΠΣ)])_(?=[\w({+])")
"""After these Markdown would take the mark of an index for the beginning of emphasis."""
LINK = '<a class="term"[^>]*>[^<]*</a>'
LINKED = re.compile(rf"(?<=\S)\^(?:\((?P<longer>[^()<]*{LINK}[^()<]*)\)|(?P<alone>{LINK}))")
"""An exponent in which a word leads to the glossary."""


def typeset(html: str) -> str:
    """A page with the powers and indices of its prose in their places."""
    parts: list[str] = []
    place = 0
    html = LINKED.sub(lambda match: f"<sup>{match['longer'] or match['alone']}</sup>", html)
    for apart in APART.finditer(html):
        parts += [raised(html[place : apart.start()]), apart[0]]
        place = apart.end()
    return "".join([*parts, raised(html[place:])])


def raised(text: str) -> str:
    """Some prose with its powers and indices in their places.

    >>> raised("e^(−ε·(k + 1)), 2^64 and r^S(h)")
    'e<sup>−ε·(k + 1)</sup>, 2<sup>64</sup> and r<sup>S(h)</sup>'
    """
    before, caret, after = text.partition("^")
    if not caret:
        return _lowered(text)
    length = _exponent(after)
    if not length or not before or before[-1].isspace():
        return f"{_lowered(before)}^{raised(after)}"
    exponent = after[:length]
    inside = exponent[1:-1] if exponent[0] in "({" else exponent
    return f"{_lowered(before)}<sup>{raised(inside)}</sup>{raised(after[length:])}"


def _exponent(text: str) -> int:
    """How long the exponent is that a text begins with; 0 if there is none."""
    sign = re.match(SIGN, text)
    start = sign.end() if sign else 0
    if text[start : start + 1] == "(":
        return _closed(text, start)
    match = EXPONENT.match(text)
    if match is None:
        return 0
    end = match.end()
    of_something = text[end : end + 1] == "(" and not match[0][-1].isdigit()
    return (_closed(text, end) or end) if of_something else end


def _closed(text: str, start: int) -> int:
    """Where the bracket that opens at a place is closed; 0 if it is not."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place + 1
    return 0


def _lowered(text: str) -> str:
    return INDEX.sub(lambda match: f"{match['base']}<sub>{_bare(match['index'])}</sub>", text)


def _bare(index: str) -> str:
    return _lowered(index[1:-1] if index[0] in "({" else index)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Indices of symbols, kept from becoming emphasis; code stays as it is."""
    parts, end = [], 0
    for code in CODE.finditer(markdown):
        parts += [SYMBOL.sub(r"\g<symbol>\_", markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, SYMBOL.sub(r"\g<symbol>\_", markdown[end:])])


def on_post_page(output: str, **_: Any) -> str:
    return typeset(output)
