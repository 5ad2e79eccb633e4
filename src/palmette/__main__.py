"""`python -m palmette`, the same as `palmette`."""

import sys

from palmette.cli import main

if __name__ == "__main__":
    sys.exit(main())
