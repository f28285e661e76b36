"""Private primitives, one per file."""
