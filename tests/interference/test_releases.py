"""Released tables and comparisons: files, promises and words depend on the noisy counts alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from privpac import Ledger, compare_models, learn
from privpac.sanitising import release_table
from tests.interference.artefacts import Released, attempt, of_table, shown, text
from tests.interference.cases import RELEASED, Case
from tests.interference.coins import steady
from tests.interference.comparing import Refused, Result, Run, compared
from tests.interference.engines import ENGINES, Engine
from tests.interference.tables import FEW, PAIRS, SCHEMA, TABLES, Table

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")


def releasing(case: Case, engine: Engine, place: Path) -> Run:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            made = release_table(
                engine.of(table),
                schema=SCHEMA,
                method=case.word,
                random_state=seed,
                ledger=book,
                anyway=True,
                **engine.wishes,
                **case.wishes,
            )
            return str(text(made.table.to_json())), lambda: of_table(made, place)

        return attempt(release)

    return run


def everywhere() -> Iterator[ParameterSet]:
    """Every way on every engine; `make test` tries it in memory and on one of the others, in turn."""
    for number, case in enumerate(RELEASED):
        for place, engine in enumerate(ENGINES):
            turn = engine == "memory" or place == 1 + number % (len(ENGINES) - 1)
            yield pytest.param(case, engine, id=f"{case}-{engine}", marks=() if turn else (pytest.mark.long,))


@pytest.mark.parametrize(("case", "engine"), list(everywhere()))
def test_a_released_table_depends_on_the_draw_alone(case: Case, engine: str, tmp_path: Path) -> None:
    pairs = case.pairs if engine == "memory" or case.pairs != PAIRS else FEW[:1]
    with ENGINES[engine].working():
        assert isinstance(compared(releasing(case, ENGINES[engine], tmp_path), TABLES, pairs), int)


@pytest.mark.parametrize("engine", list(ENGINES))
def test_a_comparison_depends_on_the_noisy_difference_alone(engine: str) -> None:
    first, second = (
        learn(TABLES["base"], schema=SCHEMA, epsilon=1, concepts="thresholds:age", random_state=seed)
        for seed in (1, 2)
    )

    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            wishes: Mapping[str, Any] = {"epsilon": 1, "ledger": book, "random_state": seed}
            made = compare_models(ENGINES[engine].of(table), first, second, **wishes)
            words = {
                "comparison": text(made.to_json()),
                "explanation": text(made.explain()),
                "repr": shown(made),
            }
            return str(made.difference), lambda: words

        return attempt(release)

    with ENGINES[engine].working():
        assert isinstance(compared(run, TABLES, PAIRS if engine == "memory" else FEW[:1]), int)
