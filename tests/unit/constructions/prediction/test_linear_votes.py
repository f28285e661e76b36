"""Linear classifiers asked together: the same answers as one at a time, and nothing but plain ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from privpac.constructions.prediction.voters import LinearVotes

WIDTH = 3


def fitted(seed: int) -> LogisticRegression:
    random = np.random.default_rng(seed)
    rows = random.random((40, WIDTH))
    labels = (rows @ random.normal(size=WIDTH) + random.normal(scale=0.3, size=40) > 0).astype(np.uint8)
    labels[:2] = 0, 1
    return LogisticRegression().fit(rows, labels)


@pytest.fixture(scope="module")
def models() -> list[Any]:
    return [fitted(seed) for seed in range(15)]


def test_models_say_together_what_they_say_alone(models: list[Any]) -> None:
    rows = np.random.default_rng(99).random((500, WIDTH))
    together = LinearVotes.of([*models, None, None], [0] * 15 + [1, 0], WIDTH)
    assert together is not None
    ones = np.sum([model.predict(rows) for model in models], axis=0) + 1
    assert (together.count(rows) == np.stack([17 - ones, ones], axis=1)).all()


def test_an_answer_does_not_depend_on_who_asks_at_the_same_time(models: list[Any]) -> None:
    rows = np.random.default_rng(7).random((64, WIDTH))
    # Rows on the very edge of a model, where another order of adding would turn its answer round.
    for place, model in enumerate(models):
        rows[place, 0] = -(model.intercept_[0] + rows[place, 1:] @ model.coef_[0, 1:]) / model.coef_[0, 0]
    together = LinearVotes.of(models, [0] * 15, WIDTH)
    assert together is not None
    alone = np.concatenate([together.count(rows[i : i + 1]) for i in range(len(rows))])
    assert (together.count(rows) == alone).all()


class Sly(LogisticRegression):  # type: ignore[misc]
    """Of another kind, although it descends from the right one."""


def broken(**parts: object) -> LogisticRegression:
    model = fitted(1)
    vars(model).update(parts)
    return model


@pytest.mark.parametrize(
    "model",
    [
        Sly(),
        LogisticRegression(),
        RidgeClassifier().fit([[0.0] * WIDTH, [1.0] * WIDTH], [0, 1]),
        broken(coef_=np.zeros((1, WIDTH + 1))),
        broken(coef_=np.zeros((2, WIDTH))),
        broken(coef_=np.zeros((1, WIDTH), dtype=object)),
        broken(intercept_=0.0),
        broken(classes_=np.array([0, 2])),
        broken(classes_=np.array(["0", "1"])),
    ],
)
def test_what_is_not_plain_is_asked_by_itself(model: object) -> None:
    assert LinearVotes.of([fitted(0), model], [0, 0], WIDTH) is None


def test_weights_beyond_all_numbers_still_vote() -> None:
    endless = broken(coef_=np.full((1, WIDTH), np.nan))
    together = LinearVotes.of([endless], [1], WIDTH)
    assert together is not None
    rows = np.ones((1, WIDTH))
    assert (
        together.count(rows)[0].tolist() == [1, 0] == [1 - endless.predict(rows)[0], endless.predict(rows)[0]]
    )
