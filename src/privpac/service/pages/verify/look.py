"""What the page says about the files that were brought to it: the checker's verdict first, then what stands behind it.

Runs in the browser, on the standard library alone, and everywhere else in the same way. Whatever a file says was
written by anybody: it is shown as text, and never with characters that cannot be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.checker.check import Promise, check_document
from privpac.checker.document import (
    BUNDLE,
    CERTIFICATE,
    FORMER_BUNDLE,
    MODEL,
    SIGNATURE,
    TABLE,
    Malformed,
    parsed_json,
    require_document,
    unsigned,
)
from privpac.checker.signature import Signature
from privpac.errors import NotCertified, PrivpacError
from privpac.fields import refusing
from privpac.guarantee.guesses import guessed_at_most
from privpac.report.derivation import Step, Titles
from privpac.report.meaning import does_not_mean, means, protected
from privpac.report.wording import fact_in_words
from privpac.signing.checking import Signer, signers_of
from privpac.signing.keys import Trusted

__all__ = ["look"]

_RELEASED = {
    MODEL: "a rule that predicts",
    TABLE: "a table of synthetic records",
    BUNDLE: "answers to questions, from a bundle that stays where it is",
    FORMER_BUNDLE: "answers to questions, from a bundle that stays where it is",
    CERTIFICATE: "whatever this certificate was issued for",
}
_MOST_COLUMNS = 200
_MOST_STEPS = 500
_MOST_PROOFS = 50
_MOST_SENTENCES = 50
_MOST_CLASSES = 50
_LONGEST = 500
"""What is shown of a file, which anybody may have written: all of it is checked, and a browser must be able to draw it.
Far beyond what privpac writes."""

File = tuple[str, bytes]
"""The name and the content."""


@dataclass(frozen=True)
class _Brought:
    """A file, what it is for the page, and what was read: JSON, a list of keys, or the error."""

    at: int
    name: str
    role: str
    content: Any


def look(brought: Sequence[File], titles: Titles, *, former: Sequence[File] = ()) -> dict[str, Any]:
    """What the page shows of files that were brought to it, beside those it kept: a document, and what speaks for it.

    A new document takes the place of the one before, and of its signatures; trusted keys stay. Of several documents the
    last one counts. `verdict` is "waiting" (for a document), "verified", "caution" or "refused"; `files` says which
    files to keep, by their place among `former` and `brought`. `titles` gives a title and a source for each rule.
    """
    files = _arrange(former, brought)
    report = {"files": [{"at": file.at, "name": visible(file.name), "role": file.role} for file in files]}
    if not any(file.role == "document" for file in files):
        return {**report, "verdict": "waiting"}
    try:
        with refusing("The file is incomplete or malformed."):
            return {**report, **_findings(files, titles)}
    except PrivpacError as problem:
        return {**report, **_refusal(problem)}


def _refusal(problem: PrivpacError) -> dict[str, Any]:
    return {"verdict": "refused", "reason": visible(problem.problem), "remedy": problem.remedy}


def _arrange(former: Sequence[File], brought: Sequence[File]) -> list[_Brought]:
    old = [_Brought(at, name, *_role(raw)) for at, (name, raw) in enumerate(former)]
    new = [_Brought(at, name, *_role(raw)) for at, (name, raw) in enumerate(brought, start=len(former))]
    if {"document"} <= {file.role for file in old} & {file.role for file in new}:
        old = [file for file in old if file.role == "keys"]
    last = max((file.at for file in (*old, *new) if file.role == "document"), default=None)
    return [file for file in (*old, *new) if file.role != "document" or file.at == last]


def _role(raw: bytes) -> tuple[str, Any]:
    try:
        tree = parsed_json(raw)
    except (ValueError, RecursionError) as problem:
        keys = _keys(raw)
        return ("document", problem) if keys is None else ("keys", keys)
    signature = isinstance(tree, dict) and tree.get("format") == SIGNATURE
    return "signature" if signature else "document", tree


def _keys(raw: bytes) -> Trusted | None:
    try:
        trusted = Trusted.listed(raw.decode("utf-8"))
    except (PrivpacError, UnicodeDecodeError):
        return None
    return trusted if trusted.names else None


def _findings(files: Sequence[_Brought], titles: Titles) -> dict[str, Any]:
    by_role: dict[str, list[Any]] = {"document": [], "signature": [], "keys": []}
    for file in files:
        by_role[file.role].append(file.content)
    (tree,) = by_role["document"]
    if isinstance(tree, Exception):
        raise _unreadable(tree)
    tree = require_document(tree, name="The file")
    promise = check_document(tree)
    trusted = Trusted({key: name for keys in by_role["keys"] for key, name in keys.names.items()})
    inside = signers_of(tree, trusted=trusted)
    try:  # from here on the certificate itself is right
        beside = [Signature.from_json(row) for row in by_role["signature"]]
        signers = signers_of(unsigned(tree), trusted=trusted, beside=beside)
        with refusing(
            "The certificate follows, but what stands beside it in the file is nothing that privpac writes."
        ):
            return _View(tree, promise, (*inside, *signers), titles).to_json()
    except NotCertified as problem:
        return {**_refusal(problem), "beside": True}


def _unreadable(problem: Exception) -> NotCertified:
    why = f": {problem}" if isinstance(problem, Malformed) else ""
    return NotCertified(
        f"The file cannot be read as a document of privpac{why}.",
        remedy="Copy it again from where it was made.",
    )


def visible(text: object) -> str:
    """A text that anybody may have written, without characters that hide or turn it around, and not too long."""
    words = str(text)
    excerpt = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    return excerpt if excerpt.isprintable() else ascii(excerpt)


@dataclass(frozen=True)
class _View:
    """A document that was accepted, as the page shows it."""

    tree: Mapping[str, Any]
    promise: Promise
    signers: tuple[Signer, ...]
    titles: Titles

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The stored certificate."""
        bare: bool = self.tree["format"] == CERTIFICATE
        certificate: Mapping[str, Any] = self.tree if bare else self.tree["certificate"]
        return certificate

    def to_json(self) -> dict[str, Any]:
        promise, certificate = self.promise, self.certificate
        return {
            "verdict": "verified" if promise.for_release and not promise.caution else "caution",
            "title": "Verified, but not for release"
            if not promise.for_release
            else "Verified, but keep it secret",
            "kind": promise.kind,
            "epsilon": visible(promise.epsilon),
            "delta": visible(promise.delta),
            "protected": protected(certificate),
            "guess": guessed_at_most(Fraction(promise.epsilon), Fraction(promise.delta)),
            "steps": promise.steps,
            "sealed": "digest" in promise.looks,
            "warnings": _first(promise.warnings, _MOST_SENTENCES),
            "privacy": visible(fact_in_words(certificate["privacy"]["fact"])),
            "means": _first(means(certificate), _MOST_SENTENCES),
            "does_not_mean": does_not_mean(certificate),
            "signers": [self._signature(signer) for signer in self.signers],
            "derivations": self._derivations(),
            "accuracy": _first(
                [fact_in_words(proof["fact"]) for proof in certificate["accuracy"]], _MOST_PROOFS
            ),
            "stated": self._statements(),
            "columns": self._columns(),
            "not_checked": list(self._limits()),
        }

    def _signature(self, signer: Signer) -> dict[str, Any]:
        tree = signer.to_json()
        receipt = signer.signature.receipt
        return {
            "name": visible(signer.trusted if signer.trusted is not None else tree["signer"]),
            "trusted": signer.trusted is not None,
            "key": tree["key"],
            "receipt": None
            if receipt is None
            else {
                "ledger": visible(receipt.ledger),
                "entry": f"{receipt.entry:,}",
                "head": visible(receipt.head),
            },
        }

    def _derivations(self) -> list[dict[str, Any]]:
        certificate = self.certificate
        proofs = [("Privacy", certificate["privacy"])]
        proofs += [
            (f"For those who know: {proof['fact']['release']}", proof)
            for proof in certificate.get("also", ())
        ]
        proofs += [("Accuracy", proof) for proof in certificate["accuracy"]]
        drawing = _Drawing(self.titles)
        return [
            {"heading": heading, "count": _count(proof), "step": drawing.step(proof)}
            for heading, proof in proofs[:_MOST_PROOFS]
        ]

    def _statements(self) -> list[list[str]]:
        """What stands in the file and is not derived from anything: names, sizes, the writer."""
        tree, certificate = self.tree, self.certificate
        rows = [("Released", self._release_words())]
        records = certificate["labelled"] + certificate["unlabelled"]
        rows.append(("Records it was made from", f"{records:,}"))
        if self.promise.version is not None:
            rows += [("Written by", f"privpac {self.promise.version}"), ("Digest", tree["digest"])]
        return [[name, visible(value)] for name, value in rows]

    def _release_words(self) -> str:
        words = _RELEASED[self.tree["format"]]
        if self.tree["format"] != MODEL:
            return words
        schema = self.tree["schema"]
        return f"{words} {schema['label']} ({', '.join(map(str, schema['classes'][:_MOST_CLASSES]))})"

    def _columns(self) -> list[list[str]]:
        columns = self.tree["schema"]["columns"] if "schema" in self.tree else []
        rows = [[visible(column["name"]), visible(column["kind"])] for column in columns[:_MOST_COLUMNS]]
        left = len(columns) - _MOST_COLUMNS
        return [*rows, [f"and {left:,} more", ""]] if left > 0 else rows

    def _limits(self) -> list[str]:
        """What this page cannot see, and who can."""
        rest = {
            MODEL: "whether the rule beside it is one that these parameters ever release",
            TABLE: "whether the synthetic records beside it are such as these parameters ever release",
            CERTIFICATE: "which release it belongs to: a certificate on its own has no digest",
        }.get(self.tree["format"], "the secret file that lies beside this description")
        lines = [
            "Whether the parameters and the schema in the file lead to this very certificate, and"
            f" {rest}. That takes the library: `privpac verify FILE`.",
            "Whether the records were what the schema says, whether the coins were honest, and what else was released"
            " from the same records. No file can show that; whoever signs it vouches for it.",
        ]
        if not self.signers:
            lines.append("Who made the file: nobody signed it. Its digest shows accidents, not authors.")
        elif not all(signer.trusted for signer in self.signers):
            lines.append(
                "Whose key it is: a name inside a signature is only a claim. Drop a list of the keys you trust on this"
                " page, and it says whose they are."
            )
        if any(signer.signature.receipt for signer in self.signers):
            lines.append(
                "Whether the ledger has that charge: its owner can say, with"
                " `privpac ledger verify LEDGER --receipt FILE`."
            )
        return lines


@dataclass
class _Drawing:
    """Steps of derivations as the page draws them, and how many more it has room for."""

    titles: Titles
    room: int = _MOST_STEPS

    def step(self, tree: Mapping[str, Any]) -> dict[str, Any]:
        """The step, with those below it for which there is room; `more` counts the others."""
        self.room -= 1
        below, more = [], 0
        for premise in tree.get("premises", ()):
            if self.room > 0:
                below.append(self.step(premise))
            else:
                more += _count(premise)
        alone = Step.of({**tree, "premises": ()}, self.titles)
        return {**_visible_tree(alone.to_json()), "premises": below, "more": more}


def _count(tree: Mapping[str, Any]) -> int:
    """The number of steps, this one included."""
    return 1 + sum(_count(premise) for premise in tree.get("premises", ()))


def _first(texts: Sequence[str], most: int) -> list[str]:
    """The first of them, and how many there are beside."""
    left = len(texts) - most
    return [*map(visible, texts[:most]), *([f"And {left:,} more."] if left > 0 else [])]


def _visible_tree(value: Any) -> Any:
    """JSON with every text as `visible`."""
    if isinstance(value, dict):
        return {name: _visible_tree(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_visible_tree(inner) for inner in value]
    return visible(value) if isinstance(value, str) else value
