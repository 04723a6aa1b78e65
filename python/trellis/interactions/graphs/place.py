"""The place in the source of a function at which something is traced."""

from __future__ import annotations

import sys
from types import CodeType

from trellis import _core


class Place:
    """Where in the source of a function something is traced, for what is said of mistakes."""

    def __init__(self, name: str, code: CodeType) -> None:
        self.name, self.code = name, code

    def __str__(self) -> str:
        frame = sys._getframe()
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back  # type: ignore[assignment]
        line = self.code.co_firstlineno if frame is None else frame.f_lineno
        return f"{self.name}, line {line} of {self.code.co_filename}"

    def error(self, what: str) -> Exception:
        """Return what is to be raised for a mistake at this place."""
        return _core.InputError(f"{self}: {what}")
