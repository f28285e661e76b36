"""Answers, paid for before they are drawn, and committed together."""
