"""Matter of an expanding space: its density, its power spectrum, and how many halos there are of which mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import trellis.analysis as analysis
from trellis.analysis import HaloCatalogue, MassFunction, PowerSpectrum
from trellis.analysis.particle_input import lengths_from_box
from trellis.arguments import checked_arguments
from trellis.cosmology import LinearPower, halo_abundance
from trellis.notes import warn
from trellis.particles.periodic_space import nearest_image
from trellis.plot.density import name_axes
from trellis.plot.drawable import check_masses
from trellis.plot.figure import axes_or_new
from trellis.plot.scales import scales_of
from trellis.plot.sources import Source, particles_of, units_of
from trellis.plot.style import StyleName, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

RANGE = (0.1, 100.0)  # contrast of projected density that is shown, at most
CELLS = (64, 1024)  # cells along each axis of a picture, at least and at most
POINTS = 200  # points of a line
FAINTEST = 0.1  # share of a power down to which the band of its error reaches at most


@checked_arguments()
def projected_density(
    source: Source,
    *,
    plane: str = "xy",
    depth: float = 0.1,
    cells: int | None = None,
    halos: HaloCatalogue | None = None,
    style: StyleName = "dark",
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of a slice of a periodic box, over the mean one, with a colour bar.

    Parameters
    ----------
    source : Simulation, Snapshot or ParticleSet
        Particles to draw.
    plane : str
        The axes across and up, such as ``"xy"``.
    depth : float
        Thickness of the slice over that of the box.
    cells : int, optional
        Points along each axis; by default as many as a lattice of the particles has along two of its sides, 64 to 1024.
    halos : HaloCatalogue, optional
        Halos, of which those in the slice are circles with their radii r200c.
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
        If the box is not periodic along all axes, an argument is out of its range, or there is no mass above 0.
    """
    from matplotlib.colors import LogNorm

    particles = particles_of(source)
    check_masses(particles.mass)
    points = cells or int(np.clip(2 * round(np.cbrt(len(particles))), *CELLS))
    surface = analysis.projected_density(particles, points, plane=plane, depth=depth)
    if not surface.any():
        warn(f"no mass is in the slice: give a depth above {depth:g}")
    contrast = surface / (surface.mean() or 1.0)
    scales = scales_of(units_of(source))
    across, up = ("xyz".index(axis) for axis in plane)
    low, high = particles.box * scales.length
    with axes_or_new(ax, style) as ax:
        image = ax.imshow(
            np.maximum(contrast, RANGE[0]),
            origin="lower",
            extent=(low[across], high[across], low[up], high[up]),
            cmap=style_of(style).density_colours(),
            norm=LogNorm(*RANGE),
            interpolation="bilinear",
        )
        name_axes(ax, plane, scales)
        ax.figure.colorbar(image, ax=ax, label="density over the mean", fraction=0.046, pad=0.04)
        if halos is not None:
            _circles(ax, halos, (across, up), depth, scales.length, style_of(style).ink)
    return ax


def _circles(ax: Axes, halos: HaloCatalogue, plane: tuple[int, int], depth: float, unit: float, colour: str) -> None:
    from matplotlib.patches import Circle

    sides = lengths_from_box(halos.box, "a picture of halos")
    sight = 3 - sum(plane)
    from_middle = nearest_image(halos.centre - halos.box.mean(axis=0), sides)[:, sight]
    for k in np.flatnonzero((np.abs(from_middle) <= 0.5 * depth * sides[sight]) & (halos.radius_200c > 0)):
        place = unit * halos.centre[k, list(plane)]
        ax.add_patch(Circle(tuple(place), unit * halos.radius_200c[k], fill=False, lw=0.6, ec=colour))


@checked_arguments()
def power_spectrum(
    found: PowerSpectrum,
    *,
    linear: LinearPower | None = None,
    a: float = 1.0,
    label: str = "measured",
    style: StyleName = "dark",
    ax: Axes | None = None,
) -> Axes:
    """Draw a power spectrum, with a band of the scatter of a Gaussian field in so few waves.

    Parameters
    ----------
    found : PowerSpectrum
        The measured values, in the particles' units.
    linear : LinearPower, optional
        The linear power, drawn as a broken line; k is then in h/Mpc, and P in (Mpc/h)^3.
    a : float
        Scale factor of what was measured.
    label : str
        Its label.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on, which may have other curves; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    unit = 1.0 if linear is None else linear.megaparsec
    k, power, error = found.k * unit, found.power / unit**3, found.error / unit**3
    positive = power > 0
    with axes_or_new(ax, style) as ax:
        (line,) = ax.loglog(k[positive], power[positive], label=label)
        band = np.maximum(power - error, FAINTEST * power)[positive], (power + error)[positive]
        ax.fill_between(k[positive], *band, color=line.get_color(), alpha=0.35, lw=0)
        if linear is not None:
            at = np.geomspace(found.k[0], found.k[-1], POINTS)
            theory = ax.plot(at * unit, linear(at, a) / unit**3, ls="--", lw=1, color=line.get_color())
            _name_once(ax, theory[0], "linear theory")
        if found.shot_noise > 0:
            noise = ax.axhline(found.shot_noise / unit**3, ls=":", lw=1, color=style_of(style).faint)
            _name_once(ax, noise, "shot noise")
        in_h = linear is not None
        ax.set(
            xlabel="k [h / Mpc]" if in_h else "k [1 / length]",
            ylabel=r"P(k) [(Mpc / h)$^3$]" if in_h else r"P(k) [length$^3$]",
        )
        ax.legend(fontsize="small")
    return ax


def _name_once(ax: Axes, line: Line2D, name: str) -> None:
    """Name a line in the legend, unless another has that name: spectra of several times share it."""
    if name not in ax.get_legend_handles_labels()[1]:
        line.set_label(name)


@checked_arguments()
def mass_function(
    found: MassFunction,
    *,
    linear: LinearPower | None = None,
    a: float = 1.0,
    fit: str = "watson-2013",
    style: StyleName = "dark",
    ax: Axes | None = None,
) -> Axes:
    """Draw how many halos there are of which mass, with errors of Poisson.

    Parameters
    ----------
    found : MassFunction
        The measured values, in the particles' units.
    linear : LinearPower, optional
        The linear power, from which a fit says how many there are to be: a line. Masses are then in solar masses over
        h, and volumes in (Mpc/h)^3.
    a : float
        Scale factor of what was measured.
    fit : str
        See `trellis.cosmology.halo_abundance`.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    mass_unit, volume = (1.0, 1.0) if linear is None else (linear.solar_mass, linear.megaparsec**3)
    some = found.halos > 0
    with axes_or_new(ax, style) as ax:
        ax.errorbar(
            found.mass[some] / mass_unit,
            found.dn_dlnM[some] * volume,
            found.error[some] * volume,
            fmt="o",
            ms=4,
            label="friends of friends",
        )
        if linear is not None:
            at = np.geomspace(found.edges[0], found.edges[-1], POINTS)
            ax.plot(at / mass_unit, halo_abundance(linear, at, a, fit=fit) * volume, label=_names(fit), zorder=1)
        ax.set(
            xscale="log",
            yscale="log",
            xlabel="mass" if linear is None else r"mass [M$_\odot$ / h]",
            ylabel=r"dn / d ln M" + (" [1 / length$^3$]" if linear is None else r" [(h / Mpc)$^3$]"),
        )
        ax.legend(fontsize="small")
    return ax


def _names(fit: str) -> str:
    authors, year = fit.split("-")
    return f"{authors.capitalize()} et al. ({year})"
