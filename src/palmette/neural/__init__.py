"""Structures and losses for models written with torch; `pip install 'palmette[neural]'`.

Only the modules of this package import torch. Models that were trained with it predict without it.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ImportError("This needs the Python package 'torch': pip install 'palmette[neural]'", name="torch")
