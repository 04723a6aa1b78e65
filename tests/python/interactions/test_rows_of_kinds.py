"""Values that kinds decide, looked up once for each kind of j, against direct sums, other forces and those of C++."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from own_interactions import Array, after_a_step, difference
from test_kinds import LENNARD_JONES, mixture, symmetric

import trellis as tr


def sums_of_pairs(atoms: tr.ParticleSet, a: Array, n: int, cutoff: float) -> tuple[Array, Array]:
    """Return accelerations and potentials of a_ij / r^n, atom by atom, in double precision."""
    side = atoms.box[1] - atoms.box[0]
    accelerations, potentials = np.zeros((len(atoms), 3)), np.zeros(len(atoms))
    kinds = atoms.kind.astype(int)
    for k, position in enumerate(atoms.position):
        d = atoms.position - position
        d -= side * np.round(d / side)
        r2 = (d**2).sum(axis=1)
        near = (r2 < cutoff**2) & (r2 > 0)
        u = a[kinds[k], kinds[near]] * r2[near] ** (-n / 2)
        potentials[k] = u.sum()
        accelerations[k] = -(n * u / r2[near]) @ d[near]
    return accelerations, potentials


@pytest.mark.parametrize("kinds", [1, 2, 3, 27, 64])
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 1e-6), ("double", 1e-13)])
def test_forces_are_direct_sums(kinds: int, precision: str, tolerance: float) -> None:
    atoms, a = mixture(kinds), symmetric(kinds, 0.5, 1.5, 1)
    sim = after_a_step(atoms, tr.pair_potential("a / r**6", cutoff=2.5, a=a, precision=precision))
    accelerations, potentials = sums_of_pairs(sim.particles, a, 6, 2.5)
    assert difference(sim.particles.acceleration, accelerations) < tolerance
    assert difference(sim.particles.potential, potentials) < tolerance


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 2e-6), ("double", 1e-13)])
def test_any_number_of_matrices(count: int, precision: str, tolerance: float) -> None:
    matrices = {f"a{k}": symmetric(4, 0.5, 1.5, k) for k in range(count)}
    text = " + ".join(f"a{k} / r**{4 + 2 * k}" for k in range(count))
    together = tr.pair_potential(text, cutoff=2.5, precision=precision, **matrices)
    each = [
        tr.pair_potential(f"a / r**{4 + 2 * k}", cutoff=2.5, precision="double", a=matrix)
        for k, matrix in enumerate(matrices.values())
    ]
    ours, theirs = (after_a_step(mixture(4), *forces).particles for forces in ([together], each))
    for name in ("acceleration", "potential", "virial"):
        assert difference(ours.column(name), theirs.column(name)) < tolerance


def test_numbers_of_kinds_change_from_force_to_force() -> None:
    atoms = mixture(2)
    forces = [tr.pair_potential("a / r**6", cutoff=2.0, a=symmetric(kinds, 0.5, 1.5, 1)) for kinds in (2, 27, 5, 64)]
    alone = [after_a_step(atoms, force).particles.acceleration for force in forces]
    assert difference(after_a_step(atoms, *forces).particles.acceleration, np.sum(alone, axis=0)) < 1e-6
    again = [after_a_step(atoms, force).particles.acceleration for force in forces[::-1]]
    assert all((a == b).all() for a, b in zip(alone, again[::-1], strict=True))


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 2e-6), ("double", 1e-13)])
def test_excluded_pairs_of_a_mixture_are_those_of_cpp(precision: str, tolerance: float) -> None:
    atoms, eps, sigma = mixture(3), symmetric(3, 0.5, 1.5, 1), symmetric(3, 0.85, 1.0, 2)
    chains = [(k, k + 1) for k in range(0, len(atoms) - 1, 2)] + [(k, k + 2, 0.5) for k in range(0, len(atoms) - 2, 5)]
    given: Any = {"cutoff": 2.5, "precision": precision, "exclude": chains}
    theirs = tr.LennardJones(
        kinds={name: (eps[a, a], sigma[a, a]) for a, name in enumerate("abc")},
        pairs=[("abc"[a], "abc"[b], eps[a, b], sigma[a, b]) for a in range(3) for b in range(a + 1, 3)],
        **given,
    )
    ours = tr.pair_potential(LENNARD_JONES, eps=eps, sigma=sigma, **given)
    a, b = (after_a_step(atoms, force).particles for force in (ours, theirs))
    for name in ("acceleration", "potential", "virial"):
        assert difference(a.column(name), b.column(name)) <= tolerance


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 1e-6), ("double", 1e-13)])
def test_kinds_that_are_read_for_something_else_as_well(precision: str, tolerance: float) -> None:
    a, kinds, given = symmetric(3, 0.5, 1.5, 1), np.arange(3), {"cutoff": 2.4, "precision": precision}
    ours = tr.pair_potential("a * (1 + kind) / r**6", fields=["kind"], mix="arithmetic", a=a, **given)
    one = tr.pair_potential("a / r**6", a=a * (1 + (kinds + kinds[:, None]) / 2), **given)
    x, y = (after_a_step(mixture(3), force).particles.acceleration for force in (ours, one))
    assert difference(x, y) < tolerance


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 1e-6), ("double", 1e-13)])
def test_kinds_beside_other_fields(precision: str, tolerance: float) -> None:
    atoms, a, random = mixture(3), symmetric(3, 0.5, 1.5, 1), np.random.default_rng(5)
    for name in ("charge", "width"):
        atoms.add_field(name, values=random.uniform(0.5, 1.5, len(atoms)))
    given: dict[str, Any] = {"cutoff": 2.4, "fields": ["width"], "mix": "geometric", "source": "charge"}
    ours = tr.pair_potential("a * exp(-r / width) / r**6", a=a, precision=precision, **given)
    assert after_a_step(atoms, ours).force_error(100)["over_rms"] < tolerance


@pytest.mark.parametrize("precision", ["single", "double"])
def test_parts_of_kinds_are_refused(precision: str) -> None:
    atoms = mixture(5)
    force = tr.pair_potential("a / r**6", cutoff=2.0, a=symmetric(5, 0.5, 1.5, 1), precision=precision)
    atoms.kind[:] += np.random.default_rng(1).uniform(0.01, 0.99, len(atoms))
    with pytest.raises(ValueError, match=r"kind of row 0 is .*: allowed are whole numbers from 0 to 4"):
        after_a_step(atoms, force)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", [-1.0, -0.5, -1e12, 3.0, 64.0, 1e12])
def test_a_kind_that_there_is_not_ends_a_simulation(kind: float, precision: str) -> None:
    atoms = mixture(3)
    atoms.kind[5] = kind
    force = tr.pair_potential("a / r**6", cutoff=1.5, a=np.ones((3, 3)), precision=precision)
    with pytest.raises(ValueError, match=r"kind of row 5 is .*: allowed are whole numbers from 0 to 2"):
        after_a_step(atoms, force)
