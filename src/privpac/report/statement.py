"""A statement about one release, for an annex to a data-protection assessment: two paragraphs and a table.

It is written from the released file alone, and from what the caller established besides: who signed it, and what the
ledger has left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from privpac.checker.document import MODEL, TABLE
from privpac.concepts.hypotheses import hypothesis_from_json
from privpac.report.meaning import does_not_mean, means, records_of_one_person

__all__ = ["Statement", "statement_of"]

UNSIGNED = "nobody"
NO_LEDGER = "not looked at"
NOTHING = "nothing is taken for granted beyond the declared schema being public"


@dataclass(frozen=True)
class Statement:
    """What is said, ready to be shown in several forms."""

    title: str
    paragraphs: tuple[str, str]
    rows: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """As plain text, which is also Markdown."""
        table = ["| | |", "|---|---|", *(f"| {name} | {_cell(value)} |" for name, value in self.rows)]
        return "\n\n".join([f"# {self.title}", *self.paragraphs, "\n".join(table)]) + "\n"

    def html(self) -> str:
        """As one page that prints on one sheet, without a script or a request."""
        style = files("privpac.report").joinpath("statement.css").read_text(encoding="utf-8")
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
            for name, value in self.rows
        )
        body = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in self.paragraphs)
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<title>{escape(self.title)} · privpac</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{escape(self.title)}</h1>\n{body}\n<table>{rows}</table>\n</main>\n</body>\n</html>\n"
        )


@dataclass(frozen=True)
class _Document:
    """A stored model, table or bundle, as far as an annex speaks of it."""

    tree: Mapping[str, Any]

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The stored certificate."""
        certificate: Mapping[str, Any] = self.tree["certificate"]
        return certificate

    @property
    def title(self) -> str:
        if self.tree["format"] == TABLE:
            return "Privacy of released synthetic records"
        about = "a released rule for" if self.tree["format"] == MODEL else "answers about"
        return f"Privacy of {about} {self._label}"

    @property
    def released(self) -> str:
        if self.tree["format"] == MODEL:
            used = hypothesis_from_json(self.tree["hypothesis"]).columns
            return f"a rule that predicts {self._label} from {_listed(used) or 'no column at all'}"
        columns = [column["name"] for column in self.tree["schema"]["columns"]]
        if self.tree["format"] == TABLE:
            return f"synthetic records with {_listed(columns)}"
        return (
            f"answers about {self._label} from {_listed(columns)}, by a predictor that is not released itself"
        )

    @property
    def _label(self) -> str:
        return _visible(self.tree["schema"]["label"])


def statement_of(
    document: Mapping[str, Any], *, signers: Sequence[str] = (), left: str | None = None
) -> Statement:
    """The statement about a model file, a released table or the description of a bundle, as stored and verified.

    `signers` are sentences about signatures that hold, `left` is what the ledger that was charged still has.
    """
    made = _Document(document)
    tree = made.certificate
    records = (tree["request"] or {}).get("labelled", tree["labelled"] + tree["unlabelled"])
    facts, limits = means(made), does_not_mean(made)
    released = (
        f"What was released is {made.released}, made from {records:,} records, together with the numbers printed"
        f" beside it. {facts[0]} {facts[1]}"
    )
    assumed = "; ".join(f"it is taken for granted that {_visible(text)}" for text in tree["assumptions"])
    promise = (
        f"{facts[2]} As to assumptions, {assumed or NOTHING}. {limits[2]} {limits[1]} The derivation is stored with the"
        " release, and anybody can derive it again with `privpac verify`, without the records and without trusting"
        " whoever made it."
    )
    rows = (
        ("Released", made.released),
        ("Epsilon, delta", f"{tree['epsilon']}, {tree['delta']}"),
        (
            "What is protected",
            "the label of a record" if tree["privacy"]["fact"]["unit"] == "label" else "a whole record",
        ),
        ("Records per person", f"{records_of_one_person(tree):,}"),
        ("Coins", "of the operating system" if tree["coins"] == "system" else "SEEDED: not for release"),
        ("Left in the budget", NO_LEDGER if left is None else left),
        ("Signed by", "; ".join(signers) or UNSIGNED),
        ("Digest of the file", str(document["digest"])),
        ("Made by", f"privpac {document['version']}"),
    )
    return Statement(made.title, (released, promise), rows)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(_visible, columns))


def _visible(text: str) -> str:
    """A text from a file that anybody may have written: it must not look like a paragraph of ours."""
    return text if text.isprintable() else ascii(text)


def _cell(value: str) -> str:
    """A value in a cell of Markdown: names come from a file that anybody may have written."""
    return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
