"""A statement about one release, for an annex to a data-protection assessment: paragraphs, two lists and a table.

It is written from the released file alone, and from what the caller established besides: who signed it, which charge
paid for it, and what the ledger says of everything together. Of a file made with seeded coins there is none: nothing
that such a statement says would be true of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any

from privpac.checker.document import MODEL, TABLE
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.constructions.estimates.confusion import Confusion
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.constructions.estimates.share import asks_for_interval
from privpac.constructions.estimates.verdict import Verdict, verdict_of
from privpac.data.schema import Schema
from privpac.errors import NotCertified
from privpac.guarantee.facts import fact_from_json
from privpac.guarantee.guesses import guessed_at_most
from privpac.report.meaning import (
    does_not_mean,
    means,
    records_of_one_person,
    shares_in_words,
    taken_for_granted,
)
from privpac.report.page import html_page
from privpac.report.summary import OF_USE

__all__ = ["Findings", "Statement", "statement_of"]

UNSIGNED = "None: nobody has signed it."
NO_LEDGER = "not looked at: what counts is the total over everything released from the same records"
ASSUMED = "Taken for granted; no file can show it, and privpac cannot check it"
LIMITS = "What it does not mean"
COMMAND = "`privpac verify`"
CHECKED = (
    f"Anybody can check with {COMMAND}, without the records, that this epsilon follows from the procedure that"
    " the file names. That this procedure was run, and on these records, no file can show: whoever signs the release"
    " says so."
)


NOT_REBUILT = "Not rebuilt by this version"


@dataclass(frozen=True)
class Findings:
    """What somebody established besides the file: every part may be missing."""

    signers: tuple[str, ...] = ()
    """Sentences about signatures that hold."""
    paid_by: str = ""
    """The charge that paid for it, as the ledger says it."""
    budget: tuple[tuple[str, str], ...] = ()
    """What the ledger says of everything together: rows of a name and a text."""
    sha256: str = ""
    """Of the bytes of the file, as other tools compute it."""
    date: str = ""
    not_rebuilt: str = ""
    """Why the version that writes this could not make the document anew; empty if it could."""


@dataclass(frozen=True)
class Statement:
    """What is said, ready to be shown in several forms."""

    title: str
    paragraphs: tuple[str, ...]
    lists: tuple[tuple[str, tuple[str, ...]], ...]
    """Each with its heading."""
    rows: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """As plain text, which is also Markdown."""
        table = ["| | |", "|---|---|", *(f"| {name} | {_cell(value)} |" for name, value in self.rows)]
        sections = [
            f"{heading}:\n\n" + "\n".join(f"* {item}" for item in items) for heading, items in self.lists
        ]
        return "\n\n".join([f"# {self.title}", *self.paragraphs, *sections, "\n".join(table)]) + "\n"

    def html(self) -> str:
        """As one page for printing, without a script or a request."""
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
            for name, value in self.rows
        )
        body = "".join(f"<p>{_with_code(paragraph)}</p>" for paragraph in self.paragraphs)
        for heading, items in self.lists:
            bullets = "".join(f"<li>{escape(item)}</li>" for item in items)
            body += f"\n<h2>{escape(heading)}</h2>\n<ul>{bullets}</ul>"
        page = f"<h1>{escape(self.title)}</h1>\n{body}\n<table>{rows}</table>"
        return html_page(self.title, page, sheet="statement.css")


@dataclass(frozen=True)
class _Document:
    """A stored model, table or bundle, as far as an annex speaks of it."""

    tree: Mapping[str, Any]

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The stored certificate."""
        certificate: Mapping[str, Any] = self.tree["certificate"]
        return certificate

    @cached_property
    def schema(self) -> Schema:
        """The stored schema, with the words that people wrote for people."""
        return Schema.from_stored(self.tree["schema"])

    @property
    def title(self) -> str:
        if self.tree["format"] == TABLE:
            return "Privacy of released synthetic records"
        about = "a released rule for" if self.tree["format"] == MODEL else "answers about"
        return f"Privacy of {about} {self._label}"

    @property
    def released(self) -> str:
        if self.tree["format"] == MODEL:
            names = hypothesis_from_json(self.tree["hypothesis"]).columns
            titles = [self._titles[name] for name in names]
            return f"a rule that predicts {self._label} from {_names(titles) or 'no column at all'}"
        columns = list(self._titles.values())
        if self.tree["format"] == TABLE:
            return f"synthetic records with {_names(columns)}"
        return (
            f"answers about {self._label} from {_names(columns)}, by a predictor that is not released itself"
        )

    @property
    def _titles(self) -> dict[str, str]:
        """What people call each column: its title, or else its name."""
        return {column.name: column.called for column in self.schema.columns}

    @property
    def records(self) -> int:
        """Of the table, those kept aside for an estimate included."""
        tree = self.certificate
        count: int = (tree["request"] or {}).get("labelled", tree["labelled"] + tree["unlabelled"])
        return count

    @property
    def use(self) -> tuple[tuple[str, str], ...]:
        """Whether the rule is of any use, as far as the file says: the row for whoever weighs need against risk.

        Of a table or of answers, what is promised of their errors."""
        if self.tree["format"] != MODEL:
            facts = [str(fact_from_json(proof["fact"])) for proof in self.certificate["accuracy"]]
            return (("What it promises", "; ".join(facts) or "no bound on errors"),)
        lines = [*self._verdict.lines, *self._interval]
        return ((OF_USE.rstrip("?"), " ".join(map(_visible, lines))),)

    @property
    def _estimate(self) -> Confusion | None:
        tree = self.tree["estimate"]
        return None if tree is None else Confusion.from_json(tree)

    @property
    def _interval(self) -> tuple[str, ...]:
        """Between what the accuracy lies, where somebody asked for it."""
        shown = self._estimate is not None and asks_for_interval(self.certificate["request"])
        return (f"Private estimate: {self._estimate}.",) if shown else ()

    @property
    def _verdict(self) -> Verdict:
        """The same as everywhere else."""
        leaves = self.tree["leaf_counts"]
        return verdict_of(
            hypothesis_from_json(self.tree["hypothesis"]),
            self.schema,
            certificate=self.certificate,
            estimate=self._estimate,
            leaf_counts=None if leaves is None else LeafCounts.from_json(leaves),
        )

    @property
    def _label(self) -> str:
        return _visible(self.schema.label_called)


def statement_of(document: Mapping[str, Any], findings: Findings | None = None) -> Statement:
    """The statement about a model file, a released table or the description of a bundle, as stored and verified.

    Raises `NotCertified` for one that was made with seeded coins.
    """
    subject, looks = _Document(document), findings or Findings()
    tree = subject.certificate
    if tree["coins"] != "system":
        raise NotCertified(
            "It was made with coins of a known seed: it must not be released and promises nothing, so there is no"
            " statement about it.",
            remedy="Make it anew without a seed, and delete this one.",
        )
    facts = means(tree)
    opening = (
        f"What was released is {subject.released}, made from {subject.records:,} records, together with the numbers"
        f" printed beside it. {facts[0]} {' '.join(facts[1:])}"
    )
    together = (
        "This speaks of one release. What counts for a person is the total over all releases from the same records: "
        + ("; ".join(f"{name.lower()}: {text}" for name, text in looks.budget) or "nobody looked at a ledger")
        + "."
    )
    lists = (
        (ASSUMED, tuple(taken_for_granted(tree, subject.schema))),
        (LIMITS, tuple(does_not_mean(tree))),
    )
    return Statement(subject.title, (opening, together, CHECKED), lists, _rows(subject, looks))


def _rows(document: _Document, findings: Findings) -> tuple[tuple[str, str], ...]:
    tree = document.certificate
    guess = guessed_at_most(Fraction(tree["epsilon"]), Fraction(tree["delta"]))
    people = records_of_one_person(tree)
    rate = shares_in_words(document.schema)
    return (
        ("Released", document.released),
        ("Epsilon, delta", f"{tree['epsilon']}, {tree['delta']}"),
        ("Chance of guessing right, instead of 50 %", f"at most {guess}, from this release alone"),
        (
            "What is protected",
            "the label of a record" if tree["privacy"]["fact"]["unit"] == "label" else "a whole record",
        ),
        ("Records per person", f"at most {people:,}: assumed, not checked"),
        *((("Base rate", f"{rate}: declared, and must be public knowledge"),) if rate else ()),
        ("Randomness", "of the operating system, as the file says of itself"),
        *document.use,
        *((("Verified", f"{NOT_REBUILT}. {findings.not_rebuilt}"),) if findings.not_rebuilt else ()),
        *((("Paid for by", findings.paid_by),) if findings.paid_by else ()),
        *(findings.budget or (("The total", NO_LEDGER),)),
        ("Signature", " ".join(findings.signers) or UNSIGNED),
        ("privpac digest", f"{document.tree['digest']} (of the content without signatures)"),
        *((("SHA-256 of the file", findings.sha256),) if findings.sha256 else ()),
        ("Made by", f"privpac {document.tree['version']}"),
        *((("Statement written", findings.date),) if findings.date else ()),
    )


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(_visible, columns))


def _visible(text: str) -> str:
    """A text from a file that anybody may have written: it must not look like a paragraph of ours."""
    return text if text.isprintable() else ascii(text)


def _with_code(paragraph: str) -> str:
    """A paragraph as HTML: the command that ours name is set as one."""
    return escape(paragraph).replace(COMMAND, f"<code>{COMMAND.strip('`')}</code>")


def _cell(value: str) -> str:
    """A value in a cell of Markdown: names come from a file that anybody may have written."""
    return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
