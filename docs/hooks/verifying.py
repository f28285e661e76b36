"""The Verify page as part of the site, if what it runs on is in .cache/ (`make browser-python`); else a note."""

from __future__ import annotations

from pathlib import Path

__all__ = ["files"]

CACHE = Path(__file__).resolve().parents[2] / ".cache"
WITHOUT = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Check a certificate</title></head>
<body><main><h1>Check a certificate</h1>
<p>This copy of the documentation was built without the page that checks certificates in a browser.
<code>privpac verify-page OUT --download</code> writes it.</p>
<p><a href="../how-to/check-in-a-browser.html">How to check a certificate in a browser</a></p></main></body>
</html>
"""


def files() -> dict[str, bytes]:
    """The files of the page by name."""
    from privpac.service.pages.verify.folder import contents
    from privpac.service.pages.verify.runtime import kept_files

    runtime = kept_files(CACHE)
    return {"index.html": WITHOUT.encode()} if runtime is None else contents(runtime)
