"""Exact numbers in files, however long: written once, read by both checkers, and refused in a sentence where not."""

from __future__ import annotations

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from privpac import Schema, Size, Thresholds
from privpac.checker.book import TYPES
from privpac.checker.check import check_document
from privpac.checker.functions import Broken
from privpac.concepts.derived.reference import Uniform
from privpac.constructions.covers.sampled import SampledCover
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.errors import SizeError
from privpac.guarantee.certificate import Certificate
from privpac.numbers.exact import shortened_whole, written

ROOT = Path(__file__).resolve().parents[3]
ONE = Fraction(1)


def ages(bits: int) -> Schema:
    column = {"name": "a", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [column]})


def few_labels(bits: int, unlabelled: int) -> Certificate:
    return GenericLearner(Thresholds(ages(bits), "a"), ONE).certify(Size(400, unlabelled))


def cover(mass: Fraction) -> Certificate:
    options = {"kappa": ONE, "level": Fraction(1, 100), "mass": mass}
    schema = ages(10)
    return SampledCover(Thresholds(schema, "a"), Uniform(schema, ("a",)), ONE, **options).certify(Size(2000))


@pytest.mark.parametrize(
    "certificate",
    [
        few_labels(62, 10_000_000),
        few_labels(4_000, 10_000_000),
        cover(Fraction(1, 500)),
        cover(Fraction(1, 5_000)),
    ],
    ids=["62 bits", "4,000 bits", "1/500", "1/5,000"],
)
def test_certificates_of_long_numbers_are_made_and_checked_by_both(certificate: Certificate) -> None:
    text = json.dumps(certificate.to_json())
    check_document(json.loads(text))
    node = shutil.which("node")
    if node is not None:
        line = json.dumps({"kind": "certificate", "text": text})
        done = subprocess.run(
            [node, "tests/slow/javascript/judge.mjs"],
            input=line,
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
        )
        assert json.loads(done.stdout)["accepted"] is True


def test_counts_are_rounded_up_only_where_their_digits_are_too_many() -> None:
    assert shortened_whole(10**4299 + 1) == 10**4299 + 1
    long = shortened_whole(3**30_000)
    assert 3**30_000 <= long <= 3**30_000 * (1 + Fraction(1, 2**254))
    assert TYPES["whole"](written(long)) == long
    assert TYPES["whole"](written(2**20_000)) == 2**20_000
    with pytest.raises(SizeError, match="more than 4,300 digits"):
        written(Fraction(1, 3**30_000))
    with pytest.raises(SizeError, match="more than 4,300 digits"):
        written(3**30_000)


@pytest.mark.parametrize(
    "text",
    ["4*2^20000", "3*2^10", "0*2^20000", "3*2^020000", f"{2**256 + 1}*2^20000", "3*2^9999999", "-3*2^20000"],
)
def test_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(Broken):
        TYPES["whole"](text)
