"""Coulomb's part of the pressure tensor, against Ewald's sum in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray
from scipy.special import erfc

import trellis as tr

Array = NDArray[np.float64]
SIDES = np.array([7.0, 9.5, 8.0])
FINE: dict[str, Any] = {"accuracy": 1e-4, "precision": "double"}


def salt(excess: float = 0.0, stretch: Array | float = 1.0) -> tr.ParticleSet:
    """Return 96 ions far from their lattice, in a box with three different sides; excess: added to each charge."""
    random, site = np.random.default_rng(1), np.indices((4, 6, 4)).reshape(3, -1).T
    position = (site + 0.5) / [4, 6, 4] * SIDES + random.uniform(-0.4, 0.4, (96, 3))
    charge = (1 - 2.0 * (site.sum(axis=1) % 2)) * random.uniform(0.5, 1.5, 96)
    return tr.ParticleSet.from_columns(
        position=position * stretch,
        velocity=random.normal(size=(96, 3)),
        mass=random.uniform(0.5, 2.0, 96),
        charge=charge - charge.mean() + excess,
        box=[[0.0] * 3, SIDES * stretch],
    )


def ewald(ions: tr.ParticleSet, split: float = 5.6) -> tuple[float, Array]:
    """Return the energy of charges and their images, and its virial tensor; split: of the shortest side, by erfc."""
    at, q, sides = ions.position, ions.charge, np.diff(ions.box, axis=0)[0]
    alpha, volume = split / sides.min(), sides.prod()
    i, j = np.indices((len(q),) * 2).reshape(2, -1)
    energy, virial = -alpha / math.sqrt(math.pi) * float(q @ q), np.zeros((3, 3))
    for image in np.ndindex(3, 3, 3):
        d = at[i] - at[j] + (np.array(image) - 1) * sides
        r = np.linalg.norm(d, axis=1)
        near = (r > 0) & (alpha * r < 6)
        d, r, qq = d[near], r[near], (q[i] * q[j])[near]
        u = erfc(alpha * r) / r
        energy += float(qq @ u) / 2
        pull = qq * (u + 2 * alpha / math.sqrt(math.pi) * np.exp(-((alpha * r) ** 2))) / r**2
        virial += (d * pull[:, None]).T @ d / 2
    highest = np.ceil(6 * alpha * sides / np.pi).astype(int)
    k = (np.indices(2 * highest + 1).reshape(3, -1).T - highest) * 2 * np.pi / sides
    k2 = (k**2).sum(axis=1)
    k, k2 = k[(k2 > 0) & (k2 < (12 * alpha) ** 2)], k2[(k2 > 0) & (k2 < (12 * alpha) ** 2)]
    waves = 2 * np.pi / volume / k2 * np.exp(-k2 / (4 * alpha**2)) * np.abs(np.exp(1j * (k @ at.T)) @ q) ** 2
    background = -np.pi / (2 * volume * alpha**2) * float(q.sum()) ** 2
    virial -= (k * (waves * (2 / k2 + 1 / (2 * alpha**2)))[:, None]).T @ k
    return energy + float(waves.sum()) + background, virial + (waves.sum() + background) * np.eye(3)


def tensor_of(particles: tr.ParticleSet, *forces: tr.Force, device: str = "host") -> Array:
    """Return the virial tensor."""
    still = particles.copy()
    still.velocity[:] = 0
    return tr.Simulation(still, list(forces), 0.001, device=device).pressure_tensor() * SIDES.prod()


@pytest.mark.parametrize("excess", [0.0, 0.4])
def test_the_oracle_is_how_its_energy_changes_with_each_side(excess: float) -> None:
    energy, virial = ewald(salt(excess))
    assert virial.trace() == pytest.approx(energy, rel=1e-11)
    other = ewald(salt(excess), split=6.2)
    assert (other[0], *other[1].ravel()) == pytest.approx((energy, *virial.ravel()), rel=1e-9, abs=1e-8)
    for axis in range(3):
        stretch = 1e-4 * np.eye(3)[axis]
        slope = (ewald(salt(excess, 1 + stretch))[0] - ewald(salt(excess, 1 - stretch))[0]) / 2e-4
        assert virial[axis, axis] == pytest.approx(-slope, rel=1e-6)


@pytest.mark.parametrize("accuracy", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("excess", [0.0, 0.4])
def test_is_that_of_ewald(excess: float, accuracy: float) -> None:
    force = tr.Coulomb(accuracy=accuracy, coupling=2.5)
    energy, virial = ewald(salt(excess))
    tolerance = 0.1 * accuracy * abs(2.5 * energy)
    assert tensor_of(salt(excess), force) == pytest.approx(2.5 * virial, abs=tolerance)
    assert np.abs(virial - np.diag(np.diag(virial))).max() > 0.01 * abs(energy)
    sim = tr.Simulation(salt(excess), [force], timestep=0.001)
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), abs=tolerance / SIDES.prod())


def test_is_that_of_ewald_on_each_device(device: str) -> None:
    force = tr.Coulomb(accuracy=1e-4)
    energy, virial = ewald(salt())
    assert tensor_of(salt(), force, device=device) == pytest.approx(virial, abs=1e-5 * abs(energy))


@pytest.mark.parametrize("mesh", [(24, 6.0), (32, 10.0), (40, 14.0), (50, 14.0)])
def test_does_not_depend_on_the_split(mesh: tuple[int, float]) -> None:
    energy, virial = ewald(salt(0.4))
    found = tensor_of(salt(0.4), tr.Coulomb(precision="double", mesh_cells=mesh[0], mesh_cutoff=mesh[1]))
    assert found == pytest.approx(virial, abs=3e-4 * (6 / mesh[1]) ** 4 * abs(energy))


def test_of_softened_charges_has_their_forces_within_the_cutoff() -> None:
    force = tr.Coulomb(softening=0.3, **FINE)
    ions, (energy, virial) = salt(), ewald(salt())
    cutoff = force.cutoff_in(ions, len(ions))
    i, j = np.indices((96, 96)).reshape(2, -1)
    for image in np.ndindex(3, 3, 3):
        d = ions.position[i] - ions.position[j] + (np.array(image) - 1) * SIDES
        r = np.linalg.norm(d, axis=1)
        near = (r > 0) & (r < cutoff)
        d, r, qq = d[near], r[near], (ions.charge[i] * ions.charge[j])[near]
        virial += (d * (qq * ((r**2 + 0.09) ** -1.5 - r**-3))[:, None]).T @ d / 2
    assert tensor_of(ions, force) == pytest.approx(virial, abs=1e-5 * abs(energy))
    ions.position[1] = ions.position[0]
    assert np.isfinite(tensor_of(ions, force)).all()


def test_turns_with_the_axes() -> None:
    force, axes = tr.Coulomb(**FINE), [2, 0, 1]
    turned = salt()
    turned.box = turned.box[:, axes]
    turned.position[:] = turned.position[:, axes]
    tensor = tensor_of(salt(), force)
    assert tensor_of(turned, force) == pytest.approx(tensor[np.ix_(axes, axes)], abs=1e-10 * np.abs(tensor).max())
    assert tensor == pytest.approx(tensor.T, abs=1e-12 * np.abs(tensor).max())


def test_of_rock_salt_is_isotropic() -> None:
    site = np.indices((6, 6, 6)).reshape(3, -1).T
    ions = tr.ParticleSet.from_columns(
        position=site, mass=1.0, charge=1 - 2.0 * (site.sum(axis=1) % 2), box=[[0.0] * 3, [6.0] * 3]
    )
    tensor = tr.Simulation(ions, [tr.Coulomb(**FINE)], timestep=0.001).pressure_tensor()
    assert tensor == pytest.approx(-1.7475645946332 / 6 * np.eye(3), abs=2e-5)


def molecules(stretch: Array | float = 1.0) -> tuple[tr.ParticleSet, list[tr.Force]]:
    """Return 64 bent molecules, and forces by which the charges of one molecule do not act on each other."""
    random, site = np.random.default_rng(5), np.indices((4, 4, 4)).reshape(3, -1).T
    shape = np.array([[0.0, 0.0, 0.0], [0.5, 0.3, 0.0], [-0.5, 0.3, 0.0]])
    turns = np.linalg.qr(random.normal(size=(64, 3, 3)))[0]
    position = ((site + 0.5) / 4 * SIDES)[:, None] + shape @ turns + random.uniform(-0.05, 0.05, (64, 3, 3))
    charge = np.tile([-0.8, 0.4, 0.4], 64)
    first = np.arange(0, 192, 3)[:, None]
    bonds = np.concatenate([first + np.array(pair) for pair in ((0, 1), (0, 2))])
    inside = np.concatenate([bonds, first + np.array([1, 2])])
    water = tr.ParticleSet.from_columns(
        position=position.reshape(-1, 3) * stretch, mass=1.0, charge=charge, box=[[0.0] * 3, SIDES * stretch]
    )
    return water, [
        tr.LennardJones(cutoff=2.5, truncation="force-shifted", exclude=inside, precision="double"),
        tr.HarmonicBonds(bonds, k=50.0, length=0.6),
        tr.CosineAngles(first + np.array([1, 0, 2]), k=5.0),
        tr.bond_potential("-k / r", pairs=inside, k=20 * charge[inside[:, 0]] * charge[inside[:, 1]]),
        tr.Coulomb(coupling=20.0, mesh_cells=48, mesh_cutoff=14.0, **FINE),
    ]


def test_adds_up_with_that_of_other_forces_in_molecules() -> None:
    water, forces = molecules()
    sim = tr.Simulation(water.copy(), forces, timestep=0.001)
    energy, virial = ewald(water)
    tensor = tensor_of(water, *forces)
    others = tensor_of(water, *forces[:-1])
    assert tensor - others == pytest.approx(20 * virial, abs=2e-5 * abs(20 * energy))
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), abs=1e-5 * np.abs(others).max())
    for axis in range(3):
        stretch = 1e-3 * np.eye(3)[axis]
        e = [tr.Simulation(*molecules(1 + k * stretch), timestep=0.001).energies().potential for k in (-2, -1, 1, 2)]
        slope = (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / 12e-3
        assert tensor[axis, axis] == pytest.approx(-slope, abs=1e-3 * np.abs(tensor).max())


def test_is_the_same_on_any_number_of_ranks(found_on: FoundOn) -> None:
    program = """
import numpy as np
random, site = np.random.default_rng(1), np.indices((10, 10, 10)).reshape(3, -1).T
position = (site + 0.5) * [1.0, 1.2, 0.9] + random.uniform(-0.3, 0.3, (1000, 3))
own = slice(tr.rank(), None, tr.ranks())
ions = tr.ParticleSet.from_columns(
    position=position[own], charge=(1 - 2.0 * (site.sum(axis=1) % 2))[own], mass=1.0, id=np.arange(1000)[own],
    box=[[0.0] * 3, [10.0, 12.0, 9.0]],
)
sim = tr.Simulation(ions, [tr.Coulomb(accuracy=1e-3, precision="double")], 0.002)
found = sim.pressure_tensor().ravel().tolist()
"""
    alone = found_on(1, program)
    for ranks in (2, 3):
        assert found_on(ranks, program) == pytest.approx(alone, abs=1e-11 * abs(alone[0]))


def test_changes_nothing() -> None:
    def end(every: int) -> Array:
        sim = tr.Simulation(salt(), [tr.Coulomb()], timestep=0.001)
        sim.run(steps=10, callbacks=[(every, lambda now: now.pressure_tensor())])
        return sim.particles.position.copy()

    assert np.array_equal(end(3), end(1000))
