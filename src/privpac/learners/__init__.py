"""Learners: pairs of `learn` (records and coins) and `certify` (neither), one a file."""
