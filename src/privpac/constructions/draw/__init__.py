"""One private draw from a class, or two, the second of which may refine the first."""
