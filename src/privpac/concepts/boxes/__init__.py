"""Axis-aligned boxes."""
