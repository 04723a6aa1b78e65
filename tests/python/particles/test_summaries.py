"""Sets, selections, simulations and settings as text and as tables."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import trellis as tr


def atoms() -> tr.ParticleSet:
    made = tr.ParticleSet(3)
    made.position = [[0, 1, 2], [-1, 1, 4], [3, 1, 2.5]]
    made.mass = 2.0
    made.add_field("colour <b>", unit="nm")
    made.box = [[-5, -5, -np.inf], [5, 5, np.inf]]
    return made


def cells(table: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    return [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]


def test_a_set_shows_box_fields_ranges_and_units() -> None:
    lines = repr(atoms()).splitlines()
    assert lines[0] == "ParticleSet: 3 particles in a box from (-5, -5, -inf) to (5, 5, inf)"
    assert [re.split(r"\s{2,}", line.strip()) for line in lines[1:]] == [
        ["position", "(-1, 1, 2) to (3, 1, 4)", "length"],
        ["velocity", "(0, 0, 0)", "length / time"],
        ["mass", "2", "mass"],
        ["id", "0 to 2"],
        ["acceleration", "(0, 0, 0)", "length / time^2"],
        ["potential", "0", "length^2 / time^2"],
        ["colour <b>", "0", "nm"],
    ]
    assert all(len(line) < 120 for line in lines)


def test_a_notebook_has_the_same_as_a_table() -> None:
    shown = atoms()._repr_html_()
    assert "ParticleSet: 3 particles in a box from" in shown
    assert ["position", "(-1, 1, 2) to (3, 1, 4)", "length"] in cells(shown)
    assert ["colour <b>", "0", "nm"] in cells(shown)
    assert "<b>" not in shown


def test_sets_of_none_and_of_one() -> None:
    assert repr(tr.ParticleSet(0)).splitlines()[:2] == ["ParticleSet: 0 particles in open space", "  position" + _gap()]
    assert repr(tr.ParticleSet(1)).startswith("ParticleSet: 1 particle in open space\n")
    assert repr(tr.ParticleSet(1234)).startswith("ParticleSet: 1,234 particles")


def _gap() -> str:
    return "        length"  # the longest name is acceleration; no range


def test_what_is_not_a_number_is_seen() -> None:
    particles = atoms()
    particles.mass[1] = np.nan
    assert re.search(r"mass +nan to nan|mass +nan ", repr(particles))


def test_a_selection_shows_its_own_ranges() -> None:
    particles = atoms()
    assert repr(particles[:2]).startswith("Selection: 2 of 3 particles in a box")
    assert re.search(r"position +\(-1, 1, 2\) to \(0, 1, 4\) +length", repr(particles[:2]))
    assert re.search(r"position +\(3, 1, 2.5\) +length", repr(particles[2]))
    assert re.search(r"id +2$", repr(particles[2]), re.MULTILINE)
    assert ["mass", "2", "mass"] in cells(particles[:2]._repr_html_())


def test_a_simulation_shows_its_forces_and_where_it_is() -> None:
    particles = tr.ic.plummer(500, seed=1)
    gravity = tr.Gravity(softening=0.05, accuracy=1e-4)
    sim = tr.Simulation(particles, [gravity], timestep=0.01)
    assert repr(sim).splitlines() == [
        "Simulation: time 0, after 0 steps",
        "  particles  500 particles in open space",
        "  time step  0.01",
        f"  force      {gravity!r}",
    ]
    sim.step()
    assert repr(sim).startswith("Simulation: time 0.01, after 1 step\n")
    assert ["force", repr(gravity)] in cells(sim._repr_html_())


def test_a_simulation_shows_what_else_moves_it() -> None:
    thermostat = tr.Langevin(temperature=1.0, relaxation_time=1.0, seed=1)
    sim = tr.Simulation(tr.ic.plummer(50), [tr.Gravity(softening=0.1)], thermostat=thermostat, device="cpu")
    assert "  time step   as long as the forces allow" in repr(sim).splitlines()
    assert f"  thermostat  {thermostat!r}" in repr(sim).splitlines()
    assert "  device      cpu" in repr(sim).splitlines()
    resident = tr.Simulation(tr.ic.plummer(50), [tr.Gravity(softening=0.1)], 0.01, device="cpu", resident=True)
    assert "cpu, where the particles stay" in repr(resident)


@pytest.mark.parametrize(
    "settings", [tr.Gravity(softening=0.25), tr.Sph(), tr.Langevin(temperature=1, relaxation_time=2)]
)
def test_settings_are_a_table_in_a_notebook(settings: tr.Force | tr.Thermostat) -> None:
    shown = settings._repr_html_()  # type: ignore[union-attr]
    assert f"<strong>{type(settings).__name__}</strong>" in shown
    names = [row[0] for row in cells(shown)]
    assert names == list(settings.settings)  # type: ignore[union-attr]
    if isinstance(settings, tr.Gravity):
        assert ["softening", "0.25", "length"] in cells(shown)
