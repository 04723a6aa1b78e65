"""Standard problems of gas beside their exact solutions: dots are particles, lines the solution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from trellis import exact, world
from trellis.config import load
from trellis.errors import InputError, about
from trellis.exact import Profile
from trellis.exact.profile import Floats
from trellis.io import read_snapshot
from trellis.particles import ParticleSet
from trellis.plot.drawable import check_drawable
from trellis.plot.figure import new_figure, save
from trellis.run.folder import OutputFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trellis.io import Snapshot
    from trellis.simulation import Simulation

Source: TypeAlias = "Simulation | Snapshot | ParticleSet"

MOST_DOTS = 20_000
LINE = 2001  # points
COLUMNS = ("velocity", "density", "internal_energy")


def shock_tube(
    source: Source, *, time: float | None = None, gamma: float = 5.0 / 3.0, output: str | Path | None = None
) -> Figure:
    """Draw Sod's shock tube, as far as the tube's ends are not felt: density, velocity, pressure, internal energy.

    With several ranks all of them draw a simulation, and each gets the figure of all particles.

    Parameters
    ----------
    source : Simulation, Snapshot or ParticleSet
        What to draw; particles have the columns `density` and `internal_energy`.
    time : float, optional
        Time since the start; that of the source by default, which a ParticleSet does not have.
    gamma : float
        Adiabatic index.
    output : str or Path, optional
        PNG file to write.

    Raises
    ------
    ValueError
        If a column or the time is missing.
    """
    now = _time(source, time)
    places, velocity, density, energy = _gas(source)
    tube = exact.riemann(gamma=gamma)
    low, high = -1.0 - tube.left_wave.outer * now, 1.0 - tube.right_wave.outer * now
    if low >= high:
        raise InputError(f"time is {now:g}, but must be less: by then the ends of the tube are felt everywhere")
    x = np.linspace(low, high, LINE)
    return _compared(
        places[:, 0],
        _profile(density, velocity[:, 0], energy, gamma),
        x,
        tube(x / now),
        ("x", "density", "velocity", "pressure", "internal energy"),
        output,
    )


def blast_wave(
    source: Source, *, time: float | None = None, gamma: float = 5.0 / 3.0, output: str | Path | None = None
) -> Figure:
    """Draw Sedov's blast wave against the radius: density, velocity, pressure; as `shock_tube` otherwise."""
    now = _time(source, time)
    blast = exact.sedov(gamma=gamma)
    radius = np.linspace(0.0, 1.5 * blast.shock_radius(now), LINE)
    return _radial(source, radius, blast(radius, now), output)


def implosion(
    source: Source, *, time: float | None = None, gamma: float = 5.0 / 3.0, output: str | Path | None = None
) -> Figure:
    """Draw Noh's implosion against the radius, out to the gas that was at the surface; as `blast_wave` otherwise."""
    now = _time(source, time)
    radius = np.linspace(0.0, 1.0 - now, LINE)
    return _radial(source, radius, exact.noh(radius, now, gamma), output)


def vortex(source: Source, *, gamma: float = 5.0 / 3.0, output: str | Path | None = None) -> Figure:
    """Draw Gresho's vortex against the distance from its axis, at any time; as `shock_tube` otherwise."""
    places, velocity, density, energy = _gas(source)
    radius = np.hypot(places[:, 0], places[:, 1])
    around = (places[:, 0] * velocity[:, 1] - places[:, 1] * velocity[:, 0]) / _above_zero(radius)
    line = np.linspace(0.0, 0.5, LINE)
    return _compared(
        radius,
        _profile(density, around, energy, gamma),
        line,
        exact.gresho(line, gamma),
        ("radius", "density", "velocity", "pressure"),
        output,
    )


def problem(folder: str | Path, output: str | Path | None = None) -> Figure:
    """Draw the last snapshot of a run that began with a problem of [ic], as the function for this problem does.

    Parameters
    ----------
    folder : str or Path
        Output folder of the run.
    output : str or Path, optional
        PNG file to write.

    Raises
    ------
    ValueError
        If there is no run in the folder, or one of something else.
    """
    run = OutputFolder(Path(folder))
    files = run.snapshots()
    if not files or not run.parameters.exists():
        raise InputError(f"there is no run to draw in '{folder}'")
    file = load(run.parameters)
    draw: dict[str, Any] = {"sod": shock_tube, "sedov": blast_wave, "noh": implosion, "gresho": vortex}
    if file.sph is None or file.ic is None or file.ic.model not in draw:
        raise InputError(
            f"the run in '{folder}' is not one of gas from a model with an exact solution: {', '.join(draw)}"
        )
    last = read_snapshot(files[-1], whole=True)
    with about(last.path):
        figure: Figure = draw[file.ic.model](last, gamma=file.sph.gamma)
    save(figure, output)
    return figure


def _radial(source: Source, line: Floats, solution: Profile, output: str | Path | None) -> Figure:
    places, velocity, density, energy = _gas(source)
    radius = np.linalg.norm(places, axis=1)
    outwards = np.einsum("ij,ij->i", places, velocity) / _above_zero(radius)
    measured = _profile(density, outwards, energy, solution.gamma)
    return _compared(radius, measured, line, solution, ("radius", "density", "velocity", "pressure"), output)


def _compared(
    places: Floats,
    measured: Profile,
    line: Floats,
    solution: Profile,
    labels: Sequence[str],
    output: str | Path | None,
) -> Figure:
    across, *quantities = labels
    inside = np.flatnonzero((places >= line[0]) & (places <= line[-1]))
    dots = inside[:: 1 + len(inside) // MOST_DOTS]
    figure = new_figure(3.4 * len(quantities), 3.2)
    for ax, quantity in zip(np.ravel(figure.subplots(1, len(quantities))), quantities, strict=True):
        name = quantity.replace(" ", "_")
        ax.plot(places[dots], getattr(measured, name)[dots], ".", ms=1.5, color="tab:blue", rasterized=True)
        ax.plot(line, getattr(solution, name), lw=1, color="black")
        ax.set(xlabel=across, ylabel=quantity, xlim=(line[0], line[-1]))
    save(figure, output)
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
