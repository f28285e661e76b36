"""The tree that `make demo` learnt once, with its certificate (docs/images/model.json): the picture of the README."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docs.pictures.sheet import BLUE, GREEN, INK, Sheet

import privpac
from privpac.checker.check import check_certificate
from privpac.numbers.exact import read_number

__all__ = ["MODEL", "demo"]

MODEL = Path(__file__).resolve().parents[1] / "images" / "model.json"


def demo() -> Sheet:
    model = privpac.load(MODEL)
    tree = model._drawing()
    lines = list(_derivation(model.certificate["privacy"]))
    sheet = Sheet(700, tree.height + 132 + 19 * len(lines), "A learnt tree and its certificate")
    sheet.shapes += _tree(tree.svg())
    top = tree.height + 6
    sheet.rect(16, top, 668, sheet.height - top - 14, fill="#f4f7fb", edge=BLUE, radius=8)
    sheet.words(32, top + 24, "Certificate", bold=True, anchor="start")
    steps = check_certificate(dict(model.certificate))
    sheet.words(
        668, top + 24, f"✓ {steps} steps derived again by verify", colour=GREEN, bold=True, anchor="end"
    )
    y = top + 48
    for depth, text in lines:
        sheet.words(32 + 22 * depth, y, ("└ " if depth else "") + text, anchor="start")
        y += 19
    for text in _accuracy(model.certificate, model.estimate):
        sheet.words(32, y + 6, text, colour=INK, anchor="start")
        y += 19
    return sheet


def _tree(svg: str) -> list[str]:
    """The shapes of the library's own picture, with the styles they name."""
    style = svg[svg.index("<style>") : svg.index("</style>") + 8].replace(
        "text {", ".test, .heading, .on, .soft {"
    )
    return [
        style,
        *(line for line in svg.splitlines() if line.startswith(("<polyline", "<rect class", "<text class"))),
    ]


def _derivation(proof: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[int, str]]:
    """The steps that change something, by depth; what was declared is written once."""
    fact, rule = proof["fact"], proof["rule"].replace("-", " ").replace("_", " ")
    if rule == "declared":
        inner = list(_rules(proof))
        yield depth, f"ε = {_number(fact)}: {', then '.join(reversed(inner))}"
        return
    yield depth, f"ε = {_number(fact)}, δ = 0, one record replaced: {rule} composition of"
    for premise in proof.get("premises", ()):
        yield from _derivation(premise, depth + 1)


def _rules(proof: Mapping[str, Any]) -> Iterator[str]:
    for premise in proof.get("premises", ()):
        yield premise["rule"].replace("-", " ").replace("_", " ")
        yield from _rules(premise)


def _number(fact: Mapping[str, Any]) -> str:
    loss = fact["epsilon"]
    return f"{float(read_number(loss['log'] if isinstance(loss, Mapping) else loss)):g}"


def _accuracy(certificate: Mapping[str, Any], estimate: Any) -> Iterator[str]:
    for proof in certificate["accuracy"]:
        fact = proof["fact"]
        against = (
            "if some rule makes no error"
            if fact["against"] == "realizable"
            else "above the best rule of the class"
        )
        yield f"error at most {float(read_number(fact['error'])):.3f} {against} (failure 0.05)"
    if estimate is not None:
        yield f"private estimate of its accuracy on these records: {float(estimate.accuracy):.3f}"
