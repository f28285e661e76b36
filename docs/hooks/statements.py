"""A line that is nothing but a link to a statement of the register becomes the statement itself.

In the file it stays a link, so a page reads well without the site, and no fact of the register is copied into a page.
"""

from __future__ import annotations

import re
from typing import Any

from privpac.cli.theorems import STATUSES, lines_of
from privpac.constructions.catalogue import statement

__all__ = ["on_page_markdown", "shown"]

LINE = re.compile(r"^\[([a-z0-9-]+)\]\(((?:\.\./)*theorems\.md#\1)\)$", re.MULTILINE)
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
"""What a page shows as it is typed: there a link stays one."""
KINDS = {"false": "failure", "shape": "info", "repaired": "tip"}
"""The look of a box by status; others are plain."""


def shown(key: str, address: str) -> str:
    """The statement as a box: what it says and what is wrong in print, then, folded, conditions, constants, source."""
    entry = statement(key)
    facts = [f"* **{heading}:** {text}" for heading, text in lines_of(entry) if heading != "Erratum"]
    folded = ['??? note "Source, conditions, constants"', "", *(f"    {line}" for line in facts)]
    folded += [f"    * `{key}` in the [register]({address})"]
    erratum = [f"**Erratum.** {entry.erratum}", ""] if entry.erratum else []
    body = "\n".join(f"    {line}" if line else "" for line in [entry.says, "", *erratum, *folded])
    meaning = STATUSES[entry.status]
    return (
        f'!!! {KINDS.get(entry.status, "abstract")} "{entry.title} ({entry.status}: {meaning})"\n\n{body}\n'
    )


def on_page_markdown(markdown: str, **_: Any) -> str:
    parts = CODE.split(markdown)
    parts[::2] = [LINE.sub(lambda link: shown(link[1], link[2]), text) for text in parts[::2]]
    return "".join(parts)
