"""What a guarantee means and does not mean, in plain words and with its own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privpac.checker.document import FROM_DATA
from privpac.guarantee.guesses import CERTAIN, exp_above, guessed_at_most, suspected_at_most
from privpac.numbers.decimals import decimal_text

if TYPE_CHECKING:
    from privpac.data.schema import Schema

__all__ = [
    "buys_rate",
    "does_not_mean",
    "means",
    "protected",
    "records_of_one_person",
    "shares_in_words",
    "taken_for_granted",
]

WEAK = 5  # an epsilon above which the factor is beyond a hundred and the words must not comfort


def means(tree: Mapping[str, Any]) -> list[str]:
    """What somebody who trusts a certificate, in its stored form, may conclude."""
    epsilon, delta, thing = Fraction(tree["epsilon"]), Fraction(tree["delta"]), protected(tree)
    texts = [
        f"If {thing} had been anything else, every possible outcome ({_outcome(tree)}) would have been almost as"
        f" likely: {_factor(tree)}.",
        _guess(tree, epsilon, delta),
        "This holds whatever else they know, now or later, and whatever they do with it: predicting, publishing"
        " and rewriting cost nothing more.",
    ]
    if not delta and guessed_at_most(epsilon) != CERTAIN:
        suspicion = suspected_at_most(epsilon, SUSPICION)
        texts.append(
            "Whatever somebody held likely before, its odds grow by at most that factor: a suspicion of 1 % to at most"
            f" {suspicion}."
        )
    if epsilon > WEAK:
        texts.append(
            "At an epsilon this large the guarantee is weak: take it as a limit on the worst case, not as a"
            " comfort."
        )
    return texts


SUSPICION = Fraction(1, 100)


def _guess(tree: Mapping[str, Any], epsilon: Fraction, delta: Fraction) -> str:
    """The loss against somebody who knows everything else, as a guess."""
    guess, thing = guessed_at_most(epsilon, delta), protected(tree)
    it = "it" if records_of_one_person(tree) == 1 else "them"
    if guess == CERTAIN:
        return (
            f"Somebody who knows everything except {thing} may learn from this release which of two possibilities is"
            " true: at this epsilon nothing is promised that would protect a person."
        )
    return (
        f"Somebody who knows everything except {thing}, and finds two possibilities for {it} equally likely,"
        f" will guess the true one at most {guess} of the time after seeing this release."
    )


def _outcome(tree: Mapping[str, Any]) -> str:
    """What the world sees."""
    release = str(tree["privacy"]["fact"].get("release", ""))
    if "answer" in release:
        return "the one answer" if release.startswith("one") else "all declared answers together"
    return (
        "everything that was released"
        if release == "noisy numbers"
        else "this rule and all numbers released with it"
    )


def records_of_one_person(tree: Mapping[str, Any]) -> int:
    """Records of one person that are protected together: what was derived, not what was wished for."""
    return int(tree["privacy"]["fact"].get("records_per_person", 1))


def protected(tree: Mapping[str, Any]) -> str:
    """What a certificate protects, in words."""
    label = tree["privacy"]["fact"]["unit"] == "label"
    if records_of_one_person(tree) > 1:
        return f"{'the labels of ' if label else ''}all records of one person (up to {records_of_one_person(tree)})"
    return "the label of one record" if label else "one record"


def _factor(tree: Mapping[str, Any]) -> str:
    epsilon, delta = Fraction(tree["epsilon"]), Fraction(tree["delta"])
    factor = _plain_factor(epsilon)
    text = f"its probability changes by a factor of at most e^{tree['epsilon']} ≤ {factor}, which is what epsilon says"
    rest = (
        f", up to a further {decimal_text(delta)}, the delta"
        if delta
        else "; delta 0 means without exception"
    )
    return text + rest


def _plain_factor(epsilon: Fraction) -> str:
    if epsilon > 40:
        return "10^" + str(int(epsilon * Fraction(44, 100)) + 1)  # 1/ln 10 < 0.44
    if epsilon > 10:
        return f"{int(exp_above(epsilon, 0)):,}"
    return f"{float(exp_above(epsilon, 3)):,.3f}"


def does_not_mean(tree: Mapping[str, Any]) -> list[str]:
    """What nobody may conclude from it."""
    people = records_of_one_person(tree)
    return [
        "It does not hide what is true of people in general. A rule that holds for many also holds for"
        " somebody who was never in the table.",
        "It does not cover the schema: bounds, categories, classes, a base rate and the number of records are taken"
        " to be public.",
        "It does not cover other releases from the same records: losses add up, and a ledger keeps the sum.",
        "It does not cover the table itself, the machine it is on, or errors and timings seen there.",
        "It counts one record per person. Somebody with several records is protected less: two records double the"
        " epsilon, three make it three times as large, and so on."
        if people == 1
        else f"It does not hold as it stands for somebody with more than {people} records.",
        "It says nothing about cause and effect or fairness, and its accuracy is that of records like these:"
        " where the world changes, so does the error.",
    ]


def taken_for_granted(tree: Mapping[str, Any], schema: Schema) -> list[str]:
    """What the promise rests on and no file can show: the ways to lose it that docs/understand/limits.md lists.

    Assumptions of the certificate itself come last, in its own words, but for the two that are said above.
    """
    people = records_of_one_person(tree)
    rate = "" if buys_rate(tree) else shares_in_words(schema)
    facts = "Bounds, categories and classes of the schema" + (
        f", and the base rate ({rate})," if rate else ""
    )
    read = FROM_DATA in tree["assumptions"]
    above = (FROM_DATA, f"no person stands behind more than {people} records")
    return [
        f"{facts} {'are no secret, although they were read from' if read else 'were known without looking at'}"
        " these records.",
        f"No person has more than {people} {'record' if people == 1 else 'records'}.",
        "Whatever else was released from the same records was charged to the same ledger, failed attempts included.",
        "This release was not chosen among several by looking at the records.",
        "The procedure that the certificate names was run on these records, by software without a fault, with"
        " randomness that nobody can foresee.",
        "Nothing that no certificate covers was published beside it: no accuracy, plot or count made in another way.",
        "No outsider could start runs, see how long they take, or read their errors.",
        *(_sentence(text) for text in tree["assumptions"] if text not in above),
    ]


def _sentence(text: str) -> str:
    """An assumption from a file, which anybody may have written: it must not look like a paragraph of ours."""
    printable = text if text.isprintable() else ascii(text)
    return f"{printable[:1].upper()}{printable[1:]}."


def buys_rate(tree: Mapping[str, Any]) -> bool:
    """Whether the shares of the classes were bought with the release that this certificate is of."""
    return (tree["request"] or {}).get("rate_epsilon") is not None


def shares_in_words(schema: Schema) -> str:
    """The base rate that a schema holds, class by class; empty if it holds none."""
    if schema.base_rate is None:
        return ""
    names = (name if name.isprintable() else ascii(name) for name in schema.class_names)
    return ", ".join(f"{name}: {share:g}" for name, share in zip(names, schema.base_rate, strict=True))
