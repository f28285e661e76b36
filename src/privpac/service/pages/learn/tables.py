"""A table that was brought: where it lies, and what may be known of it before anything is paid for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privpac.data.drafting import draft
from privpac.data.schema import Schema
from privpac.data.tables import read
from privpac.errors import DataError, SizeError
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.learn.schema_form import SchemaForm
from privpac.service.pages.learn.uploads import UploadLimits, count_upload

__all__ = ["ENDINGS", "Table", "ending", "open_table"]

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


@dataclass(frozen=True)
class Table:
    """A table in a drawer, or one on the server's own machine that a drawer remembers."""

    drawer: Drawer

    @property
    def _facts(self) -> dict[str, Any]:
        facts = self.drawer.state
        # An upload is removed once something was made of it; its drawer still tells whoever waits how that went.
        if "table" not in facts or (facts["uploaded"] and not Path(facts["table"]).exists()):
            raise DataError("The table is not here any more.", remedy="Bring it again.")
        return facts

    @property
    def path(self) -> Path:
        """The file that holds the table."""
        return Path(self._facts["table"])

    @property
    def shown(self) -> str:
        """The name of the table as pages show it."""
        return str(self._facts["shown"])

    @property
    def uploaded(self) -> bool:
        """Whether it lies in the drawer, because a visitor uploaded it or tries the sample."""
        return bool(self._facts["uploaded"])

    @property
    def invented(self) -> bool:
        """Whether it is the sample, whose records belong to nobody."""
        return bool(self._facts.get("invented"))

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self._facts["records"])

    @property
    def draft(self) -> list[dict[str, Any]]:
        """The drafted columns, before a person looked at them."""
        return list(self._facts["draft"])

    def fill(self, schema: Schema) -> None:
        """Fill the form in with what a schema says."""
        self.drawer.note(filled=schema.to_json())

    def form(self) -> SchemaForm:
        """The form of the schema, as far as it was filled in."""
        entries = self._facts.get("filled")
        return SchemaForm.drafted(self.draft, None if entries is None else Schema.from_json(entries))


def ending(name: str) -> str:
    """All that is taken from the name of an upload: one of the known endings."""
    ending_of_name = next(
        (end for end in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(end)), None
    )
    if ending_of_name is None:
        raise DataError("This kind of file is not known.", remedy=f"Bring one of {', '.join(ENDINGS)}.")
    return ending_of_name


def open_table(
    drawer: Drawer, path: Path, *, shown: str, uploaded: bool, schema: Schema | None, limits: UploadLimits
) -> Table:
    """Look at names and types of the columns and the number of records; at no value."""
    records = count_upload(path, limits) if uploaded else read(path).n
    draft_tree = draft(path)
    if len(draft_tree["columns"]) > limits.columns:
        raise DataError(f"The table has more than {limits.columns:,} columns.", remedy="Use privpac learn.")
    if records == 0:
        raise SizeError("The table has no records.", remedy="Give at least one record.")
    drawer.note(
        table=str(path),
        shown=shown,
        uploaded=uploaded,
        records=records,
        draft=draft_tree["columns"],
        filled=None if schema is None else schema.to_json(),
    )
    return Table(drawer)
