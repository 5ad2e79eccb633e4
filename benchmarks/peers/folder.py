"""Where peers and their trained models are kept: `$PALMETTE_PEERS`, or a folder in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
PEERS = Path(os.environ.get("PALMETTE_PEERS") or _CACHE / "palmette" / "peers")


def kept(name: str) -> str:
    """The path of a file or folder there; its folder is made."""
    PEERS.mkdir(parents=True, exist_ok=True)
    return str(PEERS / name)
