"""A statement of a theory page becomes a box; so does, on any page, a line that is nothing but a link to a statement.

In the files a statement stands once, on its theory page, in the form that `privpac.theory.statements` reads, and is a
link everywhere else: both read well without the site.
"""

from __future__ import annotations

import re
from typing import Any

from privpac.cli.theorems import STATUSES, lines_of
from privpac.theory.statements import BLOCK, statement

__all__ = ["on_page_markdown", "shown"]

LINE = re.compile(r"^\[([a-z0-9-]+)\]\(((?:(?:\.\./)*theory/)?[a-z-]+\.md#\1)\)$", re.MULTILINE)
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
"""What a page shows as it is typed: there a link stays one."""
KINDS = {"false": "failure", "shape": "info", "repaired": "tip"}
"""The look of a box by status; others are plain."""


def shown(key: str, address: str) -> str:
    """The statement as a box: what it says and what is wrong in print, then, folded, conditions, constants, source."""
    entry = statement(key)
    facts = [f"* **{heading}:** {text}" for heading, text in lines_of(entry) if heading != "Erratum"]
    folded = ['??? note "Source, conditions, constants"', "", *(f"    {line}" for line in facts)]
    folded += [f"    * [`{key}`]({address})"]
    erratum = [f"**Erratum.** {entry.erratum}", ""] if entry.erratum else []
    body = "\n".join(f"    {line}" if line else "" for line in [entry.says, "", *erratum, *folded])
    meaning = STATUSES[entry.status]
    return (
        f'!!! {KINDS.get(entry.status, "abstract")} "{entry.title} ({entry.status}: {meaning})"\n\n{body}\n'
    )


def _in_place(block: re.Match[str]) -> str:
    """The box under the heading that links lead to."""
    key = block[1]
    return f"### `{key}`\n\n{shown(key, f'#{key}')}"


def on_page_markdown(markdown: str, **_: Any) -> str:
    parts = CODE.split(markdown)
    parts[::2] = [
        LINE.sub(lambda link: shown(link[1], link[2]), BLOCK.sub(_in_place, text)) for text in parts[::2]
    ]
    return "".join(parts)
