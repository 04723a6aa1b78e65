from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot
from trellis.output.energy_log import COLUMNS, HEADING
from trellis.plot.figure import new_figure, save
from trellis.plot.scales import scales_of
from trellis.plot.style import STYLES
from trellis.run.simulation_run import SimulationRun

pytestmark = pytest.mark.pixels


def test_density_of_a_simulation_a_snapshot_and_particles(tmp_path: Path) -> None:
    particles = tr.ic.plummer(500)
    sim = tr.Simulation(particles, [tr.Gravity(softening=0.1)], 0.01)
    write_snapshot(tmp_path / "a.hdf5", particles)
    for source in (particles, sim, read_snapshot(tmp_path / "a.hdf5")):
        ax = tr.plot.density(source, plane="xz", half_width=2.0, centre="origin")
        assert isinstance(ax, Axes)
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim()) == ("x", "z", (-2.0, 2.0))


def test_density_of_particles_in_one_place() -> None:
    assert tr.plot.density(tr.ParticleSet.from_columns(position=np.zeros((3, 3)), mass=1.0)).get_xlim() == (-1, 1)


def colour_bar(ax: Axes) -> Axes:
    return ax.child_axes[0]


def test_quantities_are_shown_in_the_units_of_a_file(tmp_path: Path) -> None:
    particles = tr.ParticleSet.from_columns(position=np.random.default_rng(1).uniform(-1, 1, (900, 3)), mass=1 / 900)
    write_snapshot(tmp_path / "a.hdf5", particles, time=2.0, units=tr.units.GADGET)
    figure = tr.plot.snapshots([tmp_path / "a.hdf5"])
    ax = figure.axes[0]
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("t = 1.96 Gyr", "x [kpc]", "y [kpc]")
    assert colour_bar(ax).get_ylabel() == "surface density\n[$\\mathrm{M}_\\odot\\,/\\,\\mathrm{kpc}^2$]"
    middle = np.median(np.asarray(ax.images[0].get_array())[150:250, 150:250])
    assert middle == pytest.approx(1e10 / 2**2, rel=0.2)
    in_code_units = tr.plot.density(particles)
    assert colour_bar(in_code_units).get_ylabel() == "surface density\n[mass / length²]"
    megaparsec = tr.units.Units(3.085678e24 / 0.7, 1.989e43 / 0.7, 1e5)
    assert tr.plot.density(particles, units=megaparsec).get_xlim() == (-2.0, 2.0)  # 1.6 Mpc / h, rounded up in Mpc


def test_units_that_are_near_those_of_the_particles_are_shown() -> None:
    kpc, gigayear, sun = 3.085678e21, 3.15576e16, 1.989e33
    galaxy = scales_of(tr.units.GADGET)
    assert (galaxy.length_unit, galaxy.time_unit) == ("kpc", "Gyr")
    assert (galaxy.length, galaxy.surface, galaxy.time) == pytest.approx((1.0, 1e10, kpc / 1e5 / gigayear))
    cosmos = scales_of(tr.units.Units(1e3 * kpc / 0.7, 1e10 * sun / 0.7, 1e5))
    assert cosmos.length_unit == "Mpc"
    assert (cosmos.length, cosmos.surface) == pytest.approx((1 / 0.7, 1e10 * 0.7))
    assert scales_of(tr.units.Units(100 * kpc, sun, 1e5)).length_unit == "kpc"
    assert scales_of(tr.units.NBODY).axis("x") == "x"


def test_a_panel_for_each_type(tmp_path: Path) -> None:
    particles = tr.ic.two_galaxies(600)
    particles.add_field("type")
    particles.type[:300] = 4
    particles.mass[300:] = 2e-3
    write_snapshot(tmp_path / "a.hdf5", particles)
    one = tr.plot.snapshots([tmp_path / "a.hdf5"])
    assert [ax.get_title() for ax in one.axes] == ["gas, t = 0", "stars, t = 0"]
    two = tr.plot.snapshots([tmp_path / "a.hdf5"] * 2)
    assert [ax.images[0].get_clim() for ax in two.axes[:2]] == [one.axes[0].images[0].get_clim()] * 2
    bars = [colour_bar(ax).get_ylabel() for ax in two.axes if ax.child_axes]
    assert bars == ["gas surface density\n[mass / length²]", "stars surface density\n[mass / length²]"]
    stars = tr.plot.density(particles, type=4).images[0].get_array()
    assert stars.sum() == pytest.approx(tr.plot.density(particles, type=4, style="light").images[0].get_array().sum())
    with pytest.raises(InputError, match=r"no particles of type 5: there are 0 \(gas\), 4 \(stars\)$"):
        tr.plot.density(particles, type=5)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"plane": "xx"}, "^plane is 'xx', but must be one of xy, xz"),
        ({"centre": "densst"}, "^centre is 'densst': did you mean 'densest'"),
        ({"style": "drak"}, "^style is 'drak': did you mean 'dark'"),
        ({"half_width": -1.0}, "^the half width is -1, but must be a finite number above 0"),
    ],
)
def test_what_a_picture_cannot_have(given: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    particles = tr.ic.plummer(50)
    write_snapshot(tmp_path / "a.hdf5", particles)
    with pytest.raises(InputError, match=sentence):
        tr.plot.density(particles, **given)
    with pytest.raises(InputError, match=sentence):
        tr.plot.snapshots([tmp_path / "a.hdf5"], **given)


@pytest.mark.parametrize("name", STYLES)
def test_colours_of_densities_rise_evenly_from_the_page(name: str) -> None:
    colours = STYLES[name].density_colours()(np.linspace(0, 1, 64))[:, :3]
    assert colours[0] == pytest.approx(to_rgb(STYLES[name].page))
    grey = colours @ [0.2126, 0.7152, 0.0722]  # what is left to those who see no colours
    steps = np.diff(grey) * (1 if name == "dark" else -1)
    assert (steps > 0).all()


def test_the_styles_page_is_the_figures_but_not_that_of_given_axes() -> None:
    particles = tr.ic.plummer(100)
    for name, style in STYLES.items():
        assert to_rgb(tr.plot.density(particles, style=name).figure.get_facecolor()) == to_rgb(style.page)
    figure = new_figure(4, 4)
    ax = tr.plot.density(particles, ax=figure.subplots(), style="dark")
    assert to_rgb(figure.get_facecolor()) == (1, 1, 1)
    assert to_rgb(colour_bar(ax).yaxis.label.get_color()) == (0, 0, 0)


def test_lagrangian_radii(tmp_path: Path) -> None:
    for k in range(2):
        particles = tr.ic.sphere(20_000)
        particles.position *= (k + 1) / 2.4
        particles.position += [5.0, 0.0, 0.0]
        write_snapshot(tmp_path / f"{k}.hdf5", particles, time=k)
    ax = tr.plot.lagrangian_radii([tmp_path / "0.hdf5", read_snapshot(tmp_path / "1.hdf5")], fractions=(0.125, 0.5))
    eighth, half = (line.get_ydata() for line in ax.get_lines())
    assert eighth == pytest.approx([0.5, 1.0], rel=0.02)
    assert half == pytest.approx([0.5 ** (1 / 3), 2 * 0.5 ** (1 / 3)], rel=0.02)


def test_history_and_overview_of_a_run(parameter_file: Path) -> None:
    job = SimulationRun(load(parameter_file))
    job.run()
    error = tr.plot.energy_error(job.folder.energy_log)
    assert len(error.get_lines()[0].get_xdata()) == 41
    virial = tr.plot.virial_ratio(job.folder.path)
    assert len(tr.plot.energies(str(job.folder.path)).get_lines()[0].get_xdata()) == 41
    assert virial.get_lines()[0].get_ydata()[0] == pytest.approx(0.3, abs=0.1)
    figure = tr.plot.overview(job.folder.path)
    panels = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title() for ax in panels] == [f"t = {t:g}" for t in (0, 0.2, 0.3, 0.5, 0.6, 0.8)]
    assert len({ax.images[0].get_clim() for ax in panels}) == 1
    assert max(ax.images[0].get_array().max() for ax in panels) == panels[0].images[0].get_clim()[1]
    assert job.folder.overview.read_bytes().startswith(b"\x89PNG")


def test_the_ending_of_a_file_says_what_a_picture_is(tmp_path: Path, trellis: Command) -> None:
    """Pictures of any name were PNG: x.pdf could not be opened."""
    begins = {"x.png": b"\x89PNG", "x": b"\x89PNG", "x.pdf": b"%PDF", "x.SVG": b"<?xml"}
    for name, begin in begins.items():
        save(new_figure(2, 2), tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)
    write_snapshot(tmp_path / "stars.hdf5", tr.ic.plummer(100, seed=1))
    refused = trellis("plot", tmp_path / "stars.hdf5", "-o", tmp_path / "x.xyz")
    assert refused.returncode == 2
    assert "x.xyz', but its ending must be one of .png, .pdf, .svg" in refused.stderr
    assert not (tmp_path / "x.xyz").exists()


def test_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no run to draw in"):
        tr.plot.overview(tmp_path)
    (tmp_path / "energy.csv").write_text("a,b\n1,x\n")
    with pytest.raises(InputError, match=r"energy.csv' is not an energy log"):
        tr.plot.energy_error(tmp_path / "energy.csv")
    with pytest.raises(InputError, match="there is no file"):
        tr.plot.energy_error(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("name", ["position", "mass"])
def test_values_that_no_picture_has_room_for(tmp_path: Path, name: str) -> None:
    particles = tr.ic.sphere(10)
    particles.velocity = 1e300  # not drawn
    write_snapshot(tmp_path / "a.hdf5", particles)
    tr.plot.snapshots([tmp_path / "a.hdf5"], tmp_path / "a.png")
    particles.column(name)[3] = -1e300
    write_snapshot(tmp_path / "a.hdf5", particles)
    with pytest.raises(InputError, match=rf"^'.*a.hdf5': column '{name}' has -1e\+300, which cannot be drawn: allowed"):
        tr.plot.snapshots([tmp_path / "a.hdf5"])


@pytest.mark.filterwarnings("error")
def test_energies_that_no_picture_has_room_for(tmp_path: Path) -> None:
    others = len(COLUMNS) - 2
    values = [["0", "0", *["1.7e308"] * others], ["1", "0.1", *["-1.7e308"] * others], ["2", "0.2", *["inf"] * others]]
    (tmp_path / "energy.csv").write_text("\n".join([HEADING, *(",".join(line) for line in values), ""]))
    for draw in (tr.plot.energy_error, tr.plot.energies, tr.plot.virial_ratio):
        figure = new_figure(3, 3)
        draw(tmp_path / "energy.csv", ax=figure.subplots())
        save(figure, tmp_path / "a.png")
