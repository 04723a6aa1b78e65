"""A line of a table of goals."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A line of the table; figure and met: None if it was left out, for the reason given."""

    what: str
    goal: str
    figure: str | None
    met: bool | None
    why: str = ""

    def __str__(self) -> str:
        verdict = {True: "met", False: "missed", None: f"left out: {self.why}"}[self.met]
        return f"| {self.what} | {self.goal} | {self.figure or ''} | {verdict} |"
