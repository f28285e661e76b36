"""The verdict: which measure, from when on something is measured, and what is said."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac import Schema
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.trees.tree import Leaf
from privpac.constructions.estimates.confusion import Confusion, summarise
from privpac.constructions.estimates.verdict import Measure, Useful, Verdict, verdict_of

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
SCHEMA = Schema.from_json({"label": "ill", "classes": ["no", "yes"], "base_rate": 0.1, "columns": [AGE]})
RULE = Threshold("age", 50, up=True)


def judged(
    *rows: tuple[int, ...], epsilon: str | None = "1", costs: tuple[int, ...] | None = None, **more: Any
) -> Verdict:
    certificate = {
        "epsilon": "2",
        "request": {
            "estimate_epsilon": epsilon,
            "records_per_person": 1,
            "costs": None if costs is None else list(costs),
        },
    }
    estimate: Confusion | None = None
    if epsilon is not None:
        records = sum(map(sum, rows))
        estimate = summarise(rows, records=records, epsilon=Fraction(epsilon), choice=None)
    return verdict_of(
        more.get("rule", RULE), SCHEMA, certificate=certificate, estimate=estimate, leaf_counts=None
    )


def test_accuracy_is_told_beside_the_constant() -> None:
    found = judged((8500, 500), (300, 700))
    assert (found.useful, found.measured, found.measure) == (Useful.YES, True, Measure.ACCURACY)
    assert found.lines[0] == "Yes. Right about 0.920 of the time; always saying no: 0.900."
    assert found.lines[1] == "Better than always saying no, by about 0.020."
    assert (found.value, found.against) == (pytest.approx(0.92), pytest.approx(0.9))


def test_a_rule_with_balanced_costs_is_judged_by_what_it_finds() -> None:
    """Right less often than a constant: that was not what it was asked for."""
    found = judged((6000, 3000), (330, 670), costs=(1, 9))
    assert (found.useful, found.measure) == (Useful.YES, Measure.BALANCED)
    assert (
        found.headline
        == "Yes. Finds about 67 of 100 where ill is yes, false alarms about 33 of 100 where it is no."
    )
    assert "0.668 (a constant: 0.500)" in found.lines[1]
    assert found.gain == pytest.approx((0.67 + 2 / 3) / 2 - 0.5, abs=1e-3)
    assert "gains nothing" not in str(found)


def test_costs_of_ones_own_are_what_counts() -> None:
    found = judged((6000, 3000), (330, 670), costs=(1, 3))
    assert (found.useful, found.measure) == (Useful.NO, Measure.COSTS)
    assert found.value == pytest.approx((3000 + 3 * 330) / 10_000)
    assert found.against == pytest.approx(3 * 1000 / 10_000)


@pytest.mark.parametrize(
    ("rows", "useful"),
    [
        (((8700, 300), (690, 310)), Useful.UNCLEAR),
        (((8000, 1000), (990, 10)), Useful.NO),
        (((8990, 10), (700, 300)), Useful.YES),
    ],
)
def test_better_worse_or_not_told_apart(rows: tuple[tuple[int, ...], ...], useful: Useful) -> None:
    found = judged(*rows)
    assert found.useful is useful
    said = {Useful.YES: "Better than", Useful.NO: "Worse than", Useful.UNCLEAR: "Not told apart from"}
    assert said[useful] in found.lines[1]


def test_who_says_the_same_to_nearly_everybody_is_no_better() -> None:
    """By the counts, or because only the edge of the declared ranges is told something else; not where that gains."""
    found = judged((8990, 10), (980, 20))
    assert found.useful is Useful.NO
    assert (
        found.headline
        == "No. It says no to nearly everybody: right about 0.901 of the time; always saying no: 0.900."
    )
    assert found.lines[1] == "No better than always saying no."
    assert found.to_json()["constant_to_nearly_everybody"]
    assert judged((8990, 10), (900, 100)).useful is Useful.UNCLEAR, "a gain of .009"
    assert judged((8990, 10), (980, 20), epsilon="0.02").useful is Useful.UNCLEAR, "noise may hide more"
    edge = Threshold("age", 99, up=True)
    assert judged((8700, 300), (690, 310)).useful is Useful.UNCLEAR
    assert judged((8700, 300), (690, 310), rule=edge).useful is Useful.NO
    assert judged((8990, 10), (700, 300), rule=edge).useful is Useful.YES


def test_too_little_is_not_called_measured() -> None:
    below = judged((8500, 500), (300, 700), epsilon="0.0059")
    assert (below.useful, below.measured, below.value) == (Useful.UNCLEAR, False, None)
    assert below.headline.startswith("Unclear, not measured: ")
    assert judged((8500, 500), (300, 700), epsilon="0.006").measured
    nothing = judged(epsilon=None)
    assert (nothing.useful, nothing.measured) == (Useful.UNCLEAR, False)


def test_a_constant_is_of_no_use_whatever_was_counted() -> None:
    for epsilon in (None, "1"):
        found = judged((9000, 0), (1000, 0), epsilon=epsilon, rule=Leaf(0))
        assert (found.useful, found.constant) == (Useful.NO, 0)
        assert found.headline == "No. It always says no. Epsilon 2 was spent."
        assert found.lines[1].startswith("What helps: ")


def test_a_rule_about_the_edge_alone_is_called_so() -> None:
    found = judged((8990, 10), (990, 10), rule=Threshold("age", 99, up=True))
    assert found.nearly == 0
    assert "It says no to everybody but at the edge of the declared ranges." in found.lines


def test_noise_and_chance_decide_what_can_be_told() -> None:
    """A hundredth of the records can tell only gains ten times as large, and records kept aside tell smaller ones."""
    many, few = (judged((85 * k, 5 * k), (3 * k, 7 * k), epsilon="100") for k in (1000, 10))
    assert many.resolution is not None
    assert few.resolution is not None
    assert few.resolution >= many.resolution
    noisy = judged((8500, 500), (300, 700), epsilon="0.02")
    assert noisy.resolution is not None
    assert noisy.resolution > 1.2 * 4 / (10_000 * 0.02) * 0.99
