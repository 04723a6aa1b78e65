from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot
from trellis.plot.density import surface_density
from trellis.plot.figure import new_figure, save
from trellis.run.energy_log import HEADING
from trellis.run.job import Job


def test_surface_density_has_the_mass_in_its_place() -> None:
    particles = tr.ParticleSet.from_columns(position=[[0.6, -0.9, 5.0], [-3.0, 0.0, 0.0]], mass=[2.0, 1.0])
    surface = surface_density(particles, "xy", half_width=1.0, pixels=4)
    assert surface[0, 3] == 2.0 / 0.5**2
    assert surface.sum() == surface[0, 3]  # the other one is outside
    assert surface_density(particles, "zx", half_width=8.0, pixels=8).sum() == pytest.approx(3.0 / 2.0**2)


def test_density_of_a_simulation_a_snapshot_and_particles(tmp_path: Path) -> None:
    particles = tr.ic.plummer(500)
    sim = tr.Simulation(particles, [tr.Gravity(softening=0.1)], 0.01)
    write_snapshot(tmp_path / "a.hdf5", particles)
    for source in (particles, sim, read_snapshot(tmp_path / "a.hdf5")):
        ax = tr.plot.density(source, plane="xz", half_width=2.0)
        assert isinstance(ax, Axes)
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim()) == ("x", "z", (-2.0, 2.0))


def test_density_of_particles_in_one_place() -> None:
    assert tr.plot.density(tr.ParticleSet.from_columns(position=np.zeros((3, 3)), mass=0.0)).get_xlim() == (-1, 1)


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
    job = Job(load(parameter_file))
    job.run()
    error = tr.plot.energy_error(job.folder.energy_log)
    assert len(error.get_lines()[0].get_xdata()) == 41
    virial = tr.plot.virial_ratio(job.folder.energy_log)
    assert virial.get_lines()[0].get_ydata()[0] == pytest.approx(0.3, abs=0.1)
    figure = tr.plot.overview(job.folder.path)
    panels = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title() for ax in panels] == [f"t = {t:g}" for t in (0, 0.2, 0.3, 0.5, 0.6, 0.8)]
    assert len({ax.images[0].get_clim() for ax in panels}) == 1
    assert job.folder.overview.read_bytes().startswith(b"\x89PNG")


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
    values = [["0", "0", *["1.7e308"] * 13], ["1", "0.1", *["-1.7e308"] * 13], ["2", "0.2", *["inf"] * 13]]
    (tmp_path / "energy.csv").write_text("\n".join([HEADING, *(",".join(line) for line in values), ""]))
    for draw in (tr.plot.energy_error, tr.plot.energies, tr.plot.virial_ratio):
        figure = new_figure(3, 3)
        draw(tmp_path / "energy.csv", ax=figure.subplots())
        save(figure, tmp_path / "a.png")
