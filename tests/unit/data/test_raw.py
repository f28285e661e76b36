"""Quick ways of reading an array agree with reading its values one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data import raw
from privpac.data.raw import codes, lookup, objects
from privpac.data.values import code

TABLES = [
    lookup(names)
    for names in (
        ("0", "1"),
        ("-1", "1"),
        ("true", "false"),
        ("a", "2.0", "-7"),
        ("007", "+3", "-0", "1.0", "٣"),
        ("-128", "127", "255", "0"),
        (str(2**63), str(-(2**63)), str(2**64 - 1), "5"),
        ("9" * 5000, "1"),
        ("a", "b"),
    )
]
KINDS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i8", ">u2")


@pytest.mark.long_cases(
    "u8",
)
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), table=st.sampled_from(TABLES))
def test_integers_are_looked_up_as_one_by_one(data: st.DataObject, kind: str, table: dict[str, int]) -> None:
    info = np.iinfo(np.dtype(kind))
    near = (-129, -128, -7, -1, 0, 1, 2, 3, 5, 7, 127, 128, 255, 256, 2**63, 2**64 - 1)
    some = st.sampled_from(
        [number for number in (*near, info.min, info.max) if info.min <= number <= info.max]
    )
    items = data.draw(st.lists(st.one_of(some, st.integers(info.min, info.max)), max_size=6))
    array = np.array(items, dtype=kind)
    expected = [code(item, table) for item in array]
    for widest in (raw.WIDEST, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(raw, "WIDEST", widest)
            assert codes("x", array, table=table).tolist() == expected
            assert codes("x", array[::2], table=table).tolist() == expected[::2]


@pytest.mark.parametrize("table", TABLES[:4])
def test_booleans_and_texts(table: dict[str, int]) -> None:
    truths = np.array([True, False, True])
    assert codes("x", truths, table=table).tolist() == [code(item, table) for item in truths]
    for items in (["a", "1", "a"], ["a", " ", "x", "1.0"], ["1", None, 1, np.str_("1"), np.str_(" "), True]):
        assert codes("x", objects(items), table=table).tolist() == [code(item, table) for item in items]
