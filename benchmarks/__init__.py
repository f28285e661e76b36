"""Measurements made by hand: each writes JSON rows that are committed with date and version."""
