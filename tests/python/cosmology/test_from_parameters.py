"""Matter of an expanding space by the command line and by parameter files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import trellis as tr
from trellis.cli.app import app
from trellis.config import load
from trellis.run.ingredients import start_of

SPACE = {"omega_m": 0.31, "omega_b": 0.049, "h": 0.677, "n_s": 0.967, "sigma_8": 0.81}
OPTIONS = [text for name, value in SPACE.items() for text in (f"--{name.replace('_', '-').lower()}", str(value))]

FILE = """
[ic]
model = "cosmology"
particles = 512
box = 50_000
redshift = 24.0
seed = 3
fixed = true

[cosmology]
omega_m = 0.31
omega_b = 0.049
h = 0.677
n_s = 0.967
sigma_8 = 0.81

[gravity]
softening = 100.0

[run]
until = 0.1
output = "out"
snapshot_steps = 10
"""


def made() -> tr.ParticleSet:
    return tr.ic.cosmology(tr.Cosmology(**SPACE), 512, box=50_000, redshift=24, seed=3, fixed=True)


def test_the_command_writes_a_snapshot_of_expanding_space(tmp_path: Path) -> None:
    path = tmp_path / "ics.hdf5"
    given = ["--particles", "512", "--box", "50000", "--redshift", "24", "--seed", "3", "--fixed", "-o", str(path)]
    result = CliRunner().invoke(app, ["ic", "cosmology", *OPTIONS, *given])
    assert result.exit_code == 0, result.output
    read = tr.io.read_snapshot(path)
    assert read.time == pytest.approx(0.04)
    assert read.units == replace(tr.units.GADGET, comoving=True)
    assert read.cosmology is not None
    assert {name: getattr(read.cosmology, name) for name in SPACE} == SPACE
    assert np.array_equal(read.particles.position, made().position)
    assert read.particles.velocity == pytest.approx(made().velocity, rel=1e-14)
    assert (read.particles.box == made().box).all()


def test_the_command_wants_a_density(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["ic", "cosmology", "-o", str(tmp_path / "a.hdf5")])
    assert result.exit_code == 2
    assert "--omega-m" in result.output


def test_a_parameter_file_begins_with_them(tmp_path: Path) -> None:
    path = tmp_path / "box.toml"
    path.write_text(FILE)
    start = start_of(load(path))
    assert start.time == pytest.approx(0.04)
    assert start.units == tr.units.GADGET
    assert np.array_equal(start.particles.velocity, made().velocity)
    path.write_text(
        FILE.replace("[cosmology]", "[units]\nlength = '1 Mpc'\nmass = '1e10 Msun'\nvelocity = '1 km/s'\n[cosmology]")
    )
    in_megaparsecs = start_of(load(path, ["ic.box=50"]))
    assert in_megaparsecs.particles.position == pytest.approx(made().position / 1000, abs=1e-7)  # astropy's Mpc
    assert in_megaparsecs.particles.velocity == pytest.approx(made().velocity, abs=1e-5)
    assert in_megaparsecs.particles.mass == pytest.approx(made().mass, rel=1e-3)  # and its mass of the Sun


def test_no_matter_without_a_space(tmp_path: Path) -> None:
    path = tmp_path / "box.toml"
    before, _, after = FILE.partition("[cosmology]")
    path.write_text(before + after[after.index("[gravity]") :])
    with pytest.raises(ValueError, match=r"ic.model is 'cosmology', but without \[cosmology\] space does not expand"):
        start_of(load(path))
    path.write_text(
        FILE.replace('model = "cosmology"', 'model = "plummer"')
        .replace("box = 50_000", "")
        .replace("redshift = 24.0", "")
        .replace("fixed = true", "")
    )
    with pytest.raises(ValueError, match=r"does not go with ic.model 'plummer'"):
        start_of(load(path))


def test_pictures_of_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "ics.hdf5"
    tr.io.write_snapshot(path, made(), time=0.04, units=tr.units.GADGET, cosmology=tr.Cosmology(**SPACE))
    picture = tmp_path / "ics.png"
    result = CliRunner().invoke(app, ["plot", str(path), "--cosmology", "-o", str(picture)])
    assert result.exit_code == 0, result.output
    assert picture.exists()
    figure = tr.plot.cosmology_overview([path, path])
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles == ["z = 24", "z = 24"]
    tr.io.write_snapshot(path, tr.ic.lennard_jones(32))
    with pytest.raises(ValueError, match="has no cosmology"):
        tr.plot.cosmology_overview([path])
