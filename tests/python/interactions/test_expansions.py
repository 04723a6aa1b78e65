"""Fast multipoles of pair potentials in Python: derivatives, accuracies, and gravity as C++ has it."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from own_interactions import Array, after_a_step, difference, dust, gravity
from test_potential import POTENTIALS

import trellis as tr
from trellis.interactions.code.expansion_text import RADIAL_DERIVATIVES
from trellis.interactions.potential import Potential

SMOOTH = [name for name in POTENTIALS if name != "piecewise"]
SCREENED = "exp(-sqrt(r**2 + e**2) / length) / sqrt(r**2 + e**2)"


def potential(text: Any, parameters: dict[str, float]) -> Potential:
    """Return the interaction of a potential between masses."""
    choices = {"fields": (), "mix": "", "source": "mass", "truncation": "plain", "matrices": {}}
    return Potential(text, choices, list(parameters))


def derivatives(name: str, squared_distances: Array, unit2: float) -> Array:
    """Return the radial derivatives of one of `POTENTIALS`, times powers of a unit, one row for each distance."""
    text, parameters = POTENTIALS[name]
    interaction = potential(text, parameters)
    interaction._arguments(False, parameters)
    addresses = interaction._program(False, parameters)[1]["functions"]
    pointer = ctypes.POINTER(ctypes.c_double)
    call = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(addresses["radial_of_one"])
    values = (ctypes.c_double * max(1, len(parameters)))(*parameters.values())
    rows = []
    for r2 in squared_distances:
        g = (ctypes.c_double * RADIAL_DERIVATIVES)()
        call(values, ctypes.pointer(ctypes.c_double(r2)), ctypes.pointer(ctypes.c_double(unit2)), g)
        rows.append(list(g))
    return np.array(rows)


@pytest.mark.parametrize("name", SMOOTH)
def test_each_radial_derivative_is_that_of_the_one_before(name: str) -> None:
    for r2 in (0.3, 1.0, 7.0):
        h = 1e-3 * r2
        below, further_below, here, above, further_above = derivatives(
            name, r2 + h * np.array([-1, -2, 0, 1, 2], dtype=float), 1.0
        )
        slope = 2 * (further_below - 8 * below + 8 * above - further_above) / (12 * h)  # (1 / r) d/dr = 2 d/d(r^2)
        scale = np.abs(here) + np.abs(slope[:-1].max()) * 1e-3
        assert (np.abs(here[1:] - slope[:-1]) <= 1e-7 * scale[1:] + 1e-12).all()


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_are_in_powers_of_the_unit(name: str) -> None:
    r2 = np.array([0.5, 2.0])
    powers = 1.7 ** np.arange(RADIAL_DERIVATIVES)
    np.testing.assert_allclose(derivatives(name, r2, 1.7), derivatives(name, r2, 1.0) * powers, rtol=1e-12)


def test_derivatives_that_are_known() -> None:
    r2 = np.array([0.04, 1.0, 90.0])
    n = np.arange(RADIAL_DERIVATIVES)
    odd = np.array([1.0, 1, 3, 15, 105, 945, 10395])  # (2 n - 1)!!
    np.testing.assert_allclose(derivatives("Coulomb", r2, 1.0), (-1.0) ** n * odd * r2[:, None] ** (-n - 0.5), 1e-13)
    gaussian = (-2 / 0.8**2) ** n * np.exp(-r2[:, None] / 0.8**2)
    np.testing.assert_allclose(derivatives("Gaussian", r2, 1.0), gaussian, 1e-12)


def test_gravity_costs_and_errs_as_that_of_cpp() -> None:
    stars = tr.ic.plummer(20_000, seed=3)
    ours = after_a_step(stars, tr.pair_potential("-1 / sqrt(r**2 + e**2)", source="mass", e=0.01, accuracy=1e-4))
    theirs = after_a_step(stars, tr.Gravity(softening=0.01, accuracy=1e-4))
    here, there = ours.force_error(500)["rms"], theirs.force_error(500)["rms"]
    assert here < 1e-4
    assert here < 1.5 * there
    assert difference(ours.particles.acceleration, theirs.particles.acceleration) < 1e-4
    assert difference(ours.particles.potential, theirs.particles.potential) < 1e-4
    assert ours.interactions < 1.1 * theirs.interactions


@pytest.mark.parametrize("accuracy", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize(
    ("text", "parameters"), [(SCREENED, {"e": 0.05, "length": 0.5}), ("-log(r)", {}), ("1 / sqrt(r)", {})]
)
def test_the_accuracy_asked_for(text: str, parameters: dict[str, float], accuracy: float) -> None:
    force = tr.pair_potential(text, source="mass", accuracy=accuracy, **parameters)
    sim = tr.Simulation(tr.ic.plummer(5000, seed=4), [force], timestep=1e-9)
    sim.run(steps=2)
    assert sim.force_error(500)["rms"] <= accuracy


def test_charges_of_both_signs() -> None:
    force = tr.pair_potential(SCREENED, source="charge", theta=0.5, order=5, e=0.01, length=0.5, precision="double")
    sim = after_a_step(dust(3000), force)
    assert sim.force_error(500)["rms"] < 1e-3


def test_particles_without_mass_are_attracted() -> None:
    stars = tr.ic.plummer(2000, seed=2)
    stars.mass[::2] = 0
    sim = after_a_step(stars, tr.pair_potential("-1 / sqrt(r**2 + e**2)", source="mass", e=0.02))
    theirs = after_a_step(stars, tr.Gravity(softening=0.02))
    assert difference(sim.particles.acceleration, theirs.particles.acceleration) < 1e-3


def test_quadrupoles_over_a_tree() -> None:
    errors = {
        order: after_a_step(
            tr.ic.plummer(4000, seed=1),
            tr.pair_potential("-1 / sqrt(r**2 + 0.01)", source="mass", method="tree", order=order, theta=0.7),
        ).force_error(500)["rms"]
        for order in (1, 2)
    }
    assert errors[2] < 0.3 * errors[1]


def test_the_same_bits_on_any_number_of_threads() -> None:
    forces = []
    for threads in (1, 3):
        tr.set_threads(threads)
        force = tr.pair_potential(SCREENED, source="mass", e=0.05, length=0.5)
        forces.append(after_a_step(tr.ic.plummer(3000, seed=1), force).particles.acceleration.copy())
    assert (forces[0] == forces[1]).all()


def test_ranks_err_as_one(tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import trellis as tr
stars = tr.ic.plummer(3000, seed=4)
force = tr.pair_potential({SCREENED!r}, source="mass", accuracy=1e-3, e=0.05, length=0.5)
sim = tr.Simulation(stars if tr.rank() == 0 else stars[:0].copy(), [force], timestep=1e-9)
sim.run(steps=2)
error = sim.force_error(300)["rms"]
if tr.rank() == 0:
    print(error)
"""
    )
    ended = mpirun(2, program)
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) < 1e-3


def test_mistakes_are_said_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="accuracy is given, but gravity is no smooth potential with a source"):
        gravity(accuracy=1e-3)
    with pytest.raises(ValueError, match="method is fmm, but this interaction has no radial derivatives"):
        after_a_step(dust(10), gravity(method="fmm"))
    bent = POTENTIALS["piecewise"][0]
    with pytest.raises(ValueError, match="is no smooth potential with a source: allowed is theta"):
        tr.pair_potential(bent, source="mass", edge=1.0, accuracy=1e-3)
    with pytest.raises(ValueError, match="accuracy is 2"):
        tr.pair_potential("1 / r", source="mass", accuracy=2.0)
