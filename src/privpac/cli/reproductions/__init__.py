"""One reproduction a file, each with `rows(quick=...)`."""
