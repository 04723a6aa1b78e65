"""Parameters that are given with a unit."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import contents

import trellis as tr
from trellis.config import load
from trellis.errors import InputError, RunError
from trellis.run.simulation_run import SimulationRun
from trellis.units import GADGET, KPC, SOLAR_MASS

pytest.importorskip("astropy")

UNITS = ['units.length="1 kpc"', 'units.mass="1e10 Msun"']
MYR = 3.15576e13  # s


def of_file(parameter_file: Path, units: tr.units.Units) -> Path:
    """The same run, from a file of particles in some units."""
    tr.io.write_snapshot(parameter_file.parent / "sphere.hdf5", tr.ic.sphere(100), units=units)
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "sphere.hdf5"\n[gravity]{rest}')
    return parameter_file


def test_they_become_numbers_in_the_units_of_the_file(parameter_file: Path) -> None:
    path = of_file(parameter_file, GADGET)
    file = load(
        path, ["run.until=0.1 Myr", "run.timestep=1e3 yr", "gravity.softening=50 pc", "run.checkpoint_every=2 min"]
    )
    unit_of_time = KPC / 1e5 / MYR
    assert file.run.until == pytest.approx(0.1 / unit_of_time, rel=1e-9)
    assert file.run.timestep == pytest.approx(1e-3 / unit_of_time, rel=1e-9)
    assert file.gravity is not None
    assert file.gravity.softening == pytest.approx(0.05, rel=1e-6)  # Gadget's kpc is not quite that of astropy
    assert file.run.checkpoint_every == 120.0


def test_they_become_numbers_in_the_units_of_a_model(parameter_file: Path) -> None:
    file = load(parameter_file, [*UNITS, "run.until=20 Myr", "run.timestep=0.1 Myr", "gravity.softening=5e-2 kpc"])
    assert file.units is not None
    units = file.units.units()
    assert units.length_in_cm == pytest.approx(KPC, rel=1e-6)
    assert units.mass_in_g == pytest.approx(1e10 * SOLAR_MASS, rel=1e-3)
    assert units.G == 1.0
    # G is 1 in them: G_cgs M / L = V^2
    assert 6.672e-8 * units.mass_in_g / units.length_in_cm == pytest.approx(units.velocity_in_cm_per_s**2)
    assert file.run.until == pytest.approx(20 * MYR * units.velocity_in_cm_per_s / units.length_in_cm, rel=1e-9)
    assert file.gravity is not None
    assert file.gravity.softening == 0.05


def test_a_velocity_lays_down_the_constant(parameter_file: Path) -> None:
    file = load(parameter_file, [*UNITS, "units.velocity=km/s", "run.until=1 Gyr"])
    assert file.units is not None
    assert pytest.approx(GADGET.G, rel=1e-3) == file.units.units().G
    job = SimulationRun(load(parameter_file, [*UNITS, "units.velocity=1 km/s"]))
    assert job.simulation.forces[0].settings["G"] == file.units.units().G


def test_of_every_kind(parameter_file: Path) -> None:
    text = parameter_file.read_text().replace("accuracy = 1e-4", "").replace("virial_ratio = 0.3", "")
    parameter_file.write_text(text.replace('model = "sphere"', 'model = "plummer"'))
    given = ["ic.cut_radius=20 pc", "gravity.G=8.6018e-6 kpc km2 / (Msun s2)", "gravity.theta=30 deg"]
    file: Any = load(parameter_file, [*UNITS, *given, "run.device_memory=2 GiB"])
    assert file.ic.cut_radius == 0.02
    assert pytest.approx(2.0, rel=1e-3) == file.gravity.G
    assert file.gravity.theta == pytest.approx(0.5236, rel=1e-4)
    assert file.run.device_memory == 2**31


def test_energies_and_temperatures(tmp_path: Path) -> None:
    argon = tmp_path / "argon.toml"
    argon.write_text(
        """
[ic]
model = "lennard-jones"
density = "2.0713e22 cm-3"
temperature = "94.4 K"
[units]
length = "3.4 angstrom"
mass = "39.948 u"
velocity = "157.9 m/s"
[lennard_jones]
[thermostat]
method = "langevin"
temperature = "94.4 K"
relaxation_time = "1 ps"
[run]
until = "10 ps"
timestep = "10 fs"
output = "argon"
snapshot_every = "1 ps"
"""
    )
    file = load(argon)
    values: Any = file.content()
    # Rahman's argon (1964): 120 K for epsilon / k
    assert values["thermostat"]["temperature"] == pytest.approx(94.4 / 120, rel=2e-3)
    assert values["ic"]["temperature"] == values["thermostat"]["temperature"]
    assert values["ic"]["density"] == pytest.approx(0.814, rel=2e-3)
    assert values["run"]["timestep"] == pytest.approx(0.00464, rel=2e-3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("run.until=3 foo", "'run.until' is '3 foo', but must be a number, or one with a unit of astropy, as in"),
        ("run.until=3 kpc", "'run.until' is '3 kpc', but must have a unit of time"),
        ("run.until=1e999 Gyr", "'run.until' is inf, but must be a finite number"),
        ("run.timestep=-1 Myr", "'run.timestep' is -"),
        ("run.device_memory=8.5 byte", "'run.device_memory' is 8.5, but must be a whole number"),
        ("run.log_every=3 s", "'run.log_every' is '3 s', but must be a whole number"),
        ("units.mass=0 kg", "'units.mass' is '0 kg', but must be a mass with its unit, such as '1e10 Msun'"),
        ("units.length=1 kg", "'units.length' is '1 kg', but must be a length with its unit, such as '1 kpc'"),
        ("units.length=3", "'units.length' is 3, but must be text in quotes"),
    ],
)
def test_what_has_another_unit_is_refused(parameter_file: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(parameter_file, [*UNITS, change])
    assert str(error.value).startswith(f"{parameter_file}: {sentence}")


def test_units_without_a_size(parameter_file: Path) -> None:
    sentence = "'run.until' is '1 Gyr', but the run is in units without a size, such as N-body units: give a number"
    with pytest.raises(InputError, match=sentence):
        load(parameter_file, ["run.until=1 Gyr"])
    with pytest.raises(InputError, match=sentence):
        load(of_file(parameter_file, tr.units.NBODY), ["run.until=1 Gyr"])
    assert load(parameter_file, ["run.checkpoint_every=1 h"]).run.checkpoint_every == 3600.0
    with pytest.raises(InputError, match=r"\[units\] is for a model of \[ic\]"):
        load(parameter_file, UNITS)


def test_the_folder_has_numbers_and_what_was_written(parameter_file: Path, tmp_path: Path) -> None:
    given = [*UNITS, "run.until=2 Myr", "run.timestep=0.1 Myr", "run.snapshot_every=1 Myr"]
    SimulationRun(load(parameter_file, given)).run()
    kept = tmp_path / "out" / "parameters.toml"
    timestep = load(parameter_file, given).run.timestep
    assert f'timestep = {timestep}  # "0.1 Myr"\n' in kept.read_text()
    assert load(kept) == load(parameter_file, given)
    assert SimulationRun(load(parameter_file, given), resume=True).finished()
    assert tr.io.read_snapshot(tmp_path / "out" / "snapshot_0002.hdf5").units.length_in_cm == pytest.approx(
        KPC, rel=1e-6
    )
    before = contents(tmp_path / "out")
    with pytest.raises(InputError, match=r"'run.timestep' was [0-9.]+ when it was begun, but is [0-9.]+ now"):
        SimulationRun(load(parameter_file, [*given, "run.timestep=0.2 Myr"]), resume=True)
    SimulationRun(
        load(parameter_file, [*given, "run.until=3 Myr"]), resume=True, changes=["run.timestep=0.2 Myr"]
    ).run()
    assert len(contents(tmp_path / "out")) == len(before) + 1
    assert "timestep = 0.0424" in kept.read_text()


def test_without_astropy(parameter_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "astropy"]:
        monkeypatch.delitem(sys.modules, name)
    original = builtins.__import__

    def without(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] == "astropy":
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    assert load(parameter_file).run.until == 0.8
    with pytest.raises(RunError, match=r"need the package astropy: pip install astropy"):
        load(parameter_file, ["run.checkpoint_every=1 h"])
    with pytest.raises(InputError, match=r"'run.until' is 'abc', but must be a number, or one with a unit of astropy"):
        load(parameter_file, ["run.until=abc"])
