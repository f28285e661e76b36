"""The words around the code are true: blocks run, printed output is what is printed, links and paths lead somewhere.

In every document a fenced block names its language. `python` blocks are executed, all of a document in one namespace
and one empty folder; a comment beside a `print(...)`, wherever it stands and however many lines it has, must have been
printed, and so must the lines of comments right below a statement that prints. In `console` blocks every
`$ privpac ...` is run and what follows is compared with its output (`...` stands for anything). `json` blocks are
parsed, and written to the file that the words before them end with, as in "`schema.json`:". `text` is for people.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import re
import shlex
import subprocess
import time
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docs.hooks import layout, pages

from privpac.cli import main
from tests.together import together

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "tests" / "README.md"])
DOCS = ROOT / "docs"
GENERATED = set(pages.generated())
LANGUAGES = {"python", "console", "json", "sql", "text"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w-]+\.json)`:\n\n```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 60
"""Of processor time for all blocks of a document."""
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACE = re.compile(
    r"(?<![\w/.-])(?:docs|tests|examples|benchmarks|src)/(?:[\w-]+/)*[\w-]+\.(?:md|py|json)(?![\w-])"
)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _blocks(path: Path, *languages: str) -> list[tuple[str, str]]:
    found = FENCE.findall(path.read_text(encoding="utf-8"))
    return [(language, text) for language, text in found if not languages or language in languages]


def _sources() -> list[Path]:
    return sorted((ROOT / "src").rglob("*.py"))


@together(DOCUMENTS, name=_name)
def test_every_block_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    fences = [line for line in text.splitlines() if line.lstrip().startswith("```")]
    assert len(fences) == 2 * len(_blocks(path)), "a fence is not closed, or not at the start of a line"
    unknown = {language for language, _ in _blocks(path)} - LANGUAGES
    assert not unknown, f"use one of {sorted(LANGUAGES)}"


@pytest.mark.long_cases(
    "docs/theory/floors.md",
    "docs/how-to/own-concepts.md",
    "docs/how-to/best-possible.md",
    "docs/how-to/audit.md",
    "docs/tutorials/hospital.md",
    "docs/how-to/cuts.md",
    "docs/how-to/choose-epsilon.md",
)
@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if _blocks(path, "python", "console")], ids=_name
)
def test_blocks_run_as_printed(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "PRIVPAC_CACHE", str(tmp_path / "cache")
    )  # a first run says more than one with kept results
    namespace: dict[str, Any] = {"__name__": _name(path)}
    started = time.process_time()
    for name, text in FILE.findall(path.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for language, text in _blocks(path, "python", "console"):
        if language == "python":
            _run_python(text, namespace, path)
        else:
            _run_console(text)
    assert time.process_time() - started < SECONDS, "smaller data, please: readers wait for it too"


def _run_python(text: str, namespace: dict[str, Any], path: Path) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, _name(path), "exec", dont_inherit=True), namespace)
    for promised in _promised(text):
        assert promised in printed.getvalue().splitlines(), f"never printed: {promised}"


def _promised(text: str) -> Iterator[str]:
    """What comments say is printed."""
    lines = text.splitlines()
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = {
        token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT
    }
    for statement in ast.parse(text).body:
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        prints = [call for call in calls if ast.unparse(call.func) == "print"]
        beside = [comments[call.end_lineno] for call in prints if call.end_lineno in comments]
        yield from beside
        line = (statement.end_lineno or 0) + 1
        while prints and not beside and line in comments and lines[line - 1].startswith("#"):
            yield comments[line]
            line += 1


def _run_console(text: str) -> None:
    for command, wanted in _commands(text):
        words = shlex.split(command)
        if words[0] != "privpac":
            continue
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            main(words[1:])
        got = "\n".join(line.rstrip() for line in shown.getvalue().splitlines()) + "\n"
        same = doctest.OutputChecker().check_output(wanted.rstrip("\n") + "\n", got, doctest.ELLIPSIS)
        assert same or not wanted.strip(), f"$ {command}\nprints now:\n{got}"


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Commands with the output below them; a backslash at the end of a line continues a command."""
    joined = text.replace("\\\n", " ")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@together([path for path in DOCUMENTS if _blocks(path, "json")], name=_name)
def test_json_blocks_are_json(path: Path) -> None:
    for _, text in _blocks(path, "json"):
        json.loads(text)


@together(DOCUMENTS, name=_name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if "://" not in target and not target.startswith("#"):
            place = (path.parent / target.partition("#")[0]).resolve()
            made = place.is_relative_to(DOCS) and place.relative_to(DOCS).as_posix() in GENERATED
            assert made or place.exists(), f"{target} does not exist"


@together([*DOCUMENTS, *_sources()], name=_name)
def test_files_that_are_named_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not {place for place in PLACE.findall(text) if not (ROOT / place).exists()}


PATH = re.compile(r"`([\w.*<>-]+(?:/[\w.*<>-]+)*(?:/|\.(?:cff|json|md|py|toml|txt|yaml|yml)))`")
"""A path in backticks: of a file, or of a folder with the slash at its end."""


def _is_there(path: str) -> bool:
    """Whether a path leads somewhere from the project or the package; the name of a file also from a folder below. What
    stands for something (`<key>`, `X.Y.Z`) may be anything."""
    pattern = re.sub(r"<\w+>|X\.Y\.Z(?:\.dev0)?", "*", path.rstrip("/"))
    package = ROOT / "src" / "privpac"
    anywhere = [] if "/" in path else [place.rglob(pattern) for place in (package, DOCS)]
    return any(True for places in (ROOT.glob(pattern), package.glob(pattern), *anywhere) for _ in places)


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_paths_in_backticks_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    ignored = set((ROOT / ".gitignore").read_text(encoding="utf-8").replace("\n/", "\n").split())
    paths = set(PATH.findall(FENCE.sub("", text)))
    missing = {path for path in paths if path.partition("/")[0] + "/" not in ignored and not _is_there(path)}
    assert not missing


@together(DOCUMENTS, name=_name)
def test_make_targets_that_are_named_exist(path: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = path.read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        text = text.partition("\n## [0")[0]  # releases had targets of their own
    named = set(re.findall(r"`make ([\w-]+)`", text)) | set(
        re.findall(r"^\$ make ([\w-]+)", text, re.MULTILINE)
    )
    assert named <= targets


def test_the_layers_in_the_architecture_are_those_that_are_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    checked = " > ".join(re.sub(r"[()]", "", layer) for layer in contract["layers"])
    assert checked in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_layout_in_the_architecture_is_the_one_there_is() -> None:
    """Every module and every folder, with what it says of itself; `python -m docs.listed` draws it anew."""
    written = layout.PAGE.read_text(encoding="utf-8")
    assert layout.page_with_layout(written) == written
    assert layout.START in written


def _tracked() -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive
        return [*DOCUMENTS, *_sources(), *sorted((ROOT / "tests").rglob("*.py"))]
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


# Put together from pieces, so that this file does not contain them.
FORBIDDEN = {
    "a path of somebody's machine": re.compile("/" + r"(?:work|root|home/\w+|Users/\w+)" + "/"),
    "a folder outside the project": re.compile(re.escape("../") + "shared"),
    "unfinished work": re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b"),
    "a stub": re.compile("NotImplemented" + "Error"),
    "a test that does not run": re.compile(
        r"pytest\.mark\.(?:" + "sk" + "ip|x" + r"fail(?!\(strict=True))|pytest\." + "sk" + r"ip\("
    ),
}


def test_nothing_of_a_workplace_or_unfinished_is_left_in_a_file() -> None:
    found = []
    for path in _tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{_name(path)}: {what}" for what, pattern in FORBIDDEN.items() if pattern.search(text)]
    assert not found
