"""Notes and refusals at the start of a simulation."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import trellis as tr

X = np.random.default_rng(1).random((20, 3))


def stars(**columns: object) -> tr.ParticleSet:
    return tr.ParticleSet.from_columns(position=X, mass=0.05, **columns)


def test_softenings_that_gravity_does_not_read_are_noted() -> None:
    sentence = (
        r"^the particles have a column 'softening', but Gravity\(softening=0.1\) does not read it:"
        r" Gravity\(softening='particles'\) does$"
    )
    with pytest.warns(UserWarning, match=sentence) as noted:
        tr.Simulation(stars(softening=0.2), [tr.Gravity(softening=0.1)], timestep=0.1)
    assert noted[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(stars(softening=0.2), [tr.Gravity(softening="particles")], timestep=0.1)
        tr.Simulation(stars(softening=0.2, type="gas"), [tr.Gravity(softening={"gas": 0.1})], timestep=0.1)
        tr.Simulation(stars(softening=0.0), [tr.Gravity(softening=0.1)], timestep=0.1)


def test_a_force_that_acts_twice_is_noted() -> None:
    twice = [tr.Gravity(softening=0.1), tr.Gravity(softening=0.1)]
    with pytest.warns(UserWarning, match=r"^Gravity\(softening=0.1\) is among the forces twice, and acts twice$"):
        tr.Simulation(stars(), twice, timestep=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(stars(), [tr.Gravity(softening=0.1), tr.Gravity(softening=0.2)], timestep=0.1)


def test_constants_of_gravity_that_differ_are_noted() -> None:
    """A field has G = 1 if it is not given, also beside gravity in units in which G is 43007.1."""
    field = tr.external.NFW(mass=1.0, scale_radius=2.0)
    with pytest.warns(UserWarning, match=r"^Gravity\(.*\) has G = 43007.1, but NFW\(.*\) has G = 1: units have one"):
        tr.Simulation(stars(), [tr.Gravity(G=43007.1, softening=0.1), field], timestep=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(
            stars(), [tr.Gravity(softening=0.1), field, tr.external.UniformField(acceleration=[0, 0, 1])], timestep=0.1
        )


def test_charges_and_kinds_that_no_force_reads_are_noted() -> None:
    atoms, box = tr.LennardJones(sigma=0.05, cutoff=0.1), {"box": 1.0}
    kinds, charges = np.arange(20) % 2, np.where(np.arange(20) % 2, 1.0, -1.0)
    with pytest.warns(
        UserWarning, match=r"^the particles have charges, which no force reads: tr.Coulomb does$"
    ) as noted:
        tr.Simulation(stars(charge=charges, **box), [atoms], timestep=0.1)
    assert noted[0].filename == __file__
    with pytest.warns(UserWarning, match=r"^the particles are of several kinds, but LennardJones\(.*\) has one: "):
        tr.Simulation(stars(kind=kinds, **box), [atoms], timestep=0.1)
    mixture = tr.LennardJones(kinds={"A": (1.0, 0.05), "B": (1.0, 0.06)}, cutoff=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(stars(charge=charges, kind=kinds, **box), [mixture, tr.Coulomb()], timestep=0.1)
        tr.Simulation(stars(charge=0.0, kind=1, **box), [atoms], timestep=0.1)
        own = tr.PythonForce(lambda charge: np.outer(charge, [0, 0, 1]), needs=["charge"], gives=["force"])
        tr.Simulation(stars(charge=charges, **box), [atoms, own], timestep=0.1)


@pytest.mark.parametrize("timestep", [None, tr.IndividualSteps(longest=1 / 16)])
def test_a_force_that_limits_no_steps_is_noted(timestep: tr.IndividualSteps | None) -> None:
    atoms, gravity = tr.LennardJones(sigma=0.05, cutoff=0.1), tr.Gravity(softening=0.1)
    limit = tr.StepLimit(lambda particles: np.full(len(particles), 1 / 256))
    with pytest.warns(UserWarning, match=r"^LennardJones\(.*\) limits no steps, and those that the other forces allow"):
        tr.Simulation(stars(), [gravity, atoms], timestep)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(stars(), [gravity, atoms, limit], timestep)
        tr.Simulation(stars(), [gravity, atoms], timestep=0.01)
        tr.Simulation(stars(), [gravity], timestep)


def test_gas_without_energies_is_noted_where_steps_are_chosen() -> None:
    with pytest.warns(UserWarning, match="^the internal energies of the gas are all 0: without a pressure, it hardly"):
        tr.Simulation(stars(internal_energy=0.0), [tr.Sph(), tr.Gravity(softening=0.1)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(stars(internal_energy=0.0), [tr.Sph()], timestep=0.1)
        tr.Simulation(stars(internal_energy=1.0), [tr.Sph()])


def test_ids_that_are_there_twice_are_refused() -> None:
    particles = stars()
    particles.id[:2] = 7
    with pytest.raises(ValueError, match=r"^id 7 is there twice, but each particle has an id of its own$"):
        tr.Simulation(particles, [], timestep=0.1)


def test_an_energy_of_zero_has_an_error_of_a_size() -> None:
    v = 0.5**0.5
    pair = tr.ParticleSet.from_columns(
        position=[[1.0, 0, 0], [-1, 0, 0]], velocity=[[0, v, 0], [0, -v, 0]], mass=1.0
    )  # a parabola: the total energy is 0
    sim = tr.Simulation(pair, [tr.Gravity()], timestep=0.05)
    sim.run(until=1.0)
    energies = sim.energies()
    assert abs(energies.total / energies.potential) < 1e-4
    assert energies.error == pytest.approx(energies.total / (0.1 * (energies.kinetic - energies.potential)), rel=1e-6)
    assert abs(energies.error) < 1e-3
