"""A schema that somebody has already: a file, or its text pasted into a form."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile

from privpac.data.schema import Schema
from privpac.errors import SchemaError

__all__ = ["schema_sent"]

MOST_SCHEMA = 4 << 20
SCHEMA_REMEDY = "Write a draft with: privpac schema DATA"


def schema_sent(form: FormData) -> Schema | None:
    """The schema in a form, as a file or pasted as text; None if there is neither."""
    upload, text = form.get("schema"), str(form.get("pasted", "")).strip()
    if text:
        return _schema_text(text.encode())
    if not isinstance(upload, UploadFile) or not upload.filename:
        return None
    return _schema_text(upload.file.read(MOST_SCHEMA + 1))


def _schema_text(text: bytes) -> Schema:
    if len(text) > MOST_SCHEMA:
        raise SchemaError("The schema file is too long.", remedy="A schema has a line per column.")
    try:
        words = text.decode("utf-8")
    except UnicodeDecodeError:
        raise SchemaError("The schema file is not UTF-8 text.", remedy=SCHEMA_REMEDY) from None
    if not words.lstrip().startswith("{"):
        raise SchemaError("The schema file is not a JSON object.", remedy='It starts with {"label": ...')
    return Schema.from_json(words)
