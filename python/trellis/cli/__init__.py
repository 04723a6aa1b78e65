"""The command ``trellis``."""

from trellis.cli.app import main

__all__ = ["main"]
