"""Vectors at the edges: values that a maker accepts next to values that it refuses, and both truths of conditions.

From steps that were made, others are made by changing one field or one premise, with a fact that fulfils every equation
of the rule: nothing but the bound in question tells whether it holds. Of all of them those are kept that show a slip of
the pen in the book which no vector before them shows. Whether they hold is for the makers to say, who have not read the
book.
"""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, islice
from math import floor, inf
from time import process_time
from typing import Any

from privpac.checker.book import Book, Condition, Formula, Rule, book
from privpac.checker.functions import Broken, Loss
from tests.contracts.examples import EXAMPLES
from tests.unit.checker.test_check import DERIVATIONS, SIDE
from tests.vectors.cases import CASES, PREMISES
from tests.vectors.frozen import Vector
from tests.vectors.judge import Judge, TooLong, at_most
from tests.vectors.remaking import follows
from tests.vectors.slips import Slip, slips

__all__ = ["Beside", "bases_of_rules", "derivations", "steps_of", "tight"]

Tree = dict[str, Any]

BASES = 3
"""Steps of one rule that others are made from."""
HALVINGS, FEW_HALVINGS = 34, 12
"""Steps between a number that is accepted and one that is refused: of error and failure, and of other numbers."""
SLOW = 0.05
"""Seconds: a step that takes longer is not tried."""
BUDGET = 8.0
"""Seconds: so long steps of one rule are tried for slips that none of them may show."""
PAIRS = 1000
"""Steps with several changes that are made from one."""
ABOVE: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "clipped-points": ({"threshold": 2**20 + 1},),
    "clipped-points-accuracy": ({"threshold": 2**20 + 1},),
    "k-fold-composition": ({"times": 10_001},),
    "range-fold": ({"times": 65}, {"epsilon": "1001"}, {"times": 64, "premise": 2}),
    "label-boost-realizable": ({"carried_basis": "growth", "carried_of": "100001"},),
    "label-boost-agnostic": ({"carried_basis": "growth", "carried_of": "100001"},),
    "ssl-relabel-accuracy": (
        {"near_basis": "growth", "near_of": "100001"},
        {"apart_basis": "growth", "apart_of": "100001"},
    ),
    "clause-counts": ({"clauses": 2**30 + 1}, {"threshold": 2**30 + 1}),
    "label-thresholds": ({"few": 2**20 + 1},),
    "vote-accuracy": ({"models": 2**14 + 1},),
    "exponential-vote-accuracy": ({"models": 2**14 + 1},),
    "relabelled-vote": ({"models": 2**14 + 1},),
    "net-relabelling-accuracy": ({"models": 2**14 + 1},),
    "reed-solomon-points": ({"prime": 2**20 + 7}, {"digits": 2**20 + 1}),
    "pairwise-cover": ({"good": 2**20 + 1},),
    "boosted-points": ({"runs": 2**20 + 1},),
    "occupied-blocks-accuracy": ({"reach": 2**24 + 2},),
    "occupied-blocks-empirical": ({"reach": 2**24 + 2},),
    "quantile-answers": ({"levels": 65},),
    "block-quantile-answers": ({"levels": 65},),
    "concentrated-privacy": ({"order": str(10**9 + 1)},),
    "chained-draw": ({"odds": "30", "share": "2"},),
}
"""Parameters above a limit of size, or of what a theorem covers; `premise` is the number of one of `PREMISES`."""
ALONE = {"odds": "0", "base_odds": "0", "draw_odds": "0", "members": "1", "hypotheses": "1", "runs": 1}
"""Parameters of a draw that has no choice."""
EXACTLY: Mapping[str, tuple[Mapping[str, Any], ...]] = {"refined-draw-agnostic": ({"error": "199/19801"},)}
"""Fields at edges that are no bound of a condition: of the error that nothing is left of."""
PROMISED = {("fact", "error"), ("fact", "failure"), ("where", "near"), ("where", "apart")}
PROMISED |= {
    ("where", f"{of}_{by}") for of in ("carried", "near", "apart") for by in ("square", "uniform", "single")
}
"""What must not be too small."""
WORDS: Mapping[str, tuple[str, ...]] = {
    "unit": ("record", "label"),
    "release": ("hypothesis", "one answer", "noisy numbers", "hypothesis and positions asked"),
    "part": ("all records", "one part", "labelled part", "unlabelled part", "queried part", "unqueried part"),
    "against": ("realizable", "agnostic", "empirical"),
    "queries": ("points", "thresholds", "ranges", "listed queries"),
    "rivals": ("the class", "rules of one question"),
    "basis": ("size", "growth"),
}


def steps_of(tree: Any) -> Iterator[Tree]:
    """Every step inside a document or derivation."""
    if isinstance(tree, dict):
        if isinstance(tree.get("rule"), str) and "fact" in tree:
            yield tree
        for value in tree.values():
            yield from steps_of(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from steps_of(value)


def bases_of_rules(more: Iterable[Any] = ()) -> dict[tuple[str, int], list[Tree]]:
    """Steps of every rule, those made for the purpose first."""
    made = [make().to_json() for make in (*CASES.values(), *EXAMPLES.values())]
    made += [proof.to_json() for proof in (*SIDE.values(), *DERIVATIONS.values())]
    found: dict[tuple[str, int], list[Tree]] = {}
    seen: set[str] = set()
    for tree in (*json.loads(json.dumps(made)), *more):
        for step in steps_of(tree):
            key = (step["rule"], min(1, len(step.get("premises", ()))))
            text = json.dumps(step, sort_keys=True)
            own = found.setdefault(key, [])
            if text not in seen and len(own) < BASES + sum(name.startswith(step["rule"]) for name in CASES):
                seen.add(text)
                own.append(step)
    return found


def _alone(judge: Judge, base: Tree) -> Tree | None:
    """The same draw where there is nothing else to draw: then every bound on how it fails holds, and others count."""
    nothing = {name: value for name, value in ALONE.items() if name in base.get("where", {})}
    case = judge.case("", {**base, "where": {**base.get("where", {}), **nothing}}) if nothing else None
    return dict(case.tree) if case is not None and case.accepted else None


class Beside:
    """Steps beside one that holds."""

    def __init__(self, judge: Judge, base: Tree) -> None:
        self.judge, self.book, self.base = judge, judge.book, base
        self.until = inf
        case = judge.case("base", base)
        assert case is not None
        assert case.accepted, base
        self.rule, self.names = case.rule, case.names
        formulas = [part.formula for part in self.rule.body if isinstance(part, Condition)]
        self.either = any(isinstance(node, ast.Or) for f in formulas for node in ast.walk(f.tree))
        self.spots = [("where", name) for name in base.get("where", {})]
        self.spots += [("fact", name) for name in base["fact"] if name not in ("kind", "neighbours")]
        self.values = {
            spot: _different([*self._bounds(*spot), *self._values(spot[1], base[spot[0]][spot[1]])])
            for spot in self.spots
        }

    def near(self) -> Iterator[Tree]:
        """Changed in one field, or one premise."""
        yield self.base
        for fact in EXACTLY.get(self.base["rule"], ()):
            yield {**self.base, "fact": {**self.base["fact"], **fact}}
        for spot in self.spots:
            for value in self.values[spot]:
                yield from self._put({spot: value})
        for i, premise in enumerate(self.base.get("premises", ())):
            for other in PREMISES.get(premise["fact"]["kind"], ()):
                yield from self._resting(i, other)
            if self.rule.many:
                yield from self._completed({**self.base, "premises": [*self.base["premises"], premise]})
        yield {**self.base, "assumes": ["it rains"]}

    def edges(self) -> Iterator[Tree]:
        """One parameter as far as it may go, and just beyond."""
        for spot in self.spots:
            if spot not in PROMISED:
                yield from self._edge(*spot, FEW_HALVINGS)

    def promises(self) -> Iterator[Tree]:
        """The smallest error and the smallest failure that may be promised, and what is just below."""
        for spot in self.spots:
            if spot in PROMISED:
                yield from self._edge(*spot, HALVINGS)

    def pairs(self) -> Iterator[Tree]:
        """Changed in two or three fields, at random."""
        chance = random.Random(json.dumps(self.base, sort_keys=True))
        spots = [spot for spot in self.spots if self.values[spot]]
        while len(spots) > 1:
            chosen = chance.sample(spots, min(len(spots), chance.choice((2, 2, 3))))
            yield from self._put({spot: chance.choice(self.values[spot]) for spot in chosen})

    def _resting(self, i: int, other: Tree) -> Iterator[Tree]:
        """On another premise, and in its scope."""
        changed = {
            **self.base,
            "premises": [*self.base["premises"][:i], other, *self.base["premises"][i + 1 :]],
        }
        yield changed
        yield from self._completed(changed)
        if self.rule.many:
            yield from self._completed({**self.base, "premises": [other]})
            yield from self._completed({**self.base, "premises": [*self.base["premises"], other]})
        old, new = (one["fact"].get("records") for one in (self.base["premises"][i], other))
        if old is not None and old != new:  # as many records as the other one speaks of
            where = {
                name: new if value == old else value for name, value in self.base.get("where", {}).items()
            }
            changed = {**changed, "where": where}
            yield from self._completed(changed)
        generous = {name: "99/100" for name in ("error", "failure") if name in self.base["fact"]}
        wide = {"near": "99/200", "apart": "99/200", "apart_square": "1/10"}
        parts = {name: value for name, value in wide.items() if name in self.base.get("where", {})}
        if generous:
            where = {**changed.get("where", {}), **parts}
            easy = {**changed, "fact": {**changed["fact"], **generous}, "where": where}
            yield easy
            yield from self._completed(easy, generous)
        own, others = self.base["fact"], other["fact"]
        names = [name for name in ("unit", "part", "release", "rivals") if name in own and name in others]
        scope = {name: others[name] for name in names if own[name] != others[name]}
        if scope:
            scoped = {**changed, "fact": {**changed["fact"], **scope}}
            yield scoped
            yield from self._completed(scoped)

    def _put(self, values: Mapping[tuple[str, str], Any]) -> Iterator[Tree]:
        changed = dict(self.base)
        for (place, name), value in values.items():
            changed[place] = {**changed[place], name: value}
        yield changed
        yield from self._completed(changed, {name for place, name in values if place == "fact"})

    def _bounds(self, place: str, name: str) -> Iterator[Any]:
        """What the field is compared with, alone, on the other side of a condition."""
        definitions = self.book.definitions
        for part in self.rule.body:
            if isinstance(part, Condition):
                for side in _compared_with(part.formula.tree, place, name, definitions):
                    try:
                        value = Formula(ast.unparse(side), self.book.scope)(self.names)
                        yield from _around(value, self.base[place][name])
                    except (Broken, ArithmeticError, KeyError, TypeError, ValueError):
                        continue

    def _values(self, name: str, value: Any) -> Iterator[Any]:
        if isinstance(value, bool):
            yield not value
        elif isinstance(value, int):
            counts = {n for n in _leaves(self.base) if type(n) is int}
            for n in sorted({0, 1, 2, 3, value // 2, 2 * value, 10 * max(counts), *counts, value}):
                yield from (n - 1, n, n + 1) if n else (0, 1)
        elif isinstance(value, dict):
            yield from self._losses(value)
        elif isinstance(value, str):
            last = name.split("_")[-1]
            yield from WORDS.get(last, ())
            if last not in WORDS:
                yield from self._numbers(value)
            if last in ("refined", "sizes"):
                yield f"{value} {value}"
            if last == "gamma":  # which is rounded to twelve digits
                fine = [Fraction(steps, 10**digits) for digits in (11, 12, 13) for steps in (-9, -1, 1, 9)]
                yield from (str(Fraction(value) + step) for step in fine)

    def _numbers(self, text: str) -> Iterator[str]:
        try:
            value = Fraction(text)
        except ValueError:
            words = text.split(" ")
            if len(words) > 1:
                yield from (
                    words[0],
                    " ".join([*words, words[-1]]),
                    " ".join(["0", *words[1:]]),
                    " ".join(reversed(words)),
                )
            return
        tiny = Fraction(1, 10**9)
        others = {Fraction(n) for n in _leaves(self.base) if _is_number(n)}
        near = {
            Fraction(0),
            Fraction(1),
            Fraction(1, 2),
            Fraction(2),
            value,
            value / 2,
            2 * value,
            (1 + value) / 2,
        }
        for number in sorted(near | {n for n in others if 0 <= n <= 2 * max(1, value)}):
            for one in (number - tiny, number, number + tiny):
                yield str(one)
        if value.denominator == 1:
            yield from (str(value + 1), str(value - 1), str(value + Fraction(1, 2)))
        yield from (str(-value), str(-value / 4))

    def _losses(self, value: Mapping[str, str]) -> Iterator[dict[str, str]]:
        log, factor = Fraction(value["log"]), Fraction(value["factor"])
        for pair in (
            (log, 1),
            (0, factor + 1),
            (log + 1, factor),
            (-1, factor),
            (log, (factor + 1) / 2),
            (log, factor / 2),
            (0, 1),
            (log, Fraction(1, 2)),
            (0, 0),
        ):
            yield {"log": str(pair[0]), "factor": str(pair[1])}

    def _edge(self, place: str, name: str, halvings: int) -> Iterator[Tree]:
        """From a value that holds towards those that do not: the last that does, and the first that does not."""
        value = self.base[place][name]
        if isinstance(value, bool) or not (isinstance(value, int) or _is_number(value)):
            return
        at = Fraction(value)
        ends = {Fraction(one) for one in self.values[place, name] if isinstance(one, int) or _is_number(one)}
        whole = isinstance(value, int)
        for side in (sorted(e for e in ends if e > at), sorted((e for e in ends if e < at), reverse=True)):
            good = at
            for bad in side:
                if not self._at(place, name, bad, whole):
                    yield from self._between(place, name, good, bad, whole, halvings)
                    break
                good = bad

    def _between(
        self, place: str, name: str, good: Fraction, bad: Fraction, whole: bool, halvings: int
    ) -> Iterator[Tree]:
        for _ in range(halvings):
            middle = (good + bad) / 2
            middle = Fraction(floor(middle)) if whole else middle.limit_denominator(10**15)
            if middle in (good, bad):
                break
            if self._at(place, name, middle, whole):
                good = middle
            else:
                bad = middle
        for value in (good, bad):
            yield from self._put({(place, name): int(value) if whole else str(value)})

    def _at(self, place: str, name: str, value: Fraction, whole: bool) -> bool:
        if process_time() > self.until:
            return False
        for tree in self._put({(place, name): int(value) if whole else str(value)}):
            case = self.judge.case("", tree, seconds=SLOW)
            if case is not None and case.accepted:
                return True
        return False

    def _completed(self, tree: Tree, fixed: Iterable[str] = ()) -> Iterator[Tree]:
        """With the fact that every equation of the rule asks for, by one alternative or the other if there are two."""
        try:
            with at_most(SLOW):
                found = list(self._alternatives(tree, set(fixed)))
        except TooLong:
            return
        yield from found

    def _alternatives(self, tree: Tree, fixed: set[str]) -> Iterator[Tree]:
        first = self._solved(tree, fixed, last=False)
        if first is not None and first != tree:
            yield first
        if self.either:
            second = self._solved(tree, fixed, last=True)
            if second is not None and second != first:
                yield second

    def _solved(self, tree: Tree, fixed: set[str], *, last: bool) -> Tree | None:
        try:
            below = [self.judge.fact(premise) for premise in tree.get("premises", ())]
            premises = [fact for fact in below if fact is not None]
            if len(premises) < len(below):
                return None
            kind = self.book.kinds[tree["fact"]["kind"]]
            fact = dict(kind.unwritten)
            for name, of in kind.fields.items():
                if name in tree["fact"]:
                    fact[name] = self.book.value(of, tree["fact"][name])
            rule = self.book._fitting(tree["rule"], {"kind": tree["fact"]["kind"]}, premises)
            where = {}
            for name, of in rule.where.items():
                where[name] = _loosely(self.book, of, tree["where"][name])
        except (Broken, ArithmeticError, KeyError):
            return None
        written = dict(tree["fact"])
        names = {**where, "which": rule.which, "fact": fact, "premises": premises}
        names |= {"p": premises[0]} if premises else {}
        parts: list[Any] = [rule.instead[name] for name in rule.instead] + list(rule.body)
        for part in parts:
            try:
                if isinstance(part, tuple):
                    names[part[0]] = part[1](names)
                    continue
                formula = part.formula if isinstance(part, Condition) else part
                for name, side in _equations(formula.tree, last, self.book.definitions):
                    if name not in fixed and name in kind.fields:
                        value = Formula(ast.unparse(side), formula.scope)(names)
                        fact[name] = value
                        written[name] = _written(kind.fields[name], value)
                        if name == "records_per_person" and written[name] == 1:
                            del written[name]
            except (
                Broken,
                ArithmeticError,
                KeyError,
                TypeError,
                ValueError,
            ):  # also numbers that nobody could write
                continue
        changed = {**tree, "fact": written}
        if rule.assumes and rule.assumes[0] != "anything":
            text, when = rule.assumes
            try:
                if when(names):
                    changed["assumes"] = [text.format_map(tree["where"])]
                else:
                    changed.pop("assumes", None)
            except (KeyError, TypeError):
                return None
        return changed


def _equations(
    tree: ast.expr, last: bool, definitions: Mapping[str, tuple[list[str], Formula]]
) -> Iterator[tuple[str, ast.expr]]:
    """Fields of the fact, and what they must be equal to; also by abbreviations."""
    match tree:
        case ast.BoolOp(op=ast.And(), values=parts):
            for part in parts:
                yield from _equations(part, last, definitions)
        case ast.BoolOp(op=ast.Or(), values=parts):
            yield from _equations(parts[-1 if last else 0], last, definitions)
        case ast.Call(func=ast.Name(id=name)) if name in definitions:
            yield from _equations(_inlined(tree, definitions), last, definitions)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            for one, other in ((left, right), (right, left)):
                if (
                    isinstance(one, ast.Attribute)
                    and isinstance(one.value, ast.Name)
                    and one.value.id == "fact"
                ):
                    yield one.attr, other
                    return


def _written(kind: str, value: Any) -> Any:
    if isinstance(value, Loss):
        return {"log": str(value.log), "factor": str(value.factor)}
    if isinstance(value, Fraction):
        return (
            int(value) if kind in ("natural", "count", "several") and value.denominator == 1 else str(value)
        )
    return value


def _loosely(own: Book, kind: str, written: Any) -> Any:
    """A parameter as its type reads it, or as a number where the type has a bound that this one breaks."""
    try:
        return own.value(kind, written)
    except Broken:
        return Fraction(written) if isinstance(written, int) else own.value("number", written)


def _compared_with(
    tree: ast.expr, place: str, name: str, definitions: Mapping[str, tuple[list[str], Formula]]
) -> Iterator[ast.expr]:
    """The other sides of comparisons of which this field alone is one, also of those in abbreviations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for i, side in enumerate(sides):
                if _is_field(side, place, name):
                    yield from (other for other in (*sides[:i][-1:], *sides[i + 1 : i + 2]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in definitions:
            yield from _compared_with(_inlined(node, definitions), place, name, definitions)


def _inlined(call: ast.Call, definitions: Mapping[str, tuple[list[str], Formula]]) -> ast.expr:
    """What an abbreviation stands for."""
    assert isinstance(call.func, ast.Name)
    arguments, formula = definitions[call.func.id]
    given = call.args if len(call.args) == len(arguments) else [ast.Name(name) for name in arguments]
    inner: ast.expr = ast.parse(formula.text, mode="eval").body
    found: ast.expr = _Replaced(dict(zip(arguments, given, strict=True))).visit(inner)
    return found


def _is_field(side: ast.expr, place: str, name: str) -> bool:
    if place == "where":
        return isinstance(side, ast.Name) and side.id == name
    return (
        isinstance(side, ast.Attribute)
        and side.attr == name
        and isinstance(side.value, ast.Name)
        and side.value.id == "fact"
    )


class _Replaced(ast.NodeTransformer):
    """An abbreviation, with what it is called with."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)


def _around(value: Any, written: Any) -> Iterator[Any]:
    """A bound, and both sides of it, as the field is written."""
    if not isinstance(value, Fraction):
        return
    if isinstance(written, int):
        yield from (floor(value) + step for step in (-1, 0, 1, 2))
    else:
        yield from (str(value + step) for step in (Fraction(-1, 10**9), 0, Fraction(1, 10**9)))


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        for value in tree.values():
            yield from _leaves(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _leaves(value)
    elif not isinstance(tree, bool):
        yield tree


def _different(values: Iterable[Any]) -> list[Any]:
    """Each of them once; 1 and true are different texts."""
    return list({json.dumps(value, sort_keys=True): value for value in values}.values())


def _is_number(value: Any) -> bool:
    try:
        Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError):
        return False
    return isinstance(value, str)


def derivations(vectors: Iterable[Vector]) -> Iterator[tuple[str, Tree, bool]]:
    """The derivations among them, as a judge of slips takes them."""
    for vector in vectors:
        try:
            tree = json.loads(vector.text) if vector.kind == "derivation" else None
        except ValueError:
            continue
        if isinstance(tree, dict):
            yield vector.name, tree, vector.expected != "refused"


def _above(base: Tree) -> Iterator[Tree]:
    for changes in ABOVE.get(base["rule"], ()):
        where = {**base["where"], **{name: value for name, value in changes.items() if name != "premise"}}
        changed = {**base, "where": where}
        if "premise" in changes:
            changed["premises"] = [PREMISES[base["premises"][0]["fact"]["kind"]][changes["premise"]]]
        yield changed


def tight(
    before: Iterable[tuple[str, Tree, bool]],
    stored: Iterable[Mapping[str, Any]] = (),
    more: Iterable[Any] = (),
    known: Mapping[str, str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows of a name, what must be said, the derivation, and what it is there for: what shows a slip that no vector
    `before` shows, and one step above each limit of size. Of what was `stored` is taken what still serves."""
    search = _Search(Judge(book(), before), {} if known is None else known)
    bases = bases_of_rules(more)
    for key, some in bases.items():
        for number, tree in enumerate(_above(some[0])):
            yield _row(
                f"{key[0]}-{'on' if key[1] else 'alone'}-above-{number}",
                tree,
                False,
                "It lies above a limit of size.",
            )
    for row in stored:
        if row["name"].split("-above-")[0] == row["name"]:
            yield from search.offer(row["name"], row["tree"])
    for some in bases.values():
        yield from search.beside(some)


class _Search:
    """What shows slips that nothing shows so far; the makers must say of it what the book says."""

    def __init__(self, judge: Judge, known: Mapping[str, str]) -> None:
        self.judge = judge
        left = [slip for slip in slips(judge.book) if str(slip) not in known and not judge.noticed(slip)]
        self.left: dict[int, list[Slip]] = {}
        for slip in left:
            for key in judge.about(slip):
                self.left.setdefault(key, []).append(slip)
        self.seen: set[str] = set()
        self.doubtful: set[Slip] = set()
        self.doubtful: set[Slip] = set()

    def offer(self, name: str, tree: Tree) -> Iterator[dict[str, Any]]:
        """The tree as a row, if it shows something and the makers agree."""
        text = json.dumps(tree, sort_keys=True)
        if text in self.seen:
            return
        self.seen.add(text)
        case = self.judge.case(name, tree, seconds=SLOW)
        if case is None:
            return
        shown = []
        for slip in self.left.get(id(case.rule), ()):
            with self.judge.slipped(slip) as otherwise:
                if otherwise(case):
                    shown.append(slip)
        if not shown:
            return
        if follows(tree) != case.accepted:
            for slip in shown:
                if slip not in self.doubtful:
                    print(
                        f"the makers do not say {case.accepted}, which would show {slip}: {json.dumps(tree)}"
                    )
            self.doubtful.update(shown)
            return
        for key, some in self.left.items():
            self.left[key] = [slip for slip in some if slip not in shown]
        yield _row(name, tree, case.accepted, f"With it the book is known not to say: {shown[0]}.")

    def beside(self, bases: list[Tree]) -> Iterator[dict[str, Any]]:
        """Rows of one rule: from cheap changes to dear ones, as long as there is a slip to show."""
        trivial = [tree for base in bases if (tree := _alone(self.judge, base)) is not None]
        near = [Beside(self.judge, base) for base in [*bases, *trivial]]
        key = id(near[0].rule)
        name = f"{bases[0]['rule']}-{'on' if near[0].rule.premise else 'alone'}"
        dear = [*(one.edges() for one in near), *(islice(one.pairs(), PAIRS) for one in near)]
        number, until = 0, process_time() + BUDGET
        for one in near:
            one.until = until
        cheap = [*(one.promises() for one in near), *(one.near() for one in near)]
        for sources, left in (cheap, self._any), (dear, self._own):
            for tree in chain.from_iterable(sources):
                if not left(key) or process_time() > until:
                    break
                number += 1
                yield from self.offer(f"{name}-{number}", tree)

    def _any(self, key: int) -> bool:
        return bool(self.left.get(key))

    def _own(self, key: int) -> bool:
        """Not counting what every rule may show, of every fact of its kind."""
        return any(
            slip.place[0] == "def" or isinstance(slip.place[0], Rule) for slip in self.left.get(key, ())
        )


def _row(name: str, tree: Tree, accepted: bool, reason: str) -> dict[str, Any]:
    return {"name": name, "expected": "accepted" if accepted else "refused", "reason": reason, "tree": tree}
