"""The Verify page in a real browser, as a file and from a plain static server: headless Chromium, all else blocked."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from privpac import learn
from privpac.checker.document import digest
from privpac.checker.signature import Receipt, with_signature
from privpac.service.pages.verify.folder import contents, write_page
from privpac.signing.keys import SigningKey
from tests.slow.browsing import axe_violations, still

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
PATIENCE = 60_000
"""Milliseconds until the checker is ready, on a busy machine."""
MOST_SECONDS = 3.0
"""For one model, once the page is ready."""
MOST_SECONDS_TO_OPEN = 1.0
"""Until the checker is ready. A machine that does nothing else takes a fifth of that."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page in a folder of a server, not at its root."""
    served = tmp_path_factory.mktemp("served")
    write_page(served / "some" / "where")
    return served


ASKED: list[str] = []
"""What any server of these tests was asked for."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        ASKED.append(self.path)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """What `python -m http.server` does: no header of ours."""
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder)
    ) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


def accessible(page: Page) -> None:
    """axe finds nothing on the page as it is now."""
    still(page)
    violations = axe_violations(page)
    assert violations == [], violations


class Reader:
    """A person at the page. The console must stay silent, and nobody else be asked."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.outside: list[str] = []
        self.said: list[str] = []
        self.context, self.place = context, f"{address}/some/where/"
        context.route("**/*", self._route)
        self.page = context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(f"{self.place}index.html")

    def _route(self, route: Any) -> None:
        url = route.request.url
        if url.startswith((self.place, "blob:")):
            route.continue_()
        else:
            self.outside.append(url)
            route.abort()

    def ready(self) -> Reader:
        expect(self.page.locator("#state[data-now=ready]")).to_be_visible(timeout=PATIENCE)
        return self

    def bring(self, *files: Path) -> str:
        """Choose files; the headline of the verdict."""
        self.page.evaluate("() => document.getElementById('result').replaceChildren()")
        self.page.set_input_files("#file", list(files))
        return self.verdict()

    def verdict(self) -> str:
        expect(self.page.locator(".verdict h2")).to_be_visible(timeout=PATIENCE)
        expect(self.page.locator("#state[data-now=ready]")).to_be_visible(timeout=PATIENCE)
        return self.page.locator(".verdict h2").inner_text()

    @property
    def sentence(self) -> str:
        return self.page.locator(".said").inner_text()

    @property
    def seconds(self) -> float:
        found = re.search(r"Checked in ([\d.]+) seconds", self.page.locator("#state").inner_text())
        assert found
        return float(found[1])

    def picture(self, name: str) -> None:
        """For people to look at, if they ask for it."""
        if place := os.environ.get("PRIVPAC_SCREENSHOTS"):
            self.page.screenshot(path=Path(place) / f"{name}.png", full_page=True)


@pytest.fixture
def reader(browser: Browser, server: str) -> Iterator[Callable[..., Reader]]:
    opened: list[Reader] = []

    def come(**options: Any) -> Reader:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        opened.append(Reader(context, server))
        return opened[-1]

    yield come
    for one in opened:
        assert one.outside == []
        assert one.said == []
        one.context.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A model for release, signed and unsigned, what belongs to it, and what a forger makes of it."""
    place = tmp_path_factory.mktemp("files")
    ages = [i * 7919 % 100 for i in range(1200)]
    columns = [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}]
    schema = {"label": "ill", "classes": ["no", "yes"], "columns": columns}
    table = {"age": ages, "ill": ["yes" if age >= 60 else "no" for age in ages]}
    tree = learn(table, schema=schema, concepts="thresholds:age", epsilon=1, records_per_person=2).to_json()
    key = SigningKey.make()
    signature = key.sign(tree, signer="Data office", receipt=Receipt("c0ffee00" * 4, 17, "ab" * 32))
    text = json.dumps(tree)
    weaker = {**tree, "certificate": {**tree["certificate"], "epsilon": "0.5"}}
    stray = {**tree, "certificate": {**tree["certificate"], "assumptions": []}}
    for forged in (weaker, stray):
        forged["digest"] = digest(forged)
    made = {
        "model.json": text,
        "signed.json": json.dumps(with_signature(tree, signature)),
        "signature.json": json.dumps(signature.to_json()),
        "impostor.json": json.dumps({**signature.to_json(), "signer": "Minister"}),
        "trusted.txt": f"# keys we know\n{key.public_text} Data office, St. Anna\n",
        "changed.json": text.replace('"yes"', '"yet"', 1),
        "weaker.json": json.dumps(weaker),
        "stray.json": json.dumps(stray),
        "cut.json": text[:-30],
        "code.json": '{"format": "privpac-model/2", "constructor": {"prototype": {}}, '
        '"__proto__": {"x": "<img src=x onerror=1>"}}',
        "markup.json": "<script>document.title = 'taken'</script>",
        "words.txt": "Dear Sir or Madam",
        "nested.json": "[" * 200_000,
        "many.json": "[" + "0," * 9_000_000 + "0]",
    }
    for name, content in made.items():
        (place / name).write_text(content, encoding="utf-8")
    with (place / "huge.json").open("wb") as stream:
        stream.truncate(33 << 20)
    return {path.name: path for path in place.iterdir()}


def dropped(reader: Reader, *paths: Path) -> None:
    """Drag the files over the window and let go."""
    held = reader.page.evaluate_handle(
        "(files) => { const held = new DataTransfer();"
        " for (const [name, text] of files) held.items.add(new File([text], name)); return held; }",
        [[path.name, path.read_text("utf-8")] for path in paths],
    )
    reader.page.dispatch_event("body", "dragover", {"dataTransfer": held})
    expect(reader.page.locator("#drop")).to_have_class(re.compile("over"))
    reader.page.dispatch_event("body", "drop", {"dataTransfer": held})


def test_a_file_is_dropped_before_the_checker_is_ready(
    reader: Callable[..., Reader], files: dict[str, Path]
) -> None:
    """The verdict first, then who signed, what was not checked, what it means, why it holds; and no fault for axe."""
    one = reader()
    accessible(one.page)
    dropped(one, files["signed.json"], files["trusted.txt"])
    assert one.verdict() == "Verified"
    assert "Signed by Data office, St. Anna, charged as entry 17 of ledger c0ffee00" in one.sentence
    expect(one.page.locator(".verdict .facts")).to_contain_text("73.2")
    expect(one.page.locator(".verdict .released")).to_contain_text("a rule that predicts ill (no, yes)")
    expect(one.page.locator(".verdict")).to_contain_text("no person stands behind more than 2 records")
    expect(one.page.locator(".unseen")).to_contain_text("privpac verify FILE")
    headings = one.page.locator("#result h2").all_inner_texts()
    assert headings[:4] == ["Verified", "Who signed it", "What was not checked here", "What was checked"]
    assert headings[-2:] == ["Why it holds", "What the file says"]
    accessible(one.page)
    proofs = one.page.locator("details.proof")
    one.page.get_by_role("button", name="Unfold all").click()
    assert all(proofs.evaluate_all("all => all.map((one) => one.open)"))
    expect(one.page.locator(".why").first).to_contain_text("by ")
    accessible(one.page)
    one.picture("verify-signed")


def test_every_kind_of_stored_document_is_checked_in_time(reader: Callable[..., Reader]) -> None:
    one = reader().ready()
    models = sorted(GOLDEN.glob("*/models/*.json"), key=lambda path: path.stat().st_size)
    tables = sorted(GOLDEN.glob("*/tables/*.json"))
    bundles = sorted(GOLDEN.glob("*/bundles/*/bundle.json"))
    taken = {}
    for path in (*models[::9], models[-1], *tables[::3], *bundles[::5]):
        assert one.bring(path) == "Verified, but not for release", path  # drawn with known seeds
        taken[path] = one.seconds
    assert max(taken.values()) <= MOST_SECONDS, taken
    accessible(one.page)
    one.picture("verify-caution")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("changed.json", "its digest does not match"),
        ("weaker.json", "headline epsilon is smaller than the one derived"),
        ("stray.json", "assumptions are not the derivation's"),
        ("cut.json", "cannot be read"),
        ("code.json", "has no digest"),
        ("markup.json", "cannot be read"),
        ("words.txt", "cannot be read"),
        ("nested.json", "nested too deeply"),
        ("many.json", "too many values"),
    ],
)
def test_what_is_forged_or_foreign_is_refused(
    shared: Reader, files: dict[str, Path], name: str, reason: str
) -> None:
    assert shared.bring(files[name]) == "Refused"
    assert reason in shared.sentence
    assert shared.page.locator(".verdict .facts").count() == 0
    assert shared.page.title() == "Check a certificate · privpac"
    accessible(shared.page)


@pytest.fixture(scope="module")
def shared(browser: Browser, server: str) -> Iterator[Reader]:
    """One page for many files: each is judged by itself, whatever came before."""
    one = Reader(browser.new_context(), server).ready()
    yield one
    assert one.outside == []
    assert one.said == []
    one.context.close()


def test_a_file_too_large_to_read_is_neither_verified_nor_refused(
    shared: Reader, files: dict[str, Path]
) -> None:
    assert shared.bring(files["huge.json"]) == "Not checked"
    assert "more than 32 MB" in shared.sentence
    assert shared.bring(files["model.json"]) == "Verified"


def test_a_hostile_file_does_not_hang_the_page(shared: Reader, files: dict[str, Path]) -> None:
    """Thousands of steps that all hold are checked; the page draws some of them, and says how many it does not."""
    tree = json.loads(files["model.json"].read_text("utf-8"))
    fact = {**tree["certificate"]["privacy"]["fact"], "epsilon": {"log": "0", "factor": "1"}}
    del fact["records_per_person"]  # the steps are those of one record
    leaf = {"rule": "exponential-mechanism", "fact": fact, "where": {"ratio": "1", "sensitivity": 1}}
    tree["schema"]["label"] = "ill" * 1_000_000
    tree["certificate"] |= {
        "epsilon": "0",
        "assumptions": [],
        "privacy": {"rule": "sequential", "fact": fact, "premises": [leaf] * 5000},
    }
    path = files["model.json"].with_name("hostile.json")
    path.write_text(json.dumps({**tree, "digest": digest(tree)}), encoding="utf-8")
    assert shared.bring(path) == "Verified"
    expect(shared.page.locator(".proof").first).to_contain_text("4,501 more steps below were derived again")
    assert shared.page.evaluate("document.querySelectorAll('*').length") < 10_000


def test_signatures_beside_the_document(shared: Reader, files: dict[str, Path]) -> None:
    shared.page.get_by_role("button", name="Start over").click()
    assert shared.bring(files["model.json"]) == "Verified"
    assert "Nobody has signed it" in shared.sentence
    assert shared.bring(files["signature.json"]) == "Verified"
    assert "not on a list of yours" in shared.sentence
    assert shared.bring(files["trusted.txt"]) == "Verified"
    assert "Signed by Data office, St. Anna, charged as entry 17" in shared.sentence
    expect(shared.page.locator("#brought li")).to_have_count(3)
    assert shared.bring(files["impostor.json"]) == "Refused"
    assert "'Minister' is not that of its key" in shared.sentence
    shared.page.get_by_role("button", name="Start over").click()
    expect(shared.page.locator(".verdict")).to_have_count(0)
    expect(shared.page.locator("#brought li")).to_have_count(0)


def test_text_is_pasted_with_the_keyboard_alone(
    reader: Callable[..., Reader], files: dict[str, Path]
) -> None:
    one = reader(color_scheme="dark").ready()
    page = one.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.get_by_role("button", name="Paste text").focus()
    page.keyboard.press("Enter")
    accessible(page)
    page.keyboard.insert_text(files["model.json"].read_text("utf-8"))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert one.verdict() == "Verified"
    colours = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in colours[4:-1].split(",")) < 150
    accessible(page)
    one.picture("verify-dark")
    page.get_by_role("button", name="Switch between light and dark").click()
    accessible(page)


def test_a_phone_shows_everything_without_scrolling_sideways(
    reader: Callable[..., Reader], files: dict[str, Path]
) -> None:
    one = reader(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)

    def fits() -> None:
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 360

    fits()
    for names in (("signed.json",), ("weaker.json",), ("model.json", "trusted.txt")):
        one.bring(*(files[name] for name in names))
        fits()
        accessible(one.page)
    one.page.get_by_role("button", name="Unfold all").click()
    fits()
    one.picture("verify-phone")


def test_it_works_without_a_network_once_it_is_there(
    reader: Callable[..., Reader], files: dict[str, Path]
) -> None:
    one = reader().ready()
    one.context.set_offline(True)
    assert one.bring(files["model.json"]) == "Verified"


def test_not_even_its_workers_can_reach_another_place(
    reader: Callable[..., Reader], server: str, tmp_path: Path
) -> None:
    """The policy of the page holds in its workers, from a server that sends no policy at all."""
    one = reader().ready()
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path)
    ) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{other.server_address[1]}/stolen"
        for worker in one.page.workers:
            said = worker.evaluate(
                "(address) => new Promise((done) => {"
                " addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));"
                " fetch(address, { mode: 'no-cors' })"
                ".then(() => done('sent'), () => setTimeout(() => done('failed'), 500)); })",
                address,
            )
            assert said == "connect-src"
        assert len(one.page.workers) == 1
        other.shutdown()
    assert "/stolen" not in ASKED
    one.said.clear()  # the browser says what it refused
    paths = {urlsplit(path).path for path in ASKED}
    assert all(path.startswith("/some/where/") for path in paths)


def test_axe_finds_what_is_wrong(reader: Callable[..., Reader]) -> None:
    """A page with a picture that has no words: the check above can fail."""
    one = reader()
    one.page.evaluate("() => document.getElementById('result').append(document.createElement('img'))")
    with pytest.raises(AssertionError, match="image-alt"):
        accessible(one.page)


def test_it_opens_from_a_file(browser: Browser, folder: Path, files: dict[str, Path]) -> None:
    """No server at all: what a memory stick holds, or an attachment that was unpacked."""
    one = Reader(browser.new_context(), folder.as_uri()).ready()
    assert one.bring(files["signed.json"], files["trusted.txt"]) == "Verified"
    assert "Signed by Data office, St. Anna" in one.sentence
    assert one.bring(files["weaker.json"]) == "Refused"
    one.page.get_by_role("link", name="the rule book").click()
    assert one.page.url == f"{one.place}rules.txt"
    assert "rule exponential-mechanism: privacy" in one.page.inner_text("body")
    assert one.outside == []
    assert one.said == []
    one.context.close()


def test_a_false_condition_is_shown_as_the_book_has_it(shared: Reader, files: dict[str, Path]) -> None:
    tree = json.loads(files["model.json"].read_text("utf-8"))
    tree["certificate"]["privacy"]["where"]["size"] = 3
    path = files["model.json"].with_name("larger.json")
    path.write_text(json.dumps({**tree, "digest": digest(tree)}), encoding="utf-8")
    assert shared.bring(path) == "Refused"
    assert shared.sentence.endswith("this does not hold:")
    formula = shared.page.locator(".unheld").inner_text()
    assert formula == "fact.records_per_person == size and p.records_per_person == 1"
    accessible(shared.page)


def test_a_check_without_end_is_stopped(reader: Callable[..., Reader], files: dict[str, Path]) -> None:
    """A worker that never answers one file: the page says so, and a new worker takes the next."""
    one = reader()
    one.context.unroute("**/*")
    script = contents()["verify.js"].decode()
    endless = script.replace("const SECONDS = 60;", "const SECONDS = 1;").replace(
        "postMessage({ id, found: looker",
        "while (brought[0].name === 'weaker.json'); postMessage({ id, found: looker",
    )
    one.context.route(
        "**/verify.js", lambda route: route.fulfill(body=endless, content_type="text/javascript")
    )
    one.page.reload()
    assert one.ready().bring(files["weaker.json"]) == "Not checked"
    assert "took more than 1 seconds and was stopped" in one.sentence
    assert one.bring(files["model.json"]) == "Verified"


def test_it_opens_at_once(reader: Callable[..., Reader]) -> None:
    """The best of five; reading the book and getting the worker ready included."""
    one = reader().ready()
    taken = []
    for _ in range(5):
        one.page.reload()
        one.ready()
        taken.append(one.page.evaluate("performance.getEntriesByName('ready')[0].startTime") / 1000)
    assert min(taken) <= MOST_SECONDS_TO_OPEN, taken
