"""The main job in one go: a readable classifier with a certificate, a private estimate, and a report.

Run it with `make demo`. The table is the one bundled with scikit-learn; its public description lies beside this file.
"""

from __future__ import annotations

from pathlib import Path

from sklearn.datasets import load_breast_cancer

import privpac

HERE = Path(__file__).parent


def main() -> None:
    bundled = load_breast_cancer(as_frame=True)
    table = bundled.data.rename(columns=lambda name: name.replace(" ", "_"))
    table["malignant"] = 1 - bundled.target

    ledger = privpac.Ledger(epsilon=2)
    model = privpac.learn(
        table,
        schema=HERE / "breast_cancer.schema.json",
        epsilon=1,
        estimate_epsilon="0.5",
        ledger=ledger,
    )
    print(model.explain())
    print(f"\nSpent: {ledger.spent} of {ledger.total}.")

    model.save("demo-model.json")
    checked = privpac.verify("demo-model.json")
    print(f"demo-model.json: all {checked.steps} steps of its proof were derived again.")
    model.report("demo-report.html")
    print("demo-report.html: open it in a browser.")


if __name__ == "__main__":
    main()
