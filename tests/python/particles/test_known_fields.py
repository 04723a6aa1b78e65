"""Fields of known meaning, which assignment adds, and fields of one's own with their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trellis as tr
from trellis.particles.known_fields import COMPUTED, KNOWN

POSITION = np.arange(12.0).reshape(4, 3)


def test_known_fields_come_with_the_columns() -> None:
    particles = tr.ParticleSet.from_columns(
        position=POSITION, mass=1.0, internal_energy=[1, 2, 3, 4], type="gas", charge=-1.0, softening=0.5
    )
    assert particles.internal_energy.tolist() == [1, 2, 3, 4]
    assert particles.type.tolist() == [0] * 4
    assert particles.charge.tolist() == [-1] * 4
    assert particles.softening.tolist() == [0.5] * 4
    assert particles.field_info("internal_energy") == ("length^2 / time^2", "internal energy of a unit of mass")


def test_assignment_adds_a_known_field() -> None:
    particles = tr.ParticleSet(4)
    particles.internal_energy = 2.0
    assert particles.internal_energy.tolist() == [2.0] * 4
    particles[:2].charge = [1.0, -1.0]
    assert particles.charge.tolist() == [1.0, -1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"values of shape \(3,\) do not fit column 'softening' of shape \(4,\)"):
        particles.softening = [1, 2, 3]
    assert "softening" not in particles.field_names


def test_types_have_names() -> None:
    particles = tr.ParticleSet(4)
    particles.type = ["gas", "stars", "halo", "gas"]
    assert particles.type.tolist() == [0, 4, 1, 0]
    particles[1].type = "boundary"
    assert particles.type.tolist() == [0, 5, 1, 0]
    particles.type = np.array([4, 1, 0, 0])
    assert particles.type.tolist() == [4, 1, 0, 0]
    particles.type = np.array(["gas", "disk", "gas", "bulge"], dtype=object)
    assert particles.type.tolist() == [0, 2, 0, 3]
    for wrong in (7, 2.5, [0, 1, 2, -1], np.nan):
        with pytest.raises(ValueError, match=r"^column 'type' is given .*, but must be 0 to 5, or names: gas, halo, "):
            particles.type = wrong
    with pytest.raises(ValueError, match=r"^column 'type' is given 'halos'"):
        particles.type = ["gas", "halos", "gas", "gas"]
    with pytest.raises(ValueError, match=r"^column 'type' is given 'star': did you mean 'stars'\?$"):
        particles.type = "star"


def test_known_fields_are_those_of_forces() -> None:
    gas = tr.ParticleSet.from_columns(position=np.random.default_rng(1).random((100, 3)), mass=1.0, internal_energy=1.0)
    tr.Simulation(gas, [tr.Sph()], timestep=1e-3).step()
    charges = tr.ParticleSet(2)
    charges.add_field("charge")
    made = {name: gas.field_info(name) for name in gas.public_fields} | {"charge": charges.field_info("charge")}
    for name, field in KNOWN.items():
        if name in made:
            assert made[name] == (field.unit, field.meaning)
    base = tr.ParticleSet(0).field_names
    assert set(gas.public_fields) - {*base, *KNOWN} <= set(COMPUTED)


def test_a_field_of_ones_own_is_added_with_values() -> None:
    particles = tr.ParticleSet(4)
    heat = particles.add_field("heat", values=[1, 2, 3, 4], unit="K", meaning="temperature")
    heat += 1
    assert particles.heat.tolist() == [2, 3, 4, 5]
    assert particles.field_info("heat") == ("K", "temperature")
    spin = particles.add_field("spin", values=POSITION)
    assert spin.tolist() == POSITION.tolist()
    assert particles.add_field("age").tolist() == [0] * 4
    assert particles.add_field("torque", 3, values=1.0).shape == (4, 3)
    assert particles.add_field("type", values="gas").tolist() == [0] * 4
    assert particles.field_info("type") == ("", "Gadget's particle type, 0 to 5")
    with pytest.raises(ValueError, match=r"^components is an array .*, but must be a whole number: values are given"):
        particles.add_field("colour", POSITION)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"values of shape \(3,\) do not fit column 'colour' of shape \(4,\)"):
        particles.add_field("colour", values=[1, 2, 3])
    with pytest.raises(ValueError, match="have a field 'heat' already"):
        particles.add_field("heat")
    assert "colour" not in particles.field_names


def test_unknown_names_lead_on() -> None:
    particles = tr.ParticleSet(4)
    with pytest.raises(
        AttributeError, match=r"no field 'heat': .*; add_field\('heat', values=...\) adds one of your own"
    ):
        particles.heat = 1.0
    with pytest.raises(AttributeError, match=r"no field 'masses': .*; did you mean 'mass'\?$"):
        particles.masses = 1.0
    with pytest.raises(AttributeError, match=r"no field 'charge': .*; assigning to 'charge' adds it"):
        _ = particles.charge
    with pytest.raises(ValueError, match=r"no field 'internal_energies': .*; did you mean 'internal_energy'\?$"):
        tr.ParticleSet.from_columns(position=POSITION, mass=1.0, internal_energies=1.0)
    for name in ("copy", "size", "wrapped_position"):
        with pytest.raises(AttributeError, match=f"'{name}' of particles is no field, and cannot be assigned"):
            setattr(particles, name, 1.0)


def test_sets_that_are_joined_fill_known_fields() -> None:
    gas = tr.ParticleSet.from_columns(position=POSITION, mass=1.0, internal_energy=2.0, type="gas")
    stars = tr.ParticleSet.from_columns(position=POSITION, mass=1.0, charge=3.0, id=np.arange(4, 8))
    with pytest.warns(UserWarning, match="which get defaults") as noted:
        both = gas + stars
    assert [str(each.message) for each in noted] == [
        "4 of the particles that are joined lack columns, which get defaults: charge = 0",
        "4 of the particles that are joined lack columns, which get defaults: type = 1, internal_energy = 0",
    ]
    assert noted[0].filename == __file__
    assert both.type.tolist() == [0] * 4 + [1] * 4
    assert both.internal_energy.tolist() == [2] * 4 + [0] * 4
    assert both.charge.tolist() == [0] * 4 + [3] * 4
    assert "charge" not in gas.field_names


@pytest.mark.parametrize("criterion", ["acceleration", "tidal"])
def test_particles_that_had_individual_steps_are_joined_with_others(criterion: Any) -> None:
    moved, more = tr.ic.plummer(20), tr.ic.plummer(4)
    more.id += 20
    steps = tr.IndividualSteps(longest=0.25, criterion=criterion)
    tr.Simulation(moved, [tr.Gravity(softening=0.1)], steps).step()
    assert moved.rung.any()
    assert ((moved + more).rung > 0).tolist() == ((more + moved).rung > 0).tolist()[4:] + [False] * 4


@pytest.mark.filterwarnings("error")
def test_stars_need_no_energy_beside_a_gas() -> None:
    gas = tr.ParticleSet.from_columns(position=POSITION, mass=1.0, internal_energy=2.0, density=1.0, type="gas")
    stars = tr.ParticleSet.from_columns(position=POSITION, mass=1.0, type="stars", id=np.arange(4, 8))
    assert (gas + stars).internal_energy.tolist() == [2] * 4 + [0] * 4
    stars.type[2] = 0
    with pytest.raises(UserWarning, match="which get defaults: internal_energy = 0, density = 0"):
        _ = gas + stars


def test_stars_do_not_become_gas() -> None:
    gas = tr.ParticleSet.from_columns(position=POSITION, mass=1.0, internal_energy=2.0)
    stars = tr.ParticleSet.from_columns(position=POSITION, mass=1.0, id=np.arange(4, 8))
    with pytest.warns(UserWarning, match="which get defaults: type = "):
        both = stars + gas
    assert both.type.tolist() == [1] * 4 + [0] * 4
