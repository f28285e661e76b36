"""How accurate the default classifier is, against peers and the non-private optimum."""
