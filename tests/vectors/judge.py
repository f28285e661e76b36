"""Whether some vector is judged otherwise by the book with a slip of the pen in it.

Of every vector each condition is worked out once, on its own. A slip changes the verdict of a vector that holds if a
condition that it touches becomes false, and of one that is refused if all that is false becomes true: so no more is
worked out for a slip than what it touches.
"""

from __future__ import annotations

import ast
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import Any

from privpac.checker.book import ANY, Book, Condition, Formula, Rule
from privpac.checker.functions import Broken
from tests.vectors.slips import WEAKER, Slip

__all__ = ["Case", "Judge", "TooLong", "at_most"]

Tree = Mapping[str, Any]
Place = tuple[Any, ...]

SECONDS = 2.0
"""Of computing: a slip that keeps a step busy for longer is noticed, because nobody waits for such a checker."""
NODE = {"rule", "fact", "where", "assumes", "premises"}
MALFORMED = (Broken, ArithmeticError, KeyError, TypeError, AttributeError, ValueError)


@dataclass
class Case:
    """A vector whose premises follow, with what a step of its rule is worked out from."""

    name: str
    tree: Tree
    accepted: bool
    rule: Rule
    names: dict[str, Any]
    fails: frozenset[Place]
    """What is false of it, each on its own: places as slips have them."""


class TooLong(BaseException):
    """No reader of certificates catches it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises `TooLong` after so many seconds of computing."""

    def ring(_: int, __: FrameType | None) -> None:
        raise TooLong

    if not hasattr(signal, "setitimer"):  # on Windows, where the long tests do not run
        yield
        return
    old = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


class Judge:
    """Derivations with what must be said of each, sorted by the rule on top."""

    def __init__(self, book: Book, vectors: Iterable[tuple[str, Tree, bool]] = ()) -> None:
        self.book = book
        self.cases: dict[int, list[Case]] = {}
        self.rules: dict[int, Rule] = {id(rule): rule for forms in book.rules.values() for rule in forms}
        self._seen: dict[str, dict[str, Any] | None] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._touched: dict[Place, tuple[Place, ...]] = {}
        for name, tree, accepted in vectors:
            case = self.case(name, tree, accepted)
            if case is not None:
                self.add(case)

    def add(self, case: Case) -> None:
        """One vector more, which is asked first."""
        self.cases.setdefault(id(case.rule), []).insert(0, case)

    def fact(self, tree: Tree) -> dict[str, Any] | None:
        """What a premise states; nothing if it does not follow."""
        key = repr(tree)
        if key not in self._seen:
            below = [self.fact(premise) for premise in tree.get("premises", ())]
            try:
                self._seen[key] = None if None in below else self.book.derive(tree, below)  # type: ignore[arg-type]
            except MALFORMED:
                self._seen[key] = None
        return self._seen[key]

    def case(
        self, name: str, tree: Tree, accepted: bool | None = None, *, seconds: float | None = None
    ) -> Case | None:
        """A vector as it is judged, by the book where nothing is said of it; nothing if it is not even a step, or takes
        longer than so many seconds."""
        book = self.book
        try:
            below = [self.fact(premise) for premise in tree.get("premises", ())]
            premises = [fact for fact in below if fact is not None]
            if len(premises) < len(below) or not {"rule", "fact"} <= set(tree) <= NODE:
                return None
            kind = book.kinds[tree["fact"]["kind"]]
            written = tree["fact"].keys() - {"kind"}
            if not kind.fields.keys() - kind.unwritten.keys() <= written <= kind.fields.keys():
                return None
            values = {one: book.value(kind.fields[one], tree["fact"][one]) for one in written}
            fact = {"kind": tree["fact"]["kind"], **kind.unwritten, **values}
            rule = book._fitting(tree["rule"], fact, premises)
            where, fails = self._where(rule, tree.get("where", {}))
        except MALFORMED:
            return None
        names = {**where, "which": rule.which, "fact": fact, "premises": premises}
        names |= {"p": premises[0]} if premises else {}
        try:
            with nullcontext() if seconds is None else at_most(seconds):
                places = [
                    *self._always(rule, fact["kind"]),
                    *((id(rule), "body", i) for i in range(len(rule.body))),
                ]
                fails |= {place for place in places if not self._holds(place, rule, names, tree, seconds)}
        except TooLong:
            return None
        return Case(name, tree, not fails if accepted is None else accepted, rule, names, frozenset(fails))

    def _where(self, rule: Rule, where: Tree) -> tuple[dict[str, Any], set[Place]]:
        if where.keys() != rule.where.keys():
            raise Broken("other parameters")
        values, fails = {}, set()
        for name, kind in rule.where.items():
            try:
                values[name] = self.book.value(kind, where[name])
            except Broken:
                values[name] = self.book.value(WEAKER.get(kind, kind), where[name])
                fails.add((id(rule), "where", name))
        return values, fails

    def _always(self, rule: Rule, kind: str) -> list[Place]:
        """What is asked of a step besides the conditions in its rule's entry."""
        places: list[Place] = [(kind, "kind", i) for i in range(len(self.book.kinds[kind].holds))]
        for name in self.book.always:
            places.append((id(rule), "instead", name) if name in rule.instead else ("always", name))
        return [*places, (id(rule), "assumes", "")]

    def _holds(
        self, place: Place, rule: Rule, names: dict[str, Any], tree: Tree, seconds: float | None
    ) -> bool:
        """Whether it is true here; an abbreviation is worked out and named. Faults of a formula count as false, and so
        does what takes too long if there is no limit on the whole step."""
        if seconds is None:
            try:
                with at_most(SECONDS):
                    return self._holds(place, rule, names, tree, SECONDS)
            except TooLong:
                return False
        try:
            return self._told(place, rule, names, tree)
        except (Broken, ArithmeticError, KeyError, TypeError, ValueError):
            return False

    def _told(self, place: Place, rule: Rule, names: dict[str, Any], tree: Tree) -> bool:
        if place[1] == "assumes":
            self.book._check_assumptions(rule, list(tree.get("assumes", ())), tree.get("where", {}), names)
            return True
        part = rule.body[place[2]] if place[1] == "body" else None
        if isinstance(part, tuple):
            names[part[0]] = part[1](names)
            return True
        return self._formula(place, rule)(names) is True

    def _formula(self, place: Place, rule: Rule) -> Formula:
        if place[0] == "always":
            return self.book.always[place[1]]
        if place[1] == "kind":
            return self.book.kinds[place[0]].holds[place[2]]
        if place[1] == "instead":
            return rule.instead[place[2]]
        if place[1] == "assumes":
            return rule.assumes[1] if rule.assumes else Formula("true", self.book.scope)
        part = rule.body[place[2]]
        return part.formula if isinstance(part, Condition) else part[1]

    # --- Slips ---

    def noticed(self, slip: Slip) -> str:
        """The vector that is judged otherwise if the book has this slip; empty if none is."""
        with self.slipped(slip) as otherwise:
            for key in self.about(slip):
                for case in self.cases.get(key, ()):
                    if otherwise(case):
                        return case.name
        return ""

    def about(self, slip: Slip) -> list[int]:
        """The rules whose steps the slip can touch."""
        if isinstance(slip.place[0], Rule):
            return [id(slip.place[0])]
        return [key for key in self.rules if self.touched(slip, key)]

    @contextmanager
    def slipped(self, slip: Slip) -> Iterator[Callable[[Case], bool]]:
        """What says of a case whether it is judged otherwise; the book has the slip until the end."""
        with _put(self.book, slip):
            yield lambda case: self._otherwise(slip, case)

    def _otherwise(self, slip: Slip, case: Case) -> bool:
        touched = self.touched(slip, id(case.rule))
        if case.accepted == bool(case.fails) or not case.fails <= set(touched):
            return False
        if (
            slip.kind
        ):  # a type without its bound: all conditions were worked out with the value that it lets through
            return case.fails == {touched[0]}
        names = dict(case.names)
        for place in touched:
            if place[1] == "kind" and place[0] != case.names["fact"]["kind"]:
                continue
            try:
                with at_most(SECONDS):
                    holds = self._told(place, case.rule, names, case.tree)
            except (Broken, ArithmeticError):
                holds = False
            except (Exception, TooLong):  # a fault is noticed, whatever it is
                return True
            if not holds:
                return case.accepted
        return not case.accepted

    def touched(self, slip: Slip, key: int) -> tuple[Place, ...]:
        """What may be otherwise of a step of this rule with the slip, in the order in which it is worked out."""
        own = (slip.place[0] if isinstance(slip.place[0], str) else id(slip.place[0]), *slip.place[1:])
        if (own, key) not in self._touched:
            self._touched[own, key] = tuple(self._touching(own, self.rules[key]))
        return self._touched[own, key]

    def _touching(self, own: Place, rule: Rule) -> Iterator[Place]:
        if own[1] == "where":
            if own[0] == id(rule):
                yield own
            return
        kinds = list(self.book.kinds) if rule.kind == ANY else [rule.kind]
        places = list(dict.fromkeys(place for kind in kinds for place in self._always(rule, kind)))
        changed = {own[1]} if own[0] == "def" else set()
        for place in [*places, *((id(rule), "body", i) for i in range(len(rule.body)))]:
            if place == own or changed & self._used(self._formula(place, rule)):
                yield place
                part = rule.body[place[2]] if place[1] == "body" else None
                if isinstance(part, tuple):
                    changed.add(part[0])

    def _used(self, formula: Formula) -> frozenset[str]:
        """Every name that a formula rests on, with those of the abbreviations that it calls."""
        if id(formula) not in self._names:
            names = {node.id for node in ast.walk(formula.tree) if isinstance(node, ast.Name)}
            called = names & self.book.definitions.keys()
            inner = (
                self._used(self.book.definitions[name][1]) & self.book.definitions.keys() for name in called
            )
            self._names[id(formula)] = frozenset(names.union(*inner))
        return self._names[id(formula)]


@contextmanager
def _put(book: Book, slip: Slip) -> Iterator[None]:
    """The book with the slip in it, for a while; parameters of a weaker type are read so from the beginning."""
    if slip.kind:
        yield
        return
    if slip.place[0] == "def":
        name = slip.place[1]
        arguments, formula = book.definitions[name]
        old = book.scope.values[f"f_{name}"]
        book.scope.values[f"f_{name}"] = _changed(formula, slip).function(arguments)
        try:
            yield
        finally:
            book.scope.values[f"f_{name}"] = old
        return
    formula = _place(book, slip)
    act: Callable[..., Any] = formula._act
    formula.__dict__["_act"] = _changed(formula, slip)
    try:
        yield
    finally:
        formula.__dict__["_act"] = act


def _place(book: Book, slip: Slip) -> Formula:
    first, what, *rest = slip.place
    if first == "always":
        return book.always[what]
    if what == "kind":
        return book.kinds[first].holds[rest[0]]
    assert isinstance(first, Rule)
    if what == "instead":
        return first.instead[rest[0]]
    if what == "assumes":
        assert first.assumes is not None
        return first.assumes[1]
    part = first.body[rest[0]]
    return part.formula if isinstance(part, Condition) else part[1]


_CHANGED: dict[int, tuple[Slip, Formula]] = {}
"""Formulas with a slip, which are compiled once."""


def _changed(formula: Formula, slip: Slip) -> Formula:
    if id(slip) not in _CHANGED:
        assert slip.formula is not None
        text = ast.unparse(ast.fix_missing_locations(slip.formula))
        _CHANGED[id(slip)] = slip, Formula(text, formula.scope, formula.variables)
    return _CHANGED[id(slip)][1]
