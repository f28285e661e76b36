"""A statement about one release, for an annex to a data-protection assessment: two paragraphs and a table.

It is written from the model file alone, and from what the caller established besides: who signed it, and what the
ledger has left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from privpac.report.meaning import does_not_mean, means
from privpac.report.subject import Subject

__all__ = ["Statement", "statement_of"]

UNSIGNED = "nobody"
NO_LEDGER = "not looked at"


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


def statement_of(
    model: Subject, *, digest: str | None = None, signers: Sequence[str] = (), left: str | None = None
) -> Statement:
    """The statement about a released model. `digest` is that of its file, `signers` are sentences about signatures that
    hold, `left` is what the ledger that was charged still has."""
    tree = model.certificate
    request = tree["request"] or {}
    records = request.get("labelled", tree["labelled"])
    what = f"a rule that predicts {model.schema.label} from {_columns(model)}"
    released = (
        f"What was released is {what}, learnt from {records:,} records, together with the numbers printed beside it."
        f" {means(model)[0]} {means(model)[1]}"
    )
    assumed = [f"it is taken for granted that {text}" for text in tree["assumptions"]]
    limits = "; ".join(assumed) or "nothing is taken for granted beyond the declared schema being public"
    promise = (
        f"{means(model)[2]} As to assumptions, {limits}. {does_not_mean(model)[2]} {does_not_mean(model)[1]} The"
        " derivation is stored with the release, and anybody can derive it again with `privpac verify`, without the"
        " records and without trusting whoever made it."
    )
    rows = (
        ("Released", what),
        ("Epsilon, delta", f"{tree['epsilon']}, {tree['delta']}"),
        ("What is protected", "the label of a record" if _hides_labels(model) else "a whole record"),
        ("Records per person", str(request.get("records_per_person", 1))),
        ("Coins", "of the operating system" if tree["coins"] == "system" else "SEEDED: not for release"),
        ("Left in the budget", NO_LEDGER if left is None else left),
        ("Signed by", "; ".join(signers) or UNSIGNED),
        ("Digest of the file", str(model.to_json()["digest"]) if digest is None else digest),
        ("Made by", f"privpac {model.version}"),
    )
    return Statement(f"Privacy of a released rule for {model.schema.label}", (released, promise), rows)


def _columns(model: Subject) -> str:
    names = model.hypothesis.columns
    return ", ".join(names) if names else "no column at all"


def _hides_labels(model: Subject) -> bool:
    return bool(model.certificate["privacy"]["fact"]["unit"] == "label")


def _cell(value: str) -> str:
    """A value in a cell of Markdown: names come from a file that anybody may have written."""
    return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
