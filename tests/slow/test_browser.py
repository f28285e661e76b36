"""The pages in a real browser, where a script, a pointer or a keyboard matters.

A person plans, learns a tree from an uploaded table, reads its certificate, and lets a budget run out; with a mouse and
with the keyboard alone, in light and dark, on a desk and on a phone. The console must stay silent throughout.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.slow.browsing import (
    LOOKS,
    Site,
    Watched,
    browser,
    declare,
    learn,
    looked_at,
    picture,
    site,
    table,
    upload,
    window,
)

__all__ = ["browser", "site", "table", "window"]


def whole(page: Page) -> None:
    """After a swap the page is one page: each landmark and each id once, no card in another, one chart."""
    for landmark in ("main", "header", "#answer", "h1", "figure.chart", "#command-plan"):
        expect(page.locator(landmark)).to_have_count(1)
    assert page.locator(".card .card").count() == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(found => found.id)")
    assert len(ids) == len(set(ids)), sorted(ids)
    names = page.evaluate(
        "[...document.querySelectorAll('section.card > h2, .titled h2')].map(found => found.textContent)"
    )
    assert len(names) == len(set(names)), names


def test_planning_moves_the_curves_while_a_person_types(site: Site, window: Callable[..., Watched]) -> None:
    page = window().page
    page.get_by_role("link", name="Plan", exact=True).click()
    page.select_option("[name=concepts]", "thresholds")
    page.fill("[name=bits]", "16")
    page.wait_for_selector(".plot[data-drawn] svg")
    expect(page.locator(".figure strong")).not_to_have_text("")
    before, line = page.locator(".figure strong").inner_text(), "[aria-label='line'] path"
    drawn = page.locator(line).first.get_attribute("d")
    page.fill("[name=error]", "0.2")
    expect(page.locator(".figure strong")).not_to_have_text(before)
    expect(page.locator(line).first).not_to_have_attribute("d", str(drawn))
    page.wait_for_url("**error=0.2*")
    expect(page.locator(".plot svg").get_by_text("proved", exact=True)).to_have_count(1)
    expect(page.locator(".plot svg").get_by_text("impossible below", exact=True)).to_have_count(1)
    page.fill("[name=error]", "0.9")
    expect(page.get_by_role("alert")).to_contain_text("Error is")
    page.fill("[name=error]", "0.2")
    page.wait_for_url("**error=0.2*")
    page.reload()
    expect(page.locator("[name=error]")).to_have_value("0.2")
    page.locator("label", has=page.locator("[name=question][value=reachable]")).click()
    page.fill("[name=records]", "500")
    page.get_by_role("button", name="Simulate").click()
    expect(page.locator("#simulated")).to_contain_text("privacy cost", timeout=60_000)
    whole(page)
    picture(page, "plan-simulated")


def test_from_an_uploaded_table_to_a_certificate_and_an_empty_budget(
    site: Site, window: Callable[..., Watched], table: Path
) -> None:
    page = window().page
    page.goto(f"{site.address}/budget")
    page.fill("[name=epsilon]", "1.5")
    page.get_by_role("button", name="Open the ledger").click()
    expect(page.locator(".figure strong")).to_have_text("epsilon 1.5")

    upload(page, site, table)
    expect(page.locator("#bill")).to_contain_text("Choose the label and fill in")
    declare(page, epsilon="1")
    expect(page.locator("#bill .facts")).to_contain_text("0.5")
    learn(page)
    page.wait_for_url("**/learn/model/*")
    expect(page.locator("figure.rule svg")).to_be_visible()
    expect(page.locator("figure.rule")).to_contain_text("smoker is true")
    with page.expect_download() as taken:
        page.get_by_role("link", name="Model file").click()
    assert taken.value.suggested_filename == "model.json"

    page.get_by_role("link", name="Read the certificate").click()
    expect(page.locator("h1")).to_contain_text("(1, 0)-DP")
    page.wait_for_load_state()  # before that, buttons that need a script do nothing
    proofs = page.locator("details.proof")
    page.get_by_role("button", name="Unfold all").click()
    assert all(proofs.evaluate_all("all => all.map((one) => one.open)"))
    page.get_by_role("button", name="Fold all", exact=True).click()
    assert not any(proofs.evaluate_all("all => all.map((one) => one.open)"))
    page.locator("details.proof > summary").first.click()
    assert proofs.first.evaluate("one => one.open")
    page.get_by_role("button", name="Check it again").click()
    expect(page.locator("#checked .badge")).to_have_text("Verified")

    upload(page, site, table)
    declare(page, epsilon="1")
    expect(page.locator("#price")).to_contain_text("The budget does not suffice")
    page.fill("[name=epsilon]", "0.5")
    expect(page.locator("#bill .facts")).to_contain_text("epsilon 0")
    expect(page.locator("#price")).not_to_contain_text("does not suffice")
    learn(page)
    page.wait_for_url("**/learn/model/*")
    page.goto(f"{site.address}/budget")
    expect(page.locator(".figure strong")).to_have_text("epsilon 0")
    expect(page.locator("main")).to_contain_text("The budget is spent")
    looked_at(page, "budget-spent")
    expect(page.locator(".badge")).to_have_text("Every entry verified")
    page.wait_for_selector(".plot[data-drawn] svg")
    assert str(site.books.ledger.left) == "epsilon 0"  # type: ignore[union-attr]


def test_the_keyboard_alone_is_enough(site: Site, window: Callable[..., Watched]) -> None:
    """Skip link, navigation, a choice, a number, a fold: by Tab, arrows, space and Enter."""
    page = window().page

    def focused() -> str:
        return str(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.name"))

    page.keyboard.press("Tab")
    assert focused() == "Skip to the content"
    for _ in range(2):
        page.keyboard.press("Tab")
    assert focused() == "Plan"
    page.keyboard.press("Enter")
    page.wait_for_url("**/plan")
    page.wait_for_selector(".plot[data-drawn] svg")
    page.locator("[name=question]").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".figure")).to_contain_text("error is proved")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".figure")).to_contain_text("epsilon is enough")
    ring = page.locator(".segments input:focus-visible + span")
    assert ring.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    page.keyboard.type("O")  # the select jumps to "One test …"
    expect(page.locator("#answer .over").first).to_contain_text("one-test")
    page.get_by_text("Where the numbers come from").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".sources").last).to_be_visible()
    assert page.locator("main :is(input, select, textarea):not([type=hidden])").evaluate_all(
        "all => all.every((one) => one.labels.length > 0)"
    )


def test_light_and_dark_by_the_system_and_by_the_switch(site: Site, window: Callable[..., Watched]) -> None:
    page = window(color_scheme="dark").page

    def brightness() -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour[4:-1].split(","))

    assert brightness() < 150
    page.get_by_role("button", name="Switch between light and dark").click()
    assert brightness() > 600
    page.goto(f"{site.address}/plan")
    assert brightness() > 600  # remembered
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert brightness() < 150


def test_a_phone_shows_everything_without_scrolling_sideways(
    site: Site, window: Callable[..., Watched], table: Path
) -> None:
    site.books.make(epsilon="1", delta="0")
    site.books.ledger.charge(epsilon="0.25", note="learn trees:2")  # type: ignore[union-attr]
    page = window(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True).page

    def fits() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url

    fits()
    for address in ("plan?concepts=intervals&bits=8", "learn", "certificate", "budget"):
        page.goto(f"{site.address}/{address}")
        if "plan" in address or "budget" in address:
            page.wait_for_selector(".plot[data-drawn] svg")
        fits()
    upload(page, site, table)
    fits()


def test_a_second_browser_and_another_site_stay_outside(
    browser: Browser, site: Site, window: Callable[..., Watched]
) -> None:
    token = site.gate.token
    window()
    context = browser.new_context()
    other = context.new_page()
    other.goto(f"{site.address}/?token={token}")
    expect(other.locator("main")).to_contain_text("used already")
    form = f"<form method=post action={site.address}/budget/make><input name=epsilon value=9></form>"
    other.goto(f"data:text/html,{form}")
    other.evaluate("document.forms[0].submit()")
    other.wait_for_url(f"{site.address}/budget/make")
    assert site.books.ledger is None
    context.close()


SCHEMA = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
        {"name": "smoker", "kind": "boolean"},
    ],
}


EAGER = """document.addEventListener("readystatechange", () => {
  const choice = document.querySelector("#plan-form [name=concepts]");
  if (document.readyState !== "interactive" || !choice) return;
  choice.value = "thresholds";
  choice.dispatchEvent(new Event("input", { bubbles: true }));
});"""
"""A person who chooses before any script of the page has run."""


def test_a_choice_made_while_the_page_still_loads_is_answered(
    site: Site, window: Callable[..., Watched]
) -> None:
    page = window(**LOOKS["desk"]).page
    page.add_init_script(EAGER)
    page.goto(f"{site.address}/plan")
    expect(page.locator("#command-plan")).to_contain_text("--concepts thresholds")
    assert page.input_value("[name=concepts]") == "thresholds"


@pytest.mark.parametrize("look", LOOKS)
def test_a_plan_from_a_schema_and_a_budget_with_a_delta(
    site: Site, window: Callable[..., Watched], look: str
) -> None:
    page = window(**LOOKS[look]).page
    page.goto(f"{site.address}/plan")
    page.locator("summary", has_text="Plan from a schema file").click()
    page.get_by_label("Paste it").fill(json.dumps(SCHEMA))
    looked_at(page, f"{look}-plan-paste")
    page.get_by_role("button", name="Plan for it").click()
    expect(page.locator(".described")).to_contain_text("2 columns, label ill")
    page.select_option("[name=concepts]", "thresholds")
    expect(page.locator("#command-plan")).to_contain_text("thresholds:age")
    page.wait_for_selector(".plot[data-drawn] svg")
    looked_at(page, f"{look}-plan-schema")
    whole(page)
    page.goto(f"{site.address}/budget")
    page.fill("[name=epsilon]", "2")
    page.fill("[name=delta]", "1e-6")
    looked_at(page, f"{look}-budget-none")
    page.get_by_role("button", name="Open the ledger").click()
    expect(page.locator(".figure strong")).to_contain_text("rho")
    page.wait_for_load_state()
    site.books.ledger.charge(epsilon="0.5", note="learn trees:2")  # type: ignore[union-attr]
    page.reload()
    page.wait_for_selector(".plot[data-drawn] svg")
    page.locator("summary", has_text="What is promised").click()
    looked_at(page, f"{look}-budget-rho")
