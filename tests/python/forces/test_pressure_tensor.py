"""The pressure tensor, against sums over pairs and images, energies of strained boxes, and the pressure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray

import trellis as tr
from trellis.interactions.lennard_jones import as_pair_potential

Array = NDArray[np.float64]
SIDES = np.array([4.7, 5.6, 6.3])
CUTOFF = 3.0  # all sides but one are shorter than two of them, so that images count
KINDS: dict[str, Any] = {"kinds": {"A": (1.0, 1.0), "B": (0.5, 0.88)}, "pairs": [("A", "B", 1.5, 0.8)]}
EPSILON, SIGMA = np.array([[1.0, 1.5], [1.5, 0.5]]), np.array([[1.0, 0.8], [0.8, 0.88]])
EXCLUDED = [(0, 1), (1, 2), (2, 3, 0.5), (40, 41, 0.25), (7, 8)]
TRUNCATIONS = ("plain", "energy-shifted", "force-shifted", "switched")


def atoms(stretch: Array | float = 1.0) -> tr.ParticleSet:
    """Return 108 atoms of two kinds near the sites of a lattice, in a box with three different sides."""
    made = tr.ic.lennard_jones(108, density=0.8, temperature=1.0, kinds=(4, 1), seed=2)
    random, old = np.random.default_rng(3), np.diff(made.box, axis=0)[0]
    position = (made.position / old * SIDES + random.uniform(-0.12, 0.12, (108, 3))) * stretch
    return tr.ParticleSet.from_columns(
        position=position,
        velocity=made.velocity,
        mass=random.uniform(0.5, 2.0, 108),
        kind=made.kind,
        box=[[0.0] * 3, SIDES * stretch],
    )


def truncated(r: Any, e: Array, s: Array, c: Array, truncation: str) -> Any:
    """Return the energy of pairs, of distances that may be complex numbers."""

    def u(r: Any) -> Any:
        return 4 * e * ((s / r) ** 12 - (s / r) ** 6)

    if truncation == "switched":
        x = (r - 0.9 * c) / (0.1 * c)
        return u(r) * np.where(x.real > 0, 1 - 10 * x**3 + 15 * x**4 - 6 * x**5, 1)
    shift = 0 if truncation == "plain" else u(c)
    slope = slope_of(u, c) if truncation == "force-shifted" else 0
    return u(r) - shift - (r - c) * slope


def slope_of(u: Callable[[Any], Any], r: Array) -> Array:
    return np.asarray(u(r + 1e-30j).imag / 1e-30)


def direct_sum(particles: tr.ParticleSet, slope: Callable[[Array, Any, Any], Array], factor: Array) -> Array:
    """Return the pressure tensor by all pairs and images. slope: of the energy, by distance and both rows."""
    sides = np.diff(particles.box, axis=0)[0]
    i, j = np.nonzero(~np.eye(len(particles), dtype=bool))
    virial = np.zeros((3, 3))
    for image in np.ndindex(5, 5, 5):
        d = particles.position[i] - particles.position[j] + (np.array(image) - 2) * sides
        r = np.linalg.norm(d, axis=1)
        force = -(factor[i, j] * slope(r, i, j) / r)[:, None] * d
        virial += d.T @ force / 2
    motion = particles.velocity - np.average(particles.velocity, axis=0, weights=particles.mass)
    return np.asarray(((particles.mass[:, None] * motion).T @ motion + virial) / sides.prod())


def factors_of(particles: tr.ParticleSet, excluded: list[Any]) -> Array:
    factor, row = np.ones((len(particles),) * 2), np.argsort(particles.id)
    for one, other, *given in excluded:
        a, b = row[one], row[other]
        factor[a, b] = factor[b, a] = given[0] if given else 0
    return factor


@pytest.mark.parametrize("truncation", TRUNCATIONS)
@pytest.mark.parametrize("by_kinds", [False, True])
def test_is_the_sum_over_pairs_and_images(device: str, truncation: Any, *, by_kinds: bool) -> None:
    given = {**KINDS, "cutoff_in_sigma": True} if by_kinds else {"epsilon": 1.3, "sigma": 0.9}
    force = tr.LennardJones(cutoff=CUTOFF, truncation=truncation, exclude=EXCLUDED, precision="double", **given)
    sim = tr.Simulation(atoms(), [force], timestep=0.001, device=device)
    sim.run(steps=3)

    def slope(r: Array, i: Array, j: Array) -> Array:
        kind = sim.particles.kind.astype(int)
        e = EPSILON[kind[i], kind[j]] if by_kinds else np.array(1.3)
        s = SIGMA[kind[i], kind[j]] if by_kinds else np.array(0.9)
        c = CUTOFF * s if by_kinds else np.array(CUTOFF)
        return np.where(r < c, slope_of(lambda r: truncated(r, e, s, c, truncation), r), 0)

    assert sim.energy_of(as_pair_potential(force)) == pytest.approx(sim.energies().potential, rel=1e-11)
    tensor = sim.pressure_tensor()
    exact = direct_sum(sim.particles, slope, factors_of(sim.particles, EXCLUDED))
    assert tensor == pytest.approx(exact, rel=1e-10, abs=1e-10 * np.abs(exact).max())
    assert np.abs(exact - np.diag(np.diag(exact))).max() > 0.01
    assert tensor == pytest.approx(tensor.T, rel=1e-12, abs=1e-13)
    assert tensor.trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)


CHAIN = np.arange(108)
BONDED: list[tr.Force] = [
    tr.HarmonicBonds(np.stack([CHAIN[:-1], CHAIN[1:]], axis=1), k=np.linspace(5, 9, 107), length=1.0),
    tr.CosineAngles(np.stack([CHAIN[:-2], CHAIN[1:-1], CHAIN[2:]], axis=1), k=2.5),
    tr.CosineDihedrals(np.stack([CHAIN[:-3], CHAIN[1:-2], CHAIN[2:-1], CHAIN[3:]], axis=1), k=1.5, n=3, phase=0.4),
]
MIXTURE = tr.LennardJones(
    cutoff=2.5, cutoff_in_sigma=True, truncation="force-shifted", exclude=EXCLUDED, precision="double", **KINDS
)
SOFT = tr.pair_potential("k * (1 - r / 2)**2", k=3.0, cutoff=2.0, precision="double")


@pytest.mark.parametrize("forces", [[MIXTURE], [SOFT], *([force] for force in BONDED), [MIXTURE, *BONDED]])
def test_is_how_the_energy_changes_with_each_side_of_the_box(forces: list[tr.Force]) -> None:
    def energy(axis: int, step: float) -> float:
        stretch = np.ones(3)
        stretch[axis] += step
        return tr.Simulation(atoms(stretch), forces, timestep=0.001).energies().potential

    sim = tr.Simulation(atoms(), forces, timestep=0.001)
    tensor = sim.pressure_tensor()
    assert tensor.trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11, abs=1e-12)
    assert tensor == pytest.approx(tensor.T, rel=1e-11, abs=1e-11 * np.abs(tensor).max())
    sim.particles.velocity[:] = 0
    virial = sim.pressure_tensor() * SIDES.prod()
    for axis in range(3):
        e = [energy(axis, k * 1e-5) for k in (-2, -1, 1, 2)]
        slope = (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / 12e-5
        assert virial[axis, axis] == pytest.approx(-slope, rel=1e-6, abs=1e-6 * np.abs(virial).max())


def test_turns_with_the_axes() -> None:
    forces = [MIXTURE, *BONDED]
    tensor = tr.Simulation(atoms(), forces, timestep=0.001).pressure_tensor()
    axes = [2, 0, 1]
    turned = atoms()
    turned.box = turned.box[:, axes]
    turned.position[:], turned.velocity[:] = turned.position[:, axes], turned.velocity[:, axes]
    found = tr.Simulation(turned, forces, timestep=0.001).pressure_tensor()
    assert found == pytest.approx(tensor[np.ix_(axes, axes)], rel=1e-10, abs=1e-10 * np.abs(tensor).max())


def test_turns_with_a_molecule() -> None:
    random = np.random.default_rng(4)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    cluster = random.normal(size=(108, 3)) * 0.8

    def tensor_of(position: Array) -> Array:
        molecule = tr.ParticleSet.from_columns(position=position + 20, mass=1.0, kind=np.arange(108) % 2, box=[40] * 3)
        return tr.Simulation(molecule, [SOFT, *BONDED], timestep=0.001).pressure_tensor()

    tensor = tensor_of(cluster)
    assert tensor_of(cluster @ turn.T) == pytest.approx(
        turn @ tensor @ turn.T, rel=1e-9, abs=1e-10 * np.abs(tensor).max()
    )
    assert np.abs(tensor[0, 1]) > 1e-3 * np.abs(tensor).max()


def test_is_the_same_on_any_number_of_ranks(found_on: FoundOn) -> None:
    program = """
import numpy as np
ids = np.arange(1372)
bonds = tr.HarmonicBonds(np.stack([ids[:-1], ids[1:]], axis=1), k=0.3, length=1.0)
angles = tr.CosineAngles(np.stack([ids[:-2], ids[1:-1], ids[2:]], axis=1), k=0.2)
force = tr.LennardJones(
    kinds={"A": (1.0, 1.0), "B": (0.5, 0.88)}, exclude=np.stack([ids[:-1], ids[1:]], axis=1), precision="double"
)
sim = tr.Simulation(tr.ic.lennard_jones(1372, density=1.2, kinds=(4, 1)), [force, bonds, angles], 0.002)
sim.run(steps=5)
found = [*sim.pressure_tensor().ravel().tolist(), sim.pressure()]
"""
    alone = found_on(1, program)
    assert np.trace(np.reshape(alone[:9], (3, 3))) / 3 == pytest.approx(alone[9], rel=1e-11)
    for ranks in (2, 3):
        assert found_on(ranks, program) == pytest.approx(alone, rel=1e-9, abs=1e-9 * abs(alone[0]))


@pytest.mark.parametrize("thermostat", [None, tr.Langevin(temperature=1.0, relaxation_time=0.5)])
def test_counts_the_motion_of_all_where_the_pressure_does(thermostat: Any) -> None:
    drifting = atoms()
    drifting.velocity[:] += [3.0, 0.0, 1.0]
    sim = tr.Simulation(drifting, [MIXTURE], timestep=0.001, thermostat=thermostat)
    tensor = sim.pressure_tensor()
    assert tensor.trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)
    still = tr.Simulation(atoms(), [MIXTURE], timestep=0.001).pressure_tensor()
    drift = np.average(drifting.velocity, axis=0, weights=drifting.mass)
    counted = drifting.mass.sum() / SIDES.prod() * np.outer(drift, drift) * (thermostat is not None)
    assert tensor - still == pytest.approx(counted, abs=1e-9)


def test_changes_nothing() -> None:
    def end(every: int) -> Array:
        sim = tr.Simulation(atoms(), [tr.LennardJones(cutoff=2.0, truncation="force-shifted")], timestep=0.002)
        sim.run(steps=40, callbacks=[(every, lambda now: now.pressure_tensor())])
        assert "virial_x" not in sim.particles.field_names
        return sim.particles.position.copy()

    assert np.array_equal(end(3), end(1000))


def test_is_that_of_atoms_that_stay_on_a_device() -> None:
    atoms = tr.ic.lennard_jones(500, density=0.8, temperature=1.0)
    force = tr.LennardJones(precision="double")
    sim = tr.Simulation(atoms, [force], timestep=0.004, resident=True, device="cpu")
    sim.run(steps=10)
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)
    sim.run(steps=10)
    there = tr.Simulation(sim.particles.copy(), [force], timestep=0.004).pressure_tensor()
    assert sim.pressure_tensor() == pytest.approx(there, rel=1e-11, abs=1e-12)


def test_single_precision_is_that_of_the_forces() -> None:
    fast = tr.Simulation(atoms(), [tr.LennardJones(cutoff=2.5, precision="single")], timestep=0.001)
    exact = tr.Simulation(atoms(), [tr.LennardJones(cutoff=2.5, precision="double")], timestep=0.001)
    assert fast.pressure_tensor() == pytest.approx(exact.pressure_tensor(), rel=1e-5, abs=1e-5)
    assert fast.pressure_tensor().trace() / 3 == pytest.approx(fast.pressure(), rel=1e-5)


def test_kinds_may_be_types_of_particles() -> None:
    kinds: dict[str, Any] = {"stars": (1.0, 1.0), "gas": (0.5, 0.9)}
    typed = tr.ic.lennard_jones(256)
    typed.type = np.where(np.arange(256) % 3 == 0, "gas", "stars")
    sim = tr.Simulation(typed, [tr.LennardJones(kinds=kinds, precision="double")], 0.001)
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)


def test_of_an_ideal_gas_is_that_of_its_motion() -> None:
    gas = tr.ic.lennard_jones(500, density=0.5, temperature=2.0)
    sim = tr.Simulation(gas, [], timestep=0.005)
    exact = gas.velocity.T @ gas.velocity / 1000
    assert sim.pressure_tensor() == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("force", "name"),
    [
        (tr.Gravity(softening=0.1, method="fmm"), "Gravity"),
        (tr.Gravity(method="treepm"), "Gravity"),
        (tr.external.UniformField(acceleration=[1.0, 0.0, 0.0]), "UniformField"),
        (tr.PythonForce(lambda m: m, needs=["mass"], gives=["virial"], of_each=True), "PythonForce"),
        (tr.pair_potential("1 / sqrt(r**2 + 0.01)", source="mass", theta=0.5), "pair_potential"),
    ],
)
def test_refuses_forces_whose_part_is_not_known(force: tr.Force, name: str) -> None:
    cube = tr.ic.lennard_jones(108)
    sim = tr.Simulation(cube, [tr.LennardJones(), force], timestep=0.001)
    with pytest.raises(tr.InputError, match=f"a pressure tensor is asked for, but {name} is among the forces"):
        sim.pressure_tensor()


def test_a_limit_of_steps_has_no_part_in_it() -> None:
    sim = tr.Simulation(atoms(), [MIXTURE, tr.StepLimit(lambda _: 0.001)])
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)


def test_refuses_a_box_without_a_volume() -> None:
    sim = tr.Simulation(tr.ParticleSet.from_columns(position=np.eye(3), mass=1.0), [SOFT], timestep=0.001)
    with pytest.raises(tr.InputError, match="the box is not periodic along all axes: it has no volume"):
        sim.pressure_tensor()
