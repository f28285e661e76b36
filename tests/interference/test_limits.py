"""Tables on both sides of a limit: whether they are refused follows from their number of records."""

from __future__ import annotations

import pytest

from privpac import Ledger
from privpac.answering.predictor import PrivatePredictor
from privpac.concepts.linear.plane import Halfplanes
from tests.interference.artefacts import Released, attempt, text
from tests.interference.coins import steady
from tests.interference.comparing import Refused, Result, Run, compared
from tests.interference.tables import SCHEMA, TABLES, N, Pair, Table
from tests.interference.test_predictions import QUESTIONS

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")

KEYS: tuple[Pair, ...] = (("base", "a value twice"), ("all equal", "all equal but one"))
"""N different keys against N - 1, and one against two."""


def answering(base: object) -> Run:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            made = PrivatePredictor(base, 1, book, schema=SCHEMA, random_state=seed)
            answers = made.fit(table).predict(QUESTIONS).tolist()
            certificate = text(made.certificate.to_json())
            return str(answers), lambda: {"certificate": certificate}

        return attempt(release)

    return run


def test_one_value_more_than_votes_on_intervals_can_be_summed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is kept, no table has so many records that their values could be told apart by a refusal."""
    monkeypatch.setattr("privpac.concepts.line.union_labellings.MOST_RUN_POINTS", 0)
    assert isinstance(compared(answering("predict-by-relabelling:intervals:key"), TABLES, KEYS), Refused)


@pytest.mark.parametrize("word", ["intervals:key", "unions:key:2", "rectangles:age,key", "stumps"])
def test_labellings_drawn_by_sums_answer_for_all_tables(word: str) -> None:
    assert not isinstance(compared(answering(word), TABLES, KEYS), Refused)


def test_one_point_more_than_half_planes_can_be_listed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privpac.concepts.linear.plane.MOST_SEPARATED", N - 1)
    halfplanes = Halfplanes(SCHEMA, ("age", "key"))
    assert isinstance(compared(answering(halfplanes), TABLES, KEYS), Refused)


def test_half_planes_answer_for_all_tables_or_for_none() -> None:
    """A point elsewhere was once a refusal of its own."""
    compared(answering(Halfplanes(SCHEMA, ("age", "key"))), TABLES, KEYS)
