from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from matplotlib.figure import Figure

import trellis as tr
from trellis import exact
from trellis.config import load
from trellis.errors import InputError
from trellis.exact import Profile
from trellis.io import read_snapshot, write_snapshot

pytestmark = pytest.mark.pixels


def gas(direction: np.ndarray, position: np.ndarray, solution: Profile) -> tr.ParticleSet:
    """Particles that have what the solution says, moving in these directions."""
    particles = tr.ParticleSet.from_columns(position=position, mass=1.0)
    particles.velocity = direction * solution.velocity[:, None]
    for name in ("density", "internal_energy"):
        particles.add_field(name)
        setattr(particles, name, getattr(solution, name))
    return particles


def tube(time: float, gamma: float) -> tr.ParticleSet:
    position = np.random.default_rng(1).uniform(-1, 1, (5000, 3))
    solution = exact.riemann(gamma=gamma)(position[:, 0] / time)
    return gas(np.array([[1.0, 0.0, 0.0]]), position, solution)


def sphere(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Places in a shell, and their distances from the origin."""
    random = np.random.default_rng(1)
    vectors = random.normal(size=(5000, 3))
    radius = random.uniform(low, high, 5000)
    return vectors * (radius / np.linalg.norm(vectors, axis=1))[:, None], radius


def largest_distance(figure: Figure) -> float:
    """Distance of dots from the line, over the range of the line, but for those next to a jump."""
    worst = 0.0
    for ax in figure.axes:
        dots, line = ax.get_lines()
        x, y = line.get_data()
        away = np.abs(np.interp(dots.get_xdata(), x, y) - dots.get_ydata()) / np.ptp(y)
        k = np.searchsorted(x, dots.get_xdata()).clip(1, len(x) - 1)
        away = away[np.abs(y[k] - y[k - 1]) < 0.1 * np.ptp(y)]
        assert len(away) > 1000
        worst = max(worst, away.max())
    return worst


def labels(figure: Figure) -> list[str]:
    return [ax.get_ylabel() for ax in figure.axes]


@pytest.mark.parametrize("gamma", [1.4, 5 / 3])
def test_dots_of_a_shock_tube_are_on_the_line(gamma: float) -> None:
    figure = tr.plot.shock_tube(tube(0.2, gamma), time=0.2, gamma=gamma)
    assert largest_distance(figure) < 0.01
    assert labels(figure) == ["density", "velocity", "pressure", "internal energy"]
    low, high = figure.axes[0].get_xlim()
    waves = exact.riemann(gamma=gamma)
    assert low == pytest.approx(-1 - 0.2 * waves.left_wave.outer)
    assert high == pytest.approx(1 - 0.2 * waves.right_wave.outer)
    assert figure.axes[2].get_lines()[0].get_ydata().max() == pytest.approx(1.0)


def test_dots_of_another_time_or_gamma_are_not() -> None:
    assert largest_distance(tr.plot.shock_tube(tube(0.2, 5 / 3), time=0.15)) > 0.1
    assert largest_distance(tr.plot.shock_tube(tube(0.2, 5 / 3), time=0.2, gamma=1.4)) > 0.1


def test_a_blast_wave_and_an_implosion_against_the_radius() -> None:
    position, radius = sphere(0.1, 0.5)
    outwards = position / radius[:, None]
    figure = tr.plot.blast_wave(gas(outwards, position, exact.sedov()(radius, 0.05)), time=0.05)
    assert largest_distance(figure) < 0.01
    assert labels(figure) == ["density", "velocity", "pressure"]
    assert figure.axes[0].get_xlim()[1] == pytest.approx(1.5 * 0.34747, abs=1e-4)
    figure = tr.plot.implosion(gas(outwards, position, exact.noh(radius, 0.6)), time=0.6)
    assert largest_distance(figure) < 0.01
    assert figure.axes[0].get_xlim() == (0.0, pytest.approx(0.4))


def test_a_vortex_against_the_distance_from_its_axis() -> None:
    position = np.random.default_rng(1).uniform(-0.5, 0.5, (5000, 3))
    x, y, _ = position.T
    radius = np.hypot(x, y)
    around = np.stack((-y, x, 0 * x), axis=1) / radius[:, None]
    figure = tr.plot.vortex(gas(around, position, exact.gresho(radius, 1.4)), gamma=1.4)
    for ax in figure.axes[1:]:
        dots, line = ax.get_lines()
        assert np.interp(dots.get_xdata(), *line.get_data()) == pytest.approx(dots.get_ydata(), abs=1e-3)


def test_title_and_legend_say_what_is_seen() -> None:
    for style, ink in (("dark", "#e6e6e6"), ("light", "#1a1a1a")):
        figure = tr.plot.shock_tube(tube(0.2, 5 / 3), time=0.2, style=style)
        assert figure.get_suptitle() == "Sod's shock tube, t = 0.2"
        assert [text.get_text() for text in figure.legends[0].get_texts()] == ["particles", "exact solution"]
        assert figure.axes[0].get_lines()[1].get_color() == ink
    position = np.zeros((3, 3))
    at_any_time = gas(np.zeros((1, 3)), position, exact.gresho(position[:, 0]))
    assert tr.plot.vortex(at_any_time).get_suptitle() == "Gresho's vortex"
    assert tr.plot.vortex(at_any_time, time=1.5).get_suptitle() == "Gresho's vortex, t = 1.5"


def test_not_all_of_many_particles_are_dots() -> None:
    position = np.random.default_rng(1).uniform(-0.2, 0.2, (100_000, 3))
    figure = tr.plot.vortex(gas(np.zeros((1, 3)), position, exact.gresho(np.abs(position[:, 0]))))
    assert 10_000 < len(figure.axes[0].get_lines()[0].get_xdata()) <= 20_000


def test_the_time_is_that_of_a_snapshot(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "a.hdf5", tube(0.2, 5 / 3), time=0.2)
    assert largest_distance(tr.plot.shock_tube(read_snapshot(tmp_path / "a.hdf5"))) < 0.01


def test_ranks_draw_the_particles_of_all(tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import trellis as tr\nfrom trellis import world\nsphere = tr.ic.noh(600)\nsphere.add_field('density')\n"
        "sim = tr.Simulation(sphere, [], 0.1)\nsim.step()\nfigure = tr.plot.implosion(sim)\n"
        "dots = len(figure.axes[0].get_lines()[0].get_xdata())\nevery = world.gather((len(sim.particles), dots))\n"
        "if tr.rank() == 0:\n    print(max(every)[0] < 600, every[0][1] > 550, every[0][1] == every[1][1])\n"
    )
    assert mpirun(2, program).stdout.strip() == "True True True"


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^time is None, but must be above 0"):
        tr.plot.shock_tube(tube(0.2, 1.4))
    with pytest.raises(InputError, match=r"^time is 0.9, but must be less: by then the ends of the tube are felt"):
        tr.plot.shock_tube(tube(0.2, 1.4), time=0.9)
    with pytest.raises(InputError, match=r"^the particles have no column 'density', which is to be drawn$"):
        tr.plot.blast_wave(tr.ic.sedov(512), time=0.1)
    with pytest.raises(InputError, match=r"^there is no run to draw in"):
        tr.plot.problem(tmp_path)


def test_a_run_of_gas_and_its_figure(tmp_path: Path, trellis: Command) -> None:
    file, picture = tmp_path / "tube.toml", tmp_path / "tube.png"
    file.write_text(
        f"""
[ic]
model = "sod"
particles = 450
dimensions = 1

[sph]
dimensions = 1

[run]
until = 0.1
timestep = 0.0005
output = "{tmp_path / "out"}"
snapshot_every = 0.1
"""
    )
    done = trellis("run", file)
    assert done.returncode == 0, done.stderr
    assert trellis("plot", tmp_path / "out", "--exact", "-o", picture).returncode == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    dots = tr.plot.problem(tmp_path / "out").axes[2].get_lines()[0]
    star = (dots.get_xdata() > 0.0) & (dots.get_xdata() < 0.15)
    assert np.median(dots.get_ydata()[star]) == pytest.approx(0.29395, rel=0.05)


def test_a_run_is_drawn_beside_the_solution_of_its_problem(
    tmp_path: Path, parameter_file: Path, trellis: Command
) -> None:
    text = parameter_file.read_text()
    _, _, rest = text.partition("[run]")
    parameter_file.write_text(f'[ic]\nmodel = "sedov"\n[sph]\ngamma = 1.4\n[run]{rest}')
    run = tmp_path / "out"
    run.mkdir()
    (run / "parameters.toml").write_text(load(parameter_file).to_toml())
    position, radius = sphere(0.1, 0.5)
    blast = gas(position / radius[:, None], position, exact.sedov(gamma=1.4)(radius, 0.05))
    write_snapshot(run / "snapshot_0000.hdf5", tr.ic.sedov(512))
    write_snapshot(run / "snapshot_0001.hdf5", blast, time=0.05)
    assert largest_distance(tr.plot.problem(run)) < 0.01
    picture = tmp_path / "blast.png"
    assert trellis("plot", run, "--exact", "-o", picture).returncode == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    (run / "parameters.toml").write_text(text)
    with pytest.raises(
        InputError, match=r"is not one of gas from a model with an exact solution: sod, sedov, noh, gresho$"
    ):
        tr.plot.problem(run)


def test_velocities_that_no_picture_has_room_for() -> None:
    particles = tube(0.2, 1.4)
    particles.velocity[7, 0] = 1e300
    with pytest.raises(InputError, match=r"^column 'velocity' has 1e\+300, which cannot be drawn"):
        tr.plot.shock_tube(particles, time=0.2, gamma=1.4)
