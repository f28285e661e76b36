"""Risk cards: points for public tests, drawn round by round."""
