"""Every kind of class a plan can be made for, by its word: those of the families, any class, and `auto`."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions import catalogue
from privpac.constructions.class_facts import MOST_BITS, OWNER, ClassFacts, Description, Kinds
from privpac.errors import ParameterError
from privpac.numbers.parameters import at_least
from privpac.removed import replacement_of

__all__ = ["AUTO", "KINDS", "facts_of"]


def _any(rest: str, description: Description) -> ClassFacts:
    """Any class of a VC dimension and a number of members: what is true of all of them."""
    if rest in ("inf", "infinite", "infinity"):
        raise ParameterError(
            OWNER,
            "concepts",
            f"any:{rest}",
            allowed="any:D with a finite VC dimension D",
            remedy="A class of infinite dimension cannot be learnt, private or not: coarsen it, or bound its size"
            " with any:D --bits B.",
        )
    vc = at_least(1, rest or 1, owner=OWNER, name="VC dimension")
    if description.bits is None:
        remedy = "A class of 2^16 members has --bits 16."
        raise ParameterError(OWNER, "bits", None, allowed="given for any:D", remedy=remedy)
    bits = description.bits
    if bits < vc:
        raise ParameterError(
            OWNER,
            "bits",
            bits,
            allowed=f"at least {vc}, since a class that shatters {vc} points has 2^{vc} members",
            remedy=f"Give --bits {vc} or more, or a dimension of at most {bits}: any:{bits}.",
        )
    return ClassFacts(f"any:{vc}", "any", 2**bits, Fraction(2**bits - 1), vc, vc, named=False)


KINDS: Kinds = {**catalogue.kinds(), "any": ("any:VC --bits B", _any)}
"""Every class a plan can be made for: how it is written without a schema, and its facts."""

AUTO = ("one-test", "trees:1", "trees:2", "trees:3")
"""What `auto` may end in."""


def facts_of(word: str, description: Description) -> tuple[ClassFacts, ...]:
    """The class a word names; for `auto`, those it chooses among.

    >>> facts_of("thresholds", Description(bits=32))[0].size == 2**32 + 1
    True
    """
    _check(description)
    if word == "auto":
        if description.schema is None:
            description.number_of_tests("auto")  # refuses what tells none
        return (
            *_mixture_facts(description),
            *(fact for name in AUTO for fact in facts_of(name, description)),
        )
    head, _, rest = word.partition(":")
    gone = replacement_of(word)
    if head not in KINDS or gone:
        _refuse_ways(word)
        forms = ", ".join(form.partition(" ")[0] for form, _ in KINDS.values())
        raise ParameterError(OWNER, "concepts", word, allowed=f"one of auto, {forms}", remedy=gone)
    facts = KINDS[head][1](rest, description)
    if facts.size < 2:
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="a class of at least two members",
            remedy="There is nothing to learn.",
        )
    return (facts,)


def _refuse_ways(word: str) -> None:
    """A way to learn is no class: say for which one to plan."""
    head, _, rest = word.partition(":")
    entry = catalogue.words().get(head)
    way_of = entry.way_of if entry else ""
    if entry and entry.transforms:
        near = rest.partition(":")[2] if rest.partition(":")[0].isdigit() else rest
    elif way_of:
        column = rest.partition(":")[0] if way_of == "thresholds" else ""
        near = way_of + (f":{column}" if column and not column[0].isdigit() else "")
    else:
        return
    raise ParameterError(
        OWNER,
        "concepts",
        word,
        allowed="a kind of rule, not a way to learn one",
        remedy=f"--concepts {near} plans for all ways to learn that kind.",
    )


def _mixture_facts(description: Description) -> tuple[ClassFacts, ...]:
    """All that `auto` draws from, under its prior; unknown where only a number of tests was given."""
    from privpac.constructions.draw.default import default_mixture
    from privpac.data.schema import Schema

    schema = description.schema
    if schema is None:
        if description.columns is None:
            return ()
        column = {"kind": "numeric", "lower": 0, "upper": 1}
        columns = [{**column, "name": f"x{i}"} for i in range(description.columns)]
        schema = Schema.from_json({"label": "y", "columns": columns})
    mixture = default_mixture(schema, n=description.records or 1000, epsilon=Fraction(1))
    size = mixture.size
    return (
        ClassFacts(
            "auto",
            "auto",
            size,
            mixture.odds,
            size.bit_length() - 1,
            1,
            schema=schema,
            named=description.named,
        ),
    )


def _check(description: Description) -> None:
    for name in ("bits", "columns", "tests"):
        value = getattr(description, name)
        if value is not None:
            most = MOST_BITS if name == "bits" else 10**6
            if at_least(1, value, owner=OWNER, name=name) > most:
                raise ParameterError(OWNER, name, value, allowed=f"a whole number from 1 to {most}")
