"""Plain decimal numbers are read as Python reads them, and everything else is left alone."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.decimals import EXACT, EXACT_WHOLE, LONGER, NOTHING, ODD, read_decimals


def read(texts: list[str]) -> list[tuple[int, float, int]]:
    cells = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, cells)]).astype(np.int64)
    kinds, doubles, wholes = read_decimals(np.frombuffer(b"".join(cells), np.uint8), ends)
    return list(zip(kinds.tolist(), doubles.tolist(), wholes.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, EXACT) for text in ("0", "-0", "007", "5.", ".5", "-3.7", "9007199254740992", "0.1")),
        *((text, EXACT_WHOLE) for text in ("9007199254740993", "0.49671415301123270", "9" * 18)),
        *((text, LONGER) for text in ("9" * 19, "1e5", "1E-05", "-2.5e+7", "0" * 40)),
        ("", NOTHING),
        *(
            (text, ODD)
            for text in (" ", " 1", "1 ", "+1", "-", ".", "-.", "1.2.3", "1e", "1e+", "e5", "1e123")
        ),
        *((text, ODD) for text in ("0x10", "1_0", "1,5", "nan", "inf", "١", "--1", "1-", "1e5.0", "9" * 41)),
    ],
)
def test_kinds(text: str, kind: int) -> None:
    assert read([text])[0][0] == kind


@given(st.lists(st.from_regex(r"-?[0-9]{0,20}(\.[0-9]{0,20})?", fullmatch=True), min_size=1, max_size=8))
def test_what_is_exact_is_what_python_reads(texts: list[str]) -> None:
    for text, (kind, double, whole) in zip(texts, read(texts), strict=True):
        if kind == EXACT:
            assert double == float(text)
            assert math.copysign(1, double) == math.copysign(1, float(text))
        if kind in (EXACT, EXACT_WHOLE):
            assert whole == math.floor(Decimal(text))
        if kind == ODD:
            assert not any(sign in "0123456789" for sign in text) or len(text) > 40
