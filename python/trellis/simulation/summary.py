"""Summaries of a simulation, and of the settings of its forces and thermostats, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trellis import _core
from trellis.particles.summary import Summary


def simulation_summary(moment: str, step_count: int, facts: Sequence[tuple[str, str]]) -> Summary:
    """Return the moment that a simulation has reached, its steps, and facts: particles, forces, time step, ..."""
    return Summary(f"Simulation: {moment}, after {step_count:,} step{'' if step_count == 1 else 's'}", facts)


def show_settings(*kinds: Any) -> None:
    """Give classes of forces and thermostats, which have settings, a table for notebooks."""
    for kind in kinds:
        kind._repr_html_ = lambda settings: _settings(settings).html()


def _settings(settings: Any) -> Summary:
    known = type(settings)
    values = settings.settings
    units = {parameter.name: parameter.unit for parameter in _core.parameters(known)}
    return Summary(known.__name__, [(name, str(value), units[name]) for name, value in values.items()])
