"""A table to try the pages with: invented patients, so that nothing about anybody can be learnt from it."""

from __future__ import annotations

from typing import Any

__all__ = ["SAMPLE_NAME", "SAMPLE_SCHEMA", "sample_csv"]

SAMPLE_NAME = "invented-patients.csv"
PEOPLE = 4000
WARDS = ("surgery", "medicine", "outpatients")
SAMPLE_SCHEMA: dict[str, Any] = {
    "label": "readmitted",
    "classes": ["no", "yes"],
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 18, "upper": 95, "integer": True},
        {"name": "bmi", "kind": "numeric", "lower": 15, "upper": 45},
        {"name": "visits", "kind": "numeric", "lower": 0, "upper": 12, "integer": True},
        {"name": "smoker", "kind": "boolean"},
        {"name": "ward", "kind": "categorical", "categories": list(WARDS)},
    ],
}


def sample_csv() -> str:
    """The same four thousand people every time, spread evenly by multiplication; one in fifteen is an exception."""
    lines = ["age,bmi,visits,smoker,ward,readmitted"]
    for i in range(PEOPLE):
        age, bmi, visits = 18 + i * 7919 % 78, 15 + i * 104_729 % 300 / 10, i * 31_337 % 13
        smoker, ward = i % 4 == 0, WARDS[i * 613 % 3]
        likely = visits >= 6 or (age >= 60 and (smoker or bmi >= 32))
        comes_back = likely != (i * 31 % 15 == 0)
        lines.append(f"{age},{bmi:.1f},{visits},{int(smoker)},{ward},{'yes' if comes_back else 'no'}")
    return "\n".join(lines) + "\n"
