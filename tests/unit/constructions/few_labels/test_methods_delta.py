"""Few labels with a delta: every method spends it where it pays, and otherwise refuses it before any charge."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import Ledger, learn, verify
from privpac.cli import main
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.after_labels import spare_delta
from privpac.constructions.few_labels.boost import BASE, LabelBoost
from privpac.constructions.few_labels.methods import FewLabels, promised_error
from privpac.constructions.few_labels.relabel import SSLRelabel
from privpac.constructions.request import Request
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import decimal_text
from privpac.request import LearnRequest

ONE, DELTA, FAILURE = Fraction(1), Fraction(1, 10**6), Fraction(1, 20)
SIZE = Size(1_500, 20_000)
METHODS = ("generic", "boost", "relabel")


def schema(bits: int) -> Schema:
    key = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [key]})


def chosen(
    method: str, delta: Fraction = DELTA, *, bits: int = 60, concepts: str = "thresholds:k"
) -> FewLabels:
    return FewLabels.chosen(
        concepts, Request(schema(bits), SIZE, LearnRequest(epsilon=ONE, delta=delta)), method=method
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_delta_is_spent_and_lowers_the_promised_error(method: str) -> None:
    spent, pure = chosen(method), chosen(method, Fraction(0))
    fact = spent.certify().privacy.fact
    assert 0 < fact.delta <= DELTA
    assert promised_error(spent.learner, SIZE) < promised_error(pure.learner, SIZE)
    assert pure.settings.to_json()["delta"] == "0"


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_where_it_does_not_pay_it_is_refused(method: str) -> None:
    with pytest.raises(ParameterError, match="promises no less"):
        chosen(method, bits=16)


def test_a_plain_draw_has_no_use_for_it() -> None:
    with pytest.raises(ParameterError, match="blocks:COLUMN"):
        chosen("plain")


@pytest.mark.parametrize("method", ["boost", "relabel"])
@pytest.mark.parametrize("concepts", ["intervals:k", "thresholds:k:either"])
def test_classes_without_such_a_base_are_refused_by_name(method: str, concepts: str) -> None:
    with pytest.raises(ParameterError, match="cuts in one direction"):
        chosen(method, concepts=concepts)


@pytest.mark.parametrize(("kind", "share"), [(LabelBoost, BASE), (SSLRelabel, Fraction(1, 4))])
def test_the_base_spends_its_share_of_the_failure(kind: Any, share: Fraction) -> None:
    learner = kind.calibrate(Thresholds(schema(60), "k"), SIZE, epsilon=ONE, delta=DELTA)
    assert isinstance(learner.base, BlockCuts)
    assert learner.base.failure == FAILURE * share
    certificate = learner.certify(SIZE)
    assert {p.fact.failure for p in certificate.accuracy} == {FAILURE}
    assert certificate.privacy.fact.delta <= DELTA


def test_nobody_loses_more_than_the_delta() -> None:
    """Of the base's own delta, which is larger, the kept share of either part."""
    learner = LabelBoost.calibrate(Thresholds(schema(60), "k"), SIZE, epsilon=ONE, delta=DELTA)
    assert isinstance(learner.base, BlockCuts)
    step = learner.round
    shares = (
        Fraction(step.kept_labelled, SIZE.labelled),
        Fraction(step.kept_unlabelled, step.taken),
    )
    lost = [share * learner.base.delta for share in shares]
    assert DELTA * Fraction(9, 10) < max(lost) <= DELTA < learner.base.delta
    assert [proof.fact.delta <= DELTA for proof in learner.by_part(SIZE)] == [True, True]


def test_a_base_of_small_epsilon_keeps_most_of_it_to_draw_with() -> None:
    assert spare_delta(ONE, epsilon=Fraction(1, 10), shares=(Fraction(1, 2),)) == Fraction(1, 40)
    assert spare_delta(DELTA, epsilon=ONE, shares=(Fraction(1, 3),)) == 3 * DELTA


def test_without_a_delta_the_base_draws_from_the_class() -> None:
    assert isinstance(chosen("boost", Fraction(0)).learner.base, Occam)  # type: ignore[attr-defined]


# --- from Python and the command line ---


def tables() -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    keys = np.random.default_rng(1).integers(0, 2**60, SIZE.total)
    labels = (keys[: SIZE.labelled] >= 2**59).astype(int).tolist()
    return {"k": keys[: SIZE.labelled].tolist(), "y": labels}, {"k": keys[SIZE.labelled :].tolist()}


def write(path: Path, table: dict[str, list[int]]) -> None:
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("method", METHODS)
def test_python_and_the_command_line_learn_the_same(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    labelled, others = tables()
    write(tmp_path / "data.csv", labelled)
    write(tmp_path / "others.csv", others)
    (tmp_path / "schema.json").write_text(json.dumps(schema(60).to_json()), encoding="utf-8")
    words = ("data.csv", "--schema", "schema.json", "--concepts", "thresholds:k", "--epsilon", "1")
    few = ("--unlabelled", "others.csv", "--method", method, "--delta", "0.000001")
    assert main(["learn", *words, *few, "--random-state", "7", "--out", "model.json"]) == 0
    model = learn(
        labelled,
        schema=schema(60),
        concepts="thresholds:k",
        unlabelled=others,
        method=method,
        epsilon=1,
        delta=decimal_text(DELTA),
        random_state=7,
    )
    model.save(tmp_path / "same.json")
    assert (tmp_path / "model.json").read_bytes() == (tmp_path / "same.json").read_bytes()
    assert verify(tmp_path / "model.json").rebuilt


@pytest.mark.parametrize("method", ["plain", "boost", "relabel", "generic", "auto"])
def test_a_refused_delta_charges_nothing(method: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger.db", epsilon=10, delta="0.001")
    labelled, others = {"k": [1, 2], "y": [0, 1]}, {"k": [3, 4, 5]}
    with pytest.raises(ParameterError, match="delta"):
        learn(
            labelled,
            schema=schema(16),
            concepts="thresholds:k",
            unlabelled=others,
            method=method,
            delta="0.000001",
            ledger=ledger,
        )
    assert ledger.entries() == ()


@pytest.mark.long_cases("delta0")
@pytest.mark.parametrize("delta", [DELTA, Fraction(0)])
def test_a_refusal_advises_on_the_method_that_was_asked_for(delta: Fraction) -> None:
    def wish(labelled: int, method: str, spent: Fraction) -> FewLabels:
        request = Request(schema(60), Size(labelled, 5_000), LearnRequest(epsilon=ONE, delta=spent))
        return FewLabels.chosen("thresholds:k", request, method=method, error=Fraction(1, 10))

    with pytest.raises(SizeError, match=r"at best by method boost, not 0\.1\.") as caught:
        wish(1_181, "boost", delta)
    text = str(caught.value)
    other = "Method plain without a delta promises it" if delta else "Method plain promises it"
    assert f"{other} with the records you have. For method boost: " in text
    wish(1_181, "plain", Fraction(0))  # what it says of the other method is true
    need = int(text.partition("For method boost: ")[2].split()[0])
    assert need > 1_181
    wish(need, "boost", delta)
    with pytest.raises(SizeError):
        wish(need * 4999 // 5000 - 1, "boost", delta)


def test_a_refusal_says_when_no_number_of_labels_would_do() -> None:
    request = Request(schema(60), Size(500, 5_000), LearnRequest(epsilon=ONE))
    with pytest.raises(
        SizeError, match=r"at best by method relabel.* No number of labels would do with 5000 "
    ):
        FewLabels.chosen("thresholds:k", request, method="relabel", error=Fraction(1, 10))


@pytest.mark.parametrize("delta", [DELTA, Fraction(0)])
def test_blocks_are_for_labelled_records_alone(delta: Fraction) -> None:
    with pytest.raises(ParameterError, match=r"blocks cannot be combined with them\. Use thresholds:k"):
        chosen("auto", delta, concepts="blocks:k")
