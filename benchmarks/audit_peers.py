"""The statistical audit on other libraries, each at the epsilon it was asked for.

`python -m benchmarks.audit_peers [--json FILE]`, with an interpreter that has the peers: diffprivlib==0.6.6 with
scikit-learn==1.7.2, opendp==0.16.0, and privpac. A peer that is not installed is left out.

How to read the rows. `lower_bound` is a bound on the epsilon of what was called, as it was called here, on one pair of
small inputs, with the stated confidence. `not refuted` does not mean private, and a small bound does not mean that
little is lost: the audit may have missed the telling inputs. `broken` means that this call, with these arguments and
these inputs, loses more than `claimed`; whether the number was meant for such inputs is another question, and the note
beside the row says what is special about them. Controls are part of every run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from privpac.audit.controls import response, run_controls
from privpac.audit.estimators import fitted, predictions
from privpac.audit.sample import BlackBox, Pair, audit_samples
from privpac.numbers.exact import exact_decimal

EPSILON = "1"
LABELS: Pair = ([(0.2, 0)] * 3 + [(0.8, 0)], [(0.2, 0)] * 3 + [(0.8, 1)])
"""A table in which one record has the only label 1."""


@dataclass(frozen=True)
class Subject:
    """One call of one library."""

    name: str
    box: BlackBox
    pairs: list[Pair]
    runs: int
    note: str


def ours() -> Iterator[Subject]:
    yield Subject(
        f"privpac {version('privpac')}: randomized response",
        response(exact_decimal(EPSILON, owner="audit_peers", name="epsilon")),
        [([0], [1])],
        10_000,
        "exactly epsilon: must not be refuted",
    )


def diffprivlib() -> Iterator[Subject]:
    if find_spec("diffprivlib") is None:
        return
    from diffprivlib.mechanisms import Exponential, Laplace
    from diffprivlib.models import GaussianNB, LogisticRegression

    said = f"diffprivlib {version('diffprivlib')}"

    def laplace(data: Any, seed: int) -> float:
        return float(Laplace(epsilon=1.0, sensitivity=1.0, random_state=seed).randomise(float(sum(data))))

    def selection(data: Any, seed: int) -> Any:
        utility = [float(sum(data)), float(len(data) - sum(data)), 0.0]
        return Exponential(epsilon=1.0, sensitivity=1.0, utility=utility, random_state=seed).randomise()

    bits: list[Pair] = [([0, 0, 0], [0, 0, 1]), ([0, 1, 1], [0, 1, 0])]
    yield Subject(f"{said}: Laplace", laplace, bits, 10_000, "a sum of bits, sensitivity 1")
    yield Subject(f"{said}: Exponential", selection, bits, 10_000, "three candidates, sensitivity 1")
    show = predictions([[0.2], [0.8]])
    note = "labels are those found in y, and one input has one class only: no finding if every class always occurs"
    kinds = ((GaussianNB, {"bounds": (0, 1)}, 2_000), (LogisticRegression, {"data_norm": 1.0}, 800))
    for kind, more, runs in kinds:
        make = estimator(kind, more)
        yield Subject(
            f"{said}: {kind.__name__}, one class in y", fitted(make, show=show), [LABELS], runs, note
        )
        both: Pair = ([(0.2, 0), (0.8, 1), (0.5, 0)], [(0.2, 0), (0.8, 1), (0.5, 1)])
        usual = "both classes occur on both inputs"
        yield Subject(f"{said}: {kind.__name__}", fitted(make, show=show), [both], runs, usual)


def estimator(kind: Any, more: dict[str, Any]) -> Callable[[int], Any]:
    return lambda seed: kind(epsilon=1.0, random_state=seed, **more)


def opendp() -> Iterator[Subject]:
    if find_spec("opendp") is None:
        return
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    metric = dp.linf_distance(T=int)
    said = f"opendp {version('opendp')}"
    choose = dp.m.make_noisy_max(domain, metric, dp.max_divergence(), scale=2.0)
    claim = choose.map(1)

    def noisy_max(data: Any, seed: int) -> int:
        return int(choose([sum(data), len(data) - sum(data), 0]))

    bits: list[Pair] = [([0, 0, 0], [0, 0, 1]), ([0, 1, 1], [0, 1, 0])]
    note = f"three candidates, scores change by 1; its own map says {claim:.4g} for that; draws its own coins"
    yield Subject(f"{said}: noisy max", noisy_max, bits, 10_000, note)
    count = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    yield Subject(
        f"{said}: Laplace on integers",
        lambda data, seed: int(count(sum(data))),
        bits,
        10_000,
        f"a sum of bits; its own map says {count.map(1):.4g}; draws its own coins",
    )


def row(subject: Subject) -> dict[str, Any]:
    found = audit_samples(subject.box, subject.pairs, epsilon=EPSILON, runs=subject.runs, seed=1)
    return {
        "name": subject.name,
        "claimed": float(found.epsilon),
        "lower_bound": float(found.lower_bound),
        "confidence": float(found.confidence),
        "runs": found.runs,
        "verdict": found.verdict,
        "event": found.event,
        "errors": found.errors,
        "note": subject.note,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    target = parser.parse_args().json
    rows = []
    for subject in (*ours(), *diffprivlib(), *opendp()):
        rows.append(row(subject))
        print("{name}: at least {lower_bound:.3f}, {verdict} ({note})".format(**rows[-1]), flush=True)
    epsilon = exact_decimal(EPSILON, owner="audit_peers", name="epsilon")
    zero = exact_decimal(0, owner="audit_peers", name="delta")
    sure = exact_decimal("0.999", owner="audit_peers", name="confidence")
    controls = run_controls(epsilon=epsilon, delta=zero, runs=20_000, confidence=sure, seed=1)
    print(f"Controls: right one flagged {controls.right.broken}, louder one {controls.louder.broken}.")
    if target is not None:
        document = {
            "date": datetime.now(UTC).date().isoformat(),
            "controls": {
                "right_flagged": controls.right.broken,
                "louder_flagged": controls.louder.broken,
                "power": round(controls.power, 4),
            },
            "rows": rows,
        }
        target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
