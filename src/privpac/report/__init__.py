"""A model for people: in a few lines, as pictures, and as one HTML page."""
