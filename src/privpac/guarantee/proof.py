"""A proof: a fact, the rule that gives it, and the proofs it rests on; and what rules ask before they make one.

Proofs can be made by rules only (`guarantee.rules`, and the `rules` of a family of constructions): the constructor asks
for a seal that this module hands to them, and a contract test looks who takes it. The certificate is such a tree;
`explain` prints it, `checker.check` re-derives it from its stored form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from privpac.errors import RuleRefused
from privpac.guarantee.facts import (
    ALL,
    POSITIONS,
    Accuracy,
    BoundedRange,
    Concentrated,
    Fact,
    Loss,
    Privacy,
    Range,
    Release,
    Unit,
    fact_from_json,
)
from privpac.guarantee.sentences import parameter_words
from privpac.numbers.exact import about_log, exp_up, power_up, written

__all__ = [
    "DECIDING",
    "LARGEST_LOG",
    "ONE",
    "Proof",
    "assumptions_of",
    "explain",
    "need",
    "need_all_roles",
    "need_computed",
    "need_ratio",
    "need_record",
    "need_secret",
    "need_small",
    "need_two_classes",
    "parameters",
    "power",
    "rational",
    "selection",
]

Value = str | int | bool
F = TypeVar("F", bound=Fact, covariant=True)


class _Seal:
    """Only `rules` holds one."""


SEAL = _Seal()


@dataclass(frozen=True)
class Proof(Generic[F]):
    """`fact` holds by `rule` applied to `premises` with the parameters in `where`, given what is assumed."""

    fact: F
    rule: str
    premises: tuple[Proof[Fact], ...] = ()
    where: Mapping[str, Value] = field(default_factory=dict, hash=False)
    assumes: tuple[str, ...] = ()
    beside: tuple[Proof[Fact], ...] = field(default=(), compare=False, repr=False)
    """What the rule proves of the same release besides. Documents of the first format have no place for it."""
    seal: InitVar[object] = None  # not kept: `dataclasses.replace` must not make a proof of something else

    def __post_init__(self, seal: object) -> None:
        if seal is not SEAL:
            raise TypeError("A Proof is made by a rule, not by hand.")
        _need_loss(self.rule, self.fact)
        _need_people(self.rule, self.fact, self.premises)
        _need_roles(self.rule, self.fact, self.premises)
        object.__setattr__(self, "where", MappingProxyType(dict(self.where)))
        if isinstance(self.fact, Accuracy):
            below = (premise.fact for premise in self.premises)
            same = all(fact.rivals == self.fact.rivals for fact in below if isinstance(fact, Accuracy))
            need(self.rule, same, "the premise is a promise against other rules")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "where": dict(self.where)}  # read-only views cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, where=MappingProxyType(state["where"]))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Everything assumed anywhere below, each once, in the order met."""
        return tuple(dict.fromkeys(self._assumptions()))

    def _assumptions(self) -> Iterator[str]:
        yield from self.assumes
        for premise in self.premises:
            yield from premise._assumptions()

    def explain(self) -> str:
        """The derivation as indented text, the fact first and its reasons below."""
        return explain(self.to_json())

    def to_json(self) -> dict[str, object]:
        """The whole derivation as JSON: rule, fact, parameters, assumptions and premises."""
        tree: dict[str, object] = {"rule": self.rule, "fact": self.fact.to_json()}
        if self.where:
            tree["where"] = dict(self.where)
        if self.assumes:
            tree["assumes"] = list(self.assumes)
        if self.premises:
            tree["premises"] = [premise.to_json() for premise in self.premises]
        return tree


def assumptions_of(tree: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything a stored derivation assumes anywhere, each once, in the order met."""
    below = (text for premise in tree.get("premises", ()) for text in assumptions_of(premise))
    return tuple(dict.fromkeys([*tree.get("assumes", ()), *below]))


def explain(tree: Mapping[str, Any]) -> str:
    """Print a stored derivation. Says what is written there; `checker.check` says whether it follows."""
    return "\n".join(_lines(tree, ""))


_WIDE = 140
"""Parameters longer than this stand on lines of their own."""


def _lines(tree: Mapping[str, Any], indent: str) -> Iterator[str]:
    details = ", ".join(
        " ".join(parameter_words(name, _short(value))) for name, value in tree.get("where", {}).items()
    )
    title = tree["rule"].replace("-", " ")
    pad = indent.replace("└─ ", "   ")
    short = len(details) <= _WIDE
    yield f"{indent}{fact_from_json(tree['fact'])}   [{title}]{' ' + details if details and short else ''}"
    yield from () if short else (f"{pad}      {line}" for line in wrap(details, _WIDE))
    for text in tree.get("assumes", ()):
        yield f"{pad}   assuming that {text}"
    for premise in tree.get("premises", ()):
        yield from _lines(premise, f"{pad}   └─ ")


def _short(value: Value) -> str:
    """Long fractions and integers as about six digits; everything else as it is."""
    text = str(value)
    if len(text) <= 16:
        return text
    mantissa, power, exponent = text.partition("*2^")
    if power:
        return f"≈2^{int(exponent) + int(mantissa).bit_length() - 1}"
    try:
        return f"≈{float(Fraction(text)):.6g}"
    except (ValueError, OverflowError):
        return text if not text.isdigit() else f"≈2^{int(text).bit_length() - 1}"


# What rules ask of their parameters, and the arithmetic that several of them share

ONE = Fraction(1)

EXP_DIGITS = 30
"""Decimals to which e^epsilon of a declared epsilon is rounded up where a rule needs a rational number."""

LARGEST_LOG = 1_000
"""Declared epsilons beyond this have no use where e^epsilon itself is needed."""

LARGEST_EPSILON = 5_000
"""Losses beyond this are refused unless declared as a decimal: e^epsilon would fill pages."""


def parameters(**values: Value | Fraction) -> dict[str, Value]:
    """Parameters of a step as a certificate stores them: fractions as exact text."""
    return {name: written(value) if isinstance(value, Fraction) else value for name, value in values.items()}


def need(rule: str, condition: bool, reason: str, remedy: str = "") -> None:
    """Refuse the rule where its condition does not hold."""
    if not condition:
        raise RuleRefused(rule, reason, remedy=remedy)


def need_ratio(rule: str, ratio: Fraction, sensitivity: int) -> None:
    """Refuse what is no ratio of weights, or no sensitivity."""
    need(rule, 0 < ratio <= 1, "the ratio must lie in (0, 1]")
    need(rule, sensitivity >= 1, "the sensitivity must be a positive integer")


def _need_loss(rule: str, fact: Fact) -> None:
    """No loss is below 0: rules that take powers or differences of e^epsilon round upwards only from 1 on."""
    if isinstance(fact, Privacy | BoundedRange | Range):
        need(rule, fact.epsilon.log >= 0 and fact.epsilon.factor >= 1, "a loss below 0 holds of nothing")


GROUPS = frozenset({"group", "concentrated-group"})
"""Rules that turn what is promised to a record into what is promised to a person behind several."""

CARRIED = frozenset(
    {
        "post-processing",
        "sequential",
        "k-fold-composition",
        "declared",
        "assuming",
        "delta-removal",
        "pure-concentrated",
        "concentrated-sum",
        "concentrated-mixture",
        "concentrated-post-processing",
        "concentrated-privacy",
    }
)
"""Rules whose proofs look at two tables only, whatever they differ in: true of a person with several records, too. All
others count one record; parts are among them, since the records of one person may lie in several."""


def records_per_person(fact: Fact) -> int:
    """How many records of one person a fact speaks of."""
    return fact.records_per_person if isinstance(fact, Privacy | Concentrated) else 1


def _need_people(rule: str, fact: Fact, premises: tuple[Proof[Fact], ...]) -> None:
    """A fact about persons comes from `group`, and goes on by rules that are true of them."""
    below = {records_per_person(premise.fact) for premise in premises}
    if rule in CARRIED:
        need(
            rule,
            below == {records_per_person(fact)},
            "the premises speak of other numbers of records of a person",
        )
        return
    need(rule, below <= {1}, "the premise must speak of one record, not of a person with several")
    need(rule, rule in GROUPS or records_per_person(fact) == 1, "it speaks of one record")


ROLES = frozenset(
    {
        "label-boost-labelled",
        "label-boost-unlabelled",
        "later-round",
        "relabelling-part",
        "relabelling-votes",
        "positions-known",
        "disjoint-parts",
        "concentrated-parts",
    }
)
"""Rules that say themselves how many roles the records have."""

SAME_ROLES = frozenset(
    {
        "post-processing",
        "sequential",
        "declared",
        "assuming",
        "subsampling-without-replacement",
        "pure-concentrated",
        "concentrated-sum",
        "concentrated-mixture",
        "concentrated-post-processing",
    }
)
"""Rules that pass on how many there are. All others speak of a mechanism that looks at its part alone."""


def roles(fact: Fact) -> int:
    """How many roles the records have, of which the fact's part is one; 0 if nothing beside the part is looked at."""
    return fact.roles if isinstance(fact, Privacy | Concentrated) else 0


def _need_roles(rule: str, fact: Fact, premises: tuple[Proof[Fact], ...]) -> None:
    """What is known of one role tells nothing of the others: only rules that know of roles take it."""
    if rule in ROLES:
        return
    most = roles(fact) if rule in SAME_ROLES else 0
    same = all(roles(premise.fact) == most for premise in premises)
    need(rule, same and roles(fact) == most, "the premise speaks of one role among several")


DECIDING = frozenset({"labelled part", "voting records", "queried part"})
"""Roles of those whose labels decide: every mechanism with roles has one, and rules about others do not speak of it."""


def need_all_roles(rule: str, facts: Sequence[Privacy | Concentrated]) -> None:
    """Refuse facts unless each looks at its part alone, or all roles of one mechanism are there."""
    parts = [fact.part for fact in facts]
    need(rule, len(set(parts)) == len(parts) and ALL not in parts, "the parts are not different parts")
    every = {fact.roles for fact in facts} == {len(parts)} and not DECIDING.isdisjoint(parts)
    need(
        rule, every or not any(fact.roles for fact in facts), "the premises are not all roles of the records"
    )


def need_computed(rule: str, old: Release, new: Release) -> None:
    """Positions cannot be computed from what does not tell them."""
    need(rule, new is old or new not in POSITIONS, "the release does not tell positions")


def need_secret(rule: str, fact: Privacy | Range) -> None:
    """Sampling hides who was looked at only if nobody tells."""
    need(rule, fact.release not in POSITIONS, "the positions that were looked at are told")


def need_record(rule: str, fact: Privacy | Range) -> None:
    """Whole records are replaced: where only labels are, features may tell who was sampled."""
    need(rule, fact.unit is Unit.RECORD, "the inner run must protect whole records")


def need_two_classes(rule: str, classes: int) -> None:
    """A point has as many labels as there are classes; the proofs of votes between two and of relabelling count two."""
    need(rule, classes == 2, "labels must be of two classes")


def selection(rule: str, ratio: Fraction, sensitivity: int) -> Loss:
    """e^epsilon = ratio^(-2·sensitivity)."""
    return Loss(factor=power(rule, 1 / ratio, 2 * sensitivity))


def power(rule: str, base: Fraction, count: int) -> Fraction:
    """base^count for a base of 1 or more, rounded up if it is too long to be written."""
    need_small(rule, count * about_log(base))
    return power_up(base, count)


def need_small(rule: str, epsilon: float) -> None:
    """Refuse an epsilon that powers of e are not computed for."""
    need(rule, epsilon <= LARGEST_EPSILON, f"an epsilon above {LARGEST_EPSILON} is out of its range")


def rational(rule: str, loss: Loss) -> Fraction:
    """e^epsilon as a rational: itself, or a decimal at or above it when a declared epsilon is involved."""
    if loss.log == 0:
        return loss.factor
    need(rule, loss.log <= LARGEST_LOG, f"an epsilon above {LARGEST_LOG} is out of its range")
    return exp_up(loss.log, EXP_DIGITS) * loss.factor
