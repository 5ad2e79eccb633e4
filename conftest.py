"""What is collected: modules that need torch are tried as doctests only where it is installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/palmette/neural", "src/palmette/compat/torchcrf.py"]
