"""Draws from a cover under a public reference distribution."""
