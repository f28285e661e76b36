"""One private draw from a class, or several in stages."""
