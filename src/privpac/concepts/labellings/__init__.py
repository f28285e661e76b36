"""The labellings a class puts on a set of points, and how far they are from the labels of records."""
