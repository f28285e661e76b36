"""`privpac warm`: compile the numeric code that learning uses, so that nobody waits for it later."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import argument
from privpac.errors import ParameterError

__all__ = ["STEPS", "Decimals", "Step", "warm"]


@dataclass(frozen=True)
class Step:
    """Learning once from a made-up table: what that compiles, others find ready."""

    concepts: str
    classes: int = 2
    records: int = 300
    epsilon: Fraction = Fraction(1)
    protect: str = "records"

    @property
    def kind(self) -> str:
        """The word without what follows it."""
        return self.concepts.split(":")[0]

    def take(self) -> None:
        from privpac import learn

        ages = [k % 100 for k in range(self.records)]
        table: Mapping[str, Sequence[object]] = {
            "age": ages,
            "dose": [(7 * k) % 1000 / 100 for k in range(self.records)],
            "ward": ["abcdef"[k % 6] for k in range(self.records)],
            "outcome": [age * self.classes // 100 for age in ages],
        }
        schema = {"label": "outcome", "classes": list(range(self.classes)), "columns": COLUMNS}
        learn(
            table,
            schema=schema,
            concepts=self.concepts,
            epsilon=self.epsilon,
            protect=self.protect,
            random_state=0,
        )


@dataclass(frozen=True)
class Decimals:
    """Reading numbers in the text of large files."""

    kind: str = "decimals"

    def take(self) -> None:
        import numpy as np

        from privpac.data.decimals import read_decimals

        read_decimals(np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64))


COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
    {"name": "dose", "kind": "numeric", "lower": 0, "upper": 10},
    {"name": "ward", "kind": "categorical", "categories": list("abcdef")},
]

STEPS: tuple[Step | Decimals, ...] = (
    Step("auto"),
    Step("auto", classes=3),
    Step("auto", records=6000),  # refined
    Step("auto", protect="labels"),
    Step("stumps"),
    Step("thresholds:dose"),
    Step("intervals:dose"),
    Step("unions:dose:2"),
    Step("rectangles:age,dose"),
    Step("conjunctions:2"),
    Step("scorecards:2"),
    Step("card"),
    Decimals(),
)
"""What people learn most; the rest is compiled when it is first asked for."""


def warm(
    words: Annotated[
        list[str] | None, argument("[WORD]...", "Only for these kinds of classifiers, such as auto.")
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Compile numeric code now, so that learning need not.

    Once per computer and version is enough.

    Example: privpac warm
    """
    kinds = list(dict.fromkeys(step.kind for step in STEPS))
    unknown = [word for word in words or () if word not in kinds]
    if unknown:
        raise ParameterError("warm", "word", unknown[0], allowed=", ".join(sorted(kinds)))
    lists = [[step for step in STEPS if step.kind == kind] for kind in kinds if not words or kind in words]
    begin, kernels = time.monotonic(), 0
    with console.progress("Compiling", as_json=as_json, patience=0.0) as report:
        report(0, len(lists))
        for number, count in enumerate(_side_by_side(lists)):
            report(number + 1, len(lists))
            kernels += count
    seconds = round(time.monotonic() - begin, 1)
    text = "Everything was compiled before; learning starts at once."
    if kernels:
        text = f"Compiled {kernels} kernels in {seconds} seconds; learning starts at once now."
    console.show_result({"kernels": kernels, "seconds": seconds}, text, as_json=as_json)


def _side_by_side(lists: Sequence[Sequence[Step | Decimals]]) -> Iterator[int]:
    """Kernels that each list of steps compiles, as it comes to its end; several take their steps in processes of
    their own, for a compiler uses one core."""
    if len(lists) == 1:
        yield _take(lists[0])
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(_take, steps) for steps in lists]):
            yield future.result()


def _take(steps: Sequence[Step | Decimals]) -> int:
    """Take the steps in turn; how many kernels that compiled."""
    from privpac.compiled import WATCH, load_compiler

    before = WATCH.kernels
    with console.collecting():
        load_compiler()
        for step in steps:
            step.take()
    return WATCH.kernels - before
