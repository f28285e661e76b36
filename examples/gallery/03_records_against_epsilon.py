"""How many records are enough

Before anybody collects anything: one cut in a column of 2^32 values, error at most 0.1. The plan draws what is
proved to suffice, what suffices on the worst distribution we know, and the floor below which no private algorithm
of that kind can. The truth lies between floor and proof, and the gap is a small factor.
"""

import os
from pathlib import Path

from privpac import plan

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")

found = plan.needed("thresholds", bits=32, error=0.1, epsilon=1)
row = found.option("occam", "realizable")
print(f"epsilon 1: {row.proved} records are proved to do, fewer than {row.floor} cannot")
found.curves("epsilon", learner="occam").save(OUT)
