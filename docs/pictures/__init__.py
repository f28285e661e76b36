"""The diagrams of docs/theory, drawn from a few shapes and from numbers of the library: `python -m docs.pictures`."""
