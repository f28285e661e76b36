"""Protecting less never promises less: whatever is certified of whole records is certified of labels, too."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.request import Request
from privpac.constructions.words import WORDS, learner_for
from privpac.data.columns import Numeric
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.guarantee.facts import Accuracy
from privpac.numbers.exact import first_whole
from privpac.request import LearnRequest
from tests.forms import written_out

BOTH = {
    head: written_out(word.form, "c", "d")
    for head, word in WORDS.items()
    if {"records", "labels"} <= set(word.protects)
}
MORE = ("thresholds:c:either", "unions:c:3", "rectangles:c,d:16", "halfspaces:c,d,e", "trees:1", "one-test")
SIZES = (30, 300, 1_000, 10_000, 100_000)
EPSILONS = (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3))
BITS = (3, 10, 32)


def promised(word: str, request: Request) -> dict[tuple[str, str], Accuracy] | None:
    """What is certified, by setting and rivals; None where the word is refused."""
    try:
        proofs = learner_for(word, request).certify(request.size).accuracy
    except PrivpacError:
        return None
    return {(proof.fact.against.value, proof.fact.rivals): proof.fact for proof in proofs}


WITHOUT = {BOTH["card"], BOTH["finite"]}
"""Words that promise nothing about errors, or that name a file which is not there."""


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("word", [*BOTH.values(), *MORE])
def test_labels_are_never_promised_less_than_whole_records(word: str, bits: int) -> None:
    schema = Schema(tuple(Numeric(name, 0, 2**bits - 1, integer=True) for name in "cde"), label="y")
    compared = 0
    for n in SIZES:
        for epsilon in EPSILONS:
            records, labels = (
                promised(word, Request(schema, Size(n), LearnRequest(epsilon=epsilon, protect=protect)))
                for protect in ("records", "labels")
            )
            if records is None:
                continue
            assert labels is not None, (n, epsilon)
            for setting, fact in records.items():
                assert labels[setting].error <= fact.error, (n, epsilon, setting)
                assert labels[setting].failure <= fact.failure
                compared += 1
    assert compared or word in WITHOUT


@pytest.mark.parametrize("bits", [3, 10])
@pytest.mark.parametrize(
    "word", ["thresholds:c", "intervals:c", "unions:c:2", "points:c", "rectangles:c,d", "stumps"]
)
def test_more_records_promise_no_less_where_members_are_drawn_in_place_of_labellings(
    word: str, bits: int
) -> None:
    """What is drawn changes with the number of records; what is promised goes on falling."""
    schema = Schema(tuple(Numeric(name, 0, 2**bits - 1, integer=True) for name in "cd"), label="y")

    def learner(n: int) -> Learner:
        return learner_for(
            word, Request(schema, Size(n), LearnRequest(epsilon=Fraction(3, 10), protect="labels"))
        )

    first = first_whole(lambda n: isinstance(learner(n), Occam), start=2**bits, smallest=1)
    before, after = (
        {proof.fact.against: proof.fact.error for proof in learner(n).certify(Size(n)).accuracy}
        for n in (max(1, first - 1), first)
    )
    assert all(after[setting] <= error for setting, error in before.items())
