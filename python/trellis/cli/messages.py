"""Messages beside what a command prints: sentences for the user, and lines of the logs of programs that stay."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Literal

from rich.console import Console

YEAR = 365.25 * 86400  # seconds


def span_of(seconds: float) -> str:
    """Return a time in days and hh:mm:ss, or in years."""
    return f"{seconds / YEAR:.2g} years" if seconds > YEAR else str(timedelta(seconds=math.ceil(seconds)))


def say(kind: Literal["error", "note"], sentence: str) -> None:
    """Print an error or a note."""
    errors = Console(stderr=True, soft_wrap=True, emoji=False)
    errors.print(f"[{'red' if kind == 'error' else 'yellow'}]{kind}:[/]", end=" ")
    errors.print(sentence, markup=False, highlight=False)  # brackets and colons in it are its own


def log_line(event: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return a line of the log: time, event, and facts as name=value, with values in quotes where they need them."""
    words = " ".join(f"{name}={_log_value(value)}" for name, value in facts)
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{now} event={event} {words}"


def _log_value(value: str) -> str:
    """Return a value as one word, or as a JSON string, so that no value can look like further facts."""
    return value if re.fullmatch(r'[^\s"=\\]+', value) else json.dumps(value, ensure_ascii=False)
