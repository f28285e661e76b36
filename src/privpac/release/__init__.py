"""Private releases other than classifiers."""
