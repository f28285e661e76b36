"""How often each construction misses its promise at the size that is planned for it: `python -m benchmarks.failures`.

Every construction of the table of constructions is run `RUNS` times on fresh independent records, as many as planned,
on thresholds and on intervals. A run of a learner fails if its rule errs by more than was planned; three neighbouring
values weigh a little more than the planned error each, so that one of 2^16 cuts is right. A predictor is asked once per
run, and fails if its answer is wrong; a released table fails if a query about the records themselves is answered worse
than planned. The number of failures is set beside the promised one; results in
benchmarks/results/failures.json: what is there for the same size is not run again.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.constructions import EPSILON, ERROR, Class, classes, constructions, planned, rows_of
from privpac import PrivateQuery, Schema, SeededCoins, Size
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.thresholds import Threshold
from privpac.constructions.clauses.family import clauses_for
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.prediction.forms import predictor_for
from privpac.constructions.prediction.predictor import Predictor
from privpac.constructions.release.block_quantiles import BlockQuantiles
from privpac.constructions.release.blr import ThresholdBLR
from privpac.constructions.release.quantiles import Quantiles
from privpac.constructions.release.tree_counts import TreeCounts
from privpac.constructions.request import Request
from privpac.constructions.words import learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.semi import SemiSample
from privpac.errors import PrivpacError
from privpac.guarantee.facts import Against
from privpac.request import LearnRequest

RESULTS = Path(__file__).parent / "results" / "failures.json"
RUNS = 400
FAILURE = Fraction(1, 20)
NAMES = ("thresholds", "intervals")
NOISE = 0.1
"""Labels that are wrong where a construction is promised for any records."""
MOST_RECORDS = 3_000_000
"""Of a run: Theorem 2 on intervals takes five seconds with 2.4 million; ten times as many would take a minute each."""
NOTHING: Mapping[tuple[Any, ...], Any] = MappingProxyType({})
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
    promised: float = float(FAILURE)
    """How often a run may fail."""

    @property
    def holds(self) -> bool:
        """Whether so many failures are likely enough under the promise."""
        return tail(self.runs, self.failures, self.promised) > CHANCE

    @property
    def planned(self) -> tuple[str, str, int, int]:
        """What was run: a rate is kept while its plan is."""
        return self.construction, self.of, self.labelled, self.unlabelled


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


class LongOrders(SeededCoins):
    """Seeded coins that draw long orders with numpy: each as likely, and six times quicker for millions."""

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        if k < LONG:
            return super().subset(n, k)
        drawn = np.random.default_rng(self.below(2**63)).permutation(n)[:k]
        return cast(tuple[int, ...], drawn)


LONG = 10**5


def _run(one: Class, size: Size, wishes: dict[str, Any], noise: float, seed: int) -> bool:
    """Whether one run errs by more than planned, or answers wrongly."""
    rng, coins = np.random.default_rng(seed), LongOrders(seed)
    if "answers" in wishes:
        return _answered_wrongly(one, size, wishes["answers"], noise, rng, coins)
    if "release" in wishes:
        return _released_wrongly(one, size, wishes, rng, coins)
    if "asked" in wishes:
        rule = _asked(one, size, wishes, rng, seed)
        return _error(one.name, rule, noise) > float(ERROR)
    table, labels = _records(one.name, size.labelled, noise, rng)
    if "method" in wishes:
        further, _ = _records(one.name, size.unlabelled, noise, rng)
        both = SemiSample.of(table, one.schema, y=labels, unlabelled=further)
        rule = _few_labels(one, both.size, wishes).run(both, coins)
    else:
        request = Request(
            one.schema,
            size,
            LearnRequest(
                epsilon=EPSILON,
                delta=Fraction(wishes.get("delta", 0)),
                protect=wishes.get("protect", "records"),
            ),
        )
        sample = MemorySample.of(table, one.schema, y=labels)
        rule = _learner(wishes["concepts"], request).learn(sample, coins)
    return _error(one.name, rule, noise) > float(ERROR)


SANITISERS = {"tree": TreeCounts, "quantiles": Quantiles, "blr": ThresholdBLR, "blocks": BlockQuantiles}


def _released_wrongly(
    one: Class, size: Size, wishes: dict[str, Any], rng: np.random.Generator, coins: SeededCoins
) -> bool:
    """Whether some threshold, or range, is answered worse than planned. Half of the records lie on the atoms, half
    anywhere: ranges without records and many records on one value are both in question."""
    values = np.where(
        rng.random(size.labelled) < 0.5,
        rng.integers(0, 2**16, size.labelled),
        rng.choice(ATOMS, size.labelled),
    )
    spent = {"delta": Fraction(wishes["delta"])} if wishes["release"] == "blocks" else {}
    sanitiser = SANITISERS[wishes["release"]](one.schema, wishes["column"], EPSILON, failure=FAILURE, **spent)
    cells = {"c": values, "d": np.zeros_like(values), "e": np.zeros_like(values)}
    released = sanitiser.release(MemorySample.from_cells(one.schema, cells), coins)
    worst = range_error if one.name == "intervals" else threshold_error
    return worst(values, np.array(released.cells(), dtype=values.dtype)) > float(ERROR)


def _gaps(true: NDArray[Any], synthetic: NDArray[Any]) -> NDArray[np.float64]:
    """At every threshold that tells records apart: the share of released records below it, less that of the true."""
    places = np.unique(np.concatenate([true, synthetic]))
    released, real = (
        np.searchsorted(np.sort(values), places, side="right") / len(values) for values in (synthetic, true)
    )
    return np.asarray(released - real)


def threshold_error(true: NDArray[Any], synthetic: NDArray[Any]) -> float:
    """The largest error of a threshold."""
    return float(np.abs(_gaps(true, synthetic)).max())


def range_error(true: NDArray[Any], synthetic: NDArray[Any]) -> float:
    """The largest error of a range: two thresholds, one as much too high as the other is too low."""
    gaps = _gaps(true, synthetic)
    return float(max(0.0, gaps.max()) - min(0.0, gaps.min()))


def _answered_wrongly(
    one: Class, size: Size, base: str, noise: float, rng: np.random.Generator, coins: SeededCoins
) -> bool:
    """One question, of the records' own distribution, to a predictor prepared on fresh records."""
    table, labels = _records(one.name, size.labelled, noise, rng)
    question, _ = _records(one.name, 1, noise, rng)
    prepared = _predictor(one, size, base).prepare(MemorySample.of(table, one.schema, y=labels), coins)
    (answer,) = prepared.answer({name: column.astype(np.uint32) for name, column in question.items()}, coins)
    return bool(answer != _truth(one.name, question["c"])[0])


def _asked(one: Class, size: Size, wishes: dict[str, Any], rng: np.random.Generator, seed: int) -> Hypothesis:
    """The rule of a session: whoever is asked answers rightly."""
    table, labels = _records(one.name, size.total, 0.0, rng)
    query = PrivateQuery(
        wishes["asked"],
        schema=one.schema,
        epsilon=EPSILON,
        labels=wishes["labels"],
        method="plain",
        random_state=seed,
    )
    known = np.full(size.total, -1)
    asked = query.query(table, known)
    known[asked] = labels[asked]
    return query.fit(table, known).hypothesis


_LEARNERS: dict[tuple[str, int, Fraction, str], Any] = {}


def _learner(word: str, request: Request) -> Any:
    """Built once: calibrating takes longer than a run."""
    key = word, request.size.labelled, request.delta, request.protect
    if key not in _LEARNERS:
        _LEARNERS[key] = learner_for(word, request)
    return _LEARNERS[key]


@cache
def _predictor(one: Class, size: Size, base: str) -> Predictor:
    """As `_learner`: planned once."""
    return predictor_for(base, schema=one.schema, epsilon=EPSILON, models=None, records=size.labelled)


_METHODS: dict[tuple[str, str, Size], FewLabels] = {}


def _few_labels(one: Class, size: Size, wishes: dict[str, Any]) -> FewLabels:
    key = wishes["concepts"], wishes["method"], size
    if key not in _METHODS:
        request = Request(one.schema, size, LearnRequest(epsilon=EPSILON))
        _METHODS[key] = FewLabels.chosen(wishes["concepts"], request, method=wishes["method"])
    return _METHODS[key]


def _setting(one: Class, construction: str, protect: str, size: Size) -> str:
    """Whether the row of the plan holds for noisy labels; words without a row are promised where some rule is right."""
    rows = (row for row in rows_of(one, protect) if row.option.learner == construction)
    return next((row.option.setting for row in rows if row.need.labelled == size.labelled), "realizable")


def _promise(wishes: dict[str, Any], noise: float) -> float:
    """How often a run may fail. An answer unlike the best rule's is wrong 1 - 2·noise more often; a predictor whose
    records are bad luck may be wrong always."""
    return float(ERROR) / (1 - 2 * noise) + float(FAILURE) if "answers" in wishes else float(FAILURE)


def measured(
    one: Class, construction: str, protect: str, *, runs: int, known: Mapping[tuple[Any, ...], Rate] = NOTHING
) -> Rate | None:
    """The failures of a construction; None where it is not run on this class."""
    found = planned(one, construction, protect)
    if found is None or found[0].total > MOST_RECORDS:
        return None
    size, wishes = found
    setting = _setting(one, construction, protect, size)
    noise = NOISE if setting == "agnostic" else 0.0
    rate = Rate(
        construction, one.name, setting, size.labelled, size.unlabelled, runs, 0, 0.0, _promise(wishes, noise)
    )
    if rate.planned in known and known[rate.planned].runs >= runs:
        return known[rate.planned]
    start = time.process_time()
    try:
        failures = sum(_run(one, size, wishes, noise, seed) for seed in range(runs))
    except PrivpacError:
        return None
    return replace(rate, failures=failures, seconds=time.process_time() - start)


CONJUNCTIONS = "2 conjunctions of 4 tests"


def exceptions_rate(*, runs: int, known: Mapping[tuple[Any, ...], Rate]) -> Rate:
    """Exceptions by noisy counts, for (t0 and t1) or (t2 and not t3): every run has its own distribution, in which some
    of the sixteen records are rare."""
    n = clauses_for(4, 2, failure=FAILURE, epsilon=EPSILON).records(ERROR, FAILURE)
    rate = Rate("clause-counts", CONJUNCTIONS, "realizable", n, 0, runs, 0, 0.0)
    if rate.planned in known and known[rate.planned].runs >= runs:
        return known[rate.planned]
    columns = [{"name": f"t{k}", "kind": "boolean"} for k in range(4)]
    schema = Schema.from_json({"label": "y", "columns": columns})
    learner, start, failures = (
        _learner("clauses:2", Request(schema, Size(n), LearnRequest(epsilon=EPSILON))),
        time.process_time(),
        0,
    )
    cells = {f"t{k}": (np.arange(16) >> k) & 1 for k in range(4)}
    truth = (cells["t0"] & cells["t1"]) | (cells["t2"] & (1 - cells["t3"]))
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        masses = rng.dirichlet(np.full(16, 0.5))
        drawn = rng.choice(16, n, p=masses)
        table = {name: values[drawn] for name, values in cells.items()}
        rule = learner.learn(MemorySample.from_cells(schema, table, truth[drawn]), SeededCoins(seed))
        failures += float(masses[rule.predict(cells) != truth].sum()) > float(ERROR)
    return replace(rate, failures=failures, seconds=time.process_time() - start)


WITH_DELTA = ("label-boost", "boost"), ("ssl-relabel", "relabel")
FEW = Size(1_500, unlabelled=20_000)
CELLS = 2**62
LONG_COLUMN = "thresholds of 62 bits, with a delta"


def delta_rate(construction: str, method: str, *, runs: int, known: Mapping[tuple[Any, ...], Rate]) -> Rate:
    """Few labels whose base spends a delta of a millionth: a cut anywhere in a column of 62 bits, where that pays, from
    records of any values. A run fails if it errs by more than its certificate says, or gives no answer."""
    rate = Rate(
        construction,
        LONG_COLUMN,
        "realizable",
        FEW.labelled,
        FEW.unlabelled,
        runs,
        0,
        0.0,
    )
    if rate.planned in known and known[rate.planned].runs >= runs:
        return known[rate.planned]
    column = {"name": "c", "kind": "numeric", "lower": 0, "upper": CELLS - 1, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    request = Request(schema, FEW, LearnRequest(epsilon=EPSILON, delta=Fraction(1, 10**6)))
    learner = FewLabels.chosen("thresholds:c", request, method=method)
    error = min(
        proof.fact.error for proof in learner.certify().accuracy if proof.fact.against is Against.REALIZABLE
    )
    start, failures = time.process_time(), 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        cut = int(rng.integers(CELLS // 10, 9 * CELLS // 10))
        values = rng.integers(0, CELLS, FEW.total)
        cells, further = ({"c": part} for part in np.split(values, [FEW.labelled]))
        sample = SemiSample.of(cells, schema, y=(cells["c"] >= cut).astype(int), unlabelled=further)
        rule = learner.run(sample, SeededCoins(seed))
        failures += not isinstance(rule, Threshold) or abs(rule.cut - cut) > error * CELLS
    return replace(rate, failures=failures, seconds=time.process_time() - start)


SLOW = ("noisy-cuts", "denoised-cuts", "generic-learner", "ssl-relabel", "relabelled-vote", "net-relabelled")
"""What takes minutes, and is measured last, in this order."""


def stored() -> list[Rate]:
    """The rates of the last runs."""
    if not RESULTS.exists():
        return []
    return [Rate(**row) for row in json.loads(RESULTS.read_text(encoding="utf-8"))["rates"]]


def rates(runs: int, only: list[str]) -> Iterator[Rate]:
    """Everything that is measured; of what is not named in `only`, what is stored."""
    known = {rate.planned: rate for rate in stored()}
    shown = tuple(one for one in classes() if one.name in NAMES)

    def last(row: tuple[str, str]) -> int:
        return SLOW.index(row[0]) + 1 if row[0] in SLOW else 0

    for construction, protect in sorted(constructions(shown), key=last):
        for one in shown:
            if only and construction not in only:
                yield from (
                    rate
                    for rate in known.values()
                    if (rate.construction, rate.of) == (construction, one.name)
                )
                continue
            rate = measured(one, construction, protect, runs=runs, known=known)
            if rate is not None:
                yield rate
    yield exceptions_rate(runs=runs, known=known)
    for construction, method in WITH_DELTA:
        yield delta_rate(construction, method, runs=runs, known=known)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", nargs="*", default=[], help="Measure these constructions alone.")
    wishes, rows = parser.parse_args(), []
    for rate in rates(wishes.runs, wishes.only):
        rows.append(rate)
        print(rate, "" if rate.holds else "MORE THAN PROMISED", flush=True)
    found = {"failure": str(FAILURE), "rates": [asdict(row) for row in rows]}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if all(rate.holds for rate in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
