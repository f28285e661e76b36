"""The one way out: what is charged, when, and what becomes of a failure at every point of the way."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger, Occam, Schema, Size, Thresholds, learn
from privpac.cli import main
from privpac.coins import Coins, SeededCoins
from privpac.errors import BudgetExceeded, DataError, NotCertified, UnverifiedRelease
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.budget import Cost
from privpac.releasing import Payment

SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 9, "integer": True}]}
)
CERTIFICATE = Occam(Thresholds(SCHEMA, "x"), epsilon=Fraction(1)).certify(Size(20))
COST = Cost.covering(Fraction(1))


def tossing(coins: Coins) -> int:
    return coins.below(10)


def ledger() -> Ledger:
    return Ledger(epsilon=2)


def release(book: Ledger | None, **steps: Any) -> Any:
    usual: dict[str, Any] = {
        "draw": tossing,
        "document": lambda drawn, certificate: (drawn, certificate.coins),
        "verify": lambda made: None,
        "note": "a test",
    }
    return Payment(book, SeededCoins(1)).release(CERTIFICATE, **(usual | steps))


def spent(book: Ledger) -> Fraction:
    return book.spent.epsilon


@pytest.mark.parametrize("unread", [None, lambda: None])
def test_the_charge_comes_before_the_first_coin(unread: Any) -> None:
    book = ledger()
    seen: list[Fraction] = []

    class Watching(SeededCoins):
        def below(self, n: int) -> int:
            seen.append(spent(book))
            return super().below(n)

    Payment(book, Watching(1)).paid(lambda: COST, draw=tossing, note="", unread=unread)
    assert seen == [1]


def test_records_that_pass_by_are_read_before_the_charge() -> None:
    book = ledger()
    order: list[tuple[str, Fraction]] = []

    def draw(coins: Coins) -> int:
        order.append(("looks", spent(book)))
        return coins.below(2)

    release(book, draw=draw, unread=lambda: order.append(("reads the rest", spent(book))))
    assert order == [("looks", 0), ("reads the rest", 0)]
    assert spent(book) == 1


def test_an_unreadable_record_costs_nothing() -> None:
    def draw(coins: Coins) -> int:
        raise DataError("A cell cannot be read.")

    def unread() -> None:
        raise DataError("A cell cannot be read.")

    book = ledger()
    for steps in ({"draw": draw, "unread": lambda: None}, {"unread": unread}):
        with pytest.raises(DataError):
            release(book, **steps)
    assert spent(book) == 0


@pytest.mark.parametrize("unread", [None, lambda: None])
@pytest.mark.parametrize("failure", [ValueError, NotCertified, MemoryError, ZeroDivisionError])
def test_any_other_failure_is_charged_once_wherever_it_happens(failure: type[Exception], unread: Any) -> None:
    def early(coins: Coins) -> int:
        raise failure("before a coin")

    def late(coins: Coins) -> int:
        coins.below(2)
        raise failure("after a coin")

    for draw in (early, late):
        book = ledger()
        with pytest.raises(failure):
            release(book, draw=draw, unread=unread)
        assert spent(book) == 1
        assert len(book.entries()) == 1


@pytest.mark.parametrize("unread", [None, lambda: None])
def test_an_empty_budget_tosses_nothing(unread: Any) -> None:
    book = Ledger(epsilon=Fraction(1, 2))

    def draw(coins: Coins) -> int:
        coins.below(2)
        raise AssertionError("a coin was tossed")

    with pytest.raises(BudgetExceeded):
        release(book, draw=draw, unread=unread)
    assert not book.entries()


def test_a_budget_that_another_program_used_up_meanwhile_tosses_nothing() -> None:
    book = ledger()
    tossed: list[int] = []

    def draw(coins: Coins) -> None:
        book.charge(epsilon="1.5")  # what the other program does during the pass
        tossed.append(coins.below(2))

    with pytest.raises(BudgetExceeded):
        release(book, draw=draw, unread=lambda: None)
    assert not tossed
    assert spent(book) == Fraction(3, 2)


def test_a_release_without_a_coin_is_paid_for_too() -> None:
    book = ledger()
    assert release(book, draw=lambda coins: 3, unread=lambda: None)[0] == 3
    assert spent(book) == 1


def test_the_certificate_names_the_coins_and_the_document_is_verified() -> None:
    looked: list[Any] = []
    made = release(None, verify=looked.append)
    assert made[1] == "seeded"
    assert looked == [made]


def test_what_fails_its_verification_is_charged_and_handed_over_for_a_report() -> None:
    def refuse(made: object) -> None:
        raise NotCertified("The certificate is not the one these parameters lead to.")

    book = ledger()
    with pytest.raises(UnverifiedRelease, match="The charge stands") as caught:
        release(book, verify=refuse)
    assert caught.value.document == (release(None)[0], "seeded")
    assert spent(book) == 1


def test_a_model_that_would_not_verify_does_not_pass_as_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    book = Ledger(epsilon=1)
    honest = Certificate.to_json

    def lying(self: Certificate) -> dict[str, Any]:
        return {**honest(self), "epsilon": "0.5"}

    monkeypatch.setattr(Certificate, "to_json", lying)
    with pytest.raises(UnverifiedRelease) as caught:
        learn({"x": [1, 5, 8], "y": [0, 1, 1]}, schema=SCHEMA, concepts="thresholds:x", ledger=book)
    assert caught.value.document.hypothesis is not None
    assert spent(book) == 1


def test_the_command_line_prints_what_was_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,0\n5,1\n8,1\n", encoding="utf-8")
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA.to_json()), encoding="utf-8")
    honest = Certificate.to_json
    monkeypatch.setattr(Certificate, "to_json", lambda self: {**honest(self), "delta": "0.5"})
    options = ["--schema", str(tmp_path / "s.json"), "--concepts", "thresholds:x", "--epsilon", "1"]
    assert main(["learn", str(tmp_path / "t.csv"), *options]) == NotCertified.exit_code
    shown = capsys.readouterr()
    assert json.loads(shown.out)["hypothesis"]["kind"]
    assert "please report it" in shown.err


class Withdrawn(BaseException):
    """Somebody changed their mind."""


@pytest.mark.parametrize("unread", [None, lambda: None], ids=["in memory", "passing by"])
def test_until_the_last_call_it_can_be_withdrawn_for_nothing(unread: Any) -> None:
    book, tossed = ledger(), []

    class Watching(SeededCoins):
        def below(self, n: int) -> int:
            tossed.append(n)
            return super().below(n)

    def withdraw() -> None:
        assert spent(book) == 0
        raise Withdrawn

    payment = Payment(book, Watching(1), last_call=withdraw)
    with pytest.raises(Withdrawn):
        payment.paid(lambda: COST, draw=tossing, note="", unread=unread)
    assert spent(book) == 0
    assert tossed == []


@pytest.mark.parametrize("book", [None, ledger()], ids=["nobody", "a ledger"])
def test_the_last_call_comes_once_whoever_pays(book: Ledger | None) -> None:
    calls: list[str] = []
    payment = Payment(book, SeededCoins(1), last_call=lambda: calls.append("last"))
    payment.paid(lambda: COST, draw=tossing, note="", unread=lambda: calls.append("read"))
    assert calls == ["read", "last"]
