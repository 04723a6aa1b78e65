"""A sentence for the user, beside what a command prints."""

from __future__ import annotations

from typing import Literal

from rich.console import Console


def say(kind: Literal["error", "note"], sentence: str) -> None:
    """Print an error or a note."""
    errors = Console(stderr=True, soft_wrap=True, emoji=False)
    errors.print(f"[{'red' if kind == 'error' else 'yellow'}]{kind}:[/]", end=" ")
    errors.print(sentence, markup=False, highlight=False)  # brackets and colons in it are its own
