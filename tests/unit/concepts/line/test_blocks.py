"""Middles of occupied blocks, against every block of small domains."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from privpac.concepts.line.blocks import BlockMiddles, block_middles
from privpac.data.statistics import ColumnCounts

Records = list[tuple[int, int]]


def middles(records: Records, domain: int, *, reach: int, stake: int, kind: type) -> BlockMiddles:
    values = sorted({value for value, _ in records})
    counts = np.array(
        [[records.count((value, label)) for label in (0, 1)] for value in values], dtype=np.int32
    )
    mistakes = [sum(label == 0 for _, label in records)]
    for zeros, ones in counts.tolist():
        mistakes.append(mistakes[-1] + ones - zeros)
    return block_middles(
        ColumnCounts(np.array(values, dtype=kind), counts, len(records)),
        np.array(mistakes, dtype=np.int64),
        domain=domain,
        levels=max(1, (domain - 1).bit_length()),
        reach=reach,
        stake=stake,
    )


def listed(records: Records, domain: int, *, reach: int, stake: int) -> Counter[tuple[int, int | None]]:
    """(cost, cut) of every occupied block, both ends and the blank, as the definition says it."""

    def mistakes(cut: int) -> int:
        return sum((value >= cut) != bool(label) for value, label in records)

    levels = max(1, (domain - 1).bit_length())
    found: Counter[tuple[int, int | None]] = Counter({(2 * reach, None): stake})
    found.update((mistakes(end) - reach + 1, end) for end in (0, domain))
    for level in range(levels):
        width = 1 << (levels - level)
        for first in {value // width * width for value, _ in records}:
            inside = sum(first <= value < first + width for value, _ in records)
            middle = first + width // 2
            cost = max(2 * reach - inside, mistakes(middle) - reach + 1)
            found[cost, min(middle, domain)] += 1
    return found


def drawn(found: BlockMiddles) -> Counter[tuple[int, int | None]]:
    histogram = found.histogram(None)
    places = zip(histogram.steps.tolist(), histogram.counts, strict=True)
    return Counter(
        (histogram.best + step, found.locate(histogram.best + step, index))
        for step, count in places
        for index in range(count)
    )


@pytest.mark.parametrize("kind", [np.uint64, object])
def test_groups_hold_every_block_once(kind: type) -> None:
    rng = random.Random(1)
    for _ in range(300):
        domain = rng.choice((1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 64))
        records = [(rng.randrange(domain), rng.randrange(2)) for _ in range(rng.randint(1, 9))]
        numbers = {"reach": rng.randint(1, 4), "stake": rng.randint(1, 50)}
        assert drawn(middles(records, domain, kind=kind, **numbers)) == listed(records, domain, **numbers)


@pytest.mark.parametrize("kind", [np.uint64, object])
def test_all_64_bits_count(kind: type) -> None:
    records = [(0, 0), (1, 0), (2**63 - 1, 1), (2**64 - 2, 1), (2**64 - 1, 0)]
    assert drawn(middles(records, 2**64, reach=2, stake=3, kind=kind)) == listed(
        records, 2**64, reach=2, stake=3
    )


def test_keys_of_hundreds_of_bits() -> None:
    rng = random.Random(2)
    records = [(rng.getrandbits(300), rng.randrange(2)) for _ in range(20)]
    assert drawn(middles(records, 2**300, reach=2, stake=3, kind=object)) == listed(
        records, 2**300, reach=2, stake=3
    )


def test_a_histogram_counts_what_lies_beyond_its_span() -> None:
    found = middles([(3, 0), (4, 1), (9, 1)], 16, reach=1, stake=10**30, kind=np.uint64)
    whole, near = found.histogram(None), found.histogram(0)
    assert near.counts == whole.counts[:1]
    assert near.beyond == sum(whole.counts[1:])


def test_nothing_of_the_records_shows() -> None:
    assert "key" not in repr(middles([(3, 0), (4, 1)], 16, reach=1, stake=2, kind=np.uint64))
