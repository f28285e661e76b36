"""Formulas between dollar signs become MathML while the site is built: no script, nothing loaded from elsewhere.

A small part of TeX, the part that the proofs use. Whatever else is written fails the build: no page shows raw TeX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

__all__ = ["Unknown", "formulas", "mathml", "on_page_markdown", "pieces", "typeset"]

CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<line>[^$\n]+(?:\n[^$\n]+)?)\$", re.DOTALL)
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)

LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "varepsilon": "ε", "epsilon": "ε",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "ell": "ℓ", "square": "□",
}  # fmt: skip
OPERATORS = {
    "le": "≤", "ge": "≥", "ne": "≠", "cdot": "·", "times": "×", "in": "∈", "subseteq": "⊆", "to": "→", "pm": "±",
    "sim": "∼", "mid": "|", "dots": "…", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "langle": "⟨",
    "rangle": "⟩",
}  # fmt: skip
FUNCTIONS = {"max", "min", "ln", "log", "exp", "sin", "cos", "tan", "tanh", "arcsin", "Pr"}
SIZES = {"big", "Big", "left", "right"}
"""Only the size of a delimiter, which MathML finds by itself."""
SCRIPTS = {(False, False): "", (True, False): "msub", (False, True): "msup", (True, True): "msubsup"}
JOINS = {"=", "<", ">", "+", "-", r"\le", r"\ge", r"\ne", r"\in", r"\to", r"\sim"}
"""Before these a long formula may be broken, outside of brackets."""
OPENS, CLOSES = {"{", "(", "[", r"\lceil", r"\lfloor"}, {"}", ")", "]", r"\rceil", r"\rfloor"}
SHORT = 24
"""Letters and signs that fit on a line of a phone."""
SPACES = {",": "0.17em", ";": "0.28em", " ": "0.25em"}


class Unknown(ValueError):
    """TeX that is not known here."""


def mathml(tex: str, *, block: bool = False) -> str:
    """A formula as a `math` element.

    >>> mathml("x^2")
    '<math><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    kind = ' display="block" tabindex="0"' if block else ""  # so that keys scroll what is wider than the page
    return f"<math{kind}>{_Formula(tex).row()}</math>"


class _Formula:
    """A reader of one formula."""

    def __init__(self, tex: str) -> None:
        self._tex = tex
        self._tokens = [token for token in TOKEN.findall(tex) if token]
        self._place = 0

    def row(self, *, until: str | None = None) -> str:
        """Everything up to a closing brace, or to the end."""
        parts: list[str] = []
        while (token := self._next()) != until:
            if token is None:
                raise Unknown(f"a brace is not closed in ${self._tex}$")
            if not token.isspace():
                parts.append(self._with_scripts(token))
        return "".join(parts)

    def _next(self) -> str | None:
        self._place += 1
        return self._tokens[self._place - 1] if self._place <= len(self._tokens) else None

    def _peek(self) -> str | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _with_scripts(self, token: str) -> str:
        base, below, above = self._atom(token), None, None
        while self._peek() in ("^", "_"):
            if self._next() == "^":
                above = self._argument()
            else:
                below = self._argument()
        kind = SCRIPTS[below is not None, above is not None]
        if not kind:
            return base
        if token == r"\sum":
            kind = kind.replace("sub", "under").replace("sup", "over")
        return f"<{kind}>{base}{below or ''}{above or ''}</{kind}>"

    def _argument(self) -> str:
        token = self._next()
        while token is not None and token.isspace():
            token = self._next()
        if token is None:
            raise Unknown(f"something is missing at the end of ${self._tex}$")
        return self._atom(token, alone=True)

    def _atom(self, token: str, *, alone: bool = False) -> str:
        if token == "{":
            return f"<mrow>{self.row(until='}')}</mrow>"
        if token.isdigit() and not alone:
            while (more := self._peek()) is not None and (more.isdigit() or more == "."):
                token += self._next() or ""
        if token.startswith("\\"):
            return self._command(token[1:])
        if token in ("^", "_", "}", "&", "~"):
            raise Unknown(f"{token} stands where it means nothing in ${self._tex}$")
        if token[0].isdigit():
            return _element("mn", token)
        return _element("mi" if token.isalpha() else "mo", {"-": "−", "'": "′", "*": "∗"}.get(token, token))

    def _command(self, name: str) -> str:
        if name in COMMANDS:
            return COMMANDS[name](self)
        if name in LETTERS or name in FUNCTIONS:
            return _element("mi", LETTERS.get(name, name))
        if name in OPERATORS:
            return _element("mo", OPERATORS[name])
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        if name in SIZES:
            return self._argument()
        if name in "{}|":
            return _element("mo", name)
        raise Unknown(f"\\{name} is not known, in ${self._tex}$")

    def fraction(self, line: str = "") -> str:
        return f"<mfrac{line}>{self._argument()}{self._argument()}</mfrac>"

    def choices(self) -> str:
        without_line = ' linethickness="0"'
        return f"<mrow><mo>(</mo>{self.fraction(without_line)}<mo>)</mo></mrow>"

    def root(self) -> str:
        return f"<msqrt>{self._argument()}</msqrt>"

    def hat(self) -> str:
        return f'<mover accent="true">{self._argument()}<mo>^</mo></mover>'

    def words(self) -> str:
        """What stands in braces as it is written."""
        if self._next() != "{":
            raise Unknown(f"words need braces in ${self._tex}$")
        text = ""
        while (token := self._next()) != "}":
            if token is None or token.startswith("\\"):
                raise Unknown(f"words hold no commands in ${self._tex}$")
            text += token
        return _element("mtext", text.replace(" ", "\N{NO-BREAK SPACE}"))


COMMANDS: dict[str, Callable[[_Formula], str]] = {
    "frac": _Formula.fraction,
    "tfrac": _Formula.fraction,
    "binom": _Formula.choices,
    "sqrt": _Formula.root,
    "hat": _Formula.hat,
    "text": _Formula.words,
    "sum": lambda formula: "<mo>∑</mo>",
}


def _element(name: str, text: str) -> str:
    """With references for what Markdown would read as markup."""
    plain = escape(text, quote=False)
    for mark in "*_[]|\\`":
        plain = plain.replace(mark, f"&#{ord(mark)};")
    return f"<{name}>{plain}</{name}>"


def formulas(markdown: str) -> Iterator[re.Match[str]]:
    """Every formula outside of code."""
    hidden = CODE.sub(lambda code: " " * len(code[0]), markdown)
    yield from FORMULA.finditer(hidden)


def pieces(tex: str) -> list[str]:
    """A long formula in parts, each after the first beginning with the sign that joins it to what is before.

    No browser breaks a formula, and a phone is narrow; between parts a line may end.

    >>> pieces(r"a \\le b + c"), len(pieces(r"f(x, y, z, w) \\le g(x, y, z) + h(x = y) + 12"))
    (['a \\\\le b + c'], 4)
    """
    tokens = TOKEN.findall(tex)
    if sum(not token.isspace() for token in tokens) <= SHORT:
        return [tex]
    parts, depth = [""], 0
    for token in tokens:
        if token in JOINS and depth == 0 and parts[-1].strip():
            parts.append("")
        depth += (token in OPENS) - (token in CLOSES)
        parts[-1] += token
    return parts


def typeset(markdown: str) -> str:
    """A page with its formulas as MathML."""
    parts, end = [], 0
    for formula in formulas(markdown):
        block = formula["block"] is not None
        first, *more = [mathml(part, block=block) for part in pieces(formula["block"] or formula["line"])]
        joined = [part.replace("<mo>", '<mo form="infix">', 1) for part in more]
        parts += [markdown[end : formula.start()], " ".join([first, *joined])]
        end = formula.end()
    return "".join([*parts, markdown[end:]])


def on_page_markdown(markdown: str, **_: Any) -> str:
    return typeset(markdown)
