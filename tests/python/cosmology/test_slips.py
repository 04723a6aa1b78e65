"""Values of a cosmology in other units, or with a misplaced point, which no cosmologist means."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.config import load
from trellis.cosmology import LinearPower
from trellis.cosmology.halo_steps import HaloSteps
from trellis.run.ingredients import start_of
from trellis.run.simulation_run import SimulationRun

SPACE = {"omega_m": 0.31, "omega_b": 0.049, "h": 0.677, "n_s": 0.967, "sigma_8": 0.81}
FILE = """
[ic]
model = "cosmology"
particles = 512
box = 50_000
redshift = 24.0

[cosmology]
omega_m = 0.31
omega_b = 0.049
h = 0.677
n_s = 0.967
sigma_8 = 0.81

[gravity]
softening = 160

[run]
until_redshift = 0
output = "out"
snapshot_redshifts = [0]
"""


@pytest.mark.parametrize(
    ("slip", "sentence"),
    [
        ({"h": 67.7}, "h is 67.7: allowed is 0.1 to 2"),
        ({"sigma_8": 81}, "sigma_8 is 81: allowed is above 0 and at most 5"),
        ({"n_s": 96.7}, "n_s is 96.7: allowed is above 0 and at most 3"),
        ({"A_s": 2.1, "sigma_8": None}, "A_s is 2.1: allowed is above 0 and at most 1e-06"),
        ({"A_s": 3.04, "sigma_8": None}, "A_s is 3.04: allowed is above 0 and at most 1e-06"),
        ({"omega_m": 31}, "omega_m is 31: allowed is above 0 and at most 10"),
        ({"omega_lambda": 69}, "omega_lambda is 69: allowed is -10 to 10"),
        ({"w0": 1.0}, "w0 is 1: allowed is at most 0.5"),
    ],
)
def test_cosmologies_that_no_one_means_are_refused(slip: dict[str, float | None], sentence: str) -> None:
    given = {name: value for name, value in (SPACE | slip).items() if value is not None}
    with pytest.raises(ValueError, match=sentence):
        tr.Cosmology(**given)


def test_a_hubble_constant_in_other_units_is_refused(tmp_path: Path) -> None:
    space = tr.Cosmology(**SPACE, H0=70)  # without units, any number
    sentence = "H0 is 70, which is 70000 km/s/Mpc in units of 1 kpc, .*: allowed is 0.02 to 0.2, and 0.1 where lengths"
    with pytest.raises(ValueError, match=sentence):
        tr.ic.cosmology(space, 512)
    with pytest.raises(ValueError, match=sentence):
        LinearPower(space)
    (tmp_path / "run.toml").write_text(FILE)
    with pytest.raises(ValueError, match=r"'cosmology.H0' is 70, which is 70000 km/s/Mpc"):
        start_of(load(tmp_path / "run.toml", ["cosmology.H0=70"]))
    megaparsecs = tr.units.Units(1000 * tr.units.KPC, 1e10 * tr.units.SOLAR_MASS, 1e5)
    tr.ic.cosmology(space, 512, box=100.0, units=megaparsecs)


def test_a_box_in_other_units_is_noted_and_a_softening_refused(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(FILE)
    with (
        pytest.warns(UserWarning, match=r"ic.box is 50, 0.05 Mpc/h: such a box collapses as a whole long before today"),
        pytest.raises(ValueError, match="softening is 300, but must be at most half of the side 50 of the box"),
    ):
        SimulationRun(load(tmp_path / "run.toml", ["ic.box=50", "gravity.softening=300"]))
    with pytest.warns(UserWarning, match="the softening 9000 is longer than the mean distance 6250 of particles"):
        SimulationRun(load(tmp_path / "run.toml", ["gravity.softening=9000", f"run.output={tmp_path / 'a'}"]))
    with pytest.warns(UserWarning, match="the softening 0.16 is below a thousandth of the mean distance 6250"):
        SimulationRun(load(tmp_path / "run.toml", ["gravity.softening=0.16", f"run.output={tmp_path / 'b'}"]))


def test_a_start_at_the_scale_factor_is_noted() -> None:
    space = tr.Cosmology(**SPACE)
    with pytest.warns(UserWarning, match=r"ic.redshift is 0.02, when spheres of one particle have a density contrast"):
        tr.ic.cosmology(space, 16**3, box=25_000, redshift=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.ic.cosmology(space, 16**3, box=25_000, redshift=49, lattice_until=3)


def test_the_slow_growth_near_a_lattice_is_noted() -> None:
    """Linear runs of 32^3 particles in 2 Gpc/h from z = 49 have 0.756 of the power at half of Nyquist's number."""
    space = tr.Cosmology(**SPACE)
    with pytest.warns(UserWarning, match=r"a quarter of Nyquist's number lack 8 % .* half 24 %; ic.lattice_until = 0 "):
        tr.ic.cosmology(space, 8**3, box=500_000)
    with pytest.warns(UserWarning, match=r"ic.lattice_until = 2.1"):
        tr.ic.cosmology(space, 8**3, box=8 * 1563.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.ic.cosmology(space, 16**3, box=500_000, places="glass")
        tr.ic.cosmology(space, 8**3, box=500_000, redshift=0.5)


def test_ways_to_schedule_snapshots_of_expanding_space_are_redshifts_too(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(FILE.replace("snapshot_redshifts = [0]\n", ""))
    with pytest.raises(ValueError, match=r"must have one of snapshot_every, .*, snapshot_redshifts$"):
        load(tmp_path / "run.toml")


@pytest.mark.parametrize(("along", "softening", "taken"), [(16, 160.0, 424), (16, 400.0, 213), (32, 80.0, 736)])
def test_steps_are_foreseen_as_halos_shorten_them(along: int, softening: float, taken: int) -> None:
    """Numbers of chosen steps of examples/cosmology.toml with these numbers of particles; 131 at 0.03 each."""
    space, factors = tr.Cosmology(**SPACE), np.geomspace(0.02, 1, 60)
    mass = space.mean_density(tr.units.GADGET.G) * (1e5 / along) ** 3
    halos = HaloSteps(LinearPower(space), 1e15, mass, tr.units.GADGET.G)
    assert np.log(50) * np.mean([1 / halos.allowed(softening, a) for a in factors]) == pytest.approx(taken, rel=0.2)


def test_a_number_of_steps_that_halos_do_not_allow_is_noted(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(FILE)
    settings = ["ic.particles=4096", "ic.box=100_000", "ic.redshift=49.0", "gravity.softening=156"]
    settings += [f"run.output={tmp_path / 'out'}"]
    (note,) = SimulationRun(load(tmp_path / "run.toml", [*settings, "cosmology.steps=200"])).notes()
    assert note.startswith("cosmology.steps = 200 are 0.02 in ln a each, but from redshift ")
    assert SimulationRun(load(tmp_path / "run.toml", [*settings, "cosmology.steps=1000"])).notes() == []
    assert SimulationRun(load(tmp_path / "run.toml", settings)).notes() == []


def test_sigma_8_of_the_formula_with_A_s_is_above_that_of_camb() -> None:
    """CAMB with A_s = 2.1e-9 and neutrinos without mass has sigma_8 0.82227 in this space: docs say 0.8 %."""
    given = {name: value for name, value in SPACE.items() if name != "sigma_8"}
    power = LinearPower(tr.Cosmology(**given, A_s=2.1e-9))
    assert float(power.sigma(8000.0)) / 0.82227 == pytest.approx(1.008, abs=1e-3)
