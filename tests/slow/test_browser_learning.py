"""The Learn page in a real browser: the sheet of columns, the bar, what is made; on a desk, in the dark, on a phone.

After every step axe finds nothing, and nothing lies beyond the edge of the window.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from privpac.service.pages.learn import making
from tests.slow.browsing import (
    LOOKS,
    Site,
    Watched,
    browser,
    learn,
    looked_at,
    sample,
    settled,
    site,
    table,
    upload,
    window,
)

__all__ = ["browser", "site", "table", "window"]

COLUMNS = 1999
MOST_TABS = 30
PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many columns as pages take."""
    path = tmp_path_factory.mktemp("wide") / "wide.csv"
    names = [f"measurement_{i}" for i in range(COLUMNS)]
    rows = [",".join(str(i * j % 7) for j in range(COLUMNS)) + f",{i % 2}" for i in range(40)]
    path.write_text("\n".join([",".join([*names, "ill"]), *rows]) + "\n", encoding="utf-8")
    return path


def focused(page: Page) -> str:
    return str(
        page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.name")
    )


@pytest.mark.parametrize("look", LOOKS)
def test_everything_that_can_be_made_from_the_sample(
    site: Site, window: Callable[..., Watched], look: str
) -> None:
    site.books.make(epsilon="100", delta="1e-6")
    page = window(**LOOKS[look]).page
    page.goto(f"{site.address}/learn")
    looked_at(page, f"{look}-learn")
    sample(page, site)
    looked_at(page, f"{look}-schema")
    page.check("[name=charge][value=ledger]")
    page.select_option("[name=concepts]", "card")
    page.fill("[name=epsilon]", "2")
    page.locator("summary", has_text="More").click()
    page.fill("[name=estimate_epsilon]", "0.5")
    expect(page.locator("#bill .facts")).to_contain_text("left afterwards")
    looked_at(page, f"{look}-schema-more")
    learn(page)
    page.wait_for_url("**/learn/model/*")
    expect(page.locator("h2").first).to_have_text("Is it of use?")
    expect(page.locator(".certified")).to_contain_text("steps derived again")
    expect(page.locator(".risks tbody tr").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("charges again")
    looked_at(page, f"{look}-card")

    sample(page, site)
    page.locator("label", has_text="A table").click()
    page.fill("[name=released]", "age, smoker")
    expect(page.locator("#price")).to_contain_text("synthetic.csv")
    looked_at(page, f"{look}-make-table")
    learn(page)
    page.wait_for_url("**/learn/model/*")
    expect(page.locator("h1")).to_contain_text("synthetic records of age, smoker")
    looked_at(page, f"{look}-table")

    sample(page, site)
    page.locator("label", has_text="Answers").first.click()
    page.select_option("[name=base]", "vote:tree")
    expect(page.locator("#bill")).to_contain_text("per answer")
    looked_at(page, f"{look}-make-answers")
    learn(page)
    page.wait_for_url("**/learn/model/*")
    looked_at(page, f"{look}-answers")
    page.get_by_role("link", name="Read the certificate").click()
    expect(page.locator("h1")).to_contain_text("DP")
    page.wait_for_load_state()
    looked_at(page, f"{look}-certificate")
    page.goto(f"{site.address}/budget")
    page.wait_for_selector(".plot[data-drawn] svg")
    looked_at(page, f"{look}-budget")


def test_two_thousand_columns_are_filled_in_at_once(
    site: Site, window: Callable[..., Watched], wide: Path
) -> None:
    page = window().page
    upload(page, site, wide)
    assert page.locator(".sheet-row").count() < 40
    page.select_option("[name=label]", "ill")
    expect(page.locator("#bill")).to_contain_text("Fill in 1,999 columns")
    page.locator("summary", has_text="Change all").click()
    page.locator("[data-bulk=lower]").fill("0")
    page.locator("[data-bulk=upper]").fill("6")
    looked_at(page, "wide-bulk")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#bill .facts")).to_be_visible()
    page.get_by_label("Find a column").fill("_1998")
    expect(page.locator(".sheet-row")).to_have_count(1)
    expect(page.get_by_label("Upper bound of measurement_1998")).to_have_value("6")
    page.get_by_label("Find a column").fill("")
    page.get_by_label("Lower bound of measurement_0", exact=True).focus()
    page.keyboard.press("Control+End")
    assert focused(page) == "Lower bound of measurement_1998"
    page.keyboard.press("ArrowRight")
    assert focused(page) == "Upper bound of measurement_1998"
    page.keyboard.press("Control+Home")
    page.keyboard.press("Enter")
    assert focused(page) == "Upper bound of measurement_1"
    looked_at(page, "wide")


def test_the_keyboard_reaches_learn_in_few_steps(
    site: Site, window: Callable[..., Watched], wide: Path
) -> None:
    page = window().page
    upload(page, site, wide)
    page.evaluate("document.activeElement.blur()")
    tabs = 0
    while not page.evaluate("document.activeElement.matches('[data-attempt]')"):
        page.keyboard.press("Tab")
        tabs += 1
        assert tabs < MOST_TABS


@pytest.mark.parametrize("look", LOOKS)
def test_errors_stand_beside_their_field_and_only_after_the_first_attempt(
    site: Site, window: Callable[..., Watched], table: Path, look: str
) -> None:
    page = window(**LOOKS[look]).page
    upload(page, site, table)
    settled(page)
    assert page.locator("[aria-invalid], [role=alert]").count() == 0
    learn(page)
    wrong = page.locator("[name=label] + .wrong")
    expect(wrong).to_contain_text("not chosen")
    expect(page.locator("[name=label]")).to_be_focused()
    expect(page.locator(".sheet-row .wrong").first).to_have_text("needs both bounds")
    looked_at(page, f"{look}-errors")
    page.select_option("[name=label]", "ill")
    expect(wrong).to_have_count(0)
    page.get_by_label("Lower bound of age").fill("0")
    page.get_by_label("Upper bound of age").fill("old")
    page.get_by_label("Lower bound of bmi").fill("10")
    row = page.locator(".sheet-row", has=page.get_by_label("Use age"))
    expect(row.locator(".wrong")).to_contain_text("not a number")
    expect(row.locator("[aria-invalid]")).to_have_count(1)
    other = page.locator(".sheet-row", has=page.get_by_label("Use bmi"))  # still being edited
    expect(other.locator(".wrong")).to_have_text("needs an upper bound")
    looked_at(page, f"{look}-errors-left")
    page.fill("[name=epsilon]", "x")
    expect(page.locator("[name=epsilon] + .wrong")).to_be_visible()


def test_a_schema_is_pasted_and_rows_of_a_spreadsheet_too(
    site: Site, window: Callable[..., Watched], table: Path
) -> None:
    seen = window()
    page = seen.page
    upload(page, site, table)
    page.get_by_label("Lower bound of age").focus()
    page.evaluate(PASTE, "0\t120\n10\t60\n0\t1\n")
    expect(page.get_by_label("Upper bound of bmi")).to_have_value("60")
    page.get_by_label("More about bmi").click()
    expect(page.locator("dialog")).to_be_visible()
    looked_at(page, "dialog")
    page.locator("dialog [data-more=missing]").fill("25")
    page.locator("dialog [data-more=title]").fill("Body mass index")
    page.locator("dialog [data-more=unit]").fill("kg/m²")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_label("More about bmi")).to_be_focused()
    page.select_option("[name=label]", "ill")
    expect(page.locator("#schema-text")).to_contain_text('"missing": 25')
    expect(page.locator("#schema-text")).to_contain_text('"title": "Body mass index"')
    expect(page.locator("#schema-text")).to_contain_text('"unit": "kg/m')
    page.locator("summary", has_text="Fill it in from a schema").click()
    page.get_by_label("Paste it").fill('{"label": "ill", "columns": [{"name": "age"}]}')
    looked_at(page, "paste")
    with page.expect_response("**/schema"):
        page.get_by_role("button", name="Fill in the form").click()
    expect(page.get_by_role("alert")).to_contain_text("kind")
    assert len(seen.said) == 1  # the browser notes the status of a page that was refused
    assert "422" in seen.said.pop()


@pytest.mark.parametrize("look", LOOKS)
def test_work_shows_its_time_and_can_be_withdrawn(
    site: Site, window: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    site.books.make(epsilon="1", delta="0")
    go, learn_as = threading.Event(), making.learn_as

    def waiting(*args: object, **more: object) -> object:
        assert go.wait(timeout=60)
        return learn_as(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(making, "learn_as", waiting)
    page = window(**LOOKS[look]).page
    sample(page, site)
    page.check("[name=charge][value=ledger]")
    learn(page)
    expect(page.locator(".elapsed")).to_have_text("1 s")
    assert page.evaluate("document.querySelector('.bar').getBoundingClientRect().bottom <= innerHeight")
    looked_at(page, f"{look}-working")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#work")).to_contain_text("Stopping")
    go.set()
    expect(page.locator("#work")).to_contain_text("Nothing was charged")
    looked_at(page, f"{look}-cancelled")
    assert str(site.books.ledger.spent) == "epsilon 0"  # type: ignore[union-attr]
    learn(page)
    page.wait_for_url("**/learn/model/*")
    assert str(site.books.ledger.spent) == "epsilon 1"  # type: ignore[union-attr]


def test_a_table_can_be_dropped(site: Site, window: Callable[..., Watched], table: Path) -> None:
    page = window().page
    page.goto(f"{site.address}/learn")
    page.set_input_files("[name=file]", table)
    expect(page.locator("[data-drop-name]")).to_contain_text("patients.csv")
    box, field = page.locator(".drop").bounding_box(), page.locator(".drop input").bounding_box()
    assert box is not None
    assert field is not None
    assert (
        field["width"] >= box["width"] - 6
    )  # the field covers its zone, so that a drop anywhere lands in it
    assert field["height"] >= box["height"] - 6
    looked_at(page, "dropped")
