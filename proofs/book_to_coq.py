"""Writes the rules of the book as Coq definitions: `python book_to_coq.py rules.txt [FOLDER]` makes Rules.v and Claims.v.

Rules.v: a record for every kind of fact and for the parameters of every rule, and for every rule a truth of fact, premises and
parameters, which is the conjunction of what the book demands. Claims.v: for every rule that machine_checked.txt calls proved, that the
theorem of that name proves the soundness of that very definition, that a mechanism is built as the rule says, and what both assume. A rule that machine_checked.txt
does not name, or names without its being in the book, is an error.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from pathlib import Path

NUMBER, TRUTH, TEXT, LOSS, NOTHING = "R", "bool", "string", "loss R", "no premises"
TYPES = {  # type of the book: type in Coq, condition on reading
    "number": (NUMBER, ""),
    "decimal": (NUMBER, "(0 <= {})"),
    "ratio": (NUMBER, "(0 < {} <= 1)"),
    "inner": (NUMBER, "(0 < {} < 1)"),
    "natural": ("nat", ""),
    "count": ("nat", "(0 < {})%N"),
    "whole": ("nat", "(0 < {})%N"),
    "several": ("nat", "(1 < {})%N"),
    "text": (TEXT, ""),
    "truth": (TRUTH, ""),
    "loss": (LOSS, "(0 < ({}).2)"),
}
CALLS = {  # functions with a promise in Theory.v: arguments, result
    "short": NUMBER,
    "pow": NUMBER,
    "exp_of": NUMBER,
    "at_most": TRUTH,
    "above": TRUTH,
    "short_product": NUMBER,
    "is_whole": TRUTH,
    "fold": NUMBER,
}
SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
LOOPS = {
    "all": ("all (fun {x} => {e}) {s}", TRUTH),
    "any": ("has (fun {x} => {e}) {s}", TRUTH),
    "sum": ("(\\sum_({x} <- {s}) {e})", NUMBER),
    "max": ("(largest [seq {e} | {x} <- {s}])", NUMBER),
    "short_product": ("(short_product A [seq {e} | {x} <- {s}])", NUMBER),
    "distinct": ("uniq [seq {e} | {x} <- {s}]", TRUTH),
}


MEANT = ("privacy", "bounded-range", "range", "stability")  # kinds of facts that Meaning.v gives a meaning
STATUS = Path(__file__).parents[1] / "src" / "privpac" / "theory" / "machine_checked.txt"


class Beyond(Exception):
    """A formula that calls what Theory.v promises nothing about."""


Typed = tuple[str, str]  # Coq text and type; of a fact the type is its kind, of a list "seq kind"


def coq(name: str) -> str:
    return name.replace("-", "_")


def lines(text: str) -> list[str]:
    found: list[str] = []
    for line in text.splitlines():
        bare = line.partition("#")[0].rstrip()
        if bare.startswith("      "):
            found[-1] += " " + bare.strip()
        elif bare:
            found.append(bare)
    return found


def whole(n: int) -> str:
    if n <= 100:
        return f"({n} : R)" if n < 2 else f"({n}%:R : R)"
    return f"({whole(n // 10)} * 10%:R + {whole(n % 10)})"


class Book:
    def __init__(self, text: str) -> None:
        self.words: dict[str, list[str]] = {}
        self.kinds: dict[str, tuple[dict[str, str], list[str]]] = {}
        self.silent: dict[tuple[str, str], str] = {}  # kind and field: what holds where it is not written
        self.anywhere: dict[str, str] = {}  # field: what facts of a kind without it count as
        self.always: dict[str, str] = {}
        self.defs: dict[str, tuple[list[str], str]] = {}
        self.rules: list[
            tuple[str, str, str, list[str]]
        ] = []  # name, word taken, what follows from what, lines
        into: list[list[str]] = []
        for line in lines(text):
            if line.startswith("  "):
                for body in into:
                    body.append(line.strip())
                continue
            word, _, rest = line.partition(" ")
            if word == "def":
                head, _, formula = (part.strip() for part in rest.partition(" = "))
                name, _, inner = head.partition("(")
                self.defs[name] = ([a.strip() for a in inner.rstrip(")").split(",") if a], formula)
                continue
            name, _, told = (part.strip() for part in rest.partition(":"))
            if word == "word":
                self.words[name] = [choice.strip() for choice in told.split("|")]
            elif word == "always":
                self.always[name] = told
            elif word == "fact" and name == "any":
                self.anywhere = {
                    field.strip(): value.strip()
                    for field, _, value in (one.partition("=") for one in told.split(","))
                }
            elif word == "fact":
                fields = [one.partition("=") for one in told.split(",")]
                self.kinds[name] = (typed(",".join(field for field, *_ in fields)), [])
                self.silent |= {
                    (name, field.split()[0]): value.strip() for field, sign, value in fields if sign
                }
                into = [self.kinds[name][1]]
            else:
                head, brace, choices = name.partition("{")
                into = []
                for which in choices.rstrip("}").split("|") if brace else [""]:
                    self.rules.append((head + which, which, told, []))
                    into.append(self.rules[-1][3])

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def formula(self, text: str, names: dict[str, Typed]) -> Typed:
        return self.value(ast.parse(text, mode="eval").body, names)

    def value(self, tree: ast.expr, names: dict[str, Typed]) -> Typed:
        match tree:
            case ast.Name(id="true" | "false" as truth):
                return truth, TRUTH
            case ast.Constant(value=str(text)):
                return f'"{text}"%string', TEXT
            case ast.Constant(value=int(n)):
                return whole(n), NUMBER
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Name(id=name) if name in self.defs:
                return self.formula(self.defs[name][1], {})
            case ast.Attribute(value=inner, attr=field):
                text, kind = self.value(inner, names)
                if kind == LOSS:
                    return f"{text}.{['log', 'factor'].index(field) + 1}", NUMBER
                if kind in self.kinds and field not in self.kinds[kind][0] and field in self.anywhere:
                    return self.formula(self.anywhere[field], {})
                if kind not in self.kinds or field not in self.kinds[kind][0]:
                    raise Beyond(f".{field}")
                of = self.coq_type(self.kinds[kind][0][field])
                part = f"({coq(kind)}_{field} {text})"
                return (f"({part}%:R : R)", NUMBER) if of == "nat" else (part, of)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(n))):
                return f"({self.value(left, names)[0]} ^+ {n})", NUMBER
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
                return (
                    f"({self.value(left, names)[0]} {SIGNS[type(op)]} {self.value(right, names)[0]})",
                    NUMBER,
                )
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return f"(- {self.value(inner, names)[0]})", NUMBER
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return f"(~~ {self.value(inner, names)[0]})", TRUTH
            case ast.BoolOp(op=op, values=parts):
                sign = " || " if isinstance(op, ast.Or) else " && "
                return "(" + sign.join(self.value(part, names)[0] for part in parts) + ")", TRUTH
            case ast.IfExp(test=test, body=body, orelse=other):
                (a, kind), (b, _) = self.value(body, names), self.value(other, names)
                return f"(if {self.value(test, names)[0]} then {a} else {b})", kind
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self.value(side, names)[0] for side in (left, *others)]
                return "(" + " && ".join(
                    compared(op, a, b) for op, a, b in zip(ops, sides, sides[1:])
                ) + ")", TRUTH
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp(elt=each, generators=[of])]) if (
                name in LOOPS
            ):
                items, kind = self.value(of.iter, names)
                if kind == NOTHING:
                    return {"all": "true", "any": "false"}[name], TRUTH
                item = of.target.id  # type: ignore[attr-defined]
                inner = self.value(each, {**names, item: (item, kind.removeprefix("seq "))})[0]
                form, result = LOOPS[name]
                return f"({form.format(x=item, e=inner, s=items)})", result
            case ast.Call(func=ast.Name(id="length"), args=[many]):
                items, kind = self.value(many, names)
                return ("(0 : R)", NUMBER) if kind == NOTHING else (f"((seq.size {items})%:R : R)", NUMBER)
            case ast.Call(func=ast.Name(id=name), args=parts):
                values = [self.value(part, names) for part in parts]
                if name in self.defs:
                    arguments, body = self.defs[name]
                    return self.formula(
                        body,
                        {
                            **{k: v for k, v in names.items() if k == "which"},
                            **dict(zip(arguments, values, strict=True)),
                        },
                    )
                texts = " ".join(text for text, _ in values)
                if name == "same":
                    kind = values[0][1]
                    return "(" + " && ".join(
                        f"({coq(kind)}_{field} {values[0][0]} == {coq(kind)}_{field} {values[1][0]})"
                        for field in self.kinds[kind][0]
                    ) + ")", TRUTH
                if name == "loss":
                    return f"({values[0][0]}, {values[1][0]})", LOSS
                if name in ("min", "max") and len(parts) == 2:
                    return f"(Num.{name} {texts})", NUMBER
                if name in CALLS:
                    return f"({name} A {texts})", CALLS[name]
                raise Beyond(name)
        raise Beyond(ast.unparse(tree))

    def coq_type(self, type_: str) -> str:
        if type_ in self.words:
            return TEXT
        if type_ not in TYPES:
            raise Beyond(type_)
        return TYPES[type_][0]

    def reading(self, type_: str, text: str) -> str:
        if type_ in self.words:
            return f"({text} \\in [:: " + "; ".join(f'"{word}"%string' for word in self.words[type_]) + "])"
        return TYPES[type_][1].format(text)

    # --- Kinds and rules ---------------------------------------------------------------------------------------------

    def kind(self, name: str) -> str:
        fields, conditions = self.kinds[name]
        own, holds = coq(name), []
        for field, type_ in fields.items():
            read = self.reading(type_, f"({own}_{field} fact)")
            if (name, field) in self.silent:
                value = self.silent[name, field]
                read = f"((({own}_{field} fact) == {value})%N || {read})"
            holds.append(read)
        holds += [self.formula(condition, {"fact": ("fact", name)})[0] for condition in conditions]
        declared = "; ".join(f"{own}_{field} : {self.coq_type(type_)}" for field, type_ in fields.items())
        return (
            f"Record {own} (R : realFieldType) := {own.capitalize()} {{ {declared} }}.\n"
            f"Definition {own}_ok (R : realFieldType) (fact : {own} R) : bool :=\n  {' && '.join(filter(None, holds)) or 'true'}.\n"
        )

    def rule(self, name: str, which: str, told: str, body: list[str]) -> tuple[str, str]:
        """The definitions for a rule, and the statement that it is sound.

        A rule about facts of any kind is one rule for every kind that has a meaning, and sound if all of them are.
        """
        kind, _, premise = (part.strip() for part in told.partition(" from "))
        many, premise = premise.endswith("..."), premise.removesuffix("...")
        parameters = next(
            (typed(line.removeprefix("where ")) for line in body if line.startswith("where ")), {}
        )
        fields = "; ".join(
            f"{coq(name)}_{field} : {self.coq_type(type_)}" for field, type_ in parameters.items()
        )
        head = (
            f"Record where_{coq(name)} (R : realFieldType) := Where_{coq(name)} {{ {fields} }}.\n"
            f"Definition two_classes_{coq(name)} : bool := {str('two classes' in body).lower()}.\n"
        )
        if kind != "any":
            text, claim = self.sound(name, coq(name), which, kind, premise, many, parameters, body)
            return head + text, claim
        each = [
            self.sound(name, f"{coq(name)}_{coq(one)}", which, one, one, many, parameters, body)
            for one in MEANT
        ]
        return head + "".join(text for text, _ in each), " /\\\n  ".join(claim for _, claim in each)

    def sound(
        self,
        name: str,
        called: str,
        which: str,
        kind: str,
        premise: str,
        many: bool,
        where: dict[str, str],
        body: list[str],
    ) -> tuple[str, str]:
        own = coq(name)
        if kind not in self.kinds:
            raise Beyond(kind)
        names: dict[str, Typed] = {"fact": ("fact", kind), "which": (f'"{which}"%string', TEXT)}
        names["premises"] = ("[::]", NOTHING)
        if premise:
            names |= {
                "p": ("p", premise),
                "premises": ("(p :: rest)" if many else "[:: p]", f"seq {premise}"),
            }
        read = [f"{coq(kind)}_ok fact"]
        for field, type_ in where.items():
            text, of = f"({own}_{field} w)", self.coq_type(type_)
            read.append(self.reading(type_, text))
            names[field] = (f"({text}%:R : R)", NUMBER) if of == "nat" else (text, of)
        instead = dict(
            line.removeprefix("instead of ").split(": ", 1) for line in body if line.startswith("instead of ")
        )
        if instead.keys() - self.always.keys():
            raise Beyond(", ".join(instead))
        for always, text in self.always.items():
            read.append(self.formula(instead.get(always, text), names)[0])
        formula, closing = " &&\n  ".join(filter(None, read)), ""
        for line in body:
            word, _, rest = line.partition(" ")
            if (
                word in ("title", "where", "assumes")
                or line == "two classes"
                or line.startswith("instead of ")
            ):
                continue
            if word == "let":
                name_, _, text = rest.partition(" = ")
                value, of = self.formula(text, names)
                formula += f" &&\n  (let l_{name_} := {value} in true"
                closing += ")"
                names[name_] = (f"l_{name_}", of)
            else:  # a limit is a condition like any other
                formula += f" &&\n  {self.formula(line.removeprefix('limit '), names)[0]}"
        given = f"(R : realFieldType) (A : arith R) (fact : {coq(kind)} R)" + (
            f" (p : {coq(premise)} R)" if premise else ""
        )
        given += f" (rest : seq ({coq(premise)} R))" if many else ""
        form = "soundN" if many else "sound1" if premise else "sound0"
        means = " ".join(
            f"(@mean_{coq(one)} R P L{' A' if 'loss' in self.kinds[one][0].values() else ''})"
            for one in (kind, premise)
            if one
        )
        about = f" ({coq(kind)} R)" if called != own else ""
        return (
            f"Definition rule_{called} {given} (w : where_{own} R) : bool :=\n  {formula}{closing}.\n",
            f"{form} {means} (@rule_{called} R A) (@built_{own} R P L{about})",
        )


def compared(op: ast.cmpop, a: str, b: str) -> str:
    if isinstance(op, (ast.Gt, ast.GtE)):
        return f"({b} {'<' if isinstance(op, ast.Gt) else '<='} {a})"
    return f"({a} {SIGNS[type(op)]} {b})"


def typed(text: str) -> dict[str, str]:
    return dict(entry.split() for entry in text.split(",") if entry.strip())  # type: ignore[misc]


HEAD = """(* Made from the rule book by book_to_coq.py; do not edit. sha256 of the book: {} *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From Book Require Import {}.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

"""


def write(file: Path, text: str) -> None:
    """What is as it was keeps its time, so that nothing is proved again for it."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    here = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent
    status = dict(re.findall(r"^([a-z-]+): +(\w+)", STATUS.read_text(), re.M))
    book, mark = Book(text), hashlib.sha256(text.encode()).hexdigest()
    if missing := {name for name, *_ in book.rules} ^ {name for name in status if status[name] != "beside"}:
        sys.exit(f"The book and {STATUS.name} do not name the same rules: {', '.join(sorted(missing))}")
    for name, _, told, _ in book.rules:
        if status[name] not in ("proved", "paper", "accuracy") or (
            status[name] == "accuracy"
        ) != told.startswith(("accuracy", "answers")):
            sys.exit(
                f"{name}: {STATUS.name} must say 'accuracy' of rules about accuracy and answers, and 'proved' or 'paper' of others"
            )
    rules, claims, beyond = [], [], []
    for kind in book.kinds:
        rules.append(book.kind(kind))
    for name, which, told, body in book.rules:
        try:
            definition, claim = book.rule(name, which, told, body)
        except Beyond as why:
            beyond.append(f"{name} ({why})")
            if status[name] == "proved":
                sys.exit(f"{name}: this cannot be translated: {why}")
            continue
        if f"Record where_{coq(name)} " in "".join(rules):
            continue
        rules.append(definition)
        if status[name] == "proved":
            own = coq(name)
            claims.append(
                f"Check (fun (R : realFieldType) (P L : Type) (A : arith R) => @{own}_sound R P L A :\n  {claim}).\nPrint Assumptions {own}_sound.\nCheck {own}_some.\nPrint Assumptions {own}_some.\n"
            )
    claims += [
        f"Check {coq(name)}_sound.\nPrint Assumptions {coq(name)}_sound.\n"
        for name in status
        if status[name] == "beside"
    ]
    section = "Definition largest (R : realFieldType) (s : seq R) := foldr Num.max (head 0 s) s.\n\n"
    write(here / "Rules.v", HEAD.format(mark, "Theory") + section + "\n".join(rules))
    write(here / "Claims.v", HEAD.format(mark, "Theory Rules Meaning Sound") + "\n".join(claims))
    print(
        f"{len(rules) - len(book.kinds)} rules translated, {len(claims)} claims, {len(beyond)} beyond: {'; '.join(beyond)}"
    )


main()
