"""Cuts from switches and from noise: containment for every rule, the nearest cut, walks against every noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac import MemorySample, SeededCoins, Size
from privpac.audit.registry import tiny_schema
from privpac.concepts.boxes.box import Box
from privpac.concepts.line.stumps import Constant
from privpac.concepts.line.switches import switches
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Union, Unions, interval
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.conjunctions import Conjunction, Disjunction
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.sets.points import Point
from privpac.concepts.trees.lists import DecisionList, Rule
from privpac.concepts.trees.tree import Leaf, Split
from privpac.constructions.cuts.formulas import failure_denoising
from privpac.constructions.cuts.noisy import DenoisedCuts, NoisyCuts, nearest_cut
from privpac.constructions.cuts.switches import SwitchCuts
from privpac.constructions.draw.occam import Occam
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against

ONE = Fraction(1)


def union_of(bits: tuple[int, ...]) -> Union:
    edges = [i for i in range(len(bits) + 1) if (0, *bits)[i] != (*bits, 0)[i]]
    return Union("a", tuple(zip(edges[::2], edges[1::2], strict=True)))


@pytest.mark.parametrize("cells", range(2, 9))
def test_some_switch_errs_only_where_the_rule_errs(cells: int) -> None:
    column = tiny_schema(cells).column("a")
    places = np.arange(cells)
    for bits in product((0, 1), repeat=cells):
        answers = np.array(bits)
        cuts = switches(union_of(bits), column)
        assert set(cuts) == {0, cells} | {j for j in range(1, cells) if bits[j] != bits[j - 1]}
        for target, up in product(range(cells + 1), (True, False)):
            truth = (places >= target) == up
            wrong = answers != truth
            assert any(not np.any((((places >= cut) == up) != truth) & ~wrong) for cut in cuts)


def test_switches_of_every_kind_of_rule_are_where_it_changes() -> None:
    schema = tiny_schema(6)
    at3, is1 = Test("a", 3, "at least"), Test("a", 1, "equals")
    rules = (
        Threshold("a", 2, True),
        Threshold("a", 6, False),
        interval("a", 1, 4),
        interval("a", 0, 6, inside=0),
        Union("a", ((0, 1), (2, 3))),
        Point("a", 5),
        Constant(1),
        NoAnswer("a"),
        Leaf(1),
        Split(at3, Leaf(0), Split(is1, Leaf(1), Leaf(0))),
        DecisionList((Rule(is1, True, 1), Rule(at3, False, 0)), 1),
        Conjunction(((at3, True), (is1, False))),
        Disjunction(((is1, True), (at3, True))),
    )
    for rule in rules:
        answers = rule.predict({"a": np.arange(6)}).tolist()
        assert switches(rule, schema.column("a")) == (
            0,
            *(j for j in range(1, 6) if answers[j] != answers[j - 1]),
            6,
        )
    for other in (Threshold("b", 1, True), Box(("a",), (0,), (1,))):
        with pytest.raises(ParameterError, match="alone"):
            switches(other, schema.column("a"))


@pytest.mark.parametrize("up", [True, False])
def test_the_nearest_cut_is_the_first_with_fewest_mismatches(up: bool) -> None:
    for cells in range(1, 9):
        places = np.arange(cells)
        for bits in product((0, 1), repeat=cells):
            gaps = [int(np.sum(((places >= cut) == up) != np.array(bits))) for cut in range(cells + 1)]
            assert nearest_cut(union_of(bits).intervals, domain=cells, up=up) == gaps.index(min(gaps))


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 3)])
def test_the_walk_is_the_sum_over_every_noise(rate: Fraction) -> None:
    cells = 9
    for target in range(cells + 1):
        lost = Fraction(0)
        for flips in product((0, 1), repeat=cells):
            bits = [int(cell >= target) ^ flip for cell, flip in enumerate(flips)]
            gaps = [sum(int(cell >= cut) != bit for cell, bit in enumerate(bits)) for cut in range(cells + 1)]
            if gaps[target] > min(gaps) or gaps.count(min(gaps)) > 1:
                lost += rate ** sum(flips) * (1 - rate) ** (cells - sum(flips))
        assert failure_denoising(rate, below=target, above=cells - target) == lost
        assert lost <= failure_denoising(rate) == 4 * rate - 4 * rate**2


def sample(n: int, cells: int, cut: int, *, up: bool) -> MemorySample:
    values = np.random.default_rng(0).integers(0, cells, n)
    labels = ((values >= cut) == up).astype(np.int64)
    return MemorySample.from_cells(tiny_schema(cells), {"a": values}, labels)


@pytest.mark.parametrize("up", [True, False])
def test_a_cut_is_made_of_a_union(up: bool) -> None:
    schema = tiny_schema(1000)
    inner = Occam(Unions(schema, "a", intervals=2), ONE, failure=Fraction(1, 40))
    learner = SwitchCuts(Thresholds(schema, "a", "up" if up else "down"), inner, ONE, most=4)
    rule = learner.learn(sample(4000, 1000, 400, up=up), SeededCoins(3))
    assert isinstance(rule, Threshold)
    assert rule.up == up
    assert abs(rule.cut - 400) < 30
    certificate = learner.certify(Size(4000))
    assert certificate.epsilon == 1
    (fact,) = (proof.fact for proof in certificate.accuracy)
    assert (fact.against, fact.records, fact.proper) == (Against.REALIZABLE, 4000, True)
    assert fact.error < Fraction(1, 10)
    assert not SwitchCuts(learner.concepts, inner, ONE, most=None).certify(Size(4000)).accuracy
    assert learner.outcomes == 1001


def test_noise_is_added_and_taken_off() -> None:
    schema = tiny_schema(2000)
    noisy = NoisyCuts(Thresholds(schema, "a", "down"), Fraction(5), Fraction(1, 100))
    data = sample(3000, 2000, 700, up=False)
    clean = noisy.inner.learn(data, SeededCoins(4))
    rule = noisy.learn(data, SeededCoins(4))
    assert isinstance(clean, Threshold)
    assert 20 < len(rule.intervals) < 80
    flipped = rule.predict({"a": np.arange(2000)}) != clean.predict({"a": np.arange(2000)})
    assert 5 < flipped.sum() < 50
    assert DenoisedCuts(noisy).learn(data, SeededCoins(4)) == clean
    seen, freed = noisy.certify(Size(3000)), DenoisedCuts(noisy).certify(Size(3000))
    assert (seen.epsilon, freed.epsilon) == (5, 5)
    assert [proof.fact.proper for proof in freed.accuracy] == [True, True]
    plain = Occam(noisy.concepts, Fraction(5), failure=Fraction(1, 40)).certify(Size(3000)).accuracy[0].fact
    assert freed.accuracy[0].fact.failure == plain.failure + Fraction(396, 10_000)
    assert freed.accuracy[0].fact.error == plain.error
    assert all(not proof.fact.proper for proof in seen.accuracy)
    assert noisy.outcomes is None
