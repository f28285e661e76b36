"""What a case can be: a model, table, session or comparison, a learner used from Python, a derivation.

Every kind writes the files that the product writes, with seeded coins, below the folder it is given.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from privpac import Model, ReleasedTable, Schema, compare_models, learn, load, release_table
from privpac.asking import Asking
from privpac.coins import SeededCoins
from privpac.constructions.base import Learner
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.table import TableRequest
from privpac.data.sample import Size
from privpac.errors import SmallEvidence
from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import exact_decimal
from privpac.request import LearnRequest
from tests.golden.records import ENGINES, RECORDS, SCHEMAS, Place

__all__ = [
    "ONE_ENGINE",
    "SEED",
    "Asked",
    "Case",
    "Compared",
    "Derived",
    "Drawn",
    "FewLabelled",
    "Learnt",
    "Tabled",
    "learn_session",
    "written_json",
]

SEED = 7
ONE_ENGINE = ("memory",)


class Case(Protocol):
    """One way to use the product; `units` are the files or folders it writes, as KIND/NAME."""

    @property
    def name(self) -> str: ...

    @property
    def engines(self) -> tuple[str, ...]:
        """Where the records may be; every one of them must lead to the same bytes."""

    @property
    def units(self) -> tuple[str, ...]: ...

    def make(self, place: Place, folder: Path) -> None: ...


def written_json(path: Path, tree: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(tree, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _save(model: Model | ReleasedTable, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)


def _number(value: object) -> Fraction:
    return exact_decimal(value, owner="golden", name="number")


@dataclass(frozen=True)
class Learnt:
    """`learn` with a word or a class of concepts."""

    name: str
    schema: str | None
    """Of `SCHEMAS`; None reads it from the data."""
    concepts: Any
    """A word, or a function from the schema to a class of concepts."""
    wishes: Mapping[str, Any] = field(default_factory=dict)
    engines: tuple[str, ...] = ENGINES
    seed: int = SEED

    @property
    def units(self) -> tuple[str, ...]:
        return (f"models/{self.name}.json",)

    @property
    def promise(self) -> tuple[str, str]:
        """The word that was learnt, without what stands behind it, and what is protected."""
        return str(self.concepts).partition(":")[0], self.wishes.get("protect", "records")

    def make(self, place: Place, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallEvidence)
            made = self._on_shards(place) if place.engine == "shards" else self._named(place)
        _save(made, folder / self.units[0])

    def _concepts(self, schema: Schema | None) -> Any:
        return self.concepts if isinstance(self.concepts, str) else self.concepts(schema)

    def _named(self, place: Place) -> Model:
        if self.schema is None:
            return learn(
                _short_table(),
                schema="from_data",
                label="ill",
                concepts=self.concepts,
                random_state=self.seed,
            )
        schema = SCHEMAS[self.schema]
        concepts = self._concepts(schema)
        return learn(place.table, schema=schema, concepts=concepts, random_state=self.seed, **self.wishes)

    def _on_shards(self, place: Place) -> Model:
        """What `learn` makes of a cluster's records, without a cluster."""
        assert self.schema is not None
        schema, coins = SCHEMAS[self.schema], SeededCoins(self.seed)
        sample = place.sample(schema)
        wishes = LearnRequest.read(concepts=self._concepts(schema), **{"epsilon": 1, **self.wishes})
        recipe = Recipe.of(wishes, schema=schema, size=sample.size)
        certificate = recipe.certify().with_coins(coins.origin)
        drawn = recipe.run(sample, coins)
        return Model(
            drawn.hypothesis, schema, certificate.to_json(), drawn.estimate, leaf_counts=drawn.leaf_counts
        )


def _short_table() -> dict[str, list[Any]]:
    """A few columns of the records without gaps, for a schema that is read from them."""
    rows = [line.split(",") for line in RECORDS.read_text(encoding="utf-8").splitlines()[1:]]
    return {
        "code": [int(row[3]) for row in rows],
        "ward": [row[4] for row in rows],
        "ill": [row[7] for row in rows],
    }


@dataclass(frozen=True)
class FewLabelled:
    """`learn` with records without labels: made-up codes, since some methods need thousands of them."""

    name: str
    method: str
    labelled: int
    unlabelled: int
    column: str = "code"
    """Of the schema with its plural's name."""
    wishes: Mapping[str, Any] = field(default_factory=dict)
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"models/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        codes, labels = _codes(self.labelled + self.unlabelled)
        model = learn(
            {self.column: codes[: self.labelled], "hit": labels[: self.labelled]},
            schema=SCHEMAS[f"{self.column}s"],
            unlabelled={self.column: codes[self.labelled :]},
            concepts=f"thresholds:{self.column}",
            method=self.method,
            random_state=SEED,
            **self.wishes,
        )
        _save(model, folder / self.units[0])


def _codes(count: int) -> tuple[list[int], list[str]]:
    """Codes that a formula spreads over the column, and their labels by a cut."""
    codes = [i * 40_503 % 2**16 for i in range(count)]
    return codes, ["yes" if code >= 2**15 else "no" for code in codes]


@dataclass(frozen=True)
class Asked:
    """A session that asks people for labels: the folder as it stands before `learn`, and the model after."""

    name: str
    method: str
    records: int
    labels: int
    wishes: Mapping[str, Any] = field(default_factory=dict)
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"sessions/{self.name}", f"models/{self.name}.json")

    def make(self, place: Place, folder: Path) -> None:
        session = Asking.start(
            self.records,
            schema=SCHEMAS["codes"],
            concepts="thresholds:code",
            labels=self.labels,
            method=self.method,
            random_state=SEED,
            **self.wishes,
        )
        _, labels = _codes(self.records)
        session = session.tell({position: labels[position] for position in session.asked})
        twin = replace(
            session, marks=[]
        )  # the corpus keeps a session that still waits, and the rule it leads to
        session.save(folder / self.units[0])
        _save(learn_session(twin), folder / self.units[1])


def learn_session(session: Asking) -> Model:
    """What every session of the corpus leads to."""
    codes, _ = _codes(session.recipe.request.size.total)
    return session.learn({"code": codes}, random_state=SEED + 1)


@dataclass(frozen=True)
class Tabled:
    """`release_table`."""

    name: str
    schema: str
    columns: tuple[str, ...]
    wishes: Mapping[str, Any] = field(default_factory=dict)
    engines: tuple[str, ...] = ENGINES

    @property
    def units(self) -> tuple[str, ...]:
        return (f"tables/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        schema = SCHEMAS[self.schema]
        if place.engine == "shards":
            made = self._on_shards(place, folder)
        else:
            made = release_table(
                place.table, schema=schema, columns=self.columns, random_state=SEED, **self.wishes
            )
        _save(made, folder / self.units[0])

    def _on_shards(self, place: Place, folder: Path) -> ReleasedTable:
        """The request as memory has it, run on shards."""
        self.make(Place("memory", place.folder), folder)
        expected = json.loads((folder / self.units[0]).read_text(encoding="utf-8"))
        schema = Schema.from_json(expected["schema"])
        sample, certificate = place.sample(schema), expected["certificate"]
        size = Size(certificate["labelled"], certificate["unlabelled"])
        request = TableRequest.from_json(certificate["request"], schema=schema, size=size)
        released = request.sanitiser.release(sample, SeededCoins(SEED))
        own = request.certify().with_coins("seeded").to_json()
        return ReleasedTable(released, schema, own)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Derived:
    """One derived step of a rule."""

    name: str
    proof: Callable[[], Proof[Fact]]
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"derivations/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        written_json(folder / self.units[0], self.proof().to_json())


@dataclass(frozen=True)
class Drawn:
    """A learner used from Python: its certificate and what it draws."""

    name: str
    schema: str
    learner: Callable[[Schema], Learner]
    engines: tuple[str, ...] = ENGINES
    seed: int = SEED

    @property
    def units(self) -> tuple[str, ...]:
        return (f"learners/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        schema = SCHEMAS[self.schema]
        learner, sample = self.learner(schema), place.sample(schema)
        hypothesis = learner.learn(sample, SeededCoins(self.seed))
        certificate = learner.certify(sample.size).with_coins("seeded")
        tree = {
            "schema": schema.to_json(),
            "hypothesis": hypothesis.to_json(),
            "certificate": certificate.to_json(),
        }
        written_json(folder / self.units[0], tree)


@dataclass(frozen=True)
class Compared:
    """`compare_models` on two models that other cases make."""

    name: str
    first: Learnt
    second: Learnt
    wishes: Mapping[str, Any] = field(default_factory=dict)
    engines: tuple[str, ...] = ("memory", "files", "database")

    @property
    def units(self) -> tuple[str, ...]:
        return (f"comparisons/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        models = []
        for case in (self.first, self.second):
            case.make(Place("memory", place.folder), folder / "compared")
            models.append(load(folder / "compared" / case.units[0]))
        made = compare_models(place.table, *models, epsilon=1, random_state=SEED, **self.wishes)
        written_json(folder / self.units[0], made.to_json())
