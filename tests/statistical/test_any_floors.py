"""No private learner beats the floors for every answer, nor those with a delta; floors that promise more are beaten.

The best learner of a tiny instance is found by linear programming over all answer probabilities, as in `test_floors`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack, identity, kron, vstack

from privpac.planning.lower_bounds import BOUNDS, Claim
from privpac.planning.lower_bounds import levels as levels_of
from privpac.planning.question import Question
from privpac.planning.table import rows_of
from privpac.planning.ways import class_asked, class_word
from privpac.theory import any_floors, floors
from tests.statistical.claims import asked, claims, moved, scaled
from tests.statistical.test_floors import Database, family, threshold_records

SLACK = 1e-7

Row = tuple[Database, int, float]


def best_success(
    rows: Sequence[Row], *, outcomes: int, wins: Callable[[int, int], bool], epsilon: float, delta: float
) -> float:
    """The largest mean success of an algorithm that is private for groups, as every (epsilon, delta) one is: of all
    answers together no more than delta_K lies above e^(epsilon·K) times what another data set gives them."""
    index = {database: i for i, database in enumerate(dict.fromkeys(d for d, _, _ in rows))}
    gain = np.zeros((len(index), outcomes))
    for database, target, chance in rows:
        gain[index[database]] += [chance * wins(target, outcome) for outcome in range(outcomes)]
    pairs = list(itertools.permutations(index, 2))
    apart = np.array([sum(x != y for x, y in zip(a, b, strict=True)) for a, b in pairs])
    values = np.concatenate([np.ones(len(pairs)), -np.exp(epsilon * apart)])
    places = [index[a] for a, _ in pairs] + [index[b] for _, b in pairs]
    ratio = coo_matrix((values, (np.tile(np.arange(len(pairs)), 2), places)), shape=(len(pairs), len(index)))
    above = identity(len(pairs) * outcomes)
    together = kron(identity(len(pairs)), np.ones((1, outcomes)))
    none = coo_matrix((len(pairs), len(index) * outcomes))
    group = delta * np.expm1(epsilon * apart) / math.expm1(epsilon)
    found = linprog(
        np.concatenate([-gain.ravel(), np.zeros(len(pairs) * outcomes)]),
        A_ub=vstack([hstack([kron(ratio, identity(outcomes)), -above]), hstack([none, together])]).tocsr(),
        b_ub=np.concatenate([np.zeros(len(pairs) * outcomes), group]),
        A_eq=hstack(
            [
                kron(identity(len(index)), np.ones((1, outcomes))),
                coo_matrix((len(index), len(pairs) * outcomes)),
            ]
        ).tocsr(),
        b_eq=np.ones(len(index)),
    )
    assert found.success
    return float(-found.fun)


def two_rules(n: int, *, error: float, epsilon: float, delta: float) -> float:
    """The least failure where the label of one rare point is 0 or 1, over all data sets, those between the two targets
    included. They are known by how often that point has either label; what is unknown is the chance to answer 1."""
    counts = [(zeros, ones) for zeros in range(n + 1) for ones in range(n + 1 - zeros)]
    index = {pair: i for i, pair in enumerate(counts)}
    chances = [math.comb(n, k) * error**k * (1 - error) ** (n - k) for k in range(n + 1)]
    cost = np.zeros(len(counts))
    for k, chance in enumerate(chances):
        cost[index[k, 0]] += chance / 2
        cost[index[0, k]] -= chance / 2
    rows, bounds = [], []
    for (a, b), (c, d) in itertools.permutations(counts, 2):
        if max(abs(a - c), abs(b - d), abs(a + b - c - d)) == 1:  # one record becomes another
            for sign, bound in ((1, delta), (-1, delta + math.expm1(epsilon))):
                row = np.zeros(len(counts))
                row[index[a, b]], row[index[c, d]] = sign, -sign * math.exp(epsilon)
                rows.append(row)
                bounds.append(bound)
    found = linprog(cost, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=(0, 1))
    assert found.success
    return float(found.fun) + 0.5


TWO = [
    (1, 0.3, 1.0, 0.0),
    (4, 0.3, 1.0, 0.0),
    (5, 0.6, 0.4, 0.0),
    (2, 0.2, 0.5, 0.05),
    (3, 0.4, 1.0, 0.1),
    (3, 0.3, 0.2, 0.01),
    (4, 0.5, 2.0, 1e-3),
]


@claims(least_failure_two_rules=scaled("1.001"), floor_two_rules=moved(1))
def test_two_rules_are_told_apart_no_better() -> None:
    for n, error, epsilon, delta in TWO:
        best = two_rules(n, error=error, epsilon=epsilon, delta=delta)
        proved = any_floors.least_failure_two_rules(n, error=error, epsilon=epsilon, delta=delta)
        assert float(proved) <= best + SLACK
        if delta == 0:
            assert float(proved) >= best - 1e-5, "the best algorithm fails just so often"
    ask = {"error": 0.4, "epsilon": 1.0, "delta": 0.01}
    n = any_floors.floor_two_rules(failure=0.25, **ask)
    assert n >= 3
    assert two_rules(n - 1, **ask) > 0.25
    assert two_rules(n, **ask) <= 0.25, "a higher floor would be false"


def test_a_delta_that_is_forgotten_is_noticed() -> None:
    best = two_rules(3, error=0.4, epsilon=1.0, delta=0.1)
    assert float(any_floors.least_failure_two_rules(3, error=0.4, epsilon=1)) > best + 1e-3
    rows = family(range(2, 6), 2, record=threshold_records(0.3, 4))
    best = 1 - best_success(rows, outcomes=6, wins=lambda j, o: j == o, epsilon=1.0, delta=0.2)
    assert float(floors.least_failure_thresholds(2, domain=4, error=0.3, epsilon=1)) > best + 1e-3


@claims(
    least_failure_thresholds=asked(delta=lambda delta: 0 * delta),
    least_failure_points=asked(delta=lambda delta: 0 * delta),
)
def test_proper_learners_with_a_delta() -> None:
    for domain, n, error, epsilon, delta in (
        (4, 2, 0.3, 1.0, 0.2),
        (4, 2, 0.45, 0.5, 0.1),
        (3, 3, 0.2, 1.0, 0.02),
    ):
        rows = family(range(2, domain + 2), n, record=threshold_records(error, domain))
        best = 1 - best_success(
            rows, outcomes=domain + 2, wins=lambda j, o: j == o, epsilon=epsilon, delta=delta
        )
        ask = {"domain": domain, "error": error, "epsilon": epsilon, "delta": delta}
        assert float(floors.least_failure_thresholds(n, **ask)) <= best + SLACK
    for domain, n, error, epsilon, delta in ((4, 3, 0.4, 1.0, 0.15), (3, 4, 0.5, 0.7, 0.05)):
        rows = family(range(2, domain + 1), n, record=lambda j, e=error: {(j, 1): e, (1, 0): 1 - e})
        best = 1 - best_success(
            rows, outcomes=domain + 1, wins=lambda j, o: j == o, epsilon=epsilon, delta=delta
        )
        ask = {"domain": domain, "error": error, "epsilon": epsilon, "delta": delta}
        assert float(floors.least_failure_points(n, **ask)) <= best + SLACK


def path(leaf: int, levels: int) -> list[tuple[int, int]]:
    """Cells and labels on the way to a cut among 2^levels, by halving: cell c is labelled 1 from the cut on."""
    low, high, steps = 0, 2**levels - 1, []
    while low < high:
        middle = (low + high) // 2
        steps.append((middle, int(leaf <= middle)))
        low, high = (low, middle) if leaf <= middle else (middle + 1, high)
    return steps


def mistakes_of(labels: int, leaf: int, levels: int) -> int:
    return sum((labels >> cell & 1) != label for cell, label in path(leaf, levels))


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_every_rule_makes_as_many_mistakes_on_the_paths_together(levels: int) -> None:
    """Whatever the labels of the cells: C(d, j) paths with j mistakes."""
    for labels in range(2 ** (2**levels - 1)):
        counts = [mistakes_of(labels, leaf, levels) for leaf in range(2**levels)]
        assert [counts.count(j) for j in range(levels + 1)] == [
            math.comb(levels, j) for j in range(levels + 1)
        ]


@cache  # of numbers alone, and claims ask again
def tree_success(n: int, *, levels: int, mistakes: int, error: float, epsilon: float) -> float:
    """The largest mean success on the paths of a tree, over all labellings of its cells."""
    each = error / (mistakes + 1)

    def record(leaf: int) -> dict[tuple[int, int], float]:
        rest = 1 - levels * each
        return {
            **dict.fromkeys(path(leaf, levels), each),
            **({(2**levels - 1, 1): rest} if rest > 1e-9 else {}),
        }

    return best_success(
        family(range(2**levels), n, record=record),
        outcomes=2 ** (2**levels - 1),
        wins=lambda leaf, labels: mistakes_of(labels, leaf, levels) <= mistakes,
        epsilon=epsilon,
        delta=0.0,
    )


TREES = [
    (1, 2, 0, 0.49, 0.05),
    (2, 2, 0, 0.2, 0.1),
    (1, 2, 0, 0.45, 0.4),
    (2, 2, 0, 0.3, 0.5),
    (2, 2, 1, 0.9, 0.2),
    (1, 3, 1, 0.6, 0.3),
    (3, 1, 0, 0.4, 0.5),
]


@claims(most_success_mistake_tree=scaled("0.95"), floor_mistake_tree=moved(3))
def test_paths_are_found_no_better() -> None:
    for n, levels, mistakes, error, epsilon in TREES:
        best = tree_success(n, levels=levels, mistakes=mistakes, error=error, epsilon=epsilon)
        most = any_floors.most_success_mistake_tree(
            n, depth=levels, mistakes=mistakes, error=error, epsilon=epsilon
        )
        assert best <= float(most) + SLACK
    assert any_floors.best_mistakes(2, error=Fraction(3, 10), epsilon=Fraction(1, 2)) == 0
    for n in (1, 2):
        failure = 1 - tree_success(n, levels=2, mistakes=0, error=0.3, epsilon=0.5) + SLACK
        assert any_floors.floor_mistake_tree(2, error=0.3, failure=failure, epsilon=0.5) <= n


def rules_of(word: str, cells: int) -> list[tuple[int, ...]]:
    """All members as labels of the cells; of boxes, of a square of so many cells."""
    spans = [(a, b) for a in range(cells + 1) for b in range(a, cells + 1)]
    if word == "thresholds":
        return [tuple(int(x >= cut) for x in range(cells)) for cut in range(cells + 1)]
    if word == "rectangles":
        square = list(itertools.product(range(cells), repeat=2))
        boxes = itertools.product(spans, repeat=2)
        return sorted({tuple(int(a <= x < b and c <= y < d) for x, y in square) for (a, b), (c, d) in boxes})
    parts = int(word.partition(":")[2] or 1)
    chosen = itertools.combinations_with_replacement(spans, parts)
    return sorted({tuple(int(any(a <= x < b for a, b in some)) for x in range(cells)) for some in chosen})


def depth_of(rules: Sequence[tuple[int, ...]]) -> int:
    """The deepest tree of mistakes of some rules (their Littlestone dimension), by brute force."""
    size = len(rules[0])

    @cache
    def depth(members: frozenset[tuple[int, ...]]) -> int:
        best = 0
        for x in range(size):
            ones = frozenset(rule for rule in members if rule[x])
            if 0 < len(ones) < len(members) and min(len(ones), len(members) - len(ones)) >= 2**best:
                best = max(best, 1 + min(depth(ones), depth(members - ones)))
        return best

    return depth(frozenset(rules))


def claimed(word: str, *, bits: int) -> Claim:
    question = Question.read(concepts=word, bits=bits, error="0.1", epsilon=1)
    head = class_word(question).partition(":")[0]
    return Claim(class_asked(question), head, Fraction(1, 10), Fraction(1, 20), Fraction(1), proper=True)


@pytest.mark.parametrize(
    ("word", "bits"),
    [("thresholds", 1), ("thresholds", 3), ("intervals", 2), ("intervals", 3), ("unions:2", 3)],
)
def test_classes_have_trees_as_deep_as_is_said(word: str, bits: int) -> None:
    """Of the members that label some one cell alike, as the proof wants."""
    rules = rules_of(word, 2**bits)
    said = levels_of(claimed(word, bits=bits))
    assert said >= 1
    assert max(depth_of([rule for rule in rules if rule[x]]) for x in range(2**bits)) >= said


def test_boxes_have_a_tree_through_their_centre() -> None:
    assert levels_of(claimed("rectangles:2", bits=2)) == 4
    rules = [rule for rule in rules_of("rectangles", 4) if rule[4 + 1]]
    assert depth_of(rules) >= 4


WISHES = [
    {"error": error, "failure": failure, "epsilon": epsilon, "delta": delta}
    for error, failure, epsilon, delta in (
        ("0.02", "0.05", "1", "0"),
        ("0.1", "0.001", "6", "0"),
        ("0.1", "0.05", "0.3", "1e-6"),
        ("0.35", "0.3", "1", "1e-6"),
        ("0.35", "0.001", "0.3", "0"),
    )
]
PLANS = [
    ("thresholds", {"bits": 2}),
    ("thresholds", {"bits": 16}),
    ("thresholds", {"bits": 128}),
    ("points", {"bits": 20}),
    ("intervals", {"bits": 32}),
    ("unions:3", {"bits": 24}),
    ("rectangles:2", {"bits": 8}),
    ("trees:2", {"columns": 5}),
    ("one-test", {"columns": 5}),
]


@pytest.mark.long_cases(*(f"{word}-{size}" for word, size in PLANS if word not in ("thresholds", "one-test")))
@pytest.mark.parametrize(("word", "size"), PLANS, ids=lambda part: str(part))
def test_no_floor_is_above_what_a_learner_is_proved_to_need(word: str, size: dict[str, int]) -> None:
    """Every way to answer, whatever it protects: what is done is not impossible."""
    compared = 0
    for wish, protect in itertools.product(WISHES, ("records", "labels")):
        for row in rows_of(Question.read(concepts=word, protect=protect, **wish, **size)):
            if row.limit is not None:
                assert row.limit.value <= row.records, (word, size, wish, row.learner, row.limit)
                compared += 1
    assert compared >= len(WISHES)


def test_a_floor_decides_one_number_of_records_as_it_decides_all() -> None:
    """The quick way to exclude a number of records agrees with the floor itself."""
    sources = ("floor-two-rules", "floor-mistake-tree", "floor-thresholds-proper")
    claim = claimed("thresholds", bits=96)
    for bound in (bound for bound in BOUNDS if bound.source in sources):
        assert bound.binds(claim)
        records = bound.records(claim)
        assert records > 1
        assert bound.excludes(claim, records - 1)
        assert not bound.excludes(claim, records)
