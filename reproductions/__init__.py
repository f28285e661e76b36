"""One reproduction a file, each with `rows(*, quick, progress)` and perhaps `figure(rows)`."""
