"""The Budget page: exact sums, the chain, who sees what."""

from __future__ import annotations

import html
import json
import re
import sqlite3
from datetime import datetime
from fractions import Fraction

import pytest
from fastapi.testclient import TestClient

from privpac.guarantee.ledger.account import Account, Entry
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.promises import Promises
from privpac.service.access.keys import Key
from privpac.service.pages.budget import routes
from privpac.service.pages.budget.books import Books, FileBooks
from privpac.service.pages.place import Place
from privpac.service.pages.render import amount, when


def test_without_a_ledger_the_page_offers_one(client: TestClient, place: Place) -> None:
    assert "There is no ledger yet" in client.get("/budget").text
    assert client.post("/budget/make", data={"epsilon": "2", "delta": ""}).status_code == 303
    assert str(place.books.ledger.total) == "epsilon 2"  # type: ignore[union-attr]
    text = client.get("/budget").text
    assert "Every entry verified" in text
    assert "Nothing was charged yet" in text
    assert client.post("/budget/make", data={"epsilon": "3"}).status_code == 422


@pytest.mark.parametrize("epsilon", ["", "0", "-1", "x", "inf", "1e-999999999"])
def test_a_total_must_be_a_number(client: TestClient, place: Place, epsilon: str) -> None:
    assert client.post("/budget/make", data={"epsilon": epsilon}).status_code == 422
    assert place.books.ledger is None


def test_entries_sums_and_the_share(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="1", delta="0.001", reserved_delta="0.001")
    ledger = place.books.ledger
    assert ledger is not None
    ledger.charge(epsilon="0.1", note="<b>first</b>")
    ledger.charge(epsilon="1/3", delta="0.0005")
    text = client.get("/budget").text
    assert "&lt;b&gt;first" in text
    assert "≈ 0.566667" in text
    assert 'aria-valuenow="50.0"' in text  # the scarcer part is the delta
    ledger.charge(epsilon="17/30")
    assert "The budget is not spent" not in client.get("/budget").text
    assert 'aria-valuenow="100.0"' in client.get("/budget").text
    assert "The budget is spent" in client.get("/budget").text


def test_an_altered_row_is_told(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="1", delta="0")
    ledger = place.books.ledger
    assert ledger is not None
    ledger.charge(epsilon="0.5", note="learn")
    with sqlite3.connect(ledger.path) as connection:
        connection.execute("DROP TRIGGER no_edit")
        connection.execute("UPDATE entry SET note = 'nothing'")
    text = client.get("/budget").text
    assert "Does not add up" in text
    assert "row 1 was altered" in text


def _key(name: str, spent: Cost, promises: Promises | None = None) -> Key:
    return Key(name, "", "analyst", "", None, promises, spent)


def test_an_analyst_sees_her_own(service: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    books = service.app.state.place.books  # type: ignore[attr-defined]
    books.ledger.charge(epsilon="0.25", note="ann asked")
    books.ledger.charge(epsilon="0.125", note="bob asked")
    keys = (
        _key("ann", Cost(Fraction(1, 4)), Promises(Fraction(1, 2))),
        _key("bob", Cost(Fraction(1, 8))),
    )
    monkeypatch.setattr(FileBooks, "keys", lambda self, after=None: list(keys))
    monkeypatch.setattr(FileBooks, "key", lambda self, name: {one.id: one for one in keys}.get(name))
    monkeypatch.setattr(FileBooks, "spender", lambda self, note, key: note.split()[0])
    monkeypatch.setattr(FileBooks, "price", Cost.covering(Fraction(1, 8)))
    service.post("/sign-in", data={"key": "key-of-ann"})
    own = service.get("/budget").text
    assert "ann asked" in own
    assert "bob" not in own
    assert "answers remaining" in own
    service.post("/sign-in", data={"key": "key-of-olga"})
    whole = service.get("/budget").text
    assert "bob asked" in whole
    assert "data-chart" in whole


def test_books_that_keep_nothing_say_so() -> None:
    from privpac.errors import PrivpacError

    with pytest.raises(PrivpacError, match="no ledger"):
        Books().make(epsilon="1", delta="0")


def test_amounts_and_times_as_people_read_them() -> None:
    assert [amount(Fraction(x)) for x in ("1", "0.7", "1/3", "0")] == ["1", "0.7", "≈ 0.333333", "0"]
    assert when("2026-03-04T05:06:07+00:00") == "2026-03-04 05:06 UTC"


def test_a_clock_that_was_set_back_does_not_garble_the_chart() -> None:
    """Times on the chart never go back, the sum never falls, and what comes last is not before what was charged."""
    times = ["2026-03-04T05:06:07+00:00", "2026-01-01T00:00:00+00:00", "2999-01-01T00:00:00+00:00"]
    entries = [
        Entry(number, Cost(Fraction(1, 4)), "", None, time) for number, time in enumerate(times, start=1)
    ]
    points = routes._chart(entries, Account.opened(Promises(Fraction(1)), identity="x"))["points"]
    drawn = [datetime.fromisoformat(point["time"]) for point in points]
    assert drawn == sorted(drawn)
    assert [point["spent"] for point in points] == [0, 0.25, 0.5, 0.75, 0.75]


def test_more_keys_than_a_page_holds_are_on_the_next(
    service: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody = [_key(f"{number:03d}", Cost(Fraction(1, 4))) for number in range(150)]
    monkeypatch.setattr(
        FileBooks,
        "keys",
        lambda self, after=None: [one for one in everybody if one.id > (after or "")][:101],
    )
    service.post("/sign-in", data={"key": "key-of-olga"})
    first = service.get("/budget").text
    assert "budget?after=099" in first
    assert ">100<" not in first
    second = service.get("/budget?after=099").text
    assert ">100<" in second
    assert "budget?after=" not in second


def test_a_budget_with_a_delta_counts_in_rho(client: TestClient, place: Place) -> None:
    client.post("/budget/make", data={"epsilon": "2", "delta": "1e-6", "reserved_delta": "1e-7"})
    place.books.ledger.charge(epsilon="0.05", note="a rule")  # type: ignore[union-attr]
    text = client.get("/budget").text
    assert '<th scope="col">Rho</th>' in text
    assert "<td>0.00125</td>" not in text  # what a pure release costs in rho is less than half its square
    assert "by adding" in text
    assert "&#34;unit&#34;: &#34;rho&#34;" in text
    assert "What is promised about all of it" in text
    assert not re.search(r"\d\.\d{9,}", text.partition("<main")[2].partition("data-values")[0])


def test_a_budget_shows_the_amount_that_has_more_room(client: TestClient, place: Place) -> None:
    """One large charge uses up the rho and a quarter of epsilon: no line above the total, and no figure of nothing."""
    client.post("/budget/make", data={"epsilon": "2", "delta": "1e-6"})
    place.books.ledger.charge(epsilon="0.5", note="a rule")  # type: ignore[union-attr]
    text = client.get("/budget").text
    assert re.search(r'class="figure"><strong>epsilon 1\.5</strong>', text)
    assert "rho 0<" not in text
    assert "either the epsilons or the rhos" in text
    (chart,) = re.findall(r'data-values="([^"]*)"', text)
    told = json.loads(html.unescape(chart))
    assert (told["unit"], told["total"]) == ("epsilon", 2.0)
    assert max(point["spent"] for point in told["points"]) <= told["total"]
