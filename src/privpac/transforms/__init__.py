"""Learners made of learners: sampling, confidence, relabelling, boosting of labels, questions to people. They nest."""
