"""Writes the Verify page as one static folder: a page, and a script that holds the checker with its rule book.

What is served is what stands here: the modules of the checker and the book go into the script as they are.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from privpac import __version__
from privpac.checker.book import book
from privpac.service.pages.verify.joined import joined
from privpac.service.pages.verify.policy import POLICY
from privpac.theory.statements import REGISTER

__all__ = ["contents", "write_page"]

SHARED_FILES = ("site.css", "pieces.css", "mark.svg", "theme.js")
"""Of the other pages: one design for all."""

STATIC = "service/pages/verify/static"


def write_page(folder: Path) -> list[str]:
    """Write the page into a folder, which is made if need be; returns the names of the files, in order."""
    made = contents()
    folder.mkdir(parents=True, exist_ok=True)
    for name, raw in made.items():
        (folder / name).write_bytes(raw)
    return sorted(made)


def contents() -> dict[str, bytes]:
    """Every file of the folder by its name: page, design, script and rule book."""
    package = files("privpac")
    static, shared = package.joinpath(*STATIC.split("/")), package / "service" / "pages" / "static"
    page = (static / "index.html").read_text(encoding="utf-8")
    return {
        "index.html": page.replace("{{ version }}", __version__).replace("{{ policy }}", POLICY).encode(),
        "page.css": (static / "page.css").read_bytes(),
        **{name: (shared / name).read_bytes() for name in SHARED_FILES},
        "verify.js": script().encode(),
        "rules.txt": (package / "checker" / "rules.txt").read_bytes(),
        "NOTICE.txt": NOTICE.encode(),
    }


def script() -> str:
    """One script for both: the page, and the checker, whose text becomes the worker that it runs in."""
    package = files("privpac")
    rules = (package / "checker" / "rules.txt").read_text(encoding="utf-8")
    return (
        f"// The Verify page of privpac {__version__}, with the checker and the rule book that it checks by.\n"
        '"use strict";\n(() => {\n'
        'const checking = () => {\n"use strict";\n'
        f"{joined(package, f'{STATIC}/worker.js')}\n"
        f"modules.worker.serve({json.dumps(rules)}, {json.dumps(_titles())});\n}};\n\n"
        f"{joined(package, f'{STATIC}/page.js')}\n"
        "modules.page.start(`(${checking})();`);\n})();\n"
    )


def _titles() -> dict[str, tuple[str, str]]:
    """Title and source of the theorem behind every rule that a certificate may name."""
    statements = {rule: REGISTER[rule] for rule in sorted(book().rules) if rule in REGISTER}
    return {rule: (statement.title, statement.source) for rule, statement in statements.items()}


NOTICE = f"""\
This folder holds a page that checks certificates of privpac {__version__} in a browser. Open index.html, from this
folder or from any static web server. It needs no network, and nothing that is dropped on it leaves the browser.

rules.txt is the rule book that it checks by, as it stands in the script verify.js.

privpac: Apache-2.0.
"""
"""What lies beside the page for whoever opens the folder."""
