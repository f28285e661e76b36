"""The language of predicates: what it means, how it is written back, what it refuses, and its SQL."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.concepts.literals.cell_sets import CellSet, reachable, sql_name
from privpac.concepts.literals.predicates import DEEPEST, Predicate
from privpac.data.columns import Numeric
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 80, "resolution": 64},
            {"name": "fine", "kind": "numeric", "lower": -1, "upper": 1},
            {"name": "sex", "kind": "categorical", "categories": ["F", "M", "it's"]},
            {"name": "grade", "kind": "categorical", "categories": [1, 2, 3], "other": "rest"},
            {
                "name": "mean radius",
                "kind": "numeric",
                "lower": -9,
                "upper": 9,
                "integer": True,
                "missing": 4,
            },
            {"name": "smoker", "kind": "boolean"},
            {"name": "day", "kind": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
        ],
    }
)

Cells = dict[str, np.ndarray]
Reference = Callable[[Cells], np.ndarray]


def read(text: str, schema: Schema = SCHEMA) -> Predicate:
    return Predicate.read(text, schema=schema)


def random_cells(rng: np.random.Generator, n: int, schema: Schema = SCHEMA) -> Cells:
    return {c.name: rng.integers(0, c.size, n).astype(c.dtype) for c in schema.columns}


def _compare(sign: str, a: np.ndarray, b: int) -> np.ndarray:
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[sign]


def random_atom(rng: np.random.Generator, schema: Schema) -> tuple[str, Reference]:
    """A comparison as text, and what it means, from the definition on cells."""
    column = schema.columns[rng.integers(len(schema.columns))]
    name = column.name if column.name.isidentifier() else f"`{column.name}`"
    signs = ["<", "<=", ">", ">=", "==", "!="] if column.ordered else ["==", "!="]

    def constant() -> tuple[str, int]:
        cell = int(rng.integers(column.size))
        value = column.value(cell)
        return repr(value), column.cell(value)

    form = rng.integers(4)
    if form == 0 and column.ordered:
        (low, a), (high, b) = constant(), constant()
        return f"{low} <= {name} < {high}", lambda x: (x[column.name] >= a) & (x[column.name] < b)
    if form == 1:
        listed = [constant() for _ in range(rng.integers(0, 4))]
        word = "in" if rng.integers(2) else "not in"
        cells = [cell for _, cell in listed]
        texts = ", ".join(text for text, _ in listed)
        return f"{name} {word} [{texts}]", lambda x: np.isin(x[column.name], cells) == (word == "in")
    sign = str(rng.choice(signs))
    text, cell = constant()
    if form == 2:
        mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign)
        return f"{text} {mirrored} {name}", lambda x: _compare(sign, x[column.name], cell)
    return f"{name} {sign} {text}", lambda x: _compare(sign, x[column.name], cell)


def random_formula(rng: np.random.Generator, depth: int, schema: Schema = SCHEMA) -> tuple[str, Reference]:
    form = rng.integers(5) if depth else 0
    if form == 0:
        return random_atom(rng, schema)
    if form == 1:
        text, inner = random_formula(rng, depth - 1, schema)
        return f"not ({text})", lambda x: ~inner(x)
    if form == 2 and rng.integers(4) == 0:
        value = bool(rng.integers(2))
        return str(value), lambda x: np.full(len(x["age"]), value)
    parts = [random_formula(rng, depth - 1, schema) for _ in range(rng.integers(2, 4))]
    word, join = (" and ", np.logical_and) if form % 2 else (" or ", np.logical_or)
    return word.join(f"({text})" for text, _ in parts), lambda x: join.reduce([f(x) for _, f in parts])


@pytest.mark.parametrize("seed", range(6))
def test_random_formulas_mean_what_their_text_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = random_cells(rng, 200)
    for _ in range(60):
        text, reference = random_formula(rng, depth=3)
        predicate = read(text)
        assert predicate.predict(cells).tolist() == reference(cells).astype(int).tolist(), text
        assert set(predicate.columns) <= set(SCHEMA.names)


@pytest.mark.parametrize("seed", range(6))
def test_canonical_text_and_json_read_back_as_the_same_predicate(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(60):
        text, _ = random_formula(rng, depth=3)
        predicate = read(text)
        canonical = predicate.text(SCHEMA)
        again = read(canonical)
        assert again == predicate, (text, canonical)
        assert hash(again) == hash(predicate)
        assert again.text(SCHEMA) == canonical
        stored = json.loads(json.dumps(predicate.to_json()))
        assert stored["kind"] == "predicate"
        assert Predicate.from_json(stored) == predicate
        assert read(f"not (not ({text}))") == predicate


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("age > 49", "age >= 50"),
        ("not age < 50", "50 <= age"),
        ("sex == 'F' and age >= 50", "age >= 50 and sex == 'F'"),
        ("age >= 50 and age >= 50", "age >= 50"),
        ("30 <= age and age < 45", "30 <= age < 45"),
        ("age < 30 or 30 <= age < 45", "age < 45"),
        ("not (smoker or age < 3)", "age >= 3 and not smoker"),
        ("sex != 'F' and sex != 'M'", 'sex == "it\'s"'),
        ("age >= 3 and age < 3", "False"),
        ("smoker or True", "True"),
        ("smoker and True", "smoker == True"),
        ("smoker != 'yes'", "smoker < 1"),
        ("grade in [1, '2', 3.0]", "grade != 'rest'"),
        ("age in []", "False"),
        ("age >= 500", "age >= 120"),
        ("age <= 500", "True"),
        ("age == -3", "age <= 0"),
        ("age == 0x32", "age == 50.0"),
        ("age >= 50 and (sex == 'F' or (bmi < 30 or False))", "(bmi < 30 or 'F' == sex) and age >= 50"),
        ("day > '2020-02-28'", "'2020-02-29' <= day"),
        ("`mean radius` > -2", "`mean radius` >= -1"),
        ("`age` < 5", "age < 5"),
    ],
)
def test_different_texts_of_one_test_are_equal(one: str, other: str) -> None:
    assert read(one) == read(other)
    assert len({read(one), read(other)}) == 1


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("age > 49", "age >= 50"),
        ("bmi <= 31 or sex == 'F'", "bmi < 32 or sex == 'F'"),
        ("not smoker", "not smoker"),
        ("(age < 3 or 7 < age < 20) and smoker", "(age < 3 or 8 <= age < 20) and smoker"),
        ("age in [7, 1, 5]", "age in [1, 5, 7]"),
        ("age not in [7, 5]", "age not in [5, 7]"),
        ("age != 7", "age != 7"),
        ("sex in ['F', 'M']", 'sex != "it\'s"'),
        ("fine <= 0.25", "fine <= 0.25"),
        ("fine > 0.25", "fine > 0.25"),
        ("0.25 < fine <= 0.5", "0.25 < fine <= 0.5"),
        ("day < '2020-03-01'", "day < '2020-03-01'"),
        ("`mean radius` == 3", "`mean radius` == 3"),
        ("not (smoker and age < 3)", "age >= 3 or not smoker"),
        ("(smoker and age < 3) or sex == 'F'", "sex == 'F' or (age < 3 and smoker)"),
        ("age >= 0", "True"),
    ],
)
def test_canonical_text(given: str, written: str) -> None:
    assert read(given).text(SCHEMA) == written


def test_comparisons_are_those_of_cells() -> None:
    """On a coarse grid all values of the constant's cell count as equal to it, on either side of it."""
    column = SCHEMA.column("bmi")
    raw = np.linspace(9, 81, 5000)
    cells = {"bmi": column.encode(raw)}
    edge = column.cell(30.2)
    expected = {
        "<=": cells["bmi"] <= edge,
        ">": cells["bmi"] > edge,
        "<": cells["bmi"] < edge,
        ">=": cells["bmi"] >= edge,
        "==": cells["bmi"] == edge,
    }
    for sign, holds in expected.items():
        assert (read(f"bmi {sign} 30.2").predict(cells) == holds).all(), sign
    inside = raw[cells["bmi"] == edge]
    assert inside.min() < 30.2 < inside.max()  # so the cell really has both sides


def test_cells_without_a_double_make_no_difference() -> None:
    """Between 10^15 and 10^15 + 4 there are 33 doubles but 2^32 cells."""
    schema = Schema.from_json(
        {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 1e15, "upper": 1e15 + 4}]}
    )
    column = schema.column("x")
    doubles = 1e15 + np.arange(33) / 8
    cells = {"x": column.encode(doubles)}
    assert reachable(column, column.cell(doubles[1]) + 1) == column.cell(doubles[2])
    for value in doubles.tolist():
        for sign, holds in {
            "<=": doubles <= value,
            ">": doubles > value,
            "==": doubles == value,
            "!=": doubles != value,
        }.items():
            predicate = read(f"x {sign} {value!r}", schema)
            assert (predicate.predict(cells) == holds).all(), (sign, value)
            assert read(predicate.text(schema), schema) == predicate
    after = doubles.tolist()[2]
    assert read(f"x > {doubles.tolist()[1]!r}", schema) == read(f"x >= {after!r}", schema)


def test_columns_beyond_64_bits() -> None:
    top = 2**130
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "key", "kind": "numeric", "lower": 0, "upper": top, "integer": True}],
        }
    )
    cells = {"key": schema.column("key").encode([0, 2**64, 2**100, top, top + 5])}
    assert read(f"key > {2**64}", schema).predict(cells).tolist() == [0, 0, 1, 1, 1]
    assert read(f"key in [0, {2**100}]", schema).predict(cells).tolist() == [1, 0, 1, 0, 0]
    assert read(f"key != {top}", schema).predict(cells).tolist() == [1, 1, 1, 0, 0]
    full = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "k", "kind": "numeric", "lower": 0, "upper": 2**64 - 1, "integer": True}],
        }
    )
    ends = {"k": np.array([0, 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)}
    assert read(f"k in [0, {2**64 - 1}]", full).predict(ends).tolist() == [1, 0, 0, 1]


def test_constants_and_empty_blocks() -> None:
    assert read("True").predict({"age": np.zeros(3, np.uint32)}).tolist() == [1, 1, 1]
    assert read("age < 0").columns == ()
    assert read("age < 3").predict({"age": np.zeros(0, np.uint32)}).tolist() == []
    assert read("True").predict({}).tolist() == []


def test_describe_names_the_classes() -> None:
    assert read("age > 49").describe(SCHEMA) == "yes if age >= 50, else no"
    assert read("age < 0").describe(SCHEMA) == "always no"
    assert read("age >= 0").describe(SCHEMA) == "always yes"


def _refused(text: Any) -> str:
    with pytest.raises((ParameterError, SchemaError)) as caught:
        read(text)
    return str(caught.value)


def test_a_misspelt_column_is_answered_with_the_nearest_name() -> None:
    assert "'age'" in _refused("agee >= 50")
    assert "'mean radius'" in _refused("`mean radus` >= 5")
    assert "no column 'ill'" in _refused("ill == 1")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sex < 'F'", "no order"),
        ("'F' <= sex < 'M'", "no order"),
        ("sex == 'X'", "'F', 'M', \"it's\""),
        ("grade in [1, 9]", "'1', '2', '3', 'rest'"),
        ("sex == ''", "'F'"),
        ("age < 49.5", "age <= 49"),
        ("age < -0.5", "age <= -1 or >= 0"),
        ("age < '50'", "without quotes"),
        ("age < True", "not a finite number"),
        ("bmi < 1e999", "not a finite number"),
        ("age == None", "not a finite number"),
        ("sex == None", "not a value"),
        ("sex == b'F'", "not a value"),
        ("smoker == 2", "'true', 'false'"),
        ("day < 20200101", "Write it as text"),
        ("day < '2020-13-01'", "Write it as text"),
        ("day < '2020-01-01 12:00'", "counts days"),
        ("day < '2020-01-01T00:00+00:00'", "no time zone"),
        ("age", "stands alone"),
        ("age < bmi", "two columns"),
        ("1 < 2", "names no column"),
        ("age + 1 < 3", "names no column"),
        ("age < 10**3", "not compared with a constant"),
        ("age < f'{3}'", "not compared with a constant"),
        ("sex == -'F'", "minus sign"),
        ("age is 3", "write =="),
        ("age in 3", "'in' needs"),
        ("3 in age", "'in' needs"),
        ("age in [bmi]", "not compared with a constant"),
        ("max(age)", "something else"),
        ("(lambda: 1)()", "something else"),
        ("age.real < 3", "names no column"),
        ("__import__('os').system('true')", "something else"),
        ("age >= 50; smoker", "cannot be parsed"),
        ("age >=", "cannot be parsed"),
        ("", "cannot be parsed"),
        ("age < " + "9" * 5000, "cannot be parsed"),
        ("not " * 5000 + "smoker", "cannot be parsed"),
        ("not " * (DEEPEST + 1) + "smoker", "nested"),
        (50, "must be text"),
    ],
)
def test_what_is_not_in_the_language_is_refused(text: Any, part: str) -> None:
    assert part in _refused(text)


def test_constants_beyond_doubles_are_clamped() -> None:
    assert read(f"bmi < {10**400}") == read("bmi < 80")
    assert read(f"bmi >= -{10**400}") == read("True")


def test_names_that_are_no_identifiers_stand_in_backticks() -> None:
    names = ["class", "a`b", "name0", "ﬁeld", "not it's", "x y"]
    entries = [{"name": n, "kind": "numeric", "lower": 0, "upper": 9, "integer": True} for n in names]
    schema = Schema.from_json({"label": "y", "columns": entries})
    cells = {name: np.array([place, 9 - place]) for place, name in enumerate(names)}
    for place, name in enumerate(names):
        quoted = "`" + name.replace("`", "``") + "`"
        predicate = read(f"{quoted} == {place}", schema)
        assert predicate.columns == (name,)
        assert predicate.predict(cells).tolist() == [1, 0]
        assert read(predicate.text(schema), schema) == predicate
    both = read("`name0`==0 and`x y`<3", schema)
    assert set(both.columns) == {"name0", "x y"}
    texts = Schema.from_json(
        {"label": "y", "columns": [{"name": "c", "kind": "categorical", "categories": ["`age`", "b"]}]}
    )
    assert read("c == '`age`'", texts).predict({"c": np.array([0, 1])}).tolist() == [1, 0]


def test_fits_compares_columns_and_sizes() -> None:
    other = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
        }
    )
    assert read("age < 5").fits(SCHEMA)
    assert not read("age < 5").fits(other)
    assert not read("smoker").fits(other)


def test_cell_sets_form_a_boolean_algebra() -> None:
    rng = np.random.default_rng(5)
    every = np.arange(40)

    def random_set() -> tuple[CellSet, np.ndarray]:
        spans = [tuple(sorted(rng.integers(0, 40, 2).tolist())) for _ in range(rng.integers(0, 5))]
        inside = np.zeros(40, dtype=bool)
        for first, last in spans:
            inside[first : last + 1] = True
        return CellSet.of("c", 40, spans), inside

    for _ in range(300):
        (a, in_a), (b, in_b) = random_set(), random_set()
        assert (a.contains(every) == in_a).all()
        assert (a.complement().contains(every) == ~in_a).all()
        assert (a.union(b).contains(every) == (in_a | in_b)).all()
        assert (a.intersection(b).contains(every) == (in_a & in_b)).all()
        assert a.complement().complement() == a
        assert a.full == in_a.all()
        assert a.empty == (not in_a.any())
    with pytest.raises(ValueError, match="outside"):
        CellSet.of("c", 40, [(3, 40)])


RAW_SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": 'weight "kg"', "kind": "numeric", "lower": 3, "upper": 4, "integer": False},
            {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 80, "resolution": 64, "missing": 25.0},
            {"name": "visits", "kind": "numeric", "lower": 0, "upper": 9, "integer": True, "missing": 0},
            {"name": "sex", "kind": "categorical", "categories": ["F", "M", "it's"]},
            {"name": "grade", "kind": "categorical", "categories": [1, 2, 3], "other": "rest"},
            {
                "name": "town",
                "kind": "categorical",
                "categories": ["A", "B"],
                "other": "x",
                "missing": "none",
            },
            {"name": "blood", "kind": "categorical", "categories": ["A", "B", "0"], "missing": "B"},
            {"name": "smoker", "kind": "boolean"},
            {"name": "donor", "kind": "boolean", "missing": True},
            {"name": "day", "kind": "date", "lower": "2020-02-01", "upper": "2020-11-30"},
            {
                "name": "seen",
                "kind": "date",
                "lower": "2020-02-01",
                "upper": "2020-11-30",
                "missing": "2020-06-01",
            },
        ],
    }
)


def raw_table(rng: np.random.Generator, n: int) -> dict[str, list[Any]]:
    """Records as they come: beyond the bounds, fractions, empty cells, NaN, infinities, other spellings."""

    def holes(values: list[Any]) -> list[Any]:
        return [None if rng.integers(5) == 0 else value for value in values]

    def one_of(*values: Any) -> list[Any]:
        return [values[place] for place in rng.integers(0, len(values), n)]

    days = [date(2020, 1, 1) + timedelta(days=day) for day in range(366)]
    bmi = [*rng.uniform(0, 100, n // 2).tolist(), *([math.nan, math.inf, -math.inf, None] * n)][:n]
    return {
        "age": rng.uniform(-10, 140, n).round(1).tolist(),
        'weight "kg"': rng.uniform(2.9, 4.1, n).tolist(),
        "bmi": [bmi[place] for place in rng.permutation(n)],
        "visits": holes(rng.integers(-2, 12, n).tolist()),
        "sex": one_of("F", "M", "it's"),
        "grade": one_of("1", "1.0", "2", "3", "3.0", "four", "rest"),
        "town": one_of("A", "B", "x", "none", "C", " ", "", None),
        "blood": one_of("A", "B", "0", "0.0", "", None),
        "smoker": one_of(True, False),
        "donor": one_of(True, False, None),
        "day": one_of(*days),
        "seen": holes(one_of(*days)),
    }


@pytest.mark.long_cases(
    "2",
    "1",
)
@pytest.mark.parametrize("seed", range(3))
def test_sql_agrees_with_predict_on_raw_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = raw_table(rng, 300)
    cells = {column.name: column.encode(table[column.name]) for column in RAW_SCHEMA.columns}
    with duckdb.connect() as database:
        database.execute(
            'CREATE TABLE t (age DOUBLE, "weight ""kg""" DOUBLE, bmi DOUBLE, visits BIGINT, sex VARCHAR, '
            "grade VARCHAR, town VARCHAR, blood VARCHAR, smoker BOOLEAN, donor BOOLEAN, day DATE, seen DATE)"
        )
        rows = list(zip(*table.values(), strict=True))
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 12)})", rows)
        for _ in range(60):
            text, reference = random_formula(rng, depth=2, schema=RAW_SCHEMA)
            predicate = read(text, RAW_SCHEMA)
            query = f"SELECT {predicate.to_sql(RAW_SCHEMA)} FROM t ORDER BY rowid"
            found = [row[0] for row in database.execute(query).fetchall()]
            assert found == reference(cells).astype(int).tolist(), predicate.text(RAW_SCHEMA)
            assert found == predicate.predict(cells).tolist()


def test_sql_runs_in_sqlite_which_has_neither_booleans_nor_dates() -> None:
    rng = np.random.default_rng(5)
    table = raw_table(rng, 300)
    cells = {column.name: column.encode(table[column.name]) for column in RAW_SCHEMA.columns}
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE t ({', '.join(sql_name(name) for name in table)})")
        rows = [
            [cell.isoformat() if isinstance(cell, date) else cell for cell in row]
            for row in zip(*table.values(), strict=True)
        ]
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 12)})", rows)
        for _ in range(60):
            predicate = read(random_formula(rng, depth=2, schema=RAW_SCHEMA)[0], RAW_SCHEMA)
            found = database.execute(
                f"SELECT {predicate.to_sql(RAW_SCHEMA)} FROM t ORDER BY rowid"
            ).fetchall()
            assert [row[0] for row in found] == predicate.predict(cells).tolist(), predicate.text(RAW_SCHEMA)


@pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER", "DOUBLE", "VARCHAR"])
def test_sql_of_booleans_knows_what_the_schema_reads(kind: str) -> None:
    predicate = read("smoker == True", RAW_SCHEMA)
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t (smoker {kind})")
        database.execute("INSERT INTO t VALUES (1), (0)")
        found = database.execute(f"SELECT {predicate.to_sql(RAW_SCHEMA)} FROM t ORDER BY rowid").fetchall()
    assert [row[0] for row in found] == [1, 0]


def test_a_cut_in_sql_is_the_decimal_of_the_text() -> None:
    """Arithmetic puts the first value of the third cell some doubles below -0.1."""
    column = Numeric("dose", lower=-0.4, upper=1.6, resolution=20)
    assert repr(column.value(3)) == "-0.10000000000000005"
    for cell in range(1, 19):
        cut = CellSet.of("dose", 20, [(cell, 19)])
        assert cut.sql(column) == f'"dose" >= {column.show(cell)}'
        assert cut.text(column) == f"dose >= {column.show(cell)}"
    # Where the text is a short number inside the cell, SQL keeps the edge, as a double.
    coarse = Numeric("dose", lower=0, upper=1, resolution=3)
    assert CellSet.of("dose", 3, [(1, 2)]).sql(coarse) == '"dose" >= 0.3333333333333333'


@pytest.mark.parametrize("kind", ["INTEGER", "DOUBLE", "VARCHAR"])
def test_sql_of_categories_knows_other_spellings(kind: str) -> None:
    predicate = read("grade in [1, 3]")
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t (grade {kind})")
        database.execute("INSERT INTO t VALUES (1), (2), (3), (7)")
        found = database.execute(f"SELECT {predicate.to_sql(SCHEMA)} FROM t ORDER BY rowid").fetchall()
    assert [row[0] for row in found] == [1, 0, 1, 0]
