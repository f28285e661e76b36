"""Public names say what they are for: at least 19 in 20 functions, methods and classes have a docstring.

Counted are classes and functions of modules, and methods of classes, whose names are public. Not counted are methods
with `__dunder__` names, setters, overloads, compiled kernels, and methods that carry out a documented promise: those of
a class that has every member of a protocol (or inherits from a class) whose member of that name and with those
parameters has a docstring. What people call, 9 in 10 times at least, is described completely: what it does, every
parameter, the errors that these may cause, and an example, its own or one of its class.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

import pytest

import privpac
from privpac import plan
from tests.contracts.sources import nodes, syntax

ROOT = Path(__file__).resolve().parents[2] / "src" / "privpac"
SHARE = 0.95
EVERY = ("learning", "model", "client", "comparison", "sanitising", "verification", "estimators", "plan.plan")
"""Modules of the public interface, where nothing may be left out."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True)
class Name:
    """A public name: where it stands, what it is, and whether it says so."""

    module: str
    path: str
    node: Definition

    @property
    def documented(self) -> bool:
        return ast.get_docstring(self.node) is not None


def _decorators(node: Definition) -> list[str]:
    return [ast.unparse(decorator) for decorator in node.decorator_list]


def _counted(node: ast.stmt) -> bool:
    if not isinstance(node, Definition) or node.name.startswith("_"):
        return False
    return not any(
        text.endswith((".setter", "overload")) or text.startswith("compiled") for text in _decorators(node)
    )


def _members(node: ast.ClassDef) -> dict[str, ast.stmt]:
    """Public methods and fields of a class, without those of its bases."""
    members: dict[str, ast.stmt] = {}
    for part in node.body:
        if isinstance(part, Function):
            members[part.name] = part
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            members[part.target.id] = part
        elif isinstance(part, ast.Assign):
            members |= {target.id: part for target in part.targets if isinstance(target, ast.Name)}
    return {name: part for name, part in members.items() if not name.startswith("_")}


def _parameters(node: Function) -> list[str]:
    return [part.arg for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


class Sources:
    """All modules, parsed; classes are found by name, which is unique enough in one package."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.modules = {module: syntax(text) for module, text in texts.items()}
        self._bases: dict[ast.ClassDef, list[ast.ClassDef]] = {}

    @cached_property
    def classes(self) -> Mapping[str, Sequence[ast.ClassDef]]:
        named: dict[str, list[ast.ClassDef]] = defaultdict(list)
        for tree in self.modules.values():
            for node in nodes(tree):
                if isinstance(node, ast.ClassDef):
                    named[node.name].append(node)
        return named

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Classes of the package that it inherits from, near ones first."""
        if node not in self._bases:
            names = (ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases)
            parents = [
                parent for name in names for parent in self.classes.get(name, ()) if parent is not node
            ]
            self._bases[node] = [one for parent in parents for one in (parent, *self.bases(parent))]
        return self._bases[node]

    def members(self, node: ast.ClassDef) -> dict[str, ast.stmt]:
        members: dict[str, ast.stmt] = {}
        for parent in (node, *self.bases(node)):
            members = {**_members(parent), **members}
        return members

    @cached_property
    def protocols(self) -> Sequence[Mapping[str, ast.stmt]]:
        return [
            self.members(node)
            for nodes in self.classes.values()
            for node in nodes
            if any(ast.unparse(base).startswith("Protocol") for base in node.bases)
        ]

    def promises(self, node: ast.ClassDef) -> Iterator[Mapping[str, ast.stmt]]:
        """What the class carries out: members of its bases, and of every protocol that it has all members of."""
        yield from (_members(parent) for parent in self.bases(node))
        own = self.members(node)
        yield from (promised for promised in self.protocols if promised.keys() <= own.keys())

    def names(self) -> Iterator[Name]:
        for module, tree in self.modules.items():
            for node in filter(_counted, tree.body):
                assert isinstance(node, Definition)
                yield Name(module, node.name, node)
                if isinstance(node, ast.ClassDef):
                    yield from self._methods(module, node)

    def _methods(self, module: str, owner: ast.ClassDef) -> Iterator[Name]:
        promised = [dict(members) for members in self.promises(owner)]
        for node in filter(_counted, owner.body):
            assert isinstance(node, Definition)
            if not isinstance(node, Function) or not any(
                isinstance(other := members.get(node.name), Function)
                and other is not node
                and ast.get_docstring(other)
                and _parameters(other) == _parameters(node)
                for members in promised
            ):
                yield Name(module, f"{owner.name}.{node.name}", node)


@cache
def _package() -> Sources:
    paths = sorted(ROOT.rglob("*.py"))
    return Sources(
        {".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8") for path in paths}
    )


def _report(missing: Sequence[Name]) -> str:
    """The modules with most to say, and what they leave out."""
    by_module: dict[str, list[str]] = defaultdict(list)
    for name in missing:
        by_module[name.module].append(name.path)
    worst = sorted(by_module.items(), key=lambda item: -len(item[1]))[:20]
    return "\n".join(f"{module}: {', '.join(paths)}" for module, paths in worst)


def test_nearly_all_public_names_have_a_docstring() -> None:
    names = list(_package().names())
    missing = [name for name in names if not name.documented]
    share = 1 - len(missing) / len(names)
    assert share >= SHARE, f"{share:.1%} of {len(names)} public names:\n{_report(missing)}"


def test_the_public_interface_leaves_nothing_out() -> None:
    missing = [name for name in _package().names() if not name.documented and name.module.startswith(EVERY)]
    assert not missing, _report(missing)


def _described(value: type | object) -> str:
    """The docstrings of a function, or of a class, its constructor and its fields."""
    texts = [value.__doc__, value.__init__.__doc__ if isinstance(value, type) else None]
    if isinstance(value, type):
        parts = [part for node in _package().classes[value.__name__] for part in node.body]
        for field, text in pairwise(parts):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                texts.append(ast.unparse(field.target))
    return "\n".join(filter(None, texts))


@pytest.mark.parametrize("name", sorted(privpac._NAMES))
def test_what_the_package_exports_describes_its_parameters_and_functions_show_an_example(name: str) -> None:
    value = getattr(privpac, name)
    text = _described(value)
    if not (isinstance(value, type) and issubclass(value, Exception)):
        undescribed = [
            word for word in inspect.signature(value).parameters if not re.search(rf"\b{word}\b", text)
        ]
        assert not undescribed
    if not isinstance(value, type):
        assert ">>> " in text


COMPLETE = 0.9
ERRORS = re.compile(
    r"Error\b|Raises|\berrors\b|\brefuse[ds]?\b|NotCertified|BudgetExceeded|MissingExtra|RuleRefused"
)


def _called() -> Iterator[tuple[str, Function, str]]:
    """What people call, with the text of its class: exported functions, public methods, and the three questions."""
    exported = {name: f"{module}" for name, module in privpac._NAMES.items()}
    for name in _package().names():
        owner, _, method = name.path.partition(".")
        at_the_door = exported.get(owner) == name.module or (
            name.module == "plan.__init__" and owner in plan.__all__
        )
        called = isinstance(name.node, Function) and not any("property" in d for d in _decorators(name.node))
        if at_the_door and called:
            assert isinstance(name.node, Function)
            among = (
                [part for node in _package().classes[owner] for part in (node, *node.body)] if method else []
            )
            texts = (ast.get_docstring(part) for part in among if isinstance(part, Definition))
            yield name.path, name.node, "\n".join(filter(None, texts))


def _lacks(path: str, node: Function, of_class: str) -> list[str]:
    text = ast.get_docstring(node) or ""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    every += [part for part in (node.args.vararg, node.args.kwarg) if part]
    words = [part.arg for part in every if part.arg not in ("self", "cls")]
    call = f".{node.name}("
    return [
        *(word for word in words if not re.search(rf"\b{word}\b", text)),
        *(["errors"] if words and not ERRORS.search(text) else []),
        *(["an example"] if ">>> " not in text and call not in of_class else []),
    ]


def test_what_people_call_is_described_with_parameters_errors_and_an_example() -> None:
    lacking = {path: _lacks(path, node, text) for path, node, text in _called()}
    share = sum(not parts for parts in lacking.values()) / len(lacking)
    assert share >= COMPLETE, f"{share:.1%} of {len(lacking)}: { ({k: v for k, v in lacking.items() if v}) }"


def test_what_is_left_out_is_noticed() -> None:
    tree = ast.parse('''
def f(self, a, *, b=1):
    """What, of `a`; `DataError` if not."""
''')
    node = tree.body[0]
    assert isinstance(node, ast.FunctionDef)
    assert _lacks("f", node, "") == ["b", "an example"]
    assert _lacks("f", node, ">>> x.f(1)") == ["b"]


def test_what_carries_out_a_documented_promise_need_not_repeat_it() -> None:
    text = '''
class Promise(Protocol):
    """A promise."""
    def kept(self, way): """How."""
    def bare(self): ...
class Keeps:
    """Has both members."""
    def kept(self, way): ...
    def bare(self): ...
class Other:
    """Lacks one of them."""
    def kept(self, way): ...
class Differs:
    """Has other parameters."""
    def kept(self): ...
    def bare(self): ...
class Child(Other):
    """Inherits from a class that says nothing."""
    def kept(self, way): ...
@compiled()
def kernel(): ...
def plain(): ...
def _private(): ...
'''
    missing = [name.path for name in Sources({"m": text}).names() if not name.documented]
    assert missing == [
        "Promise.bare",
        "Keeps.bare",
        "Other.kept",
        "Differs.kept",
        "Differs.bare",
        "Child.kept",
        "plain",
    ]
