"""What is public of a bundle says nothing about its records: the attack that once found them, and what others see."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from privpac import MemorySample, PrivatePredictor, Schema, SeededCoins
from privpac.answering.bundle import bundle
from privpac.answering.offer import Offer, offer_for
from privpac.coins import SystemCoins
from privpac.request import LearnRequest

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "wide", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True},
        ],
    }
)
N, MODELS = 60, 3
WORDS = (
    "predict-by-vote:thresholds:age",
    "vote:tree",
    "vote:forest:3",
    "vote:neighbours",
    "vote:logistic",
    "vote:bayes",
    "thresholds:age",
)
BOOSTING = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5)
"""As vote:boosting, with fewer trees."""
Records = tuple[list[int], list[int], list[int]]


def records() -> Records:
    ages = [2 * i for i in range(N)]
    return ages, [2**65 + age for age in ages], [int(age >= 60) for age in ages]


def another_label(ages: list[int], wide: list[int], labels: list[int]) -> Records:
    return ages, wide, [1 - labels[0], *labels[1:]]


def another_cell(ages: list[int], wide: list[int], labels: list[int]) -> Records:
    return [119, *ages[1:]], [3, *wide[1:]], labels


def one_class(ages: list[int], wide: list[int], labels: list[int]) -> Records:
    """All labels are equal: every block has one class."""
    return ages, wide, [1] * len(labels)


def one_class_but_one(ages: list[int], wide: list[int], labels: list[int]) -> Records:
    """The neighbour of the above in which a single block has two classes."""
    return ages, wide, [0] + [1] * (len(labels) - 1)


PAIRS: tuple[tuple[Callable[..., Records], Callable[..., Records]], ...] = (
    (lambda *table: table, another_label),
    (lambda *table: table, another_cell),
    (one_class, one_class_but_one),
)


def offer_of(word: object) -> Offer:
    return offer_for(
        LearnRequest(concepts=word, epsilon=Fraction(2), models=MODELS, protect="predictions"),
        schema=SCHEMA,
        size=sample(records()).size,
        coins="seeded",
    )


def sample(table: Records) -> MemorySample:
    ages, wide, labels = table
    return MemorySample.of({"age": ages, "wide": wide}, SCHEMA, y=labels)


def written(path: Path, word: object, table: Records, *, named_by: int | None = None) -> Path:
    offer = offer_of(word)
    coins = SystemCoins() if named_by is None else SeededCoins(named_by)
    return bundle.write(path, offer, offer.predictor.prepare(sample(table), SeededCoins(1)), coins=coins)


@pytest.mark.parametrize("word", [*WORDS, BOOSTING], ids=str)
def test_no_public_byte_depends_on_a_record(tmp_path: Path, word: object) -> None:
    for number, pair in enumerate(PAIRS):
        first, second = (
            written(tmp_path / f"{number}{side}", word, change(*records()), named_by=7)
            for side, change in enumerate(pair)
        )
        assert (first / "bundle.json").read_bytes() == (second / "bundle.json").read_bytes()
        assert {file.name for file in first.iterdir()} == {file.name for file in second.iterdir()}
        secret = next(file.name for file in first.iterdir() if file.name.startswith(("models", "records")))
        if word != "predict-by-vote:thresholds:age":  # three thresholds may well be the same three
            assert (first / secret).read_bytes() != (second / secret).read_bytes()


def made_of(file: Path) -> set[str]:
    """The names of all classes in stored models."""
    found: set[str] = set()

    def look(node: Any) -> None:
        if isinstance(node, dict):
            if "__loader__" in node:
                found.add(f"{node['__module__']}.{node['__class__']}")
            for value in node.values():
                look(value)
        elif isinstance(node, list):
            for value in node:
                look(value)

    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        look(json.loads(archive.read("schema.json")))
    return found


@pytest.mark.parametrize("word", [*(word for word in WORDS if word.startswith("vote:")), BOOSTING], ids=str)
def test_blocks_of_one_class_are_stored_like_all_others(tmp_path: Path, word: object) -> None:
    first = written(tmp_path / "a", word, one_class(*records()))
    second = written(tmp_path / "b", word, one_class_but_one(*records()))
    mixed = written(tmp_path / "c", word, records())
    assert (
        made_of(first / "models.skops") == made_of(second / "models.skops") == made_of(mixed / "models.skops")
    )
    voters = bundle.load(first).prepared.models  # type: ignore[attr-defined]
    assert [(voter.otherwise, voter.model) for voter in voters] == [(1, None)] * MODELS
    asked = [voter.model is not None for voter in bundle.load(second).prepared.models]  # type: ignore[attr-defined]
    assert sum(asked) == 1


def public(folder: Path) -> dict[str, Any]:
    """What everybody may read, but for the bundle's own name."""
    tree: dict[str, Any] = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    return {name: value for name, value in tree.items() if name not in ("id", "digest")}


@pytest.mark.long_cases(
    "vote:tree",
)
@pytest.mark.parametrize("base", ["thresholds:age", "predict-by-vote:thresholds:age", "vote:tree"])
def test_whoever_knows_all_other_records_cannot_tell_the_last(tmp_path: Path, base: str) -> None:
    """The attack: guess the record, make the bundle that would follow, and compare what is public of the two."""

    def made(path: Path, age: int, label: int) -> dict[str, Any]:
        ages, wide, labels = records()
        predictor = PrivatePredictor(base, "0.01", 1, schema=SCHEMA, models=MODELS, random_state=3)
        predictor.fit({"age": [age, *ages[1:]], "wide": wide}, y=[label, *labels[1:]]).save(path)
        return public(path)

    victim = made(tmp_path / "victim", 41, 1)
    guesses = [(age, label) for age in range(0, 120, 8) for label in (0, 1)]
    fitting = [guess for i, guess in enumerate(guesses) if made(tmp_path / str(i), *guess) == victim]
    assert fitting == guesses


def test_two_bundles_of_the_same_records_are_two(tmp_path: Path) -> None:
    folders = [written(tmp_path / str(i), "thresholds:age", records()) for i in range(3)]
    trees = [json.loads((folder / "bundle.json").read_text(encoding="utf-8")) for folder in folders]
    assert len({tree["id"] for tree in trees}) == len({tree["digest"] for tree in trees}) == 3
    assert len({bundle.load(folder).digest for folder in folders}) == 3
    keys = {json.loads((folder / "secret.json").read_text(encoding="utf-8"))["key"] for folder in folders}
    assert len(keys) == 3
    assert all(len(key) == 64 and key not in str(trees) for key in keys)
    assert public(folders[0]) == public(folders[1])


def test_files_of_another_bundle_are_not_its_own(tmp_path: Path) -> None:
    """Not even with the key they were tagged with: a tag speaks of one bundle."""
    first, second = (written(tmp_path / str(i), "thresholds:age", records()) for i in range(2))
    for name in ("records.npz", "secret.json"):
        (first / name).write_bytes((second / name).read_bytes())
    with pytest.raises(bundle.NotCertified, match="was changed after"):
        bundle.load(first)


def test_notes_in_a_schema_file_are_not_published(tmp_path: Path) -> None:
    """Keys that nobody knows may say anything about the records, so they stay where they were written."""
    column = {
        "name": "x",
        "kind": "numeric",
        "lower": 0,
        "upper": 9,
        "integer": True,
        "note": "seen: Zanzibar",
    }
    schema = {"label": "y", "columns": [column], "remark": "seen: Zanzibar"}
    predictor = PrivatePredictor("thresholds:x", 1, 5, schema=schema)
    predictor.fit({"x": list(range(10))}, y=[int(x > 4) for x in range(10)]).save(tmp_path / "b")
    assert "Zanzibar" not in (tmp_path / "b" / "bundle.json").read_text(encoding="utf-8")
