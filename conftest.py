"""What is collected: modules that need an extra are tried as doctests only where it is installed."""

from importlib.util import find_spec

pytest_plugins = ["installed"]  # tests/installed.py

NEED_TORCH = ["src/palmette/neural", "src/palmette/compat/torchcrf.py", "tests/oracles/torch_outputs.py"]
collect_ignore = [] if find_spec("torch") else NEED_TORCH
if not (find_spec("starlette") and find_spec("uvicorn")):
    collect_ignore += ["src/palmette/serve", "tests/serve"]
