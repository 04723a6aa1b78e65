"""Lines of the logs of programs that stay: ``trellis serve`` and ``trellis forward``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone


def log_line(event: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return a line of the log: time, event, and facts as name=value."""
    words = " ".join(f'{name}="{value}"' if " " in value else f"{name}={value}" for name, value in facts)
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{now} event={event} {words}"
