"""Models whose stored numbers or names would lead the code that asks them astray.

scikit-learn follows the numbers of a tree without looking: one that points to itself is followed for ever, and one
that points outside reads memory that is not its own. Stacking calls a method by its stored name, so a forged one could
train instead of predict; a pipeline that trains reads pickles from the folder that it stores as its cache, and a pickle
runs whatever it holds. So whatever is loaded is looked through before it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_sound"]

ASKING = frozenset({"decision_function", "predict", "predict_proba"})
"""The methods by which stacking asks its parts."""


def is_sound(models: Sequence[Any]) -> bool:
    """Whether every tree inside of these models leads downwards, and nothing but predicting is called by name."""
    return all(_sound(part) for part in _parts(models))


def _parts(models: Sequence[Any]) -> Iterator[Any]:
    """Every object that the models consist of, each once."""
    waiting, visits = list(models), set()
    while waiting:
        part = waiting.pop()
        if id(part) in visits:
            continue
        visits.add(id(part))
        if isinstance(part, list | tuple | set):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, np.ndarray):
            waiting += part.ravel().tolist() if part.dtype == object else []
        else:
            yield part
            waiting += getattr(part, "__dict__", {}).values()  # plain values have none


def _sound(part: object) -> bool:
    from sklearn.ensemble import (
        GradientBoostingClassifier,
        HistGradientBoostingClassifier,
        StackingClassifier,
    )
    from sklearn.ensemble._forest import ForestClassifier
    from sklearn.neighbors import BallTree, KDTree
    from sklearn.pipeline import Pipeline
    from sklearn.tree import BaseDecisionTree

    if isinstance(part, Pipeline):
        return vars(part).get("memory") is None
    if isinstance(part, StackingClassifier):
        names = vars(part).get("stack_method_", [])
        return type(names) is list and ASKING.issuperset(names)
    if isinstance(part, BaseDecisionTree):
        tree = vars(part).get("tree_")
        if tree is None:  # a pattern that trained ones were cloned from
            return True
        inner = tree.children_left != -1
        downwards = _downwards(inner, tree.children_left, tree.children_right)
        return downwards and _below(tree.feature[inner], part.n_features_in_)
    if isinstance(part, ForestClassifier | GradientBoostingClassifier):
        estimators = np.asarray(vars(part).get("estimators_", ()), dtype=object).ravel()
        return all(tree.n_features_in_ == part.n_features_in_ for tree in estimators)
    if isinstance(part, HistGradientBoostingClassifier):
        predictors = [predictor for stage in vars(part).get("_predictors", ()) for predictor in stage]
        return all(_sound_nodes(predictor, part.n_features_in_) for predictor in predictors)
    if isinstance(part, BallTree | KDTree):
        return _sound_neighbours(*part.get_arrays())
    return True


def _below(values: NDArray[Any], end: int) -> bool:
    return bool(((values >= 0) & (values < end)).all())


def _downwards(inner: NDArray[np.bool_], left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Both children of an inner node stand behind it, and inside."""
    places = np.flatnonzero(inner)
    return all(
        _below(children[inner], len(inner)) and bool((children[inner] > places).all())
        for children in (left, right)
    )


def _sound_nodes(predictor: Any, features: int) -> bool:
    nodes = predictor.nodes
    inner = nodes["is_leaf"] == 0
    sets = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    return (
        len(nodes) > 0
        and _downwards(inner, nodes["left"].astype(np.int64), nodes["right"].astype(np.int64))
        and _below(nodes["feature_idx"][inner], features)
        and _below(sets, len(predictor.raw_left_cat_bitsets))
    )


def _sound_neighbours(
    data: NDArray[Any], order: NDArray[Any], nodes: NDArray[Any], bounds: NDArray[Any]
) -> bool:
    """A tree in an array: the children of node i are 2i + 1 and 2i + 2, and a node has a stretch of the order."""
    count = len(data)
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    return (
        len(order) == count
        and bounds.shape[1:] == (len(nodes), data.shape[1])
        and _below(order, count)
        and _below(nodes["idx_start"], count + 1)
        and _below(nodes["idx_end"], count + 1)
        and _below(2 * inner + 2, len(nodes))
    )
