"""Predictors: records in, answers out, no rule released."""
