"""Where records live; one engine per file."""
