"""Promises against what happens; a package so that files may share their names with tests/unit."""
