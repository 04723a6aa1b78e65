"""``python -m trellis``: the command ``trellis``."""

from trellis.cli import main

main()
