"""Predictors: they only answer, each answer has a price, and no model is released."""
