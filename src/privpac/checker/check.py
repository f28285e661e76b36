"""Independent re-check of a stored certificate, and what a document promises once it was derived again.

Every node of a stored derivation is derived again from its premises and parameters. Nothing is shared with `rules`: the
formulas are written a second time, on rationals, with arithmetic of their own (`directed`), so that a slip in one place
does not vouch for itself. A node may hold only what its rule knows, every number must be the one the rule gives (not
merely a valid one), and fields nobody vouches for are refused. Formats once written stay checkable.

What cannot be checked here: that the parameters (ratio, sensitivity, odds, numbers of records) are those of the code
that ran. `verification.verify` makes the whole certificate anew from the stored wishes for that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.checker.document import CERTIFICATE, FROM_DATA, KINDS, SIGNATURES, read_at
from privpac.checker.reading import (
    ALL,
    STEP,
    Broken,
    Loss,
    Tree,
    check_fact,
    decimal,
    integer,
    read_fact,
    read_privacy,
    require,
)
from privpac.checker.signature import Signature, check_signatures
from privpac.checker.steps import RULES, concentrated, covers
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
_NODE = {"rule", "fact", "where", "assumes", "premises"}
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
_DEEPEST = 100


_ASSUMING = ("assuming", "group", *covers.ASSUMING, *concentrated.ASSUMING)
"""Rules that may add an assumption."""

_TWO_CLASSES = frozenset(
    {"relabelling", "rank-relabelling", "relabelling-part", "label-boost-labelled", "label-boost-unlabelled"}
)
"""Rules whose proofs count two labels of a point."""


def _shape(node: object) -> Tree:
    """A node of a derivation, as far as that can be seen without its rule."""
    if not isinstance(node, Mapping) or not {"rule", "fact"} <= set(node) <= _NODE:
        raise Broken("a step has unknown fields, or lacks some")
    check_fact(node["fact"])
    require(isinstance(node.get("where", {}), Mapping), "the parameters are not named")
    require(isinstance(node.get("premises", []), (list, tuple)), "the premises are not a list")
    assumes = node.get("assumes", [])
    require(isinstance(assumes, (list, tuple)), "the assumptions are not a list")
    require(all(isinstance(text, str) and text for text in assumes), "an assumption has no words")
    require(not assumes or node.get("rule") in _ASSUMING, "this rule assumes nothing")
    return node


def check_derivation(tree: Tree, path: str = "derivation", *, depth: int = 0) -> int:
    """Re-derive every node; returns how many there are, raises NotCertified at the first that does not follow."""
    rule = tree.get("rule") if isinstance(tree, Mapping) else None
    if not isinstance(rule, str) or rule not in RULES:
        raise NotCertified(f"{path}: there is no rule named {str(rule)[:60]!r}.")
    if depth > _DEEPEST:
        raise NotCertified(f"A derivation has more than {_DEEPEST} steps on top of each other.")
    count = 1
    try:
        node = _shape(tree)
        for i, premise in enumerate(node.get("premises", ())):
            count += check_derivation(premise, f"{path} > {rule}[{i}]", depth=depth + 1)
        RULES[rule](node)
    except Broken as broken:
        raise NotCertified(f"{path} > {rule}: {broken}.") from None
    except ArithmeticError:
        # Nothing else is caught: readers refuse what is malformed, so a TypeError here is a fault of the checker.
        raise NotCertified(f"{path} > {rule}: a number is out of range.") from None
    return count


def _assumptions(tree: Tree) -> list[str]:
    texts = list(tree.get("assumes", ()))
    for premise in tree.get("premises", ()):
        texts += _assumptions(premise)
    return list(dict.fromkeys(texts))


def check_certificate(tree: Tree) -> int:
    """Re-derive a stored certificate and its headline; returns the number of steps checked."""
    if not isinstance(tree, Mapping) or tree.get("format") not in FORMATS:
        raise NotCertified(
            f"This is not a certificate of a format this version knows ({', '.join(FORMATS)})."
        )
    try:
        require(set(tree) - {"also"} == _CERTIFICATE, "fields are missing or unknown")
        lists = (tree["accuracy"], tree["assumptions"], tree.get("also", []))
        require(all(isinstance(entry, (list, tuple)) for entry in lists), "a list is expected")
        steps = check_derivation(tree["privacy"], "privacy")
        for i, proof in enumerate(tree.get("also", ())):
            steps += check_derivation(proof, f"also[{i}]")
            require(read_privacy(proof).part == ALL, "what holds besides speaks of a part of the records")
        for i, proof in enumerate(tree["accuracy"]):
            steps += check_derivation(proof, f"accuracy[{i}]")
        _headline(tree)
    except Broken as broken:
        raise NotCertified(f"The certificate does not follow: {broken}.") from None
    except ArithmeticError:
        raise NotCertified("The certificate does not follow: a number is out of range.") from None
    return steps


def _check_classes(certificate: Tree, schema: object) -> None:
    """Refuse a derivation for two classes beside a schema of any other number of them."""
    classes = schema.get("classes") if isinstance(schema, Mapping) else None
    proofs = (certificate["privacy"], *certificate.get("also", ()))
    if any(_uses(proof, _TWO_CLASSES) for proof in proofs) and not (
        isinstance(classes, (list, tuple)) and len(classes) == 2
    ):
        raise NotCertified("The certificate does not follow: relabelling is proved for two classes only.")


def _uses(tree: Tree, names: frozenset[str]) -> bool:
    return tree["rule"] in names or any(_uses(premise, names) for premise in tree.get("premises", ()))


def _headline(tree: Tree) -> None:
    """What stands on top is what the derivations end with."""
    fact = read_privacy(tree["privacy"])
    require(fact.part == ALL, "the privacy derived is that of a part of the records")
    headline = Loss(decimal(tree["epsilon"]), Fraction(1))
    require(fact.loss.at_most(headline), "the headline epsilon is smaller than the one derived")
    if fact.loss.factor == 1:
        exact = headline.log == fact.loss.log
    else:
        step = Loss(headline.log - STEP, Fraction(1))
        exact = ((headline.log - fact.loss.log) / STEP).denominator == 1 and fact.loss.above(step)
    require(exact, "the headline epsilon is not the one derived, rounded up")
    require(decimal(tree["delta"]) == fact.delta, "the headline delta is not the one derived")
    require(
        list(tree["assumptions"]) == _assumptions(tree["privacy"]), "the assumptions are not the derivation's"
    )
    labelled, unlabelled = integer(tree["labelled"], 0), integer(tree["unlabelled"], 0)
    # Whether a prediction is right can be told from labelled records only; a released table speaks of all of them.
    speaks_of = {"accuracy": labelled, "answers": labelled + unlabelled}
    for proof in tree["accuracy"]:
        kind = proof["fact"]["kind"]
        require(kind in speaks_of, "there is no such kind of accuracy")
        records = integer(read_fact(proof, kind)["records"], 0)
        require(records == speaks_of[kind], "an accuracy statement speaks of another number of records")
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
        seal = ", and the digest matches" if self.digest else "; a bare certificate has no digest"
        return [
            f"Promised: epsilon {self.epsilon}, delta {self.delta} for each {self.unit}, by a {self.kind}{writer}.",
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
            "kind": self.kind,
            "version": self.version,
            "digest": self.digest,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "unit": self.unit,
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
        _check_classes(certificate, tree["schema"])
    kind = KINDS[tree["format"]]
    return Promise(
        kind=kind.name,
        version=None if bare else tree["version"],
        digest=None if bare else tree["digest"],
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
