"""Quantities of astropy and others as values of columns: converted, or refused."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trellis as tr

astropy = pytest.importorskip("astropy.units")

KPC_MSUN = tr.units.Units(3.0856775814913673e21, 1.988409870698051e33, 1e5)
X = np.arange(6.0).reshape(2, 3)


class Unyt(np.ndarray):
    """An array with the attributes that those of unyt have."""

    units = "kpc"

    @property
    def value(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array(self)


def of_unyt(values: Any, unit: str = "kpc") -> Any:
    made = np.array(values, dtype=float).view(type("Unyt", (Unyt,), {"units": unit}))
    assert np.asarray(made).tolist() == np.array(values).tolist()
    return made


def test_units_convert_what_is_given() -> None:
    made = tr.ParticleSet.from_columns(
        position=X * astropy.Mpc,
        mass=[1e3, 2e3] * astropy.Msun,
        velocity=X * astropy.m / astropy.s,
        internal_energy=1.0 * astropy.km**2 / astropy.s**2,
        box=10 * astropy.Mpc,
        units=KPC_MSUN,
    )
    assert made.position == pytest.approx(1000 * X, rel=1e-12)
    assert made.mass == pytest.approx([1000, 2000], rel=1e-12)
    assert made.velocity == pytest.approx(X / 1000, rel=1e-12)
    assert made.internal_energy == pytest.approx([1, 1], rel=1e-12)
    assert made.box == pytest.approx(np.array([[0] * 3, [1e4] * 3]), rel=1e-12)


def test_lists_and_other_packages_are_converted() -> None:
    pint = SimpleNamespace(units="kiloparsec", magnitude=X)
    for position in ([row * astropy.pc * 1000 for row in X], of_unyt(X, "kpc"), list(of_unyt(X, "kpc")), pint):
        made = tr.ParticleSet.from_columns(position=position, mass=1.0, units=KPC_MSUN)
        assert made.position == pytest.approx(X, rel=1e-12)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"position": X * astropy.s}, "position is given in s, but must have a unit of 'length'"),
        ({"position": of_unyt(X, "g")}, "position is given in g, but must have a unit of 'length'"),
        ({"position": X, "mass": 1 * astropy.kpc}, "column 'mass' is given in kpc, but must have a unit of 'mass'"),
        ({"position": X, "id": [1, 2] * astropy.kpc}, "column 'id' is given in kpc, but must have no unit"),
        ({"position": X, "box": 2 * astropy.g}, "box is given in g, but must have a unit of 'length'"),
    ],
)
def test_other_kinds_are_refused(columns: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        tr.ParticleSet.from_columns(**{"mass": 1.0, **columns}, units=KPC_MSUN)


def test_without_units_there_is_a_sentence() -> None:
    sentence = "is given in kpc, but the particles' own unit 'length' has no size here: give plain numbers, or"
    with pytest.raises(ValueError, match=f"^position {sentence}"):
        tr.ParticleSet.from_columns(position=X * astropy.kpc, mass=1.0)
    particles = tr.ParticleSet(2)
    with pytest.raises(ValueError, match=f"^column 'position' {sentence}"):
        particles.position = X * astropy.kpc
    with pytest.raises(ValueError, match=f"^column 'position' {sentence}"):
        particles[0].position = X[0] * astropy.kpc
    with pytest.raises(ValueError, match=f"^box {sentence}"):
        particles.box = 1 * astropy.kpc
    particles.mass = [1.0, 2.0] * astropy.dimensionless_unscaled
    assert particles.mass.tolist() == [1, 2]


def test_a_unit_of_its_own_converts() -> None:
    particles = tr.ParticleSet(2)
    particles.add_field("heat", unit="K")
    particles.heat = [1.0, 2.0] * astropy.mK
    assert particles.heat == pytest.approx([1e-3, 2e-3])
    particles.add_field("age", values=[1.0, 2.0] * astropy.Gyr)
    assert particles.field_info("age")[0] == "Gyr"
    assert particles.quantity("age").to_value("Myr").tolist() == [1000, 2000]
