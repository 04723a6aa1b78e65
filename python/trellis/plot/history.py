"""Quantities against time: energy error, virial ratio, Lagrangian radii, rungs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trellis.arguments import checked_arguments, is_number, shown
from trellis.errors import InputError, about
from trellis.io import Snapshot, read_snapshot
from trellis.io.gadget_files import units_of
from trellis.output.energy_log import read_energy_log
from trellis.output.folder import OutputFolder
from trellis.output.rung_log import DEEPEST, read_rung_log
from trellis.particles import ParticleSet
from trellis.particles.periodic_space import mean_position, offsets_from
from trellis.paths import from_home
from trellis.plot.drawable import check_masses, drawable
from trellis.plot.figure import axes_or_new, new_figure, save
from trellis.plot.run_files import files_in
from trellis.plot.scales import Scales, scales_of
from trellis.plot.style import Style, StyleName, drawing
from trellis.plot.surface import Floats
from trellis.plot.window import without_far
from trellis.units import Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROUNDING = 1e-13  # radius over a coordinate up to which it may be a rounding error
TICKS = 12  # rungs that have a number, about


@checked_arguments()
def energy_error(
    log: str | Path, *, units: Units | None = None, style: StyleName = "dark", ax: Axes | None = None
) -> Axes:
    """Draw the relative error of the total energy against time.

    Parameters
    ----------
    log : str or Path
        The output folder of a run, or an energy log.
    units : Units, optional
        Units of the run, in which time then is shown.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    columns = read_energy_log(_log_of(log))
    scales = scales_of(units)
    with axes_or_new(ax, style) as ax:
        errors = np.abs(drawable(columns["relative_error"]))
        ax.plot(scales.time * columns["time"], errors)
        # the start, with no error, has no place on a logarithmic axis
        if np.any(errors > 0):
            ax.set_yscale("log")
        ax.set(xlabel=scales.time_axis, ylabel="|energy error|")
    return ax


@checked_arguments()
def energies(log: str | Path, *, units: Units | None = None, style: StyleName = "dark", ax: Axes | None = None) -> Axes:
    """Draw kinetic, potential, external, internal and total energy against time, but for those that are always 0.

    Parameters, result and errors are those of `energy_error`.
    """
    columns = read_energy_log(_log_of(log))
    scales = scales_of(units)
    with axes_or_new(ax, style) as ax:
        for name in ("kinetic", "potential", "external", "internal", "total"):
            if np.any(columns[name] != 0):
                ax.plot(scales.time * columns["time"], drawable(columns[name]), label=name)
        ax.set(xlabel=scales.time_axis, ylabel="energy")
        ax.legend(fontsize="small")
    return ax


@checked_arguments()
def virial_ratio(
    log: str | Path, *, units: Units | None = None, style: StyleName = "dark", ax: Axes | None = None
) -> Axes:
    """Draw the virial ratio 2T/|W| against time; it is 1 in equilibrium.

    Parameters, result and errors are those of `energy_error`.
    """
    columns = read_energy_log(_log_of(log))
    scales = scales_of(units)
    with axes_or_new(ax, style) as ax:
        ax.plot(scales.time * columns["time"], drawable(columns["virial_ratio"]))
        ax.axhline(1.0, color="grey", lw=1, zorder=0)
        ax.set(xlabel=scales.time_axis, ylabel="virial ratio 2T/|W|")
    return ax


@checked_arguments()
def lagrangian_radii(
    files: str | Path | Snapshot | Iterable[str | Path | Snapshot],
    *,
    fractions: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9),
    style: StyleName = "dark",
    ax: Axes | None = None,
) -> Axes:
    """Draw the radii, about the centre of mass, that hold fractions of the mass, against time.

    In a periodic box, the images nearest to the centre count.

    Parameters
    ----------
    files : str, Path, Snapshot, or iterable of them
        Output folder of a run, or snapshots in order of time.
    fractions : sequence of float
        Fractions of the mass, above 0 and at most 1.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.

    Raises
    ------
    ValueError
        If there is no snapshot, no fraction or one out of its range, no mass, or all of it in one place.
    """
    _check_fractions(fractions)
    scales = scales_of(None)
    times, radii = [], []
    for snapshot in _read(files):
        scales = scales_of(snapshot.units)
        times.append(scales.time * snapshot.time)
        with about(snapshot.path):
            check_masses(snapshot.particles.mass)
            radii.append([scales.length * radius for radius in _mass_radii(snapshot.particles, fractions)])
    if not times:
        raise InputError("files is empty, but must have at least one snapshot")
    with axes_or_new(ax, style) as ax:
        for fraction, line in zip(fractions, np.transpose(radii), strict=True):
            ax.plot(times, line, label=f"{100 * fraction:g} %")
        ax.set(xlabel=scales.time_axis, ylabel=scales.axis("Lagrangian radius"), yscale="log")
        ax.legend(fontsize="small", title="of the mass")
    return ax


@checked_arguments()
def rungs(folder: str | Path, output: str | Path | None = None, *, style: StyleName = "dark") -> Figure:
    """Draw the particles of each rung against time, and the updates of a longest step.

    Below, the updates are compared with those of one step for all: the longest one, and that of the deepest rung.

    Parameters
    ----------
    folder : str or Path
        Output folder of a run with individual time steps, which may be going on.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    style : str
        ``"dark"`` or ``"light"``.

    Raises
    ------
    ValueError
        If there is no such run in the folder, or it has not taken a step yet.
    """
    run = OutputFolder(from_home(folder))
    if not run.rung_log.exists():
        raise InputError(
            f"there are no rungs to draw in '{folder}': allowed is the output folder of a run with [steps], individual"
            " time steps"
        )
    log = read_rung_log(run.rung_log)
    if len(log["step"]) == 0:
        raise InputError(f"there are no rungs to draw in '{folder}': the run has not taken a step yet")
    snapshots = run.snapshots()
    scales = scales_of(units_of(snapshots[0]) if snapshots else None)
    counts = np.array([log[f"rung_{rung}"] for rung in range(DEEPEST + 1)])
    edges = scales.time * np.append(log["begin"], log["end"][-1])
    with drawing(style) as looks:
        figure = new_figure(9.0, 6.4)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _draw_particles(above, edges, counts, looks)
        _draw_updates(below, edges, counts, log["updates"], scales)
        above.tick_params(labelbottom=False)
    save(figure, output)
    return figure


def _check_fractions(fractions: Sequence[float]) -> None:
    if not isinstance(fractions, Iterable):
        raise InputError(f"fractions is {shown(fractions)}, but must be a list of numbers above 0 and at most 1")
    given = list(fractions)
    wrong = [each for each in given if not (is_number(each) and 0 < each <= 1)]
    if wrong or not given:
        what = f"has {shown(wrong[0])}" if wrong else "is empty"
        raise InputError(f"fractions {what}, but must have numbers above 0 and at most 1")


def _read(files: str | Path | Snapshot | Iterable[str | Path | Snapshot]) -> Iterator[Snapshot]:
    alone = isinstance(files, str | Path | Snapshot | ParticleSet) or not isinstance(files, Iterable)
    several: Any = [files] if alone else files
    for given in several:
        if isinstance(given, Snapshot):
            yield given
        else:
            yield from (read_snapshot(file, whole=True) for file in files_in(given))


def _mass_radii(particles: ParticleSet, fractions: Sequence[float]) -> list[float]:
    if not np.isfinite(particles.box).all():
        particles = without_far(particles)
    mass, position, box = particles.mass, particles.position, particles.box
    radius = np.linalg.norm(offsets_from(mean_position(position, mass, box), position, box), axis=1)
    order = np.argsort(radius)
    within = np.cumsum(mass[order])
    found = [float(radius[order[np.searchsorted(within, fraction * within[-1])]]) for fraction in fractions]
    if not max(found) > ROUNDING * np.abs(position).max():
        raise InputError("all mass is in one place: there is no radius above 0")
    return found


def _log_of(path: str | Path) -> Path:
    """Return the energy log of an output folder, or the log itself."""
    given = from_home(path)
    return OutputFolder(given).energy_log if given.is_dir() else given


def _draw_particles(ax: Axes, edges: Floats, counts: Floats, looks: Style) -> None:
    """Draw the number of particles of each rung by colours."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    most = int(np.flatnonzero(counts.any(axis=1))[-1])
    shown = np.ma.masked_equal(counts[: most + 1], 0)
    high = max(float(counts.max()), 10.0)
    image = ax.pcolormesh(
        edges, np.arange(most + 2) - 0.5, shown, cmap=looks.colours_seen(), norm=LogNorm(1, high), rasterized=True
    )
    beside = ax.inset_axes((1.02, 0.0, 0.025, 1.0))
    ax.figure.colorbar(image, cax=beside, label="particles").outline.set_visible(False)
    ax.yaxis.set_major_locator(MaxNLocator(TICKS, integer=True))
    ax.set(ylabel="rung (step: longest / 2$^{rung}$)")


def _draw_updates(ax: Axes, edges: Floats, counts: Floats, updates: Floats, scales: Scales) -> None:
    """Draw the updates of each longest step, between those of the longest and of the shortest step for all."""
    particles = counts.sum(axis=0)
    deepest = np.array([np.flatnonzero(each)[-1] if each.any() else 0 for each in counts.T])
    for values, label in (
        (particles * 2.0**deepest, "shortest step for all"),
        (updates, "individual steps"),
        (particles, "longest step for all"),
    ):
        ax.stairs(values, edges, baseline=None, label=label, lw=1.5)
    ax.set(xlabel=scales.time_axis, ylabel="updates in a longest step", yscale="log")
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
