"""Standard problems of gas beside their exact solutions: dots are particles, lines the solution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import trellis.exact as exact
from trellis.arguments import checked_arguments
from trellis.config import load
from trellis.errors import InputError, about
from trellis.exact import Profile
from trellis.exact.profile import Floats
from trellis.io import read_snapshot
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.plot.drawable import check_drawable
from trellis.plot.figure import new_figure, save
from trellis.plot.run_files import run_in
from trellis.plot.sources import Source
from trellis.plot.style import StyleName, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DOTS = 20_000
LINE = 2001  # points
COLUMNS = ("velocity", "density", "internal_energy")


@checked_arguments()
def shock_tube(
    source: Source,
    *,
    time: float | None = None,
    gamma: float = 5.0 / 3.0,
    style: StyleName = "dark",
    output: str | Path | None = None,
) -> Figure:
    """Draw Sod's shock tube, as far as the tube's ends are not felt: density, velocity, pressure, internal energy.

    With several ranks all of them draw a simulation, and each gets the figure of all particles.

    Parameters
    ----------
    source : Simulation, Snapshot or ParticleSet
        Particles to draw, with the columns `density` and `internal_energy`.
    time : float, optional
        Time since the start; that of the source by default, which a ParticleSet does not have.
    gamma : float
        Adiabatic index.
    style : str
        ``"dark"`` or ``"light"``.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.

    Raises
    ------
    ValueError
        If a column or the time is missing.
    """
    now = _time(source, time)
    positions, velocity, density, energy = _gas(source)
    tube = exact.riemann(gamma=gamma)
    low, high = -1.0 - tube.left_wave.outer * now, 1.0 - tube.right_wave.outer * now
    if low >= high:
        raise InputError(f"time is {now:g}, but must be less: by then the ends of the tube are felt everywhere")
    x = np.linspace(low, high, LINE)
    figure = _compared(
        f"Sod's shock tube, t = {now:.3g}",
        positions[:, 0],
        _profile(density, velocity[:, 0], energy, gamma),
        x,
        tube(x / now),
        ("x", "density", "velocity", "pressure", "internal energy"),
        style,
    )
    save(figure, output)
    return figure


@checked_arguments()
def blast_wave(
    source: Source,
    *,
    time: float | None = None,
    gamma: float = 5.0 / 3.0,
    style: StyleName = "dark",
    output: str | Path | None = None,
) -> Figure:
    """Draw Sedov's blast wave against the radius: density, velocity, pressure; as `shock_tube` otherwise."""
    now = _time(source, time)
    blast = exact.sedov(gamma=gamma)
    radius = np.linspace(0.0, 1.5 * blast.shock_radius(now), LINE)
    figure = _radial(f"Sedov's blast wave, t = {now:.3g}", source, radius, blast(radius, now), style)
    save(figure, output)
    return figure


@checked_arguments()
def implosion(
    source: Source,
    *,
    time: float | None = None,
    gamma: float = 5.0 / 3.0,
    style: StyleName = "dark",
    output: str | Path | None = None,
) -> Figure:
    """Draw Noh's implosion against the radius, out to the gas that was at the surface; as `blast_wave` otherwise."""
    now = _time(source, time)
    radius = np.linspace(0.0, 1.0 - now, LINE)
    figure = _radial(f"Noh's implosion, t = {now:.3g}", source, radius, exact.noh(radius, now, gamma), style)
    save(figure, output)
    return figure


@checked_arguments()
def vortex(
    source: Source,
    *,
    time: float | None = None,
    gamma: float = 5.0 / 3.0,
    style: StyleName = "dark",
    output: str | Path | None = None,
) -> Figure:
    """Draw Gresho's vortex against the distance from its axis; it is the same at any time.

    The time is that in the title, if there is one; otherwise as `shock_tube`.
    """
    now = time if time is not None or isinstance(source, ParticleSet) else source.time
    positions, velocity, density, energy = _gas(source)
    radius = np.hypot(positions[:, 0], positions[:, 1])
    around = (positions[:, 0] * velocity[:, 1] - positions[:, 1] * velocity[:, 0]) / _above_zero(radius)
    line = np.linspace(0.0, 0.5, LINE)
    figure = _compared(
        "Gresho's vortex" + (f", t = {now:.3g}" if now is not None else ""),
        radius,
        _profile(density, around, energy, gamma),
        line,
        exact.gresho(line, gamma),
        ("radius", "density", "velocity", "pressure"),
        style,
    )
    save(figure, output)
    return figure


@checked_arguments()
def problem(folder: str | Path, output: str | Path | None = None, *, style: StyleName = "dark") -> Figure:
    """Draw the last snapshot of a run that began with a problem of [ic], as the function for this problem does.

    Parameters
    ----------
    folder : str or Path
        Output folder of the run.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    style : str
        ``"dark"`` or ``"light"``.

    Raises
    ------
    ValueError
        If there is no run in the folder, or one of something else.
    """
    run, files = run_in(folder)
    if not run.parameters.exists():
        raise InputError(f"there is no run to draw in '{folder}'")
    file = load(run.parameters)
    draw: dict[str, Any] = {"sod": shock_tube, "sedov": blast_wave, "noh": implosion, "gresho": vortex}
    if file.sph is None or file.ic is None or file.ic.model not in draw:
        raise InputError(
            f"the run in '{folder}' is not one of gas from a model with an exact solution: {', '.join(draw)}"
        )
    if file.sph.sound_speed is not None:
        raise InputError(
            f"the gas of the run in '{folder}' is isothermal (sph.sound_speed): exact solutions are of gamma"
        )
    last = read_snapshot(files[-1], whole=True)
    with about(last.path):
        figure: Figure = draw[file.ic.model](last, gamma=file.sph.gamma, style=style)
    save(figure, output)
    return figure


def _radial(title: str, source: Source, line: Floats, solution: Profile, style: StyleName) -> Figure:
    positions, velocity, density, energy = _gas(source)
    radius = np.linalg.norm(positions, axis=1)
    outwards = np.einsum("ij,ij->i", positions, velocity) / _above_zero(radius)
    measured = _profile(density, outwards, energy, solution.gamma)
    return _compared(title, radius, measured, line, solution, ("radius", "density", "velocity", "pressure"), style)


def _compared(
    title: str,
    positions: Floats,
    measured: Profile,
    line: Floats,
    solution: Profile,
    labels: Sequence[str],
    style: StyleName,
) -> Figure:
    across, *quantities = labels
    inside = np.flatnonzero((positions >= line[0]) & (positions <= line[-1]))
    dots = inside[:: 1 + len(inside) // MOST_DOTS]
    with drawing(style) as colours:
        figure = new_figure(3.6 * len(quantities), 4.0)
        for ax, quantity in zip(np.ravel(figure.subplots(1, len(quantities))), quantities, strict=True):
            name = quantity.replace(" ", "_")
            ax.plot(positions[dots], getattr(measured, name)[dots], ".", ms=2, rasterized=True, label="particles")
            ax.plot(line, getattr(solution, name), lw=1.2, color=colours.ink, label="exact solution")
            ax.set(xlabel=across, ylabel=quantity, xlim=(line[0], line[-1]))
        figure.suptitle(title)
        figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, markerscale=5)
    return figure


def _time(source: Source, time: float | None) -> float:
    now = getattr(source, "time", None) if time is None and not isinstance(source, ParticleSet) else time
    if now is None or not now > 0:
        raise InputError(f"time is {now}, but must be above 0: the solution is that of a later time")
    return float(now)


def _gas(source: Source) -> list[Floats]:
    """Positions, velocities, densities and internal energies."""
    particles = source if isinstance(source, ParticleSet) else source.particles
    for name in COLUMNS:
        if name not in particles.field_names:
            raise InputError(f"the particles have no column '{name}', which is to be drawn")
    own = [particles.wrapped_position(), *(particles.column(name) for name in COLUMNS)]
    if world.ranks() > 1 and hasattr(source, "particle_count"):  # a simulation
        own = [np.concatenate(column) for column in zip(*world.gather(own), strict=True)]
    for name, column in zip(("position", *COLUMNS), own, strict=True):
        check_drawable(name, column)
    return own


def _profile(density: Floats, velocity: Floats, energy: Floats, gamma: float) -> Profile:
    return Profile(density, velocity, (gamma - 1.0) * density * energy, gamma)


def _above_zero(radius: Floats) -> Floats:
    return np.maximum(radius, np.finfo(float).tiny)
