"""Finding one value of a large column."""
