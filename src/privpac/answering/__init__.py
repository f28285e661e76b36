"""Answers instead of rules: what is offered, paid, asked and kept."""
