"""One reproduction per file, each with `rows(*, quick, progress)` and perhaps `figure(rows)`."""
