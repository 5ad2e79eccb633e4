"""Trained models that come with Palmette: `palmette predict en`, `Tagger.load("en")`.

A model NAME is the file NAME.palm beside this one. What a model was trained on, and under which licence, is in
its metadata: `palmette inspect NAME`.
"""

from __future__ import annotations

import os
from pathlib import Path

SUFFIX = ".palm"
_HERE = Path(__file__).parent


def shipped_models() -> dict[str, Path]:
    """Return the shipped models by name."""
    return {path.stem: path for path in sorted(_HERE.glob(f"*{SUFFIX}"))}


def find_model(name: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The path of a model: of a file, or else of a model of that name that comes with Palmette.

    FileNotFoundError for a bare word that is neither, with the shipped models.
    """
    path = Path(name)
    if path.name != str(name) or path.suffix or path.exists() or str(name) in ("-", ""):
        return name
    models = shipped_models()
    if path.name in models:
        return models[path.name]
    there = f"there are {', '.join(models)}" if models else "there are none in this version"
    raise FileNotFoundError(f"{name}: no such file, and no model of that name comes with Palmette ({there})")
