"""Learners made from learners: relabelling, boosting of labels, questions to people."""
