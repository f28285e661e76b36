"""How concepts are learnt: one folder per family, each with its formulas, rules, statements and learners."""
