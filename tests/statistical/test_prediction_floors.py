"""No stable or private predictor beats its floor, and some predictor beats it with a broken constant.

The best predictor is found by linear programming over its answer probabilities on every data set.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from privpac.constructions.prediction import floors as prediction_floors
from privpac.constructions.prediction.floors import floor_private_prediction, floor_stable_prediction
from privpac.errors import ParameterError

RECORDS = ((0, 0), (1, 0), (1, 1))  # the common point with label 0; the rare point with either label


def least_error(
    n: int, *, rare: float, epsilon: float | None = None, stability: float | None = None
) -> float:
    """Twice-averaged error at the rare point of the best predictor, times its mass: d = 2, the label a fair coin."""
    bases = list(itertools.product(RECORDS, repeat=n))
    index = {base: i for i, base in enumerate(bases)}
    gain = np.zeros(len(bases))
    for base, i in index.items():
        labels = {label for point, label in base if point}
        if len(labels) == 2:
            continue  # inconsistent data never occur
        seen = sum(point for point, _ in base)
        chance = rare**seen * (1 - rare) ** (n - seen)
        if labels in ({1}, set()):
            gain[i] += chance / 2
        if labels in ({0}, set()):
            gain[i] -= chance / 2  # and the constant below: 1 - p is right
    rows: list[np.ndarray] = []
    limits: list[float] = []
    for a, b in itertools.permutations(bases, 2):
        if sum(x != y for x, y in zip(a, b, strict=True)) != 1:
            continue
        # p(a) - p(b) ≤ stability; or p(a) - e^epsilon·p(b) ≤ 0 for the answer 1 and the same for the answer 0.
        growth = 1.0 if epsilon is None else math.exp(epsilon)
        one, zero = np.zeros(len(bases)), np.zeros(len(bases))
        one[index[a]], one[index[b]] = 1.0, -growth
        zero[index[a]], zero[index[b]] = -1.0, growth
        rows += [one] if stability is not None else [one, zero]
        limits += [stability] if stability is not None else [0.0, growth - 1.0]
    found = linprog(-gain, A_ub=np.array(rows), b_ub=np.array(limits), bounds=(0, 1))
    assert found.success
    right = 0.5 - found.fun  # P[label 0]·1 + sum of gains
    return rare * (1.0 - right)


@pytest.mark.parametrize(("epsilon", "error"), [(0.5, 0.2), (0.3, 0.2), (1.0, 0.1)])
def test_no_private_predictor_beats_the_floor(epsilon: float, error: float) -> None:
    floor = floor_private_prediction(2, error=error, epsilon=epsilon)
    n = min(floor - 1, 4)
    rare = 2 * error / 0.4356
    assert n >= 1
    best = least_error(n, rare=rare, epsilon=epsilon)
    assert best > error
    # The inequality itself at this n, and the same with epsilon doubled where privacy binds: it must be caught.
    assert best >= rare * (1 - math.tanh(n * rare * epsilon / 2)) / 2 - 1e-9
    assert least_error(1, rare=1.0, epsilon=epsilon) == pytest.approx((1 - math.tanh(epsilon / 2)) / 2)
    assert least_error(1, rare=1.0, epsilon=epsilon) < (1 - math.tanh(epsilon / 4)) / 2, "must be caught"


@pytest.mark.parametrize(("stability", "error"), [(0.1, 0.2), (0.15, 0.25), (0.3, 0.1)])
def test_no_stable_predictor_beats_the_floor(stability: float, error: float) -> None:
    floor = floor_stable_prediction(2, error=error, stability=stability)
    n = min(floor - 1, 4)
    assert n >= 1
    assert least_error(n, rare=4 * error, stability=stability) > error
    assert least_error(1, rare=1.0, stability=stability) == pytest.approx((1 - stability) / 2)
    assert least_error(1, rare=1.0, stability=stability) < (1 - stability / 2) / 2, "must be caught"


def test_values_and_limits() -> None:
    assert floor_private_prediction(1, error=0.1, epsilon=1) == 0
    assert floor_private_prediction(101, error=0.1, epsilon=1) == 279
    assert floor_private_prediction(101, error=0.01, epsilon=0.1) == 27_847
    exact = 0.6 * math.atanh(0.4) * 100 / 0.3
    assert floor_private_prediction(101, error=0.3, epsilon=1) == math.ceil(exact), (
        "beyond 0.2178 the best y is out of reach"
    )
    assert floor_stable_prediction(9, error="0.25", stability="0.5") == 8
    assert floor_stable_prediction(1, error="0.25", stability="0.5") == 0
    with pytest.raises(ParameterError, match="error"):
        floor_stable_prediction(9, error="0.26", stability="0.5")
    with pytest.raises(ParameterError, match="error"):
        floor_private_prediction(9, error="0.5", epsilon=1)


def test_all_formulas_are_here() -> None:
    assert set(prediction_floors.__all__) == {"floor_private_prediction", "floor_stable_prediction"}
    grid = [Fraction(k, 100) for k in range(1, 50)]
    sizes = [floor_private_prediction(30, error=error, epsilon=1) for error in grid]
    assert sizes == sorted(sizes, reverse=True)
