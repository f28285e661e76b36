"""Keyed sets: exact marginals for any hash, conditioned keys, files, and no SQL."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.sets.keys import KeyedFamily, KeyedSet
from privpac.errors import NoSqlForm, ParameterError
from tests.unit.point_rules import by_database, keys, names, random_cells

CELLS = {"code": np.arange(3, dtype=np.uint32)}


def test_a_shift_makes_every_marginal_exact() -> None:
    drawn = law(KeyedFamily("code", 2, modulus=7, key_bits=1).draw)
    for cell in range(3):
        assert sum(p for rule, p in drawn.items() if rule.predict(CELLS)[cell]) == Fraction(2, 7)


@pytest.mark.parametrize("holds", [True, False])
def test_conditioned_sets_are_uniform_among_those_that_fit(holds: bool) -> None:
    family = KeyedFamily("code", 2, modulus=7, key_bits=1)
    fits = [rule for rule in law(family.draw) if bool(rule.predict(CELLS)[1]) == holds]
    drawn = law(lambda coins: family.draw_given(1, holds=holds, coins=coins))
    assert drawn == dict.fromkeys(fits, Fraction(1, len(fits)))


def test_sets_have_their_share_and_read_back() -> None:
    schema = keys(128)
    family = KeyedFamily.sharing("code", Fraction(1, 8))
    assert family.share == Fraction(1, 8)
    rule = family.draw(SeededCoins(3))
    cells = random_cells(schema, 4000)
    assert 0.1 < rule.predict({"code": cells}).mean() < 0.15
    assert hypothesis_from_json(rule.to_json()) == rule
    assert "BLAKE2b" in rule.describe(schema)
    with pytest.raises(NoSqlForm, match="keyed hash"):
        rule.to_sql(schema)


def test_short_columns_are_listed_in_sql() -> None:
    rule = KeyedSet("code", 5, 3, 7, 3)
    cells = np.arange(6, dtype=np.uint32)
    assert by_database(rule, names(), cells, "VARCHAR") == rule.predict({"code": cells}).tolist()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError):
        KeyedFamily("code", 5, modulus=7)
    tree = KeyedSet("code", 5, 3, 7, 3).to_json()
    with pytest.raises(Exception, match="malformed"):
        hypothesis_from_json({**tree, "shift": "9"})
