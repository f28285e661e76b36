"""Slips of the pen in the rule book, one at a time, and whether some vector is judged otherwise for each.

An honest certificate also passes a condition that is too weak: that nobody may forge one is what vectors show, and that
they show it is what slips show. Changed are constants, operators, comparisons, and texts; left out are conjuncts, links
of a chain of comparisons, alternatives, whole conditions, and the bounds of a parameter's type. Limits of size are none
of them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privpac.checker.book import Book, Rule

__all__ = ["LISTED", "WEAKER", "Slip", "listed", "slips"]

LISTED = Path(__file__).with_name("unnoticed.txt")
"""Slips that no vector notices, below the reason why."""

Edit = tuple[str, str, ast.expr]
"""What stood there, what stands there now, and the whole formula with it."""


@dataclass(frozen=True)
class Slip:
    """One change of one entry of the book."""

    owner: str
    """The rule, abbreviation, kind of fact, or what is always; a rule with two forms says which."""
    before: str
    after: str
    number: int
    """How many slips of the entry read like this before it."""
    place: Any = field(compare=False, repr=False)
    formula: ast.expr | None = field(compare=False, repr=False, default=None)
    kind: str = field(compare=False, repr=False, default="")

    def __str__(self) -> str:
        again = f" ({self.number + 1})" if self.number else ""
        return f"{self.owner}: {self.before} -> {self.after or 'nothing'}{again}"


def listed() -> dict[str, str]:
    """The slips that are known not to be noticed, and why."""
    found: dict[str, str] = {}
    reason = ""
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            assert line not in found, f"listed twice: {line}"
            found[line] = reason
    return found


# --- Which there are ---

_OTHER_OPERATORS: Mapping[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
}
_OTHER_COMPARISONS: Mapping[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_OTHER_FUNCTIONS = {"min": "max", "max": "min", "all": "any", "any": "all", "floor": "ceil", "ceil": "floor"}
WEAKER = {"inner": "ratio", "ratio": "number", "count": "natural", "several": "count", "whole": "number"}
"""What a type without one of its bounds is."""


def _variants(node: ast.expr) -> Iterator[ast.expr]:
    """The expression, slipped at its top."""
    match node:
        case ast.Constant(value=bool()):
            return
        case ast.Constant(value=int(number)):
            yield ast.Constant(number + 1)
            if number >= 1:
                yield ast.Constant(number - 1)
        case ast.Constant(value=str(text)):
            yield ast.Constant(text + "?")
        case ast.BinOp():
            yield ast.BinOp(node.left, _OTHER_OPERATORS[type(node.op)](), node.right)
        case ast.UnaryOp():
            yield node.operand
        case ast.BoolOp(values=parts):
            for i in range(len(parts)):
                rest = parts[:i] + parts[i + 1 :]
                yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.Compare():
            yield from _compared(node)
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_FUNCTIONS:
            yield ast.Call(ast.Name(_OTHER_FUNCTIONS[name], ast.Load()), node.args, [])


def _compared(node: ast.Compare) -> Iterator[ast.expr]:
    sides = [node.left, *node.comparators]
    for i, op in enumerate(node.ops):
        ops = [*node.ops[:i], _OTHER_COMPARISONS[type(op)](), *node.ops[i + 1 :]]
        yield ast.Compare(node.left, ops, node.comparators)
        if len(node.ops) > 1:
            before = ast.Compare(sides[0], node.ops[:i], sides[1 : i + 1]) if i else None
            after = (
                ast.Compare(sides[i + 1], node.ops[i + 1 :], sides[i + 2 :])
                if i + 1 < len(node.ops)
                else None
            )
            parts = [part for part in (before, after) if part is not None]
            yield ast.BoolOp(ast.And(), parts) if len(parts) > 1 else parts[0]


def _slipped(node: ast.expr, shown: ast.expr) -> Iterator[Edit]:
    """Every slip of an expression; `shown` is the smallest part around it that says something."""
    for variant in _variants(node):
        yield "", ast.unparse(variant), variant
    for name, value in ast.iter_fields(node):
        parts = value if isinstance(value, list) else [value]
        for i, part in enumerate(parts):
            if isinstance(part, ast.comprehension):
                for _, _, new in _slipped(part.iter, part.iter):
                    yield "", "", _with(node, name, i, ast.comprehension(part.target, new, [], 0))
            elif isinstance(part, ast.expr) and not (isinstance(node, ast.Call) and name == "func"):
                for _, _, new in _slipped(part, part):
                    yield "", "", _with(node, name, i if isinstance(value, list) else None, new)


def _with(node: ast.expr, name: str, index: int | None, new: Any) -> ast.expr:
    values = dict(ast.iter_fields(node))
    values[name] = new if index is None else [*values[name][:index], new, *values[name][index + 1 :]]
    return type(node)(**values)


def _difference(old: ast.AST, new: ast.AST) -> tuple[str, str]:
    """The smallest parts in which two expressions differ, with what stands around a bare name or number."""
    if type(old) is type(new) and isinstance(old, ast.expr):
        before, after = dict(ast.iter_fields(old)), dict(ast.iter_fields(new))
        for name in before:
            a, b = before[name], after[name]
            pairs = list(zip(a, b, strict=False)) if isinstance(a, list) else [(a, b)]
            if isinstance(a, list) and len(a) != len(b):
                return _left_out(old, new)
            unlike = [(x, y) for x, y in pairs if _text(x) != _text(y)]
            if len(unlike) == 1 and isinstance(unlike[0][0], (ast.expr, ast.comprehension)):
                x, y = unlike[0]
                if isinstance(x, ast.comprehension):
                    x, y = x.iter, y.iter
                if isinstance(x, ast.Constant):
                    return ast.unparse(old), ast.unparse(new)
                return _difference(x, y)
            if unlike:
                return ast.unparse(old), ast.unparse(new)
    if isinstance(old, ast.BoolOp) and _text(new) in [_text(part) for part in old.values]:
        return _left_out(old, new)
    return ast.unparse(old), ast.unparse(new)


def _left_out(old: ast.expr, new: ast.expr) -> tuple[str, str]:
    """One of several conditions, or of several alternatives."""
    if not isinstance(old, ast.BoolOp):
        return ast.unparse(old), ast.unparse(new)
    rest = [_text(part) for part in (new.values if isinstance(new, ast.BoolOp) else [new])]
    gone = next((part for part in old.values if _text(part) not in rest), old.values[0])
    return ast.unparse(gone), "nothing" if isinstance(old.op, ast.And) else "no alternative"


def _text(value: Any) -> str:
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _of_a_formula(owner: str, place: Any, tree: ast.expr, *, whole: bool) -> Iterator[Slip]:
    for _, _, changed in _slipped(tree, tree):
        before, after = _difference(tree, changed)
        yield Slip(owner, before, after, 0, place, changed)
    if whole and not isinstance(tree, ast.BoolOp):
        yield Slip(owner, ast.unparse(tree), "", 0, place, ast.Name("true", ast.Load()))


def _of_a_rule(rule: Rule, owner: str) -> Iterator[Slip]:
    for name, kind in rule.where.items():
        if kind in WEAKER:
            yield Slip(
                owner,
                f"{name} {kind}",
                f"{name} {WEAKER[kind]}",
                0,
                (rule, "where", name),
                None,
                WEAKER[kind],
            )
    for name, formula in rule.instead.items():
        yield from _of_a_formula(owner, (rule, "instead", name), formula.tree, whole=False)
    if rule.assumes:
        yield from _of_a_formula(owner, (rule, "assumes", ""), rule.assumes[1].tree, whole=False)
    for i, part in enumerate(rule.body):
        if isinstance(part, tuple):
            yield from _of_a_formula(owner, (rule, "body", i), part[1].tree, whole=False)
        elif not part.limit:
            yield from _of_a_formula(owner, (rule, "body", i), part.formula.tree, whole=True)


def _owner(rule: Rule, forms: list[Rule]) -> str:
    return (
        rule.name
        if len(forms) == 1
        else f"{rule.name}{' from ' + rule.premise if rule.premise else ' alone'}"
    )


def slips(book: Book) -> list[Slip]:
    """All of them, in the order of the book's entries. Rules written once for two names slip for each."""
    found: list[Slip] = []
    for name, formula in book.always.items():
        found += _of_a_formula(f"always {name}", ("always", name), formula.tree, whole=True)
    for name, kind in book.kinds.items():
        for i, condition in enumerate(kind.holds):
            found += _of_a_formula(f"fact {name}", (name, "kind", i), condition.tree, whole=True)
    for name, (_, formula) in book.definitions.items():
        found += _of_a_formula(f"def {name}", ("def", name), formula.tree, whole=False)
    for forms in book.rules.values():
        for rule in forms:
            found += _of_a_rule(rule, _owner(rule, forms))
    counts: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for slip in found:
        key = (slip.owner, slip.before, slip.after)
        numbered.append(Slip(*key, counts[key], slip.place, slip.formula, slip.kind))
        counts[key] += 1
    return numbered
