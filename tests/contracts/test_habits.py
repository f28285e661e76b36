"""What is written in several places about the project itself agrees: version, dates, Pythons, pinned libraries."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import subprocess
import time
import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import privpac
from privpac.theory import statement
from tests.golden.corpus import RELEASED
from tests.slow import conftest as slow
from tests.slowest import replaced, rows, table
from tests.together import together

ROOT = Path(__file__).resolve().parents[2]
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
DATED = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")
PIN = re.compile(r"([a-z0-9-]+)==([\w.+!]+)")
KINDS = ("Security", "Added", "Changed", "Deprecated", "Removed", "Fixed")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(_text("pyproject.toml"))["project"]
    return project


def _releases() -> list[tuple[Version, date]]:
    """Dated headings of the changelog, in its order: the newest first."""
    return [
        (Version(number), date.fromisoformat(day)) for number, day in DATED.findall(_text("CHANGELOG.md"))
    ]


# Tests


def test_tests_run_with_a_collector_of_garbage_that_leaves_tests_alone() -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


# Versions


def test_the_changelog_is_unreleased_changes_and_then_dated_releases_the_newest_first() -> None:
    first, *others = HEADING.findall(_text("CHANGELOG.md"))
    assert first == "[Unreleased]"
    assert others
    assert all(DATED.fullmatch(heading) for heading in others)
    assert _releases() == sorted(_releases(), reverse=True)


def test_the_changelog_uses_the_headings_of_its_format_and_security_comes_first() -> None:
    for part in _text("CHANGELOG.md").split("\n## ")[1:]:
        headings = re.findall(r"^### (.+)$", part, re.MULTILINE)
        assert headings == [kind for kind in KINDS if kind in headings]


def test_the_version_is_the_last_release_or_on_the_way_to_the_next() -> None:
    current, last = Version(privpac.__version__), _releases()[0][0]
    assert current == last or (current > last and current.is_prerelease)


def test_what_is_cited_is_the_last_release() -> None:
    citation = yaml.safe_load(_text("CITATION.cff"))
    assert (Version(str(citation["version"])), citation["date-released"]) == _releases()[0]


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("docs/reference/bibliography.md", r'"privpac ([\d.]+), statement'),
        ("docs/reference/bibliography.md", r"learning\. Version ([\d.]+), \d{4}\.$"),
        ("docs/compare/index.md", r"^\| \*\*privpac\*\* ([\d.]+) \|"),
    ],
)
def test_pages_that_name_a_release_name_the_last_one(page: str, place: str) -> None:
    assert [Version(text) for text in re.findall(place, _text(page), re.MULTILINE)] == [_releases()[0][0]]


def test_every_release_has_its_stored_documents() -> None:
    assert [Version(version) for version in RELEASED] == [version for version, _ in reversed(_releases())]


def test_the_version_stands_in_one_place() -> None:
    assert "version" in _project()["dynamic"]
    assert "version" not in _project()


# Citation


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/reference/index.md"])
def test_who_wants_to_cite_finds_how(page: str) -> None:
    assert re.search(r"\[[^\]]*[Cc]ite[^\]]*\]\([^)]*bibliography\.md#how-to-cite\)", _text(page))
    assert "\n## How to cite\n" in _text("docs/reference/bibliography.md")


def test_the_citation_names_every_paper_of_the_register() -> None:
    references = yaml.safe_load(_text("CITATION.cff"))["references"]
    cited = {"–".join(author["family-names"] for author in entry["authors"]) for entry in references}
    papers = (statement.BBKN, statement.BNS, statement.CH, statement.DF, statement.LWY)
    assert cited == {paper.rpartition(" ")[0] for paper in papers}


# Constraints


def _pins() -> dict[str, str]:
    lines = [line for line in _text("constraints.txt").splitlines() if not line.startswith("#")]
    matches = [PIN.fullmatch(line) for line in lines]
    assert all(matches), "constraints.txt holds names and versions only, no addresses"
    return {match[1]: match[2] for match in matches if match}


def _requirements() -> list[Requirement]:
    project = _project()
    lines = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    return [Requirement(line) for line in lines]


@together(_requirements(), name=str)
def test_every_requirement_is_pinned_to_a_version_it_allows(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    if name == "privpac":
        assert set(requirement.extras) <= set(_project()["optional-dependencies"])
    else:
        assert requirement.specifier.contains(_pins()[name]), "run: make constraints"


# Hosted checks and hooks


def test_hosted_checks_run_what_anybody_runs_and_every_python_that_is_named() -> None:
    jobs = yaml.safe_load(_text(".github/workflows/ci.yml"))["jobs"]
    assert {"run": "bash .ci/run"} in jobs["everything"]["steps"]
    pythons = jobs["core"]["strategy"]["matrix"]["python"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(_project()["classifiers"]))
    assert pythons == named
    assert all(SpecifierSet(_project()["requires-python"]).contains(python) for python in pythons)


def test_hosted_checks_name_files_that_exist_and_pin_actions_by_their_major_version() -> None:
    steps = [
        step
        for job in yaml.safe_load(_text(".github/workflows/ci.yml"))["jobs"].values()
        for step in job["steps"]
    ]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]) for step in steps if "uses" in step)
    named = {place for step in steps for place in re.findall(r"(?:tests|\.ci)/[\w./-]+", step.get("run", ""))}
    assert named
    assert all((ROOT / place).exists() for place in named)


def test_hooks_download_nothing_and_their_tools_are_installed() -> None:
    settings = yaml.safe_load(_text(".pre-commit-config.yaml"))
    assert [place["repo"] for place in settings["repos"]] == ["local"]
    for hook in settings["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        python, flag, module, *_ = hook["entry"].split()
        assert (python, flag) == (".venv/bin/python", "-m")
        assert importlib.util.find_spec(module) is not None


TEXTS = frozenset({".css", ".html", ".js", ".json", ".md", ".py", ".sql", ".toml", ".ts", ".yaml", ".yml"})


def test_hooks_have_nothing_to_change() -> None:
    """Stored bytes are none of their business; a hook that wants to change some stops every commit."""
    excluded = re.compile(yaml.safe_load(_text(".pre-commit-config.yaml"))["exclude"])
    folders = (".ci", ".github", "benchmarks", "deploy", "docs", "examples", "reproductions", "src", "tests")
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in TEXTS and not excluded.search(name):
            content = path.read_bytes()
            assert not re.search(rb"[ \t]\r?\n", content), f"{name}: blanks at the end of a line"
            assert not content or (content[-1:] == b"\n" and content[-2:] != b"\n\n"), f"{name}: how it ends"


# What is long, and what is small


def test_what_make_test_leaves_out_is_run_by_two_other_targets_and_both_by_hosted_checks() -> None:
    options = tomllib.loads(_text("pyproject.toml"))["tool"]["pytest"]["ini_options"]["addopts"]
    assert "-m 'not long'" in options
    recipes = dict(re.findall(r"^(test\S*):.*\n((?:\t.*\n)+)", _text("Makefile"), re.MULTILINE))
    assert "pytest tests --ignore=tests/slow " in recipes["test"]
    assert "pytest tests/slow tests/contracts/test_docs.py " in recipes["test-programs"]
    assert '-m "slow or long"' in recipes["test-programs"]
    assert (
        "pytest tests --ignore=tests/slow -m long " in recipes["test-long"]
    )  # its programs need not be there
    assert re.search(r"^test-slow: test-programs test-long$", _text("Makefile"), re.MULTILINE)
    workflow = _text(".github/workflows/ci.yml")
    assert "- run: bash .ci/run\n" in workflow
    assert "- run: make test-long\n" in workflow


@pytest.mark.parametrize(
    "red",
    [(), ("make test",), ("make test-programs",), ("make test", "make test-programs")],
    ids=" and ".join,
)
def test_the_checks_run_both_and_name_what_failed(red: tuple[str, ...], tmp_path: Path) -> None:
    fails = "|".join(f'"{command}"' for command in red) or "nothing"
    run = _checks(tmp_path, f'echo "make $*"\ncase "make $*" in {fails}) exit 2;; esac\n')
    said, complaints = run.communicate(timeout=60)
    assert said.splitlines() == ["make test", "make test-programs"]
    assert complaints == "".join(f"FAILED: {command}\n" for command in red)
    assert (run.returncode == 0) == (not red)


def test_whoever_stops_the_checks_stops_what_make_has_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    run = _checks(tmp_path, f"sh -c 'echo $$ >> \"{pids}\"; exec sleep 600'\n")
    while not pids.exists() or len(pids.read_text().split()) < 2:
        time.sleep(0.01)
    run.terminate()
    run.communicate(timeout=60)
    for pid in pids.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def _checks(folder: Path, make: str) -> subprocess.Popen[str]:
    """The end of the script, with another `make`."""
    program = folder / "make"
    program.write_text(f"#!/bin/sh\n{make}")
    program.chmod(0o755)
    end = "set -euo pipefail\nmkdir .cache\n" + _text(".ci/run").partition(" lint docs")[2].partition("\n")[2]
    return subprocess.Popen(
        ["bash", "-c", end],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_all_of_the_slow_folder_is_slow_and_what_shares_a_server_stays_together() -> None:
    class Item:
        def __init__(self, path: str) -> None:
            self.path, self.marks = ROOT / path, list[object]()

        def add_marker(self, mark: object) -> None:
            self.marks.append(mark)

    server, elsewhere = items = Item("tests/slow/test_spark.py"), Item("tests/a.py")
    slow.pytest_collection_modifyitems(cast("list[pytest.Item]", list(items)))
    assert server.marks == ["slow", pytest.mark.xdist_group("test_spark")]
    assert elsewhere.marks == []


def test_a_case_is_long_if_its_test_names_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.conftest import pytest_collection_modifyitems")
    pytester.makeini("[pytest]\nmarkers =\n    long\n    long_cases")
    cases = '@pytest.mark.long_cases("b")\n@pytest.mark.parametrize("name", {})\ndef test_it(name): pass\n'
    pytester.makepyfile("import pytest\n" + cases.format(["a", "b"]))
    for asked, passed in (("long", 1), ("", 2)):
        pytester.inline_run("-m", asked, "-p", "no:cacheprovider").assertoutcome(passed=passed)
    pytester.makepyfile("import pytest\n" + cases.format(["a"]))
    assert pytester.inline_run("-p", "no:cacheprovider").ret == pytest.ExitCode.USAGE_ERROR


def test_cases_that_are_checked_together_fail_by_name_and_none_at_all_is_no_success() -> None:
    seen: list[int] = []

    def check(number: int) -> None:
        seen.append(number)
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as failed:
        together(range(1, 5), name=lambda number: f"number {number}")(check)()
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["in the case of number 1"],
        ["in the case of number 3"],
    ]
    assert seen == [1, 2, 3, 4]
    with pytest.raises(AssertionError, match="no case"):
        together([])(check)()


# The table of the slowest tests

REPORT = """<testsuites><testsuite>
<testcase classname="tests.unit.test_a" name="test_quick" time="9">
<properties><property name="cpu" value="0.25"/></properties></testcase>
<testcase classname="tests.unit.test_a" name="test_slow[a|b]" time="8">
<properties><property name="cpu" value="7.5"/></properties></testcase>
</testsuite></testsuites>"""


def test_the_slowest_tests_come_first_and_fit_into_a_table() -> None:
    assert [seconds for seconds, _ in rows(REPORT)] == [7.5, 0.25]
    shown = table(REPORT, date(2026, 1, 2)).splitlines()
    assert shown[0].startswith("Measured on 2026-01-02: 2 tests, 8 seconds of a processor in all")
    assert shown[-2:] == ["| 7.5 | `unit.test_a::test_slow[a\\|b]` |", "| 0.2 | `unit.test_a::test_quick` |"]


def test_a_report_says_what_a_test_takes_of_a_processor(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import subprocess, sys, time\n"
        "def test_waits(): time.sleep(0.3)\n"
        "def test_works():\n"
        "    work = 'import time\\nwhile time.process_time() < 0.3: pass'\n"
        "    subprocess.run([sys.executable, '-c', work], check=True)\n"
    )
    pytester.inline_run("-p", "tests.slowest", "-p", "no:cacheprovider", "--junit-xml=report.xml")
    (works, _), (waits, name) = rows((pytester.path / "report.xml").read_text(encoding="utf-8"))
    assert name.endswith("test_waits")
    assert waits < 0.2 < works


def test_the_table_replaces_the_former_one_and_nothing_else() -> None:
    page = "before\n<!-- slowest -->\n\nold\n\n<!-- end -->\nafter\n"
    once = replaced(page, "new \\1")
    assert once == "before\n<!-- slowest -->\n\nnew \\1\n\n<!-- end -->\nafter\n"
    assert replaced(once, "new \\1") == once
    assert replaced(_text("tests/README.md"), "x") != _text("tests/README.md")
