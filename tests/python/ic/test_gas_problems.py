"""Initial conditions of gas and of molecules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st

import trellis as tr
from trellis.exact import gresho, noh
from trellis.ic.glass import ball, glass, tiled

IN_BOXES = ["sod", "sedov", "gresho", "kelvin_helmholtz", "lennard_jones"]
GAS = ["sod", "sedov", "evrard", "gresho", "kelvin_helmholtz", "noh"]
NORM = {2: 7 / np.pi, 3: 21 / (2 * np.pi)}  # Wendland's kernel C2


def density(particles: tr.ParticleSet, rows: np.ndarray, dimensions: int = 3) -> np.ndarray:
    """Sums of Wendland's kernel over all particles and their nearest images, at the positions of some."""
    side = np.diff(particles.box, axis=0)[0]
    side[~np.isfinite(side)] = 1e9
    found = np.empty(len(rows))
    for k, row in enumerate(rows):
        apart = particles.position - particles.position[row]
        apart -= side * np.round(apart / side)
        h = particles.smoothing_length[row]
        q = np.minimum(np.linalg.norm(apart, axis=1) / h, 1.0)
        found[k] = particles.mass @ ((1 - q) ** 4 * (1 + 4 * q)) * NORM[dimensions] / h**dimensions
    return found


def some(chosen: np.ndarray, count: int = 100) -> np.ndarray:
    rows = np.flatnonzero(chosen)
    return rows[np.linspace(0, len(rows) - 1, count).astype(int)]


@pytest.mark.parametrize(("shape", "scatter"), [((8, 8, 8), 0.005), ((8, 8), 0.01), ((16, 32), 0.01)])
def test_a_glass_is_even_but_no_lattice(shape: tuple[int, ...], scatter: float) -> None:
    tile, dimensions = glass(shape, 3), len(shape)
    assert ((tile >= 0) & (tile < 1)).all()
    particles = tr.ParticleSet.from_columns(
        position=tiled(tile, (1,) * dimensions, (0,) * dimensions, (1,) * dimensions), mass=1 / len(tile)
    )
    particles.add_field("smoothing_length")
    particles.smoothing_length = 2.48 * len(tile) ** (-1 / dimensions)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    found = density(particles, np.arange(len(tile)), dimensions)
    assert found.mean() == pytest.approx(1.01, abs=0.01)  # a kernel's own particle is too near
    assert found.std() < scatter
    assert len(np.unique(tile[:, 0].round(3))) > len(tile) / 3
    assert np.array_equal(tile, glass(shape, 3))
    assert not np.array_equal(tile, glass(shape, 4))


def test_tiles_fill_a_box() -> None:
    tile = np.array([[0.0, 0.5], [0.5, np.nextafter(1.0, 0.0)]])
    positions = tiled(tile, (2, 1), (-1.0, 1.0), (3.0, 3.0))
    assert positions == pytest.approx(np.array([[-1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [1.0, 2.0, 0.0], [2.0, 3.0, 0.0]]))
    assert (positions[:, 1] < 3.0).all()  # not rounded to the face


@pytest.mark.parametrize("count", [1, 64, 5000])
def test_a_ball_is_even(count: int) -> None:
    radius = np.linalg.norm(ball(count, 1), axis=1)
    assert len(radius) == count
    assert (np.diff(radius) >= 0).all()
    if count > 64:
        assert radius[[count // 8, count // 2, -1]] == pytest.approx([0.5, 0.5 ** (1 / 3), 1.0], abs=0.02)


@pytest.mark.parametrize("name", IN_BOXES)
def test_particles_are_within_their_box(name: str) -> None:
    particles = getattr(tr.ic, name)(5000)
    low, high = particles.box
    assert (particles.position >= low).all()
    assert (particles.position < high).all()
    assert np.isfinite(low[0])


@pytest.mark.parametrize("name", GAS)
def test_gas_has_its_columns_and_one_mass(name: str) -> None:
    particles = getattr(tr.ic, name)(5000)
    assert np.ptp(particles.mass) == 0
    assert (particles.internal_energy > 0).all()
    assert (particles.smoothing_length > 0).all()
    assert particles.field_info("internal_energy")[0] == "length^2 / time^2"
    assert particles.field_info("smoothing_length")[0] == "length"


@pytest.mark.parametrize(
    ("name", "wanted", "made"),
    [
        ("sod", 10_000, 2 * 4608),
        ("sedov", 33_000, 32**3),
        ("evrard", 777, 777),
        ("gresho", 8000, 16 * 512),
        ("noh", 777, 777),
        ("lennard_jones", 5000, 4 * 11**3),
    ],
)
def test_the_nearest_number_that_fits(name: str, wanted: int, made: int) -> None:
    assert len(getattr(tr.ic, name)(wanted)) == made


@pytest.mark.parametrize("name", ["sod", "sedov", "evrard", "gresho", "noh", "lennard_jones"])
def test_the_seed_decides(name: str) -> None:
    one, same, other = (getattr(tr.ic, name)(600, seed=seed) for seed in (1, 1, 2))
    for column in ("position", "velocity"):
        assert np.array_equal(one.column(column), same.column(column))
    assert not (np.array_equal(one.position, other.position) and np.array_equal(one.velocity, other.velocity))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("gamma", [1.4, 5 / 3])
def test_sods_tube(dimensions: int, gamma: float) -> None:
    tube = tr.ic.sod(10_000, dimensions=dimensions, gamma=gamma)
    x, side = tube.position[:, 0], np.diff(tube.box, axis=0)[0]
    assert not tube.position[:, dimensions:].any()
    assert np.isfinite(side).sum() == dimensions
    area = np.prod(side[1:dimensions])
    for low, high, rho, pressure in ((-1, 0, 1, 1), (0, 1, 0.125, 0.1)):
        half = (x >= low) & (x < high)
        assert tube.mass[half].sum() == pytest.approx(rho * area)
        slices = np.histogram(x[half], bins=4, range=(low, high), weights=tube.mass[half])[0]
        assert slices == pytest.approx(np.full(4, rho * area / 4), rel=0.04)
        assert tube.internal_energy[half] == pytest.approx(pressure / ((gamma - 1) * rho))
        if dimensions > 1:
            middle = some((x > low + 0.25) & (x < high - 0.25), 40)
            assert density(tube, middle, dimensions) == pytest.approx(np.full(40, 1.01 * rho), rel=0.03)
    assert not tube.velocity.any()


def test_sedovs_blast_is_in_the_middle() -> None:
    blast = tr.ic.sedov(16**3)
    energy = blast.mass * blast.internal_energy
    assert energy.sum() == pytest.approx(1 + 1e-6)
    assert blast.mass.sum() == pytest.approx(1.0)
    radius = np.linalg.norm(blast.position, axis=1)
    hot = energy > 1e-6 / 16**3 * 1.001
    assert 50 < hot.sum() < 80
    assert radius[hot].max() < blast.smoothing_length[0] < 1.1 * radius[~hot].min()
    assert np.abs(energy @ blast.position).max() < 0.1 / 16  # a tenth of the particles' distance
    assert blast.box.tolist() == [[-0.5] * 3, [0.5] * 3]


def test_a_smoothing_length_holds_64_neighbours() -> None:
    particles = tr.ic.sedov(16**3)
    apart = particles.position - particles.position[:50, None]
    apart -= np.round(apart)
    counts = (np.linalg.norm(apart, axis=2) < particles.smoothing_length[:50, None]).sum(axis=1)
    assert counts.mean() == pytest.approx(64, abs=1)


def test_evrards_sphere() -> None:
    sphere = tr.ic.evrard(20_000)
    radius = np.linalg.norm(sphere.position, axis=1)
    radii = np.array([0.1, 0.3, 0.5, 0.9])
    assert np.searchsorted(np.sort(radius), radii) / 20_000 == pytest.approx(radii**2, abs=3e-3)
    assert radius.max() == pytest.approx(1.0, abs=0.01)
    assert sphere.mass @ sphere.internal_energy == pytest.approx(0.05)
    assert np.abs(sphere.mass @ sphere.position).max() < 1e-12
    assert np.isinf(sphere.box).all()
    middle = some((radius > 0.2) & (radius < 0.7))
    assert density(sphere, middle) * radius[middle] == pytest.approx(np.full(100, 0.5 / np.pi), rel=0.1)
    assert density(sphere, np.argsort(radius)[:1]) > 0.5 / np.pi / 0.05
    assert tr.Simulation(sphere, [tr.Gravity()], 0.01).energies().potential == pytest.approx(-2 / 3, rel=0.01)


def test_greshos_vortex() -> None:
    vortex = tr.ic.gresho(8192, gamma=1.4)
    x, y, _ = vortex.position.T
    radius = np.hypot(x, y)
    exact = gresho(radius, 1.4)
    around = (x * vortex.velocity[:, 1] - y * vortex.velocity[:, 0]) / radius
    assert around == pytest.approx(exact.velocity)
    assert np.linalg.norm(vortex.velocity, axis=1) == pytest.approx(np.abs(around))
    assert 0.4 * vortex.internal_energy == pytest.approx(exact.pressure)
    assert np.diff(vortex.box, axis=0)[0] == pytest.approx([1.0, 1.0, 0.25])
    assert density(vortex, some(radius < 1)) == pytest.approx(np.full(100, 1.01), rel=0.02)


def test_kelvin_helmholtz() -> None:
    streams = tr.ic.kelvin_helmholtz(10_000)
    assert len(streams) == pytest.approx(10_000, rel=0.02)
    x, y, _ = streams.position.T
    mass = streams.mass.sum()
    assert mass == pytest.approx(1.5, rel=1e-6)
    inside = np.abs(y - 0.5) < 0.25
    assert streams.mass[inside].sum() == pytest.approx(1.0 - 0.025 * (1 - np.exp(-10)), rel=0.01)
    depth = 0.25 - np.abs(y - 0.5)
    ramp = 0.5 * np.exp(-np.abs(depth) / 0.025)
    rho = np.where(inside, 2 - ramp, 1 + ramp)
    assert streams.internal_energy * rho == pytest.approx(2.5 * 1.5)
    assert streams.velocity[:, 0] == pytest.approx(np.where(inside, -0.5 + ramp, 0.5 - ramp))
    assert streams.velocity[:, 1] == pytest.approx(0.01 * np.sin(4 * np.pi * x))
    assert np.abs(streams.mass @ streams.velocity[:, 1]) < 1e-12
    rows = some(np.abs(depth) > 0.075)
    assert density(streams, rows, 2) == pytest.approx(rho[rows], rel=0.03)
    rows = some(np.abs(depth) < 0.075)
    assert density(streams, rows, 2) == pytest.approx(rho[rows], rel=0.12)  # smoothed


def test_nohs_sphere() -> None:
    sphere = tr.ic.noh(5000)
    radius = np.linalg.norm(sphere.position, axis=1)
    assert np.einsum("ij,ij->i", sphere.velocity, sphere.position) == pytest.approx(-radius)
    assert np.linalg.norm(sphere.velocity, axis=1) == pytest.approx(np.ones(5000))
    assert density(sphere, some(radius < 0.7)) == pytest.approx(np.full(100, 1.01), rel=0.02)
    radius -= 0.1  # as gas that has no neighbours
    within = (radius > 0.05) & (radius < 0.4)
    swept = 4 * np.pi / 3 * (0.5**3 - 0.15**3)
    assert sphere.mass[within].sum() == pytest.approx(swept, rel=0.02)
    assert noh(0.05, 0.1).density == pytest.approx(9.0)


def test_lennard_jones_crystal() -> None:
    atoms = tr.ic.lennard_jones(4 * 6**3, seed=5)
    side = atoms.box[1, 0]
    assert len(atoms) / side**3 == pytest.approx(0.8442)
    assert np.abs(atoms.velocity.sum(axis=0)).max() < 1e-12
    assert (atoms.velocity**2).sum() / (3 * len(atoms) - 3) == pytest.approx(1.44, rel=1e-14)
    speeds = atoms.velocity.ravel() / np.sqrt(1.44)
    assert (speeds**4).mean() == pytest.approx(3.0, abs=0.5)  # Gaussian
    apart = atoms.position - atoms.position[100]
    apart -= side * np.round(apart / side)
    distance = np.delete(np.linalg.norm(apart, axis=1), 100)
    nearest = (4 / 0.8442) ** (1 / 3) / np.sqrt(2)
    assert np.sort(distance)[:12] == pytest.approx(np.full(12, nearest))
    power = distance[distance < 2.5] ** -6.0
    assert 2 * (power**2 - power).sum() == pytest.approx(-6.7733681, abs=1e-7)  # LAMMPS, in.lj, step 0


def test_atoms_at_rest() -> None:
    assert not tr.ic.lennard_jones(32, temperature=0.0).velocity.any()


def test_all_ranks_have_the_columns_and_the_box(tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import trellis as tr\nfrom trellis import world\ntube = tr.ic.sod(500, dimensions=1)\n"
        "every = world.gather((len(tube), tube.field_names, tube.box.tolist()))\n"
        "if tr.rank() == 0:\n    print([size for size, *_ in every], every[0][1:] == every[1][1:] == every[2][1:])\n"
        "tr.ic.sedov(0)\n"
    )
    done = mpirun(3, program)
    assert done.stdout.strip() == "[504, 0, 0] True"
    assert "'particles' is 0, but must be at least 1" in done.stderr
    assert done.returncode == 2


@settings(max_examples=20, deadline=None)
@given(count=st.integers(1, 3000), dimensions=st.integers(1, 3), gamma=st.floats(1.01, 10))
def test_any_allowed_parameters_give_finite_particles(count: int, dimensions: int, gamma: float) -> None:
    for particles in (
        tr.ic.sod(count, dimensions=dimensions, gamma=gamma),
        tr.ic.sedov(count),
        tr.ic.evrard(count),
        tr.ic.gresho(count, gamma=gamma),
        tr.ic.kelvin_helmholtz(count, gamma=gamma),
        tr.ic.noh(count),
        tr.ic.lennard_jones(count),
    ):
        for name in particles.public_fields:
            particles.check_finite(name)


def test_arguments_out_of_range() -> None:
    with pytest.raises(ValueError, match="'dimensions' is 4, but must be at most 3"):
        tr.ic.sod(dimensions=4)
    with pytest.raises(ValueError, match="'gamma' is 1, but must be above 1"):
        tr.ic.gresho(gamma=1)
    with pytest.raises(ValueError, match=r"'temperature' is -1.0, but must be at least 0"):
        tr.ic.lennard_jones(temperature=-1.0)
