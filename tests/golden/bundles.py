"""Cases of private answers: bundles, and what is promised about answers whose models belong to another library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privpac import Ledger, PrivatePredictor, SeededCoins, Size
from privpac.answering.bundle import bundle
from privpac.answering.offer import offer_for
from privpac.request import LearnRequest
from tests.golden.kinds import ONE_ENGINE, SEED, written_json
from tests.golden.records import RECORDS, SCHEMAS, Place

__all__ = ["Answered", "Offered", "answers"]


@dataclass(frozen=True)
class Answered:
    """A bundle of private answers. With `questions`, so many were answered before it was stored."""

    name: str
    schema: str
    base: Any
    """A word, or a function from the schema to a class or a predictor."""
    price: object = 2
    wishes: Mapping[str, Any] = field(default_factory=dict)
    questions: int = 0
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"bundles/{self.name}",)

    def make(self, place: Place, folder: Path) -> None:
        schema, target = SCHEMAS[self.schema], folder / self.units[0]
        target.parent.mkdir(parents=True, exist_ok=True)
        base = self.base if isinstance(self.base, str) else self.base(schema)
        predictor = PrivatePredictor(
            base, self.price, 10_000, schema=schema, random_state=SEED, **self.wishes
        )
        predictor.fit(place.table).save(target)
        if self.questions:
            answers(target, self.questions)


def answers(path: Path, questions: int) -> list[int]:
    """What a bundle answers to the first of the records, with coins of its own."""
    loaded = bundle.load(path)
    ledger = Ledger(epsilon=10_000) if loaded.offer.answers is None else None
    predictor = loaded.predictor(ledger, coins=SeededCoins(SEED + 1))
    lines = RECORDS.read_text(encoding="utf-8").splitlines()
    names = lines[0].split(",")
    rows = [line.split(",") for line in lines[1 : 1 + questions]]
    table = {name: [row[i] or None for row in rows] for i, name in enumerate(names)}
    return [int(code) for code in predictor.classify(table)]


@dataclass(frozen=True)
class Offered:
    """What is promised about the answers of a vote, without the models that give them."""

    name: str
    schema: str
    base: str
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"offers/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        offer = offer_for(
            LearnRequest.read(
                concepts=self.base, epsilon="1/2", answers=20, records_per_person=2, protect="predictions"
            ),
            schema=SCHEMAS[self.schema],
            size=Size(240),
            coins="seeded",
        )
        tree = {"schema": offer.schema.to_json(), "certificate": offer.certify().to_json()}
        written_json(folder / self.units[0], tree)
