"""The symbols of the model of several sites, as the table of docs/site_model.md."""

from __future__ import annotations

from trellis.model.document import table_of
from trellis.model.sites.machine import SECTIONS


def symbols() -> str:
    """All numbers of a machine file, with their defaults, units, meanings and sources."""
    return table_of(SECTIONS)
