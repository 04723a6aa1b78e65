"""What sets, selections, simulations and forces are, as text and, for notebooks, as a table of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core, world

if TYPE_CHECKING:
    from trellis.particles import ParticleSet
    from trellis.simulation import Simulation

Picked = NDArray[np.int64] | int | slice


@dataclass(frozen=True)
class Shown:
    """A title and a table, whose rows have equally many texts."""

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


def particle_set(particles: ParticleSet) -> Shown:
    """Return how many particles there are, in which space, and each field's range and unit."""
    return Shown(f"ParticleSet: {_count(len(particles))} in {_space(particles.box)}", _ranges(particles, slice(None)))


def selection(particles: ParticleSet, rows: NDArray[np.int64] | int) -> Shown:
    """Return the same of some of the particles."""
    title = f"Selection: {np.size(rows):,} of {_count(len(particles))} in {_space(particles.box)}"
    return Shown(title, _ranges(particles, rows))


def simulation(now: Simulation, particles: ParticleSet, course: Sequence[tuple[str, str]]) -> Shown:
    """Return where a simulation is and what moves; `course`: under what, and how."""
    steps = f"{now.step_count:,} step{'' if now.step_count == 1 else 's'}"
    rows = [("particles", f"{_count(len(particles))} in {_space(particles.box)}"), *course]
    when = f"time {now.time:g}" if now.cosmology is None else now.moment
    return Shown(f"Simulation: {when}, after {steps}", rows)


def show_settings(*kinds: Any) -> None:
    """Give classes of forces and thermostats, which have settings, a table for notebooks."""
    for kind in kinds:
        kind._repr_html_ = lambda settings: _settings(settings).html()


def _settings(settings: Any) -> Shown:
    known = type(settings)
    values = settings.settings
    units = {parameter.name: parameter.unit for parameter in _core.parameters(known)}
    return Shown(known.__name__, [(name, str(value), units[name]) for name, value in values.items()])


def _count(number: int) -> str:
    here = " here" if world.ranks() > 1 else ""
    return f"{number:,} particle{'' if number == 1 else 's'}{here}"


def _space(box: NDArray[np.float64]) -> str:
    return f"a box from {_text(box[0])} to {_text(box[1])}" if np.isfinite(box).any() else "open space"


def _ranges(particles: ParticleSet, rows: Picked) -> list[tuple[str, str, str]]:
    show = _text if isinstance(rows, int) else _range
    table = []
    for name in particles.public_fields:
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
