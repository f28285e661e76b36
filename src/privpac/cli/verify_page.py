"""`privpac verify-page`: a folder with a page that checks certificates in a browser, for people who install nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import Force, argument, flag, option
from privpac.errors import ParameterError, PrivpacError

__all__ = ["verify_page"]

OWNER = "verify-page"


def verify_page(
    out: Annotated[str, argument("OUT", "The folder to write; it is made if need be.")],
    *,
    pyodide: Annotated[
        str | None,
        option("PLACE", "The Python that runs in a browser: pyodide of npm, as archive or as folder."),
    ] = None,
    download: Annotated[bool, flag("--download", "Have npm fetch that once, and keep it.")] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a page that verifies certificates in a browser.

    Whoever uses it installs nothing. The folder works from any static web server, also without a network: the
    page asks for nothing from elsewhere, and what is dropped on it does not leave the browser. It runs on
    Pyodide, of which a copy is kept on this machine once you have named or downloaded one.
    """
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ParameterError(OWNER, "OUT", out, allowed="a folder")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise ParameterError(
            OWNER,
            "OUT",
            out,
            allowed="a new or empty folder",
            remedy="Choose another one, or overwrite the page in it with --force.",
        )
    with console.working("Writing the page", as_json=as_json):
        from privpac.cli import cache
        from privpac.service.pages.verify import runtime
        from privpac.service.pages.verify.folder import write_page

        if download and pyodide is None and runtime.kept_files(cache.folder()) is None:
            runtime.download(cache.folder())
        files = runtime.read_runtime(None if pyodide is None else Path(pyodide), cache.folder())
        try:
            names = write_page(folder, files)
        except OSError as problem:
            raise PrivpacError(f"{out!r} cannot be written: {problem.strerror}.") from None
    text = (
        f"Wrote {len(names)} files to {out}. Put them on any web server, or try them here:\n"
        f"python -m http.server --bind 127.0.0.1 --directory {out}"
    )
    console.show_result({"folder": out, "files": names}, text, as_json=as_json)
