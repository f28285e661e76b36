"""JavaScript modules as one script that any browser runs, also from a file: there it loads neither modules nor data.

Every module becomes a function, whose names stay its own; what it exports is what the modules after it import. Nothing
is shortened: whoever reads the script finds the modules as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources.abc import Traversable

__all__ = ["joined"]

_IMPORT = re.compile(r'^import (\{[^}]*\}|\* as \w+) from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(package: Traversable, *entries: str) -> str:
    """The modules at these places in the package, after all that they import; `modules` holds what each exports."""
    order = dict(module for entry in entries for module in _needed(package, entry, ()))
    return "const modules = {};\n" + "".join(_wrapped(name, text) for name, text in order.items())


def _needed(package: Traversable, place: str, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The module, with its text, behind those it imports."""
    if place in above:
        raise ValueError(f"{place} imports itself")
    text = package.joinpath(*place.split("/")).read_text(encoding="utf-8")
    for _, source in _IMPORT.findall(text):
        yield from _needed(package, _beside(place, source), (*above, place))
    yield _name(place), text


def _beside(place: str, source: str) -> str:
    """Where `source` leads from a module, as seen from the package."""
    parts = place.split("/")[:-1]
    for step in source.split("/"):
        if step == "..":
            parts.pop()
        elif step != ".":
            parts.append(step)
    return "/".join(parts)


def _name(place: str) -> str:
    return place.rpartition("/")[2].removesuffix(".js")


def _wrapped(name: str, text: str) -> str:
    exported = _EXPORT.findall(text)
    body = _EXPORT.sub("", _IMPORT.sub(_taken, text))
    if left := _OTHER.search(body):
        raise ValueError(f"{name}.js: {left[0]!r} cannot be joined")
    return f"\n// --- {name}.js\nmodules.{name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _taken(found: re.Match[str]) -> str:
    names, module = found[1], f"modules.{_name(found[2])}"
    star = re.fullmatch(r"\* as (\w+)", names)
    return f"const {star[1] if star else names.replace(' as ', ': ')} = {module};\n"
