"""Noisy numbers about a released rule."""
