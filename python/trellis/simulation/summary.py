"""Summaries of a simulation, and of the settings of its forces and thermostats, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trellis import _core
from trellis.particles.summary import Summary


def simulation_summary(moment: str, step_count: int, facts: Sequence[tuple[str, str]]) -> Summary:
    """Return the moment that a simulation has reached, its steps, and facts: particles, forces, time step, ..."""
    return Summary(f"Simulation: {moment}, after {step_count:,} step{'' if step_count == 1 else 's'}", facts)


def chosen_device(options: _core.DeviceOptions, resident: bool) -> str | None:
    """Return which devices compute forces, and why if they were chosen; None if it is the host without a choice."""
    names = ", ".join(options.names)
    if names == "host" and not options.automatic:
        return None
    chosen = "" if not options.automatic else ", as there is no GPU" if names == "host" else ", a GPU"
    pairs = ", compared in pairs" if options.redundant == 2 else ""
    return f"{names}{chosen}{pairs}{', where the particles stay' if resident else ''}"


def show_settings(*kinds: Any) -> None:
    """Give classes of forces and thermostats, which have settings, a table for notebooks."""
    for kind in kinds:
        kind._repr_html_ = lambda settings: _settings(settings).html()


def _settings(settings: Any) -> Summary:
    known = type(settings)
    values = settings.settings
    units = {parameter.name: parameter.unit for parameter in _core.parameters(known)}
    return Summary(known.__name__, [(name, str(value), units[name]) for name, value in values.items()])
