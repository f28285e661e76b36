"""Puts the pages and pictures that are made while building among the files of the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docs.hooks import pages, scripts

from privpac.service.pages.verify.folder import contents

__all__ = ["on_files"]


def on_files(files: Any, config: Any) -> Any:
    try:
        pictures = scripts.run_all()  # side by side; the pages below find them done
    except scripts.Broken as problem:
        raise PluginError(str(problem)) from None
    for page, write in pages.generated().items():
        files.append(File.generated(config, page, content=write()))
    for name, shown in pictures.items():
        files.append(File.generated(config, f"gallery/{name}.svg", abs_src_path=str(shown.picture)))
    for name, content in contents().items():
        files.append(File.generated(config, f"verify/{name}", content=content))
    return files
