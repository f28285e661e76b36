"""What this package's own checker says of a vector."""

from __future__ import annotations

from privpac.checker.check import check_derivation, check_document
from privpac.checker.document import parsed_json, require_document
from privpac.errors import NotCertified

__all__ = ["UNREADABLE", "objection"]

UNREADABLE = "It cannot be read as JSON within the limits."


def objection(kind: str, text: str) -> str:
    """Why the file is refused; empty if it is accepted."""
    try:
        tree = parsed_json(text.encode("utf-8", "surrogatepass"))
        if kind == "derivation":
            check_derivation(tree)  # type: ignore[arg-type]  # whatever it is, it is looked at
        else:
            document = require_document(tree)
            check_document(document)
    except NotCertified as problem:
        return str(problem)
    except (ValueError, RecursionError):
        return UNREADABLE
    return ""
