"""From a table to a file and back: what is stored is what was learnt, damage is seen, and nothing is drawn unpaid."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import Ledger, Model, NotCertified, Schema, learn, load, verify
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Test
from privpac.concepts.trees.tree import Leaf, Split
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import schema_for
from privpac.errors import (
    BudgetExceeded,
    DataError,
    ParameterError,
    PrivpacError,
    SchemaError,
    SizeError,
    SmallEvidence,
)
from privpac.learning import learn_sample
from privpac.model import digest
from privpac.releasing import Payment
from privpac.request import LearnRequest

SCHEMA = Schema.from_json(
    {
        "label": "krank",
        "classes": ["nein", "ja, sehr"],
        "columns": [
            {"name": "größe", "kind": "numeric", "lower": 0, "upper": 30, "integer": True},
            {"name": "dose", "kind": "numeric", "lower": -1, "upper": 1},
            {"name": "city", "kind": "categorical", "categories": ["north", "south", "west"]},
        ],
    }
)


def table(n: int = 120) -> dict[str, list[Any]]:
    random = np.random.default_rng(3)
    size = random.integers(0, 31, n)
    return {
        "größe": size.tolist(),
        "dose": random.uniform(-1, 1, n).tolist(),
        "city": random.choice(["north", "south", "west"], n).tolist(),
        "krank": np.where(size > 12, "ja, sehr", "nein").tolist(),
    }


def made(concepts: str = "thresholds:größe", **wishes: Any) -> Model:
    return learn(table(), **{"schema": SCHEMA, "concepts": concepts, "epsilon": 2, **wishes})


WORDS = (
    "stumps",
    "thresholds:größe",
    "thresholds:dose:either",
    "intervals:größe",
    "unions:größe:2",
    "rectangles:größe,dose",
    "points:größe",
    "trees:2",
    "lists:2",
    "conjunctions:2",
    "disjunctions:2",
    "auto",
)

WISHES: tuple[dict[str, Any], ...] = (
    {},
    {"estimate_epsilon": "0.5"},
    {"estimate_epsilon": "0.5", "holdout": "0.25"},
    {"costs": (1, 3), "records_per_person": 2},
    {"concepts": "recconcave:größe", "delta": "1e-6", "random_state": 4},
)


# --- the file ---


@pytest.mark.parametrize("word", WORDS)
def test_a_saved_model_is_read_back_and_verified(word: str, tmp_path: Path) -> None:
    model = made(word)
    path = tmp_path / "model.json"
    model.save(path)
    again = load(path)
    assert again == model
    assert again.to_json() == model.to_json()
    assert (again.predict(table()) == model.predict(table())).all()
    assert set(again.predict(table())) <= set(SCHEMA.classes)
    assert again.explain() == model.explain()
    found = verify(path)
    assert found.rebuilt
    assert found.for_release
    assert (found.epsilon, found.delta) == ("2", "0")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("wishes", WISHES)
def test_every_wish_is_stored_and_verified(wishes: dict[str, Any], tmp_path: Path) -> None:
    model = made(**{"concepts": "thresholds:größe", **wishes})
    path = tmp_path / "model.json"
    model.save(path)
    assert load(path) == model
    found = verify(path)
    assert found.rebuilt
    assert found.for_release == ("random_state" not in wishes)
    paid = Fraction(2) + (
        Fraction(wishes.get("estimate_epsilon", 0)) if "holdout" not in wishes else Fraction(0)
    )
    assert Fraction(found.epsilon) == paid
    assert bool(found.assumptions) == ("records_per_person" in wishes)


def test_the_certificate_is_public_before_any_record_is_seen() -> None:
    """Other records of the same number lead to the same certificate."""
    one = made().certificate
    other = {**table(), "krank": ["nein"] * 120}
    assert learn(other, schema=SCHEMA, concepts="thresholds:größe", epsilon=2).certificate == one


def test_seeded_models_are_reproducible_and_marked() -> None:
    one, other = made(random_state=9), made(random_state=9)
    assert one == other
    assert one.certificate["coins"] == "seeded"
    assert one.explain().count("NOT FOR RELEASE") == 1
    assert "NOT FOR RELEASE" not in made().explain()


# --- damage ---


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model.json"
    made("thresholds:größe", records_per_person=2, estimate_epsilon=1, random_state=1).save(path)
    return path


def refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(NotCertified):
        load(path)
    with pytest.raises(NotCertified):
        verify(path)


def test_every_flipped_bit_is_noticed(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    random = np.random.default_rng(0)
    path = tmp_path / "model.json"
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(random.integers(0, 8))
        refused(path, bytes(damaged))


def test_every_missing_or_doubled_byte_is_noticed(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    path = tmp_path / "model.json"
    for place in range(0, len(content), 7):
        if not content[place : place + 1].isspace():  # JSON says the same with more or fewer spaces
            refused(path, content[:place] + content[place + 1 :])
            refused(path, content[:place] + content[place : place + 1] + content[place:])


def test_a_truncated_file_is_refused_with_a_remedy(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes().rstrip()
    path = tmp_path / "model.json"
    for length in (0, 1, len(content) // 2, len(content) - 1):
        refused(path, content[:length])
    with pytest.raises(NotCertified, match=r"not a complete model file.*Copy it again"):
        load(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for content in (
        b"[]",
        b"null",
        b'"x"',
        b"{}",
        b"\xff\xfe",
        b'{"format": "privpac-model/2"}',
        b"[" * 9999,
    ):
        refused(path, content)
    with pytest.raises(DataError, match="There is no file"):
        load(tmp_path / "absent.json")


def test_two_values_under_one_name_are_refused(saved: Path, tmp_path: Path) -> None:
    """The digest is over what is read; of two values only one would be."""
    content = saved.read_text(encoding="utf-8")
    twice = content.replace('"format":', '"format": "privpac-model/9",\n "format":', 1)
    refused(tmp_path / "model.json", twice.encode())


# --- forgery: an edit and a new digest ---


def _lie_about_epsilon(tree: dict[str, Any]) -> None:
    tree["certificate"]["epsilon"] = "2.9"


def _wish_less(tree: dict[str, Any]) -> None:
    tree["certificate"]["request"]["epsilon"] = "1"


def _soften_the_ratio(tree: dict[str, Any]) -> None:
    node = tree["certificate"]["privacy"]
    while "premises" in node:
        node = node["premises"][0]
    ratio = Fraction(node["where"]["ratio"])
    node["where"]["ratio"] = str(ratio + Fraction(1, 2**60))


def _cut_outside(tree: dict[str, Any]) -> None:
    tree["hypothesis"]["cut"] = "32"


def _unknown_column(tree: dict[str, Any]) -> None:
    tree["hypothesis"]["column"] = "height"


def _hide_an_assumption(tree: dict[str, Any]) -> None:
    tree["certificate"]["assumptions"] = []


def _hide_it_everywhere(tree: dict[str, Any]) -> None:
    tree["certificate"]["assumptions"] = []
    del tree["certificate"]["privacy"]["assumes"]


def _drop_the_group(tree: dict[str, Any]) -> None:
    """A sound derivation, of something else."""
    certificate = tree["certificate"]
    certificate["privacy"] = certificate["privacy"]["premises"][0]
    certificate["assumptions"], certificate["epsilon"] = [], "1.5"


def _fewer_people(tree: dict[str, Any]) -> None:
    tree["certificate"]["request"]["records_per_person"] = 1


def _more_records(tree: dict[str, Any]) -> None:
    tree["certificate"]["labelled"] = tree["certificate"]["request"]["labelled"] = 10**6


def _narrower_interval(tree: dict[str, Any]) -> None:
    tree["estimate"]["noise"] = "0"


def _no_estimate(tree: dict[str, Any]) -> None:
    tree["estimate"] = None


def _other_bounds(tree: dict[str, Any]) -> None:
    tree["schema"]["columns"][0]["upper"] = 300


def _something_more(tree: dict[str, Any]) -> None:
    tree["note"] = "approved"


def _unknown_coins(tree: dict[str, Any]) -> None:
    tree["certificate"]["coins"] = "fair"


def _better_accuracy(tree: dict[str, Any]) -> None:
    tree["certificate"]["accuracy"][0]["fact"]["error"] = "1/1000"


FORGERIES: tuple[Callable[[dict[str, Any]], None], ...] = (
    _lie_about_epsilon,
    _wish_less,
    _soften_the_ratio,
    _cut_outside,
    _unknown_column,
    _hide_an_assumption,
    _hide_it_everywhere,
    _drop_the_group,
    _fewer_people,
    _more_records,
    _narrower_interval,
    _no_estimate,
    _other_bounds,
    _something_more,
    _unknown_coins,
    _better_accuracy,
)


def forged(saved: Path, change: Callable[[dict[str, Any]], None]) -> bytes:
    tree = json.loads(saved.read_text(encoding="utf-8"))
    changed = copy.deepcopy(tree)
    change(changed)
    assert changed != tree
    changed["digest"] = digest(changed)
    return json.dumps(changed).encode()


@pytest.mark.parametrize("change", FORGERIES)
def test_a_forgery_with_a_new_digest_is_not_certified(
    change: Callable[[dict[str, Any]], None], saved: Path, tmp_path: Path
) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(forged(saved, change))
    with pytest.raises(NotCertified):
        verify(path)


def test_the_coins_origin_rests_on_the_authors_word(saved: Path, tmp_path: Path) -> None:
    """A seed leaves no trace in a file, so nothing notices this edit: docs/understand/limits.md and `verify` say so."""
    path = tmp_path / "model.json"
    path.write_bytes(forged(saved, lambda tree: tree["certificate"].update(coins="system")))
    assert verify(path).for_release
    assert "coins' origin" in " ".join((verify.__doc__ or "").split())
    limits = Path(__file__).parents[2] / "docs" / "understand" / "limits.md"
    assert "changed `coins` from seeded to system" in limits.read_text(encoding="utf-8")


# --- paying ---


class BrokenCoins(SeededCoins):
    """Coins that cannot be tossed."""

    def bits(self, count: int) -> int:
        raise ConnectionError("no entropy")


def draw_with(coins: SeededCoins, ledger: Ledger, **more: Any) -> Model:
    sample = MemorySample.of(table(), SCHEMA)
    wishes = LearnRequest(epsilon=Fraction(1), concepts="stumps", **more)
    return learn_sample(sample, wishes, payment=Payment(ledger, coins))


def test_a_refused_charge_leaves_no_draw() -> None:
    ledger = Ledger(epsilon="0.5")
    with pytest.raises(BudgetExceeded):
        draw_with(BrokenCoins(1), ledger)
    assert ledger.spent.epsilon == 0
    assert ledger.entries() == ()


@pytest.mark.parametrize("holdout", [Fraction(0), Fraction(1, 2)])
def test_the_charge_is_made_before_the_first_coin(holdout: Fraction) -> None:
    """Whom to hold out is the first coin, where there is a hold-out part."""
    ledger = Ledger(epsilon=2)
    estimate = Fraction(1) if holdout else None
    with pytest.raises(ConnectionError):
        draw_with(BrokenCoins(1), ledger, estimate_epsilon=estimate, holdout=holdout)
    assert ledger.spent.epsilon == 1


def test_the_charge_is_the_certificates_epsilon_for_everything_released() -> None:
    ledger = Ledger(epsilon=10)
    half = Fraction(1, 2)
    model = draw_with(SeededCoins(1), ledger, estimate_epsilon=half)
    assert ledger.spent.epsilon == Fraction(3, 2) == Fraction(model.certificate["epsilon"])
    draw_with(SeededCoins(1), ledger, estimate_epsilon=half, holdout=half)
    assert ledger.spent.epsilon == Fraction(5, 2)
    assert len(ledger.entries()) == 2


def test_a_ledger_stays_usable_after_a_refusal() -> None:
    ledger = Ledger(epsilon=3)
    made(ledger=ledger)
    with pytest.raises(BudgetExceeded):
        made(ledger=ledger)
    made(ledger=ledger, epsilon=1)
    assert ledger.left.epsilon == 0


SECRET = 987654321


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in table().items() if key != name}


BAD: dict[str, tuple[dict[str, Any], dict[str, Any], type[PrivpacError], str]] = {
    "no schema": (table(), {"schema": None}, SchemaError, "No schema"),
    "a schema of no kind": (table(), {"schema": 3}, ParameterError, "schema"),
    "a missing column": (without("dose"), {}, PrivpacError, "dose"),
    "no labels": (without("krank"), {}, PrivpacError, "krank"),
    "a cell that is no number": ({**table(), "dose": [float("nan")] * 120}, {}, DataError, "dose"),
    "an infinite cell": ({**table(), "dose": [float("inf")] * 120}, {}, DataError, "dose"),
    "an undeclared label": ({**table(), "krank": [SECRET] * 120}, {}, DataError, "krank"),
    "an undeclared category": ({**table(), "city": [str(SECRET)] * 120}, {}, DataError, "city"),
    "an empty table": ({name: [] for name in table()}, {}, PrivpacError, ""),
    "one label too few": (table(), {"y": ["nein"] * 119}, DataError, "119 labels"),
    "epsilon 0": (table(), {"epsilon": 0}, ParameterError, "epsilon"),
    "epsilon below 0": (table(), {"epsilon": -1}, ParameterError, "epsilon"),
    "epsilon not a number": (table(), {"epsilon": float("nan")}, ParameterError, "epsilon"),
    "epsilon infinite": (table(), {"epsilon": float("inf")}, ParameterError, "epsilon"),
    "epsilon in words": (table(), {"epsilon": "little"}, ParameterError, "epsilon"),
    "delta 1": (table(), {"delta": 1}, ParameterError, "delta"),
    "an unknown word": (table(), {"concepts": "forests"}, ParameterError, "stumps"),
    "half-spaces of no column": (table(), {"concepts": "halfspaces"}, ParameterError, "halfspaces:COL,COL"),
    "an unknown protection": (table(), {"protect": "some"}, ParameterError, "protect"),
    "a column nobody declared": (table(), {"concepts": "points:age"}, SchemaError, "age"),
    "too few costs": (table(), {"costs": (1,)}, ParameterError, "costs"),
    "costs beyond 64 bits": (table(), {"costs": (1, 2**62)}, SizeError, "64-bit"),
    "half a person": (table(), {"records_per_person": 0.5}, ParameterError, "records_per_person"),
    "a holdout without an estimate": (
        table(),
        {"holdout": "0.2", "estimate_epsilon": None},
        ParameterError,
        "holdout",
    ),
    "an estimate for a word": (table(), {"estimate_epsilon": "much"}, ParameterError, "auto, none or"),
    "leaf counts without leaves": (table(), {"leaf_epsilon": 1}, ParameterError, "leaf_epsilon"),
    "a seed in words": (table(), {"random_state": "seven"}, ParameterError, "random_state"),
    "a seed that is true": (table(), {"random_state": True}, ParameterError, "random_state"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_spends_nothing_and_shows_nothing(case: str) -> None:
    records, wishes, kind, word = BAD[case]
    ledger = Ledger(epsilon=100)
    with pytest.raises(kind) as caught:
        learn(records, **{"schema": SCHEMA, "concepts": "thresholds:größe", "ledger": ledger, **wishes})
    assert word in str(caught.value)
    assert str(SECRET) not in str(caught.value)
    assert ledger.spent.epsilon == 0
    assert ledger.entries() == ()


def test_a_word_of_caution_comes_before_the_charge() -> None:
    """Whoever turns warnings into errors must not have paid for nothing."""
    ledger = Ledger(epsilon=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SmallEvidence)
        with pytest.raises(SmallEvidence):
            learn(table(), schema=replace(SCHEMA, base_rate=(0.9, 0.1)), epsilon="0.1", ledger=ledger)
    assert ledger.spent.epsilon == 0


def test_schemas_are_taken_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA.to_json()), encoding="utf-8")
    for given in (SCHEMA, path, str(path), SCHEMA.to_json()):
        assert schema_for(given, table()) == SCHEMA


def test_importances_of_a_tree_halve_with_every_level() -> None:
    first, second = Test("a", 1, "at least"), Test("b", 1, "at least")
    tree = Split(first, Split(second, Leaf(0), Leaf(1)), Leaf(1))
    assert tree.column_weights(made().schema) == {"a": 1, "b": Fraction(1, 2)}
    assert sum(made().importances.values()) == pytest.approx(1)


def test_predicting_reads_only_the_columns_of_the_rule(tmp_path: Path) -> None:
    """What stands in the others, or whether they are there, does not matter."""
    schema = {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True},
            {"name": "ward", "kind": "categorical", "categories": ["a", "b"]},
        ],
    }
    table = {
        "age": [i % 120 for i in range(2400)],
        "ward": ["a", "b"] * 1200,
        "ill": [int(i % 120 >= 60) for i in range(2400)],
    }
    model = learn(table, schema=schema, concepts="thresholds:age", epsilon=1, random_state=1)
    expected = model.predict(table).tolist()
    assert model.predict({"age": table["age"]}).tolist() == expected
    assert model.predict({"age": table["age"], "ward": [object()] * 2400}).tolist() == expected
    assert model.predict(np.array([[90, "?"], [1, None]], dtype=object)).tolist() == [1, 0]
    (tmp_path / "t.csv").write_text("age\n90\n1\n", encoding="utf-8")
    assert model.predict(tmp_path / "t.csv").tolist() == [1, 0]
    with pytest.raises(SchemaError) as refused:
        model.predict({"ward": ["a"]})
    assert refused.value.column == "age"
    constant = replace(model, hypothesis=Leaf(1))
    assert constant.predict({"age": [None, "?", 3]}).tolist() == [1, 1, 1]
