"""A proof: a fact, the rule that gives it, and the proofs it rests on.

Proofs can be made by rules only (`guarantee.rules`, and the `rules` of a family of constructions): the constructor asks
for a seal that this module hands to them, and a contract test looks who takes it. The certificate is such a tree;
`explain` prints it, `checker.check` re-derives it from its stored form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from privpac.guarantee.facts import Fact, fact_from_json

__all__ = ["Proof", "assumptions_of", "explain"]

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
        object.__setattr__(self, "where", MappingProxyType(dict(self.where)))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "where": dict(self.where)}  # read-only views cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, where=MappingProxyType(state["where"]))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Everything assumed anywhere below, each once, in the order met."""
        return tuple(dict.fromkeys(self._assumed()))

    def _assumed(self) -> Iterator[str]:
        yield from self.assumes
        for premise in self.premises:
            yield from premise._assumed()

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
    details = ", ".join(f"{name} {_short(value)}" for name, value in tree.get("where", {}).items())
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
    try:
        return f"≈{float(Fraction(text)):.6g}"
    except (ValueError, OverflowError):
        return text if not text.isdigit() else f"≈2^{int(text).bit_length() - 1}"
