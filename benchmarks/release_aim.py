"""Synthetic records by AIM, as OpenDP's extra offers it: run by an interpreter of its own (`pip install opendp[mbi]`).

    python release_aim.py REQUEST.json MADE.csv

The request names a CSV file of cell numbers, the columns with their numbers of cells and how many bins they are cut
into, and epsilon. A replaced record is two contributions: one removed, one added. Imports nothing of privpac.
"""

import json
import sys
import time

import opendp.prelude as dp
import polars as pl


def main(request_file: str, made: str) -> None:
    with open(request_file, encoding="utf-8") as stream:
        request = json.load(stream)
    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.scan_csv(request["data"]),
        privacy_unit=dp.unit_of(contributions=2),
        privacy_loss=dp.loss_of(epsilon=request["epsilon"]),
    )
    keys, cuts = {}, {}
    for name, cells in request["cells"].items():
        if cells <= request["bins"]:
            keys[name] = list(range(cells))
        else:
            # Bins are open on the left: half a cell before an edge, so that edges are those of the questions.
            cuts[name] = [cells * i // request["bins"] - 0.5 for i in range(1, request["bins"])]
    start = time.process_time()
    table = (
        context.query(epsilon=request["epsilon"])
        .select(*request["cells"])
        .contingency_table(keys=keys, cuts=cuts, algorithm=dp.mbi.AIM())
        .release()
    )
    records = table.synthesize(rows=request["records"])
    seconds = time.process_time() - start
    records.write_csv(made)
    print(json.dumps({"seconds": round(seconds, 2)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
