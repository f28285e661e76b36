"""From records to counts."""
