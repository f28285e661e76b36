"""Rows of tables in pages that follow from the catalogue: `python -m docs.listed` adds those that are missing.

A word is described by its meaning; a rule by its proof page and by the docstring of its check: the condition, and after
`Where:` its parameters. What stands on a page stays as somebody wrote it; a test tells when a row is missing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from privpac.checker.steps import RULES
from privpac.constructions import catalogue

__all__ = ["main", "pages"]

DOCS = Path(__file__).parent
STEPS, AFTER_STEPS = "### Steps", "### Versions of formats"


def pages() -> Mapping[Path, str]:
    """The pages with all their rows."""
    writers = {"reference/words.md": _words, "reference/formats.md": _formats, "proofs/README.md": _proofs}
    return {DOCS / name: write((DOCS / name).read_text(encoding="utf-8")) for name, write in writers.items()}


def _below(text: str, head: str, rows: Iterable[str]) -> str:
    """The text with further rows in the table that has this head."""
    end = text.index("\n\n", text.index(head) + len(head))
    return "".join([text[:end], *(f"\n{row}" for row in rows), text[end:]])


def _words(text: str) -> str:
    words = [word for word in catalogue.words().values() if f"| `{word.form}` |" not in text]
    for head, transforms in (("| Word | What is chosen from |", False), ("| Word | What is learnt |", True)):
        rows = [f"| `{word.form}` | {word.meaning} |" for word in words if word.transforms is transforms]
        text = _below(text, head, rows)
    return text


def _formats(text: str) -> str:
    head, steps = "| Rule | `where` |", text.index(STEPS)
    parameters = [rule for rule in RULES if not _has_row(text[:steps], rule)]
    conditions = [rule for rule in RULES if not _has_row(text[steps:], rule)]
    text = _below(text, head, (f"| `{rule}` | {_check_says(rule)[1]} |" for rule in parameters))
    families: dict[str, list[str]] = {}
    for rule in conditions:
        families.setdefault(RULES[rule].__module__.rpartition(".")[2], []).append(rule)
    for family, rules in families.items():
        heading = f"#### {family.replace('_', ' ').capitalize()}"
        if heading not in text:
            table = f"{heading}\n\n| Rule | Condition |\n|---|---|\n\n"
            text = text.replace(AFTER_STEPS, f"{table}{AFTER_STEPS}")
        text = _below(
            text, f"{heading}\n\n| Rule", (f"| `{rule}` | {_check_says(rule)[0]} |" for rule in rules)
        )
    return text


def _has_row(text: str, rule: str) -> bool:
    return re.search(rf"^\|[^|]*`{re.escape(rule)}`[^|]*\|", text, re.MULTILINE) is not None


def _check_says(rule: str) -> tuple[str, str]:
    """The condition of a rule, and its parameters, as the docstring of its check has them."""
    condition, _, where = " ".join((inspect.getdoc(RULES[rule]) or "").split()).partition(" Where: ")
    return condition.removesuffix("."), where.removesuffix(".")


def _proofs(text: str) -> str:
    functions = {name: rule for name, rule in catalogue.rules().items() if f"\n| `{name}` |" not in text}
    return _below(text, "| Function | Key in certificates |", map(_proof, functions, functions.values()))


def _proof(name: str, rule: Callable[..., object]) -> str:
    """The line of a rule that is named after its statement: with its page, and what is audited in its family."""
    key = name.replace("_", "-")
    page = Path(catalogue.statement(key).proof or "").stem
    family = rule.__module__.rpartition(".")[0]
    rows = [f"`{row}`" for row, case in catalogue.cases().items() if case.__module__.startswith(f"{family}.")]
    return f"| `{name}` | `{key}` | [{page}]({page}.md) | {', '.join(rows)} | |"


def main() -> None:
    """Write them."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
