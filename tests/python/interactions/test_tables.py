"""Functions that are given by tables, in interactions in Python: against formulas, differences and other forces."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from own_interactions import Array, after_a_step, difference, lennard_jones, melt

import trellis as tr
from trellis import _core


def formula(r: Any) -> Any:
    return 4 * (r**-12 - r**-6)


def at(count: int, *, squared: bool, first: float = 0.75, last: float = 2.5) -> Array:
    return np.sqrt(np.linspace(first**2, last**2, count)) if squared else np.linspace(first, last, count)


def of_formula(count: int = 2000, *, squared: bool = True, last: float = 2.5) -> Any:
    r = at(count, squared=squared, last=last)
    return tr.table(r, formula(r))


RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize("squared", [False, True])
def test_a_table_has_the_values_that_are_given_and_an_error_of_fourth_order_between_them(squared: bool) -> None:
    errors = []
    for count in (100, 200, 400):
        r = at(count, squared=squared, first=0.9)
        table = tr.table(r, formula(r))
        assert np.abs(table(r) - formula(r)).max() < 1e-13
        between = RANDOM.uniform(0.9, 2.5, 5000)
        errors.append(np.abs(table(between) - formula(between)).max())
    assert errors[0] < 2e-2
    assert 10 < errors[0] / errors[1] < 20
    assert 12 < errors[1] / errors[2] < 20


@pytest.mark.parametrize("squared", [False, True])
def test_a_cubic_is_its_own_table(squared: bool) -> None:
    r = at(7, squared=squared, first=0.0, last=3.0)
    s = (lambda r: r**2) if squared else (lambda r: r)
    cubic = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.25])
    table = tr.table(r, cubic(s(r)))
    between = np.linspace(0.0, 3.0, 101)
    assert np.abs(table(between) - cubic(s(between))).max() < 1e-12
    assert isinstance(table(1.0), float)


def test_outside_a_table_a_value_is_not_a_number() -> None:
    table = of_formula(1001, squared=False)
    assert np.isfinite(table([0.75, 0.7495, 2.5, 2.5015])).all()  # within one spacing, the cubic goes on
    assert np.isnan(table([0.0, 0.745, 2.505, 1e30, np.inf, np.nan])).all()


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 2e-6), ("double", 2e-7)])
@pytest.mark.parametrize("squared", [False, True])
def test_lennard_jones_by_a_table_is_that_of_the_formula(squared: bool, precision: str, tolerance: float) -> None:
    atoms = melt()
    force = tr.pair_potential(of_formula(squared=squared), cutoff=2.5, skin=0.5, precision=precision)
    ours = after_a_step(atoms, force)
    theirs = after_a_step(atoms, tr.LennardJones(cutoff=2.5, skin=0.5, precision=precision))
    for name in ("acceleration", "potential", "virial"):
        assert difference(ours.particles.column(name), theirs.particles.column(name)) <= tolerance
    assert ours.interactions == theirs.interactions
    if precision == "double":  # the oracle has the table as well
        assert ours.force_error(100)["rms"] < 1e-13


def two(distance: float) -> tr.ParticleSet:
    return tr.ParticleSet.from_columns(position=[[0, 0, 0], [distance, 0, 0]], mass=[1.0, 1.0])


def energy_and_pull(distance: float, force: tr.Force) -> tuple[float, float]:
    """Return the energy of two particles, and the force on the second one along the line between them."""
    moved = after_a_step(two(distance), force).particles
    return float(0.5 * (moved.mass * moved.potential).sum()), float(moved.acceleration[1, 0])


TABLE = of_formula(60, squared=False)
EXACT = {
    "alone": tr.pair_potential(TABLE, cutoff=2.4, precision="double"),
    "force-shifted": tr.pair_potential(TABLE, cutoff=2.5, truncation="force-shifted", precision="double"),
    "switched": tr.pair_potential(TABLE, cutoff=2.4, truncation="switched", precision="double"),
    "in arithmetic": tr.pair_potential(
        lambda r, a: a * tr.exp(-TABLE(r)) + TABLE(2.6 - r) / r, cutoff=1.8, a=2.0, precision="double"
    ),
    "of a bond": tr.bond_potential(TABLE, pairs=[[0, 1]]),
    "of a bond of its own": tr.bond_potential(lambda r, k: k * TABLE(r) ** 2, pairs=[[0, 1]], k=[3.0]),
}


@pytest.mark.parametrize("name", EXACT)
def test_a_force_is_the_gradient_of_the_table(name: str) -> None:
    for distance in (0.82, 1.1234, 1.5, 1.7777):  # also where the table is far from the formula
        step = 1e-4
        energies = [energy_and_pull(distance + k * step, EXACT[name])[0] for k in (-2, -1, 1, 2)]
        slope = (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / (12 * step)
        assert energy_and_pull(distance, EXACT[name])[1] == pytest.approx(-slope, rel=1e-6, abs=1e-7)


def test_potentials_are_those_of_the_table() -> None:
    for distance in (0.82, 1.1234, 2.39):
        assert energy_and_pull(distance, EXACT["alone"])[0] == pytest.approx(TABLE(distance), rel=1e-12)
        assert energy_and_pull(distance, EXACT["of a bond"])[0] == pytest.approx(TABLE(distance), rel=1e-12)
        shifted = TABLE(distance) - TABLE(2.5)
        slope = (TABLE(2.5 + 1e-6) - TABLE(2.5 - 1e-6)) / 2e-6
        assert energy_and_pull(distance, EXACT["force-shifted"])[0] == pytest.approx(
            shifted - (distance - 2.5) * slope, rel=1e-8
        )


def test_two_tables_with_parameters_and_fields() -> None:
    r = at(800, squared=True)
    near, far = tr.table(r, r**-12), tr.table(at(500, squared=False), -(at(500, squared=False) ** -6.0))

    @tr.interaction
    def by_tables(i: Any, j: Any, out: Any, *, height: float, depth: float, check: float = 0.0) -> None:
        d = j.position - i.position
        distance = tr.sqrt(tr.dot(d, d))
        out.potential += (height * near(distance) + depth * far(distance) + check) / i.mass

    atoms = melt()
    ours = after_a_step(atoms, by_tables(height=4.0, depth=4.0, cutoff=2.5, precision="double"))
    theirs = after_a_step(atoms, lennard_jones(cutoff=2.5, precision="double"))
    assert difference(ours.particles.potential, theirs.particles.potential) < 1e-7
    other = after_a_step(atoms, by_tables(height=4.0, depth=2.0, cutoff=2.5, precision="double"))
    assert difference(other.particles.potential, theirs.particles.potential) > 0.1
    assert "tables[" in str(by_tables)


def test_another_table_of_the_same_size_compiles_nothing() -> None:
    from trellis.interactions.code import compiled

    r = at(100, squared=True)
    tr.pair_potential(tr.table(r, formula(r)), cutoff=2.0)
    known = len(compiled._loaded)
    atoms = melt()
    ours = after_a_step(atoms, tr.pair_potential(tr.table(r, 2 * formula(r)), cutoff=2.0))
    assert len(compiled._loaded) == known
    theirs = after_a_step(atoms, tr.LennardJones(epsilon=2.0, cutoff=2.0))
    assert difference(ours.particles.acceleration, theirs.particles.acceleration) < 3e-3


def test_atoms_that_come_nearer_than_a_table_begins_end_a_simulation_with_a_sentence() -> None:
    sim = tr.Simulation(two(0.5), [tr.pair_potential(of_formula(), cutoff=2.5)], timestep=0.001)
    with pytest.raises(
        RuntimeError, match=r"of the particle of id 0 .* is not finite.*neighbour, of id 1, is 0.5 away"
    ):
        sim.run(steps=2)
    bond = tr.bond_potential(of_formula(), pairs=[[0, 1]])
    with pytest.raises(ValueError, match=r"the potential <table of 2000 values.* is not finite"):
        tr.Simulation(two(3.0), [bond], timestep=0.001).run(steps=1)


def test_forces_are_copied_and_shown() -> None:
    force = tr.pair_potential(of_formula(), cutoff=2.5)
    for make in (copy.deepcopy, lambda force: pickle.loads(pickle.dumps(force))):
        again = make(force)
        assert repr(again) == repr(force)
        assert energy_and_pull(1.2, again) == energy_and_pull(1.2, force)
    shown = "<table of 2000 values, uniform in r**2, from 0.75 to 2.5>"
    assert repr(force).startswith(f"pair_potential({shown!r}, ") or shown in repr(force)


NOTHING: Any = None
R = np.linspace(1, 2, 10)
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: tr.table(R, R[1:]), "a table has 10 r and 9 values: allowed are as many of each, 5 to 100000"),
    (lambda: tr.table(R[:4], R[:4]), "a table has 4 r and 4 values"),
    (lambda: tr.table(R[::-1], R), "r of a table begins [2.0, 1.8"),
    (lambda: tr.table(R - 1.5, R), "r of a table begins [-0.5, "),
    (lambda: tr.table(np.geomspace(1, 2, 10), R), "r of a table is uniform neither itself nor by its square"),
    (lambda: tr.table(R, R * np.nan), "values of a table is an array of shape (10,): allowed is an array of finite"),
    (lambda: tr.table(R, NOTHING), "values of a table is None"),
    (lambda: tr.table(np.ones((2, 2)), R), "r of a table is an array of shape (2, 2)"),
    (lambda: tr.pair_potential(of_formula(), cutoff=2.6), "cutoff of pair_potential is 2.6, but its table ends at 2.5"),
    (lambda: tr.pair_potential(lambda r: 2 * of_formula()(r), cutoff=3), "is 3, but its table ends at 2.5"),
    (
        lambda: tr.pair_potential(of_formula(), source="mass"),
        "has a table, which ends somewhere: allowed with a cutoff",
    ),
]


@pytest.mark.parametrize(("make", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_ones_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("device_name", ["opencl:0", "cpu"])
def test_a_device_has_the_tables_in_its_graph(precision: str, device_name: str) -> None:
    atoms = melt()
    u = of_formula(1000)
    host, device = (
        after_a_step(atoms, tr.pair_potential(u, cutoff=2.5, precision=precision, device=name))
        for name in ("host", device_name)
    )
    tolerance = 3e-6 if precision == "single" else 1e-13
    for name in ("acceleration", "potential", "virial"):
        assert difference(device.particles.column(name), host.particles.column(name)) <= tolerance


@pytest.mark.usefixtures("opencl")
def test_a_table_that_is_too_large_for_a_gpu_is_refused() -> None:
    force = tr.pair_potential(of_formula(5000), cutoff=2.5, device="opencl:0")
    with pytest.raises(ValueError, match="has 5003 rows of tables: on a device, 2048 are allowed"):
        after_a_step(melt(), force)


@pytest.mark.skipif(not _core.has_cuda_compiler(), reason="no libnvrtc.so")
def test_texts_are_compiled_for_gpus_of_nvidia() -> None:
    _, arguments = tr.pair_potential(of_formula(1000), cutoff=2.5).interaction._program(True)
    for precision in ("single", "double"):
        text = _core.text_of_graph(arguments["graph"], precision)
        assert _core.compiled_for_cuda(text, 9, 0).startswith(b"\x7fELF")
