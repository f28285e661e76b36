"""A small upload that stands for a large table is refused while it is unpacked, and nothing of it is kept."""

from __future__ import annotations

import gzip
import io
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from privpac.data import drafting
from privpac.data.schema import Schema
from privpac.errors import DataError
from privpac.service.pages.guards import Refusal
from privpac.service.pages.learn import making, uploads
from privpac.service.pages.learn.uploads import UploadLimits, count_upload
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from tests.pages.conftest import FIELDS, HOST, ORIGIN, table_text

LIMITS = UploadLimits(unpacked=4 << 20, seconds=60, columns=2000)
HEADER, ROW = b"age,smoker,ill\n", b"40,1,0\n"
BOMB = gzip.compress(HEADER + ROW * (1 << 20))  # 7 MB in some kilobytes


def packed(table: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


@pytest.fixture
def limited(place: Place) -> Any:
    """Pages with small limits, and somebody who is signed in."""
    small = replace(place, upload_limits=LIMITS)
    with TestClient(
        pages_app(small), base_url=ORIGIN, headers={"origin": ORIGIN, "host": HOST}, follow_redirects=False
    ) as browser:
        browser.get("/", params={"token": small.gate.token})  # type: ignore[attr-defined]
        yield browser


def refused(browser: Any, place: Place, name: str, content: bytes) -> str:
    assert len(content) < place.most_upload
    found = browser.post("/learn/table", files={"file": (name, content)})
    assert found.status_code == 413, found.text
    assert list(place.drawers.root.iterdir()) == []
    return str(found.text)


@pytest.mark.parametrize("wrong", ["41", "41,0,1,hidden-cell", '41,"0,1'], ids=["few", "many", "quote"])
@pytest.mark.parametrize("before", [1, 5000])
def test_a_line_with_another_number_of_cells_is_named(
    limited: Any, place: Place, wrong: str, before: int
) -> None:
    text = HEADER.decode() + ROW.decode() * before + wrong + "\n" + ROW.decode() * 3
    found = limited.post("/learn/table", files={"file": ("t.csv", text.encode())})
    assert found.status_code == 422
    assert f"line {before + 2} has more or fewer cells" in found.text
    assert "hidden-cell" not in found.text
    assert list(place.drawers.root.iterdir()) == []


def test_a_file_that_unpacks_to_too_much_is_refused(limited: Any, place: Place) -> None:
    assert "larger than 4 MB" in refused(limited, place, "t.csv.gz", BOMB)
    fine = limited.post("/learn/table", files={"file": ("t.csv.gz", gzip.compress(table_text().encode()))})
    assert fine.status_code == 303


def test_unpacking_stops_where_it_is_too_much(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(BOMB + b"what follows is damaged, and nobody comes this far")
    with pytest.raises(Refusal, match="larger than 4 MB") as problem:
        count_upload(path, LIMITS)
    assert problem.value.status == 413


CONTENTS = {
    ".csv": HEADER + ROW,
    ".csv.gz": gzip.compress(HEADER + ROW),
    ".parquet": packed(pa.table({"age": [40]})),
}


@pytest.mark.parametrize("ending", CONTENTS)
def test_the_time_is_limited(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(CONTENTS[ending])
    with pytest.raises(Refusal, match="longer than 0 seconds"):
        count_upload(path, UploadLimits(seconds=0))
    assert count_upload(path, UploadLimits()) == 1


def test_a_long_look_is_interrupted(tmp_path: Path) -> None:
    look = uploads._Look(tmp_path / "t.parquet", UploadLimits(seconds=0.5), time.monotonic() + 0.5)
    with pytest.raises(Refusal, match=r"longer than 0\.5 seconds"):
        look._scan(f"range({10**14}) AS endless(i)", ["sum(i % 7)"])


def test_parquet_is_refused_by_what_it_declares(
    limited: Any, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scanned(*_: object) -> int:
        raise AssertionError("nothing is read once the description says that it is too much")

    monkeypatch.setattr(uploads._Look, "_scan", scanned)
    same = packed(pa.table({"age": pa.array([40] * (1 << 21), type=pa.int32())}))
    assert "larger than 4 MB" in refused(limited, place, "t.parquet", same)


def test_one_long_text_meant_by_every_record_is_counted_every_time(limited: Any, place: Place) -> None:
    long = packed(pa.table({"word": ["x" * 100_000] * 1000, "ill": [0] * 1000}))
    assert "larger than 4 MB" in refused(limited, place, "t.parquet", long)


def test_a_long_description_of_a_parquet_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    length = uploads.MOST_FOOTER + 1
    with path.open("wb") as out:
        out.write(b"PAR1" + b"\0" * length + length.to_bytes(4, "little") + b"PAR1")
    with pytest.raises(Refusal, match="description"):
        count_upload(path, LIMITS)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_many_columns_are_refused_before_their_types_are_asked_for(
    limited: Any, place: Place, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object) -> dict[str, str]:
        raise AssertionError("the types of too many columns are not asked for")

    monkeypatch.setattr(drafting, "column_types", asked)
    names = [f"c{i}" for i in range(3000)]
    text = ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n"
    content = packed(pa.table({name: [1] for name in names})) if ending == ".parquet" else text.encode()
    assert "more than 2000 columns" in refused(limited, place, f"t{ending}", content)


def test_the_standing_limits_are_public_constants() -> None:
    assert UploadLimits() == UploadLimits(uploads.MOST_UNPACKED, uploads.MOST_SECONDS, uploads.MOST_COLUMNS)


def test_no_sentence_says_where_an_upload_is_kept(
    client: TestClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cannot read the file names it, on a page and in the background."""

    def damaged(path: object, **_: object) -> None:
        raise DataError(f"The file {path} cannot be read.", remedy="Write it again.")

    monkeypatch.setattr(Schema, "from_data", damaged)
    monkeypatch.setattr(making, "learn_as", lambda asked, table, **_: damaged(table))
    found = client.post("/learn/table", files={"file": ("patients.csv", table_text())})
    address = str(found.headers["location"])
    price = client.post(f"{address}/price", data={**FIELDS, "origin": "from_data"})
    begun = client.post(f"{address}/run", data={**FIELDS, "origin": "from_data"})
    client.post(f"{address}/run", data=FIELDS)
    while (worked := client.get(f"{address}/progress").text) and 'role="alert"' not in worked:
        time.sleep(0.02)
    for text in (price.text, begun.text, worked):
        assert "The file cannot be read." in text
        assert "privpac-pages" not in text
        assert place.drawers.root.name not in text


@pytest.mark.parametrize(
    ("sentence", "nameless"),
    [
        ("The file {} cannot be read.", "The file cannot be read."),
        ("There is no file '{}'.", "There is no file."),
        ("Column 'a' of {} has the type LIST.", "Column 'a' of the upload has the type LIST."),
        ("Nothing is named.", "Nothing is named."),
    ],
)
def test_what_is_left_of_a_sentence_without_its_path(place: Place, sentence: str, nameless: str) -> None:
    path = place.drawers.new("you").file("table.csv.gz")
    assert place.drawers.nameless(sentence.format(path)) == nameless


@pytest.mark.long_cases(".csv", ".parquet")
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_as_many_columns_as_are_allowed_are_taken(limited: Any, ending: str) -> None:
    names = [f"c{i}" for i in range(LIMITS.columns)]
    text = ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n"
    content = packed(pa.table({name: [1] for name in names})) if ending == ".parquet" else text.encode()
    assert limited.post("/learn/table", files={"file": (f"t{ending}", content)}).status_code == 303
