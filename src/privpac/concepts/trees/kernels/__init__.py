"""Compiled sums over all trees."""
