"""Answers instead of models: records each construction is proved to need for an error, and which needs fewest.

Statement: `plain` releases a member of a class of 2^32 rules; `flipped` is Corollary 1 with our constants, simulated
at its promised size and beside its printed parameters; `relabelled_vote` Theorem 20; `net_relabelled` Theorem 2;
`vote` the vote of consistent concepts, for classes some member of which makes no error, beside its printed number of
models. All but `vote` are for noisy labels.
Source: register `occam-agnostic`, `flipped-answers`, `relabelled-vote`, `net-relabelling`, `vote-accuracy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privpac.cli.console import Progress
from privpac.pictures.curves import Curves, Series
from privpac.theory import sizes
from privpac.theory.prediction import (
    models_vote,
    records_flipped,
    records_flipped_printed,
    records_vote,
    records_vote_printed,
)
from privpac.theory.relabelled_prediction import records_net_relabelled, records_relabelled_vote

__all__ = ["figure", "rows"]

FAILURE = Fraction(1, 20)
ERRORS, QUICK_ERRORS = ("0.2", "0.1", "0.05", "0.02"), ("0.1",)
EPSILONS, QUICK_EPSILONS = ("1", "0.1"), ("1",)
DIMENSIONS, QUICK_DIMENSIONS = (1, 4), (1,)
AGNOSTIC = ("plain", "flipped", "relabelled_vote", "net_relabelled")
ANSWERS = 200
"""Simulated answers: the measured error is known to within about .02."""
LARGEST = 50_000
"""Records that are simulated at most."""


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row a VC dimension, an epsilon and an error."""
    wishes = [
        (vc, epsilon, error)
        for vc in (QUICK_DIMENSIONS if quick else DIMENSIONS)
        for epsilon in (QUICK_EPSILONS if quick else EPSILONS)
        for error in (QUICK_ERRORS if quick else ERRORS)
    ]
    made = []
    for done, (vc, epsilon, error) in enumerate(wishes):
        progress(done, len(wishes))
        made.append(_row(vc, epsilon, error, quick=quick))
    progress(len(wishes), len(wishes))
    return made


def _row(vc: int, epsilon: str, error: str, *, quick: bool) -> dict[str, Any]:
    wanted: dict[str, Any] = {"failure": FAILURE, "epsilon": Fraction(epsilon)}
    price, wrong = Fraction(epsilon), Fraction(error)
    row: dict[str, Any] = {
        "vc": vc,
        "epsilon": float(price),
        "error": float(wrong),
        "plain": sizes.records_agnostic(2 ** (32 * vc), excess=wrong, **wanted),
        "flipped": records_flipped(wrong, vc=vc, **wanted),
        "flipped_printed": records_flipped_printed(wrong, vc=vc, **wanted),
        "relabelled_vote": records_relabelled_vote(wrong, vc=vc, **wanted),
        "net_relabelled": None if quick else records_net_relabelled(wrong, vc=vc, **wanted),
        "vote": records_vote(wrong, vc=vc, **wanted),
        "vote_printed": records_vote_printed(wrong, vc=vc, **wanted),
        "models": models_vote(wrong, epsilon=price),
    }
    known = [name for name in AGNOSTIC if row[name] is not None]
    row["winner"] = min(known, key=lambda name: row[name])
    row["winner_of_answers"] = min(known[1:], key=lambda name: row[name])
    row["flipped_measured"] = _measured(row["flipped"], price) if vc == 1 else None
    return row


def _measured(n: int, price: Fraction) -> float | None:
    """The excess error of fresh draws with flips on thresholds, a tenth of the labels wrong, at so many records."""
    if n > LARGEST:
        return None
    import numpy as np

    from privpac.coins import SeededCoins
    from privpac.concepts.thresholds import Thresholds
    from privpac.data.engines.memory import MemorySample
    from privpac.data.schema import Schema
    from privpac.prediction.fresh_draws import FreshDraws

    cells = 2**20
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": cells - 1, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    generator = np.random.default_rng(5)
    x = generator.integers(0, cells, n)
    y = (x >= cells // 3) ^ (generator.random(n) < 0.1)
    sample = MemorySample.from_cells(schema, {"x": x}, y.astype(np.uint8))
    predictor = FreshDraws.planned(Thresholds(schema, "x"), price, records=n)
    asked = generator.integers(0, cells, ANSWERS).astype(np.uint32)
    answers = predictor.prepare(sample, SeededCoins(1)).answer({"x": asked}, SeededCoins(2))
    return round(0.8 * float((answers != (asked >= cells // 3)).mean()), 4)


def figure(rows: Sequence[dict[str, Any]]) -> Curves:
    """Records against the error, at the first VC dimension and epsilon."""
    vc, epsilon = rows[0]["vc"], rows[0]["epsilon"]
    some = [row for row in rows if (row["vc"], row["epsilon"]) == (vc, epsilon)]
    errors = [row["error"] for row in some]
    names = (*AGNOSTIC, "flipped_printed", "vote", "vote_printed")
    series = [
        Series(name.replace("_", " "), errors, [row[name] for row in some], dashed=name.endswith("printed"))
        for name in names
    ]
    return Curves(
        f"Records for private answers, VC dimension {vc}, epsilon {epsilon:g}",
        "error",
        "records",
        series,
        log_x=True,
        log_y=True,
        note="plain: a released rule of 2^32; vote: if some rule makes no error; all promised, with failure 0.05",
    )
