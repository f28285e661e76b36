"""The reference, made from the code: names, commands, errors and rules cannot be forgotten here.

Every page is a function without parameters that returns Markdown; `pages` lists them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["api_modules", "described_names", "pages"]

ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"^from (privpac(?:\.\w+)+) import", re.MULTILINE)
CITED = re.compile(r"`(privpac(?:\.\w+)+)(?:\(\))?`")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GROUPS = {
    "request": "What is asked",
    "learning": "Learn",
    "model": "Models and their files",
    "verification": "Verify",
    "comparison": "Compare two models",
    "estimators": "scikit-learn estimators",
    "extend": "Write your own",
    "answering": "Answers instead of models",
    "sanitising": "Released tables",
    "planning": "Plan",
    "client": "Ask a service",
    "service": "The service",
    "data": "Tables and schemas",
    "guarantee": "Certificates and budgets",
    "checker": "The checker",
    "constructions": "Learners",
    "concepts": "Classes of concepts",
    "mechanisms": "Mechanisms",
    "audit": "Audits",
    "theory": "Sizes and floors",
    "numbers": "Exact arithmetic",
    "pictures": "Pictures",
    "coins": "Coins",
    "errors": "Errors",
}
"""Part of the package → title of its page, in the order of the pages."""


def pages() -> Mapping[str, Callable[[], str]]:
    """Page → the function that writes it."""
    parts = {f"reference/python/{part}.md": lambda part=part: _part(part) for part in GROUPS}
    return {
        "reference/python/index.md": _names,
        **parts,
        "reference/commands.md": _commands,
        "reference/errors.md": _errors,
        "reference/rules.md": _rules,
    }


# Python


@cache
def api_modules() -> tuple[str, ...]:
    """Modules people look for: those of the public names, and those that a document imports from or names."""
    import privpac

    modules = {f"privpac.{module}" for module in privpac._NAMES.values()}
    modules |= {
        module for text in _documents() for block in BLOCK.findall(text) for module in IMPORT.findall(block)
    }
    citations = (_module_of(path) for text in _documents() for path in CITED.findall(text))
    modules |= {module for module in citations if module.count(".") >= 2}
    return tuple(sorted(modules))


@cache
def _module_of(path: str) -> str:
    """The module that a path leads to, or the one that defines the name at its end; else the package."""
    source = ROOT / "src" / Path(*path.split("."))
    if source.with_suffix(".py").exists() or (source / "__init__.py").exists() or "." not in path:
        return path
    return _module_of(path.rpartition(".")[0])


def _documents() -> Iterator[str]:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples" / "gallery").glob("*.py")):
        yield f"```python\n{path.read_text(encoding='utf-8')}\n```\n"


def described_names(module: str) -> list[str]:
    """What a module offers: its `__all__` without plain constants, which have no description of their own."""
    source = ROOT / "src" / Path(*module.split("."))
    path = source.with_suffix(".py") if source.with_suffix(".py").exists() else source / "__init__.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_all(target) for target in node.targets):
            listed = [name for name in ast.literal_eval(node.value) if isinstance(name, str)]
            return [name for name in listed if _is_code(module, name)]
    return []


def _is_all(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "__all__"


def _is_code(module: str, name: str) -> bool:
    value = getattr(importlib.import_module(module), name)
    return inspect.isclass(value) or inspect.isfunction(value)


def _home(module: str, name: str) -> str:
    """Where the name is defined: the path that mkdocstrings finds."""
    value = getattr(importlib.import_module(module), name)
    return f"{value.__module__}.{value.__qualname__}"


@cache
def _sections(part: str) -> dict[str, list[str]]:
    """Module → full paths of its names; a name that two modules offer stands at the first."""
    seen: set[str] = set()
    sections: dict[str, list[str]] = {}
    for module in api_modules():
        if module.split(".")[1] != part:
            continue
        paths = [_home(module, name) for name in described_names(module)]
        fresh = [path for path in dict.fromkeys(paths) if path not in seen]
        seen |= set(fresh)
        if fresh:
            sections[module] = fresh
    return sections


def _part(part: str) -> str:
    lines = [f"# {GROUPS[part]}", ""]
    for module, paths in _sections(part).items():
        lines += [f"## {module}", "", _first_paragraph(inspect.getdoc(importlib.import_module(module))), ""]
        lines += [f"::: {path}\n    options:\n      heading_level: 3\n" for path in paths]
    return "\n".join(lines)


def _names() -> str:
    """All public names by part, one line each."""
    import privpac

    lines = ["# Python", "", "## Modules", ""]
    lines += [f"* [{title}]({part}.md): {_modules(part)}" for part, title in GROUPS.items()]
    lines += [
        "",
        "## Names",
        "",
        "These are imported from `privpac` itself and stay. What else the pages of this section describe is imported",
        "from its module, and may move between minor versions.",
        "",
        "| Name | What it is |",
        "|---|---|",
    ]
    for name, module in sorted(privpac._NAMES.items(), key=lambda item: item[0].lower()):
        path = _home(f"privpac.{module}", name)
        about = _first_sentence(inspect.getdoc(getattr(privpac, name)))
        lines.append(f"| [`{name}`]({module.split('.')[0]}.md#{path}) | {about} |")
    return "\n".join([*lines, ""])


def _modules(part: str) -> str:
    return ", ".join(f"`{module}`" for module in _sections(part))


def _first_paragraph(text: str | None) -> str:
    return (text or "").split("\n\n")[0].strip()


def _first_sentence(text: str | None) -> str:
    return _cell(" ".join(_first_paragraph(text).split()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# Commands


def _commands() -> str:
    """Every verb with every argument and option, as the program itself knows them."""
    from typer.main import get_command

    from privpac.cli.app import app

    root = get_command(app())
    lines = ["# Commands", "", _prose(root.help), ""]
    lines += ["| Command | Does |", "|---|---|"]
    verbs = list(_verbs(root, "privpac"))
    for name, command in verbs:
        lines.append(f"| [`{name}`](#{_anchor(name)}) | {_first_sentence(command.help)} |")
    for name, command in verbs:
        lines += ["", *_verb(name, command)]
    return "\n".join([*lines, ""])


def _verbs(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    for word, inner in getattr(command, "commands", {}).items():
        if hasattr(inner, "commands"):
            yield from _verbs(inner, f"{name} {word}")
        else:
            yield f"{name} {word}", inner


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _verb(name: str, command: Any) -> list[str]:
    context = command.make_context(command.name, [], resilient_parsing=True)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines = [f"## {name}", "", _prose(command.help), "", "```text", usage, "```", ""]
    for title, kind in (("Argument", "argument"), ("Option", "option")):
        records = [item.get_help_record(context) for item in command.params if item.param_type_name == kind]
        shown = [record for record in records if record is not None]
        if shown:
            lines += [f"| {title} | |", "|---|---|"]
            lines += [f"| `{_cell(flags)}` | {_cell(_plain(about))} |" for flags, about in shown]
            lines.append("")
    return lines


def _plain(text: str) -> str:
    """Help without what only terminals show: brackets around a default become a sentence."""
    text = re.sub(r"\s*\[required\]", "", text)
    return re.sub(r"\s*\[default: ([^\]]*)\]", r" Default: `\1`.", text)


def _prose(text: str | None) -> str:
    return (
        re.sub(r"\n(?!\n)", " ", (text or "").replace("\n\n", "\0")).replace("\0", "\n\n").replace("\f", "")
    )


# Errors and rules


EXITS = {
    0: "done",
    1: "a fault of privpac itself: please report it",
    2: "wrong input",
    3: "budget refused",
    4: "guarantee not met",
    5: "verified, but not signed by anybody on the list that `--trusted` names",
    6: "not rebuilt: the steps of the certificate follow, and the document was not made anew from them",
    130: "interrupted (Ctrl-C); the sentence says what was charged",
    141: "the program that read the output went away",
    143: "ended (SIGTERM); the sentence says what was charged",
}


def _errors() -> str:
    from privpac import errors

    lines = [
        "# Errors",
        "",
        "Every error privpac raises on purpose is a `PrivpacError`: one sentence with owner, parameter, value if it is",
        "public, allowed set and remedy, and the same facts as attributes. No message contains a value of a record.",
        "",
        "| Class | Exit code | Also a | When |",
        "|---|---|---|---|",
    ]
    for name in errors.__all__:
        kind = getattr(errors, name)
        code = f"{kind.exit_code}" if hasattr(kind, "exit_code") else "a warning"
        bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if base is not Exception)
        lines.append(
            f"| [`{name}`](#{name.lower()}) | {code} | {bases} | {_first_sentence(inspect.getdoc(kind))} |"
        )
    lines += ["", "## Exit codes", "", "| Code | Means |", "|---|---|"]
    lines += [f"| {code} | {means} |" for code, means in EXITS.items()]
    lines += [
        "",
        "`privpac verify` exits with 0 also of a file that was made with a seed: it prints *NOT FOR RELEASE*, and with",
        "`--json` `for_release` is false.",
        "",
        "The sentence goes to stderr, results to stdout; with `--json` an error is one JSON object there.",
        "`PRIVPAC_TRACEBACK=1` prints the whole trace of a fault, which may quote records.",
    ]
    for name in errors.__all__:
        kind = getattr(errors, name)
        own = _carried(kind)
        lines += ["", f"## {name}", "", _prose(_without_doctest(inspect.getdoc(kind)))]
        if own:
            lines += ["", "Carries " + ", ".join(f"`{item}`" for item in own) + "."]
    return "\n".join([*lines, ""])


def _carried(kind: type) -> list[str]:
    """The attributes its constructors set."""
    attributes: list[str] = []
    for each in kind.__mro__:
        if each.__module__ == "privpac.errors":
            attributes += re.findall(r"self\.(\w+) = ", inspect.getsource(each))
            attributes += list(vars(each).get("__annotations__", {}))
    return list(dict.fromkeys(attributes))


def _without_doctest(text: str | None) -> str:
    return (text or "").split(">>>")[0].strip()


def _rules() -> str:
    from privpac.constructions.catalogue import rules

    proofs = (ROOT / "docs" / "proofs" / "README.md").read_text(encoding="utf-8")
    lines = [
        "# Rules",
        "",
        "The only functions that can make a `Proof`. Each applies one theorem, has a proof in our own words, and is",
        "written a second time, independently, in the checker (`privpac.checker.steps`).",
        "",
    ]
    families: dict[str, list[str]] = defaultdict(list)
    functions = rules()
    for name, function in functions.items():
        *_, folder, module = function.__module__.split(".")
        families[folder if module == "rules" else module].append(name)
    for family, names in families.items():
        lines += [f"## {family.replace('_', ' ').capitalize()}", ""]
        for name in names:
            lines += _rule(name, functions[name], proofs)
    return "\n".join(lines)


def _rule(name: str, function: Any, proofs: str) -> list[str]:
    row = next((line for line in proofs.splitlines() if line.startswith(f"| `{name}` |")), "")
    cells = [cell.strip() for cell in row.split("|")]
    keys = re.findall(r"`([^`]+)`", cells[2]) if len(cells) > 3 else []
    page = re.search(r"\(([\w-]+\.md)\)", cells[3]) if len(cells) > 3 else None
    links = [f"[`{key}`](../theorems.md#{key})" for key in keys]
    proof = f", proof: [{page[1].removesuffix('.md')}](../proofs/{page[1]})" if page else ""
    return [
        f"### {name}",
        "",
        f"Statement {', '.join(links)}{proof}.",
        "",
        _prose(inspect.getdoc(function)),
        "",
    ]
