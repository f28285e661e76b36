"""Certified private learning."""
