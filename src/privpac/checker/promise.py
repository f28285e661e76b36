"""What a document promises, once its certificate was derived again, and what a reader should know besides."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from privpac.checker.check import check_certificate, check_classes
from privpac.checker.document import CERTIFICATE, FROM_DATA, KINDS, read_at
from privpac.checker.reading import read_privacy
from privpac.checker.signature import Signature, check_signatures

__all__ = ["NOT_CHECKED", "Promise", "check_document", "check_file"]

NOT_CHECKED = (
    "Not checked, since no file can show it: that this procedure was run, and on which records; that what is in the"
    " file came out of it; what else was released from the same records."
)

_CERTIFICATE_ALONE = (
    "Not looked at: whether the stored parameters and schema lead to this certificate, and what else the document "
    "holds. `privpac verify` without `--certificate-only` looks at that too."
)


@dataclass(frozen=True)
class Promise:
    """What `check_document` established."""

    kind: str
    """The kind of document, for people: "model file", "certificate"."""
    version: str | None
    """The version of privpac that the document names; a bare certificate names none."""
    epsilon: str
    delta: str
    unit: str
    """What is protected: a "record" or a "label"."""
    coins: str
    assumptions: tuple[str, ...]
    steps: int
    """Steps of derivations that were derived again."""
    looks: tuple[str, ...]
    """What was looked at."""
    caution: str = ""
    signatures: tuple[Signature, ...] = ()
    """Those inside the document, each of which is that of its key."""

    @property
    def for_release(self) -> bool:
        """Whether the coins were the system's: a seeded draw is not private."""
        return self.coins == "system"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know besides: exposed records, seeded coins, a schema read from data, assumptions."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        if self.caution:
            yield self.caution
        if not self.for_release:
            yield "NOT FOR RELEASE: the coins came from a known seed."
        if FROM_DATA in self.assumptions:
            yield (
                "The schema was read from the data: its bounds, categories and classes are released without "
                "protection."
            )
        # Whoever wrote the file chose the words: they must not look like lines of ours.
        yield from (
            f"Assumes that {text if text.isprintable() else ascii(text)}." for text in self.assumptions
        )

    def lines(self) -> list[str]:
        """All of it for people, with what was not looked at."""
        writer = "" if self.version is None else f" of privpac {self.version[:20]!r}"
        sealed = (
            ", and the digest matches" if "digest" in self.looks else "; a bare certificate has no digest"
        )
        return [
            f"Promised: epsilon {self.epsilon}, delta {self.delta} for each {self.unit}, by a {self.kind}{writer}.",
            f"Looked at: the certificate, {self.steps} steps re-derived{sealed}.",
            *self.warnings,
            _CERTIFICATE_ALONE,
        ]

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        signed = (
            {"signers": [signature.to_show() for signature in self.signatures]} if self.signatures else {}
        )
        return {
            "verified": True,
            "looks": list(self.looks),
            "rebuilt": False,
            "kind": self.kind,
            "version": self.version,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "unit": self.unit,
            "for_release": self.for_release,
            "assumptions": list(self.assumptions),
            "steps": self.steps,
            "warnings": list(self.warnings),
            **signed,
        }


def check_file(path: str | os.PathLike[str]) -> Promise:
    """Read a model file, released table, bundle or bare certificate, and derive its certificate again.

    Raises NotCertified with the reason if that fails, and DataError if there is no such file.
    """
    return check_document(read_at(path))


def check_document(tree: Mapping[str, Any]) -> Promise:
    """The same of a document that was read: its certificate is derived again, and what it promises is said.

    A document with a signature that is not that of its key is refused, whatever it promises.
    """
    bare = tree["format"] == CERTIFICATE
    certificate = tree if bare else tree["certificate"]
    steps = check_certificate(certificate)
    signatures = () if bare else check_signatures(tree)
    if not bare:
        check_classes(certificate, tree["schema"])
    kind = KINDS[tree["format"]]
    return Promise(
        kind=kind.name,
        version=None if bare else tree["version"],
        epsilon=certificate["epsilon"],
        delta=certificate["delta"],
        unit=read_privacy(certificate["privacy"]).unit,
        coins=certificate["coins"],
        assumptions=tuple(certificate["assumptions"]),
        steps=steps,
        looks=_looks(bare=bare, signed=bool(signatures)),
        caution=kind.caution,
        signatures=signatures,
    )


def _looks(*, bare: bool, signed: bool) -> tuple[str, ...]:
    if bare:
        return ("derivation",)
    return ("digest", "signatures", "derivation") if signed else ("digest", "derivation")
