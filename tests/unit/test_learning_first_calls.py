"""What people type first in Python works, or is refused with what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

import privpac
from privpac.errors import SchemaError


def test_a_table_without_a_schema_is_refused_with_a_remedy() -> None:
    with pytest.raises(SchemaError, match=r"No schema was given.*privpac schema DATA"):
        privpac.learn({"a": [1], "y": [0]}, epsilon=1)


def test_plans_need_no_import_of_their_own() -> None:
    code = "import privpac; print(privpac.plan.needed('thresholds', bits=8, error='0.2', epsilon=1).best is not None)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"
