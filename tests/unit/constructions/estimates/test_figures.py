"""The figures beside an accuracy: a rule is compared with a constant answer, at no further price."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.constructions.estimates.confusion import Confusion
from privpac.constructions.estimates.figures import RARE, figures_of

NONE = Fraction(0)


def confusion(*rows: tuple[int, ...], accuracy: str = "9/10") -> Confusion:
    return Confusion(rows, 1000, Fraction(accuracy), NONE, NONE, True, NONE, NONE)


def test_two_classes() -> None:
    figures = figures_of(confusion((850, 37), (63, 50)), ("no", "yes"), costs=(1, 5))
    assert (figures.constant, figures.majority) == (0, Fraction(887, 1000))
    assert (figures.specificity, figures.sensitivity) == (Fraction(850, 887), Fraction(50, 113))
    assert figures.balanced == (Fraction(850, 887) + Fraction(50, 113)) / 2
    assert (figures.cost, figures.constant_cost) == (Fraction(37 + 5 * 63, 1000), Fraction(5 * 113, 1000))
    assert figures.lines() == [
        "Right about 0.900 of the time; always saying no would be right about 0.887 of the time.",
        "Balanced accuracy about 0.700: specificity (no) 0.958, sensitivity (yes) 0.442.",
        "Mistakes cost about 0.352 per record; those of the cheapest constant answer 0.565.",
        "These follow from the same noisy counts: they cost no further privacy, and have no interval.",
    ]


def test_a_class_without_counted_records_has_no_share() -> None:
    figures = figures_of(confusion((5, 0, 1), (0, 0, 0), (1, 1, 2)), ("a", "b", "c"))
    assert figures.recalls == (Fraction(5, 6), None, Fraction(1, 2))
    assert (figures.balanced, figures.sensitivity, figures.specificity) == (None, None, None)
    assert figures.lines()[1].startswith(
        "Of the classes: share found (a) 0.833, share found (b) cannot be said"
    )


def test_noise_never_makes_a_share_above_one() -> None:
    assert figures_of(confusion((1000, 900), (0, 3)), ("no", "yes")).majority == 1


SAYS = "The rule hardly ever says yes: it finds only about 0.050 of these records."


@pytest.mark.parametrize("costs", [None, (1, 5)])
def test_a_rule_that_hardly_ever_names_a_class_says_so_though_it_gains(costs: tuple[int, int] | None) -> None:
    counts = replace(confusion((899, 1), (95, 5)), accuracy=Fraction(904, 1000))
    lines = figures_of(counts, ("no", "yes"), costs=costs).lines()
    assert SAYS in lines
    assert (RARE in lines) == (costs is None)
    assert all(word in RARE for word in ("--costs balanced", "base_rate"))


def test_a_class_that_is_named_one_time_in_ten_or_that_noise_may_explain_is_not_called_seldom() -> None:
    assert figures_of(confusion((900, 0), (90, 10)), ("no", "yes")).seldom is None
    few = confusion((900, 0), (95, 5))
    assert figures_of(few, ("no", "yes")).seldom == 1
    assert figures_of(replace(few, noise=Fraction(1, 10)), ("no", "yes")).seldom is None
    assert figures_of(confusion((5, 95), (0, 900)), ("no", "yes")).seldom == 0
    assert figures_of(confusion((90, 0, 0), (0, 90, 0), (50, 0, 0)), ("a", "b", "c")).seldom is None
