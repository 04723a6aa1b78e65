"""Notes to the user: warnings at the line of the program that called Trellis."""

from __future__ import annotations

import sys
import warnings

PASSED = ("trellis", "contextlib")
"""Modules whose lines are not the user's: ours, and one that calls ours."""


def warn(text: str) -> None:
    """Warn of what a user may not expect, at the innermost line outside Trellis, through however many functions."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)
