"""Every word of every registry has a case, and every pair of tables differs in one record."""

from __future__ import annotations

import pytest

from privpac.constructions.few_labels import methods as few_labels
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.prediction.forms import CLASSIFIERS, FORMS
from privpac.constructions.release import methods
from privpac.constructions.words import PROTECTS, WORDS
from tests.interference.cases import ANSWERED, ANSWERS_FOR_SURE, FEW_LABELS, LEARNT, RELEASED
from tests.interference.tables import PAIRS, TABLES, N, sized


def test_every_word_with_everything_it_protects() -> None:
    known = {(head, protect) for head, word in WORDS.items() for protect in word.protects}
    assert {(case.head, case.wishes.get("protect", "records")) for case in LEARNT} == known
    assert {protect for _, protect in known} == set(PROTECTS)


def test_every_way_to_learn_a_point() -> None:
    assert {case.word.rpartition(":")[2] for case in LEARNT if case.word.startswith("points:key:")} == set(
        POINT_WAYS
    )


def test_every_method_for_few_labels_and_for_released_tables() -> None:
    assert {case.wishes["method"] for case in FEW_LABELS} == set(few_labels.METHODS)
    assert {case.word for case in RELEASED} == {"auto", *methods.METHODS}


def test_every_predictor() -> None:
    """The word CLASS stands for every class."""
    prefixes = {form.removesuffix("CLASS") for form in FORMS if form.endswith("CLASS")}
    votes = {":".join(form.split(":")[:2]) for form in FORMS if form.startswith("vote:")}
    assert votes == {f"vote:{name}" for name in CLASSIFIERS}
    assert {"auto"} | votes <= {":".join(word.split(":")[:2]) for word in ANSWERED}
    assert any(word.startswith("weighted:") for word in ANSWERS_FOR_SURE)
    assert set(ANSWERS_FOR_SURE) <= set(ANSWERED)
    for prefix in prefixes:
        named = {word.removeprefix(prefix).partition(":")[0] for word in ANSWERED if word.startswith(prefix)}
        assert set(WORDS) <= named
    assert {form for form in FORMS if not form.endswith("CLASS") and form != "auto"} == {
        form for form in FORMS if form.startswith(("vote:", "weighted:"))
    }


@pytest.mark.parametrize("times", [1, 5])
def test_pairs_differ_in_one_record(times: int) -> None:
    tables = sized(times)
    assert {name for pair in PAIRS for name in pair} == set(TABLES)
    for one, two in PAIRS:
        rows = [list(zip(*tables[name].values(), strict=True)) for name in (one, two)]
        assert len(rows[0]) == len(rows[1]) == N * times
        assert sum(a != b for a, b in zip(*rows, strict=True)) == 1
