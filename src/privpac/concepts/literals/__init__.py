"""Public yes-or-no tests on a record, what is said with a few of them, and how often they hold together."""
