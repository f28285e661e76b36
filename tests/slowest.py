"""The table of the slowest fifty tests in tests/README.md, written anew: `make slowest`.

As a plugin of pytest (`-p tests.slowest`) it adds to the report of `--junit-xml` what each test takes of a processor,
with its set-up, its tear-down and the processes it has waited for: on a busy machine that stays the same. As a program
it reads such a report and writes the table.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

__all__ = ["pytest_runtest_setup", "pytest_runtest_teardown", "replaced", "rows", "table"]

README = Path(__file__).with_name("README.md")
COUNT = 50
BETWEEN = re.compile(r"(<!-- slowest -->\n).*?(<!-- end -->)", re.DOTALL)
BEGAN = pytest.StashKey[float]()
CPU = "cpu"


def _cpu() -> float:
    """Seconds of a processor: of this process, and of those that it has started and that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test begins."""
    item.stash[BEGAN] = _cpu()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """A test has ended once everything of it is cleared away."""
    yield
    item.user_properties.append((CPU, f"{_cpu() - item.stash[BEGAN]:.4f}"))


def rows(report: str) -> list[tuple[float, str]]:
    """Seconds and name of every test of a report, the slowest first."""
    cases = ElementTree.fromstring(report).iter("testcase")
    timed = [(_seconds(case), f"{case.get('classname')}::{case.get('name')}") for case in cases]
    return sorted(timed, key=lambda row: (-row[0], row[1]))


def _seconds(case: ElementTree.Element) -> float:
    (taken,) = (one.get("value", "") for one in case.iter("property") if one.get("name") == CPU)
    return float(taken)


def table(report: str, today: date) -> str:
    """The report in Markdown: when, how many tests, their sum, and the slowest of them."""
    timed = rows(report)
    total = sum(seconds for seconds, _ in timed)
    shown = timed[:COUNT]
    share = sum(seconds for seconds, _ in shown) / total if total else 0
    lines = [
        f"Measured on {today.isoformat()}: {len(timed):,} tests, {total:,.0f} seconds of a processor in all;"
        f" the {len(shown)} slowest take {share:.0%} of them.",
        "",
        "| Seconds | Test |",
        "|---:|---|",
        *(f"| {seconds:.1f} | `{_in_a_cell(name)}` |" for seconds, name in shown),
    ]
    return "\n".join(lines)


def _in_a_cell(name: str) -> str:
    return name.removeprefix("tests.").replace("|", "\\|").replace("`", "'")


def replaced(page: str, text: str) -> str:
    """The page with `text` between its two marks."""
    if not BETWEEN.search(page):
        raise SystemExit(
            "tests/README.md has lost its marks <!-- slowest --> and <!-- end -->: put them back"
        )
    return BETWEEN.sub(lambda marks: f"{marks[1]}\n{text}\n\n{marks[2]}", page)


def main() -> None:
    """Write the table of the report named on the command line."""
    report = Path(sys.argv[1]).read_text(encoding="utf-8")
    README.write_text(
        replaced(README.read_text(encoding="utf-8"), table(report, date.today())), encoding="utf-8"
    )
    print(f"tests/README.md shows the slowest {COUNT} of {len(rows(report)):,} tests.")


if __name__ == "__main__":
    main()
