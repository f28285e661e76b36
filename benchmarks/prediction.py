"""A vote of 25 logistic regressions: distinct questions per second, in batches of 1,000, each one ledger transaction.

`python -m benchmarks.prediction [--records 20000] [--repeats 5] [--json out.json]`
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.measuring import publish
from privpac import Ledger, PrivatePredictor, Schema

MODELS, BATCH, LIMIT = 25, 1_000, 20_000
COLUMNS = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(10)]
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [*COLUMNS, {"name": "kind", "kind": "categorical", "categories": list("abcdef")}],
    }
)


def table(n: int, seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    found = {column["name"]: generator.random(n) for column in COLUMNS}
    return {**found, "kind": generator.choice(list("abcdef"), n)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    records = table(options.records, 0)
    predictor = PrivatePredictor(LogisticRegression(), "0.001", 10**6, schema=SCHEMA, models=MODELS)
    predictor.fit(records, y=(records["x0"] > 0.5).astype(int))
    ledger: Ledger = predictor.budget
    predictor.predict(table(BATCH, 1))  # warms up
    rows = []
    for repeat in range(options.repeats):
        batches = [table(BATCH, 100 * repeat + i + 2) for i in range(10)]
        entries, wall, processor = len(ledger.entries()), time.perf_counter(), time.process_time()
        for batch in batches:
            predictor.predict(batch)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        assert len(ledger.entries()) - entries == len(batches)
        asked = len(batches) * BATCH
        rows.append({"wall": asked / wall, "processor": asked / processor})
    best = {name: round(max(row[name] for row in rows)) for name in ("wall", "processor")}
    what = f"distinct questions per second, {MODELS} logistic regressions, batches of {BATCH}"
    publish(
        what,
        [
            {"what": name, "value": value, "limit": LIMIT, "holds": value >= LIMIT}
            for name, value in best.items()
        ],
        options.json,
    )


if __name__ == "__main__":
    main()
