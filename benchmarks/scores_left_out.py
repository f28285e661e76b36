"""How much of a card's figures is owed to constants that were chosen on the very tables they are shown for.

    python -m benchmarks.scores_left_out --data DIR [--kind pure|delta|cuts] [--most 5000] [--repeats 2] [--json FILE]

For each of the six tables of `benchmarks.scores` constants are chosen on the other five (the best mean of AUC less
log-loss, a table counting as much as another) and measured on the one left out. Beside it stand the constants that
ship, and those that would have been best for this table. Cells of more than `--most` records are left out: they take
longest and differ least. The list of
settings is short, and was itself drawn up after trying variants on the same splits: that choice is not measured here.
Three choices are made: one without a delta, one with delta 1e-6 where n·epsilon is large
enough, and where cuts lie, on all twelve tables. A kind that is not wished for keeps its rows in FILE.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np

from benchmarks.accuracy.run import DATA
from benchmarks.accuracy.tables import Table, load
from benchmarks.measuring import Row, publish
from benchmarks.scores import CHOSEN, EPSILONS, FURTHER, card, parts, sizes
from privpac.concepts.cards import card as card_module
from privpac.concepts.cards import risks
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.round_cuts import on_round_numbers
from privpac.constructions.card import learner, spending, weights, words
from privpac.constructions.card.steps import Round, Steps, steps_for
from privpac.constructions.card.weights import ENOUGH, points_of_round

DELTA = Fraction(1, 10**6)


def on_one_cut(rounds: int, *, fine: bool, mixed: bool) -> Steps:
    """All points of a round on the drawn cut."""
    one_each = tuple(Round(points_of_round(number, rounds), 1) for number in range(rounds))
    return Steps(one_each, 3 if fine else 1)


@dataclass(frozen=True)
class Setting:
    """Constants of a card; the first of every list is what ships."""

    cap: int = weights.CAP
    spread: bool = True
    slope: int = risks.FIRST_SLOPE
    buckets: int = risks.BUCKETS
    per_root: Fraction = Fraction(1, 7)
    """Rounds for each unit of the root of n·epsilon."""
    table_rho: Fraction = spending.TABLE_RHO
    round_cuts: bool = True

    @contextmanager
    def used(self) -> Iterator[None]:
        """Cards are drawn with these constants."""
        for remembered in (weights.residuals, weights._risk, card_module.bucket_row):
            remembered.cache_clear()
        with ExitStack() as stack:
            for module in (weights, spending, learner):
                stack.enter_context(mock.patch.object(module, "CAP", self.cap))
            steps = steps_for if self.spread else on_one_cut
            stack.enter_context(mock.patch.object(learner, "steps_for", steps))
            stack.enter_context(mock.patch.object(risks, "FIRST_SLOPE", self.slope))
            stack.enter_context(mock.patch.object(card_module, "BUCKETS", self.buckets))
            stack.enter_context(mock.patch.object(spending, "TABLE_RHO", self.table_rho))
            cuts = on_round_numbers if self.round_cuts else Binarisation.of
            stack.enter_context(mock.patch.object(words, "on_round_numbers", cuts))
            yield

    def word(self, n: int, epsilon: Fraction, most: int) -> str:
        rounds = round(float(self.per_root) * float(n * epsilon) ** 0.5)
        return f"card:{min(max(rounds, 1), most)}"


SHIPPED = Setting()
SHIPPED_DELTA = Setting(per_root=Fraction(4, 5))

PURE: Mapping[str, Setting] = {
    "shipped": SHIPPED,
    "one cut": Setting(spread=False),
    "cap 26": Setting(cap=26),
    "root over 6": Setting(per_root=Fraction(1, 6)),
    "first slope 1.25": Setting(slope=40),
    "first slope 1.75": Setting(slope=56),
    "32 buckets": Setting(buckets=32),
    "all of the first design": Setting(26, spread=False, slope=40, buckets=32, per_root=Fraction(1, 6)),
}
WITH_DELTA: Mapping[str, Setting] = {
    "shipped": SHIPPED_DELTA,
    "1.6 roots": Setting(per_root=Fraction(8, 5)),
    "one cut": Setting(per_root=Fraction(4, 5), spread=False),
    "table 20 %": Setting(per_root=Fraction(4, 5), table_rho=Fraction(1, 5)),
    "32 buckets": Setting(per_root=Fraction(4, 5), buckets=32),
}
CUTS: Mapping[str, Setting] = {"shipped": SHIPPED, "even cuts": Setting(round_cuts=False)}

Figures = dict[tuple[str, str], tuple[float, float]]
"""AUC and log-loss by name of a setting and table."""


KINDS: Mapping[str, tuple[Mapping[str, Setting], Sequence[str], Fraction]] = {
    "pure": (PURE, CHOSEN, Fraction(0)),
    "delta 1e-6": (WITH_DELTA, CHOSEN, DELTA),
    "cuts": (CUTS, (*CHOSEN, *FURTHER), Fraction(0)),
}


def measured(
    settings: Mapping[str, Setting],
    data: Path,
    names: Sequence[str],
    *,
    delta: Fraction,
    most: int,
    repeats: int,
) -> Figures:
    """Means over the cells of each table."""
    found: Figures = {}
    for name in names:
        table = load(name, data)
        own: dict[str, list[tuple[float, float]]] = {setting: [] for setting in settings}
        for n in sizes(table):
            for epsilon in EPSILONS:
                if n <= most and (not delta or n * epsilon >= ENOUGH):
                    for label, setting in settings.items():
                        word = setting.word(n, epsilon, 300 if delta else 32)
                        with setting.used():
                            own[label].append(_cell(table, n, epsilon, word, delta, repeats))
        for label, cells in own.items():
            if cells:
                auc, loss = np.mean(cells, axis=0).tolist()
                found[label, name] = auc, loss
    return found


def _cell(
    table: Table, n: int, epsilon: Fraction, word: str, delta: Fraction, repeats: int
) -> tuple[float, float]:
    from sklearn.metrics import log_loss, roc_auc_score

    risks_of, results = card(word, delta), []
    for part in parts(table, n):
        for draw in range(repeats):
            own = np.clip(risks_of(part, epsilon, 1000 * part.split + draw), 1e-4, 1 - 1e-4)
            results.append((roc_auc_score(part.test.labels, own), log_loss(part.test.labels, own)))
    auc, loss = np.mean(results, axis=0).tolist()
    return auc, loss


def left_out(figures: Figures, kind: str) -> Iterator[Row]:
    """For each table what the others would have chosen, and what that costs; then the means."""
    tables = list(dict.fromkeys(table for _, table in figures))
    labels = list(dict.fromkeys(label for label, _ in figures))

    def worth(label: str, among: list[str]) -> float:
        return float(np.mean([figures[label, table][0] - figures[label, table][1] for table in among]))

    chosen: dict[str, Callable[[str], str]] = {
        "chosen on the others": lambda table: max(
            labels, key=lambda label: worth(label, [other for other in tables if other != table])
        ),
        "shipped": lambda table: "shipped",
        "best for this table": lambda table: max(labels, key=lambda label: worth(label, [table])),
    }
    for way, choose in chosen.items():
        for table in tables:
            auc, loss = figures[choose(table), table]
            yield {
                "kind": kind,
                "left_out": table,
                "constants": way,
                "setting": choose(table),
                "auc": round(auc, 4),
                "log_loss": round(loss, 4),
            }
        means = np.mean([figures[choose(table), table] for table in tables], axis=0).round(4).tolist()
        yield {"kind": kind, "left_out": "mean", "constants": way, "auc": means[0], "log_loss": means[1]}
    for label in labels:
        means = np.mean([figures[label, table] for table in tables], axis=0).round(4).tolist()
        yield {"kind": kind, "setting": label, "auc": means[0], "log_loss": means[1]}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get(DATA), required=DATA not in os.environ)
    parser.add_argument("--kind", default="", help="'pure', 'delta' or 'cuts' alone.")
    parser.add_argument("--most", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--json", type=Path)
    wishes = parser.parse_args()
    data, most, repeats = Path(wishes.data), wishes.most, wishes.repeats
    rows: list[Row] = []
    for kind, (settings, names, delta) in KINDS.items():
        if kind.startswith(wishes.kind):
            figures = measured(settings, data, names, delta=delta, most=most, repeats=repeats)
            rows += left_out(figures, kind)
        elif wishes.json is not None and wishes.json.exists():
            kept = json.loads(wishes.json.read_text(encoding="utf-8"))["rows"]
            rows += [row for row in kept if row["kind"] == kind]
    publish("constants of cards, chosen with one table left out", rows, wishes.json)


if __name__ == "__main__":
    main()
