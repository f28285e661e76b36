"""Three questions with consistent answers, exact names in JSON, one sentence for nonsense, nothing heavy imported."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from privpac import plan
from privpac.constructions.class_facts import REAL_CELLS
from privpac.data.numeric import RESOLUTION
from privpac.errors import ParameterError
from privpac.planning.columns import rows
from privpac.planning.kinds import KINDS
from privpac.planning.options import OPTIONS
from privpac.planning.words import UNSIMULATED, in_short
from privpac.theory.statements import REGISTER

ASK = {"bits": 32, "error": "0.1", "epsilon": 1}
KEYS = {"learner", "setting", "protects", "proper", "labelled", "unlabelled", "floor", "source"}


def test_the_example_everybody_quotes() -> None:
    tree = plan.needed("thresholds", failure="0.05", **ASK).to_json()
    assert set(tree) == {"question", "options", "advice", "forecast", "simulation"}
    assert all(set(row) >= KEYS for row in tree["options"])
    occam = {row["setting"]: row for row in tree["options"] if row["learner"] == "occam"}
    assert occam["realizable"]["labelled"] == 683  # 628, and what the share of epsilon for the verdict takes
    assert occam["agnostic"]["labelled"] == 5011
    assert occam["realizable"]["floor"] == 154
    assert occam["realizable"]["floor_source"] == "floor-thresholds-proper"
    assert json.loads(json.dumps(tree)) == tree
    assert tree["question"]["asks"] == "needed"


def test_cheapest_first_and_the_plain_mechanism_always() -> None:
    for protect in ("records", "labels", "predictions"):
        for word, given in (("points", {"bits": 16}), ("trees:2", {"columns": 5}), ("any:2", {"bits": 64})):
            found = plan.needed(word, error="0.1", epsilon=1, protect=protect, **given)
            totals = [row.need.labelled + row.need.unlabelled for row in found.answers]
            assert totals == sorted(totals)
            assert {row.option.setting for row in found.answers if row.option.learner == "occam"} == {
                "realizable",
                "agnostic",
            }


def test_the_three_questions_agree() -> None:
    n = plan.needed("points", bits=16, error="0.1", epsilon=1).option("occam", "realizable").need.labelled
    error = plan.reachable("points", bits=16, records=n, epsilon=1).option("occam", "realizable").wish.error
    assert Fraction(99, 1000) < error <= Fraction(1, 10)
    epsilon = (
        plan.smallest_epsilon("points", bits=16, records=n, error="0.1")
        .option("occam", "realizable")
        .wish.epsilon
    )
    assert Fraction(98, 100) < epsilon <= 1
    assert not plan.needed("points", bits=16, error="0.1", epsilon=1, records=n - 1).option("occam").enough
    assert plan.needed("points", bits=16, error="0.1", epsilon=1, records=n).option("occam").enough


def test_floors_are_in_the_unit_of_the_question_and_below_what_is_proved() -> None:
    reachable = plan.reachable("points", bits=16, records=300, epsilon=1)
    for found in (
        plan.needed("points", bits=16, error="0.1", epsilon=1),
        reachable,
        plan.smallest_epsilon("points", bits=16, records=400, error="0.1"),
    ):
        for row in found.answers:
            if row.option.learner == "occam":
                assert row.floor is not None
                assert 0 < row.floor <= row.proved
                assert row.ratio == pytest.approx(float(row.proved / row.floor))
                assert row.floor_source in REGISTER
    # The error the floor names is excluded no more, the one below it is.
    row = reachable.option("occam", "realizable")
    just = plan.needed("points", bits=16, error=row.floor, epsilon=1).option("occam", "realizable")
    below = plan.needed("points", bits=16, error=row.floor - Fraction(1, 10_000), epsilon=1)
    assert just.floor <= 300 < below.option("occam", "realizable").floor


def test_a_known_noise_leaves_only_what_tolerates_it() -> None:
    found = plan.needed("points", noise="0.1", **ASK)
    assert {row.option.setting for row in found.answers} == {"agnostic"}
    assert (
        found.answers[0].need.labelled
        < plan.needed("points", **ASK).option("occam", "agnostic").need.labelled
    )
    assert {row.option.setting for row in plan.needed("points", noise=0, **ASK).answers} == {
        "realizable",
        "agnostic",
    }


def test_rows_are_complete() -> None:
    keys = [(option.learner, option.setting, option.protects) for option in OPTIONS]
    assert len(set(keys)) == len(keys)
    for option in OPTIONS:
        assert option.source in REGISTER, option
        assert REGISTER[option.source].status not in ("shape", "false"), "an order of growth is not a number"
        assert option.title


@pytest.mark.long_cases("reference", "sphere", "unions", "intervals")
@pytest.mark.parametrize("word", KINDS)
def test_every_kind_of_class_is_answered(word: str) -> None:
    forms = {"reference": "reference:10", "sphere": "sphere:3:2", "finite": 'finite:["a >= 1","a >= 2"]'}
    word = forms.get(word, word)
    found = plan.needed(word, bits=12, columns=6, error="0.2", epsilon=1)
    if word == "card":  # nothing is proved of it, and that is said
        assert not found.answers
        assert found.advice == ("Run: privpac learn DATA --schema SCHEMA --concepts card --epsilon 1",)
        return
    assert found.answers
    records = 10**7 if word == "clauses" else 6000  # all counts share epsilon
    reached = plan.reachable(word, bits=12, columns=6, records=records, epsilon=1)
    assert reached.answers
    assert all(row.wish.error < Fraction(1, 2) for row in reached.answers)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"error": "0.5"}, "error is '0.5', but must be a number above 0 and below 0.5. A coin reaches 1/2"),
        ({"error": 0}, "error is 0, but must be a number above 0"),
        ({"error": "much"}, "error is 'much', but must be a number above 0 and below 0.5. A coin"),
        ({"failure": 0}, "failure is 0, but must be at least 1e-12 and below 1. No proof is certain"),
        ({"failure": 1}, "failure is 1"),
        (
            {"epsilon": 0},
            "epsilon is 0, but must be a positive number from 1e-12 to 1e6. Write it as a decimal",
        ),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": 10**7}, "epsilon is 10000000"),
        ({"delta": 1}, "delta is 1"),
        ({"records": -5}, "records is -5, but must be a positive whole number. Say how many people"),
        ({"records": 2.5}, "records is 2.5"),
        ({"unlabelled": -1}, "unlabelled is -1"),
        ({"noise": "0.7"}, "noise is '0.7', but must be a number at least 0 and below 0.5. It bounds"),
        ({"protect": "nobody"}, "must be one of records, labels, predictions"),
    ],
)
def test_nonsense_gets_one_sentence_with_the_remedy(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ParameterError) as caught:
        plan.needed("points", **{**ASK, **changes})
    assert sentence in str(caught.value)


@pytest.mark.parametrize("epsilon", [11, 50, 10**6])
def test_whatever_epsilon_is_learnt_with_is_planned_with_and_warned_of(epsilon: int) -> None:
    advice = plan.needed("points", **{**ASK, "epsilon": epsilon}).advice
    assert advice[0].startswith(f"Epsilon {epsilon} is large")


def test_advice_about_noise_is_about_the_rules_of_the_headline() -> None:
    found = plan.needed("auto", columns=5, error="0.1", epsilon=1)
    assert not [line for line in found.advice if "--noise" in line and "1,738" in line]


def test_a_release_is_of_queries_about_a_column() -> None:
    with pytest.raises(ParameterError, match="points, thresholds, intervals for a release"):
        plan.needed("stumps", columns=3, release=True, error="0.1", epsilon=1)


def test_text_for_people() -> None:
    text = str(plan.needed("points", **ASK))
    assert text.startswith("Records needed for points: error 0.1, epsilon 1, failure 0.05\n")
    assert "one draw" in text
    assert "683" in text
    mixed = str(plan.reachable("points", bits=16, records=300, epsilon=1, delta="1e-6", noise="0.01"))
    assert "300 records" in mixed
    assert "delta 0.000001, best error at most 0.01" in mixed


QUICK = """
import contextlib, io, sys
from privpac.cli import main
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    code = main({arguments!r})
assert code == 0, code
print(sorted(name for name in ("numba", "sklearn", "scipy", "matplotlib", "pandas") if name in sys.modules))
"""


@pytest.mark.long_cases("arguments1", "arguments2")
@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--concepts", "thresholds", "--bits", "32", "--error", "0.1", "--epsilon", "1", "--json"],
        ["plan", "--records", "3000", "--columns", "12", "--epsilon", "0.5"],
        ["plan", "--schema", "examples/breast_cancer.schema.json", "--records", "500", "--epsilon", "1"],
    ],
)
def test_a_plan_without_simulation_imports_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUICK.format(arguments=arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_an_option_that_is_not_there_is_named_with_those_that_are() -> None:
    found = plan.needed("thresholds", bits=8, error=0.1, epsilon=1)
    with pytest.raises(ParameterError, match=r"occam \(agnostic\)"):
        found.option("rec-concave")


def test_records_that_are_not_at_hand_are_named_and_not_relied_on() -> None:
    """Somebody with 3,000 records is not told that fewer errors are proved, without what else that takes."""
    asked = {"bits": 16, "records": 3000, "epsilon": 1}
    found = plan.reachable("thresholds", **asked)
    pool = next(answer for answer in found.answers if answer.need.unlabelled)
    row = next(row for row in rows(found) if row[0] == pool.option.learner)
    assert row[5].endswith(f"with {pool.need.unlabelled:,} unlabelled")
    assert found.advice[0].startswith("Run: privpac learn DATA")
    assert "--unlabelled" not in found.advice[0]
    rich = plan.reachable("thresholds", **asked, unlabelled=10**6)
    assert rich.advice[0] == found.advice[0], "the command of the headline, which needs none of them"
    assert any(" records without labels " in text and ": privpac " in text for text in rich.advice[1:])


def test_the_first_paragraph_speaks_of_the_row_that_the_advice_is_about() -> None:
    found = plan.needed("trees:2", columns=12, error="0.1", epsilon=1)
    assert found.headline is not None
    assert found.headline.option.setting == "agnostic"
    assert in_short(found) == (
        f"Proved: {found.headline.need.labelled:,} records are enough, whatever the records are like;"
        f" {found.option('occam', 'realizable').need.labelled:,} if some rule never errs. Where labels are"
        " noisy, no method that releases a rule, private or not, can do it with fewer than"
        f" {found.headline.floor} records."
        f" {UNSIMULATED}"
    )
    assert in_short(plan.reachable("thresholds", bits=16, records=900, epsilon=1)).startswith(
        "Proved: an error of at most"
    )
    least = plan.smallest_epsilon("thresholds", bits=32, records=2000, error="0.05")
    assert least.headline is not None
    assert not least.headline.need.unlabelled
    assert in_short(least).startswith("Proved: epsilon")


def test_a_plan_for_the_default_leads_with_the_default() -> None:
    found = plan.reachable("auto", columns=12, records=3000, epsilon="0.5")
    assert found.headline is not None
    assert found.headline.concepts.word == "auto"


WAYS = {
    "clipped": ("clipped-points", 416),
    "improper": ("reed-solomon-points", 287),
    "cover": ("pairwise-cover", 275),
    "boosted": ("boosted-points", 17_200),
}


@pytest.mark.parametrize("way", sorted(WAYS))
def test_one_way_to_find_a_value_is_planned_alone(way: str) -> None:
    """As `privpac learn` spells it; it was taken for a column of that name."""
    schema = {
        "label": "y",
        "columns": [{"name": "k", "kind": "numeric", "lower": 0, "upper": 2**32 - 1, "integer": True}],
    }
    for found in (
        plan.needed(f"points:k:{way}", schema=schema, error="0.1", epsilon=1),
        plan.needed(f"points:k:{way}", bits=32, error="0.1", epsilon=1),
    ):
        assert [(row.option.learner, row.need.labelled) for row in found.answers] == [WAYS[way]]
        assert f"--concepts points:k:{way} " in (found.answers[0].command or "")
    short = plan.needed(f"points:{way}", bits=32, error="0.1", epsilon=1)
    assert [row.option.learner for row in short.answers] == [WAYS[way][0]]


def test_a_column_named_like_a_way_is_that_column() -> None:
    columns = [{"name": "k:cover", "kind": "numeric", "lower": 0, "upper": 65535, "integer": True}]
    found = plan.needed("points:k:cover", schema={"label": "y", "columns": columns}, error="0.1", epsilon=1)
    assert {row.option.learner for row in found.answers} >= {"occam", "pairwise-cover"}


def test_a_way_without_a_promise_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="boosted, clipped, cover, gibbs, improper"):
        plan.needed("points:k:sampled", bits=32, error="0.1", epsilon=1)


def test_a_floor_of_a_release_is_the_function_s() -> None:
    """It was one record below: the function spoke of answers strictly within the error."""
    from privpac.theory.floors import floor_point_counts

    for bits in (8, 16, 32, 64):
        found = plan.needed("points", bits=bits, error="0.1", epsilon=1, release=True)
        assert {row.floor for row in found.answers} == {
            floor_point_counts(2**bits, error=0.1, failure=0.05, epsilon=1)
        }


def test_a_plan_names_the_grid_and_one_that_runs_where_sums_do_not() -> None:
    coarse = plan.needed("rectangles:2:64", bits=16, error="0.1", epsilon=1)
    assert "64 groups of COLUMN (65,536 cells, 1,024 at most per group)" in str(coarse)
    assert coarse.answers[0].to_json()["grid"].startswith("boxes have their edges between groups")
    space = plan.needed("rectangles:3", bits=16, error="0.1", epsilon=1)
    assert space.option("occam", "realizable").command is None
    assert "are done for at most 406 records; for 13,425 use a coarser grid" in str(space)
    coarser = "--concepts rectangles:COLUMN,COLUMN,COLUMN:64 --epsilon 1"
    assert f"Run: privpac learn DATA --schema SCHEMA {coarser}\n" in str(space)
    narrow = plan.needed("rectangles:3", bits=8, error="0.1", epsilon=1)
    assert narrow.option("occam", "realizable").command is not None
    instead = plan.needed("rectangles:3:32", bits=16, error="0.1", epsilon=1)
    assert instead.option("occam", "realizable").command is not None
    assert "Grid of halfspaces:COLUMN,COLUMN" in str(plan.needed("halfspaces:2", error="0.1", epsilon=1))
    assert "Grid" not in str(plan.needed("thresholds", bits=16, error="0.1", epsilon=1))


@pytest.mark.parametrize("asks", ["needed", "reachable", "smallest_epsilon"])
@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize(
    "word", [word for word in KINDS if word not in ("any", "reference", "sphere", "finite")]
)
def test_the_number_of_columns_is_enough_for_every_word(word: str, asks: str, delta: str) -> None:
    """Columns of which nothing else is known are columns of real numbers."""
    numbers = {
        "needed": ("error", "epsilon"),
        "reachable": ("records", "epsilon"),
        "smallest_epsilon": ("records", "error"),
    }
    values = {"error": "0.2", "epsilon": 1, "records": 10**7 if word == "clauses" else 6000}
    word = "generated:16" if word == "generated" else word
    made = getattr(plan, asks)(word, columns=6, delta=delta, **{name: values[name] for name in numbers[asks]})
    assert bool(made.answers) != (word == "card")
    assumed = "A column is taken to have 2^32 values" in str(made)
    assert assumed == (word in ("points", "thresholds", "intervals", "unions", "rectangles", "stumps"))


def test_counted_columns_are_those_of_real_numbers() -> None:
    by_bits = plan.needed("stumps", columns=6, bits=32, error="0.2", epsilon=1)
    counted = plan.needed("stumps", columns=6, error="0.2", epsilon=1)
    assert [row.proved for row in counted.answers] == [row.proved for row in by_bits.answers]
    assert REAL_CELLS == RESOLUTION


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("blocks:dose", "thresholds:dose"),
        ("switches:dose:3", "thresholds:dose"),
        ("noisy-cuts:0.001", "thresholds"),
        ("graded-tree", "auto"),
        ("agnostic:40:trees:2", "trees:2"),
        ("subsampled:stumps", "stumps"),
    ],
)
def test_a_way_to_learn_is_no_class_and_its_class_is_named(word: str, near: str) -> None:
    with pytest.raises(ParameterError, match=f"a way to learn one. --concepts {near} plans for all ways"):
        plan.needed(word, columns=6, error="0.2", epsilon=1)


def test_where_nothing_can_be_promised_it_is_said_so() -> None:
    made = plan.reachable("clauses:2", columns=6, records=300, epsilon=1)
    assert "Nothing can be promised with these numbers: a larger error" in str(made)
    assert not made.advice
