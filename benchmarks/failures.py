"""How often each construction misses its promise at the size that is planned for it: `python -m benchmarks.failures`.

Every rule learner of the table of constructions is run `RUNS` times on fresh independent records, as many as planned,
on thresholds and on intervals; a run fails if its rule errs by more than was planned. Three neighbouring values weigh a
little more than the planned error each, so that one of 2^16 cuts is right. The number of failures is set beside the
promised one; results in benchmarks/results/failures.json.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.constructions import EPSILON, ERROR, Class, classes, constructions, planned
from privpac import SeededCoins, Size
from privpac.concepts.base import Hypothesis
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.request import Request
from privpac.constructions.words import learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.semi import SemiSample
from privpac.errors import PrivpacError
from privpac.plan.options import OPTIONS

RESULTS = Path(__file__).parent / "results" / "failures.json"
RUNS = 400
FAILURE = Fraction(1, 20)
NAMES = ("thresholds", "intervals")
NOISE = 0.1
"""Labels that are wrong where a construction is promised for any records."""
CHANCE = 1e-6
"""How rarely a construction that keeps its promise is reported as breaking it."""

ATOMS = np.array([9_000, 29_999, 30_000, 30_001, 60_000])
"""Five values of the column; the middle one is class 1 for intervals, and what follows it too for thresholds."""


def _masses(noise: float) -> Any:
    """The three in the middle weigh a little more than the planned error: whoever errs at one of them fails."""
    heavy = 1.02 * float(ERROR) / (1 - 2 * noise)
    outer = (1 - 3 * heavy) / 2
    return np.array([outer, heavy, heavy, heavy, outer])


@dataclass(frozen=True)
class Rate:
    """Failures of one construction on one class."""

    construction: str
    of: str
    setting: str
    labelled: int
    unlabelled: int
    runs: int
    failures: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether so many failures are likely enough under the promise."""
        return tail(self.runs, self.failures, float(FAILURE)) > CHANCE


def tail(runs: int, failures: int, chance: float) -> float:
    """The probability of at least so many failures at this chance."""
    return sum(math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(failures, runs + 1))


def _truth(of: str, values: Any) -> Any:
    return (values >= ATOMS[2]) & ((of == "thresholds") | (values <= ATOMS[2]))


def _records(of: str, n: int, noise: float, rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
    values = rng.choice(ATOMS, n, p=_masses(noise))
    labels = _truth(of, values) ^ (rng.random(n) < noise)
    zeros = np.zeros(n, dtype=np.int64)
    return {"c": values, "d": zeros, "e": zeros}, labels.astype(np.uint8)


def _error(of: str, rule: Hypothesis, noise: float) -> float:
    """The excess error: wrong answers at the atoms, each as heavy as it is."""
    cells = {"c": ATOMS.astype(np.uint32), "d": np.zeros(5, np.uint32), "e": np.zeros(5, np.uint32)}
    wrong = np.asarray(rule.predict(cells)) != _truth(of, ATOMS)
    return float(_masses(noise)[wrong].sum()) * (1 - 2 * noise)


def _run(one: Class, size: Size, wishes: dict[str, Any], noise: float, seed: int) -> bool:
    """Whether one run errs by more than planned."""
    rng, coins = np.random.default_rng(seed), SeededCoins(seed)
    table, labels = _records(one.name, size.labelled, noise, rng)
    if "method" in wishes:
        further, _ = _records(one.name, size.unlabelled, noise, rng)
        both = SemiSample.of(table, one.schema, y=labels, unlabelled=further)
        request = Request(one.schema, both.size, EPSILON)
        rule = FewLabels.chosen(wishes["concepts"], request, method=wishes["method"]).run(both, coins)
    else:
        request = Request(
            one.schema,
            size,
            EPSILON,
            Fraction(wishes.get("delta", 0)),
            wishes.get("protect", "records"),
        )
        sample = MemorySample.of(table, one.schema, y=labels)
        rule = _learner(wishes["concepts"], request).learn(sample, coins)
    return _error(one.name, rule, noise) > float(ERROR)


_LEARNERS: dict[tuple[str, int, Fraction, str], Any] = {}


def _learner(word: str, request: Request) -> Any:
    """Built once: calibrating takes longer than a run."""
    key = word, request.size.labelled, request.delta, request.protect
    if key not in _LEARNERS:
        _LEARNERS[key] = learner_for(word, request)
    return _LEARNERS[key]


def measured(one: Class, construction: str, protect: str, *, runs: int) -> Rate | None:
    """The failures of a construction; None where it has no rule to release, or is not run on this class."""
    found = planned(one, construction, protect)
    if found is None or "asked" in found[1] or "answers" in found[1] or found[0].total > 100_000:
        return None
    size, wishes = found
    agnostic = any(option.learner == construction and option.setting == "agnostic" for option in OPTIONS)
    noise = NOISE if agnostic else 0.0
    start = time.process_time()
    try:
        failures = sum(_run(one, size, wishes, noise, seed) for seed in range(runs))
    except PrivpacError:
        return None
    spent = time.process_time() - start
    setting = "agnostic" if agnostic else "realizable"
    return Rate(construction, one.name, setting, size.labelled, size.unlabelled, runs, failures, spent)


SLOW = ("noisy-cuts", "denoised-cuts", "ssl-relabel")
"""What takes minutes, and is measured last."""


def rates(runs: int) -> Iterator[Rate]:
    """Everything that is measured."""
    shown = tuple(one for one in classes() if one.name in NAMES)
    for construction, protect in sorted(constructions(shown), key=lambda row: row[0] in SLOW):
        for one in shown:
            rate = measured(one, construction, protect, runs=runs)
            if rate is not None:
                yield rate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    rows: list[Rate] = []
    for rate in rates(parser.parse_args().runs):
        rows.append(rate)
        print(rate, "" if rate.holds else "MORE THAN PROMISED", flush=True)
        found = {"failure": str(FAILURE), "rates": [asdict(row) for row in rows]}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if all(rate.holds for rate in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
