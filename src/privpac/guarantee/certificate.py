"""A certificate: what is promised about one release, why, and what it rests on.

It is made from public parameters alone, before any record is seen, and stored with the model
(`privpac-certificate/2`). `checker.check` re-derives a stored one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any

from privpac.checker.document import CERTIFICATE, FROM_DATA
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Answers, Concentrated, Privacy, fact_from_json
from privpac.guarantee.parts import parts_of
from privpac.guarantee.price import concentrated_price
from privpac.guarantee.proof import Proof, explain
from privpac.numbers.concentrated import rho_up
from privpac.numbers.exact import decimal_text, plain, read_number
from privpac.theory.machine import said_of

__all__ = [
    "FORMAT",
    "FROM_DATA",
    "SEED_WARNING",
    "Certificate",
    "explain_certificate",
    "for_people",
    "public_parameters",
    "stability_text",
]

FORMAT = CERTIFICATE

SEED_WARNING = "NOT FOR RELEASE: the coins came from a known seed, so whoever knows it can undo the noise"

_HEADINGS = {
    "accuracy": "Accuracy, if the records are independent draws from what is to be predicted",
    "answers": "Accuracy, whatever the records are",
}


@dataclass(frozen=True)
class Certificate:
    """The derivation of a privacy fact and of accuracy facts, with the public parameters they follow from.

    `labelled` and `unlabelled` count the records; `coins` is "system" for a release and "seeded" otherwise.

    >>> from fractions import Fraction
    >>> from privpac import Occam, Schema, Size, Thresholds
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "columns": [age]})
    >>> certificate = Occam(Thresholds(schema, "age"), Fraction(1)).certify(Size(1000))
    >>> certificate.assuming("nobody is asked twice").assumptions
    ('nobody is asked twice',)
    >>> certificate.with_coins("seeded").to_json()["coins"], certificate.explain().splitlines()[0]
    ('seeded', 'Privacy')
    """

    privacy: Proof[Privacy]
    accuracy: tuple[Proof[Accuracy], ...]
    learner: Mapping[str, Any]
    """Public parameters of the learner, for reading."""
    labelled: int
    unlabelled: int = 0
    coins: str = "system"
    request: Mapping[str, Any] | None = None
    """The public wishes the learner was built from: enough to certify anew (see `constructions.recipe`)."""
    answers: tuple[Proof[Answers], ...] = ()
    """What a released table promises about queries; stored beside the accuracy."""
    also: tuple[Proof[Privacy], ...] = ()
    """What holds for those who see more than what is released: a list of people asked, a file that should be secret."""

    @property
    def epsilon(self) -> Fraction:
        """What is charged: the declared epsilon."""
        return self.privacy.fact.epsilon.upper

    @property
    def delta(self) -> Fraction:
        """The delta that is promised."""
        return self.privacy.fact.delta

    @property
    def rho(self) -> Fraction:
        """What it costs a ledger that adds rho: rho-zCDP but for `delta`, rounded up."""
        return rho_up(self.price.fact.rho)

    @cached_property
    def price(self) -> Proof[Concentrated]:
        """Why it costs this much: derived from the steps of `privacy`, and not stored."""
        return concentrated_price(self.privacy)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the promise takes for granted, in sentences."""
        return self.privacy.assumptions

    @property
    def parts(self) -> dict[str, Privacy]:
        """What is promised to the people of each part apart; empty if everyone is promised the same."""
        return parts_of(self.privacy.to_json())

    @property
    def for_release(self) -> bool:
        """Whether the coins were the system's: a seeded draw is not private."""
        return self.coins == "system"

    def assuming(self, text: str) -> Certificate:
        """The same certificate with one more assumption on top, `text`; `RuleRefused` if there is none."""
        return replace(self, privacy=rules.assuming(self.privacy, text))

    def with_coins(self, origin: str) -> Certificate:
        """The same certificate for a draw with coins of this `origin`, "system" or "seeded"; no other is refused here,
        but `verify` raises `NotCertified`.
        """
        return replace(self, coins=origin)

    def to_json(self) -> dict[str, Any]:
        """The stored form (`privpac-certificate/2`), which `privpac verify` derives again."""
        also = {"also": [proof.to_json() for proof in self.also]} if self.also else {}
        return {
            "format": FORMAT,
            "epsilon": plain(self.epsilon),
            "delta": plain(self.delta),
            "assumptions": list(self.assumptions),
            "coins": self.coins,
            "labelled": self.labelled,
            "unlabelled": self.unlabelled,
            "request": None if self.request is None else dict(self.request),
            "learner": dict(self.learner),
            "privacy": self.privacy.to_json(),
            "accuracy": [
                *(proof.to_json() for proof in self.accuracy),
                *(proof.to_json() for proof in self.answers),
            ],
            **also,
        }

    def explain(self) -> str:
        """The promise and its derivation, in words."""
        return explain_certificate(self.to_json())

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        return f"<pre>{escape(self.explain())}</pre>"


def public_parameters(owner: object, *names: str) -> dict[str, Any]:
    """Parameters of a learner by their names, fractions as exact text: as `Certificate.learner` and files hold them."""
    values = {name: getattr(owner, name) for name in names}
    return {name: plain(value) if isinstance(value, Fraction) else value for name, value in values.items()}


def for_people(
    proof: Proof[Privacy], *, records_per_person: int = 1, from_data: bool = False
) -> Proof[Privacy]:
    """What a person behind this many records is promised, and that of a schema which was read from the data."""
    if records_per_person > 1:
        proof = rules.group(proof, size=records_per_person)
    return rules.assuming(proof, FROM_DATA) if from_data else proof


def stability_text(tree: Mapping[str, Any]) -> str:
    """How far one record moves what is released, of a learner that promises it; else empty."""
    if "stability" not in tree["learner"]:
        return ""
    gamma = decimal_text(read_number(tree["learner"]["stability"]))
    return f"Stability: replacing one record moves the probability of any set of rules by at most {gamma}."


def _by_part(proof: Mapping[str, Any], heading: str) -> list[str]:
    parts = parts_of(proof)
    return ["", heading, *(f"{part}: {fact}" for part, fact in parts.items())] if parts else []


def _proved(proofs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Of every rule of privacy that these derivations use, whether a machine checked its proof; each once, as met."""
    met: dict[str, None] = {}
    waiting = list(proofs)
    while waiting:
        step = waiting.pop(0)
        met[step["rule"]] = None
        waiting = [*step.get("premises", ()), *waiting]
    return [f"{rule}: {said}" for rule in met if (said := said_of(rule)) is not None]


_WAYS = {
    "class": "the number of rules that could be released",
    "privacy": "how far a private rule can follow them",
}


def _estimate_text(estimate: Mapping[str, Any]) -> str:
    """On which records an estimate of the accuracy was to be made, and what its interval allows for besides noise."""
    if estimate["ways"] == ["hold-out"]:
        return f"The estimate of the accuracy looks at {estimate['records']} records that were kept aside."
    reasons = " and from ".join(_WAYS[way] for way in estimate["ways"])
    return (
        f"The estimate of the accuracy looks at the {estimate['records']} records that the rule was learnt from;"
        f" besides noise, the width of its interval follows from {reasons}"
        + (", whichever is narrower." if len(estimate["ways"]) > 1 else ".")
    )


def explain_certificate(tree: Mapping[str, Any]) -> str:
    """A stored certificate in words: assumptions first, then privacy, then accuracy."""
    lines = []
    if tree["coins"] != "system":
        lines += [SEED_WARNING, ""]
    for text in tree["assumptions"]:
        lines.append(f"Assumes that {text}.")
    if tree["assumptions"]:
        lines.append("")
    lines += ["Privacy", explain(tree["privacy"])]
    lines += [text] if (text := stability_text(tree)) else []
    lines += _by_part(tree["privacy"], "Privacy by part")
    for proof in tree.get("also", ()):
        what = fact_from_json(proof["fact"]).release.value  # type: ignore[union-attr]
        lines += ["", f"Privacy, for those who know: {what}", explain(proof), *_by_part(proof, "By part")]
    lines += ["", "How its rules were proved", *_proved([tree["privacy"], *tree.get("also", ())])]
    for kind, heading in _HEADINGS.items():
        proofs = [proof for proof in tree["accuracy"] if proof["fact"]["kind"] == kind]
        lines += ["", heading, *map(explain, proofs)] if proofs else []
    if "estimate" in tree["learner"]:
        lines += ["", _estimate_text(tree["learner"]["estimate"])]
    if "grid" in tree["learner"]:
        lines += ["", f"Grid: {tree['learner']['grid']}."]
    if "note" in tree["learner"]:
        lines += ["", f"Note: {tree['learner']['note']}."]
    return "\n".join(lines)
