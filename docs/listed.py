"""What follows from a new learner, word or rule: `python -m docs.listed` writes it into pages, golden documents, stored
numbers and test vectors. What is stored stays; review the difference like code.

Rows of tables are added where they are missing. A word is described by its meaning, a rule by its proof page or by why
it is on paper. What stands on a page stays as somebody wrote it; a test tells when a row is missing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path

from privpac.constructions import catalogue
from privpac.theory.machine import machine_checked
from privpac.theory.statements import statement

__all__ = ["main", "pages"]

DOCS = Path(__file__).parent


def pages() -> Mapping[Path, str]:
    """The pages with all their rows."""
    writers = {
        "reference/words.md": _words,
        "proofs/README.md": _proofs,
        "proofs/machine-checked.md": _on_paper,
    }
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


def _proofs(text: str) -> str:
    functions = {name: rule for name, rule in catalogue.rules().items() if f"\n| `{name}` |" not in text}
    return _below(text, "| Function | Key in certificates |", map(_proof, functions, functions.values()))


def _proof(name: str, rule: Callable[..., object]) -> str:
    """The line of a rule that is named after its statement: with its page, and what is audited in its family."""
    key = name.replace("_", "-")
    page = Path(statement(key).proof or "").stem
    family = rule.__module__.rpartition(".")[0]
    rows = [f"`{row}`" for row, case in catalogue.cases().items() if case.__module__.startswith(f"{family}.")]
    return f"| `{name}` | `{key}` | [{page}]({page}.md) | {', '.join(rows)} | |"


def _on_paper(text: str) -> str:
    """A row of the table may name several rules by the beginning of their names."""
    head = "| Rules | Reason |"
    table = text[text.index(head) :].partition("\n\n")[0]
    listed = re.findall(r"`([a-z*-]+)`", table)
    paper = {rule: reason for rule, (status, reason) in machine_checked().items() if status == "paper"}
    missing = [rule for rule in paper if not any(fnmatch(rule, name) for name in listed)]
    return _below(text, head, [f"| `{rule}` | {paper[rule]} |" for rule in missing])


def main() -> None:
    """Write all of it, each in a process that reads what was written before."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    for command in (
        (str(DOCS / "hooks" / "layout.py"),),
        ("-m", "privpac", "theorems", "--page", str(DOCS / "theorems.md")),
        ("-m", "tests.golden", "--new"),
        ("-m", "tests.claims", "--new"),
        ("-m", "tests.vectors"),
    ):
        subprocess.run([sys.executable, *command], cwd=DOCS.parent, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
