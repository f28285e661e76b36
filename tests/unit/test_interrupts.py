"""An interrupt at any moment: before the charge nothing is charged, after it what was paid for is delivered."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger, load
from privpac.cli import main
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.interrupts import NOTHING
from privpac.releasing import Payment

SCHEMA = '{"label": "ill", "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": true}]}'
LEARN = ("learn", "data.csv", "--schema", "schema.json", "--concepts", "thresholds:age", "--epsilon", "1")
PAID = (*LEARN, "--ledger", "budget.sqlite", "--out", "model.json")

BEFORE = {
    "as the learner is called": "privpac.learning.learn_as",
    "last thing before the charge": "privpac.releasing.cost_of",
    "as the ledger is opened": "privpac.guarantee.ledger.ledger._open",
}
AFTER = {
    "in the middle of the charge": "privpac.guarantee.ledger.account.seal",
    "as soon as it is charged": "privpac.guarantee.ledger.chain.Chain.moved",
    "before it is verified": "privpac.learning.verify_model",
    "as it is written": "privpac.model.Model.save",
    "after it was written": "privpac.report.summary.summary_sections",
}


@pytest.fixture(params=["file", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with records and a budget of 2, in a store of either kind."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    if request.param == "database":
        monkeypatch.setattr(
            "privpac.guarantee.ledger.ledger._open", lambda path: SqlStore.open(f"sqlite:///{path}")
        )
    return tmp_path


def prepare(folder: Path) -> None:
    rows = [f"{i % 100},{int(i % 100 >= 60)}" for i in range(400)]
    (folder / "data.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    (folder / "schema.json").write_text(SCHEMA)
    Ledger.create(folder / "budget.sqlite", epsilon=2)


def plant(monkeypatch: pytest.MonkeyPatch, at: str, *signals: int) -> list[int]:
    """Signals that arrive as a function is called for the first time."""
    module, _, name = at.rpartition(".")
    monkeypatch.setattr(at, interrupted(resolved(module, name), left := list(signals)))
    return left


def resolved(module: str, name: str) -> Callable[..., Any]:
    from pkgutil import resolve_name

    found: Callable[..., Any] = getattr(resolve_name(module), name)
    return found


def interrupted(function: Callable[..., Any], left: list[int]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        while left:
            signal.raise_signal(left.pop())
        return function(*args, **options)

    return call


def charges() -> int:
    return Ledger.open("budget.sqlite").account().count


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("point", BEFORE)
def test_before_the_charge_nothing_is_charged_and_that_is_said(
    place: Path, point: str, number: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    left = plant(monkeypatch, BEFORE[point], number)
    assert main(PAID) == 128 + number
    assert not left
    assert capfd.readouterr().err.strip().endswith(NOTHING)
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert (charges(), Path("model.json").exists()) == (0, False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("point", AFTER)
def test_after_the_charge_it_is_finished_delivered_and_said(
    place: Path, point: str, number: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    left = plant(monkeypatch, AFTER[point], number)
    assert main(PAID) == 0
    assert not left
    said = capfd.readouterr()
    assert "Interrupted after the charge" in said.err
    assert "charge 1 of" in said.err
    assert "Finished in spite of the interrupt" in said.err
    assert (charges(), bool(load("model.json").certificate), bool(said.out)) == (1, True, True)


def test_a_second_interrupt_discards_and_says_what_was_spent(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    plant(monkeypatch, AFTER["before it is verified"], signal.SIGINT, signal.SIGINT)
    assert main(PAID) == 130
    said = capfd.readouterr().err
    assert (
        "Interrupted again: what was not delivered yet is discarded. What was charged stands: charge 1"
        in said
    )
    assert "epsilon 1." in said
    assert (charges(), Path("model.json").exists()) == (1, False)


@pytest.mark.parametrize("what", [RuntimeError, None])
def test_an_interrupt_that_a_library_swallows_or_renames_is_one_still(
    place: Path,
    what: type[Exception] | None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    learn_as = resolved("privpac.learning", "learn_as")

    def swallowing(*args: Any, **options: Any) -> Any:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            if what is not None:
                raise what from None
        return learn_as(*args, **options)

    monkeypatch.setattr("privpac.learning.learn_as", swallowing)
    assert main(PAID) == 130
    assert capfd.readouterr().err.strip().endswith(NOTHING)
    assert charges() == 0


def test_a_refused_charge_is_told_as_it_is_though_an_interrupt_came_with_it(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    Ledger.open("budget.sqlite").charge(epsilon="1.5")
    monkeypatch.setattr(
        "privpac.releasing.Payment.require_budget", lambda self, due: None
    )  # spent since then
    plant(monkeypatch, "privpac.guarantee.ledger.account.Account.check", signal.SIGINT)
    assert main(PAID) == 3
    said = capfd.readouterr().err
    assert "Nothing was spent" in said
    assert "stands" not in said
    assert charges() == 1


def test_a_fault_after_the_charge_says_what_was_spent(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("privpac.model.Model.save", broken)
    assert main(PAID) == 1
    assert "What was charged stands: charge 1 of" in capfd.readouterr().err


def test_in_python_an_interrupt_notes_the_charge(place: Path) -> None:
    def draw(_: object) -> None:
        raise KeyboardInterrupt

    book = Ledger.open("budget.sqlite")
    from privpac.guarantee.ledger.budget import Cost

    with pytest.raises(KeyboardInterrupt) as caught:
        Payment.by(book, random_state=1).paid(lambda: Cost.read("test", epsilon=1), draw=draw, note="")
    assert caught.value.__notes__ == [f"Charge 1 of '{book.path}' stands: epsilon 1."]


def test_handlers_are_put_back(place: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert main(PAID) == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


DATABASE = (
    "import sys; from privpac.guarantee.ledger import ledger; from privpac.guarantee.ledger.sql_store import SqlStore;"
    "ledger._open = lambda path: SqlStore.open(f'sqlite:///{path}');"
    "from privpac.cli import main; sys.exit(main())"
)


@pytest.mark.long
@pytest.mark.parametrize("program", [["-m", "privpac"], ["-c", DATABASE]], ids=["file", "database"])
def test_sixty_interrupts_at_random_moments(program: list[str], tmp_path: Path) -> None:
    """Never charged in silence, and never delivered twice."""
    prepare(tmp_path)
    Path(tmp_path, "budget.sqlite").unlink()
    book = Ledger.create(tmp_path / "budget.sqlite", epsilon=100)
    command = [sys.executable, *program, *LEARN, "--ledger", "budget.sqlite", "--out"]
    begin = time.monotonic()
    subprocess.run([*command, "whole.json"], cwd=tmp_path, check=True, capture_output=True)
    whole, chance = time.monotonic() - begin, random.Random(7)
    for number in range(60):
        before, out = book.account().count, tmp_path / f"{number}.json"
        with subprocess.Popen(
            [*command, out.name], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as program_run:
            time.sleep(chance.uniform(0, 1.1 * whole))
            program_run.send_signal(signal.SIGTERM if number % 2 else signal.SIGINT)
            told, said = program_run.communicate()
        assert "fault of privpac" not in said
        charged = book.account().count - before
        assert (charged, out.exists()) in {(0, False), (1, True)}, said
        if charged:
            assert load(out).certificate
            assert told
        elif program_run.returncode > 0:  # else Python itself was still being started
            assert NOTHING in said or "KeyboardInterrupt" in said
    book.verify()
