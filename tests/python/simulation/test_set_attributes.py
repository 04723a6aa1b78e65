"""Attributes of a simulation that are set."""

from __future__ import annotations

import pytest

import trellis as tr


def test_what_a_simulation_is_made_with_cannot_be_set_nor_misspelt() -> None:
    """`sim.dt = 0.01` was silent, and steps stayed as long as they were."""
    sim = tr.Simulation(tr.ic.plummer(10, seed=1), [tr.Gravity(softening=0.1)], timestep=0.1)
    for name in ("dt", "timestep", "time", "forces", "thermostat", "particles"):
        with pytest.raises(AttributeError, match=f"^'{name}' of a simulation cannot be set: what it is made with"):
            setattr(sim, name, 0.01)

    class Own(tr.Simulation):
        history: list[float]

    own = Own(tr.ic.plummer(10, seed=1), [tr.Gravity(softening=0.1)], timestep=0.1)
    own.history = []
    with pytest.raises(AttributeError, match=r"^'timestep' of a simulation cannot be set"):
        own.timestep = 0.01  # type: ignore[misc]
