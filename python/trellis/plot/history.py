"""Quantities against time: energy error, virial ratio, Lagrangian radii."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trellis.arguments import checked_arguments, is_number, shown
from trellis.errors import InputError, about
from trellis.io import Snapshot, read_snapshot
from trellis.output.energy_log import read_energy_log
from trellis.particles import ParticleSet
from trellis.particles.periodic_space import mean_position, offsets_from
from trellis.plot.drawable import check_masses, drawable
from trellis.plot.figure import axes_or_new
from trellis.plot.run_files import files_in
from trellis.plot.scales import scales_of
from trellis.plot.style import StyleName
from trellis.plot.window import without_far
from trellis.units import Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-13  # radius over a coordinate up to which it may be a rounding error


@checked_arguments()
def energy_error(
    log: str | Path, *, units: Units | None = None, style: StyleName = "dark", ax: Axes | None = None
) -> Axes:
    """Draw the relative error of the total energy against time.

    Parameters
    ----------
    log : str or Path
        An energy log.
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
    columns = read_energy_log(log)
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
    columns = read_energy_log(log)
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
    columns = read_energy_log(log)
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
