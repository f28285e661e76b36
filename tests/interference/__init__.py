"""Nothing leaves but what was drawn: tables of one size with the same drawn outcome give the same bytes."""
