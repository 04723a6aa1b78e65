"""The Lennard-Jones liquid against NIST's reference simulations: pytest -m slow test_molecules_full.py."""

from __future__ import annotations

import numpy as np
import pytest

import trellis as tr

pytestmark = pytest.mark.slow

CUTOFF, PARTS = 3.0, 20
NIST_ERRORS = 5e-4, 2e-3  # about, of their energies and pressures, which are of 500 atoms
STATES = [  # temperature, density, energy of an atom, pressure: by Monte Carlo, with tail corrections
    (0.85, 0.776, -5.5121, 0.00677),
    (0.85, 0.820, -5.7947, 0.5536),
    (0.90, 0.860, -5.9753, 1.5781),
]


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """The mean, and its standard error from means over parts, each longer than what is measured remembers."""
    parts = np.array([part.mean() for part in np.array_split(values, PARTS)])
    return parts.mean(), parts.std(ddof=1) / np.sqrt(PARTS)


@pytest.mark.parametrize(("temperature", "density", "energy", "pressure"), STATES)
def test_energy_and_pressure_are_nists(temperature: float, density: float, energy: float, pressure: float) -> None:
    atoms = tr.ic.lennard_jones(4000, density=density, temperature=2 * temperature)
    bath = tr.NoseHoover(temperature=temperature, relaxation_time=0.5)
    sim = tr.Simulation(atoms, [tr.LennardJones(cutoff=CUTOFF)], timestep=0.002, thermostat=bath)
    sim.run(until=40)
    energies: list[float] = []
    pressures: list[float] = []

    def measure(now: tr.Simulation) -> None:
        energies.append(now.energies().potential / 4000)
        pressures.append(now.pressure())

    sim.run(until=40 + 400, callbacks=[(10, measure)])
    tails = (
        tr.analysis.lennard_jones_tail_energy(density, CUTOFF),
        tr.analysis.lennard_jones_tail_pressure(density, CUTOFF),
    )
    for measured, tail, right, theirs, largest in zip(
        (energies, pressures), tails, (energy, pressure), NIST_ERRORS, (0.005 * abs(energy), 0.005), strict=True
    ):
        mean, error = mean_and_error(measured)
        print(f"T {temperature} density {density}: {mean + tail:.5f} +- {error:.5f}, NIST {right}")
        assert error < largest
        assert abs(mean + tail - right) < 2.6 * np.hypot(error, theirs)


def test_density_at_constant_pressure_is_nists() -> None:
    temperature, density, _, pressure = STATES[1]
    outside = pressure - tr.analysis.lennard_jones_tail_pressure(density, CUTOFF)  # atoms beyond the cutoff would pull
    atoms = tr.LennardJones(cutoff=CUTOFF, truncation="energy-shifted")
    bath = tr.Langevin(temperature=temperature, relaxation_time=0.5, seed=3)
    # as many atoms as NIST's: with 256 the density came out larger by 0.001, perhaps since their box is small
    lattices = [tr.ic.lennard_jones(500, density=0.8, temperature=6.0, seed=seed) for seed in range(8)]
    molten = tr.Ensemble(lattices, atoms, timestep=0.002, thermostat=bath, temperature=4.0)
    molten.advance(3000)
    liquids = tr.Ensemble(
        molten.all_particles(), atoms, timestep=0.004, thermostat=bath, barostat=tr.Barostat(pressure=outside)
    )
    liquids.advance(5000)
    liquids.advance(24_000, every=20)
    volumes = liquids.volume
    samples = sum(tr.analysis.effective_samples(column) for column in volumes.T)
    found = 500 / volumes.mean()
    error = found * volumes.std() / volumes.mean() / np.sqrt(samples)
    print(f"density {found:.5f} +- {error:.5f}, NIST {density} at pressure {pressure}")
    assert error < 5e-4
    assert abs(found - density) < 2.6 * np.hypot(error, NIST_ERRORS[1] / 17.8)  # dP / drho = 17.8
