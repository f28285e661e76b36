"""Classes made from classes, and public reference distributions."""
