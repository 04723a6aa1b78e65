"""Lennard-Jones clusters against the literature: pytest -m slow tests/python/ensembles/test_clusters_full.py."""

from __future__ import annotations

import basin_hopping
import numpy as np
import pytest

import trellis as tr

pytestmark = pytest.mark.slow

ATOMS = tr.LennardJones(cutoff=20.0)
MINIMA = {13: -44.326801, 38: -173.928427, 55: -279.248470}  # Wales & Doye (1997)


def test_38_atoms_come_to_the_truncated_octahedron() -> None:
    search = basin_hopping.search(38, MINIMA[38] + 1e-3, 128, 400, 0.8, 128, seed=1)
    found = search.found_after > 0
    print(f"{found.sum()} of {len(found)} clusters, {search.quenches} quenches")
    assert found.sum() >= 4
    best = tr.quenched(search.best.particles, ATOMS)
    assert best.energy.min() == pytest.approx(MINIMA[38], abs=1e-6)


def melting(atoms: int, radius: float, temperatures: np.ndarray, exchanges: int) -> tr.analysis.HeatCapacity:
    """The heat capacity of a cluster in a container about its centre of mass, which has 3 N kinetic degrees.

    The colder half begins at the lowest minimum, the hotter one molten: transitions are rare.
    """
    search = basin_hopping.search(atoms, MINIMA[atoms] + 1e-3, 32, 400, 1.5, enough=1, seed=1)
    lowest, states = search.best.particles[int(search.best.energy.argmin())], len(temperatures)
    bath = tr.Langevin(temperature=0.3, relaxation_time=1.0, seed=1)
    more = {"thermostat": bath, "timestep": 0.005, "container": (radius, 100.0)}
    hot = tr.Ensemble([lowest] * (states - states // 2), ATOMS, temperature=0.7, **more)
    hot.advance(4000)
    molten = [hot.particles(k) for k in range(hot.systems)]
    ensemble = tr.Ensemble([lowest] * (states // 2) + molten, ATOMS, temperature=temperatures, **more)
    ensemble.advance(4000)
    exchange = tr.ReplicaExchange(ensemble, temperatures)
    exchange.run(exchanges // 5)
    history = exchange.run(exchanges)
    print(tr.analysis.round_trips(history))
    return tr.analysis.heat_capacity(history.energies(), temperatures, 3 * atoms)


@pytest.mark.parametrize(
    ("atoms", "radius", "temperatures", "exchanges", "place", "height"),
    [
        (13, 2.5, np.arange(0.18, 0.401, 0.01), 15_000, (0.28, 0.29), (9.0, 9.1)),
        (13, 3.0, np.arange(0.18, 0.401, 0.01), 15_000, (0.28, 0.29), (9.0, 9.1)),
        # higher in a wide container: 9.19 (bench/results/lj13-heat-capacity-zen5-2026-11-25.md)
        (13, 4.0, np.arange(0.18, 0.401, 0.01), 15_000, (0.28, 0.29), (9.0, 9.2)),
        (55, 3.5, np.r_[0.25:0.275:0.01, 0.276:0.31:0.004, 0.315, 0.325, 0.34], 12_000, (0.29, 0.3), (17.4, 17.9)),
    ],
)
def test_the_heat_capacity_of_clusters_has_its_peak(
    atoms: int,
    radius: float,
    temperatures: np.ndarray,
    exchanges: int,
    place: tuple[float, float],
    height: tuple[float, float],
) -> None:
    peak = melting(atoms, radius, temperatures, exchanges).peak()
    high, error = peak.height / atoms, peak.height_error / atoms
    print(f"{atoms} atoms: {high:.3f} +- {error:.3f} N k at {peak.temperature:.4f} +- {peak.temperature_error:.4f}")
    assert error < 0.05 * high
    assert height[0] - 3 * error < high < height[1] + 3 * error
    assert place[0] - 3 * peak.temperature_error < peak.temperature < place[1] + 3 * peak.temperature_error
