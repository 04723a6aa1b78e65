"""Forces that are defined in Python, and the external fields that are built in."""

from trellis.forces.external_function import External

__all__ = [
    "External",
]
