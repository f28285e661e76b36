"""Attacks that must fail: support and last bits of the noise, seeds, order, duplicates, odd records and odd labels."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac import PrivpacError, Schema, learn
from privpac.audit.exact import Case
from privpac.audit.registry import REGISTRY, learner_case, tiny_schema
from privpac.coins import Enumeration, SeededCoins, law
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.sets.points import Points
from privpac.constructions.draw.occam import Occam
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.mechanisms.geometric import NoiseLaw, add_noise
from privpac.mechanisms.gibbs import draw
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)
RATIO = ratio_for(Fraction(1, 2))


def worst_ratio(p: dict[Any, Fraction], q: dict[Any, Fraction]) -> tuple[Fraction | None, Any]:
    """The largest p(output)/q(output) and where; None stands for infinity."""
    best, where = Fraction(1), None
    for output, mass in p.items():
        other = q.get(output, Fraction(0))
        if other == 0:
            return None, output
        if mass / other > best:
            best, where = mass / other, output
    return best, where


class Fixed(SeededCoins):
    """Coins whose first 64 bits an attacker could wish for."""

    def __init__(self, first: int) -> None:
        super().__init__(0)
        self._first: int | None = first

    def bits(self, count: int) -> int:
        if self._first is not None and count == 64:
            first, self._first = self._first, None
            return first
        return super().bits(count)


# --- floating point ---------------------------------------------------------------------------------------------------


def test_the_support_of_noise_is_the_same_on_neighbours() -> None:
    """A sampler in doubles leaves holes, and holes move with the true count."""
    laws = [
        law(lambda coins, c=c: add_noise([c], ratio=RATIO, low=0, high=6, coins=coins)[0]) for c in range(7)
    ]
    assert all(set(found) == set(range(7)) for found in laws)


def test_an_outcome_far_too_rare_for_doubles_is_possible() -> None:
    """Scores 0 and 2,000 at ratio e^-1/2: the second has probability e^-1000, which no double holds."""
    row = Row.of(0, np.arange(1, dtype=np.uint64), np.array([0, 2000]), 1)
    top = Fixed((1 << 64) - 1)
    top.bits = _ones(top)  # type: ignore[method-assign]
    assert draw(Runs([row]), RATIO, top)[1] == 1
    assert draw(Runs([row]), RATIO, Fixed((1 << 64) - 1))[1] == 0  # 64 ones alone do not decide it


def _ones(coins: SeededCoins) -> Any:
    drawn = 0

    def bits(count: int) -> int:
        nonlocal drawn
        drawn += count
        return (1 << count) - 1 if drawn < 4096 else SeededCoins.bits(coins, count)

    return bits


def test_noise_is_whole_numbers_whose_last_bits_follow_the_law() -> None:
    """20,000 draws: counts of each residue mod 4 within 5 standard deviations; a wrong ratio is not."""
    exact = law(lambda coins: NoiseLaw.value(coins.choose(NoiseLaw(RATIO, 12))))
    coins = SeededCoins(11)
    drawn = [NoiseLaw.value(coins.choose(NoiseLaw(RATIO, 12))) for _ in range(20_000)]
    assert all(type(value) is int for value in drawn)
    wrong = law(lambda coins: NoiseLaw.value(coins.choose(NoiseLaw(RATIO**2, 12))))
    assert _off(drawn, exact) < 5
    assert _off(drawn, wrong) > 5


def _off(drawn: list[int], exact: dict[int, Fraction]) -> float:
    seen = Counter(value % 4 for value in drawn)
    worst = 0.0
    for residue in range(4):
        p = float(sum(mass for value, mass in exact.items() if value % 4 == residue))
        worst = max(worst, abs(seen[residue] / len(drawn) - p) / math.sqrt(p * (1 - p) / len(drawn)))
    return worst


TABLE = {"a": [i % 8 for i in range(64)], "kind": ["u", "v"] * 32}
LABELS = [int(i % 8 > 3) for i in range(64)]
SCHEMA = Schema(
    (Numeric("a", lower=0, upper=7, integer=True), Categorical("kind", ("u", "v"))),
    label="y",
    classes=("0", "1"),
)


@pytest.mark.parametrize(
    ("concepts", "wishes"),
    [
        ("thresholds:a", {}),
        ("trees:2", {"leaf_epsilon": 1}),
        ("stumps", {"estimate_epsilon": 1, "holdout": "0.25"}),
    ],
)
def test_a_released_model_holds_no_floating_point_number(concepts: str, wishes: dict[str, Any]) -> None:
    tree = learn(TABLE, y=LABELS, schema=SCHEMA, concepts=concepts, epsilon=2, **wishes).to_json()

    def walk(node: Any) -> None:
        assert not isinstance(node, float), "a double's last bits may tell the exact count"
        for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            walk(value)

    walk(tree)


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_no_seed_is_found_in_a_model() -> None:
    seed = 918273645546372819
    model = learn(
        TABLE, y=LABELS, schema=SCHEMA, concepts="trees:2", epsilon=2, leaf_epsilon=1, random_state=seed
    )
    text = json.dumps(model.to_json()) + repr(model) + model.explain()
    for shown in (str(seed), f"{seed:x}", "random_state", "seed="):
        assert shown not in text
    assert model.certificate["coins"] == "seeded"


def test_files_of_two_seeds_with_the_same_draw_are_the_same() -> None:
    texts: dict[str, set[str]] = {}
    for seed in range(12):
        model = learn(
            TABLE,
            y=LABELS,
            schema=SCHEMA,
            concepts="thresholds:a",
            epsilon=20,
            estimate_epsilon=None,
            random_state=seed,
        )
        texts.setdefault(str(model.hypothesis), set()).add(json.dumps(model.to_json()))
    assert max(len(found) for found in texts.values()) == 1
    assert len(texts) < 12


# --- order, duplicates ------------------------------------------------------------------------------------------------


@pytest.mark.long_cases(
    "recconcave",
    "reference-table",
    "card-mixed",
    "release-blocks-tight",
    "net-relabelled",
    "graded-tree",
    "card-labels",
    "release-tree-lazy",
    "tree-mixture",
    "generated",
)
@pytest.mark.parametrize("name", REGISTRY)
def test_the_order_of_records_does_not_change_the_law(name: str) -> None:
    case = REGISTRY[name]()
    if case.ordered:  # there it may
        return
    step = max(1, (len(case.records) - 1) // max(1, case.n - 1))
    data = tuple(case.records[(i * step) % len(case.records)] for i in range(case.n))
    memory = Enumeration()
    there, back = (  # sets as the audit enumerates them
        law(lambda coins, d=d: case.run(d, coins), memory=memory, sets=case.sets) for d in (data, data[::-1])
    )
    assert there == back


def _claimed(case: Case) -> float:
    return math.exp(float(case.claim.epsilon.upper))


@pytest.mark.parametrize("kind", [Thresholds, Points, None])
def test_a_record_among_forty_copies_of_another_is_protected_as_any(kind: Any) -> None:
    schema = tiny_schema(4)
    concepts = Stumps(schema) if kind is None else kind(schema, "a")
    case = learner_case("copies", Occam(concepts, ONE), schema, 40)
    memory = Enumeration()

    def of(data: tuple[Any, ...]) -> dict[Any, Fraction]:
        return law(lambda coins: case.run(data, coins), memory=memory)

    for one in case.records:
        copies = of((one,) * 40)
        for other in case.records:
            changed = of((*(one,) * 39, other))
            for p, q in ((copies, changed), (changed, copies)):
                ratio, _ = worst_ratio(p, q)
                assert ratio is not None
                assert ratio <= _claimed(case) * (1 + 1e-12)


# --- odd records and labels -------------------------------------------------------------------------------------------

OPEN = Schema(
    (
        Numeric("a", lower=0, upper=3, integer=True, missing=0),
        Categorical("kind", ("u", "v"), other="elsewhere", missing="nothing"),
    ),
    label="y",
    classes=("0", "1"),
)
ODD = {
    "a": [-(10.0**300), 10.0**300, float("nan"), 2.0],
    "kind": ["u", "'; DROP TABLE records; --", "", "v"],
}


def test_a_record_outside_of_the_schema_is_mapped_by_itself_whatever_the_others_are() -> None:
    together = MemorySample.of(ODD, OPEN, labelled=False).block().cells
    for i in range(4):
        alone = {name: [values[i]] for name, values in ODD.items()}
        cells = MemorySample.of(alone, OPEN, labelled=False).block().cells
        assert {name: int(cells[name][0]) for name in cells} == {
            name: int(together[name][i]) for name in together
        }
    assert together["a"].tolist()[:2] == [0, 3]


def test_an_outlier_has_the_law_of_the_bound_it_is_clamped_to() -> None:
    learner = Occam(Thresholds(OPEN, "a"), ONE)

    def of(value: float) -> dict[Any, Fraction]:
        table = {"a": [value, 1.0, 2.0], "kind": ["u", "v", "w"]}
        return law(lambda coins: learner.learn(MemorySample.of(table, OPEN, y=["1", "0", "1"]), coins))

    assert of(1e300) == of(3.0)
    assert of(-1e300) == of(0.0)


@pytest.mark.parametrize("label", ["2", "patient-4711", None, float("nan"), -1, "0; DROP TABLE"])
def test_a_label_outside_of_the_classes_is_refused_unnamed_before_a_coin_is_tossed(label: object) -> None:
    class Nobody:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError("a coin was tossed")

    with pytest.raises(PrivpacError) as caught:
        learn(TABLE, y=[label, *LABELS[1:]], schema=SCHEMA, concepts="thresholds:a", ledger=Nobody())  # type: ignore[arg-type]
    assert "4711" not in str(caught.value)
    assert "DROP" not in str(caught.value)


def test_labels_that_contradict_every_rule_cost_no_more_privacy() -> None:
    """Alternating labels, where every rule is wrong half the time, against their opposite one at a time."""
    schema = tiny_schema(4)
    case = learner_case("contradiction", Occam(Thresholds(schema, "a"), ONE), schema, 16)
    data = tuple((i % 4, (i // 4) % 2) for i in range(16))
    memory = Enumeration()
    honest = law(lambda coins: case.run(data, coins), memory=memory)
    for i, (cell, label) in enumerate(data):
        changed = (*data[:i], (cell, 1 - label), *data[i + 1 :])
        other = law(lambda coins, d=changed: case.run(d, coins), memory=memory)
        for p, q in ((honest, other), (other, honest)):
            ratio, _ = worst_ratio(p, q)
            assert ratio is not None
            assert ratio <= _claimed(case) * (1 + 1e-12)
