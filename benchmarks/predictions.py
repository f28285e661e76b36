"""Private answers next to a noisy majority vote in the manner of PATE: same splits, same classifier, same epsilon.

`python -m benchmarks.predictions [--data DIR] [--splits 3] [--json out.json]`

For 1, 10, 100 and 1000 answers at total epsilon 1: pure, and for 100 and 1000 also with delta 10^-6. The peer votes
with logistic regressions on disjoint parts of at least 20 records (10 to 400 of them, by its usual rule), answers by
the exponential mechanism on the votes, or by Gaussian noise with exact composition under a delta. Ours is
`PrivatePredictor` with its default number of models, the same logistic regression, and the optimal composition under
a delta. Accuracies are expectations over the noise, computed exactly from the counts of votes; what varies is the
split. Beside both, a model released once at the same total epsilon (`privpac.learn`'s default), which answers any
number of questions.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtr
from sklearn.linear_model import LogisticRegression

from benchmarks.accuracy import Table, load, names
from privpac import SeededCoins
from privpac.answering.price import epsilon_an_answer
from privpac.constructions.prediction.vote import Vote, default_models
from privpac.constructions.prediction.vote_law import vote_wrong
from privpac.constructions.prediction.voters import Classifiers
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest

TOTAL, DELTA = Fraction(1), Fraction(1, 10**6)
ASKED = 4_000
"""Test records, at most."""
PEER_MODELS = (10, 25, 50, 100, 200, 400)
PEER_RECORDS = 20


class Counts:
    """Counts of votes on the test records by number of models, trained once each."""

    def __init__(self, train: MemorySample, test: MemorySample, seed: int) -> None:
        self.train, self.seed, self.block = train, seed, test.block()
        self.known: dict[int, np.ndarray] = {}

    def __call__(self, models: int) -> np.ndarray:
        """How many models are right about each test record."""
        if models not in self.known:
            classifier = LogisticRegression(C=1.0, solver="liblinear")
            vote = Vote(Classifiers(self.train.schema, classifier), TOTAL, models)
            prepared = vote.prepare(self.train, SeededCoins(self.seed))
            ones = vote.voters.tally(prepared.models, self.block.cells)[:, 1]
            self.known[models] = np.where(self.block.labels == 1, ones, models - ones)
        return self.known[models]


def _sigma(answers: int) -> float:
    """Gaussian noise for so many answers within (TOTAL, DELTA), by the exact curve of the Gaussian mechanism."""
    epsilon, delta = float(TOTAL), float(DELTA)
    low, high = 1e-6, 50.0
    for _ in range(200):
        mu = math.sqrt(low * high)
        spent = ndtr(-epsilon / mu + mu / 2) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2)
        low, high = (low, mu) if spent > delta else (mu, high)
    return math.sqrt(answers) / low


def _peer(votes: Counts, n: int, answers: int, delta: bool) -> tuple[int, float]:
    need = 7 * _sigma(answers) if delta else 10 * answers / float(TOTAL)
    grid = [k for k in PEER_MODELS if n // k >= PEER_RECORDS] or [5]
    models = next((k for k in grid if k >= need), grid[-1])
    margin = votes(models) - models / 2
    if delta:
        return models, float(ndtr(margin / _sigma(answers)).mean())
    return models, float(expit(float(TOTAL) / answers * margin).mean())


def _ours(votes: Counts, n: int, answers: int, delta: bool) -> tuple[int, float]:
    price = epsilon_an_answer(answers=answers, epsilon=TOTAL, delta=DELTA if delta else Fraction(0))
    models = default_models(n, price)
    wrong = np.array([float(vote_wrong(w, models=models, ratio=ratio_for(price))) for w in range(models + 1)])
    return models, float((1 - wrong[models - votes(models)]).mean())


def _released(train: MemorySample, votes: Counts) -> float:
    learner = learner_for("auto", Request(train.schema, train.size, LearnRequest(epsilon=TOTAL)))
    draws = [learner.learn(train, SeededCoins(seed)) for seed in range(3)]
    right = [(draw.predict(votes.block.cells) == votes.block.labels).mean() for draw in draws]
    return float(np.mean(right))


def measure(table: Table, split: int) -> list[dict[str, Any]]:
    train_at, test_at = table.split(split)
    n = table.sizes[-1]
    train = table.sample.take(train_at[:n])
    votes = Counts(train, table.sample.take(test_at[:ASKED]), split)
    released = _released(train, votes)
    rows = []
    for answers, delta in ((1, False), (10, False), (100, False), (1000, False), (100, True), (1000, True)):
        (peer_models, peer), (models, ours) = (find(votes, n, answers, delta) for find in (_peer, _ours))
        rows.append(
            {
                "table": table.name,
                "n": n,
                "split": split,
                "answers": answers,
                "delta": float(DELTA) if delta else 0.0,
                "models": models,
                "ours": round(ours, 5),
                "peer_models": peer_models,
                "peer": round(peer, 5),
                "released": round(released, 5),
            }
        )
    return rows


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over the splits, and whether ours is at least the peer's."""
    found = []
    for key in dict.fromkeys((row["table"], row["answers"], row["delta"]) for row in rows):
        some = [row for row in rows if (row["table"], row["answers"], row["delta"]) == key]
        means = {
            name: round(float(np.mean([row[name] for row in some])), 4)
            for name in ("ours", "peer", "released")
        }
        found.append(
            {"table": key[0], "answers": key[1], "delta": key[2], "models": some[0]["models"]}
            | {"peer_models": some[0]["peer_models"], **means, "holds": means["ours"] >= means["peer"]}
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of tables; the bundled table without one")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    for name in names(options.data):
        table = load(name, options.data)
        for split in range(options.splits):
            rows += measure(table, split)
        for line in summary([row for row in rows if row["table"] == name]):
            print(json.dumps(line), flush=True)
    if options.json:
        date = datetime.now(UTC).date().isoformat()
        document = {"what": "private answers against a noisy majority vote", "date": date, "total_epsilon": 1}
        options.json.write_text(
            json.dumps(document | {"summary": summary(rows), "rows": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
