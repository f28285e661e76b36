"""Rules that one record hardly moves."""
