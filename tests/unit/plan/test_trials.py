"""Simulations run the learner that ships, answer in the unit of the question, and are kept."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from privpac import plan
from privpac.constructions.class_facts import Description
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.plan.populations import Population, synthetic
from privpac.plan.runs.base import Run, as_schema, best_error, planted
from privpac.plan.simulation import Clock, TimeUp
from privpac.plan.trials import Experiment, Trial, Unsimulated, estimate, ladder, outcomes, quantile

SCHEMA = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
        {"name": "smoker", "kind": "boolean"},
    ],
}


def learnt(run: Run, population: Population, n: int, epsilon: Fraction) -> Trial:
    learner = run.learner(population.records.schema, n, epsilon)
    return lambda coins: population.error(learner.learn(population.sample(n, coins), coins))


def test_errors_shrink_with_more_records_and_more_epsilon() -> None:
    made = best_error("trees:2", synthetic(Schema.from_json(SCHEMA), flipped=0.1))

    def mean(n: int, epsilon: Fraction) -> float:
        errors = outcomes(learnt(Run("trees:2"), made, n, epsilon), 12)
        assert min(errors) >= made.best - 1e-12
        return float(np.mean(errors))

    few, many, sharp = mean(50, Fraction(1, 2)), mean(2000, Fraction(1, 2)), mean(2000, Fraction(20))
    assert sharp <= many < few
    assert sharp - made.best < 0.02


def test_planted_labels_come_from_a_member_that_is_no_constant() -> None:
    made = synthetic(Schema.from_json(SCHEMA), flipped=0.1)
    for word in ("thresholds:age", "intervals:age", "trees:2", "stumps"):
        found = planted(word, made)
        assert best_error(word, found).best == 0.0, "some member makes no mistake"
        labels = found.records.block().labels
        assert labels is not None
        assert 0.2 < labels.mean() < 0.8


def test_the_best_member_of_a_class_is_found() -> None:
    made = synthetic(Schema.from_json(SCHEMA), flipped=0.1)
    assert best_error("trees:3", made).best <= made.best + 1e-12, "the planted tree is a member"
    assert (
        best_error("one-test", made).best
        >= best_error("trees:1", made).best
        >= best_error("trees:2", made).best
    )


def test_quantiles_have_limits_that_cover_the_truth() -> None:
    """200 uniform values, the 0.95 quantile: in 300 runs at most 1 in 100 intervals may miss, about."""
    generator = np.random.default_rng(0)
    missed = 0
    for _ in range(300):
        value, low, high = quantile(list(generator.random(200)), 0.05)
        assert high is not None
        assert low <= value <= high
        missed += not low <= 0.95 <= high
    assert missed <= 10
    assert quantile([0.1] * 20, 0.05)[2] is None, (
        "twenty values cannot bound their largest twentieth from above"
    )
    assert quantile(list(np.arange(100) / 100), 0.5)[0] == 0.49


class Kept:
    """A cache that counts."""

    def __init__(self) -> None:
        self.stored: dict[str, Any] = {}
        self.hits = 0

    def get(self, name: str, *, options: str) -> Any | None:
        self.hits += options in self.stored
        return self.stored.get(options)

    def put(self, name: str, value: Any, *, options: str) -> None:
        self.stored[options] = value


def test_reachable_on_synthetic_tables_is_far_below_the_proof_and_is_kept() -> None:
    kept, seen = Kept(), []

    def ask() -> plan.Plan:
        return plan.reachable(
            "trees:2",
            schema=SCHEMA,
            records=1000,
            epsilon=1,
            seconds=6,
            marginals={"age": [20, 45, 90]},
            keep=kept,
            progress=lambda what, done, of: seen.append((what, done, of)),
        )

    first = ask().option("occam", "agnostic")
    assert first.simulated is not None
    assert not first.simulated.exact
    assert first.simulated.low <= first.simulated.value < first.proved / 2
    assert "with the given marginals" in first.simulated.on
    assert seen
    assert seen[-1][1] == seen[-1][2]
    assert kept.hits == 0
    again = ask().option("occam", "agnostic")
    assert again.simulated == first.simulated
    assert kept.hits == 1, "both settings come from what was kept"


@pytest.mark.long
def test_needed_on_a_table_of_ones_own() -> None:
    generator = np.random.default_rng(1)
    age = generator.integers(0, 121, size=3000)
    table = {
        "age": age,
        "smoker": generator.integers(0, 2, size=3000).astype(bool),
        "ill": (age >= 60).astype(int),
    }
    found = plan.needed("thresholds:age", schema=SCHEMA, error="0.1", epsilon=1, table=table, seconds=6)
    row = found.option("occam", "realizable")
    assert row.simulated is not None
    assert 10 < row.simulated.value < row.need.labelled
    assert row.simulated.low <= row.simulated.value
    assert "given table of 3,000 records" in row.simulated.on


@pytest.mark.long
def test_the_smallest_epsilon_is_searched_in_steps() -> None:
    found = plan.smallest_epsilon(
        "one-test", schema=SCHEMA, records=2000, error="0.1", simulate=True, seconds=4
    )
    row = found.option("occam", "agnostic")
    assert row.simulated is not None
    assert 0 < row.simulated.value <= math.ceil(row.wish.epsilon * 100) / 100


# --- the search itself, on laws that are known ---


def known(failure: Any, *, seconds: float = 1e-4, least: int = 0, promised: bool = True) -> Experiment:
    """Trials on n records at epsilon that err with probability failure(n·epsilon)."""

    def trial(n: int, epsilon: Fraction) -> Trial:
        if n < least:
            raise SizeError("too few")
        chance = float(failure(float(n * epsilon)))
        return lambda coins: float(coins.bits(30) / 2**30 < chance)

    return Experiment("a known law", trial, lambda n: seconds * n, promised)


def asked(kind: str = "needed") -> plan.Plan:
    if kind == "needed":
        return plan.needed("points", bits=16, error="0.1", epsilon=1)
    return plan.smallest_epsilon("points", bits=16, records=400, error="0.1")


def sought(experiment: Experiment, kind: str = "needed", *, seconds: float = 100.0) -> Any:
    made = asked(kind)
    return estimate(made.question, made.option("occam", "realizable"), experiment, seconds=seconds)[0]


def test_the_ladder_ends_with_what_is_proved() -> None:
    rungs = ladder(351)
    assert rungs[0] <= 2
    assert rungs[-1] == 351
    assert all(a < b <= 1.16 * a + 1 for a, b in pairwise(rungs))
    parts = ladder(Fraction(1, 3))
    assert parts[-1] == Fraction(1, 3)
    assert parts[0] < Fraction(1, 300)
    assert ladder(1) == [1]


@pytest.mark.parametrize("true", [3, 20, 90, 300])
def test_a_search_finds_where_a_known_law_meets_the_target(true: int) -> None:
    """The failure is 0.05 at `true` records and falls steeply: the interval holds it, and the number is near."""
    found = sought(known(lambda n: 0.05 ** (n / true)))
    assert found.low <= true <= found.high
    assert true / 2 <= found.value <= 2 * true
    assert found.low <= found.value <= found.high <= 351
    assert found == sought(known(lambda n: 0.05 ** (n / true))), "the same every time"


def test_a_search_for_an_epsilon() -> None:
    found = sought(known(lambda steps: 0.05 ** (steps / 200)), "smallest_epsilon")
    assert isinstance(found.value, Fraction)
    assert found.low <= Fraction(1, 2) <= found.high


def test_so_few_records_that_nothing_runs_are_not_enough() -> None:
    found = sought(known(lambda n: 0.0, least=100))
    assert 100 <= found.value <= 120


def test_what_would_take_too_long_says_so() -> None:
    with pytest.raises(Unsimulated, match=r"takes about 0\.09 s, too long to repeat it") as refused:
        sought(known(lambda n: 0.05 ** (n / 100), seconds=1e-3), seconds=1)
    assert refused.value.spent <= 1
    rough = sought(known(lambda n: 0.05 ** (n / 100), seconds=1e-3), seconds=8)
    assert rough.low <= 100 <= rough.high
    assert rough.repetitions == 12, "no time to look closer"


def test_what_never_does_says_so() -> None:
    with pytest.raises(Unsimulated, match="nothing up to the proved number was enough"):
        sought(known(lambda n: 0.5))
    with pytest.raises(Unsimulated, match="too few"):
        sought(known(lambda n: 0.0, least=10**6))


def test_without_a_proof_there_is_no_upper_limit() -> None:
    few = known(lambda n: 0.05 ** (n / 100), seconds=1e-3, promised=False)
    assert sought(few, seconds=8).high is None


def test_numbers_stand_for_a_schema() -> None:
    schema = as_schema(Description(bits=8, columns=3))
    assert [column.size for column in schema.columns] == [256, 256, 256]
    assert as_schema(Description(schema=schema)) is schema
    assert len(as_schema(Description(tests=2)).columns) == 2


@pytest.mark.long
def test_what_cannot_be_run_is_not_simulated() -> None:
    found = plan.needed("any:3", bits=8, error="0.2", epsilon=1, simulate=True, seconds=4)
    assert all(row.simulated.exact for row in found.answers if row.simulated is not None)
    boxes = plan.needed("rectangles:2", bits=3, error="0.3", epsilon=4, simulate=True, seconds=4).option(
        "occam", "realizable"
    )
    assert boxes.simulated is not None
    assert boxes.simulated.value <= boxes.need.labelled
    with pytest.raises(Exception, match="no column 'village'"):
        plan.needed("trees:1", schema=SCHEMA, error="0.2", epsilon=1, marginals={"village": [1, 2]})


def test_what_privacy_costs_is_compared_on_the_same_records() -> None:
    made = plan.reachable("trees:1", schema=SCHEMA, records=400, epsilon="0.1", simulate=True, seconds=4)
    row = made.headline
    assert row is not None
    assert row.simulated is not None
    loss = row.simulated.loss
    assert loss is not None
    assert loss.low > 0, "so little epsilon costs a lot"
    assert "of error, in the mean of 16 runs; the error was at most" in str(made)
    more = plan.reachable(
        "trees:1", schema=SCHEMA, records=400, epsilon=20, simulate=True, seconds=4
    ).headline
    assert more is not None
    assert more.simulated is not None
    assert more.simulated.loss is not None
    assert more.simulated.loss.mean < loss.low
    assert "privacy cost nothing that 16 runs could show" in str(
        plan.reachable("trees:1", schema=SCHEMA, records=400, epsilon=20, simulate=True, seconds=4)
    )


def test_a_trial_that_no_longer_fits_leaves_what_was_tried() -> None:
    class Ending(Clock):
        """Ends after so many trials."""

        def __init__(self, trials: int) -> None:
            super().__init__(math.inf)
            self.left = trials

        def require(self, estimated: float) -> None:
            if self.left == 0:
                raise TimeUp
            self.left -= 1

    def tried(trials: int, kind: str = "needed") -> Any:
        made = (
            asked(kind) if kind != "reachable" else plan.reachable("points", bits=16, records=400, epsilon=1)
        )
        law = known(lambda n: 0.05 ** (n / 90))
        row = made.option("occam", "realizable")
        return estimate(made.question, row, law, seconds=100.0, clock=Ending(trials))[0]

    assert tried(200).repetitions == 12, "what the way up has told"
    assert tried(10**6).repetitions == 120
    assert tried(50, "reachable").repetitions == 50
    for kind in ("needed", "reachable", "smallest_epsilon"):
        with pytest.raises(Unsimulated, match="the time was up"):
            tried(10, kind)
