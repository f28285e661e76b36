"""What a bad record can do

Somebody slips one forged record into 2,000. The attacker sees all others and tries every forgery there is: how far
does the chance of one prediction move? The stable learner promises at most a tenth, whatever the attacker does; the
learner that takes the best cut has no such promise, and one record decides some predictions outright.
"""

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from privpac import Schema, StableClassifier

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
schema = Schema.from_json(
    {
        "label": "fraud",
        "columns": [{"name": "amount", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
    }
)
QUESTIONS = np.arange(40, 80)


def best_cut(amounts: np.ndarray, fraud: np.ndarray) -> np.ndarray:
    """The cut with the fewest mistakes, the lowest among equals: what most software does."""
    missed = np.bincount(amounts[fraud], minlength=100).cumsum()  # frauds below the cut
    alarms = np.bincount(amounts[~fraud], minlength=100)[::-1].cumsum()[::-1]  # others from the cut on
    mistakes = np.concatenate([[0], missed]) + np.concatenate([alarms, [0]])
    best = int(np.argmin(mistakes))
    return best <= QUESTIONS


def chances(amounts: np.ndarray, fraud: np.ndarray) -> np.ndarray:
    """How often the stable learner says fraud, over its own coins."""
    answers = np.zeros(len(QUESTIONS))
    for seed in range(40):
        rule = StableClassifier("thresholds:amount", stability=0.1, schema=schema, random_state=seed)
        rule.fit(amounts.reshape(-1, 1), fraud.astype(int))
        answers += rule.predict(QUESTIONS.reshape(-1, 1))
    return answers / 40


rng = np.random.default_rng(7)
amounts = rng.integers(0, 100, 2_000)
unclear = (amounts >= 52) & (amounts < 68)  # here a coin decides, and many cuts are almost as good
fraud = np.where(unclear, rng.random(2_000) < 0.5, amounts >= 60)
forgeries = [(a, bool(c)) for a in range(50, 71) for c in (0, 1)]
moved_best = np.zeros(len(QUESTIONS))
before = best_cut(amounts, fraud)
for victim in range(200):
    for amount, label in forgeries:
        forged_amounts, forged_fraud = amounts.copy(), fraud.copy()
        forged_amounts[victim], forged_fraud[victim] = amount, label
        moved_best = np.maximum(moved_best, np.abs(best_cut(forged_amounts, forged_fraud) * 1.0 - before))
clean = chances(amounts, fraud)
forged_amounts, forged_fraud = amounts.copy(), fraud.copy()
forged_amounts[0], forged_fraud[0] = 59, True
moved_stable = np.abs(chances(forged_amounts, forged_fraud) - clean)
print(f"best cut: one record moves a prediction by up to {moved_best.max():.0f}")
print(f"stable learner: by {moved_stable.max():.3f} in this attack, by 0.1 at most in any")

figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
axes.bar(QUESTIONS, moved_best, color="#D55E00", alpha=0.8, label="best cut: worst of 8,400 forgeries")
axes.bar(QUESTIONS, moved_stable, color="#0072B2", label="stable learner: one of these forgeries")
axes.axhline(0.1, color="black", linestyle="--", label="stable learner: promised, whatever the forgery")
axes.set(
    title="How far one forged record moves a prediction", xlabel="amount that is asked about", ylim=(0, 1.45)
)
axes.set_ylabel("change of the chance of 'fraud'")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
