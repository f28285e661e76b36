"""Private primitives, one a file."""
