"""Mathematics only: no data, no randomness."""
