"""Independent re-check of a stored certificate, and what a document promises once it was derived again.

Every node of a stored derivation is derived again from its premises and parameters, by the rule book (`rules.txt`).
Nothing is shared with `guarantee.rules`: formulas are written a second time, with rational arithmetic of their own
(`directed`), so that a slip in one place does not vouch for itself. A node may hold only what its rule knows, every
number must be the one the rule gives (not merely a valid one), and fields nobody vouches for are refused.

What cannot be checked here: that the parameters (ratio, sensitivity, odds, numbers of records) are those of the code
that ran. `verification.verify` makes the whole certificate anew from the stored wishes for that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.checker.book import Tree, book, decimal, derive, natural
from privpac.checker.document import CERTIFICATE, FROM_DATA, KINDS, SIGNATURES, read_at, refuse_earlier
from privpac.checker.functions import Broken, Loss
from privpac.checker.signature import Signature, check_signatures
from privpac.errors import NotCertified

__all__ = [
    "FORMATS",
    "NOT_CHECKED",
    "Promise",
    "check_certificate",
    "check_derivation",
    "check_document",
    "check_file",
]

FORMATS = (CERTIFICATE,)

NOT_CHECKED = (
    "Not checked, since no file can show it: that this procedure was run, and on which records; that what is in the"
    " file came out of it; what else was released from the same records."
)

_CERTIFICATE_ALONE = (
    "Not looked at: whether the stored parameters and schema lead to this certificate, and what else the document "
    "holds. `privpac verify` without `--certificate-only` looks at that too."
)
_NOTHING_BESIDE = (
    "Not looked at: what the certificate was taken from. Alone it does not hold the schema, nor what was released: "
    "`privpac verify` looks at that too, in the whole file."
)

_COINS = ("system", "seeded", "enumerated")
_CERTIFICATE = {
    "format",
    "epsilon",
    "delta",
    "assumptions",
    "coins",
    "labelled",
    "unlabelled",
    "request",
    "learner",
    "privacy",
    "accuracy",
}
ALL = "all records"
STEP = Fraction(1, 10**12)
"""Headline epsilons are rounded up to twelve decimals."""


def require(condition: bool, reason: str) -> None:
    """Refuse a certificate, for this reason, unless the condition holds."""
    if not condition:
        raise Broken(reason)


def check_derivation(tree: Tree, path: str = "derivation") -> int:
    """Re-derive every step; returns how many there are, raises NotCertified at the first that does not follow."""
    return _derived(tree, path)[1]


def _derived(tree: Tree, path: str) -> tuple[dict[str, Any], int]:
    try:
        return derive(tree, path)
    except Broken as broken:
        raise NotCertified(broken.sentence()) from None


def _assumptions(tree: Tree) -> list[str]:
    texts = list(tree.get("assumes", ()))
    for premise in tree.get("premises", ()):
        texts += _assumptions(premise)
    return list(dict.fromkeys(texts))


def check_certificate(tree: Tree) -> int:
    """Re-derive a stored certificate and its headline; returns the number of steps checked."""
    if isinstance(tree, Mapping):
        refuse_earlier(tree.get("format"), "The certificate")
    if not isinstance(tree, Mapping) or tree.get("format") not in FORMATS:
        raise NotCertified(
            f"This is not a certificate of a format this version knows ({', '.join(FORMATS)})."
        )
    try:
        require(set(tree) - {"also"} == _CERTIFICATE, "fields are missing or unknown")
        lists = (tree["accuracy"], tree["assumptions"], tree.get("also", []))
        require(all(isinstance(entry, (list, tuple)) for entry in lists), "a list is expected")
        privacy, steps = _derived(tree["privacy"], "privacy")
        proofs = [(f"also[{i}]", proof) for i, proof in enumerate(tree.get("also", ()))]
        also = [_derived(proof, path) for path, proof in proofs]
        accuracy = [_derived(proof, f"accuracy[{i}]") for i, proof in enumerate(tree["accuracy"])]
        for fact in (privacy, *(fact for fact, _ in also)):
            whole = fact["kind"] == "privacy" and fact["part"] == ALL
            require(whole, "the privacy derived is none, or that of a part of the records")
        _headline(tree, privacy, [fact for fact, _ in accuracy])
    except Broken as broken:
        raise NotCertified(f"The certificate does not follow: {broken.sentence()}") from None
    except ArithmeticError:
        raise NotCertified("The certificate does not follow: a number is out of range.") from None
    return steps + sum(count for _, count in (*also, *accuracy))


def _check_classes(certificate: Tree, schema: object) -> None:
    """Refuse a derivation for two classes beside a schema of any other number of them."""
    classes = schema.get("classes") if isinstance(schema, Mapping) else None
    proofs = (certificate["privacy"], *certificate.get("also", ()), *certificate["accuracy"])
    if any(_is_for_two_classes(proof) for proof in proofs) and not (
        isinstance(classes, (list, tuple)) and len(classes) == 2
    ):
        raise NotCertified("The certificate does not follow: a rule of it is proved for two classes only.")


def _is_for_two_classes(tree: Tree) -> bool:
    rule = any(form.two_classes for form in book().rules[tree["rule"]])
    return rule or any(_is_for_two_classes(premise) for premise in tree.get("premises", ()))


def _headline(tree: Tree, privacy: Tree, accuracy: list[dict[str, Any]]) -> None:
    """What stands on top is what the derivations end with."""
    epsilon, loss = decimal(tree["epsilon"]), privacy["epsilon"]
    if loss.factor == 1:
        exact = epsilon == loss.log
    else:
        whole = ((epsilon - loss.log) / STEP).denominator == 1
        fits = loss.at_most(Loss(epsilon, Fraction(1)))
        exact = whole and fits and loss.above(Loss(epsilon - STEP, Fraction(1)))
    require(exact, "the headline epsilon is not the one derived, rounded up")
    require(decimal(tree["delta"]) == privacy["delta"], "the headline delta is not the one derived")
    require(
        list(tree["assumptions"]) == _assumptions(tree["privacy"]), "the assumptions are not the derivation's"
    )
    labelled, unlabelled = natural(tree["labelled"]), natural(tree["unlabelled"])
    # Whether a prediction is right can be told from labelled records only; a released table speaks of all of them.
    speaks_of = {"accuracy": labelled, "answers": labelled + unlabelled}
    for fact in accuracy:
        require(fact["kind"] in speaks_of, "there is no such kind of accuracy")
        right = fact["records"] == speaks_of[fact["kind"]]
        require(right, "an accuracy statement speaks of another number of records")
    require(tree["coins"] in _COINS, "there are no such coins")
    require(isinstance(tree["learner"], Mapping), "the learner is not described")
    require(tree["request"] is None or isinstance(tree["request"], Mapping), "the request is malformed")


@dataclass(frozen=True)
class Promise:
    """What `check_document` established."""

    kind: str
    """The kind of document, for people: "model file", "certificate"."""
    version: str | None
    """The version of privpac that the document names; a bare certificate names none."""
    digest: str | None
    """Of the content without signatures, as the document holds it; a bare certificate holds none."""
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
    records_per_person: int = 1
    """How many records of one person are protected together."""
    signatures: tuple[Signature, ...] = ()
    """Those inside the document, each of which is that of its key."""

    @property
    def for_release(self) -> bool:
        """Whether the coins were the system's: a seeded draw is not private."""
        return self.coins == "system"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know besides: seeded coins, a schema read from data, assumptions."""
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
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
        many = f"up to {self.records_per_person} {self.unit}s of one person"
        whom = many if self.records_per_person > 1 else f"each {self.unit}"
        seal = ", and the digest matches" if self.digest else "; a bare certificate has no digest"
        return [
            f"Promised: epsilon {self.epsilon}, delta {self.delta} for {whom}, by a {self.kind}{writer}.",
            f"Looked at: the certificate; {proof_again(self.steps)}{seal}.",
            *self.warnings,
            _CERTIFICATE_ALONE if self.digest else _NOTHING_BESIDE,
            *self.digest_lines(),
        ]

    def digest_lines(self) -> list[str]:
        """What a report or an annex can be compared with: a line, or none of a bare certificate."""
        return [f"Digest {self.digest}"] if self.digest else []

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        signature = (
            {"signers": [signature.to_show() for signature in self.signatures]} if self.signatures else {}
        )
        return {
            "verified": True,
            "looks": list(self.looks),
            "rebuilt": False,
            "not_rebuilt": "Not rebuilt: the certificate was looked at alone.",
            "kind": self.kind,
            "version": self.version,
            "digest": self.digest,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "unit": self.unit,
            "records_per_person": self.records_per_person,
            "for_release": self.for_release,
            "assumptions": list(self.assumptions),
            "steps": self.steps,
            "warnings": list(self.warnings),
            **signature,
        }


def proof_again(steps: int) -> str:
    """Say in words that this many steps were derived again."""
    return (
        "the one step of its proof was derived again"
        if steps == 1
        else f"all {steps} steps of its proof were derived again"
    )


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
    signatures = check_signatures(tree) if SIGNATURES in tree else ()
    if not bare:
        _check_kind(certificate, tree["format"])
        _check_classes(certificate, tree["schema"])
    return Promise(
        kind=KINDS[tree["format"]].name,
        version=None if bare else tree["version"],
        digest=None if bare else tree["digest"],
        epsilon=certificate["epsilon"],
        delta=certificate["delta"],
        unit=certificate["privacy"]["fact"]["unit"],
        records_per_person=certificate["privacy"]["fact"].get("records_per_person", 1),
        coins=certificate["coins"],
        assumptions=tuple(certificate["assumptions"]),
        steps=steps,
        looks=_looks(bare=bare, signed=bool(signatures)),
        signatures=signatures,
    )


def _check_kind(certificate: Tree, format_name: str) -> None:
    """A certificate speaks of one kind of document: what was asked for says of which."""
    request = certificate["request"]
    if not isinstance(request, Mapping) or KINDS[format_name].asks not in request:
        raise NotCertified(f"The certificate is not that of a {KINDS[format_name].name}.")


def _looks(*, bare: bool, signed: bool) -> tuple[str, ...]:
    if bare:
        return ("derivation",)
    return ("digest", "signatures", "derivation") if signed else ("digest", "derivation")
