"""Risk cards: weights and risks are exact, statistics agree with brute force, files and words say what was drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.metrics import get_scorer

import privpac
from privpac import Ledger, MemorySample, PrivateClassifier, PrivatePredictor, Schema, SeededCoins, Size
from privpac.checker.check import check_derivation
from privpac.cli import main
from privpac.coins import EnclosureError
from privpac.concepts.cards.blocks import blocks_of, reachable
from privpac.concepts.cards.card import Card, bucket_count, bucket_row
from privpac.concepts.cards.logits import log_odds, log_risk, risk
from privpac.concepts.cards.risks import SCALE, Table, spread_of, start_share
from privpac.concepts.cards.tallies import ByClass, BySum, ByWeight, Points, held_by_test, looks
from privpac.concepts.cards.words import CAUTION, NO_POINTS, risk_rows
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.spending import concentrated_spending
from privpac.constructions.card.weights import (
    CAP,
    UNITS,
    fine_rounds_for,
    points_of_round,
    residuals,
    rounds_for,
)
from privpac.errors import NotCertified, ParameterError, SchemaError
from privpac.guarantee.certificate import SEED_WARNING
from privpac.guarantee.facts import Unit
from privpac.pictures.card import card_picture

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
    {"name": "dose", "kind": "numeric", "lower": 0, "upper": 2},
    {"name": "ward", "kind": "categorical", "categories": ["north", "south", "east"]},
    {"name": "smoker", "kind": "boolean"},
]
SCHEMA = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS})
TESTS = Binarisation.of(SCHEMA)


def table(n: int = 3000, seed: int = 3) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    age, dose = rng.integers(0, 100, n), rng.random(n) * 2
    ward, smoker = rng.choice(["north", "south", "east"], n), rng.random(n) < 0.3
    logit = (age - 60) / 15 + 1.5 * smoker + (ward == "south") + dose - 1
    ill = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    columns = {"age": age, "dose": dose, "ward": ward, "smoker": smoker, "ill": ill}
    return {name: values.tolist() for name, values in columns.items()}


def learnt(word: str = "card", **wishes: Any) -> privpac.Model:
    return privpac.learn(table(), schema=SCHEMA, concepts=word, **{"epsilon": 2, "random_state": 5, **wishes})


def drawn_at(*wishes: tuple[int, int]) -> tuple[Points, ...]:
    return tuple(Points(TESTS.tests[number], points) for number, points in wishes)


def test_weights_are_what_is_left_to_explain_in_sixty_fourths_and_never_beyond_the_cap() -> None:
    start, largest = Fraction(1, 5), 40
    zeros, ones = residuals(start, largest)
    for place, points in enumerate(range(-largest, largest + 1)):
        share = 1 / (1 + math.exp(-(math.log(1 / 4) + points / 5)))
        assert abs(zeros[place] + min(CAP, UNITS * share)) <= 0.5 + 1e-9
        assert abs(ones[place] - min(CAP, UNITS * (1 - share))) <= 0.5 + 1e-9
    assert max(map(abs, (*zeros, *ones))) == CAP


def test_log_odds_and_risks_agree_with_floats() -> None:
    for parts in range(-3000, 3001, 37):
        share = 1 / (1 + math.exp(-parts / 320))
        assert abs(risk(parts, scale=10**6) - 10**6 * share) <= 0.501
        assert log_risk(parts) / 2**32 == pytest.approx(math.log(share), abs=1e-8)
    assert log_odds(Fraction(1, 10), per=32) == round(32 * math.log(1 / 9))


def test_rounds_and_points_follow_from_public_numbers() -> None:
    for n, epsilon in ((10, "0.1"), (2000, "0.3"), (5000, "1"), (10**6, "3")):
        expected = min(max(math.floor(math.sqrt(n * float(epsilon)) / 7 + 0.5), 1), 32)
        assert rounds_for(n, Fraction(epsilon)) == expected
        many = min(max(math.floor(0.8 * math.sqrt(n * float(epsilon)) + 0.5), 1), 300)
        assert fine_rounds_for(n, Fraction(epsilon)) == many
    for rounds in (1, 2, 7, 32):
        assert [points_of_round(k, rounds) for k in range(rounds)] == [
            max(1, math.floor(3 / (1 + 2 * k / rounds) + 0.5)) for k in range(rounds)
        ]


def test_statistics_agree_with_brute_force_and_with_blocks() -> None:
    sample = MemorySample.of(table(900), SCHEMA)
    block = sample.block()
    assert block.labels is not None
    drawn = drawn_at((5, 3), (40, -2), (63, 1), (5, -1))
    signed = sum(one.points * (2 * one.test.holds(block.cells).astype(int) - 1) for one in drawn)
    largest = sum(abs(one.points) for one in drawn)
    weights = residuals(Fraction(1, 3), largest)
    by_record = np.array(weights)[block.labels, signed + largest]
    for look in (sample, looks(sample, TESTS)):
        held = held_by_test(look.reduce(ByWeight(TESTS, drawn, weights)), TESTS)
        assert held.tolist() == [int(by_record[test.holds(block.cells)].sum()) for test in TESTS.tests]
        classes = look.reduce(ByClass(TESTS))
        for label in (0, 1):
            right = [int((test.holds(block.cells) & (block.labels == label)).sum()) for test in TESTS.tests]
            assert held_by_test(classes[label], TESTS).tolist() == right
        sums = look.reduce(BySum(TESTS, drawn, bucket_row(drawn)))
        places = np.array(bucket_row(drawn))[signed + largest]
        expected = np.zeros_like(sums)
        np.add.at(expected, (places, block.labels), 1)
        assert sums.tolist() == expected.tolist()


def test_every_record_has_a_sum_that_its_blocks_can_reach_and_points_mean_what_was_drawn() -> None:
    drawn = drawn_at((5, 3), (20, -2), (63, 1), (64, -3), (5, -1))
    blocks = blocks_of(drawn)
    card = Card(drawn, 10, 100, ((1, 2),) * bucket_count(reachable(blocks)), Fraction(1), Fraction(1))
    cells = MemorySample.of(table(500), SCHEMA).block().cells
    signed = sum(one.points * (2 * one.test.holds(cells).astype(int) - 1) for one in drawn)
    total = card.total(cells)
    assert set(total.tolist()) <= set(reachable(blocks))
    assert (2 * total + sum(block.lowest for block in blocks) == signed).all()
    assert min(reachable(blocks)) == 0
    assert max(reachable(blocks)) == card.top


def test_points_stay_one_digit_however_often_a_test_is_drawn() -> None:
    drawn = drawn_at((5, 9), (5, 6), (63, -9), (63, -1))
    cells = MemorySample.of(table(50), SCHEMA).block().cells
    for block, points in zip(blocks_of(drawn), (9, -9), strict=True):
        (one,) = block.merged
        assert one.points == points
        assert (block.points(cells) == 9 * (one.test.holds(cells) == (points > 0))).all()
    sample = MemorySample.of(table(50), SCHEMA)
    once = drawn_at((5, 9), (63, -9))
    wide, narrow = residuals(Fraction(1, 3), 25), residuals(Fraction(1, 3), 18)
    assert (sample.reduce(ByWeight(TESTS, drawn, wide)) == sample.reduce(ByWeight(TESTS, once, narrow))).all()


@pytest.mark.parametrize("rounds", [1, 2, 5, 9, 18, 32])
def test_a_card_without_a_delta_has_at_most_32_tests_of_one_digit(rounds: int) -> None:
    sample = MemorySample.of(table(400), SCHEMA)
    for seed in range(3):
        card = CardLearner(SCHEMA, Fraction(1), TESTS, rounds).learn(sample, SeededCoins(seed))
        tests = [one for block in card.blocks for one in block.merged]
        assert len(tests) <= len(card.drawn) <= 32
        assert max(abs(one.points) for one in tests) <= 9


def test_a_curve_follows_clear_counts_and_ignores_noise() -> None:
    sums = tuple(range(11))
    counts = tuple(
        (round(9000 * (1 - share)), round(9000 * share))
        for share in (1 / (1 + math.exp(-(0.3 * (2 * total - 10) / 5 * 2 - 1))) for total in sums)
    )
    fitted = Table(counts, sums, -10, 20, Fraction(1, 3))
    for total in sums:
        share = 1 / (1 + math.exp(-(0.3 * (2 * total - 10) / 5 * 2 - 1)))
        assert abs(fitted.risk(total) / SCALE - share) < 0.01
    silent = replace(fitted, counts=((3, 2),) * 11)
    assert (silent.curve.slope, silent.curve.offset) == (48, log_odds(Fraction(1, 3), per=32))


def test_a_curve_is_the_best_among_its_neighbours() -> None:
    rng = np.random.default_rng(1)
    counts = tuple((int(a), int(b)) for a, b in rng.integers(0, 500, (12, 2)))
    fitted = Table(counts, tuple(range(12)), -9, 30, Fraction(2, 5))
    best = fitted._value(fitted.curve)
    assert all(fitted._value(near) <= best for near in fitted._around(fitted.curve, 1))


def test_intervals_widen_with_noise_and_hold_the_share() -> None:
    quiet = Table(((900, 100),), (0,), 0, 1, Fraction(1, 2)).interval([0])
    loud = Table(((900, 100),), (0,), 0, 40, Fraction(1, 2)).interval([0])
    assert loud.low < quiet.low < 1000 < quiet.high < loud.high
    assert Table(((3, 5),), (0,), 0, 40, Fraction(1, 2)).interval([0]).high == SCALE


def test_a_noisy_count_that_says_nothing_says_one_half() -> None:
    assert start_share(0, 10, spread_of(Fraction(1, 1000), 1)) > Fraction(49, 100)
    assert start_share(0, 10**6, 1) == Fraction(1, 50)


def test_a_card_ranks_tells_risks_and_is_verified(tmp_path: Path) -> None:
    model = learnt()
    file = tmp_path / "card.json"
    model.save(file)
    assert privpac.verify(file).epsilon == "2"
    again = privpac.load(file)
    assert again == model
    test = table(4000, seed=9)
    risks = again.predict_proba(test)[:, 1]
    ill = np.array(test["ill"])
    ranks = risks[ill == 1][:, None] - risks[ill == 0][None, :]
    assert (ranks > 0).mean() + (ranks == 0).mean() / 2 > 0.75
    assert abs(risks.mean() - ill.mean()) < 0.06
    assert (again.classify(test) == (risks >= 0.5)).all()


def test_with_a_delta_there_are_many_small_rounds(tmp_path: Path) -> None:
    model = learnt(delta="1e-6")
    card = model.hypothesis
    assert isinstance(card, Card)
    assert model.certificate["learner"]["rounds"] == fine_rounds_for(3000, Fraction(2)) == 62
    assert card.fifth == 3
    model.save(tmp_path / "card.json")
    report = privpac.verify(tmp_path / "card.json")
    assert (report.epsilon, report.delta) == ("2", "0.000001")
    assert privpac.load(tmp_path / "card.json") == model
    test = table(2000, seed=9)
    ill, losses = np.array(test["ill"]), []
    for one in (model, learnt()):
        risks = one.predict_proba(test)[:, 1]
        losses.append(-np.log(np.where(ill == 1, risks, 1 - risks)).mean())
    assert losses[0] < losses[1]


def test_three_finer_points_weigh_as_one_point() -> None:
    plain, fine = residuals(Fraction(1, 5), 10), residuals(Fraction(1, 5), 30, 3)
    assert plain == tuple(row[::3] for row in fine)
    sums = tuple(range(11))
    counts = tuple((900 - 80 * total, 100 + 80 * total) for total in sums)
    one = Table(counts, sums, -10, 20, Fraction(1, 2))
    other = Table(counts, tuple(3 * total for total in sums), -30, 20, Fraction(1, 2), 3)
    assert [one.risk(total) for total in sums] == [other.risk(3 * total) for total in sums]


@pytest.mark.parametrize(
    "wishes", [{"epsilon": "0.3"}, {"delta": "1e-300"}, {"word": "card:2"}, {"delta": 0}]
)
def test_a_delta_is_left_where_it_is_not_worth_it(wishes: dict[str, Any]) -> None:
    """Few records, a tiny delta, few rounds: by public numbers the card without a delta is better."""
    found = learnt(**{"delta": "1e-6", **wishes}).certificate
    assert found["delta"] == "0"
    assert found["learner"]["rounds"] <= 32


@pytest.mark.parametrize(
    "wishes", [{"protect": "labels"}, {"records_per_person": 2}, {"estimate_epsilon": 1}]
)
def test_a_card_with_a_delta_takes_every_wish(wishes: dict[str, Any], tmp_path: Path) -> None:
    learnt(delta="1e-6", **wishes).save(tmp_path / "card.json")
    assert 0 < Fraction(privpac.verify(tmp_path / "card.json").delta) <= Fraction(1, 10**6)


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "7/3", "100", "100000"])
@pytest.mark.parametrize("rounds", [1, 7, 300])
def test_shares_of_rho_keep_the_promise_and_leave_little(epsilon: str, rounds: int) -> None:
    asked, delta = Fraction(epsilon), Fraction(1, 10**6)
    proof = concentrated_spending(asked, delta, rounds).privacy(Unit.RECORD)
    assert (proof.fact.epsilon.upper, proof.fact.delta) == (asked, delta)
    check_derivation(proof.to_json())
    if asked <= 1:
        assert proof.premises[0].fact.epsilon.upper > Fraction(99, 100) * asked


def test_with_public_features_cuts_lie_where_values_occur(tmp_path: Path) -> None:
    narrow = {**table(), "dose": [0.001 * value for value in table()["dose"]]}
    wishes: dict[str, Any] = {"schema": SCHEMA, "epsilon": 2, "random_state": 5}
    model = privpac.learn(narrow, concepts="card:8", protect="labels", **wishes)
    model.save(tmp_path / "card.json")
    assert privpac.verify(tmp_path / "card.json").unit == "label"
    sample = MemorySample.of(narrow, SCHEMA)
    for seed in range(3):
        learner = LabelPrivateCard(SCHEMA, Fraction(2), 8)
        card = learner.learn(sample, SeededCoins(seed))
        assert learner.releases(card, Size(3000))
        assert not learner.releases(replace(card, drawn=card.drawn[1:]), Size(3000))
        cuts = [one.test.cell for one in card.drawn if one.test.column == "dose"]
        assert all(cut <= sample.block().cells["dose"].max() for cut in cuts)


def test_costs_move_the_cut_off_and_nothing_else() -> None:
    plain, dear = learnt().hypothesis, learnt(costs=(1, 6)).hypothesis
    assert isinstance(plain, Card)
    assert isinstance(dear, Card)
    assert (plain.drawn, plain.counts) == (dear.drawn, dear.counts)
    assert dear.cutoff < plain.cutoff
    assert dear.risks[dear.cutoff] * 6 >= SCALE - dear.risks[dear.cutoff]


def test_sql_gives_the_same_classes_points_and_risks() -> None:
    model = learnt()
    card = model.hypothesis
    assert isinstance(card, Card)
    rows = table(700, seed=11)
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t(place INT, age INT, dose DOUBLE, ward VARCHAR, smoker BOOLEAN)")
        columns = [rows[name] for name in ("age", "dose", "ward", "smoker")]
        base.executemany("INSERT INTO t VALUES (?,?,?,?,?)", list(zip(range(700), *columns, strict=True)))
        asked = ", ".join([card.to_sql(SCHEMA), card.points_sql(SCHEMA), card.risk_sql(SCHEMA)])
        found = np.array(base.execute(f"SELECT {asked} FROM t ORDER BY place").fetchall(), dtype=float)
    cells = MemorySample.of(rows, SCHEMA, labelled=False).block().cells
    assert found[:, 0].tolist() == card.predict(cells).tolist()
    assert found[:, 1].tolist() == card.total(cells).tolist()
    assert found[:, 2] == pytest.approx(card.proba(cells)[:, 1])


def test_sql_does_not_ask_what_is_worth_no_points() -> None:
    """A test that was drawn with both signs may end with none."""
    age, dose = (next(test for test in TESTS.tests if test.column == name) for name in ("age", "dose"))
    drawn = (Points(age, 2), Points(dose, 1), Points(age, -2))
    counts = tuple((9, 9) for _ in range(bucket_count(reachable(blocks_of(drawn)))))
    card = Card(drawn, 50, 100, counts, Fraction(1), Fraction(1))
    assert "age" not in card.points_sql(SCHEMA)
    assert "dose" in card.points_sql(SCHEMA)


def cancelled(*columns: str) -> Card:
    """A card of which age, and whatever else is named, was drawn with both signs; dose brings a point."""
    tests = {name: next(test for test in TESTS.tests if test.column == name) for name in ("age", "dose")}
    signs = [(name, sign) for sign in (1, -1) for name in columns]
    points = [("dose", 1), *signs] if "dose" not in columns else signs
    drawn = tuple(Points(tests[name], sign) for name, sign in points)
    counts = tuple((9, 9) for _ in range(bucket_count(reachable(blocks_of(drawn)))))
    return Card(drawn, 50, 100, counts, Fraction(1), Fraction(1))


def test_a_column_whose_points_cancelled_is_neither_shown_nor_asked_for() -> None:
    card = cancelled("age")
    assert card.columns == ("dose",)
    assert [column for column, _ in card.shape(SCHEMA).blocks] == ["dose"]
    assert "age" not in card.describe(SCHEMA)
    assert card.column_weights(SCHEMA) == {"dose": 1}
    (block,) = card.with_points
    cut = block.merged[0].test.cell
    assert card.total({"dose": np.array([cut - 1, cut])}).tolist() == [0, 1]
    assert hypothesis_from_json(card.to_json()) == card  # what was drawn is kept


def test_a_card_without_any_points_says_so() -> None:
    card = cancelled("age", "dose")
    assert card.columns == ()
    assert NO_POINTS in card.describe(SCHEMA)
    assert "Always " in card_picture(card.shape(SCHEMA), SCHEMA).svg()
    assert card.total({"age": np.array([3, 4])}).tolist() == [0, 0]


def test_a_cancelled_column_must_be_one_of_the_schema_all_the_same() -> None:
    others = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS[1:]})
    assert misfit(cancelled("age"), SCHEMA) is None
    assert "schema does not have" in str(misfit(cancelled("age"), others))


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ((2, 11), "one missed 1 counts 5.5 times as much as one false alarm"),
        ((3, 1), "one false alarm counts 3 times as much as one missed 1"),
        ((1, 2500), "one missed 1 counts 2,500 times as much"),
    ],
)
def test_a_card_says_how_mistakes_were_weighed(costs: tuple[int, int], said: str) -> None:
    card = replace(cancelled("age"), costs=costs)
    assert said in card.describe(SCHEMA)
    assert said in card_picture(card.shape(SCHEMA), SCHEMA).svg()
    assert "Decided with costs" not in replace(card, costs=(4, 4)).describe(SCHEMA)


def test_risks_have_four_decimals() -> None:
    card = learnt().hypothesis
    risks = card.proba(MemorySample.of(table(300), SCHEMA, labelled=False).block().cells)
    assert risks.tolist() == risks.round(4).tolist()


def test_the_command_line_writes_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = learnt()
    model.save("card.json")
    assert main(["explain", "card.json", "--sql", "card.sql"]) == 0
    rows = table(50)
    names = ", ".join(f'"{name}"' for name in SCHEMA.names)
    with duckdb.connect() as base:
        base.execute('CREATE TABLE t (place INT, "age" INT, "dose" DOUBLE, "ward" TEXT, "smoker" BOOLEAN)')
        lines = list(zip(range(50), *(rows[name] for name in SCHEMA.names), strict=True))
        base.executemany(f"INSERT INTO t (place, {names}) VALUES (?,?,?,?,?)", lines)
        query = Path("card.sql").read_text().replace("FROM your_table;", "FROM t ORDER BY place;")
        answer = base.execute(query).fetch_df()
    assert list(answer) == ["ill", "points", "risk"]
    assert answer["ill"].tolist() == model.predict(rows).tolist()
    assert answer["risk"].to_numpy(float) == pytest.approx(model.predict_proba(rows)[:, 1])


def test_words_and_picture_show_every_column_and_the_table() -> None:
    model = learnt()
    card = model.hypothesis
    words, picture = model.describe(), model.picture()
    for column in card.columns:
        assert column in words
        assert column in picture
    assert "Risk of ill = 1 by sum of points" in words
    assert "Risk of ill by sum of points" in picture  # 0 and 1 need no more than the label's name


@pytest.mark.parametrize("costs", [None, [1, 4]])
def test_no_row_of_the_table_lies_on_both_sides_of_the_cut_off(costs: list[int] | None) -> None:
    for seed in range(6):
        model = learnt(random_state=seed, costs=costs)
        card = model.hypothesis
        rows = risk_rows(card.table, card.risks, card.cutoff)
        assert all(row.first <= row.last for row in rows)
        assert [row for row in rows if row.first < card.cutoff <= row.last] == []
        assert {total for row in rows for total in (row.first, row.last)} <= set(card.table.sums)
        sheet = card.shape(SCHEMA)
        assert [bar.label for bar in sheet.risks] == [int(row.first >= card.cutoff) for row in rows]
    assert CAUTION in model.describe()
    assert CAUTION in model.picture()


def test_a_picture_on_the_wall_says_whom_it_hides() -> None:
    assert SEED_WARNING in learnt().picture()
    model = learnt(random_state=None)
    file = str(model.to_json()["digest"]).removeprefix("sha256:")[:8]
    assert f"Made from {len(table()['ill']):,} records, each record hidden with ε = " in model.picture()
    assert f"model file {file}…" in model.picture()


def _forgeries(tree: dict[str, Any]) -> Mapping[str, dict[str, Any]]:
    first = tree["drawn"][0]
    return {
        "no points": {**tree, "drawn": [{**first, "points": 0}, *tree["drawn"][1:]]},
        "two digits": {**tree, "drawn": [{**first, "points": 12}, *tree["drawn"][1:]]},
        "no tests": {**tree, "drawn": []},
        "another risk": {**tree, "risks": [*tree["risks"][:-1], 9999]},
        "a count too many": {**tree, "counts": [*tree["counts"], [0, 0]]},
        "a count beyond the records": {**tree, "counts": [[10**6, 0], *tree["counts"][1:]]},
        "no epsilon": {**tree, "table_epsilon": "0"},
        "three costs": {**tree, "costs": [1, 1, 1]},
        "four points per fifth": {**tree, "fifth": 4},
        "a field more": {**tree, "more": 1},
    }


@pytest.mark.parametrize("name", _forgeries({"drawn": [{"points": 1}], "risks": [1], "counts": [[0, 0]]}))
def test_what_no_card_says_is_not_read(name: str) -> None:
    tree = dict(learnt("card:3").hypothesis.to_json())
    assert hypothesis_from_json(tree).to_json() == tree
    with pytest.raises(NotCertified):
        hypothesis_from_json(_forgeries(tree)[name])


def test_only_cards_of_these_parameters_are_released() -> None:
    learner = CardLearner(SCHEMA, Fraction(1), TESTS, 3)
    card = learner.learn(MemorySample.of(table(), SCHEMA), SeededCoins(1))
    size = Size(3000)
    assert learner.releases(card, size)
    assert not learner.releases(card, Size(2999))
    assert not learner.releases(replace(card, drawn=card.drawn[::-1]), size)
    assert not learner.releases(replace(card, costs=(1, 2)), size)
    assert not learner.releases(replace(card, table_epsilon=Fraction(1)), size)
    assert not learner.releases(replace(card, ones=3001), size)
    assert not learner.releases(replace(card, fifth=1), size)
    assert not learner.releases(replace(card, drawn=card.drawn[:-1]), size)
    first = card.drawn[0]
    strange = replace(first, test=replace(first.test, cell=first.test.cell + 1))
    assert not learner.releases(replace(card, drawn=(strange, *card.drawn[1:])), size)


def test_what_cannot_be_is_refused_before_anything_is_read() -> None:
    three = Schema.from_json({"label": "ill", "classes": [0, 1, 2], "columns": COLUMNS})
    with pytest.raises(SchemaError, match=r"has 3 classes.*trees:3"):
        privpac.learn(table(30), schema=three, concepts="card", epsilon=1)
    ledger = Ledger(epsilon=2)
    left = ledger.left
    for base in ("card", "card:3", "predict-by-vote:card"):
        with pytest.raises(ParameterError, match=r"base is .*card.*A card is released as a whole"):
            PrivatePredictor(base, 1, ledger, schema=SCHEMA).fit(table(30))
    assert ledger.left == left
    for word in ("card:0", "card:33", "card:two"):
        with pytest.raises(ParameterError, match=r"card:ROUNDS.*card:32, or card:mixed\. With a delta"):
            learnt(word)
    with pytest.raises(ParameterError, match="to card:300"):
        learnt("card:301", delta="1e-6")
    with pytest.raises(ParameterError, match="something to spend"):
        CardLearner(SCHEMA, Fraction(1, 10**20), TESTS, 3, delta=Fraction(1, 10**30))
    with pytest.raises(ParameterError, match="leaf_epsilon"):
        learnt(leaf_epsilon=1)
    with pytest.raises(ParameterError, match="finite size"):
        CardLearner(SCHEMA, Fraction(1, 10**20), TESTS, 3)
    assert learnt("card:32", epsilon=10**6).certificate["learner"]["rounds"] == 32


def test_scikit_learn_finds_risks_without_leaf_counts() -> None:
    data = table()
    ill = data.pop("ill")
    frame = np.array([[a, d] for a, d in zip(data["age"], data["dose"], strict=True)])
    schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS[:2]})
    classifier = PrivateClassifier("card", epsilon=2, schema=schema, random_state=1).fit(frame, ill)
    assert classifier.predict_proba(frame).sum(axis=1) == pytest.approx(1.0)
    assert ((classifier.decision_function(frame) > 0) == classifier.predict(frame)).all()
    ranks = [get_scorer(name)(classifier, frame, ill) for name in ("roc_auc", "neg_log_loss")]
    assert ranks[0] > 0.75
    assert ranks[1] > -0.6
    assert not hasattr(PrivateClassifier("trees:2", schema=schema), "decision_function")
    assert not hasattr(PrivateClassifier("trees:2", schema=schema), "predict_proba")


def test_an_enumerated_card_uses_the_kernels_that_ship() -> None:
    """The float reading of every draw of a card lies within its bound around the exact weights."""
    from privpac.coins import outcome_law

    schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [COLUMNS[3]]})
    learner = CardLearner(schema, Fraction(1), Binarisation.of(schema), 1)
    sample = MemorySample.of({"smoker": [True]}, schema, y=[1])
    try:
        law = outcome_law(lambda coins: learner.learn(sample, coins))
    except EnclosureError:
        pytest.fail("a draw leaves its error bound")
    assert sum(law.values()) == 1
