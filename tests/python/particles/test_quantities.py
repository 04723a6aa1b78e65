"""Columns with their units."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import trellis as tr


def galaxy() -> tr.ParticleSet:
    made = tr.ic.plummer(20, seed=1)
    made.add_field("temperature", unit="K")
    made.add_field("heat_flow", unit="K length / time")
    made.add_field("charge", unit="quids")
    made.temperature = 300.0
    made.heat_flow = 2.0
    return made


def test_columns_have_the_units_of_a_snapshot() -> None:
    units = pytest.importorskip("astropy.units")
    particles, gadget = galaxy(), tr.units.GADGET
    position = particles.quantity("position", gadget)
    assert position.to_value(units.kpc) == pytest.approx(particles.position, rel=1e-6)
    assert particles.quantity("velocity", gadget).to_value(units.km / units.s) == pytest.approx(particles.velocity)
    assert particles.quantity("mass", gadget).to_value(units.Msun) == pytest.approx(1e10 * particles.mass, rel=1e-3)
    assert particles.quantity("potential", gadget).unit.is_equivalent(units.J / units.kg)
    flow = particles.quantity("heat_flow", gadget).to_value(units.K * units.km / units.s)
    assert flow == pytest.approx(np.full(20, 2.0))


def test_a_quantity_is_a_copy() -> None:
    pytest.importorskip("astropy")
    particles = galaxy()
    position = particles.quantity("position", tr.units.GADGET)
    position[:] = 0
    assert particles.position.any()


def test_a_unit_of_astropy_needs_no_others() -> None:
    units = pytest.importorskip("astropy.units")
    temperature = galaxy().quantity("temperature")
    assert temperature.unit == units.K
    assert temperature.value.tolist() == [300.0] * 20


def test_units_that_are_not_known() -> None:
    pytest.importorskip("astropy")
    with pytest.raises(ValueError, match=r"^field 'position' is in the particles' own unit 'length', whose size is"):
        galaxy().quantity("position")
    with pytest.raises(ValueError, match="own unit 'length / time', which has no size in N-body units: give units"):
        galaxy().quantity("velocity", tr.units.NBODY)
    with pytest.raises(ValueError, match="field 'charge' has the unit 'quids': allowed are length, mass, time and the"):
        galaxy().quantity("charge", tr.units.GADGET)
    with pytest.raises(ValueError, match="no field 'colour'"):
        galaxy().quantity("colour", tr.units.GADGET)


def test_without_astropy_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "astropy", None)
    sentence = r"^quantities need the package astropy: pip install astropy$"
    with pytest.raises(RuntimeError, match=sentence):
        galaxy().quantity("position", tr.units.GADGET)


def test_quantities_are_shown_in_units_with_a_name() -> None:
    pytest.importorskip("astropy")
    particles, gadget = galaxy(), tr.units.GADGET
    shown = {name: str(particles.quantity(name, gadget).unit) for name in ("position", "mass", "velocity", "potential")}
    assert shown == {"position": "kpc", "mass": "1e+10 solMass", "velocity": "km / s", "potential": "km2 / s2"}
    si = tr.units.Units(100.0, 1000.0, 100.0)
    assert [str(particles.quantity(name, si).unit) for name in ("position", "mass", "velocity")] == ["m", "kg", "m / s"]
    assert particles.quantity("position", si).value == pytest.approx(particles.position, rel=1e-14)
    own = tr.units.Units(3e21, 2e33, 1e5)
    assert particles.quantity("position", own).to_value("cm") == pytest.approx(3e21 * particles.position)


def test_quantities_of_some_particles() -> None:
    units = pytest.importorskip("astropy.units")
    particles = galaxy()
    some = particles[:4].quantity("position", tr.units.GADGET)
    assert (some == particles.quantity("position", tr.units.GADGET)[:4]).all()
    assert particles[7].quantity("temperature") == 300.0 * units.K
