"""Plant faults at random in a folder of the sources, and tell which of them the tests notice.

    python -m tests.faults mechanisms --seed 1 --count 30
    python -m tests.faults constructions/points data --seed 5d1e77aa --count 30 --deleted-since HEAD~3

A fault is one small change that somebody could make by accident: another comparison, another operation, another
constant, a guard that is dropped, two arms that are swapped. Each is planted in a copy of the tree. There the unit
tests of the folder run, and what asks everything (`SHARED`), but of these only what runs the changed line on the sound
tree, which is found out once: nothing else can notice. Where nothing does (a kernel, a constant), what runs any line of
the module. The shortest tests come first, as many as fit into the time; the first that fails ends the run. A fault that
makes tests run out of time is told apart, because slow tests do so too. `--deleted-since` then runs, for each fault
that went unnoticed, the tests of another commit that are gone and import something of the folder.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
SECONDS = 60
"""Of a processor, so that a busy machine finds the same."""
PATIENCE = 10
"""How many times as long the clock may take."""
NEEDED = (
    "src",
    "tests",
    "docs",
    "examples",
    "benchmarks",
    "reproductions",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
)
"""What tests read."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
OTHER_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Fault:
    """One change of one place."""

    path: str
    line: int
    last: int
    kind: str
    before: str
    after: str
    source: str
    """The whole module with the fault in it."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {self.kind}: {self.before}  ->  {self.after}"


@dataclass(frozen=True)
class Verdict:
    """What the tests said of a fault: noticed, unnoticed, or out of time."""

    fault: Fault
    said: str
    test: str


@dataclass(frozen=True)
class Place:
    """Where a fault can be planted, and what would stand there."""

    path: Path
    text: str
    kind: str
    node: ast.AST
    other: ast.AST

    @property
    def line(self) -> int:
        return self.node.lineno  # type: ignore[attr-defined,no-any-return]

    def planted(self) -> Fault | None:
        """The fault; None if the module would read as before, or not at all."""
        before = ast.get_source_segment(self.text, self.node)
        after = ast.unparse(ast.fix_missing_locations(self.other))
        source = _replaced(self.text, self.node, after)
        if before is None or source is None:
            return None
        path = str(self.path.relative_to(ROOT / "src"))
        last: int = self.node.end_lineno or self.line  # type: ignore[attr-defined]
        return Fault(path, self.line, last, self.kind, _short(before), _short(after), source)


def places_of(path: Path) -> Iterator[Place]:
    """Every place of a module where a fault can be planted, one of a kind on a line."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    passed_over = set(_not_code(tree))
    seen: set[tuple[int, str]] = set()
    for node in ast.walk(tree):
        if node in passed_over:
            continue
        for kind, other in _changed(node):
            place = Place(path, text, kind, node, other)
            if (place.line, kind) not in seen:
                seen.add((place.line, kind))
                yield place


def _changed(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The kinds of faults at a place, each with what stands there instead."""
    other = copy.deepcopy(node)
    match other:
        case ast.Compare() if type(other.ops[0]) in COMPARISONS:
            other.ops[0] = COMPARISONS[type(other.ops[0])]()
            yield "comparison", other
        case ast.BinOp() if type(other.op) in OPERATIONS and not _of_text(other):
            other.op = OPERATIONS[type(other.op)]()
            yield "arithmetic", other
        case ast.BoolOp():
            other.op = ast.Or() if isinstance(other.op, ast.And) else ast.And()
            yield "condition", other
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield "dropped sign", other.operand
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "constant", ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_CALLS:
            other.func = ast.Name(OTHER_CALLS[name])
            yield "swapped call", other
        case ast.IfExp():
            other.body, other.orelse = other.orelse, other.body
            yield "swapped arms", other
        case ast.If() if other.orelse and not isinstance(other.orelse[0], ast.If):
            other.body, other.orelse = other.orelse, other.body
            yield "swapped arms", other
        case ast.If(body=[ast.Raise()], orelse=[]):
            yield "dropped guard", ast.Pass()
        case ast.Expr(value=ast.Call()):
            yield "dropped call", ast.Pass()


def _of_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _not_code(tree: ast.AST) -> Iterator[ast.AST]:
    """Types, docstrings' neighbours and texts for people: a slip there is no fault of what is computed."""
    for node in ast.walk(tree):
        kept: list[ast.AST | None] = []
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                kept = [node.returns, *node.decorator_list, *(one.annotation for one in every)]
            case ast.AnnAssign():
                kept = [node.annotation]
            case ast.JoinedStr() | ast.Raise():
                kept = [node]
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                kept = [node]
            case ast.Expr(value=ast.Constant()):
                kept = [node]
        for one in kept:
            if one is not None:
                yield from ast.walk(one)


def _replaced(text: str, node: ast.AST, after: str) -> str | None:
    """The module with other words at a place; None if it cannot be read any more, or reads the same."""
    lines = text.splitlines(keepends=True)
    start, end = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
    head = lines[start].encode()[: node.col_offset].decode()  # type: ignore[attr-defined]
    tail = lines[end].encode()[node.end_col_offset :].decode()  # type: ignore[attr-defined]
    statement = isinstance(node, ast.stmt)
    words = after.replace("\n", "\n" + " " * len(head)) if statement else f"({after})"
    if statement and head.strip():  # `elif`, which has no place of its own
        return None
    planted = "".join([*lines[:start], head, words, tail, *lines[end + 1 :]])
    try:
        same = ast.dump(ast.parse(planted)) == ast.dump(ast.parse(text))
    except SyntaxError:
        return None
    return None if same else planted


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 70 else words[:67] + "..."


def chosen(folder: str, *, seed: str, count: int) -> list[Fault]:
    """As many faults of a folder as asked for, drawn by the seed; kinds come by turns."""
    modules = sorted((ROOT / "src" / "privpac" / folder).rglob("*.py"))
    if not modules:
        raise SystemExit(f"There are no modules in src/privpac/{folder}.")
    kinds: dict[str, list[Place]] = {}
    for place in (one for path in modules for one in places_of(path)):
        kinds.setdefault(place.kind, []).append(place)
    rng = random.Random(f"{folder} {seed}")
    for some in kinds.values():
        rng.shuffle(some)
    order = sorted(kinds, key=lambda kind: -len(kinds[kind]))
    turns = (one for row in zip_longest(*(kinds[kind] for kind in order)) for one in row if one is not None)
    faults = (fault for place in turns if (fault := place.planted()) is not None)
    return list(islice(faults, count))


SHARED = ("tests/claims", "tests/laws", "tests/families")
"""What is run for every folder."""


def tests_of(folder: str, tests: Path) -> list[str]:
    """The unit tests of a folder: in the folder of this name, or in a file of it."""
    place = tests / "unit" / folder
    found = [one for one in (place, place.with_name(f"test_{place.name}.py")) if one.exists()]
    return [str(one.relative_to(tests.parent)) for one in found]


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What a file imports: the module, and the name in it if there is one."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(source), names=names):
                yield from ((source, one.name) for one in names)
            case ast.Import(names=names):
                yield from ((one.name, "") for one in names)


def tests_in(text: str, file: str) -> Iterator[str]:
    """The names by which pytest knows the tests of a file."""
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef() if node.name.startswith("test"):
                yield f"{file}::{node.name}"
            case ast.ClassDef() if node.name.startswith("Test"):
                inner = (one.name for one in node.body if isinstance(one, ast.FunctionDef))
                yield from (f"{file}::{node.name}::{name}" for name in inner if name.startswith("test"))


def deleted_since(revision: str, folder: str, tree: Path) -> list[str]:
    """Tests of a commit, which stand in a tree, that are gone now and import something of a folder."""
    changed = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=DM", revision, "--", "tests"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    prefix = f"privpac.{folder.replace('/', '.')}"
    found = []
    for file in changed:
        place, now = tree / file, ROOT / file
        if not place.name.startswith("test_") or "slow" in place.parts:
            continue
        text = place.read_text(encoding="utf-8")
        if any(f"{one}.".startswith(f"{prefix}.") for one, _ in _imports(ast.parse(text))):
            kept = set(tests_in(now.read_text(encoding="utf-8"), file)) if now.exists() else set()
            found += [one for one in tests_in(text, file) if one not in kept]
    return found


_CACHES: list[Any] = []
_LAST: list[object] = [None]


def pytest_runtest_setup(item: pytest.Function) -> None:
    """As a plugin: what a test runs does not depend on what the tests before it left in caches."""
    if not _CACHES:
        ours = [vars(one) for name, one in list(sys.modules.items()) if name.startswith(("privpac", "tests"))]
        kinds = [vars(one) for names in ours for one in names.values() if isinstance(one, type)]
        every = (one for names in (*ours, *kinds) for one in names.values())
        _CACHES.extend(one for one in every if isinstance(one, functools._lru_cache_wrapper))
    if item.originalname != _LAST[0]:
        _LAST[0] = item.originalname
        for one in _CACHES:
            one.cache_clear()


_SECONDS: dict[str, float] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """As a plugin: how long a test takes."""
    _SECONDS[report.nodeid] = _SECONDS.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish() -> None:
    """As a plugin: what the tests took, into the file that the environment names."""
    if place := os.environ.get("FAULTS_SECONDS"):
        Path(place).write_text(json.dumps(_SECONDS), encoding="utf-8")


class Copies:
    """Copies of the tree to plant faults in, one per process at work."""

    def __init__(self, folder: Path, count: int, revision: str | None, seconds: float) -> None:
        self.free: SimpleQueue[Path] = SimpleQueue()
        self.seconds = seconds
        self.lines = CoverageData(str(folder / "lines"), no_disk=True)
        self.took: dict[str, float] = {}
        for number in range(count):
            copied = folder / str(number)
            copied.mkdir()
            for name in NEEDED:
                source = ROOT / name
                if source.is_dir():
                    shutil.copytree(source, copied / name)  # with what is compiled, whose times stay
                elif source.exists():
                    shutil.copy2(source, copied / name)
            if revision is not None:
                shutil.rmtree(copied / "tests")
                packed = subprocess.run(
                    ["git", "archive", revision, "tests"], cwd=ROOT, check=True, capture_output=True
                ).stdout
                subprocess.run(["tar", "-x", "-C", str(copied)], input=packed, check=True)
                shutil.copy2(__file__, copied / "tests" / "faults.py")
            self.free.put(copied)

    def watch(self, folders: Sequence[str], faults: Sequence[Fault]) -> None:
        """Run the tests of all these faults on the sound tree, to know which of them run which line."""
        tree = self.free.get()
        near = [file for folder in folders for file in tests_of(folder, tree / "tests")]
        changed = ",".join(sorted({f"*/{fault.path}" for fault in faults}))
        (tree / "watched.ini").write_text(f"[run]\ninclude = {changed}\ndata_file = {tree}/lines\n")
        options = [
            "-p",
            "tests.faults",
            "--cov",
            "--cov-config=watched.ini",
            "--cov-context=test",
            "--cov-report=",
            "--continue-on-collection-errors",
        ]
        every = [*near, *SHARED]
        said, output = _pytest(tree, every, seconds=60 * self.seconds, options=options)
        if said == "out of time":
            raise SystemExit("The tests of these modules take too long to be watched.")
        self.red = {line.split()[1] for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))}
        if self.red:
            print("red on the sound tree:", *sorted(self.red), flush=True)
        self.lines = CoverageData(str(tree / "lines"))
        self.lines.read()
        self.took = json.loads((tree / "took.json").read_text(encoding="utf-8"))
        self.free.put(tree)

    def judge(self, fault: Fault, tests: Sequence[str] | None = None) -> Verdict:
        """What these tests say of a fault; without any, those that could notice it."""
        tree = self.free.get()
        place = tree / "src" / fault.path
        sound, stat = place.read_bytes(), place.stat()
        try:
            place.write_text(fault.source, encoding="utf-8")
            said, output = _pytest(tree, self._tests(fault) if tests is None else tests, seconds=self.seconds)
            lines = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return Verdict(fault, said, lines[0].split(" - ")[0].partition(" ")[2] if lines else "")
        finally:
            place.write_bytes(sound)
            os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            self.free.put(tree)

    def _tests(self, fault: Fault) -> list[str]:
        """Tests that run the changed lines, or else any line of the module: the shortest, as many as fit."""
        file = next((name for name in self.lines.measured_files() if name.endswith("/" + fault.path)), "")
        seen = self.lines.contexts_by_lineno(file) if file else {}

        def running(lines: Iterable[int]) -> set[str]:
            heard = {one.partition("|")[0] for line in lines for one in seen.get(line, ())}
            return {one for one in heard if one} - self.red

        found = running(range(fault.line, fault.last + 1)) or running(seen)
        chosen, total = [], 0.0
        for test in sorted(found, key=lambda test: (self.took.get(test, 0.0), test)):
            total += self.took.get(test, 0.0)
            if chosen and total > self.seconds / 2:
                break
            chosen.append(test)
        return chosen


def _pytest(
    tree: Path, tests: Sequence[str], *, seconds: float, options: Sequence[str] = ("-x",)
) -> tuple[str, str]:
    """What the tests say of a tree, and all that is printed."""
    (tree / "asked.txt").write_text("\n".join(tests) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-rfE", *options, "@asked.txt"]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["FAULTS_SECONDS"] = str(tree / "took.json")
    with subprocess.Popen(
        command,
        cwd=tree,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5)),
    ) as run:
        try:
            said, _ = run.communicate(timeout=PATIENCE * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return "out of time", ""
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "out of time", said
    return ("unnoticed" if run.returncode == 0 else "noticed"), said


def run(
    folder: str, faults: Sequence[Fault], copies: Copies, before: tuple[Copies, Sequence[str]] | None
) -> Iterator[tuple[Verdict, Verdict | None]]:
    """What the tests say of each fault, and of an unnoticed one what those say that are gone."""

    def judged(fault: Fault) -> tuple[Verdict, Verdict | None]:
        now = copies.judge(fault)
        if before is None or now.said == "noticed" or not before[1]:
            return now, None
        return now, before[0].judge(fault, before[1])

    with ThreadPoolExecutor(copies.free.qsize()) as pool:
        yield from pool.map(judged, faults)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "folders", nargs="+", help="folders of src/privpac, as mechanisms or constructions/points"
    )
    parser.add_argument("--seed", default="1", help="any text; which faults are planted follows from it")
    parser.add_argument("--count", type=int, default=30, help="in each folder")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="of a processor, for the tests of one fault"
    )
    parser.add_argument(
        "--at-once", type=int, default=min(2, os.cpu_count() or 1), help="faults side by side"
    )
    parser.add_argument("--deleted-since", metavar="REVISION", help="compare with the tests of this commit")
    parser.add_argument("--json", metavar="OUT", help="write the verdicts to this file, too")
    given = parser.parse_args(words)
    faults = {folder: chosen(folder, seed=given.seed, count=given.count) for folder in given.folders}
    rows = []
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        copies = Copies(Path(place), given.at_once, None, given.seconds)
        copies.watch(given.folders, [fault for some in faults.values() for fault in some])
        old = None
        if given.deleted_since is not None:
            (Path(place) / "before").mkdir()
            old = Copies(Path(place) / "before", given.at_once, given.deleted_since, given.seconds)
        for folder, some in faults.items():
            before = None
            if old is not None:
                tree = Path(place) / "before" / "0"
                before = old, deleted_since(given.deleted_since, folder, tree)
            counts = {"noticed": 0, "unnoticed": 0, "out of time": 0}
            only_before = 0
            for now, then in run(folder, some, copies, before):
                counts[now.said] += 1
                only_before += then is not None and then.said == "noticed"
                gone = f"   BEFORE: {then.test}" if then is not None and then.said == "noticed" else ""
                print(f"{now.said:12} {now.fault}   {now.test}{gone}", flush=True)
                rows.append({**asdict(now.fault), "said": now.said, "test": now.test, "before": gone})
            told = ", ".join(f"{count} {said}" for said, count in counts.items())
            print(f"{folder}: {told} of {len(some)}; {only_before} more noticed before", flush=True)
    if given.json:
        Path(given.json).write_text(
            json.dumps([{k: v for k, v in row.items() if k != "source"} for row in rows], indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
