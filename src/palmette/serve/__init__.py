"""Models over HTTP: a JSON API with the verbs of the command line, and a page; `pip install 'palmette[serve]'`.

Nothing here predicts or formats by itself: a request becomes the call that `palmette predict` or `explain` would
make, and the answer is what these print with `--jsonl` and `--json`.
"""

from importlib.util import find_spec

if find_spec("starlette") is None or find_spec("uvicorn") is None:
    raise ImportError(
        "This needs the Python packages 'starlette' and 'uvicorn': pip install 'palmette[serve]'",
        name="starlette",
    )
