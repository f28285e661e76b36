"""Answers instead of models: records each construction is proved to need for an error, and which needs fewest.

Statement: `plain` releases a member of a class of 2^(32·vc) rules; `flipped` is Corollary 1 with our constants, beside
its printed parameters; `relabelled_vote` Theorem 20; `net_relabelled` Theorem 2; `vote` the vote of consistent
concepts, if some concept makes no error, beside its printed number of models. All but `vote` are for noisy labels.
`measured` is the error at that size in simulation, on thresholds, or `unmeasured` says why there is none. `fewest`
marks who needs fewest records, a map over all three wishes: of `all` for noisy labels, of `answers` that release no
rule, and of all if labels are `clean`.
Found: the papers say that answers need records in proportion to the VC dimension, whatever the size of the class. Here
releasing a rule, of a class with 2^(32·vc) members, needs fewest in 28 of the 30 settings with noisy labels; among the
constructions that release none, flipped answers need fewest in 26.
Source: register `occam-agnostic`, `flipped-answers`, `relabelled-vote`, `net-relabelling`, `vote-accuracy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from privpac.cli.console import Progress
from privpac.constructions.prediction.fresh_draws import records_flipped, records_flipped_printed
from privpac.constructions.prediction.net_relabelled import records_net_relabelled
from privpac.constructions.prediction.relabelled_vote import records_relabelled_vote
from privpac.constructions.prediction.vote import (
    models_vote,
    models_vote_printed,
    records_vote,
    records_vote_printed,
)
from privpac.pictures.curves import Curves, Series
from privpac.theory import sizes

__all__ = ["figure", "rows"]

FAILURE = Fraction(1, 20)
ERRORS, QUICK_ERRORS = ("0.2", "0.1", "0.05", "0.02", "0.003"), ("0.1",)
EPSILONS, QUICK_EPSILONS = ("1", "0.1", "4"), ("1",)
DIMENSIONS, QUICK_DIMENSIONS = (1, 4), (1,)
NOISY = ("plain", "flipped", "relabelled_vote", "net_relabelled")
ALL = (*NOISY, "flipped_printed", "vote", "vote_printed")


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per construction, for every VC dimension, epsilon and error."""
    wishes = [
        (vc, epsilon, error)
        for vc in (QUICK_DIMENSIONS if quick else DIMENSIONS)
        for epsilon in (QUICK_EPSILONS if quick else EPSILONS)
        for error in (QUICK_ERRORS if quick else ERRORS)
    ]
    made = []
    for done, (vc, epsilon, error) in enumerate(wishes):
        progress(done, len(wishes))
        made += _rows(vc, epsilon, error, quick=quick)
    progress(len(wishes), len(wishes))
    return made


def _rows(vc: int, epsilon: str, error: str, *, quick: bool) -> list[dict[str, Any]]:
    price, wrong = Fraction(epsilon), Fraction(error)
    models = {
        "vote": models_vote(wrong, epsilon=price),
        "vote_printed": models_vote_printed(wrong, epsilon=price),
    }
    wanted: dict[str, Any] = {"failure": FAILURE, "epsilon": price}
    needed: dict[str, int] = {
        "plain": sizes.records_agnostic(2 ** (32 * vc), excess=wrong, **wanted),
        "flipped": records_flipped(wrong, vc=vc, **wanted),
        "relabelled_vote": records_relabelled_vote(wrong, vc=vc, **wanted),
        "net_relabelled": records_net_relabelled(wrong, vc=vc, **wanted),
        "flipped_printed": records_flipped_printed(wrong, vc=vc, **wanted),
        "vote": records_vote(wrong, vc=vc, models=models["vote"], **wanted),
        "vote_printed": records_vote_printed(wrong, vc=vc, **wanted),
    }
    fewest = _fewest(needed)
    unmeasured = {name: _unmeasured(name, n, vc, quick=quick) for name, n in needed.items()}
    return [
        {
            "vc": vc,
            "epsilon": float(price),
            "error": float(wrong),
            "construction": name,
            "records": n,
            "models": models.get(name),
            "measured": None if unmeasured[name] else _measured(name, n, price, wrong, models.get(name, 1)),
            "unmeasured": unmeasured[name],
            "fewest": " ".join(of for of, winner in fewest.items() if winner == name),
        }
        for name, n in needed.items()
    ]


def _fewest(needed: dict[str, int]) -> dict[str, str]:
    """Who needs fewest records of all, of those that release no rule, and of all if labels are clean."""
    noisy = list(NOISY)
    fields = {"all": noisy, "answers": noisy[1:], "clean": [*noisy, "vote"]}
    return {of: min(names, key=needed.__getitem__) for of, names in fields.items()}


def _unmeasured(name: str, n: int, vc: int, *, quick: bool) -> str:
    from reproductions.predictions_measured import unmeasured

    if quick and name == "net_relabelled":
        return "not in the quick table"
    return unmeasured(n, vc)


def _measured(name: str, n: int, price: Fraction, wrong: Fraction, models: int) -> float:
    from reproductions.predictions_measured import measured

    return measured(name, n, epsilon=price, error=wrong, models=models)


NOISY_PANEL = "Noisy labels"
CLEAN = "If some rule makes no error"


def figure(rows: Sequence[dict[str, Any]]) -> Curves:
    """Records against the error, at the first VC dimension and epsilon."""
    vc, epsilon = rows[0]["vc"], rows[0]["epsilon"]
    some = [row for row in rows if (row["vc"], row["epsilon"]) == (vc, epsilon)]
    clean = ("vote", "vote_printed")
    series = [
        replace(
            _series(name.replace("_", " "), _of(some, name)), panel=CLEAN if name in clean else NOISY_PANEL
        )
        for name in ALL
    ]
    series.append(
        replace(
            _series("plain", _of(some, "plain")),
            label="plain, on noisy labels too",
            group="plain",
            panel=CLEAN,
        )
    )
    return Curves(
        f"Records for private answers, VC dimension {vc}, epsilon {epsilon:g}",
        "error",
        "records",
        series,
        log_x=True,
        log_y=True,
        x_ticks=sorted({row["error"] for row in some}),
        note="plain: one rule of 2^32 is released; the others release answers only. Dashed: with the numbers printed "
        "in the papers. All promised, with failure 0.05. M: a million.",
    )


def _of(rows: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["construction"] == name]


def _series(label: str, rows: Sequence[dict[str, Any]]) -> Series:
    errors, needed = [row["error"] for row in rows], [row["records"] for row in rows]
    return Series(label, errors, needed, dashed=label.endswith("printed"))
