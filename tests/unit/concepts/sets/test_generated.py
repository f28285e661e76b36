"""Generated points: the generator against its standard, the law against every seed, long values."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import privpac
from privpac import MemorySample, Occam, Points, Schema, SeededCoins, Size
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import law
from privpac.concepts.sets import chacha
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.concepts.sets.points import Point
from privpac.data.columns import Numeric
from privpac.errors import ParameterError
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)


def schema_of(bits: int) -> Schema:
    column = Numeric("code", lower=0, upper=2**bits - 1, integer=True)
    return Schema((column,), label="y", classes=("0", "1"))


def test_the_block_function_is_that_of_rfc_8439() -> None:
    key = np.frombuffer(bytes(range(32)), dtype="<u4")
    words = chacha.block(key, counter=1, nonce=(0x09000000, 0x4A000000, 0))
    assert words.astype("<u4").tobytes().hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


@pytest.mark.parametrize("bits", [5, 32, 64, 100, 700])
def test_seeds_are_found_by_the_values_they_expand_to(bits: int) -> None:
    salt = np.arange(6, dtype=np.uint32)
    values = [chacha.expand(seed, salt=salt, bits=bits) for seed in range(300)]
    assert max(values).bit_length() <= bits
    assert len(set(values)) > min(300, 2**bits) / 2
    wanted = {value & (2**64 - 1) for value in values[::7]}
    found = chacha.hits(np.array(sorted(wanted), dtype=np.uint64), seeds=300, salt=salt, bits=bits)
    assert found.tolist() == [s for s, value in enumerate(values) if value & (2**64 - 1) in wanted]


@pytest.mark.parametrize("salt", ["a", "d", "h"])
def test_the_law_is_that_of_all_seeds(salt: str) -> None:
    schema, ratio = tiny_schema(4), ratio_for(ONE / 2)
    concepts = GeneratedPoints(schema, "a", 2, salt)
    values = [concepts.value(seed) for seed in range(4)]
    records = records_of(schema)
    for data in ([records[0]], [records[1], records[4]], [records[3], records[3], records[6]]):
        evidence = sample_of(schema, data).reduce(concepts.statistic)
        weights: Counter[int] = Counter()
        for value in values:
            mistakes = sum(int(cell == value) != label for cell, label in data)
            weights[value] += ratio**mistakes
        found = law(lambda coins, seen=evidence: concepts.gibbs(seen, ratio=ratio, costs=(1, 1)).draw(coins))
        total = sum(weights.values())
        assert found == {Point("a", value): weight / total for value, weight in weights.items()}


@pytest.mark.parametrize("bits", [40, 64, 256])
def test_both_learners_find_a_generated_code(bits: int) -> None:
    schema = schema_of(bits)
    concepts = GeneratedPoints(schema, "code", 12)
    target = concepts.value(1234)
    kind = object if bits > 63 else np.int64
    cells = np.array([target] * 600 + [(i * 7919**9) % 2**bits for i in range(600)], dtype=kind)
    sample = MemorySample.from_cells(schema, {"code": cells}, (cells == target).astype(np.int64))
    slow, fast = Occam(concepts, ONE), Occam(Points(schema, "code"), ONE)
    assert slow.learn(sample, SeededCoins(1)) == fast.learn(sample, SeededCoins(1)) == Point("code", target)
    errors = [learner.certify(Size(1200)).accuracy[0].fact.error for learner in (slow, fast)]
    assert errors[0] < errors[1]


def test_an_empty_sample_leaves_every_seed_alike() -> None:
    concepts = GeneratedPoints(tiny_schema(4), "a", 1, "g")
    evidence = sample_of(tiny_schema(4), []).reduce(concepts.statistic)
    shares = law(lambda coins: concepts.gibbs(evidence, ratio=ONE / 2, costs=(1, 1)).draw(coins))
    assert shares == {Point("a", 0): ONE / 2, Point("a", 3): ONE / 2}


def test_other_columns_and_too_many_seeds_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"2\^d values"):
        GeneratedPoints(tiny_schema(6), "a", 1)
    with pytest.raises(ParameterError, match="points:COLUMN"):
        GeneratedPoints(schema_of(64), "code", 29)
    with pytest.raises(ParameterError, match="from 1 to 3"):
        GeneratedPoints(tiny_schema(8), "a", 4)


def test_the_word_and_the_object_are_verified(tmp_path: Path) -> None:
    schema = schema_of(32)
    concepts = GeneratedPoints(schema, "code", 10)
    codes = [concepts.value(5)] * 200 + list(range(200))
    table = {"code": codes, "y": [int(code == codes[0]) for code in codes]}
    for wish in ("generated:code:10", GeneratedPoints(schema, "code", 10, "mine")):
        model = privpac.learn(table, schema=schema, concepts=wish, epsilon=1, random_state=0)
        model.save(tmp_path / "model.json")
        assert privpac.verify(tmp_path / "model.json")
    assert concepts.word == "generated:code:10"
    assert concepts.vc == 1
