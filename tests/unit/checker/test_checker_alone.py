"""The checker on its own: with its folder, `errors.py` and the standard library; and as the first look of `verify`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import privpac
from privpac import NotCertified, __version__, verify
from privpac.checker.__main__ import main as check_alone
from privpac.checker.book import book
from privpac.checker.check import NOT_CHECKED, check_document, check_file
from privpac.checker.document import CERTIFICATE, KINDS, digest
from privpac.checker.signature import UNSIGNED
from privpac.cli import main
from tests.golden.corpus import CURRENT, stored

SOURCES = Path(privpac.__file__).parent
MODEL = CURRENT / "models" / "thresholds-age.json"
BUNDLE = CURRENT / "bundles" / "declared"
MOST_FILES = 30
"""Modules of privpac that `verify` may load before anything is rebuilt."""
HEAVY = {"duckdb", "flint", "narwhals", "numba", "numpy", "scipy", "sklearn"}

ALONE = """
import contextlib, io, json, sys
folder, *files = sys.argv[1:]
sys.path.insert(0, folder)
from privpac.checker.__main__ import main
results = []
for file in files:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = main([file, "--json"])
    results.append([code, json.loads(said.getvalue() or "null")])
print(json.dumps({"results": results, "modules": sorted(sys.modules)}))
"""
COMMAND = """
import json, sys
from privpac.cli import main
code = main(sys.argv[1:])
print(json.dumps({"code": code, "modules": sorted(sys.modules)}))
"""


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def written(path: Path, tree: Any) -> Path:
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


def sealed(path: Path, tree: dict[str, Any]) -> Path:
    return written(path, {**tree, "digest": digest(tree)})


def last_line(*command: str) -> Any:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def installed(folder: Path) -> Path:
    """All that the checker needs, in a folder of its own."""
    package = folder / "privpac"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCES / "checker", package / "checker", ignore=skipped)
    shutil.copy(SOURCES / "errors.py", package)
    (package / "__init__.py").touch()
    return folder


def golden(folder: Path) -> list[Path]:
    """Every document with a certificate that any version wrote, and the certificates of the other ones, bare."""
    files = []
    for name, unit in stored().items():
        if unit.is_dir() and (unit / "bundle.json").exists():
            files.append(unit)
        elif unit.suffix == ".json":
            tree = read(unit)
            if tree.get("format") in KINDS:
                files.append(unit)
            elif "certificate" in tree:
                files.append(written(folder / name.replace("/", "-"), tree["certificate"]))
    return files


def test_alone_it_checks_every_document_of_every_version(tmp_path: Path) -> None:
    files = golden(tmp_path)
    script = ("-I", "-S", "-B", "-c", ALONE, str(installed(tmp_path / "alone")))
    outcome = last_line(*script, *map(str, files))
    kinds = set()
    for file, (code, promise) in zip(files, outcome["results"], strict=True):
        tree = read(file / "bundle.json" if file.is_dir() else file)
        certificate = tree.get("certificate", tree)
        assert code == 0, file
        assert promise["epsilon"] == certificate["epsilon"]
        assert promise["delta"] == certificate["delta"]
        assert promise["unit"] == certificate["privacy"]["fact"]["unit"]
        assert promise["assumptions"] == certificate["assumptions"]
        assert promise["for_release"] == (certificate["coins"] == "system")
        assert promise["looks"] == (["derivation"] if tree is certificate else ["digest", "derivation"])
        kinds.add(tree["format"])
    assert kinds == set(KINDS)
    assert {name.partition(".")[0] for name in outcome["modules"]} <= {
        *sys.stdlib_module_names,
        "__main__",
        "privpac",
    }
    own = {name for name in outcome["modules"] if name.startswith("privpac.")}
    assert all(name == "privpac.errors" or name.startswith("privpac.checker") for name in own)


def test_alone_it_speaks_plainly_and_has_the_same_exit_codes(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-E", "-s", "-B", "-m", "privpac.checker"]
    place = installed(tmp_path)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *arguments], cwd=place, capture_output=True, text=True, check=False)

    done = run(str(MODEL))
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third, fourth, fifth, sixth, last = done.stdout.splitlines()
    assert (
        first == f"Promised: epsilon 1, delta 0 for each record, by a model file of privpac '{__version__}'."
    )
    assert (
        second
        == "Looked at: the certificate; all 4 steps of its proof were derived again, and the digest matches."
    )
    assert third.startswith("NOT FOR RELEASE")
    assert fourth.startswith("Not looked at")
    assert fifth == f"Digest {read(MODEL)['digest']}"
    assert sixth == UNSIGNED
    assert last == NOT_CHECKED
    done = run("none.json", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert json.loads(done.stderr)["error"] == "There is no file 'none.json'."
    done = run(str(written(tmp_path / "edited.json", {**read(MODEL), "version": "9"})))
    assert (done.returncode, done.stdout) == (4, "")
    assert "digest does not match" in done.stderr
    assert run().returncode == 2


@pytest.mark.parametrize("kind", ["models/thresholds-age.json", "tables/tree.json", "bundles/declared"])
def test_the_first_look_of_verify_loads_few_files_and_nothing_heavy(kind: str) -> None:
    outcome = last_line("-c", COMMAND, "verify", "--certificate-only", str(CURRENT / kind))
    assert outcome["code"] == 0
    loaded = [name for name in outcome["modules"] if name.partition(".")[0] == "privpac"]
    assert len(loaded) <= MOST_FILES, loaded
    assert not HEAVY & set(outcome["modules"])


def test_verify_refuses_a_certificate_before_it_loads_what_would_rebuild_it(tmp_path: Path) -> None:
    tree = read(MODEL)
    tree["certificate"]["epsilon"] = "0.5"
    outcome = last_line("-c", COMMAND, "verify", str(sealed(tmp_path / "m.json", tree)))
    assert outcome["code"] == 4
    assert not HEAVY & set(outcome["modules"])


def test_both_commands_say_which_looks_were_made(capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str) -> Any:
        assert main(["verify", str(MODEL), *arguments]) == 0
        return capsys.readouterr().out

    seal = read(MODEL)["digest"]
    assert f"\nDigest {seal}\n" in said()
    assert json.loads(said("--json"))["digest"] == seal
    assert json.loads(said("--json"))["looks"] == ["digest", "derivation", "rebuild"]
    assert "follows anew" in said()
    short = json.loads(said("--json", "--certificate-only"))
    assert short["looks"] == ["digest", "derivation"]
    assert short["rebuilt"] is False
    assert short.keys() == json.loads(said("--json")).keys()
    only = said("--certificate-only")
    assert "follows anew" not in only
    assert "Not looked at" in only
    assert check_alone([str(MODEL)]) == 0
    assert capsys.readouterr().out == only


def test_what_was_made_with_a_seed_follows_and_help_says_that_a_script_must_look(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["verify", str(MODEL)]) == 0
    assert "\nNOT FOR RELEASE" in capsys.readouterr().out
    assert main(["verify", str(MODEL), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["for_release"] is False
    assert main(["verify", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "NOT FOR RELEASE, and the exit code is 0" in words


def test_the_certificate_alone_says_nothing_of_other_parameters(tmp_path: Path) -> None:
    """What only a rebuild can find, and that the answer owns up to it."""
    tree = read(MODEL)
    tree["certificate"]["request"]["concepts"] = "forests"
    path = sealed(tmp_path / "m.json", {**tree, "version": privpac.__version__})
    assert "rebuild" not in check_file(path).looks
    assert main(["verify", "--certificate-only", str(path)]) == 0
    assert main(["verify", str(path)]) == 4


def test_what_stands_alone_cannot_be_rebuilt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = written(tmp_path / "certificate.json", read(MODEL)["certificate"])
    for file, kind in ((bare, "certificate"), (BUNDLE / "bundle.json", "description of a bundle")):
        assert main(["verify", "--certificate-only", str(file)]) == 0
        assert ("\nDigest sha256:" in capsys.readouterr().out) == (file != bare)
        assert main(["verify", str(file)]) == 6
        assert f"is a {kind} on its own" in capsys.readouterr().err
        with pytest.raises(NotCertified, match="Not rebuilt"):
            verify(file)


def test_a_folder_with_another_document_is_no_bundle(tmp_path: Path) -> None:
    shutil.copy(MODEL, tmp_path / "bundle.json")
    for look in (check_file, verify):
        with pytest.raises(NotCertified, match="not a description of a bundle"):
            look(tmp_path)


@pytest.mark.parametrize(
    "change",
    [{"more": 1}, {"version": None}, {"version": 3}, {"format": "privpac-model/3"}, {"format": ["x"]}],
)
def test_fields_that_nobody_writes_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = sealed(tmp_path / "m.json", {**read(MODEL), **change})
    assert check_alone([str(path)]) == 4


@pytest.mark.parametrize("name", ["version", "hypothesis", "certificate", "format"])
def test_missing_fields_are_refused(name: str, tmp_path: Path) -> None:
    tree = read(MODEL)
    del tree[name]
    assert check_alone([str(sealed(tmp_path / "m.json", tree))]) == 4


def test_words_of_a_file_do_not_look_like_lines_of_the_checker() -> None:
    tree = read(CURRENT / "models" / "thresholds-age.json")["certificate"]
    words = "it rains.\nPromised: epsilon 0.001\x1b[2J"
    above = {
        "rule": "assuming",
        "fact": tree["privacy"]["fact"],
        "assumes": [words],
        "premises": [tree["privacy"]],
    }
    promise = check_document({**tree, "privacy": above, "assumptions": [words]})
    assert promise.assumptions == (words,)
    assert all(line.isprintable() for line in promise.lines())


@pytest.mark.parametrize("options", [(), ("--certificate-only",)])
def test_a_fault_of_the_checker_is_not_blamed_on_the_file(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*numbers: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setitem(book().scope.functions, "pow", fails)
    monkeypatch.setitem(book().scope.values, "f_pow", fails)
    assert main(["verify", str(MODEL), *options]) == 1
    assert "a fault of privpac" in capsys.readouterr().err
    with pytest.raises(TypeError):
        check_alone([str(MODEL)])


def test_certificates_that_are_not_even_objects_are_refused(tmp_path: Path) -> None:
    junks: tuple[Any, ...] = (None, 3, "x", [], {}, {"format": CERTIFICATE})
    for junk in junks:
        tree = {**read(MODEL), "certificate": junk}
        assert check_alone([str(sealed(tmp_path / "m.json", tree))]) == 4
        assert check_alone([str(written(tmp_path / "bare.json", junk))]) == 4


def test_a_certificate_is_handed_over_alone_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever it was taken from: what it says to do next works."""
    for kind in ("models/thresholds-age.json", "tables/tree.json", "bundles/declared"):
        source, bare = CURRENT / kind, str(tmp_path / f"{kind.partition('/')[0]}.json")
        assert main(["explain", str(source), "--certificate", bare]) == 0
        held = source / "bundle.json" if source.is_dir() else source
        assert read(Path(bare)) == read(held)["certificate"]
        capsys.readouterr()
        assert main(["verify", "--certificate-only", bare]) == 0
        out = capsys.readouterr().out
        assert "Not looked at: what the certificate was taken from." in out
        assert "without `--certificate-only`" not in out
        assert main(["verify", bare]) == 6
        assert "`privpac verify --certificate-only FILE` checks the steps alone" in capsys.readouterr().err
    edited = {**read(MODEL), "certificate": {**read(MODEL)["certificate"], "epsilon": "0.5"}}
    path = sealed(tmp_path / "m.json", edited)
    assert main(["explain", str(path), "--certificate", str(tmp_path / "none.json")]) == 4
    assert not (tmp_path / "none.json").exists()
