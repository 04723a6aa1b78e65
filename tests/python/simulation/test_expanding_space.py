"""`trellis.Cosmology`: what Python adds, and astropy's numbers."""

import math
import pickle
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from conftest import FoundOn

import trellis as tr
from trellis.plot.scales import scales_of


def test_has_its_parameters() -> None:
    cosmology = tr.Cosmology(omega_m=0.3, h=0.7, sigma_8=0.8)
    assert (cosmology.omega_m, cosmology.omega_lambda, cosmology.H0) == (0.3, 0.7, 0.1)
    assert (cosmology.h, cosmology.sigma_8, cosmology.omega_b, cosmology.n_s) == (0.7, 0.8, None, None)
    assert repr(pickle.loads(pickle.dumps(cosmology))) == "Cosmology(omega_m=0.3, h=0.7, sigma_8=0.8)"


def test_cosmologies_of_the_same_parameters_are_equal() -> None:
    one, flat = tr.Cosmology(omega_m=0.3), tr.Cosmology(omega_m=0.3, omega_lambda=0.7)
    assert one == tr.Cosmology(omega_m=0.3) == pickle.loads(pickle.dumps(one))
    assert one == flat  # chosen, as space is flat
    assert one != tr.Cosmology(omega_m=0.3, h=0.7)
    assert one != 0.3
    assert len({one, flat, tr.Cosmology(omega_m=0.31)}) == 2


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"omega_m": -1.0}, "omega_m is -1: allowed is above 0"),
        ({"omega_m": 0.3, "omega_b": 0.4}, "omega_b is 0.4: allowed is at most omega_m, 0.3"),
        ({"omega_m": 0.3, "sigma_8": 0.8, "A_s": 2e-9}, "both of sigma_8 and A_s given: allowed is one"),
        ({"omega_m": 0.3, "w0": -1.0, "wa": 1.0}, "w0 \\+ wa is 0: allowed is below 0"),
    ],
)
def test_refuses(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tr.Cosmology(**wrong)


def test_agrees_with_astropy() -> None:
    astropy = pytest.importorskip("astropy.cosmology")
    units = pytest.importorskip("astropy.units")
    theirs = astropy.w0waCDM(H0=70, Om0=0.3, Ode0=0.65, w0=-0.9, wa=0.2, Tcmb0=2.7, Neff=3.04, m_nu=0)
    ours = tr.Cosmology(omega_m=0.3, omega_lambda=0.65, omega_r=theirs.Ogamma0 + theirs.Onu0, w0=-0.9, wa=0.2, H0=0.07)
    unit = units.kpc / (units.km / units.s)
    for a in (0.02, 0.5, 1.0):
        z = 1 / a - 1
        assert ours.hubble(a) == pytest.approx((theirs.H(z) * unit).to_value(""), rel=1e-9)
        assert ours.time(a) == pytest.approx((theirs.age(z) / unit).to_value(""), rel=1e-7)
        assert ours.matter_share(a) == pytest.approx(theirs.Om(z), rel=1e-9)


@pytest.mark.parametrize(
    "space",
    [
        {"omega_m": 1.0},
        {"omega_m": 0.3, "omega_lambda": 0.0},
        {"omega_m": 0.3, "omega_lambda": 0.9},
        {"omega_m": 0.3, "w0": -0.8, "wa": 0.3},
        {"omega_m": 0.3, "omega_r": 1e-3},
    ],
    ids=["flat", "open", "closed", "other dark energy", "radiation"],
)
def test_a_plane_wave_grows_as_linear_theory_has_it(space: dict[str, float]) -> None:
    """Zel'dovich's solution (1970) is exact in a plane wave up to its collapse; here, at 0.6 of that amplitude."""
    cosmology, begin, end = tr.Cosmology(**space), 0.1, 0.8
    sides = np.array([32, 4, 4])
    lattice = np.indices(sides).reshape(3, -1).T + 0.5
    wave = np.sin(2 * np.pi / 32 * lattice[:, 0])
    last = 0.6 * 32 / (2 * np.pi) * wave
    growth = cosmology.D1(end) / cosmology.D1(begin)
    matter = tr.ParticleSet.from_columns(position=lattice, mass=cosmology.mean_density(1.0), box=sides)
    matter.position[:, 0] += last / growth
    matter.velocity[:, 0] = begin**2 * cosmology.hubble(begin) * cosmology.f1(begin) * last / growth
    sim = tr.Simulation(
        matter, [tr.Gravity(softening=1e-3)], cosmology=cosmology, scale_factor=begin, log_step=0.04, keep_order=True
    )
    sim.run(until=end)
    moved = sim.particles.position - lattice
    moved -= sides * np.round(moved / sides)
    assert moved[:, 0] @ wave / (last @ wave) == pytest.approx(1, abs=3e-3)  # 32 planes: they grow faster by 1.4e-3
    assert np.abs(moved[:, 1:]).max() < 1e-6


def shell(cosmology: tr.Cosmology, density: float) -> tr.ParticleSet:
    """A mass, and particles without mass, at rest to the expansion, on a shell of that overdensity."""
    particles = tr.ParticleSet(4)
    radius = 1.0
    particles.mass[0] = 4 / 3 * math.pi * radius**3 * cosmology.mean_density(1.0) * (1 + density)
    particles.position[1:] = radius * np.eye(3)
    return particles


# Gunn & Gott 1972. Where the shell begins at rest to the expansion, 3/5 of its overdensity grow.
def test_a_shell_turns_around_where_the_spherical_collapse_has_it() -> None:
    cosmology = tr.Cosmology(omega_m=1.0, H0=1.0)
    begin, density = 0.01, 0.05
    particles = shell(cosmology, density)
    sim = tr.Simulation(
        particles, [tr.Gravity(softening=1e-3)], cosmology=cosmology, scale_factor=begin, log_step=0.02, keep_order=True
    )
    # the physical radius r = A (1 - cos e), the time B (e - sin e) + C; at the begin dr/dt = H r
    mass, radius, rate = particles.mass[0], begin, cosmology.hubble(begin)
    half = mass / (2 * mass / radius - (rate * radius) ** 2)  # A, by the energy
    scale = math.sqrt(half**3 / mass)
    start = math.acos(1 - radius / half)
    largest = cosmology.time(begin) + scale * (math.pi - (start - math.sin(start)))
    sim.run(until=cosmology.scale_factor(largest))
    physical = sim.time * np.linalg.norm(sim.particles.position[1:], axis=1)
    assert physical == pytest.approx(2 * half, rel=1e-3)
    speed = sim.particles.velocity[1:] / sim.time + cosmology.hubble(sim.time) * sim.time * sim.particles.position[1:]
    assert np.abs(speed).max() < 3e-3 * cosmology.hubble(sim.time) * 2 * half


def test_a_resumed_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    cosmology = tr.Cosmology(omega_m=0.3, H0=0.5)
    forces = [tr.Gravity(softening=0.05)]
    whole = tr.Simulation(tr.ic.plummer(200, seed=1), forces, cosmology=cosmology, scale_factor=0.3)
    whole.run(steps=4)
    tr.io.write_checkpoint(tmp_path / "checkpoint.hdf5", whole.state())
    resumed = tr.Simulation.resume(tr.io.read_checkpoint(tmp_path / "checkpoint.hdf5"), forces, cosmology=cosmology)
    for sim in (whole, resumed):
        sim.run(until=0.4, stops=[0.35])
    assert (resumed.time, resumed.step_count) == (0.4, whole.step_count)
    assert resumed.energies() == whole.energies()
    assert (resumed.particles.position == whole.particles.position).all()
    assert abs(whole.energies().error) < 1e-2
    assert "a = 0.4, z = 1.5" in repr(resumed)


def test_ranks_agree_and_resume_bit_for_bit(tmp_path: Path, found_on: FoundOn) -> None:
    program = f"""
from pathlib import Path
cosmology, path = tr.Cosmology(omega_m=0.3, H0=0.5), Path("{tmp_path}/checkpoint.hdf5")
gravity = tr.Gravity(softening=0.05, accuracy=1e-5)
sim = tr.Simulation(tr.ic.plummer(200, seed=1), [gravity], cosmology=cosmology, scale_factor=0.3)
sim.run(steps=3)
tr.io.write_checkpoint(path, sim.state())
sim.run(until=0.4)
resumed = tr.Simulation.resume(tr.io.read_checkpoint(path), [gravity], cosmology=cosmology)
resumed.run(until=0.4)
assert resumed.energies() == sim.energies()
energies = sim.energies()
found = [sim.step_count, energies.kinetic, energies.potential, energies.external, energies.expansion]
"""
    assert found_on(3, program) == pytest.approx(found_on(1, program), rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"timestep": 0.1}, "timestep is 0.1, but space expands: allowed is log_step, a length in ln a"),
        ({"scale_factor": None}, "scale_factor is None, but must be above 0"),
        ({"time": 1.0}, "time is 1.0, but space expands: give scale_factor instead"),
        ({"resident": True}, "resident is true, but particles that stay on a device know no expanding space"),
        ({"thermostat": tr.Langevin(temperature=1.0, relaxation_time=1.0)}, "expanding space has no thermostat"),
        ({"log_step": -1.0}, "log_step is -1: allowed is above 0"),
        ({"forces": [tr.LennardJones()]}, "acts, but in expanding space allowed is Gravity alone"),
        ({"cosmology": None}, "scale_factor is 0.5, but no cosmology is given"),
        ({"cosmology": None, "scale_factor": None, "log_step": 0.1}, "log_step is 0.1, but no cosmology is given"),
    ],
)
def test_a_simulation_refuses(arguments: dict[str, Any], sentence: str) -> None:
    given = {"forces": [tr.Gravity(softening=0.1)], "cosmology": tr.Cosmology(omega_m=0.3), "scale_factor": 0.5}
    with pytest.raises(ValueError, match=sentence):
        tr.Simulation(tr.ic.plummer(10), **given | arguments)


@pytest.mark.parametrize(
    ("high", "sentence"),
    [
        ([1.0, 1.0, np.inf], "the box is periodic along some axes, but expanding space is along all or none"),
        ([1.0, 1.0, 1.0], "the mean density of the box is 1, but that of the cosmology is 0.00358099"),
    ],
)
def test_a_box_is_that_of_the_cosmology(high: list[float], sentence: str) -> None:
    particles = tr.ParticleSet(1)
    particles.mass = 1.0
    particles.box = [[0.0 if np.isfinite(each) else -np.inf for each in high], high]
    with pytest.raises(ValueError, match=sentence):
        tr.Simulation(particles, [tr.Gravity()], cosmology=tr.Cosmology(omega_m=3.0, H0=0.1), scale_factor=1.0)


def test_a_snapshot_comes_back(tmp_path: Path) -> None:
    cosmology = tr.Cosmology(omega_m=0.3, omega_lambda=0.6, omega_r=1e-4, w0=-0.9, wa=0.1, h=0.7)
    stars = tr.ic.plummer(100, seed=1)
    tr.io.write_snapshot(tmp_path / "a.hdf5", stars, time=0.25, units=tr.units.GADGET, cosmology=cosmology)
    with h5py.File(tmp_path / "a.hdf5") as file:
        header = file["Header"].attrs
        assert (header["Time"], header["Redshift"], header["Omega0"]) == (0.25, 3.0, 0.3)
        assert (header["OmegaLambda"], header["HubbleParam"]) == (0.6, 0.7)
        assert file["Parameters"].attrs["ComovingIntegrationOn"] == 1
        peculiar = stars.velocity / 0.25  # a dx/dt = p / a
        assert file["PartType1/Velocities"][...] == pytest.approx(peculiar / np.sqrt(0.25), rel=1e-14)
    read = tr.io.read_snapshot(tmp_path / "a.hdf5")
    assert (read.time, repr(read.cosmology)) == (0.25, repr(cosmology))
    assert read.particles.velocity == pytest.approx(stars.velocity, rel=1e-14)
    with pytest.warns(UserWarning, match="space will not expand"):
        as_it_is = tr.io.read_snapshot(tmp_path / "a.hdf5", expanding=False)
    assert as_it_is.particles.velocity == pytest.approx(stars.velocity / 0.125, rel=1e-14)
    tr.io.write_snapshot(tmp_path / "b.hdf5", stars, time=0.25)
    with pytest.raises(ValueError, match=r"b.hdf5': 'Time' is 0.25 and 'Redshift' 0, but in expanding space"):
        tr.io.read_snapshot(tmp_path / "b.hdf5", expanding=True)


def test_pictures_have_redshifts_and_lengths_over_h(tmp_path: Path) -> None:
    cosmology = tr.Cosmology(omega_m=0.3)
    tr.io.write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(10), time=0.25, units=tr.units.GADGET, cosmology=cosmology)
    read = tr.io.read_snapshot(tmp_path / "a.hdf5")
    scales = scales_of(read.units)
    assert scales.moment(read.time) == "z = 3.00"
    assert (scales.time_axis, scales.axis("x"), scales.time) == ("scale factor", "x [kpc/h]", 1.0)
    assert str(read.units) == "units of 1 kpc/h, 1e+10 solar masses/h, 1 km/s (G = 43007.1)"


def test_energy_errors_are_relative_to_the_potential_energy_once_it_is_the_largest() -> None:
    early = tr.Energies(kinetic=0.1, potential=0.5, external=0, internal=0, bath=0, initial=1.0, expansion=0.6)
    late = tr.Energies(kinetic=3.0, potential=-10.0, external=0, internal=0, bath=0, initial=1.0, expansion=9.0)
    assert early.error == pytest.approx(0.2)  # of the sum at the start
    assert late.error == pytest.approx(0.1)  # of a |W|
    elsewhere = tr.Energies(kinetic=12.0, potential=-10.0, external=0, internal=0, bath=0, initial=1.0)
    assert elsewhere.error == pytest.approx(1.0 / 2.2)  # of a tenth of the sum of the sizes
