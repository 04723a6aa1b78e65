"""Tail corrections of pair potentials of one's own, against formulas and sums in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trellis as tr
from trellis.analysis import (
    lennard_jones_tail_energy,
    lennard_jones_tail_pressure,
    potential_tail_energy,
    potential_tail_pressure,
)

LENNARD_JONES = "4 * eps * ((s / r)**12 - (s / r)**6)"


def test_that_of_lennard_jones_is_the_known_one() -> None:
    force = tr.pair_potential(LENNARD_JONES, cutoff=2.4, eps=1.7, s=1.2)
    energy = lennard_jones_tail_energy(0.3, 2.4, epsilon=1.7, sigma=1.2)
    pressure = lennard_jones_tail_pressure(0.3, 2.4, epsilon=1.7, sigma=1.2)
    assert potential_tail_energy(force, 0.3) == pytest.approx(energy, rel=1e-9)
    assert potential_tail_pressure(force, 0.3) == pytest.approx(pressure, rel=1e-9)


@pytest.mark.parametrize("power", [4, 9, 20])
def test_powers_have_their_integrals(power: float) -> None:
    force = tr.pair_potential(lambda r, p: 2 * r**-p, cutoff=1.5, p=power)
    integral = 2 * 1.5 ** (3 - power) / (power - 3)
    assert potential_tail_energy(force, 0.7) == pytest.approx(2 * np.pi * 0.7 * integral, rel=1e-7)
    # r^3 du/dr is -power times r^2 u
    assert potential_tail_pressure(force, 0.7) == pytest.approx(2 / 3 * np.pi * 0.49 * power * integral, rel=1e-7)


def test_screened_charges_have_theirs() -> None:
    length, cutoff = 0.6, 2.0
    force = tr.pair_potential(lambda r, a: tr.exp(-r / a) / r, cutoff=cutoff, a=length)
    integral = length * (cutoff + length) * np.exp(-cutoff / length)
    assert potential_tail_energy(force, 1.0) == pytest.approx(2 * np.pi * integral, rel=1e-8)


def test_a_switched_potential_lacks_what_it_is_switched_off_by() -> None:
    force = tr.pair_potential(LENNARD_JONES, cutoff=2.5, truncation="switched", switch_distance=2.0, eps=1.0, s=1.0)
    r = np.geomspace(1.9, 2e4, 400_001)
    u = 4 * (r**-12 - r**-6)
    x = np.clip((r - 2.0) / 0.5, 0, 1)
    left_out = u * (10 * x**3 - 15 * x**4 + 6 * x**5)
    energy = 2 * np.pi * 0.8 * np.trapezoid(r**2 * left_out, r)
    pressure = -2 / 3 * np.pi * 0.64 * np.trapezoid(r**3 * np.gradient(left_out, r), r)
    assert potential_tail_energy(force, 0.8) == pytest.approx(energy, rel=1e-6)
    assert potential_tail_pressure(force, 0.8) == pytest.approx(pressure, rel=1e-4)


def test_they_add_what_a_longer_cutoff_finds() -> None:
    """Atoms at random places are evenly spread: their energy is that of a longer cutoff, but for its noise."""
    random = np.random.default_rng(3)
    gas = tr.ParticleSet.from_columns(position=random.uniform(0, 20, (4000, 3)), mass=np.ones(4000), box=[20.0] * 3)
    energies, pressures = [], []
    for cutoff, truncation in ((3.0, "plain"), (3.0, "switched"), (9.0, "plain")):
        force: Any = tr.pair_potential("1 / (1 + r**2)**3", cutoff=cutoff, truncation=truncation)
        sim = tr.Simulation(gas.copy(), [force], timestep=0.1)
        energies.append(sim.energies().potential / 4000 + potential_tail_energy(force, 0.5))
        pressures.append(sim.pressure() + potential_tail_pressure(force, 0.5))
    assert energies[:2] == pytest.approx([energies[2]] * 2, rel=3e-3)
    assert pressures[:2] == pytest.approx([pressures[2]] * 2, rel=1e-2)


TABLE = tr.table(np.linspace(0.5, 3, 50), np.linspace(0.5, 3, 50) ** -6)


@pytest.mark.parametrize(
    ("force", "said"),
    [
        (lambda: tr.LennardJones(), "force is .*, but must be one that pair_potential has made with a cutoff"),
        (lambda: tr.pair_potential("1 / r", source="mass"), "must be one that pair_potential has made with a cutoff"),
        (lambda: tr.pair_potential("1 / r**4", source="mass", cutoff=2.0), "the potential differs from pair to pair"),
        (
            lambda: tr.pair_potential("s / r**4", fields=["s"], mix="geometric", cutoff=2.0),
            "the potential differs from pair to pair",
        ),
        (
            lambda: tr.pair_potential("1 / r**6", cutoff=2.0, truncation="force-shifted"),
            "truncation is 'force-shifted': tail corrections are for 'plain' and 'switched'",
        ),
        (lambda: tr.pair_potential("1 / r**3", cutoff=2.0), "the potential has no integral beyond the cutoff"),
        (lambda: tr.pair_potential("1 / r", cutoff=2.0), "allowed are those that fall as r"),
        (lambda: tr.pair_potential(lambda r: tr.exp(r), cutoff=2.0), "the potential has no integral"),
        (lambda: tr.pair_potential(TABLE, cutoff=2.0), "the potential has no integral .* not tables, which end"),
    ],
)
def test_others_are_refused_in_one_sentence(force: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        potential_tail_energy(force(), 0.5)


def test_a_density_is_above_0() -> None:
    with pytest.raises(ValueError, match=r"density is -1\.0, but must be above 0"):
        potential_tail_pressure(tr.pair_potential("1 / r**6", cutoff=2.0), -1.0)
