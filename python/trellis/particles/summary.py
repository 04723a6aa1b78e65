"""Summaries of particle sets and selections: a title and a table, as text and, for notebooks, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.parallel import world
from trellis.particles.columns import public_fields

Picked = NDArray[np.int64] | int | slice


@dataclass(frozen=True)
class Summary:
    """A title and a table, whose rows have the same number of texts."""

    title: str
    table: Sequence[tuple[str, ...]]

    def text(self) -> str:
        """Return the title and, below it, the table, its columns one under the other."""
        widths = [max(map(len, column)) for column in zip(*self.table, strict=True)]
        rows = ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in self.table)
        return "\n".join([self.title, *(f"  {row}".rstrip() for row in rows)])

    def html(self) -> str:
        """Return the same for a notebook."""
        style = ' style="text-align: left"'
        rows = ("".join(f"<td{style}>{escape(cell)}</td>" for cell in row) for row in self.table)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<div><strong>{escape(self.title)}</strong><table>{body}</table></div>"


def set_summary(particles: _core.ParticleSet) -> Summary:
    """Return the number of particles, their space, and the range and unit of each field."""
    return Summary(f"ParticleSet: {count_in_space(particles)}", _ranges(particles, slice(None)))


def selection_summary(particles: _core.ParticleSet, rows: NDArray[np.int64] | int) -> Summary:
    """Return the number of selected rows, the set that they belong to, and the range and unit of each field."""
    return Summary(f"Selection: {np.size(rows):,} of {count_in_space(particles)}", _ranges(particles, rows))


def count_in_space(particles: _core.ParticleSet) -> str:
    """Return the number of particles of this rank and their space, as in ``100 particles in open space``."""
    number, box = particles.size, particles.region
    here = " here" if world.ranks() > 1 else ""
    space = f"a box from {_text(box[0])} to {_text(box[1])}" if np.isfinite(box).any() else "open space"
    return f"{number:,} particle{'' if number == 1 else 's'}{here} in {space}"


def _ranges(particles: _core.ParticleSet, rows: Picked) -> list[tuple[str, str, str]]:
    show = _text if isinstance(rows, int) else _range
    table = []
    for name in public_fields(particles):
        unit, _ = particles.field_info(name)
        table.append((name, show(particles.column(name)[rows]), unit))
    return table


def _range(values: NDArray[Any]) -> str:
    if len(values) == 0:
        return ""
    low, high = _text(values.min(axis=0)), _text(values.max(axis=0))
    return low if low == high else f"{low} to {high}"


def _text(value: Any) -> str:
    """Return a number, or the components of a vector."""
    if np.ndim(value) == 0:
        return f"{value:d}" if np.issubdtype(np.asarray(value).dtype, np.integer) else f"{value:.4g}"
    return f"({', '.join(_text(component) for component in value)})"
