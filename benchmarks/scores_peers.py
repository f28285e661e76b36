"""Risks from private classifiers of other packages: run by `benchmarks.scores` with an interpreter that has them.

    PYTHON benchmarks/scores_peers.py REQUEST.npz ANSWER.npz

needs `interpret-core`, `diffprivlib` and scikit-learn 1.7 there, and nothing of this project. A request holds cells of
training and test records, labels, the sizes of columns, which of them are ordered, epsilons and a seed; an answer holds
the risks of class 1 of all test records, one row per method and epsilon.
"""

import math
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

DELTA = 1e-6
ITERATIONS = 300


def scaled(cells: Any, sizes: Any) -> Any:
    """Ordered columns on [0, 1] by their public range."""
    return cells / np.maximum(1, sizes - 1)


def encoded(cells: Any, sizes: Any, ordered: Any) -> Any:
    """Ordered columns on [-1, 1], categories one-hot: no row is longer than the root of the number of columns."""
    parts = []
    for place, size in enumerate(sizes):
        own = cells[:, place]
        if ordered[place]:
            parts.append((2 * own / max(1, size - 1) - 1)[:, None])
        else:
            parts.append(np.eye(size)[own.astype(np.int64)])
    return np.hstack(parts)


def mixed(cells: Any, sizes: Any, ordered: Any) -> Any:
    """Numbers for ordered columns, words for the others."""
    values = np.empty(cells.shape, dtype=object)
    for place in range(cells.shape[1]):
        own = cells[:, place]
        values[:, place] = scaled(own, sizes[place]) if ordered[place] else own.astype(np.int64).astype(str)
    return values


def boosting(request: Any, **settings: Any) -> Callable[..., Any]:
    """interpret's DP-EBM; its noise is for a record that is added or removed."""
    from interpret.privacy import DPExplainableBoostingClassifier

    sizes, ordered = request["sizes"], request["ordered"]
    train, test = (mixed(request[part], sizes, ordered) for part in ("train", "test"))

    def risks(epsilon: float, seed: int, delta: float = DELTA) -> Any:
        model = DPExplainableBoostingClassifier(
            epsilon=epsilon,
            delta=delta,
            n_jobs=1,
            random_state=seed,
            feature_types=["continuous" if one else "nominal" for one in ordered],
            privacy_bounds={place: (0.0, 1.0) for place, one in enumerate(ordered) if one},
            **settings,
        )
        return model.fit(train, request["labels"]).predict_proba(test)[:, 1]

    return risks


def for_replacing(risks: Callable[..., Any]) -> Callable[[float, int], Any]:
    """The same where a record is replaced, removed and another one added: twice (e, d) is (2e, d(1 + exp(e)))."""

    def halved(epsilon: float, seed: int) -> Any:
        return risks(epsilon / 2, seed, DELTA / (1 + math.exp(epsilon / 2)))

    return halved


def regression(request: Any) -> Callable[[float, int], Any]:
    """diffprivlib's logistic regression, pure epsilon, as the package claims it."""
    from diffprivlib.models import LogisticRegression

    sizes, ordered = request["sizes"], request["ordered"]
    train, test = (encoded(request[part], sizes, ordered) for part in ("train", "test"))

    def risks(epsilon: float, seed: int) -> Any:
        norm = float(np.sqrt(len(sizes)))
        model = LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=ITERATIONS, random_state=seed)
        return model.fit(train, request["labels"]).predict_proba(test)[:, 1]

    return risks


def answers(request: Any) -> Iterator[tuple[str, Any]]:
    tuned = boosting(request, max_rounds=20, learning_rate=0.5, max_bins=16)
    methods = {
        "DP-EBM, tuned": tuned,
        "DP-EBM, tuned, replacing": for_replacing(tuned),
        "DP-EBM, defaults": boosting(request),
        "DP logistic regression": regression(request),
    }
    for method in request["methods"]:
        for number, epsilon in enumerate(request["epsilons"]):
            yield f"{method}/{number}", methods[str(method)](float(epsilon), int(request["seed"]) + number)


def main() -> None:
    warnings.simplefilter("ignore")
    asked, answer = sys.argv[1:]
    with np.load(asked) as request:
        np.savez(answer, **dict(answers(dict(request))))


if __name__ == "__main__":
    main()
