"""The frozen lists, and how a file is made of each entry.

What must be accepted is every document with a certificate in `tests/golden`, and every line of `accepted.jsonl`.
`edits.jsonl` holds an edit of one of these per line: what it is made of, the operation, where, the new value, what must
come of it, and why. `tight.jsonl` holds derivations at the edges of rules, with what their makers say of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privpac.checker.document import KINDS, digest
from tests.golden.corpus import stored

__all__ = [
    "ACCEPTED",
    "EDITS",
    "HERE",
    "TIGHT",
    "Edit",
    "Vector",
    "accepted",
    "edited",
    "edits_and_accepted",
    "tight",
    "vectors",
    "written",
]

HERE = Path(__file__).parent
ACCEPTED = HERE / "accepted.jsonl"
EDITS = HERE / "edits.jsonl"
TIGHT = HERE / "tight.jsonl"


@dataclass(frozen=True)
class Vector:
    """A file, and what a checker must say of it."""

    name: str
    kind: str
    """`document`: a model file, table, bundle.json or certificate. `derivation`: a step with its premises, alone."""
    expected: str
    """`accepted`; `refused`; or `unseen`: no condition notices the edit, so that it is accepted too."""
    reason: str
    text: str


@dataclass(frozen=True)
class Edit:
    """A change of an accepted file."""

    base: str
    operation: str
    """`replace`, `add` or `remove` at the end of a path of keys; `raw`: `replace` without a new digest; `text`: so many
    characters of the file from a place on become others; `whole`: another file altogether."""
    place: Any
    value: Any
    expected: str
    reason: str

    def line(self) -> str:
        """As it is frozen."""
        row = [self.base, self.operation, self.place, self.value, self.expected, self.reason]
        return json.dumps(row, ensure_ascii=True)


def written(tree: Any) -> str:
    """A document as a file of ours has it."""
    return json.dumps(tree, ensure_ascii=True, separators=(",", ":"))


def accepted() -> Iterator[Vector]:
    """The files that must be accepted."""
    for name, unit in stored().items():
        path = unit / "bundle.json" if (unit / "bundle.json").exists() else unit
        text = path.read_text(encoding="utf-8") if path.suffix == ".json" else "{}"
        if json.loads(text).get("format") in KINDS:
            yield Vector(name.replace("/", "-").removesuffix(".json"), "document", "accepted", "", text)
    for line in ACCEPTED.read_text(encoding="ascii").splitlines():
        row = json.loads(line)
        yield Vector(row["name"], row["kind"], "accepted", "", written(row["tree"]))


def _spot(tree: Any, path: list[Any]) -> tuple[Any, Any]:
    """The object or list that holds what a path leads to, and its key there."""
    *above, last = path
    for key in above:
        tree = tree[key]
    return tree, last


def edited(text: str, edit: Edit) -> str:
    """The file that an edit makes of another one."""
    if edit.operation == "whole":
        return str(edit.value)
    if edit.operation == "text":
        start, count = edit.place
        return text[:start] + str(edit.value) + text[start + count :]
    tree = json.loads(text)
    holder, key = _spot(tree, edit.place)
    if edit.operation == "remove":
        del holder[key]
    elif isinstance(holder, list) and edit.operation == "add":
        holder.insert(key, edit.value)
    else:
        holder[key] = edit.value
    if edit.operation != "raw" and "digest" in tree:
        tree["digest"] = digest(tree)
    return written(tree)


def tight() -> Iterator[Vector]:
    """Derivations at the edges of rules."""
    for line in TIGHT.read_text(encoding="ascii").splitlines():
        row = json.loads(line)
        reason = "" if row["expected"] == "accepted" else row["reason"]
        yield Vector(f"tight-{row['name']}", "derivation", row["expected"], reason, written(row["tree"]))


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield from edits_and_accepted()
    yield from tight()


def edits_and_accepted() -> Iterator[Vector]:
    """Those that are not at the edges."""
    bases = {vector.name: vector for vector in accepted()}
    yield from bases.values()
    for number, line in enumerate(EDITS.read_text(encoding="ascii").splitlines()):
        edit = Edit(*json.loads(line))
        base = bases[edit.base]
        yield Vector(
            f"{number:05d}-{edit.base}", base.kind, edit.expected, edit.reason, edited(base.text, edit)
        )
