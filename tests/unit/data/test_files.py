"""Files are read by one database per process: readers see nothing of each other, and nothing of a file is kept."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from privpac.data.files import GLANCE, file_reader, file_types, read_file
from privpac.errors import DataError


def test_temporary_tables_are_seen_by_their_own_reader_only() -> None:
    one, other = file_reader(), file_reader()
    one.execute("CREATE TEMP TABLE records AS SELECT 1 AS a")
    other.execute("CREATE TEMP TABLE records AS SELECT 2 AS a")
    assert one.execute("SELECT a FROM records").fetchall() == [(1,)]
    assert other.execute("SELECT a FROM records").fetchall() == [(2,)]
    one.close()
    assert other.execute("SELECT a FROM records").fetchall() == [(2,)]
    with pytest.raises(duckdb.Error):
        file_reader().execute("SELECT a FROM records")


def test_nothing_of_a_file_is_kept_for_the_next_reader() -> None:
    kept = file_reader().execute("SELECT current_setting('enable_external_file_cache')").fetchone()
    assert kept == (False,)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"table.{form}"
    for value in (1, 2):
        duckdb.sql(f"COPY (SELECT {value} AS a) TO '{path}' (FORMAT {form})")
        os.utime(path, (1, 1))  # the clock of a file may be too coarse to tell
        assert [int(cell) for cell in read_file(path).column("a")] == [value]


def test_zeros_and_ones_of_a_csv_file_are_truth_values(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(
        "number,truth,gaps,always,part,word,a\n0,0,1.0,0,0.5,true,x\n1, 1,,0,1,false,y\n3,0,0.0,0,0,true,z\n"
    )
    assert file_types(path) == {
        "number": "integer",
        "truth": "boolean",
        "gaps": "boolean",
        "always": "integer",  # nobody knows what the other value would be
        "part": "real",
        "word": "boolean",
        "a": "text",
    }


def test_a_file_without_numbers_has_types(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("a,b\nx,y\n")
    assert file_types(path) == {"a": "text", "b": "text"}
    path.write_text("a,b\n")
    assert set(file_types(path)) == {"a", "b"}


def test_truth_values_are_told_from_codes_and_late_numbers_in_a_wide_file(tmp_path: Path) -> None:
    """Beyond the records that are glanced at, too; and in one short question for thousands of columns."""
    cells = {
        "truth": ["0", "1"],
        "spaced": [" 0", "1 "],
        "points": ["0.0", "1.0"],
        "gaps": ["", "1", "0"],
        "code": ["00", "01"],
        "always": ["1"],
        "half": ["0", "1", "0.5"],
    }
    many = {f"{name}{k}": values for k in range(150) for name, values in cells.items()}
    late = GLANCE + 20
    rows = [[values[row % len(values)] for values in many.values()] for row in range(late)]
    lines = [
        ",".join([*many, "late", "late_code"]),
        *(",".join([*row, str(k % 2), str(k % 2)]) for k, row in enumerate(rows)),
    ]
    lines.append(",".join([*rows[0], "2", "01"]))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    types = file_types(path)
    truths = {name.rstrip("0123456789") for name, kind in types.items() if kind == "boolean"}
    assert truths == {"truth", "spaced", "points", "gaps"}
    assert sum(kind == "boolean" for kind in types.values()) == 150 * len(truths)


def test_what_cannot_be_glanced_at_is_said_by_who_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "bytes.csv"
    path.write_bytes(b"a,y\n0,1\n\xff\xfe,0\n")
    with pytest.raises(DataError, match="cannot be read") as refused:
        file_types(path)
    assert "xff" not in str(refused.value)
