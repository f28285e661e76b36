"""The Verify page without a browser: what stands in its folder, who writes it and who serves it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from privpac.checker.book import book
from privpac.cli import main
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from privpac.service.pages.verify.folder import contents, write_page
from privpac.service.pages.verify.joined import joined
from privpac.service.pages.verify.policy import POLICY
from privpac.service.pages.visitors import TokenGate
from tests.pages.conftest import HOST, ORIGIN

PACKAGE = Path(str(files("privpac")))


class TestFolder:
    def test_the_same_sources_make_the_same_folder(self) -> None:
        assert contents() == contents()

    def test_the_page_holds_no_script_of_its_own_and_asks_nobody(self, tmp_path: Path) -> None:
        write_page(tmp_path)
        page = (tmp_path / "index.html").read_text("utf-8")
        assert f'content="{POLICY}"' in page
        assert "{{" not in page
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bon\w+=|\bstyle=", page)
        named = re.findall(r'(?:src|href)="([^"#]+)"', page)
        assert named
        assert all((tmp_path / name).is_file() for name in named)
        for path in [*tmp_path.glob("*.js"), *tmp_path.glob("*.css"), tmp_path / "index.html"]:
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://|\beval\(|innerHTML|insertAdjacentHTML|document\.write", text), (
                path
            )

    def test_the_script_holds_every_module_once_and_the_book_as_it_is(self) -> None:
        script, sources = contents()["verify.js"].decode(), {}
        for folder in (PACKAGE / "checker" / "js", PACKAGE / "service" / "pages" / "verify" / "static"):
            sources |= {path.stem: path.read_text("utf-8") for path in folder.glob("*.js")}
        assert sorted(re.findall(r"^// --- (\w+)\.js$", script, re.MULTILINE)) == sorted(sources)
        for name, text in sources.items():
            for function in re.findall(r"^(?:export )?((?:async )?function .*)", text, re.MULTILINE):
                assert function in script, name
        rules = (PACKAGE / "checker" / "rules.txt").read_text("utf-8")
        assert json.dumps(rules) in script
        assert contents()["rules.txt"].decode() == rules

    def test_every_rule_has_a_title(self) -> None:
        script = contents()["verify.js"].decode()
        titles = json.loads(re.findall(r"modules\.worker\.serve\(\"(?:[^\"\\]|\\.)*\", (.*)\);", script)[0])
        assert titles["exponential-mechanism"][0]
        assert set(titles) == set(book().rules)


class TestJoined:
    """Modules of every form that is written here; any other is refused, never left out."""

    def write(self, folder: Path, **texts: str) -> Path:
        for name, text in texts.items():
            (folder / f"{name}.js").write_text(text, encoding="utf-8")
        return folder

    def test_what_they_import_stands_before_them_once(self, tmp_path: Path) -> None:
        folder = self.write(
            tmp_path,
            a='import { b as other } from "./b.js";\nimport * as c from "./c.js";\nexport const a = other(c.c);\n',
            b='import { c } from "./c.js";\nexport const b = c;\n',
            c="export function c() {}\n",
        )
        script = joined(folder, "a.js")
        assert re.findall(r"^modules\.(\w) =", script, re.MULTILINE) == ["c", "b", "a"]
        assert "const { b: other } = modules.b;" in script
        assert "const c = modules.c;" in script
        assert "return { a };" in script

    @pytest.mark.parametrize(
        "text",
        [
            "export default 1;\n",
            "export { a };\n",
            'import "./b.js";\n',
            'import b from "./b.js";\n',
            "export let a = 1;\n",
        ],
    )
    def test_other_forms_are_refused(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(ValueError, match="cannot be joined"):
            joined(self.write(tmp_path, a=text, b=""), "a.js")

    def test_a_circle_is_refused(self, tmp_path: Path) -> None:
        folder = self.write(tmp_path, a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
        with pytest.raises(ValueError, match="imports itself"):
            joined(folder, "a.js")


class TestCommand:
    def test_it_writes_the_folder_and_writes_it_anew(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "out"
        assert main(["verify", "--page", str(out), "--json"]) == 0
        assert "index.html" in json.loads(capsys.readouterr().out)["files"]
        (out / "verify.js").write_text("changed")
        assert main(["verify", "--page", str(out)]) == 0
        assert "Open " in capsys.readouterr().out
        assert {path.name: path.read_bytes() for path in out.iterdir()} == contents()

    def test_it_writes_over_nothing_else(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "letter.txt").write_text("mine")
        for out in (tmp_path, tmp_path / "letter.txt"):
            assert main(["verify", "--page", str(out)]) == 2
            assert "folder" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]

    def test_a_model_and_a_page_are_two_commands(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", "model.json", "--page", str(tmp_path / "out")]) == 2
        assert main(["verify"]) == 2
        assert "--page OUT" in capsys.readouterr().err

    def test_the_verb_of_before_names_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify-page", "out"]) == 2
        assert "verify --page OUT" in capsys.readouterr().err


def test_the_pages_carry_it_for_anybody() -> None:
    client = TestClient(pages_app(Place(TokenGate(), hosts=frozenset({HOST}))), base_url=ORIGIN)
    for name, raw in {**contents(), "": contents()["index.html"]}.items():
        reply = client.get(f"/verify/{name}")
        assert reply.status_code == 200
        assert reply.content == raw
        policy = reply.headers["content-security-policy"]
        assert policy.startswith(POLICY)
        assert "frame-ancestors 'none'" in policy
    assert client.get("/verify/verify.js").headers["content-type"].startswith("text/javascript")
    for name in ("other.js", "../../secret", "static/page.js"):
        assert client.get(f"/verify/{name}").status_code == 404


def test_whoever_is_signed_in_finds_the_way_to_it() -> None:
    gate = TokenGate()
    client = TestClient(pages_app(Place(gate, hosts=frozenset({HOST}))), base_url=ORIGIN)
    client.get("/", params={"token": gate.token})
    reply = client.get("/certificate")
    assert 'verify/"' in reply.text
    assert "worker-src" not in reply.headers["content-security-policy"]
