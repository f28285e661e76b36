"""Every statement that the guarantees rest on, read from the theory pages, which are the one place where it is written.

A page holds a statement under its key, as a person reads it:

    ### `key`

    **Title** (status). What it says.

    * Source: paper and number
    * Holds if: a condition
    * Constant: name = value
    * Erratum: what is wrong in print
    * Proof: [page](../proofs/page.md)

The pages are shipped with the package; in the source tree they lie in docs/theory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from privpac.errors import ParameterError

__all__ = ["BLOCK", "PAPERS", "REGISTER", "Statement", "Status", "cited", "found", "pages", "statement"]

Status = Literal["printed", "derived", "repaired", "shape", "false"]
"""printed: as in the source. derived: our proof, often with a better constant. repaired: the printed form is
wrong or incomplete and ours is not. shape: only an order of growth, never a number in a certificate.
false: refuted by a counterexample that a test shows; nothing relies on it."""

PAPERS: Mapping[str, str] = {
    "000": "Chaudhuri–Hsu 2011",
    "001": "Beimel–Nissim–Stemmer 2015",
    "002": "Dagan–Feldman 2020",
    "003": "Beimel–Brenner–Kasiviswanathan–Nissim 2013",
    "004": "Li–Wang–Ye 2025",
}
"""The five papers that this library makes runnable, by number."""

BLOCK = re.compile(
    r"^### `([a-z0-9-]+)`\n\n\*\*([^*]+)\*\* \((\w+)\)\. ((?:.+\n)+)\n((?:\* .+\n(?:  .+\n)*)+)", re.MULTILINE
)
FACT = re.compile(r"^\* ([A-Z][a-z ]+): (.+(?:\n  .+)*)", re.MULTILINE)
PAGE = re.compile(r"\]\(\.\./(proofs/[a-z0-9-]+\.md)\)")


@dataclass(frozen=True)
class Statement:
    """One theorem, lemma or inequality in our own words, with its conditions and constants."""

    key: str
    title: str
    source: str
    status: Status
    says: str
    conditions: tuple[str, ...]
    constants: Mapping[str, str]
    erratum: str | None
    proof: str | None
    page: str
    """The theory page that it stands on."""

    def __hash__(self) -> int:
        return hash(self.key)


def pages() -> Iterator[Traversable]:
    """The theory pages: those of the package, or in the source tree those of the documentation."""
    shipped = files("privpac.theory").joinpath("pages")
    folder = shipped if shipped.is_dir() else Path(__file__).resolve().parents[3] / "docs" / "theory"
    yield from sorted(
        (page for page in folder.iterdir() if page.name.endswith(".md")), key=lambda page: page.name
    )


def _on(page: Traversable) -> Iterator[Statement]:
    for key, title, status, says, facts in BLOCK.findall(page.read_text(encoding="utf-8")):
        told: dict[str, list[str]] = {}
        for heading, text in FACT.findall(facts):
            told.setdefault(heading, []).append(" ".join(text.split()))
        proof = PAGE.search(facts)
        yield Statement(
            key,
            " ".join(title.split()),
            " ".join(told["Source"]),
            cast(Status, status),
            " ".join(says.split()),
            tuple(told.get("Holds if", ())),
            MappingProxyType(dict(_constant(text) for text in told.get("Constant", ()))),
            " ".join(told["Erratum"]) if "Erratum" in told else None,
            None if proof is None else f"docs/{proof[1]}",
            page.name,
        )


def _constant(text: str) -> tuple[str, str]:
    name, _, value = text.partition(" = ")
    return name, value


class _Register(Mapping[str, Statement]):
    """All statements, read when the first one is asked for: a plan needs none of them."""

    @cached_property
    def _entries(self) -> Mapping[str, Statement]:
        every = [entry for page in pages() for entry in _on(page)]
        table = {entry.key: entry for entry in every}
        strange = {entry.status for entry in every} - set(get_args(Status))
        if len(table) != len(every) or strange:
            raise ParameterError(
                "register", "key", sorted(strange), allowed="of a known status, and used once"
            )
        return MappingProxyType(table)

    def __getitem__(self, key: str) -> Statement:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


REGISTER: Mapping[str, Statement] = _Register()
"""Every statement by key."""


def statement(key: str) -> Statement:
    """The registered statement with this key.

    >>> statement("post-processing").status
    'printed'
    """
    if key in REGISTER:
        return REGISTER[key]
    near = get_close_matches(key, REGISTER, n=3, cutoff=0.4)
    remedy = f"Did you mean {' or '.join(near)}?" if near else "REGISTER lists the keys."
    raise ParameterError("register", "key", key, allowed="the key of a registered statement", remedy=remedy)


KINDS = "Theorem|Lemma|Claim|Corollary|Proposition|Observation"
CITED = re.compile(rf"({KINDS})s? ([\w.]+(?:(?:, | and | to )[A-Z]?[\d.]+)*)")
ASKED = re.compile(rf"(?:(\d{{3}})\b)? *(?:({KINDS}) ([A-Z]?[\d.]+))?", re.IGNORECASE)


def cited(source: str, paper: str) -> set[str]:
    """The numbers that a source names of a paper; 'Lemmas 8 to 11' are four.

    >>> sorted(cited("Li–Wang–Ye 2025, Lemmas 8 to 10; compare Dagan–Feldman 2020, Theorem 1", PAPERS["004"]))
    ['Lemma 10', 'Lemma 8', 'Lemma 9']
    """
    numbers: set[str] = set()
    for part in source.split(";"):
        if paper not in part:
            continue
        for kind, listed in CITED.findall(part.partition(paper)[2]):
            span = re.fullmatch(r"(\d+) to (\d+)", listed)
            each = range(int(span[1]), int(span[2]) + 1) if span else re.split(r", | and ", listed)
            numbers |= {f"{kind} {str(number).rstrip('.')}" for number in each}
    return numbers


def found(text: str) -> list[Statement]:
    """The statements of a paper, of a number in a paper or in any of them; empty if the text names neither.

    >>> [entry.key for entry in found("001 Lemma 4.12")]
    ['label-boost-realizable']
    """
    asked = ASKED.fullmatch(text.strip())
    if asked is None or not any(asked.groups()):
        return []
    papers = [name for number, name in PAPERS.items() if asked[1] in (None, number)]
    wanted = f"{asked[2].capitalize()} {asked[3].rstrip('.')}" if asked[2] else None
    return [
        entry
        for entry in REGISTER.values()
        if any(
            paper in entry.source if wanted is None else wanted in cited(entry.source, paper)
            for paper in papers
        )
    ]
