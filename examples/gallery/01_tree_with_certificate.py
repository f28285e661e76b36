"""A tree and its certificate

Learnt from the breast-cancer table that comes with scikit-learn: 569 people, 30 measurements, epsilon 1 for the
tree and 0.5 for an estimate. The tree is what is released; the lines below it say what it can give away about any
one of them, and how well it does.
"""

import os
from pathlib import Path

from sklearn.datasets import load_breast_cancer

import privpac

OUT = Path(os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg"))
SCHEMA = (
    Path(__file__).resolve().parents[1] / "breast_cancer.schema.json"
)  # bounds from the literature, not the rows

bundled = load_breast_cancer(as_frame=True)
table = bundled.data.rename(columns=lambda name: name.replace(" ", "_"))
table["malignant"] = 1 - bundled.target

# A seed makes the picture repeatable, and the certificate then says that it is not for release.
model = privpac.learn(
    table, schema=SCHEMA, concepts="trees:2", epsilon=1, estimate_epsilon="0.5", random_state=4
)
print(model.describe())
print(model.estimate)

promised = f"(ε, δ) = ({model.certificate['epsilon']}, {model.certificate['delta']})"
lines = [
    f"{len(table)} records; {promised}: one record replaced,",
    "every possible tree stays as likely up to a factor e^ε.",
    f"Private estimate of the accuracy: {float(model.estimate.accuracy):.2f} (noise included in ε).",
]
drawing = model.picture()
width = float(drawing.split('width="', 1)[1].split('"', 1)[0])
height = float(drawing.split('height="', 1)[1].split('"', 1)[0])
text = "".join(
    f'<text x="16" y="{height + 26 + 22 * i:.0f}" font-family="system-ui, sans-serif" font-size="13" fill="#1d2530">'
    f"{line}</text>"
    for i, line in enumerate(lines)
)
wide, high = max(width, 560), height + 84
page = f'width="{wide:.0f}" height="{high:.0f}"'
OUT.with_suffix(".svg").write_text(
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" {page}>'
    f'<rect {page} fill="#ffffff"/>{drawing}{text}</svg>',
    encoding="utf-8",
)
