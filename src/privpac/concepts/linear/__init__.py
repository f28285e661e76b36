"""Half-spaces, scorecards and half-planes."""
