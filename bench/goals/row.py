"""Rows of a table of goals."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A row of the table; figure and reached are None if it was left out, `why` says the reason."""

    what: str
    goal: str
    figure: str | None
    reached: bool | None
    why: str = ""

    def __str__(self) -> str:
        verdict = {True: "reached", False: "missed", None: f"left out: {self.why}"}[self.reached]
        return f"| {self.what} | {self.goal} | {self.figure or ''} | {verdict} |"


def row_of(what: str, goal: str, measure: Callable[[], tuple[str, bool]]) -> Row:
    """Return the row of a measurement, which gives its figure and whether the goal is reached; left out if it fails."""
    try:
        figure, reached = measure()
    except (OSError, subprocess.CalledProcessError) as error:
        return Row(what, goal, None, None, str(getattr(error, "stderr", None) or error).strip())
    return Row(what, goal, figure, reached)
