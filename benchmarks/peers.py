"""What other packages make of the same tables: run with an interpreter that has them, and nothing of this project.

    PYTHON benchmarks/peers.py fit DIR METHOD REPEATS      seconds of fits on Adult: `benchmarks.speed fits`
    PYTHON benchmarks/peers.py risks REQUEST.npz OUT.npz   risks of test records: `benchmarks.risks`
    PYTHON benchmarks/peers.py aim REQUEST.json MADE.csv   synthetic records by AIM: `benchmarks.release_peers`

needs interpret-core==0.7.8, diffprivlib==0.6.6 with scikit-learn==1.7.2 and pandas; for `aim` opendp[mbi].
"""

import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

DELTA = 1e-6
TUNED = {"max_rounds": 20, "learning_rate": 0.5, "max_bins": 16}
METHODS = ("dp_ebm_default", "dp_ebm_tuned", "diffprivlib_forest", "diffprivlib_tree")

Fit = Callable[[int], object]


def adult(data: Path) -> tuple[Any, Any, Any]:
    """The table, its labels and its schema."""
    import pandas as pd

    schema = json.loads((data / "adult" / "schema.json").read_text(encoding="utf-8"))
    kinds = {c["name"]: float if c["kind"] == "numeric" else str for c in schema["columns"]}
    frame = pd.read_csv(data / "adult" / schema["file"], dtype=kinds, keep_default_na=False)
    return frame, frame.pop(schema["label"]).to_numpy(int), schema


def numbers(frame: Any, schema: Any) -> tuple[Any, tuple[Any, Any]]:
    """The table as one array of numbers, categories by their place, and the bounds of its columns."""
    parts, low, high = [], [], []
    for column in schema["columns"]:
        if column["kind"] == "numeric":
            parts.append(frame[column["name"]].to_numpy(float))
            low.append(column["lower"])
            high.append(column["upper"])
        else:
            codes = {category: code for code, category in enumerate(column["categories"])}
            parts.append(frame[column["name"]].map(codes).to_numpy(float))
            low.append(0)
            high.append(len(codes) - 1)
    return np.column_stack(parts), (np.array(low, float), np.array(high, float))


def timed(fit: Fit, repeats: int) -> list[tuple[float, float]]:
    """Processor and wall seconds of the first fit and of each further one."""
    warnings.filterwarnings("ignore")
    found = []
    for seed in range(repeats + 1):
        start = time.process_time(), time.perf_counter()
        fit(seed)
        found.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return found


def fit_of(name: str, data: Path) -> Fit:
    frame, label, schema = adult(data)
    if name.startswith("dp_ebm"):
        from interpret.privacy import DPExplainableBoostingClassifier  # type: ignore[import-not-found]

        columns = schema["columns"]
        numeric = [column["kind"] == "numeric" for column in columns]
        table = np.empty((len(frame), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            table[:, j] = frame[column["name"]].to_numpy(float if numeric[j] else object)
        bounds = {j: (c["lower"], c["upper"]) for j, c in enumerate(columns) if numeric[j]}
        kinds = ["continuous" if own else "nominal" for own in numeric]
        settings = {"delta": DELTA, "n_jobs": 1, "feature_types": kinds, "privacy_bounds": bounds}
        settings |= TUNED if name == "dp_ebm_tuned" else {}
        return lambda seed: DPExplainableBoostingClassifier(epsilon=1.0, **settings).fit(table, label)
    from diffprivlib import models  # type: ignore[import-not-found]

    array, limits = numbers(frame, schema)
    common = {"epsilon": 1.0, "bounds": limits, "classes": [0, 1]}
    if name == "diffprivlib_tree":
        return lambda seed: models.DecisionTreeClassifier(**common).fit(array, label)
    forest = {"n_estimators": 10, "max_depth": 8}  # as in the comparison of accuracy
    return lambda seed: models.RandomForestClassifier(**forest, **common).fit(array, label)


# Risks. A request holds cells of training and test records, labels, the sizes of columns, which of them are ordered,
# epsilons, methods and a seed; an answer the risks of class 1 of all test records, by method and epsilon.


def encoded(cells: Any, sizes: Any, ordered: Any) -> Any:
    """Ordered columns on [-1, 1], categories one-hot: no row is longer than the root of the number of columns."""
    parts = []
    for place, size in enumerate(sizes):
        own = cells[:, place]
        if ordered[place]:
            parts.append((2 * own / max(1, size - 1) - 1)[:, None])
        else:
            parts.append(np.eye(size)[own.astype(np.int64)])
    return np.hstack(parts)


def mixed(cells: Any, sizes: Any, ordered: Any) -> Any:
    """Ordered columns on [0, 1] by their public range, words for the others."""
    values = np.empty(cells.shape, dtype=object)
    for place in range(cells.shape[1]):
        own = cells[:, place]
        scaled = own / np.maximum(1, sizes[place] - 1)
        values[:, place] = scaled if ordered[place] else own.astype(np.int64).astype(str)
    return values


def boosting(request: Any, **settings: Any) -> Callable[..., Any]:
    """interpret's DP-EBM; its noise is for a record that is added or removed."""
    from interpret.privacy import DPExplainableBoostingClassifier

    sizes, ordered = request["sizes"], request["ordered"]
    train, test = (mixed(request[part], sizes, ordered) for part in ("train", "test"))

    def risks(epsilon: float, seed: int, delta: float = DELTA) -> Any:
        model = DPExplainableBoostingClassifier(
            epsilon=epsilon,
            delta=delta,
            n_jobs=1,
            random_state=seed,
            feature_types=["continuous" if one else "nominal" for one in ordered],
            privacy_bounds={place: (0.0, 1.0) for place, one in enumerate(ordered) if one},
            **settings,
        )
        return model.fit(train, request["labels"]).predict_proba(test)[:, 1]

    return risks


def for_replacing(risks: Callable[..., Any]) -> Callable[[float, int], Any]:
    """The same where a record is replaced, removed and another one added: twice (e, d) is (2e, d(1 + exp(e)))."""
    return lambda epsilon, seed: risks(epsilon / 2, seed, DELTA / (1 + math.exp(epsilon / 2)))


def regression(request: Any) -> Callable[[float, int], Any]:
    """diffprivlib's logistic regression, pure epsilon, as the package claims it."""
    from diffprivlib.models import LogisticRegression

    sizes, ordered = request["sizes"], request["ordered"]
    train, test = (encoded(request[part], sizes, ordered) for part in ("train", "test"))

    def risks(epsilon: float, seed: int) -> Any:
        norm = float(np.sqrt(len(sizes)))
        model = LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=300, random_state=seed)
        return model.fit(train, request["labels"]).predict_proba(test)[:, 1]

    return risks


def answers(request: Any) -> Iterator[tuple[str, Any]]:
    tuned = boosting(request, **TUNED)
    methods = {
        "DP-EBM, tuned": tuned,
        "DP-EBM, tuned, replacing": for_replacing(tuned),
        "DP-EBM, defaults": boosting(request),
        "DP logistic regression": regression(request),
    }
    for method in request["methods"]:
        for number, epsilon in enumerate(request["epsilons"]):
            yield f"{method}/{number}", methods[str(method)](float(epsilon), int(request["seed"]) + number)


def aim(request: Any, made: str) -> float:
    """Processor seconds of AIM as OpenDP's extra offers it; a replaced record is two contributions."""
    import opendp.prelude as dp  # type: ignore[import-not-found]
    import polars as pl  # type: ignore[import-not-found]

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.scan_csv(request["data"]),
        privacy_unit=dp.unit_of(contributions=2),
        privacy_loss=dp.loss_of(epsilon=request["epsilon"]),
    )
    keys, cuts = {}, {}
    for name, cells in request["cells"].items():
        if cells <= request["bins"]:
            keys[name] = list(range(cells))
        else:
            # Bins are open on the left: half a cell before an edge, so that edges are those of the questions.
            cuts[name] = [cells * i // request["bins"] - 0.5 for i in range(1, request["bins"])]
    start = time.process_time()
    query = context.query(epsilon=request["epsilon"]).select(*request["cells"])
    table = query.contingency_table(keys=keys, cuts=cuts, algorithm=dp.mbi.AIM()).release()
    records = table.synthesize(rows=request["records"])
    seconds = time.process_time() - start
    records.write_csv(made)
    return seconds


def main(which: str, *words: str) -> None:
    warnings.simplefilter("ignore")
    if which == "fit":
        data, method, repeats = words
        print(json.dumps(timed(fit_of(method, Path(data)), int(repeats))))
    elif which == "risks":
        with np.load(words[0]) as request:
            np.savez(words[1], **dict(answers(dict(request))))
    elif which == "aim":
        request = json.loads(Path(words[0]).read_text(encoding="utf-8"))
        print(json.dumps({"seconds": round(aim(request, words[1]), 2)}))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
