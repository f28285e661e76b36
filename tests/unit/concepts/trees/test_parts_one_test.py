"""One test with two different answers, against listing and the exact law of its draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import law
from privpac.concepts.base import Hypothesis
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.parts import OneTest
from privpac.constructions.draw.occam import Occam
from privpac.constructions.words import Request, learner_for
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.request import LearnRequest

RATIO = Fraction(2, 3)


def sample_of(classes: int, n: int = 9) -> MemorySample:
    schema = Schema(
        (Numeric("x", 0, 3, integer=True), Categorical("c", ("a", "b", "d"))),
        label="y",
        classes=tuple(str(c) for c in range(classes)),
    )
    generator = np.random.default_rng(classes)
    cells = {"x": generator.integers(0, 4, n), "c": generator.integers(0, 3, n)}
    return MemorySample.from_cells(schema, cells, generator.integers(0, classes, n).astype(np.uint8))


def mistakes(tree: Hypothesis, sample: MemorySample, costs: tuple[int, ...]) -> int:
    block = sample.block()
    assert block.labels is not None
    wrong = tree.predict(block.cells) != block.labels
    return int(np.array(costs)[block.labels[wrong]].sum())


@pytest.mark.parametrize(("classes", "costs"), [(2, (1, 1)), (2, (1, 3)), (3, (1, 1, 2))])
def test_draws_follow_the_listed_law(classes: int, costs: tuple[int, ...]) -> None:
    sample = sample_of(classes)
    concepts = OneTest(sample.schema)
    members = [concepts.member(index) for index in range(concepts.size)]
    assert concepts.size == 6 * classes * (classes - 1)
    assert len(set(members)) == len(members)
    weights = {tree: RATIO ** mistakes(tree, sample, costs) for tree in members}
    evidence = sample.reduce(concepts.statistic)
    found = law(concepts.gibbs(evidence, ratio=RATIO, costs=costs).draw)
    total = sum(weights.values())
    assert found == {tree: weight / total for tree, weight in weights.items()}


def test_no_member_is_a_constant_and_all_are_readable() -> None:
    schema = sample_of(2).schema
    concepts = OneTest(schema, Binarisation.of(schema, cuts=1))
    for index in range(concepts.size):
        tree = concepts.member(index)
        assert tree.merged() == tree
        assert len({leaf.label for leaf in tree.leaves()}) == 2
        assert hypothesis_from_json(tree.to_json()) == tree
        assert "if " in tree.describe(schema)


def test_an_empty_sample_draws_from_the_prior() -> None:
    sample = sample_of(2, n=0)
    concepts = OneTest(sample.schema)
    found = law(concepts.gibbs(sample.reduce(concepts.statistic), ratio=RATIO, costs=(1, 1)).draw)
    assert set(found.values()) == {Fraction(1, concepts.size)}


def test_certified_by_occam() -> None:
    sample = sample_of(2)
    certificate = Occam(OneTest(sample.schema), Fraction(1, 10)).certify(Size(9))
    assert certificate.epsilon == Fraction(1, 10)


def test_it_has_a_word_of_its_own() -> None:
    request = Request(sample_of(3).schema, Size(500), LearnRequest(epsilon=Fraction(2)))
    learner = learner_for("one-test", request)
    assert isinstance(learner, Occam)
    assert isinstance(learner.concepts, OneTest)
