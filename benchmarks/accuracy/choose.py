"""Every constant of the default chosen without a table, and what that loses on it:
`python -m benchmarks.accuracy.choose parts.jsonl variants.jsonl --peers peers.csv --rows rows.jsonl [--json out.json]`.

For each constant the others stay what they are, and its values are compared by the mean accuracy lost over tables
(first over the cells of a table, then over the tables). Then each table in turn is left out, the value that is best on
the others is taken, and what it loses on the table left out is compared with what the value in use loses there. A
constant whose values hardly differ does not pay for being there. `parts.jsonl` is what `expected` writes,
`variants.jsonl` what `variants` does; the accuracy of the default itself, beside committees, is that of `rows.jsonl`,
which `run` writes.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from benchmarks.accuracy.expected import FOURS, Figure, expectation
from benchmarks.accuracy.summarise import Peers
from privpac import __version__
from privpac.constructions.draw.default import (
    CONSTANTS,
    FOUR_LEVELS,
    ONE_TEST,
    ONE_TEST_UP_TO,
    THREE_TESTS,
)
from privpac.constructions.draw.staged_trees import SECOND_STAGE_ABOVE, THIRD_STAGE_FROM

Key = tuple[str, int, int, float]
"""Table, records, split, epsilon."""
Losses = Mapping[Key, float]


@dataclass(frozen=True)
class Setting:
    """One value of all constants of the mixture."""

    cuts: str = "default"
    width: str = "default"
    up_to: float = ONE_TEST_UP_TO
    constants: float = CONSTANTS
    one_test: float = ONE_TEST
    trees: float = THREE_TESTS
    majorities: float = THREE_TESTS
    fours: float = FOUR_LEVELS
    """Where trees of depth 4 were measured."""
    fives: float = 0.0
    by_records: float = 0.0
    """Nats by which a rule of three tests is less likely beforehand, per nat of n below 10,000 records."""


@dataclass(frozen=True)
class Judged:
    """One constant: what each of its values loses, and what choosing it without a table loses on that table."""

    constant: str
    used: str
    cells: int
    lost: dict[str, float]
    chosen: dict[str, str]
    """By the table left out."""
    left_out: float
    """Mean over tables of the loss beyond that of the value in use."""
    error: float
    """Standard error of that over tables."""
    worst: float


def read(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        yield from (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def cells(rows: Iterable[Mapping[str, Any]]) -> dict[Key, dict[str, list[Figure]]]:
    """The parts of every training set and epsilon, by setting."""
    found: dict[Key, dict[str, list[Figure]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if "part" in row:
            figure = Figure(row["part"], row["tests"], row["log"], row["accuracy"])
            found[_key(row)][row["setting"]].append(figure)
    return found


def _key(row: Mapping[str, Any]) -> Key:
    return row["table"], row["n"], row["split"], row["epsilon"]


def accuracy(
    parts: Mapping[str, Sequence[Figure]], setting: Setting, n: int, evidence: float
) -> float | None:
    """Expected accuracy of one draw, or None where a part was not measured."""
    default = parts["default"]
    if setting.width not in parts:
        return None
    single = (
        [f for f in default if f.part == "one-test"]
        if setting.cuts == "default"
        else parts.get(setting.cuts, ())
    )
    shares = {"constants": setting.constants, "one-test": setting.one_test}
    chosen: list[tuple[Figure, float]] = [(f, shares["constants"]) for f in default if f.part == "constants"]
    chosen += [(f, shares["one-test"] / len(single)) for f in single]
    if evidence > setting.up_to:
        handicap = math.exp(-setting.by_records * max(0.0, math.log(10_000 / n)))
        for word, share in (("trees:3", setting.trees), ("majorities", setting.majorities)):
            rules = [f for f in parts.get(setting.width, ()) if f.part == word]
            if not rules:
                return None
            chosen += [(f, share * handicap / len(rules)) for f in rules]
        for name, share in (("fives", setting.fives), (FOURS, setting.fours)):
            some = parts.get(name, ())
            chosen += [(f, share / len(some)) for f in some]
    kept = [(figure, share) for figure, share in chosen if share > 0]
    return expectation([figure for figure, _ in kept], [share for _, share in kept]) if single else None


def mixture_losses(
    found: Mapping[Key, Mapping[str, Sequence[Figure]]], peers: Peers, setting: Setting
) -> Losses:
    losses = {}
    for (table, n, split, epsilon), parts in found.items():
        best, evidence = peers.without_privacy(table, n), n * epsilon
        reached = accuracy(parts, setting, n, evidence) if "default" in parts else None
        if best is not None and reached is not None and evidence <= SECOND_STAGE_ABOVE:
            losses[table, n, split, epsilon] = best - reached
    return losses


def judged(constant: str, used: str, values: Mapping[str, Losses]) -> Judged:
    """Leave one table out at a time; cells that every value was measured on."""
    common = set.intersection(*(set(losses) for losses in values.values()))
    tables = sorted({key[0] for key in common})
    by_table = {
        name: {t: fmean(_by_cell(losses, [key for key in common if key[0] == t])) for t in tables}
        for name, losses in values.items()
    }
    chosen = {
        out: min(values, key=lambda name: fmean(by_table[name][t] for t in tables if t != out))
        for out in tables
    }
    beyond = [by_table[chosen[t]][t] - by_table[used][t] for t in tables]
    return Judged(
        constant,
        used,
        len({(t, n, e) for t, n, _, e in common}),
        {name: round(fmean(by_table[name].values()), 5) for name in values},
        chosen,
        round(fmean(beyond), 5),
        round(stdev(beyond) / len(beyond) ** 0.5, 5),
        round(max(beyond), 5),
    )


def _by_cell(losses: Losses, keys: Sequence[Key]) -> Iterator[float]:
    """Means over splits."""
    grouped: dict[tuple[str, int, float], list[float]] = defaultdict(list)
    for table, n, split, epsilon in keys:
        grouped[table, n, epsilon].append(losses[table, n, split, epsilon])
    return (fmean(values) for values in grouped.values())


GRID: Mapping[str, tuple[str, Mapping[str, Setting]]] = {
    "cuts per column of one test": (
        "31",
        {"7": Setting("cuts 7"), "15": Setting("cuts 15"), "31": Setting()},
    ),
    "tests of rules of three": (
        "128, four cuts",
        {f"{w}": Setting(width=f"tests {w}") for w in (64, 128, 256)} | {"128, four cuts": Setting()},
    ),
    "one test only, up to n·epsilon": (
        "100",
        {f"{up_to}": Setting(up_to=up_to) for up_to in (0, 50, 100, 200, 400)},
    ),
    "share of constants": (
        "2 of 98",
        {f"{share} of {96 + share}": Setting(constants=share) for share in (0.5, 2, 8, 24, 96)},
    ),
    "share of one test": (
        "1/2",
        {"1/5": Setting(one_test=12), "1/2": Setting(), "4/5": Setting(one_test=192)},
    ),
    "majorities against trees": (
        "1:1",
        {
            f"{m}:{8 - m}" if m != 4 else "1:1": Setting(majorities=6.0 * m, trees=48.0 - 6.0 * m)
            for m in (0, 1, 4, 7, 8)
        },
    ),
    "128 tests at random": ("no", {"no": Setting(), "yes": Setting(width="random tests")}),
    "majorities of five (24 tests)": (
        "none",
        {"none": Setting(), "1/5": Setting(fives=24), "1/2": Setting(fives=96)},
    ),
    "prior that knows n": (
        "no",
        {"no": Setting()} | {f"{nats} nats": Setting(by_records=nats) for nats in (1.0, 3.0, 10.0)},
    ),
}
"""Constants of the mixture, the value in use and those it is compared with."""


FOUR_SHARES = (0, 12, 24, 48, 96, 192)
"""Of trees of depth 4, beside 48 on one test and as many on three; only where they are drawn from."""


def staged(rows: Sequence[Mapping[str, Any]], used: Losses, peers: Peers) -> Iterator[Judged]:
    """Constants of the stages, from draws of whole learners."""
    drawn: dict[str, dict[Key, float]] = defaultdict(dict)
    for row in rows:
        best = peers.without_privacy(row["table"], row["n"])
        if "part" not in row and best is not None:
            drawn[row["setting"]][_key(row)] = best - row["accuracy"]

    def above(losses: Losses, limit: float, most: float = math.inf) -> Losses:
        return {key: loss for key, loss in losses.items() if limit < key[1] * key[3] <= most}

    two = {
        name.removeprefix("3+3 by "): above(losses, SECOND_STAGE_ABOVE)
        for name, losses in drawn.items()
        if name.startswith("3+3 by")
    }
    if two:
        yield judged("shares of two stages", "3:7", two)
        single, double = drawn["at once"], drawn["3+3 by 3:7"]
        yield judged("stages from n·epsilon", "5000", {
            f"{limit}": {k: (double if k[1] * k[3] > limit else single)[k] for k in single.keys() & double.keys()}
            for limit in (1_500, 3_000, 5_000, 10_000)
        })  # fmt: skip
    triple = drawn.get("3+3+2 by 2:4:4")
    if triple:
        double = above(drawn["3+3 by 3:7"], 10_000)
        both = triple.keys() & double.keys()
        yield judged("third stage from n·epsilon", "40000", {
            name: {key: (triple if key[1] * key[3] >= limit else double)[key] for key in both}
            for name, limit in (("10000", 10_000), ("20000", 20_000), ("40000", 40_000), ("never", math.inf))
        })  # fmt: skip
        yield judged("shares of three stages", "2:4:4", {
            "2:4:4": above(triple, THIRD_STAGE_FROM), "1:1:1": above(drawn["3+3+2 by 1:1:1"], THIRD_STAGE_FROM)
        })  # fmt: skip
    for name, losses in drawn.items():
        if "draws" in name:
            yield judged(f"committee of {name}", "one draw", {"one draw": used, "committee": losses})


def used_losses(rows: Iterable[Mapping[str, Any]], peers: Peers) -> Losses:
    """What the default loses, as `run` measured it."""
    losses = {}
    for row in rows:
        best = peers.without_privacy(row["table"], row["n"])
        if best is not None and row["epsilon"]:
            losses[_key(row)] = best - (
                fmean(row["accuracy"]) if row["expected"] is None else row["expected"]
            )
    return losses


def lines(found: Sequence[Judged]) -> Iterator[str]:
    yield "| constant | in use | mean accuracy lost by value | chosen without each table | lost on the table left out |"
    yield "|---|---|---|---|---|"
    for one in found:
        lost = ", ".join(f"{name}: {value:.4f}" for name, value in one.lost.items())
        picked = sorted(set(one.chosen.values()), key=lambda name: -list(one.chosen.values()).count(name))
        times = ", ".join(f"{name} ({list(one.chosen.values()).count(name)})" for name in picked)
        yield (
            f"| {one.constant} | {one.used} | {lost} | {times} | {one.left_out:+.4f} ± {one.error:.4f}, at most"
            f" {one.worst:+.4f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", type=Path, nargs="+")
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--rows", type=Path, help="what `run` wrote, for committees")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    peers, rows = Peers.read(options.peers), list(read(options.parts))
    found = cells(rows)
    result = [
        judged(
            constant, used, {name: mixture_losses(found, peers, setting) for name, setting in values.items()}
        )
        for constant, (used, values) in GRID.items()
    ]
    if four := {key: parts for key, parts in found.items() if FOURS in parts}:
        shares = {f"{share}": mixture_losses(four, peers, Setting(fours=share)) for share in FOUR_SHARES}
        result.append(judged("share of four questions", f"{FOUR_LEVELS}", shares))
    result += staged(rows, used_losses(read([options.rows]), peers) if options.rows else {}, peers)
    print("\n".join(lines(result)))
    if options.json is not None:
        document = {
            "what": "constants of the default classifier, each chosen with one table left out",
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
            "constants": [asdict(one) for one in result],
        }
        options.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
