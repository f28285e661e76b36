"""The HTTP interface of the service, from the description that the service gives of itself (OpenAPI)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["document", "page"]

Tree = Mapping[str, Any]
SCHEMA = {
    "label": "ill",
    "classes": ["no", "yes"],
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}],
}


def document() -> Tree:
    """What a service over a small bundle says at /openapi.json."""
    from privpac import PrivatePredictor
    from privpac.guarantee.ledger.promises import Promises
    from privpac.guarantee.ledger.sql_store import SqlStore
    from privpac.service.app import create_app
    from privpac.service.settings import Settings

    ages = list(range(20, 100))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bundle, url = Path(folder) / "bundle", f"sqlite:///{Path(folder) / 'ledger.db'}"
        predictor = PrivatePredictor(
            "predict-by-vote:thresholds:age", "0.2", 100, schema=SCHEMA, models=3, random_state=1
        )
        predictor.fit({"age": ages}, y=["yes" if age >= 60 else "no" for age in ages]).save(bundle)
        SqlStore.create(url, promises=Promises(Fraction(10)))
        found: Tree = create_app(Settings(str(bundle), url, pages=False)).openapi()
    return found


def page() -> str:
    """One section a path."""
    tree = document()
    lines = [
        "# HTTP",
        "",
        " ".join(tree["info"]["description"].split()),
        "",
        "Written from what a running service says at `/openapi.json`, here for a table with one column,",
        "`age`. How to run one: [the prediction service](../how-to/service.md).",
        "",
        "| Request | Does |",
        "|---|---|",
    ]
    requests = list(_requests(tree))
    lines += [f"| [`{name}`](#{_anchor(name)}) | {entry.get('summary', '')} |" for name, entry in requests]
    for name, entry in requests:
        lines += ["", *_section(name, entry, tree)]
    return "\n".join([*lines, ""])


def _requests(tree: Tree) -> Iterator[tuple[str, Tree]]:
    for path, methods in tree["paths"].items():
        for method, entry in methods.items():
            yield f"{method.upper()} {path}", entry


def _anchor(name: str) -> str:
    kept = "".join(sign for sign in name.lower() if sign.isalnum() or sign in " -_")
    return kept.replace(" ", "-")


def _section(name: str, entry: Tree, tree: Tree) -> list[str]:
    lines = [f"## {name}", "", " ".join(entry.get("description", entry.get("summary", "")).split()), ""]
    given = entry.get("parameters", [])
    if given:
        lines += ["| Parameter | In | |", "|---|---|---|"]
        lines += [
            f"| `{item['name']}` | {item['in']} | {_cell(item.get('description', ''))} |" for item in given
        ]
        lines.append("")
    body = entry.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        lines += ["Body:", "", *_fields(body, tree), ""]
    lines += ["| Status | |", "|---|---|"]
    for status, reply in entry.get("responses", {}).items():
        lines.append(f"| {status} | {_cell(reply.get('description', ''))} |")
    for status, reply in entry.get("responses", {}).items():
        shape = reply.get("content", {}).get("application/json", {}).get("schema")
        if status == "200" and shape and "$ref" in shape:
            lines += ["", "Reply:", "", *_fields(shape, tree)]
    return lines


def _fields(schema: Tree, tree: Tree) -> list[str]:
    found = _resolved(schema, tree)
    rows = ["| Field | Type | |", "|---|---|---|"]
    for name, field in found.get("properties", {}).items():
        inner = _resolved(field, tree)
        need = "" if name in found.get("required", ()) else "May be left out. "
        rows.append(f"| `{name}` | {_kind(field, tree)} | {need}{_cell(inner.get('description', ''))} |")
    return rows


def _resolved(schema: Tree, tree: Tree) -> Tree:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        found: Tree = tree["components"]["schemas"][name]
        return found
    return schema


def _kind(schema: Tree, tree: Tree) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(each, tree) for each in schema["anyOf"])
    inner = _resolved(schema, tree)
    if inner.get("type") == "array":
        return f"list of {_kind(inner.get('items', {}), tree)}"
    if inner.get("type") == "object" and inner.get("properties"):
        return "object with " + ", ".join(f"`{name}`" for name in inner["properties"])
    kind = inner.get("type", "any")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
