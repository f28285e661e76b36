"""Run every notebook and write its outputs."""

from __future__ import annotations

import json

from examples.notebooks import executed, notebooks, text_of

for path in notebooks():
    path.write_text(text_of(executed(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    print(path.name)
