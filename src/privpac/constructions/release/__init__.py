"""Whole tables released: sanitisers, and the tables they make."""
