"""Figures from released counts: what they are on paper, and where they have an interval."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

from privpac import Schema, learn
from privpac.concepts.cards.card import Card
from privpac.concepts.trees.tree import Leaf
from privpac.constructions.estimates.figures import BALANCE
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.constructions.estimates.ranks import (
    FLATTERING,
    NO_AUC,
    SPLIT,
    TOO_NOISY,
    Group,
    RankFigures,
    ranks_of_tree,
)
from privpac.model import Model
from privpac.report.statement import statement_of
from tests.unit.constructions.estimates.test_leaf_counts import TREE

NAMES = ("well", "ill")
COLUMNS = [{"name": name, "kind": "numeric", "lower": 0, "upper": 15, "integer": True} for name in "abc"]
SCHEMA = Schema.from_json({"label": "y", "classes": list(NAMES), "columns": COLUMNS})
GROUPS = (Group(0.1, 0, 800, 60), Group(0.4, 0, 200, 140), Group(0.8, 1, 100, 300), Group(0.9, 1, 20, 180))


def drawn(n: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    cells = random.integers(0, 16, (n, 3))
    risk = 1 / (1 + np.exp(-(cells[:, 0] - 10) / 3 - (cells[:, 1] - 8) / 6))
    labels = np.where(random.random(n) < risk, "ill", "well")
    return {**{name: cells[:, i] for i, name in enumerate("abc")}, "y": labels}


def expanded() -> tuple[list[int], list[float], list[int]]:
    truth, risks, labels = [], [], []
    for group in GROUPS:
        for label, count in ((0, group.zeros), (1, group.ones)):
            truth += [label] * count
            risks += [group.risk] * count
            labels += [int(group.part)] * count
    return truth, risks, labels


def test_figures_are_those_of_the_records_that_were_counted() -> None:
    truth, risks, labels = expanded()
    figures = RankFigures(GROUPS, 1, NAMES, flattering=False)
    assert figures.auc is not None
    assert figures.auc.value == pytest.approx(roc_auc_score(truth, risks))
    assert figures.sensitivity is not None
    assert figures.sensitivity.value == pytest.approx(recall_score(truth, labels))
    assert figures.balanced is not None
    assert figures.balanced.value == pytest.approx(balanced_accuracy_score(truth, labels))
    assert figures.accuracy is not None
    assert figures.accuracy.value == pytest.approx(np.mean(np.array(truth) == labels))
    assert figures.majority is not None
    assert figures.majority[0] == "well"
    assert figures.majority[1].value == pytest.approx(1120 / 1800)
    for share in (figures.auc, figures.sensitivity, figures.specificity, figures.balanced, figures.accuracy):
        assert share is not None
        assert 0 <= share.low < share.value < share.high <= 1


def test_where_a_cut_off_splits_a_group_the_intervals_allow_for_both_sides() -> None:
    split = tuple(replace(group, part=0.25) if group.risk == 0.4 else group for group in GROUPS)
    ends = [
        RankFigures(
            tuple(replace(group, part=side) if group.is_split else group for group in split),
            1,
            NAMES,
            flattering=False,
        )
        for side in (0, 1)
    ]
    figures = RankFigures(split, 1, NAMES, flattering=False)
    for name in ("sensitivity", "specificity", "accuracy"):
        here, low, high = (getattr(one, name) for one in (figures, *ends))
        assert here.value == pytest.approx(0.75 * low.value + 0.25 * high.value)
        assert (here.low, here.high) == (min(low.low, high.low), max(low.high, high.high))
    assert figures.auc == ends[0].auc
    assert SPLIT in figures.lines()
    assert not any(SPLIT in one.lines() for one in ends)


def test_a_card_is_judged_by_its_own_cut_off() -> None:
    """The parts of its groups are those of the sums that the card itself calls ill, wherever it cuts."""
    parts = set()
    for seed in (1, 6, 11):  # a cut-off between groups, and two within one
        table = drawn(3000, seed)
        model = learn(table, schema=SCHEMA, concepts="card:6", epsilon=2, random_state=seed)
        card, figures = model.hypothesis, model.ranks
        assert isinstance(card, Card)
        assert figures is not None
        for bucket, group in enumerate(figures.groups):
            first, last = card.table.bounds(bucket)
            ill = [points >= card.cutoff for points in range(first, last + 1)]
            assert group.part == pytest.approx(np.mean(ill))
            parts.add(group.is_split)
    assert parts == {False, True}


def test_the_curve_goes_from_nobody_to_everybody_and_its_area_is_the_auc() -> None:
    figures = RankFigures(GROUPS, 1, NAMES)
    places = list(figures.curve())
    assert (places[0], places[-1]) == ((0, 0), (1, 1))
    xs, ys = zip(*places, strict=True)
    assert figures.auc is not None
    assert np.trapezoid(ys, xs) == pytest.approx(figures.auc.value)


def test_more_noise_means_wider_intervals_and_too_much_says_nothing() -> None:
    widths = []
    for spread in (1, 10, 40):
        auc = RankFigures(GROUPS, spread, NAMES, flattering=False).auc
        assert auc is not None
        widths.append(auc.high - auc.low)
    assert widths == sorted(widths)
    lost = RankFigures(GROUPS, 400, NAMES)
    assert lost.auc is None
    assert lost.balanced is None
    assert list(lost.curve()) == []
    assert "too noisy" in lost.lines()[0]
    assert lost.to_json()["auc"] is None


@pytest.mark.parametrize("wishes", [{}, {"protect": "labels"}, {"delta": "1e-6"}])
def test_a_card_prints_no_interval_and_is_marked_as_flattering(wishes: dict[str, Any]) -> None:
    """Its tests were drawn by the very records that are counted: at a large epsilon no interval would hold."""
    model = learn(drawn(3000, 1), schema=SCHEMA, concepts="card", epsilon=2, random_state=1, **wishes)
    figures = model.ranks
    assert figures is not None
    for share in (figures.auc, figures.sensitivity, figures.specificity, figures.balanced, figures.accuracy):
        assert share is not None
        assert share.low is share.high is None
    assert figures.to_json()["flattering"] is True
    assert FLATTERING in figures.lines()


def test_neighbours_are_taken_together_where_there_are_many_and_noise_is_left_out() -> None:
    many = tuple(Group(i / 40, 0, 100, 100) for i in range(32))
    places = list(RankFigures(many, 1, NAMES).calibration())
    assert len(places) == 8
    assert sum(records for _, _, records in places) == 6400
    assert places[0][0] == pytest.approx((0 + 1 + 2 + 3) / 160)
    assert list(RankFigures((Group(0.5, 0, 1, 1),), 5, NAMES).calibration()) == []


@pytest.mark.parametrize("wishes", [{"leaf_epsilon": "0.5"}, {"aim": "rank", "concepts": "graded-tree"}])
def test_a_tree_prints_no_interval_and_is_marked_as_flattering(wishes: dict[str, Any]) -> None:
    """Its leaves were chosen by the very records that are counted: no interval from these counts would hold."""
    model = learn(drawn(1500, 3), schema=SCHEMA, epsilon=2, random_state=1, **wishes)
    figures = model.ranks
    assert figures is not None
    shares = [figures.auc, figures.sensitivity, figures.specificity, figures.balanced, figures.accuracy]
    for share in [*shares, *(share for _, share, _ in figures.calibration())]:
        assert share is not None
        assert (share.low, share.high) == (None, None)
        assert set(share.to_json()) == {"value"}
    text = model.explain()
    assert FLATTERING in text
    assert " to 0." not in text[text.index("Area under") : text.index(FLATTERING)]
    annex = statement_of({**model.to_json(), "certificate": with_system_coins(model)}).text()
    assert "which flatter it" in annex
    assert figures.to_json()["flattering"] is True


def with_system_coins(model: Model) -> dict[str, Any]:
    return {**model.certificate, "coins": "system"}


def test_order_of_few_counted_records_is_not_told() -> None:
    """Below records times epsilon 200 of the leaf counts."""
    rows = ((150, 40), (60, 90), (20, 40))
    for records, told in ((399, False), (400, True)):
        figures = ranks_of_tree(
            TREE.with_leaves(map(Leaf, (0, 1, 1))), LeafCounts(rows, records, Fraction(1, 2)), NAMES
        )
        assert figures is not None
        assert figures.known
        assert (figures.auc is not None) == (NO_AUC not in figures.lines()) == told
        assert bool(list(figures.curve())) == told
        assert (figures.to_json()["auc"] is not None) == told


@pytest.mark.parametrize(("weighed", "words"), [(False, 1), (True, 0)])
def test_a_class_that_is_hardly_ever_named_is_told_with_what_to_try(weighed: bool, words: int) -> None:
    groups = (Group(0.05, 0, 9000, 450), Group(0.6, 1, 30, 40))
    lines = RankFigures(groups, 1, NAMES, weighed=weighed).lines()
    assert f"The rule hardly ever says {NAMES[1]}: it finds only about 0.082 of these records." in lines
    assert lines.count(BALANCE) == words
    assert not any("hardly ever" in line for line in RankFigures(groups, 400, NAMES).lines())
    assert not any("hardly ever" in line for line in RankFigures(GROUPS, 1, NAMES).lines())


def test_classes_that_are_hardly_more_than_noise_have_no_shares() -> None:
    """Two leaves of 50 records at epsilon 1/2: sums of a class are noisy by some 14 records."""

    def told(fewest: int) -> list[str]:
        groups = (Group(0.3, 0, 30, 0), Group(0.7, 1, 0, fewest))
        return RankFigures(groups, 5, NAMES).lines()

    assert told(17) == told(25) == [TOO_NOISY]
    assert any("balanced accuracy" in line for line in told(29))
