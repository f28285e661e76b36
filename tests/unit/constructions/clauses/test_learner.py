"""A rule with exceptions: found at the planned size, and refused by public numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import privpac
from privpac import MemorySample, Schema, SeededCoins, Size
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.exceptions import Exceptions
from privpac.constructions.clauses.family import ClauseCounts, clauses_for
from privpac.errors import ParameterError, PrivpacError, SizeError
from privpac.verification import verify_document

ONE = Fraction(1)


def flags(count: int) -> Schema:
    columns = [{"name": f"t{k}", "kind": "boolean"} for k in range(count)]
    return Schema.from_json({"label": "y", "columns": columns})


def learner(tests: int, width: int, epsilon: Fraction = ONE) -> ClauseCounts:
    schema = flags(tests)
    return ClauseCounts(schema, epsilon, Binarisation.of(schema), width)


def failures(n: int, *, runs: int) -> int:
    """Runs that err on more than a tenth: (t0 and t1) or (t2 and not t3), and a light pattern of class 1 to be lost."""
    rng, wrong, chosen = np.random.default_rng(n), 0, learner(4, 2)
    masses = rng.dirichlet(np.full(16, 0.5))
    cells = {f"t{k}": (np.arange(16) >> k) & 1 for k in range(4)}
    truth = (cells["t0"] & cells["t1"]) | (cells["t2"] & (1 - cells["t3"]))
    for run in range(runs):
        drawn = rng.choice(16, n, p=masses)
        sample = MemorySample.from_cells(
            chosen.schema, {name: values[drawn] for name, values in cells.items()}, truth[drawn]
        )
        rule = chosen.learn(sample, SeededCoins(run))
        wrong += float(masses[rule.predict(cells) != truth].sum()) > 0.1
    return wrong


def test_the_planned_number_of_records_is_enough_and_a_sixtieth_is_not() -> None:
    """20 runs with a true rate of at most 0.05 see more than 9 failures less than once in a million times."""
    n = clauses_for(4, 2, failure=Fraction(1, 20), epsilon=ONE).records(Fraction(1, 10), Fraction(1, 20))
    assert failures(n, runs=20) <= 9
    assert failures(n // 60, runs=20) >= 10


def test_a_certificate_promises_what_the_plan_asked_for() -> None:
    n = clauses_for(4, 2, failure=Fraction(1, 20), epsilon=ONE).records(Fraction(1, 10), Fraction(1, 20))
    certificate = learner(4, 2).certify(Size(n))
    (proof,) = certificate.accuracy
    assert proof.fact.error <= Fraction(1, 10)
    assert not proof.fact.proper
    assert learner(4, 2).certify(Size(100)).accuracy == ()


def test_nothing_but_always_0_comes_of_fewer_records_than_the_threshold() -> None:
    chosen = learner(3, 2)
    few = Size(chosen.numbers.threshold)
    cells = {name: np.ones(few.labelled, int) for name in chosen.schema.names}
    sample = MemorySample.from_cells(chosen.schema, cells, np.ones(few.labelled, int))
    assert chosen.learn(sample, SeededCoins(0)) == Exceptions(((),))
    assert chosen.releases(Exceptions(((),)), few)
    assert not chosen.releases(Exceptions(()), few)
    assert chosen.releases(Exceptions(()), Size(few.labelled + 1))


def test_refusals_follow_from_public_numbers() -> None:
    with pytest.raises(SizeError, match="clauses:1"):
        learner(60, 2)
    with pytest.raises(ParameterError, match="width"):
        learner(2, 3)
    schema = Schema.from_json(
        {"label": "y", "classes": ["u", "v", "w"], "columns": flags(2).to_json()["columns"]}
    )
    with pytest.raises(PrivpacError, match="classes"):
        ClauseCounts(schema, ONE, Binarisation.of(schema), 1)


def test_learn_makes_a_model_that_verifies() -> None:
    rng = np.random.default_rng(3)
    table = {f"t{k}": rng.integers(0, 2, 6000) for k in range(3)}
    labels = (table["t0"] | table["t1"]).tolist()
    model = privpac.learn(
        table, y=labels, schema=flags(3), concepts="clauses:1", epsilon=2, estimate_epsilon=1, random_state=1
    )
    assert verify_document(model.to_json()).rebuilt
    assert model.hypothesis == Exceptions(())  # one conjunction cannot say it, and nothing is rare in class 1
    with pytest.raises(PrivpacError, match="costs"):
        privpac.learn(table, y=labels, schema=flags(3), concepts="clauses:1", epsilon=2, costs=(1, 2))
