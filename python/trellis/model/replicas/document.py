"""The symbols of the model of replica exchange, as the table of docs/replica_model.md."""

from __future__ import annotations

from trellis.model.document import table_of
from trellis.model.replicas.machine import SECTIONS


def symbols() -> str:
    """All numbers of a machine file, with their defaults, units, meanings and sources."""
    return table_of(SECTIONS)
