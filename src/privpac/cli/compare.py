"""`privpac compare`: which of two models is better on these records, for one noisy number."""

from __future__ import annotations

from typing import Annotated

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import LedgerPlace, Seed, argument, number, option

__all__ = ["compare"]


def compare(
    first: Annotated[str, argument("FIRST", "A model file.")],
    second: Annotated[str, argument("SECOND", "A model file of the same schema.")],
    data: Annotated[str, argument("DATA", "Labelled records: CSV, CSV.gz or Parquet file.")],
    *,
    epsilon: Annotated[str, number("What the comparison may cost.")],
    records_per_person: Annotated[int, option("K", "How many records one person may have.")] = 1,
    ledger: LedgerPlace = None,
    random_state: Seed = None,
    as_json: Json = False,
) -> None:
    """Say which of two models gets more records right.

    The answer is one noisy difference, which has a price of its own.
    """
    with console.working("Comparing", as_json=as_json):
        from privpac.comparison import compare_models
        from privpac.guarantee.ledger.ledger import Ledger
        from privpac.model import load

        comparison = compare_models(
            data,
            load(first),
            load(second),
            epsilon=epsilon,
            records_per_person=records_per_person,
            ledger=None if ledger is None else Ledger.open(ledger),
            random_state=random_state,
        )
    console.show_result(comparison.to_json(), comparison.explain(), as_json=as_json)
