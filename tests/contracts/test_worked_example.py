"""A learner outside of the tree: the 40 lines of the how-to page, learnt, stored, verified, wrapped and audited."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb

import privpac
from privpac import Ledger, Schema, extend
from privpac.audit.exact import audit
from privpac.cli import main
from privpac.concepts.line.stumps import Constant
from privpac.constructions.base import Learner
from privpac.constructions.own import ASSUMED
from privpac.constructions.request import Request
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.sampling import Subsampled
from privpac.data.sample import Size
from privpac.errors import NotCertified, NotRebuilt, ParameterError, RuleRefused
from privpac.guarantee.theorem import THEOREMS
from privpac.numbers.exact import ball
from privpac.request import LearnRequest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "own-concepts.md"
CODE = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
SCHEMA = {"label": "ill", "columns": [AGE]}
TABLE = {"age": [i % 100 for i in range(2_000)], "ill": [int(i % 100 >= 70) for i in range(2_000)]}


@pytest.fixture(scope="module")
def majority(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The class of the page, in a module of its own."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "majority.py").write_text(CODE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        import majority  # type: ignore[import-not-found]

        yield majority.Majority
        del sys.modules["majority"]


@pytest.fixture
def stored(majority: Any, tmp_path: Path) -> Path:
    model = privpac.learn(TABLE, schema=SCHEMA, concepts=majority, epsilon=1, random_state=1)
    model.save(tmp_path / "model.json")
    (tmp_path / "majority.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def test_it_is_forty_lines_and_uses_nothing_else() -> None:
    assert len(CODE.splitlines()) <= 40
    modules = set(re.findall(r"^(?:from|import) (\S+)", CODE, re.MULTILINE))
    assert modules == {"dataclasses", "fractions", "privpac.extend"}
    assert set(extend.__all__) == {name for name in vars(extend) if not name.startswith("_")}


def test_learning_charges_it_and_stores_what_is_assumed_and_claimed(majority: Any) -> None:
    ledger = Ledger(epsilon=2)
    model = privpac.learn(TABLE, schema=SCHEMA, concepts=majority, epsilon=1, ledger=ledger, random_state=1)
    assert ledger.left.epsilon == 1
    assert model.describe() == "always 0"
    assert model.certificate["assumptions"] == [ASSUMED]
    assert model.certificate["learner"]["claimed_by_author"] == majority.claimed
    assert model.certificate["accuracy"] == []
    assert majority.claimed not in json.dumps(model.certificate["privacy"])
    assert privpac.verify(model, concepts=majority).rebuilt


def test_without_the_class_it_is_not_rebuilt_and_with_it_it_is(stored: Path, majority: Any) -> None:
    with pytest.raises(NotRebuilt, match="its author's own"):
        privpac.verify(stored / "model.json")

    def verified(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "privpac", "verify", *words, "model.json"]
        return subprocess.run(command, cwd=stored, capture_output=True, text=True, check=False)

    alone = verified()
    assert alone.returncode == 6
    assert "Not rebuilt" in alone.stdout
    brought = verified("--with", "majority:Majority")
    assert brought.returncode == 0, brought.stderr
    assert "follows anew" in brought.stdout


@pytest.mark.parametrize(
    "path", ["majority", "no_such_module_here:Majority", "privpac.extend:Nobody", ":", "a:b c"]
)
def test_what_is_no_class_is_refused(
    path: str, stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(stored)
    assert main(["verify", "--with", path, "model.json"]) == 2
    assert "--with" in capsys.readouterr().err


def test_another_class_and_an_edit_are_noticed(stored: Path, majority: Any) -> None:
    class Other(majority):
        word = "other"

    with pytest.raises(NotCertified):
        privpac.verify(stored / "model.json", concepts=Other)

    class Picky(majority):
        def releases(self, hypothesis: Any, size: Size) -> bool:
            return hypothesis == Constant(1)

    Picky.__name__ = majority.__name__
    with pytest.raises(NotCertified, match="ever release"):
        privpac.verify(stored / "model.json", concepts=Picky)


def learner(majority: Any, epsilon: Fraction = Fraction(1), n: int = 100) -> Learner:
    schema = Schema.from_json(SCHEMA)
    made: Learner = majority.tuned(Request(schema, Size(n), LearnRequest(epsilon=epsilon)))
    return made


def test_learners_around_learners_take_it(majority: Any) -> None:
    inner = learner(majority, n=50)
    sampled = Subsampled(inner, 50).certify(Size(100))
    assert sampled.epsilon < 1
    assert ASSUMED in sampled.assumptions
    picked = Confidence(inner, 2, 50, Fraction(1), failure=Fraction(1, 20)).certify(Size(150))
    assert ASSUMED in picked.assumptions


def test_the_exact_audit_finds_what_it_loses_and_what_a_fault_loses(majority: Any) -> None:
    tiny = extend.tiny_schema(2)
    found = audit(extend.learner_case("majority", majority(tiny, Fraction(1)), tiny, 3))
    assert found.complete
    assert found.holds

    class Careless(majority):
        @property
        def ratio(self) -> Fraction:
            return extend.ratio_for(4 * self.epsilon)

        def loss(self, size: Size) -> Any:
            return learner(majority).loss(size)  # type: ignore[attr-defined]

    assert not audit(extend.learner_case("careless", Careless(tiny, Fraction(1)), tiny, 3)).holds


def spends_twice(majority: Any) -> Any:
    class Spends(majority):
        @classmethod
        def tuned(cls, request: Request) -> Any:
            return cls(request.schema, 2 * request.per_record)

    return Spends


def hides_its_loss(majority: Any) -> Any:
    class Hides(majority):
        @property
        def ratio(self) -> Fraction:
            return extend.ratio_for(4 * self.epsilon)

    return Hides


@pytest.mark.parametrize("fault", [spends_twice, hides_its_loss])
def test_what_spends_more_than_was_asked_is_refused_before_the_charge(
    fault: Callable[[Any], Any], majority: Any
) -> None:
    ledger = Ledger(epsilon=2)
    with pytest.raises((ParameterError, RuleRefused)):
        privpac.learn(
            TABLE, schema=SCHEMA, concepts=fault(majority), epsilon=1, ledger=ledger, random_state=1
        )
    assert ledger.left.epsilon == 2


@pytest.mark.parametrize("wishes", [{"protect": "labels"}, {"costs": (1, 2)}, {"delta": "0.001"}])
def test_what_it_cannot_do_is_refused(wishes: dict[str, Any], majority: Any) -> None:
    with pytest.raises(ParameterError, match=next(iter(wishes))):
        privpac.learn(TABLE, schema=SCHEMA, concepts=majority, epsilon=1, random_state=1, **wishes)
    with pytest.raises(ParameterError, match="subclass"):
        privpac.learn(TABLE, schema=SCHEMA, concepts=int, epsilon=1)


def test_a_theorem_from_outside_answers_and_proves_nothing() -> None:
    class Mine(extend.AccuracyBound, key="clause-counts"):
        def failure(self, n: int, error: Fraction) -> arb:
            return ball(1 - error) ** n

    assert Mine().records(Fraction(1, 10), Fraction(1, 20)) == 29
    assert THEOREMS.get("clause-counts") is not Mine
    with pytest.raises(RuleRefused, match="of the package"):
        Mine().proof(100, error=Fraction(1, 10), failure=Fraction(1, 20))
