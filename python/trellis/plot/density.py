"""Surface density: one picture, and what several share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trellis.arguments import checked_arguments, shown
from trellis.errors import InputError
from trellis.notes import warn
from trellis.plot.drawable import check_masses
from trellis.plot.figure import axes_or_new
from trellis.plot.scales import Scales, scales_of
from trellis.plot.sources import Source, fraction_of, of_type, particles_of, units_of
from trellis.plot.style import StyleName, style_of
from trellis.plot.surface import Floats, surface_density
from trellis.plot.window import Centre, Extent, window_of
from trellis.units import Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

Limits: TypeAlias = tuple[float, float]

DECADES = 4.0  # surface density is shown over at most
FAINT = 0.01  # share of the pixels with matter that may be below what is shown


@checked_arguments()
def density(
    source: Source,
    *,
    plane: str = "xy",
    centre: Centre = "box",
    half_width: float | None = None,
    type: int | None = None,  # noqa: A002
    pixels: int = 400,
    limits: Limits | None = None,
    units: Units | None = None,
    style: StyleName = "dark",
    ax: Axes | None = None,
) -> Axes:
    """Draw the surface density, with a colour bar.

    The mass of each particle is spread over the distance to its eighth neighbour, so that few particles make a smooth
    picture, too; where there are many in a pixel it is their mass over its area. With several ranks all of them draw a
    simulation, and each gets the picture of all particles.

    Parameters
    ----------
    source : Simulation, Snapshot or ParticleSet
        Particles to draw.
    plane : str
        The two axes to see, such as ``"xy"``.
    centre : str or array_like, shape (3,)
        The middle of the picture: a point, in the unit of the particles, or ``"box"``, the middle of a periodic box,
        along open axes the centre of mass; ``"mass"``, the centre of mass; ``"densest"``, where neighbours are nearest;
        ``"origin"``.
    half_width : float, optional
        Half the width of the picture; by default that of a periodic box, else the next round number within which 95 %
        of the particles are.
    type : int, optional
        Gadget's number of the type to draw, if not all.
    pixels : int
        Pixels along the longer side.
    limits : (float, float), optional
        Surface densities of the ends of the colour bar, in its unit; by default the largest, and up to four powers of
        ten less.
    units : Units, optional
        Units of the particles, in which axes and colour bar then are; those of a snapshot by default.
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
        If there is no such plane, centre, type or style, if the source is a selection, values are too large to be
        drawn, or there is no mass above 0.
    """
    if pixels < 1:
        raise InputError(f"pixels is {pixels}, but must be at least 1")
    if limits is not None and not 0 < limits[0] < limits[1] < np.inf:
        raise InputError(f"limits is {shown(limits)}, but must be two numbers above 0, the lower one first")
    particles = particles_of(source)
    if type is not None:
        particles = of_type(particles, type)
    check_masses(particles.mass)
    scales = scales_of(units or units_of(source))
    window = window_of(particles, plane, centre, half_width, scales.length)
    surface = scales.surface / fraction_of(source) * surface_density(particles, window, pixels)
    extent = window.extent(scales.length)
    with axes_or_new(ax, style) as ax:
        image = show(ax, surface, extent, limits or limits_of([bounds_of(surface)]), style)
        name_axes(ax, plane, scales)
        colour_bar(image, ax, scales)
    return ax


def show(ax: Axes, surface: Floats, extent: Extent, limits: Limits, style: StyleName) -> AxesImage:
    """Draw a surface density by the style's colours, between two limits."""
    from matplotlib.colors import LogNorm

    return ax.imshow(
        above_zero(surface),
        origin="lower",
        extent=extent,
        cmap=style_of(style).density_colours(),
        norm=LogNorm(*limits),
        interpolation="bilinear",
    )


def name_axes(ax: Axes, plane: str, scales: Scales) -> None:
    """Write beside the axes of space what they are, with room between numbers of kpc, which are long."""
    ax.set(xlabel=scales.axis(plane[0]), ylabel=scales.axis(plane[1]))
    ax.locator_params(nbins=4 if max(map(abs, ax.get_xlim())) < 1e5 else 3)


def above_zero(surface: Floats) -> Floats:
    """Surface densities of which a logarithm can be taken: empty pixels are below any limit."""
    return np.asarray(np.maximum(surface, np.finfo(np.float32).tiny))


def bounds_of(surface: Floats) -> Limits:
    """Return what leaves few of the pixels with matter below it, and the largest; infinite and 0 if all are empty."""
    some = surface[surface > 0]
    return (float(np.quantile(some, FAINT)), float(some.max())) if len(some) > 0 else (np.inf, 0.0)


def limits_of(bounds: Iterable[Limits]) -> Limits:
    """Return the ends of a colour bar for surface densities with these bounds; a note if all are empty."""
    lowest, largest = (list(each) for each in zip(*bounds, strict=True))
    high = max(largest)
    if high == 0:
        warn("no mass is in the picture: give another centre, or a larger half width")
        return 0.1, 1.0
    low = max(min(lowest), high * 10**-DECADES)
    return (low, high) if low < 0.99 * high else (0.5 * high, high)


def colour_bar(image: AxesImage, ax: Axes, scales: Scales, name: str = "") -> None:
    """Put a colour bar at the right of a panel, as high as it, with what it shows and in which unit."""
    from matplotlib.ticker import NullFormatter, NullLocator

    beside = ax.inset_axes((1.04, 0.0, 0.05, 1.0))
    quantity = f"{name} surface density".lstrip()
    bar = ax.figure.colorbar(image, cax=beside, label=f"{quantity}\n[{scales.surface_unit}]")
    bar.outline.set_visible(False)
    low, high = image.get_clim()
    beside.yaxis.set_minor_formatter(NullFormatter())
    if high < 100 * low:  # powers of ten are too few
        ticks = _ticks(low, high)
        bar.set_ticks(ticks, labels=[f"{each:g}" for each in ticks])
        beside.yaxis.set_minor_locator(NullLocator())


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two that are less than a hundredfold apart, three or more of them."""
    from matplotlib.ticker import MaxNLocator

    first = 10.0 ** np.floor(np.log10(low))
    ticks = [float(each * power * first) for power in (1, 10, 100) for each in (1, 2, 5)]
    inside = [each for each in ticks if low <= each <= high]
    return inside if len(inside) > 2 else [float(each) for each in MaxNLocator(4).tick_values(low, high)[1:-1]]
