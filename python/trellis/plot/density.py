"""Surface density."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trellis import world
from trellis.particles import ParticleSet
from trellis.plot.drawable import check_drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from trellis.io import Snapshot
    from trellis.simulation import Simulation

AXES = "xyz"


def density(
    source: Simulation | Snapshot | ParticleSet,
    *,
    plane: str = "xy",
    half_width: float | None = None,
    pixels: int = 256,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the surface density, in powers of ten.

    With several ranks all of them draw a simulation, and each gets the picture of all particles.

    Parameters
    ----------
    source : Simulation, Snapshot or ParticleSet
        What to draw.
    plane : str
        The two axes to see, such as ``"xy"``.
    half_width : float, optional
        Half the width of the picture, about the origin, or the middle of a periodic box; by default it holds 95 %
        of the particles.
    pixels : int
        Pixels along one side.
    limits : (float, float), optional
        Logarithms of the surface densities that are drawn darkest and brightest; by default three decades and a half
        below the largest.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    particles = source if isinstance(source, ParticleSet) else source.particles
    if world.ranks() > 1 and hasattr(source, "particle_count"):  # a simulation
        particles = _of_all_ranks(particles)
    width = half_width if half_width is not None else typical_radius(particles)
    surface = surface_density(particles, plane, width, pixels)
    across, up = (middle(particles)[AXES.index(axis)] for axis in plane)
    ax = ax if ax is not None else new_axes()
    top = np.log10(surface.max()) if surface.max() > 0 else 0.0
    low, high = limits if limits is not None else (top - 3.5, top)
    ax.imshow(
        np.log10(np.maximum(surface, np.finfo(float).tiny)),  # empty pixels are below any limit
        origin="lower",
        extent=(across - width, across + width, up - width, up + width),
        vmin=low,
        vmax=high,
        cmap="inferno",
        interpolation="nearest",
    )
    ax.set(xlabel=plane[0], ylabel=plane[1])
    return ax


def _of_all_ranks(own: ParticleSet) -> ParticleSet:
    places, masses = zip(*world.gather((own.position, own.mass)), strict=True)
    everywhere = ParticleSet.from_columns(position=np.concatenate(places), mass=np.concatenate(masses))
    everywhere.box = own.box
    return everywhere


def middle(particles: ParticleSet) -> NDArray[np.float64]:
    """Middle of the periodic box; 0 along axes where space is open."""
    periodic = np.isfinite(particles.box).all(axis=0)
    return np.where(periodic, np.where(periodic, particles.box, 0.0).mean(axis=0), 0.0)


def _from_middle(particles: ParticleSet) -> NDArray[np.float64]:
    check_drawable("position", particles.position)
    return particles.wrapped_position() - middle(particles)


def surface_density(particles: ParticleSet, plane: str, half_width: float, pixels: int) -> NDArray[np.float64]:
    """Mass over area in square pixels, shape (pixels, pixels), rows along the second axis of the plane."""
    check_drawable("mass", particles.mass)
    across, up = (_from_middle(particles)[:, AXES.index(axis)] for axis in plane)
    scale = 0.5 * pixels / half_width
    column, row = ((values * scale + 0.5 * pixels) for values in (across, up))
    inside = (column >= 0) & (column < pixels) & (row >= 0) & (row < pixels)
    index = row[inside].astype(np.intp) * pixels + column[inside].astype(np.intp)
    mass = np.bincount(index, weights=particles.mass[inside], minlength=pixels * pixels)
    return np.asarray(mass.reshape(pixels, pixels) * scale**2, dtype=np.float64)


def typical_radius(particles: ParticleSet, fraction: float = 0.95) -> float:
    """Radius about the origin, or the middle of a box, within which a fraction of the particles is."""
    return float(np.quantile(np.linalg.norm(_from_middle(particles), axis=1), fraction)) or 1.0


def new_axes() -> Axes:
    """Axes in a new figure of pyplot, so that a notebook shows it."""
    from matplotlib import pyplot

    return pyplot.subplots()[1]
