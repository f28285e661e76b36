"""ReferenceCover and SampledCover: what is promised, what is drawn, what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins
from privpac.concepts.derived.reference import ByCdf, PublicTable, Uniform, UniformSphere
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.covers.sampled import SampledCover
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import DataError, SizeError

ONE = Fraction(1)
SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": n, "kind": "numeric", "lower": -1, "upper": 1} for n in "abcde"]}
)
LINE = ReferenceCover(Thresholds(SCHEMA, "a"), Uniform(SCHEMA, ("a",)), ONE)


def sphere(columns: str, **options: object) -> ReferenceCover:
    names = tuple(columns)
    return ReferenceCover(CentredHalfspaces(SCHEMA, names), UniformSphere(SCHEMA, names), ONE, **options)  # type: ignore[arg-type]


def uniform_sample(seed: int, n: int, columns: str = "a") -> MemorySample:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 5))
    x[:, len(columns) :] = 0
    if len(columns) > 1:
        x /= np.linalg.norm(x, axis=1)[:, None]
    else:
        x[:, 0] = rng.uniform(-1, 1, n)
    y = (x[:, 0] >= (0.3 if len(columns) == 1 else 0)).astype(int)
    return MemorySample.of({name: x[:, i] for i, name in enumerate("abcde")}, SCHEMA, y=y)


def test_below_1_it_refuses_to_promise_and_says_what_to_do() -> None:
    with pytest.raises(SizeError, match="At least 206 records") as caught:
        LINE.certify(Size(150))
    for way in ("density bound", "finite grid", "protect='labels'"):
        assert way in str(caught.value)


def grid(resolution: int, error: Fraction = Fraction(1, 10)) -> ReferenceCover:
    column = {"name": "a", "kind": "numeric", "lower": -1, "upper": 1, "resolution": resolution}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    return ReferenceCover(Thresholds(schema, "a"), Uniform(schema, ("a",)), ONE, error)


def test_on_few_cells_it_asks_for_as_many_records_as_these_need() -> None:
    with pytest.raises(SizeError, match=r"240 records prove no error of 0\.1 .* At least 242 records"):
        grid(64).certify(Size(240))
    with pytest.raises(SizeError):
        grid(64).certify(Size(241))
    assert grid(64).certify(Size(242)).epsilon == 1


def test_cells_too_wide_for_any_number_of_records_are_named_as_the_reason() -> None:
    with pytest.raises(SizeError, match="No number of records is enough on cells this wide") as caught:
        grid(64, error=Fraction(1, 1000)).certify(Size(10**6))
    assert "At least" not in str(caught.value)


def test_what_is_learnt_on_the_line() -> None:
    records = uniform_sample(1, 300)
    rule = LINE.learn(records, SeededCoins(1))
    block = records.block()
    assert (rule.predict(block.cells) != block.labels).mean() < 0.1


@pytest.mark.parametrize(("columns", "n"), [("ab", 240), ("abc", 420)])
def test_what_is_learnt_on_the_sphere(columns: str, n: int) -> None:
    learner = sphere(columns)
    assert learner.kappa_hat(n) >= 1
    assert learner.kappa_hat(n - 150) == 0
    assert check_certificate(learner.certify(Size(n)).to_json()) == 4
    records = uniform_sample(2, n, columns)
    block = records.block()
    assert (learner.learn(records, SeededCoins(1)).predict(block.cells) != block.labels).mean() < 0.1


def test_other_references_of_one_column() -> None:
    squared = ByCdf.of(SCHEMA, "a", lambda x: ((x + 1) / 2) ** 2)
    table = PublicTable(uniform_sample(3, 2000))
    for reference in (squared, table):
        learner = ReferenceCover(Thresholds(SCHEMA, "a"), reference, ONE, kappa=ONE)
        certificate = learner.certify(Size(260))
        assert check_certificate(certificate.to_json()) == 4
        assert reference.name in certificate.explain().replace("\n      ", " ")
        records = uniform_sample(4, 260)
        assert (
            learner.learn(records, SeededCoins(1)).predict(records.block().cells) != records.block().labels
        ).mean() < 0.15


def test_the_private_table_is_no_reference() -> None:
    records = uniform_sample(5, 400)
    learner = ReferenceCover(Thresholds(SCHEMA, "a"), PublicTable(records), ONE, kappa=ONE)
    with pytest.raises(DataError, match="private table itself"):
        learner.learn(records, SeededCoins(1))
    assert learner.learn(uniform_sample(6, 400), SeededCoins(1)) is not None
    # Equal records are no refusal: it would tell that they are equal, and one changed record would change it.
    assert learner.learn(uniform_sample(5, 400), SeededCoins(1)) is not None


SAMPLED = SampledCover(
    Thresholds(SCHEMA, "a"),
    Uniform(SCHEMA, ("a",)),
    ONE,
    kappa=ONE,
    level=Fraction(1, 100),
    mass=Fraction(1, 60),
)


def test_a_sampled_cover_says_how_often_it_misses() -> None:
    certificate = SAMPLED.certify(Size(300))
    assert SAMPLED.miss <= Fraction(1, 40)
    assert (1 - SAMPLED.mass) ** (SAMPLED.candidates - 40) > Fraction(1, 40)
    assert check_certificate(certificate.to_json()) == 5
    text = certificate.explain()
    assert "gives every concept's ball of radius 0.01 a probability of at least 1/60" in text
    assert certificate.learner["candidates"] == str(SAMPLED.candidates)


def test_a_sampled_cover_learns() -> None:
    records = uniform_sample(7, 300)
    rule = SAMPLED.learn(records, SeededCoins(3))
    assert (rule.predict(records.block().cells) != records.block().labels).mean() < 0.1


def test_kappa_hat_grows_from_1_at_206_records() -> None:
    assert LINE.kappa_hat(205) == 0
    found = [LINE.kappa_hat(n) for n in (206, 270, 332, 500)]
    assert found[0] >= 1
    assert [float(k) for k in found] == pytest.approx([1.02, 10.2, 102, 56234], rel=0.03)
