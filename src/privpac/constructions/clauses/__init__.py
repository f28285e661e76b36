"""Rules with exceptions, found by noisy counts: disjunctions of a few conjunctions, learnt quickly but improperly."""
