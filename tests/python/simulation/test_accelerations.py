"""Accelerations and potentials of arrays, against direct sums."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr

Floats = NDArray[np.float64]
RANDOM = np.random.default_rng(3)
POSITION = RANDOM.normal(size=(800, 3))
MASS = RANDOM.random(800)
POINTS = {
    "among them": RANDOM.normal(size=(100, 3)),
    "far away": RANDOM.normal(size=(100, 3)) + np.array([50.0, 0, 0]),
    "at one place": np.repeat([[3.0, 2.0, 1.0]], 100, axis=0),
    "very far": np.array([[1e5, 0, 0]]),
    "at particles": POSITION[:10],
}


def direct(at: Floats, softening: float) -> tuple[Floats, Floats]:
    difference = POSITION[None] - at[:, None]
    squares = (difference**2).sum(axis=2)
    with np.errstate(divide="ignore"):
        inverse = np.where(squares + softening**2 == 0, 0, (squares + softening**2) ** -0.5)
    weights = MASS * inverse**3
    return (weights[:, :, None] * difference).sum(axis=1), -(MASS * inverse).sum(axis=1)


def relative(found: Floats, expected: Floats) -> float:
    errors = np.linalg.norm(found - expected, axis=1) / np.linalg.norm(expected, axis=1)
    return float(np.sqrt((errors**2).mean()))


@pytest.mark.parametrize("softening", [0.0, 0.05])
def test_particles_pull_each_other(softening: float) -> None:
    acceleration, potential = tr.accelerations(
        POSITION, MASS, softening=softening, accuracy=1e-5, return_potential=True
    )
    expected, energies = direct(POSITION, softening)
    own = -MASS / softening if softening > 0 else 0.0
    assert relative(acceleration, expected) < 1e-5
    assert potential == pytest.approx(energies - own, rel=1e-5)


@pytest.mark.parametrize("softening", [0.0, 0.05])
@pytest.mark.parametrize("where", POINTS)
def test_points_feel_all_particles(where: str, softening: float) -> None:
    field, potential = tr.accelerations(
        POSITION, MASS, softening=softening, at=POINTS[where], accuracy=1e-5, return_potential=True
    )
    expected, energies = direct(POINTS[where], softening)
    assert relative(field, expected) < 2e-5
    assert potential == pytest.approx(energies, rel=1e-5)


def test_the_constant_and_one_point() -> None:
    field, potential = tr.accelerations([[0, 0, 0]], 2.0, at=[0, 0, 1], G=3.0, return_potential=True)
    assert field.tolist() == [0, 0, -6]
    assert float(potential) == -6
    assert tr.accelerations(POSITION, MASS, at=np.zeros((0, 3))).shape == (0, 3)


def test_arrays_stay_as_they_are() -> None:
    before = POSITION.copy()
    order = np.argsort(POSITION[:, 0])
    sorted_first = tr.accelerations(POSITION[order], MASS[order], accuracy=1e-5)
    assert relative(sorted_first, tr.accelerations(POSITION, MASS, accuracy=1e-5)[order]) < 2e-5
    assert np.array_equal(before, POSITION)


def test_a_periodic_box_repeats() -> None:
    inside = RANDOM.random((100, 3))
    here, there = (
        tr.accelerations(inside, 0.01, softening=0.05, box=1.0, at=inside[:5] + shift, accuracy=1e-4)
        for shift in (0, 1)
    )
    assert here == pytest.approx(there, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: tr.accelerations(POSITION, MASS, at=POSITION[:, :2]), r"at has the shape \(800, 2\), but must have"),
        (lambda: tr.accelerations(POSITION, MASS[:3]), r"values of shape \(3,\) do not fit column 'mass'"),
        (lambda: tr.accelerations(POSITION * np.nan, MASS), "column 'position' is not a number at index 0"),
        (lambda: tr.accelerations(POSITION, MASS * np.inf), "column 'mass' is infinite at index 0"),
        (lambda: tr.accelerations(POSITION > 0, MASS), "position is given truth values, but must be numbers"),
    ],
)
def test_arrays_that_are_refused(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        call()
