"""Where records live; one engine a file."""
