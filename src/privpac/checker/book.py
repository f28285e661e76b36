"""Checks the steps of a derivation by the rule book (`rules.txt`): reads it, and works out its formulas exactly.

A formula is a Python expression of a small subset. Every name in it is looked up when the book is read; it is compiled
when it is first needed, and works over fractions. What it may call is in `functions`. The second checker (`js/`) reads
the same book with a parser, an evaluator and an arithmetic of its own. Whoever makes certificates never reads it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from types import CodeType
from typing import Any

from privpac.checker.document import MOST_DIGITS
from privpac.checker.functions import FUNCTIONS, Broken, Loss

__all__ = ["Book", "Condition", "Formula", "Misprint", "Rule", "Tree", "book", "decimal", "derive", "natural"]

Tree = Mapping[str, Any]
Value = Any
"""A fraction, truth, text, loss, fact, or a list of these."""
Names = Mapping[str, Value]

DEEPEST = 100
MOST_NUMBERS = 64
LARGEST_COUNT, LARGEST_POWER = 2**63, 2**16
NODE = {"rule", "fact", "where", "assumes", "premises"}
ANY = "any"
OF_A_STEP = ("rule", "where", "unconditional")
"""What a formula may ask of a premise besides its fact."""
OF_A_VALUE = ("log", "factor", "left", "right")
"""Members of a loss, and of a pair."""


class Misprint(Exception):
    """The book itself is wrong: a name that nothing has, or a formula that nobody can read."""


# --- Formulas --------------------------------------------------------------------------------------------------------


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or not 0 <= exponent <= LARGEST_POWER:
        raise Broken("an exponent is out of range")
    return base**exponent.numerator


def _divided(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(a // b)


_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_CALLED = {ast.Pow: _raised.__name__, ast.FloorDiv: _divided.__name__}
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Scope:
    """What formulas may name: functions and constants of the book, which formulas share, and their own variables."""

    def __init__(self) -> None:
        self.functions: dict[str, Callable[..., Value]] = dict(FUNCTIONS)
        self.constants: dict[str, Value] = {"true": True, "false": False}
        self.arguments: dict[str, int] = {}
        """How many arguments abbreviations take."""
        self.members: set[str] = {*OF_A_STEP, *OF_A_VALUE}
        self.values: dict[str, Any] = {
            _raised.__name__: _raised,
            _divided.__name__: _divided,
            "__builtins__": {},
        }
        """What compiled formulas see: functions behind f_, constants behind c_, numbers behind n."""

    def define(self, name: str, function: Callable[..., Value]) -> None:
        """A function that formulas may call."""
        self.functions[name] = self.values[f"f_{name}"] = function

    def number(self, value: int) -> str:
        """The name of a whole number as a fraction: a formula never divides Python's own integers."""
        self.values.setdefault(f"n{value}", Fraction(value))
        return f"n{value}"


@dataclass
class Formula:
    """An expression of the book, whose variables are those of its step or the arguments of its abbreviation."""

    text: str
    scope: Scope = field(repr=False, compare=False)
    variables: Collection[str] = field(default=(), repr=False, compare=False)
    facts: Mapping[str, Collection[str]] = field(default_factory=dict, repr=False, compare=False)
    """What the facts among the variables hold, where that is known."""

    @cached_property
    def tree(self) -> ast.expr:
        """As Python's parser reads it."""
        try:
            return ast.parse(self.text, mode="eval").body
        except SyntaxError:
            raise Misprint(f"nobody can read {self.text!r}") from None

    def __call__(self, names: Names) -> Value:
        return self._act(names)

    @cached_property
    def _act(self) -> Callable[[Names], Value]:
        argument = ast.arguments([], [ast.arg("names")], None, [], [], None, [])
        return self._made(ast.Lambda(argument, _Compiler(self.scope, ()).visit(_copy(self.tree))))

    def function(self, arguments: Sequence[str]) -> Callable[..., Value]:
        """The abbreviation of these arguments."""
        found: list[Callable[..., Value]] = []

        def call(*values: Value) -> Value:
            if not found:
                body = _Compiler(self.scope, arguments).visit(_copy(self.tree))
                inner = ast.arguments([], [ast.arg(name) for name in arguments], None, [], [], None, [])
                found.append(self._made(ast.Lambda(inner, body)))
            return found[0](*values)

        return call

    def _made(self, tree: ast.expr) -> Callable[..., Value]:
        code: CodeType = compile(ast.fix_missing_locations(ast.Expression(tree)), "rules.txt", "eval")
        made: Callable[..., Value] = eval(code, self.scope.values)  # noqa: S307  # of nodes that `_check` knows only
        return made

    def check(self) -> None:
        """Raise `Misprint` unless all of it can be read, and every name is that of something."""
        self._check(self.tree, frozenset())

    def _check(self, tree: ast.expr, bound: frozenset[str]) -> None:
        match tree:
            case ast.Constant(value=bool()):
                raise Misprint(f"true and false are written small in {self.text!r}")
            case ast.Constant(value=int() | str()):
                return
            case ast.Name(id=name):
                self._need(name in bound or name in self.variables or name in self.scope.constants, name)
                return
            case ast.Attribute(value=inner, attr=name):
                holder = inner.id if isinstance(inner, ast.Name) else ""
                self._need(name in self.facts.get(holder, self.scope.members), name)
                self._check(inner, bound)
                return
            case ast.BinOp(op=op) if isinstance(op, (*_ARITHMETIC, *_CALLED)):
                parts = [tree.left, tree.right]
            case ast.UnaryOp(op=ast.USub() | ast.Not()):
                parts = [tree.operand]
            case ast.BoolOp():
                parts = tree.values
            case ast.IfExp():
                parts = [tree.test, tree.body, tree.orelse]
            case ast.Compare(ops=ops) if all(isinstance(op, _COMPARISONS) for op in ops):
                parts = [tree.left, *tree.comparators]
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as loop], keywords=[]):
                self._need(name in self.scope.functions and self.scope.arguments.get(name, 1) == 1, name)
                self._check_loop(loop, bound)
                return
            case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]):
                self._need(name in self.scope.functions, name)
                self._need(self.scope.arguments.get(name, len(parts)) == len(parts), name)
            case _:
                raise Misprint(f"nobody can read {self.text!r}")
        for part in parts:
            self._check(part, bound)

    def _check_loop(self, loop: ast.GeneratorExp, bound: frozenset[str]) -> None:
        of, *more = loop.generators
        if more or of.ifs or not isinstance(of.target, ast.Name):
            raise Misprint(f"nobody can read {self.text!r}")
        self._check(of.iter, bound)
        self._check(loop.elt, bound | {of.target.id})

    def _need(self, known: bool, name: str) -> None:
        if not known:
            raise Misprint(f"nothing here is named {name}, or it takes other arguments: {self.text!r}")


def _copy(tree: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(tree), mode="eval").body


class _Compiler(ast.NodeTransformer):
    """Makes a formula of the book one of Python: a step's names come out of `names`, numbers become fractions."""

    def __init__(self, scope: Scope, bound: Collection[str]) -> None:
        self.scope, self.bound = scope, set(bound)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _name(self.scope.number(node.value)) if isinstance(node.value, int) else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.bound:
            return node
        if node.id in self.scope.constants:
            self.scope.values[f"c_{node.id}"] = self.scope.constants[node.id]
            return _name(f"c_{node.id}")
        return ast.Subscript(_name("names"), ast.Constant(node.id), ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Subscript(self.visit(node.value), ast.Constant(node.attr), ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        called = _CALLED.get(type(node.op))
        return (
            ast.BinOp(left, node.op, right) if called is None else ast.Call(_name(called), [left, right], [])
        )

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        self.scope.values[f"f_{name}"] = self.scope.functions[name]
        if not (node.args and isinstance(node.args[0], ast.GeneratorExp)):
            return ast.Call(_name(f"f_{name}"), [self.visit(part) for part in node.args], [])
        loop = node.args[0]
        of = loop.generators[0]
        assert isinstance(of.target, ast.Name)
        items, outer = self.visit(of.iter), of.target.id in self.bound
        self.bound.add(of.target.id)
        body = ast.ListComp(self.visit(loop.elt), [ast.comprehension(of.target, items, [], 0)])
        if not outer:
            self.bound.discard(of.target.id)
        return ast.Call(_name(f"f_{name}"), [body], [])


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


# --- Values as they are written --------------------------------------------------------------------------------------

_LONG = re.compile(r"([1-9][0-9]{0,77})\*2\^([1-9][0-9]{0,6})")
_MANTISSA_BITS, _LARGEST_SHIFT = 256, 2**22
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?|[1-9][0-9]*/[1-9][0-9]*")
_DECIMAL_DIGITS = 20


def require(condition: bool, reason: str) -> None:
    """Refuse a step, for this reason, unless the condition holds."""
    if not condition:
        raise Broken(reason)


def _read(text: object, spelling: re.Pattern[str]) -> Fraction:
    if not isinstance(text, str) or spelling.fullmatch(text) is None:
        raise Broken("a number is misspelt")
    numerator, _, denominator = text.partition("/")
    require(max(len(numerator), len(denominator)) <= MOST_DIGITS, "a number is too long")
    require(denominator == "" or denominator.strip("0") != "", "a number is divided by nothing")
    return Fraction(text)


def _number(text: object) -> Fraction:
    require(isinstance(text, str), "a number is misspelt")
    return _fraction(text)


@lru_cache(maxsize=256)  # the steps of a derivation repeat the numbers of their premises
def _fraction(text: object) -> Fraction:
    value = _read(text, _FRACTION)
    require(str(value) == text, "a number is not written in lowest terms")
    return value


def decimal(text: object) -> Fraction:
    """A number as people write it: a decimal, or a fraction where no decimal of twenty digits is exact."""
    value = _read(text, _DECIMAL)
    short = (value * 10**_DECIMAL_DIGITS).denominator == 1
    # One spelling a number: another one would be an edit that nobody notices.
    require(short if "/" not in str(text) else not short and str(value) == text, "a number is misspelt")
    return value


def natural(value: object, least: int = 0) -> Fraction:
    """A count: of records, of runs, of steps."""
    if type(value) is not int:  # neither true nor 5.0, which are other texts
        raise Broken("a whole number is expected")
    require(least <= value <= LARGEST_COUNT, "a whole number is out of range")
    return Fraction(value)


def _within(low: Callable[[Fraction], bool]) -> Callable[[object], Fraction]:
    def read(text: object) -> Fraction:
        value = _number(text)
        require(low(value), "a number is out of range")
        return value

    return read


def _whole(text: object) -> Fraction:
    """A whole number of at least 1; one that is too long for its digits is m*2^k, with an odd m of at most 256 bits."""
    long = _LONG.fullmatch(text) if isinstance(text, str) else None
    if long is None:
        value = _number(text)
        require(value >= 1 and value.denominator == 1, "a number is out of range")
        return value
    mantissa, shift = int(long[1]), int(long[2])
    require(shift <= _LARGEST_SHIFT, "a number is too long")
    require(mantissa % 2 == 1 and mantissa < 2**_MANTISSA_BITS, "a number is misspelt")
    found = mantissa << shift
    require(found >= 10**MOST_DIGITS, "a number is misspelt")  # its digits would be short enough
    return Fraction(found)


def _listed(read: Callable[[object], Fraction]) -> Callable[[object], list[Fraction]]:
    def numbers(text: object) -> list[Fraction]:
        words = text.split(" ") if isinstance(text, str) else []
        require(1 <= len(words) <= MOST_NUMBERS, "a list of numbers is misspelt or too long")
        return [read(word) for word in words]

    return numbers


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise Broken("a text is expected")
    return value


def _truth(value: object) -> bool:
    if type(value) is not bool:
        raise Broken("yes or no is expected")
    return value


def _loss(tree: object) -> Loss:
    if not isinstance(tree, Mapping) or set(tree) != {"log", "factor"}:
        raise Broken("an epsilon has other fields than log and factor")
    loss = Loss(_number(tree["log"]), _number(tree["factor"]))
    require(loss.factor > 0, "a factor is not positive")
    return loss


TYPES: dict[str, Callable[[object], Value]] = {
    "number": _number,
    "decimal": decimal,
    "whole": _whole,
    "ratio": _within(lambda x: 0 < x <= 1),
    "inner": _within(lambda x: 0 < x < 1),
    "natural": natural,
    "count": lambda value: natural(value, 1),
    "several": lambda value: natural(value, 2),
    "numbers": _listed(_number),
    "wholes": _listed(_whole),
    "text": _text,
    "truth": _truth,
    "loss": _loss,
}


# --- The book --------------------------------------------------------------------------------------------------------


@dataclass
class Kind:
    """What a fact of a kind holds."""

    fields: Mapping[str, str]
    unwritten: Mapping[str, Value] = field(default_factory=dict)
    """What fields hold that are not written."""
    holds: list[Formula] = field(default_factory=list)


@dataclass
class Condition:
    """What must be true of a step; a `limit` is one of size only, which a true claim may break."""

    formula: Formula
    limit: bool = False


@dataclass
class Rule:
    """One entry of the book."""

    name: str
    kind: str
    premise: str | None
    many: bool = False
    which: str = ""
    title: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    body: list[Condition | tuple[str, Formula]] = field(default_factory=list)
    """Conditions and abbreviations, in order."""
    instead: dict[str, Formula] = field(default_factory=dict)
    """What must be true in place of what is always."""
    assumes: tuple[str, Formula] | None = None
    two_classes: bool = False

    def fits(self, premises: int) -> bool:
        """Whether it is about so many premises: it may be there with some and without any."""
        return premises >= 1 if self.many else premises == (self.premise is not None)


@dataclass
class Book:
    """Words, kinds of facts, abbreviations and rules. A rule may be there with a premise and without one."""

    words: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    unwritten: dict[str, Value] = field(default_factory=dict)
    """What facts count as that have no field of the name."""
    always: dict[str, Formula] = field(default_factory=dict)
    rules: dict[str, list[Rule]] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    definitions: dict[str, tuple[list[str], Formula]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Book:
        """The book that is written like this; `Misprint` if a name in it is that of nothing."""
        self = cls()
        entry: Kind | list[Rule] = []
        for line in _lines(text):
            word, _, rest = line.strip().partition(" ")
            if line.startswith("  "):
                self._add(entry, word, rest, line.strip())
                continue
            name, _, told = (part.strip() for part in rest.partition(":"))
            if word == "def":
                self._define(rest)
            elif word == "word":
                self.words[name] = [choice.strip() for choice in told.split("|")]
            elif word == "always":
                self.always[name] = self._formula(told)
            elif word == "fact":
                entry = self._kind(name, told)
            elif word == "rule":
                entry = [self._rule(one, which, told) for one, which in _names(name)]
            else:
                raise Misprint(f"an entry is a word, fact, always, def or rule: {line!r}")
        self._resolve()
        return self

    def _define(self, text: str) -> None:
        head, _, formula = (part.strip() for part in text.partition(" = "))
        name, _, inner = head.partition("(")
        if name in self.scope.functions or name in self.scope.constants:
            raise Misprint(f"{name} is defined twice")
        body = self._formula(formula)
        if not inner:
            body.check()
            self.scope.constants[name] = body({})
            return
        arguments = [one.strip() for one in inner.rstrip(")").split(",")]
        body.variables = arguments
        self.definitions[name] = (arguments, body)
        self.scope.arguments[name] = len(arguments)
        self.scope.define(name, body.function(arguments))

    def _kind(self, name: str, told: str) -> Kind:
        fields: dict[str, str] = {}
        values = dict(self.unwritten)
        for entry in told.split(","):
            typed, _, value = (part.strip() for part in entry.partition(" = "))
            one, _, kind = typed.partition(" ")
            values.pop(one, None)
            if kind:
                fields[one] = kind
            if value:
                values[one] = self._formula(value)({})
        self.scope.members |= fields.keys() | values.keys()
        if name == ANY:
            self.unwritten = values
            return Kind({})
        return self.kinds.setdefault(name, Kind(fields, values))

    def _rule(self, name: str, which: str, told: str) -> Rule:
        kind, _, premise = told.partition(" from ")
        many = premise.endswith("...")
        rule = Rule(name, kind.strip(), premise.removesuffix("...").strip() or None, many, which)
        self.rules.setdefault(name, []).append(rule)
        return rule

    def _add(self, entry: Kind | list[Rule], word: str, rest: str, line: str) -> None:
        if isinstance(entry, Kind):
            entry.holds.append(self._formula(line))
            return
        for rule in entry:
            if word == "title":
                rule.title = rest
            elif word == "where":
                rule.where = dict(_pair(part) for part in rest.split(","))
                self.scope.members |= rule.where.keys()
            elif word == "assumes":
                text, _, when = rest.partition(" when ")
                rule.assumes = (text.strip('"'), self._formula(when or "true"))
            elif line.startswith("instead of "):
                name, _, formula = rest.removeprefix("of ").partition(": ")
                rule.instead[name] = self._formula(formula)
            elif line == "two classes":
                rule.two_classes = True
            elif word == "let":
                name, _, formula = rest.partition(" = ")
                rule.body.append((name, self._formula(formula)))
            elif word == "limit":
                rule.body.append(Condition(self._formula(rest), limit=True))
            else:
                rule.body.append(Condition(self._formula(line)))

    def _formula(self, text: str) -> Formula:
        return Formula(text, self.scope)

    def _resolve(self) -> None:
        """Look up every name of the book, so that a misprint is found by whoever reads it, not by one step of many."""
        for _, body in self.definitions.values():
            body.check()
        for kind in self.kinds.values():
            self._check_types(kind.fields)
            for condition in kind.holds:
                condition.variables, condition.facts = ("fact",), {"fact": {*kind.fields, *kind.unwritten}}
                condition.check()
        for forms in self.rules.values():
            for rule in forms:
                self._resolve_rule(rule)

    def _resolve_rule(self, rule: Rule) -> None:
        self._check_types(rule.where)
        if not rule.instead.keys() <= self.always.keys():
            raise Misprint(f"{rule.name} replaces what is not always")
        if rule.kind not in {ANY, *self.kinds} or rule.premise not in {None, ANY, *self.kinds}:
            raise Misprint(f"{rule.name} speaks of a kind of fact that there is not")
        variables = ["fact", "premises", *rule.where, *(["which"] if rule.which else [])]
        variables += ["p"] if rule.premise else []
        facts = {"fact": self._members(rule.kind), "p": {*self._members(rule.premise or ANY), *OF_A_STEP}}
        for part in (*rule.instead.values(), *([rule.assumes[1]] if rule.assumes else []), *rule.body):
            name, formula = part if isinstance(part, tuple) else ("", part)
            formula = formula.formula if isinstance(formula, Condition) else formula
            formula.variables, formula.facts = tuple(variables), facts
            formula.check()
            if name in variables:
                raise Misprint(f"{name} is named twice in {rule.name}")
            variables += [name] if name else []
        for formula in self.always.values():
            formula.variables = ("fact", "premises")
            formula.check()

    def kinds_of(self, rule: Rule) -> list[Formula]:
        """What must be true of the facts that a rule makes."""
        kinds = self.kinds.values() if rule.kind == ANY else [self.kinds[rule.kind]]
        return [condition for kind in kinds for condition in kind.holds]

    def _members(self, kind: str) -> set[str]:
        kinds = self.kinds.values() if kind == ANY else [self.kinds[kind]]
        return {"kind"}.union(*({*one.fields, *one.unwritten} for one in kinds))

    def _check_types(self, fields: Mapping[str, str]) -> None:
        for kind in fields.values():
            first, *words = kind.split("|")
            if not (first in TYPES or (first in self.words and not words)):
                raise Misprint(f"there is no type {kind}")

    def value(self, kind: str, written: object) -> Value:
        """A value of this type, as it is written: a type that is named, words of the book, or one of several."""
        if "|" in kind:
            first, word = kind.split("|")
            return word if written == word else self.value(first, written)
        if kind in TYPES:
            return TYPES[kind](written)
        require(isinstance(written, str) and written in self.words[kind], f"there is no such {kind}")
        return written

    def fact(self, tree: object) -> dict[str, Value]:
        """A fact of a kind there is, with the fields of that kind and no others."""
        kind = self.kinds.get(str(tree.get("kind"))) if isinstance(tree, Mapping) else None
        if kind is None or not isinstance(tree, Mapping):
            raise Broken("there is no such kind of fact")
        needed = {"kind", *(name for name in kind.fields if name not in kind.unwritten)}
        require(needed <= tree.keys() <= {"kind", *kind.fields}, f"a {tree['kind']} fact has other fields")
        written = {name: self.value(of, tree[name]) for name, of in kind.fields.items() if name in tree}
        fact = {"kind": tree["kind"], **kind.unwritten, **written}
        for condition in kind.holds:
            _require(condition, {"fact": fact})
        return fact

    def derive(self, node: Tree, premises: Sequence[dict[str, Value]]) -> dict[str, Value]:
        """The fact of a step, derived again from those of its premises; `Broken` if it does not follow."""
        fact, where, assumes = self.fact(node["fact"]), node.get("where", {}), list(node.get("assumes", ()))
        rule = self._fitting(node["rule"], fact, premises)
        require(
            isinstance(where, Mapping) and where.keys() == rule.where.keys(), "these are not its parameters"
        )
        values = {name: self.value(of, where[name]) for name, of in rule.where.items()}
        names = {**values, "which": rule.which, "fact": fact, "premises": premises}
        names |= {"p": premises[0]} if premises else {}
        for name, formula in self.always.items():
            _require(rule.instead.get(name, formula), names)
        for part in rule.body:
            if isinstance(part, Condition):
                _require(part.formula, names)
            else:
                names[part[0]] = part[1](names)
        self._check_assumptions(rule, assumes, where, names)
        certain = not assumes and all(premise["unconditional"] for premise in premises)
        return {**fact, "rule": rule.name, "where": values, "unconditional": certain}

    def _fitting(self, name: str, fact: Tree, premises: Sequence[Tree]) -> Rule:
        for rule in self.rules[name]:
            if rule.fits(len(premises)):
                require(rule.kind in (ANY, fact["kind"]), f"a {rule.kind} fact is expected here")
                right = all(rule.premise in (ANY, one["kind"]) for one in premises)
                require(right, f"a {rule.premise} fact is expected as a premise")
                return rule
        raise Broken("another number of premises is expected")

    def _check_assumptions(self, rule: Rule, said: list[Any], where: Tree, names: Names) -> None:
        require(all(isinstance(text, str) and text for text in said), "an assumption has no words")
        if rule.assumes is None:
            require(not said, "this rule assumes nothing")
        elif rule.assumes[0] == "anything":
            require(len(said) == 1, "exactly one assumption is expected")
        else:
            text, when = rule.assumes
            expected = [text.format_map(where)] if when(names) else []
            require(said == expected, "the assumption is not that of the rule")


def _require(formula: Formula, names: Names) -> None:
    """A false condition is itself the reason, below a sentence that says which step it belongs to."""
    if formula(names) is not True:
        raise Broken("it does not follow, because this does not hold", formula.text)


def _lines(text: str) -> Iterator[str]:
    """Without remarks and blanks, each with what continues it."""
    found: list[str] = []
    for line in text.splitlines():
        bare = line.partition("#")[0].rstrip()
        if bare.startswith("      "):
            found[-1] += " " + bare.strip()
        elif bare:
            found.append(bare)
    yield from found


def _names(name: str) -> Iterator[tuple[str, str]]:
    """A-{b|c} is A-b, where `which` is b, and A-c."""
    head, brace, rest = name.partition("{")
    for which in rest.rstrip("}").split("|") if brace else ("",):
        yield head + which, which


def _pair(entry: str) -> tuple[str, str]:
    name, kind = entry.split()
    return name, kind


@cache
def book() -> Book:
    """The book of this version."""
    return Book.read(files("privpac.checker").joinpath("rules.txt").read_text(encoding="utf-8"))


def derive(tree: object, path: str, *, depth: int = 0) -> tuple[dict[str, Value], int]:
    """The fact of a step, every step below it derived again, and how many steps these are."""
    rule = tree.get("rule") if isinstance(tree, Mapping) else None
    if not isinstance(tree, Mapping) or not isinstance(rule, str) or rule not in book().rules:
        raise Broken(f"{path}: there is no rule named {str(rule)[:60]!r}")
    place = f"{path} > {rule}"
    if depth > DEEPEST:
        raise Broken(f"A derivation has more than {DEEPEST} steps on top of each other")
    below = tree.get("premises", ())
    lists = isinstance(below, (list, tuple)) and isinstance(tree.get("assumes", ()), (list, tuple))
    if not {"rule", "fact"} <= set(tree) <= NODE or not lists:
        raise Broken(f"{place}: a step has unknown fields, or lacks some")
    parts = [derive(one, f"{place}[{i}]", depth=depth + 1) for i, one in enumerate(below)]
    try:
        fact = book().derive(tree, [fact for fact, _ in parts])
    except Broken as broken:
        title = f"{book().rules[rule][0].title}: " if broken.formula else ""
        raise Broken(f"{place}: {title}{broken}", broken.formula) from None
    except ArithmeticError:
        # Nothing else is caught: readers refuse what is malformed, so a TypeError here is a fault of the book.
        raise Broken(f"{place}: a number is out of range") from None
    return fact, 1 + sum(count for _, count in parts)
