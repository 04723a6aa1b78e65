"""Forces over given tuples: derivatives of their energies, sums that any threads and ranks agree on, and mistakes."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from numpy.typing import NDArray

import trellis as tr

Array = NDArray[np.float64]
N = 40
SIDE = 3.0


def chain(scatter: float = 0.3) -> tr.ParticleSet:
    """Return particles of different masses that follow each other around in a periodic box, far from a line."""
    random = np.random.default_rng(1)
    steps = random.normal(size=(N, 3))
    steps *= random.uniform(1 - scatter, 1 + scatter, (N, 1)) / np.linalg.norm(steps, axis=1, keepdims=True)
    return tr.ParticleSet.from_columns(
        position=steps.cumsum(axis=0) % SIDE, mass=random.uniform(0.5, 2, N), box=[SIDE] * 3
    )


def rows_of(members: int) -> NDArray[np.int64]:
    return np.stack([np.arange(N - members + 1) + k for k in range(members)], axis=1)


def at_rest(particles: tr.ParticleSet, force: tr.Force) -> tr.ParticleSet:
    """Return the particles with the force on them, in the order of their ids."""
    sim = tr.Simulation(particles.copy(), [force], timestep=1e-12)
    sim.run(steps=1)
    return sim.particles[np.argsort(sim.particles.id)].copy()


def energy(particles: tr.ParticleSet, force: tr.Force) -> float:
    moved = at_rest(particles, force)
    return float(0.5 * (moved.mass * moved.potential).sum())


PAIRS, TRIPLES, QUADRUPLES = rows_of(2), rows_of(3), rows_of(4)
FORCES: dict[str, Callable[[], tr.Force]] = {
    "harmonic": lambda: tr.HarmonicBonds(PAIRS, k=np.linspace(50, 100, N - 1), length=1.0),
    "FENE": lambda: tr.FENE(PAIRS),
    "Morse": lambda: tr.bond_potential(lambda r, k, a: k * (1 - np.exp(-a * (r - 1))) ** 2, pairs=PAIRS, k=2, a=3),
    "cosine angle": lambda: tr.CosineAngles(TRIPLES, k=2.5),
    "harmonic angle": lambda: tr.angle_potential("k * (theta - t0)**2 / 2", triples=TRIPLES, k=3.0, t0=1.9),
    "cosine dihedral": lambda: tr.CosineDihedrals(QUADRUPLES, k=1.5, n=3, phase=0.4),
    "plain dihedral": lambda: tr.CosineDihedrals(QUADRUPLES, k=1.5, n=1),
    "Ryckaert-Bellemans": lambda: tr.dihedral_potential(
        lambda phi: sum(c * (-tr.cos(phi)) ** n for n, c in enumerate([9.28, 12.16, -13.12, -3.06, 26.24, -31.5])),
        quadruples=QUADRUPLES,
    ),
}


@pytest.mark.parametrize("name", FORCES)
def test_the_force_is_the_gradient_of_the_energy(name: str) -> None:
    force, particles = FORCES[name](), chain()
    here = at_rest(particles, force)
    pull = here.mass[:, None] * here.acceleration
    assert np.abs(pull.sum(axis=0)).max() < 1e-12 * np.abs(pull).sum()
    torque = np.zeros(3)
    for row in (0, 7, N - 1):
        for axis in range(3):
            energies = []
            for k in (-2, -1, 1, 2):
                moved = particles.copy()
                moved.position[row, axis] += k * 1e-4
                energies.append(energy(moved, force))
            slope = (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / 12e-4
            assert pull[row, axis] == pytest.approx(-slope, rel=1e-7, abs=1e-7 * np.abs(pull).max())
            torque[axis] += slope
    assert torque.any()


@pytest.mark.parametrize("name", FORCES)
def test_the_virial_is_the_derivative_by_the_size_of_space(name: str) -> None:
    force = FORCES[name]()

    def scaled(factor: float) -> float:
        particles = chain()
        return energy(
            tr.ParticleSet.from_columns(
                position=particles.position * factor, mass=particles.mass, box=[SIDE * factor] * 3
            ),
            force,
        )

    slope = (scaled(1 - 2e-4) - 8 * scaled(1 - 1e-4) + 8 * scaled(1 + 1e-4) - scaled(1 + 2e-4)) / 12e-4
    virial = 0.5 * at_rest(chain(), force).virial.sum()
    assert virial == pytest.approx(-slope, rel=1e-6, abs=1e-5)


def in_a_row(particles: tr.ParticleSet) -> Array:
    """Return the steps from each particle to the nearest image of the next one."""
    d = np.diff(np.asarray(particles.position), axis=0)
    return np.asarray(d - SIDE * np.round(d / SIDE))


def test_energies_are_those_of_the_formulas() -> None:
    particles = chain()
    d = in_a_row(particles)
    r = np.linalg.norm(d, axis=1)
    k = np.linspace(50, 100, N - 1)
    assert energy(particles, FORCES["harmonic"]()) == pytest.approx((k * (r - 1) ** 2).sum() / 2, rel=1e-12)
    fene = (-0.5 * 30 * 1.5**2 * np.log(1 - (r / 1.5) ** 2)).sum()
    assert energy(particles, FORCES["FENE"]()) == pytest.approx(fene, rel=1e-12)
    cosine = -(d[:-1] * d[1:]).sum(axis=1) / r[:-1] / r[1:]
    assert energy(particles, FORCES["cosine angle"]()) == pytest.approx(2.5 * (1 + cosine).sum(), rel=1e-12)
    bent = 1.5 * (np.arccos(cosine) - 1.9) ** 2
    assert energy(particles, FORCES["harmonic angle"]()) == pytest.approx(bent.sum(), rel=1e-10)
    m, n = np.cross(d[:-2], d[1:-1]), np.cross(d[1:-1], d[2:])
    phi = np.arctan2(r[1:-1] * (d[:-2] * n).sum(axis=1), (m * n).sum(axis=1))
    turned = 1.5 * (1 + np.cos(3 * phi - 0.4))
    assert energy(particles, FORCES["cosine dihedral"]()) == pytest.approx(turned.sum(), rel=1e-11)
    given = tr.dihedral_potential("phi", quadruples=[[0, 1, 2, 3]])
    cis = tr.ParticleSet.from_columns(position=[[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1]], mass=[1] * 4)
    assert energy(cis, given) == pytest.approx(np.pi / 2)  # seen along z, from x clockwise to y: IUPAC


def test_three_in_a_line_exert_no_force() -> None:
    line = tr.ParticleSet.from_columns(position=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], mass=[1, 1, 1])
    bent = at_rest(line, tr.CosineAngles([[0, 1, 2]], k=2.0))
    assert not bent.acceleration.any()
    assert not bent.potential.any()


BEADS, LENGTH = 1500, 30


def melt() -> tuple[tr.ParticleSet, NDArray[np.int64]]:
    """Return chains of beads that wind through a lattice, in the order of random ids, and their bonds."""
    random = np.random.default_rng(2)
    x, y, z = np.indices((15, 10, 10))
    y = np.where(x % 2, 9 - y, y)
    z = np.where((x * 10 + y) % 2, 9 - z, z)
    path = np.empty((BEADS, 3))
    order = ((x * 10 + np.where(x % 2, 9 - y, y)) * 10 + np.where((x * 10 + y) % 2, 9 - z, z)).ravel()
    path[order] = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    names = random.permutation(BEADS)
    positions = np.empty((BEADS, 3))
    positions[names] = path * 1.05
    beads = tr.ParticleSet.from_columns(position=positions, mass=np.ones(BEADS), box=[15.75, 10.5, 10.5])
    beads.velocity[:] = random.normal(size=(BEADS, 3))
    steps = np.arange(BEADS - 1)
    steps = steps[(steps + 1) % LENGTH != 0]
    return beads, np.stack([names[steps], names[steps + 1]], axis=1)


def forces_of(bonds: NDArray[np.int64]) -> list[tr.Force]:
    return [tr.LennardJones(cutoff=2 ** (1 / 6), truncation="energy-shifted", precision="double"), tr.FENE(bonds)]


@pytest.mark.parametrize("mode", [1, 3, 8])
def test_a_ring_of_springs_has_its_sound(mode: int) -> None:
    """omega = 2 sqrt(k / m) sin(q a / 2); of the leapfrog's turns, sin(omega' dt / 2) = omega dt / 2."""
    beads, k, mass, dt = np.arange(16), 5.0, 2.0, 0.01
    wave = np.cos(2 * np.pi * mode / 16 * beads)
    bonds = tr.HarmonicBonds(np.stack([beads, (beads + 1) % 16], axis=1), k=k, length=1.0)
    position = np.pad((beads + 1e-3 * wave)[:, None], ((0, 0), (0, 2)))
    ring = tr.ParticleSet.from_columns(position=position, mass=mass, box=[16, np.inf, np.inf])
    sim = tr.Simulation(ring, [bonds], timestep=dt, keep_order=True)
    sim.run(steps=300)
    omega = 2 * np.sqrt(k / mass) * np.sin(np.pi * mode / 16)
    turn = 2 / dt * np.arcsin(omega * dt / 2) * sim.time
    moved = (ring.position[:, 0] - beads + 8) % 16 - 8
    np.testing.assert_allclose(moved, 1e-3 * wave * np.cos(turn), rtol=0, atol=1e-10)


def test_chains_keep_their_energy_and_their_bonds_while_rows_are_sorted() -> None:
    beads, bonds = melt()
    sim = tr.Simulation(beads, forces_of(bonds), timestep=0.001, keep_order=False)
    before = sim.energies().total
    sim.run(steps=600)
    assert abs(sim.energies().total / before - 1) < 2e-4
    assert sim.force_error(100)["rms"] < 1e-11
    there = np.empty((BEADS, 3))
    there[sim.particles.id] = sim.particles.position
    assert (np.diff(sim.particles.id.astype(int)) != 1).any()
    d = there[bonds[:, 1]] - there[bonds[:, 0]]
    sides = np.array([15.75, 10.5, 10.5])
    r = np.linalg.norm(d - sides * np.round(d / sides), axis=1)
    assert 0.7 < r.min() < 0.95
    assert 1.0 < r.max() < 1.4


def test_individual_steps_keep_the_energy() -> None:
    beads, bonds = melt()
    limit = tr.StepLimit(lambda particles: 0.004 / (1 + np.linalg.norm(particles.acceleration, axis=1) / 100))
    sim = tr.Simulation(beads, [*forces_of(bonds), limit], timestep=tr.IndividualSteps(longest=1 / 128))
    before = sim.energies().total
    sim.run(steps=50)
    assert np.count_nonzero(sim.rung_use["particles"]) > 1
    assert abs(sim.energies().total / before - 1) < 1e-3


def test_results_have_the_same_bits_for_any_number_of_threads() -> None:
    def end(threads: int) -> Array:
        tr.set_threads(threads)
        beads, bonds = melt()
        sim = tr.Simulation(beads, forces_of(bonds), timestep=0.002)
        sim.run(steps=20)
        return np.asarray(sim.particles.position)

    threads = int(tr.info()["threads"])
    try:
        assert np.array_equal(end(1), end(3))
    finally:
        tr.set_threads(threads)


@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_compute_what_one_does(found_on: Callable[[int, str], list[float]], ranks: int) -> None:
    program = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[1])!r}]
import numpy as np
from test_bonded import TRIPLES, QUADRUPLES, PAIRS, chain
own = chain() if tr.rank() == 0 else tr.ParticleSet(0)
own.box = [3.0] * 3
sim = tr.Simulation(own, [tr.HarmonicBonds(PAIRS, k=80, length=1), tr.CosineAngles(TRIPLES, k=1),
                          tr.CosineDihedrals(QUADRUPLES, k=0.1, n=2)], timestep=0.001)
sim.run(steps=100)
energies = sim.energies()
found = [energies.total, energies.potential, sim.force_error(20)["maximum"] < 1e-12]
"""
    total, potential, right = found_on(ranks, program)
    alone = tr.Simulation(
        chain(),
        [tr.HarmonicBonds(PAIRS, k=80, length=1), tr.CosineAngles(TRIPLES, k=1),
         tr.CosineDihedrals(QUADRUPLES, k=0.1, n=2)],
        timestep=0.001,
    )  # fmt: skip
    alone.run(steps=100)
    assert total == pytest.approx(alone.energies().total, rel=1e-12)
    assert potential == pytest.approx(alone.energies().potential, rel=1e-10)
    assert right


def test_forces_are_copied_and_shown() -> None:
    fene = tr.FENE([[0, 1], [1, 2]], k=[30, 20])
    own = tr.bond_potential("k * (r - 1)**2", pairs=[[0, 1]], k=3)
    for make in (copy.deepcopy, lambda force: pickle.loads(pickle.dumps(force))):
        assert repr(make(fene)) == "FENE(array of shape (2, 2), k=array of shape (2,), length=1.5)"
        assert repr(make(own)) == "bond_potential('k * (r - 1)**2', pairs=array of shape (1, 2), k=3.0)"
    assert own.settings == {"potential": "'k * (r - 1)**2'", "pairs": 1, "k": 3.0}
    assert fene.settings == {"pairs": 2, "k": "array of shape (2,)", "length": 1.5}


NOTHING: Any = None
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: tr.FENE([[0, 1, 2]]), "pairs is an array of int64 of shape (1, 3): allowed are ids of particles"),
    (lambda: tr.FENE([[0.0, 1.0]]), "pairs is an array of float64 of shape (1, 2)"),
    (lambda: tr.FENE([[0, 1], [-1, 2]]), "pairs has -1 in row 1"),
    (lambda: tr.FENE([[0, 1], [2]]), "pairs is [[0, 1], [2]]: allowed are ids"),
    (lambda: tr.FENE([[0, 1], [4, 4]]), "row 1 of pairs has particle 4 twice: allowed are 2 different ones"),
    (lambda: tr.CosineAngles([[2, 1, 2]], k=1), "row 0 of triples has particle 2 twice"),
    (lambda: tr.FENE([[0, 1]], k=[1, 2]), "k of FENE is [1, 2]: allowed is a finite number, or an array of 1"),
    (lambda: tr.HarmonicBonds([[0, 1]], k=np.nan, length=1), "k of HarmonicBonds is nan"),
    (lambda: tr.CosineDihedrals([[0, 1, 2, 3]], k=1, n=1.5), "n of CosineDihedrals is 1.5: allowed are whole"),
    (lambda: tr.bond_potential("r +", pairs=[[0, 1]]), "is no expression"),
    (lambda: tr.angle_potential(NOTHING, triples=[[0, 1, 2]]), "the potential is None: allowed is an expression"),
    (lambda: tr.bond_potential(lambda r: r if r > 1 else 1, pairs=[[0, 1]]), "write tr.where"),
]


UNTYPED: Any = tr
UNFIT: list[tuple[Callable[[], Any], str]] = [
    (lambda: UNTYPED.HarmonicBonds([[0, 1]], k=1, lenght=1), "HarmonicBonds has no argument 'lenght': did you mean 'l"),
    (lambda: UNTYPED.FENE([[0, 1]], stiffness=1), "FENE has no argument 'stiffness': known are pairs, k, length"),
    (lambda: UNTYPED.CosineAngles([[0, 1, 2]]), "CosineAngles is not given k"),
    (lambda: UNTYPED.CosineDihedrals([[0, 1, 2, 3]], 1), "CosineDihedrals takes k, n and phase by name, such as"),
    (lambda: UNTYPED.bond_potential("k * r", [[0, 1]], k=1), "bond_potential takes pairs by name, such as"),
]


@pytest.mark.parametrize(("make", "said"), UNFIT, ids=[said for _, said in UNFIT])
def test_arguments_that_do_not_fit_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(said)}"):
        make()


@pytest.mark.parametrize(("make", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_ones_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)


def test_names_that_a_potential_has_not_are_refused() -> None:
    with pytest.raises(TypeError, match="bond_potential of 'k \\* r' has no 'c': known are k"):
        tr.bond_potential("k * r", pairs=[[0, 1]], k=1, c=2)
    with pytest.raises(TypeError, match="angle_potential of 'k \\* theta' is not given k, which has no default"):
        tr.angle_potential("k * theta", triples=[[0, 1, 2]])


def test_particles_that_are_not_there_and_bonds_that_break_are_named() -> None:
    beads = tr.ParticleSet.from_columns(position=[[0, 0, 0], [1, 0, 0], [2.6, 0, 0]], mass=[1, 1, 1])
    with pytest.raises(ValueError, match=r"^pairs name particle 3, but no particle has this id$"):
        at_rest(beads, tr.FENE([[0, 1], [1, 3]]))
    with pytest.raises(ValueError, match=r"the potential FENE is not finite .* row 1 of pairs, the particles 1 and 2"):
        at_rest(beads, tr.FENE([[0, 1], [1, 2]]))


def test_a_run_goes_on_from_a_checkpoint_bit_for_bit(tmp_path: Path) -> None:
    beads, bonds = melt()
    sim = tr.Simulation(beads, forces_of(bonds), timestep=0.002, keep_order=False)
    sim.run(steps=70)
    tr.io.write_checkpoint(tmp_path / "melt.h5", sim.state())
    sim.run(steps=70)
    resumed = tr.Simulation.resume(
        tr.io.read_checkpoint(tmp_path / "melt.h5"), forces_of(bonds), timestep=0.002, keep_order=False
    )
    resumed.run(steps=70)
    assert np.array_equal(resumed.particles.position, sim.particles.position)


@pytest.mark.parametrize("name", ["cpu", "opencl:0"])
def test_bonds_are_computed_by_the_host_beside_pairs_on_a_device(name: str, request: pytest.FixtureRequest) -> None:
    if name != "cpu":
        request.getfixturevalue("opencl")
    beads, bonds = melt()
    host, device = (
        tr.Simulation(beads.copy(), [tr.FENE(bonds), tr.LennardJones(cutoff=2.0)], timestep=0.002, device=there)
        for there in ("host", name)
    )
    for sim in (host, device):
        sim.run(steps=10)
    assert np.abs(host.particles.position - device.particles.position).max() < 1e-6
    assert device.force_error()["rms"] < 5e-6
    bonded, pairs = device.device_use
    assert bonded == {}
    assert pairs["kernel_seconds"] > 0
    lines = str(device).splitlines()
    assert any("FENE" in line and line.endswith(", on the host") for line in lines)
    assert any("LennardJones" in line and not line.endswith(", on the host") for line in lines)
    assert "on the host" not in str(host)
    with pytest.raises(ValueError, match="particles that stay on a device"):
        tr.Simulation(beads, [tr.FENE(bonds)], timestep=0.002, device="cpu", resident=True)
