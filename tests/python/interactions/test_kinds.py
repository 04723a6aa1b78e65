"""Parameters of pair potentials that are matrices by the kinds of both particles, against mixtures in C++."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from own_interactions import Array, after_a_step, difference, melt

import trellis as tr

LENNARD_JONES = "4 * eps * ((sigma / r)**12 - (sigma / r)**6)"


def symmetric(kinds: int, low: float, high: float, seed: int) -> Array:
    matrix = np.random.default_rng(seed).uniform(low, high, (kinds, kinds))
    return np.asarray((matrix + matrix.T) / 2)


def mixture(kinds: int) -> tr.ParticleSet:
    atoms = melt()
    atoms.add_field("kind")
    atoms.kind[:] = np.random.default_rng(3).integers(0, kinds, len(atoms))
    return atoms


@pytest.mark.parametrize("kinds", [1, 2, 27, 64])
@pytest.mark.parametrize("truncation", ["plain", "force-shifted", "switched"])
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 2e-6), ("double", 1e-13)])
def test_a_mixture_is_that_of_cpp(kinds: int, truncation: str, precision: str, tolerance: float) -> None:
    eps, sigma = symmetric(kinds, 0.5, 1.5, 1), symmetric(kinds, 0.85, 1.0, 2)
    names = [f"kind {a}" for a in range(kinds)]
    every: Any = {
        "kinds": {name: (eps[a, a], sigma[a, a]) for a, name in enumerate(names)},
        "pairs": [(names[a], names[b], eps[a, b], sigma[a, b]) for a in range(kinds) for b in range(a + 1, kinds)],
    }
    given: Any = {"cutoff": 2.5, "truncation": truncation, "precision": precision}
    atoms = mixture(kinds)
    ours = after_a_step(atoms, tr.pair_potential(LENNARD_JONES, eps=eps, sigma=sigma, **given))
    theirs = after_a_step(atoms, tr.LennardJones(**every, **given))
    for name in ("acceleration", "potential", "virial"):
        assert difference(ours.particles.column(name), theirs.particles.column(name)) <= tolerance
    if precision == "double":
        assert ours.force_error(50)["rms"] < 1e-13


def test_six_matrices_beside_numbers_and_a_table() -> None:
    names = "abcdef"
    matrices: dict[str, Any] = {name: symmetric(3, 0.5, 1.5, k) for k, name in enumerate(names)}
    table = tr.table(np.linspace(0.7, 2.5, 50), np.zeros(50))
    force = tr.pair_potential(
        lambda r, a, b, c, d, e, f, g: (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + g) / r**6 + table(r),
        cutoff=2.5, g=0.5, precision="double", **matrices,
    )  # fmt: skip
    together = sum((k + 1) * matrices[name] for k, name in enumerate(names)) + 0.5
    one = tr.pair_potential("a / r**6", cutoff=2.5, a=together, precision="double")
    atoms = mixture(3)
    ours, theirs = (after_a_step(atoms, each).particles.acceleration for each in (force, one))
    assert difference(ours, theirs) < 1e-13


def test_other_numbers_compile_nothing() -> None:
    from trellis.interactions.code import compiled

    tr.pair_potential("a / r**5", cutoff=2.0, a=[[1.0, 2.0], [2.0, 3.0]])
    known = len(compiled._loaded)
    tr.pair_potential("a / r**5", cutoff=2.0, a=[[1.0, 0.5], [0.5, 0.0]])
    assert len(compiled._loaded) == known


@pytest.mark.parametrize("device", ["host", "cpu"])
@pytest.mark.parametrize("kind", [-1.0, 2.0, 1e9, 0.5])
def test_a_kind_that_there_is_not_is_named(kind: float, device: str) -> None:
    atoms = mixture(2)
    atoms.kind[5] = kind
    force = tr.pair_potential("a / r**6", cutoff=2.0, a=[[1, 2], [2, 3]], device=device)
    sim = tr.Simulation(atoms, [force], timestep=0.001)
    said = rf"kind of row 5 is {re.escape(f'{kind:g}')}: allowed are whole numbers from 0 to 1, as pair_potential has"
    with pytest.raises(ValueError, match=said):
        sim.energies()
    sim.particles.kind[5] = 1
    assert np.isfinite(sim.energies().potential)
    sim.particles.kind[7] = 3
    with pytest.raises(ValueError, match="kind of row 7 is 3"):
        sim.run(steps=2)


def test_particles_have_kinds() -> None:
    sim = tr.Simulation(melt(), [tr.pair_potential("a / r**6", cutoff=2.0, a=[[1, 2], [2, 3]])], timestep=0.001)
    with pytest.raises(ValueError, match="kind"):
        sim.run(steps=1)


def test_forces_are_copied_and_shown() -> None:
    force = tr.pair_potential("a * b / r**6", cutoff=2.0, a=[[1, 2], [2, 3]], b=2.0)
    for make in (copy.deepcopy, lambda force: pickle.loads(pickle.dumps(force))):
        assert "a=[[1.0, 2.0], [2.0, 3.0]]" in repr(make(force))
        ours, theirs = (after_a_step(mixture(2), each).particles.acceleration for each in (force, make(force)))
        assert (ours == theirs).all()


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: tr.pair_potential("a / r**6", cutoff=2, a=np.ones((2, 3))), "a of pair_potential is an array of shape"),
    (lambda: tr.pair_potential("a / r**6", cutoff=2, a=[[1, 2], [3, 4]]), "allowed is a number, or a symmetric matrix"),
    (lambda: tr.pair_potential("a / r**6", cutoff=2, a=[[1, 2], [3]]), "a of pair_potential is [[1, 2], [3]]"),
    (lambda: tr.pair_potential("a / r**6", cutoff=2, a=[[np.nan]]), "a of pair_potential is [[nan]]"),
    (lambda: tr.pair_potential("a / r**6", cutoff=2, a=np.ones((65, 65))), "at most 64"),
    (lambda: tr.pair_potential("a / r**6", cutoff=2, a=[1, 2]), "a of pair_potential is [1, 2]: allowed is a finite"),
    (
        lambda: tr.pair_potential("a * b / r**6", cutoff=2, a=np.ones((2, 2)), b=np.ones((3, 3))),
        "matrices of pair_potential have different numbers of kinds: 2 of a, 3 of b",
    ),
    (lambda: tr.pair_potential("a / r", source="mass", a=[[1]]), "a of pair_potential is a matrix: allowed with a cut"),
    (
        lambda: tr.analysis.potential_tail_energy(tr.pair_potential("a / r**6", cutoff=2, a=[[1]]), 0.5),
        "the potential differs from pair to pair",
    ),
]


@pytest.mark.parametrize(("make", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_ones_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)


@pytest.mark.usefixtures("opencl")
def test_a_gpu_has_them_as_well() -> None:
    atoms, eps = mixture(5), symmetric(5, 0.5, 1.5, 1)
    host, device = (
        after_a_step(atoms, tr.pair_potential("eps / r**6", cutoff=2.5, eps=eps, precision="double", device=name))
        for name in ("host", "opencl:0")
    )
    assert difference(device.particles.acceleration, host.particles.acceleration) < 1e-13
