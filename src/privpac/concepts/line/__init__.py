"""Classes on ordered columns: thresholds, intervals, unions, stumps, cuts."""
