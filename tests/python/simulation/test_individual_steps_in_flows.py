"""Sod's tube and the Kelvin-Helmholtz instability with individual time steps, beside one chosen step for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trellis as tr
from trellis.exact import riemann

TUBE = riemann()
STREAMS: dict[str, Any] = {"dimensions": 2, "kernel": "wendland-c4", "neighbours": 42}  # as examples/ has them


class Flow:
    """A gas that moves; counts the steps of its particles, and the most rungs that are in use at once."""

    def __init__(self, gas: tr.ParticleSet, steps: tr.IndividualSteps | None, **settings: Any) -> None:
        self.sim = tr.Simulation(gas, [tr.Sph(**settings)], steps, keep_order=True)
        self.updates, self.rungs = 0, 0

    def at(self, time: float) -> tr.ParticleSet:
        self.sim.run(until=time, callbacks=[(1, self.count)])
        return self.sim.particles

    def count(self, sim: tr.Simulation) -> None:
        use = sim.rung_use or {"updates": len(sim.particles), "particles": [len(sim.particles)]}
        self.updates += use["updates"]
        self.rungs = max(self.rungs, sum(count > 0 for count in use["particles"]))


def off(gas: tr.ParticleSet) -> float:
    """Return the mean error of the density in Sod's tube at t = 0.2, where that of its ends is not felt."""
    x = gas.position[:, 0]
    unfelt = (x > -1 - 0.2 * TUBE.left_wave.outer) & (x < 1 - 0.2 * TUBE.right_wave.outer)
    return float(np.abs(gas.density - TUBE(x / 0.2).density)[unfelt].mean())


@pytest.mark.parametrize(
    ("dimensions", "particles", "longest", "least_rungs", "share"),
    [(1, 1998, 0.02, 4, 0.9), (3, 6 * 4608, 0.01, 2, 0.98)],
)
def test_sods_tube_has_its_star_state_with_fewer_updates(
    dimensions: int, particles: int, longest: float, least_rungs: int, share: float
) -> None:
    own, plain = (
        Flow(tr.ic.sod(particles, dimensions=dimensions), steps, dimensions=dimensions)
        for steps in (tr.IndividualSteps(longest=longest), None)
    )
    gas = own.at(0.2)
    assert off(gas) < 1.05 * off(plain.at(0.2))
    assert own.rungs >= least_rungs
    assert own.updates < share * plain.updates
    x, v = gas.position[:, 0] / 0.2, gas.velocity[:, 0]
    left = (x > TUBE.left_wave.inner + 0.25) & (x < TUBE.velocity - 0.25)
    right = (x > TUBE.velocity + 0.25) & (x < TUBE.right_wave.outer - 0.25)
    for part, density in ((left, 0.47969), (right, 0.22981)):
        assert gas.pressure[part].mean() == pytest.approx(0.29395, rel=0.015)
        assert v[part].mean() == pytest.approx(0.84119, rel=0.015)
        assert gas.density[part].mean() == pytest.approx(density, rel=0.015)
    assert abs(own.sim.energies().error) < 2e-4
    assert np.abs(own.sim.momentum()).max() < 1e-5


def wave(gas: tr.ParticleSet) -> float:
    """Return the amplitude of the wave of length 1/2 at the edges of the stream (McNally, Lyra & Passy 2012)."""
    x, y, _ = gas.wrapped_position().T
    weight = gas.smoothing_length**2 * np.exp(-4 * np.pi * np.abs(0.25 - np.abs(y - 0.5)))
    return float(2 * abs((weight * gas.velocity[:, 1]) @ np.exp(4j * np.pi * x)) / weight.sum())


def test_a_wave_between_two_streams_grows_as_with_one_step_for_all() -> None:
    """The instability of Kelvin and Helmholtz; a third of the gas may take but half the step of the rest."""
    start = tr.ic.kelvin_helmholtz(4000)
    own, plain = (Flow(start.copy(), steps, **STREAMS) for steps in (tr.IndividualSteps(longest=0.0195), None))
    (early, late), others = ([wave(flow.at(time)) for time in (0.6, 1.0)] for flow in (own, plain))
    assert own.rungs >= 2
    assert own.updates < plain.updates
    assert late > 2.5 * early
    assert [early, late] == pytest.approx(others, rel=0.005)
    apart = own.sim.particles.position - plain.sim.particles.position
    apart[:, :2] -= np.round(apart[:, :2])
    assert np.sqrt(np.mean(np.sum(apart**2, axis=1))) < 0.01 / np.sqrt(len(start))
    assert abs(own.sim.energies().error) < 1e-4
    assert own.sim.momentum() == pytest.approx(start.mass @ start.velocity, abs=1e-5)
