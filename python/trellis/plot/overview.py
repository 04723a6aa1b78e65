"""Pictures of several panels, for files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.output.energy_log import read_energy_log
from trellis.plot.density import bounds_of, colour_bar, limits_of, name_axes, show
from trellis.plot.figure import new_figure, save
from trellis.plot.history import energies, energy_error, virial_ratio
from trellis.plot.run_files import files_in, run_in
from trellis.plot.series import Picture, Series
from trellis.plot.style import StyleName, drawing
from trellis.plot.window import Centre

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = 6
ACROSS = 4  # panels, at most
PIXELS = 400


@checked_arguments()
def overview(
    folder: str | Path,
    output: str | Path | None = None,
    *,
    plane: str = "xy",
    centre: Centre = "box",
    half_width: float | None = None,
    style: StyleName = "dark",
) -> Figure:
    """Draw a whole run: surface density at several times, a row for each type, energy error and virial ratio.

    Of gas there are energies instead of the virial ratio.

    Parameters
    ----------
    folder : str or Path
        Output folder of the run, which may be going on.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    plane, centre, half_width, style
        Arguments of `density`; the half width suits most of the panels if it is not given.

    Raises
    ------
    ValueError
        If there is no run in the folder.
    """
    run, files = run_in(folder)
    if not run.energy_log.exists():
        raise InputError(f"there is no run to draw in '{folder}'")
    chosen = [files[k] for k in sorted({round(k) for k in np.linspace(0, len(files) - 1, PANELS)})]
    series = Series(chosen, plane, centre, half_width, PIXELS)
    pictures = list(series)
    rows = len(series.kinds)
    high = rows * (2.15 * pictures[0].aspect + 0.75)
    with drawing(style):
        figure = new_figure(2.5 * PANELS, high + 3.2)
        parts = figure.add_gridspec(2, 1, height_ratios=(high, 3.2))
        above, below = parts[0].subgridspec(rows, len(chosen)), parts[1].subgridspec(1, 2)
        for row, kind in enumerate(series.kinds):
            axes = [figure.add_subplot(above[row, k]) for k in range(len(chosen))]
            _panels(axes, pictures, kind, series, style)
        energy_error(run.energy_log, units=series.units, style=style, ax=figure.add_subplot(below[0]))
        of_gas = np.any(read_energy_log(run.energy_log)["internal"] != 0)
        history = energies if of_gas else virial_ratio
        history(run.energy_log, units=series.units, style=style, ax=figure.add_subplot(below[1]))
    save(figure, output)
    return figure


@checked_arguments()
def snapshots(
    files: str | Path | Sequence[str | Path],
    output: str | Path | None = None,
    *,
    plane: str = "xy",
    centre: Centre = "box",
    half_width: float | None = None,
    style: StyleName = "dark",
) -> Figure:
    """Draw the surface density of several snapshots, on one scale; where there are several types, a row for each.

    Parameters
    ----------
    files : str, Path, or sequence of them
        Snapshots; of the output folder of a run all of them.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    plane, centre, half_width, style
        Arguments of `density`; the half width suits most of the panels if it is not given.
    """
    series = Series(files_in(files), plane, centre, half_width, PIXELS)
    pictures = list(series)
    with drawing(style):
        figure, axes = _grid(len(pictures), len(series.kinds), pictures[0].aspect)
        for kind, own in zip(series.kinds, axes, strict=True):
            _panels(own, pictures, kind, series, style)
    save(figure, output)
    return figure


def _grid(pictures: int, kinds: int, aspect: float) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure with panels for each type; those of one snapshot stand side by side, others in rows."""
    if pictures == 1 or kinds == 1:
        across = min(max(pictures, kinds), ACROSS)
        down = math.ceil(max(pictures, kinds) / across)
    else:
        across, down = pictures, kinds
    bars = across if pictures == 1 else 1
    figure = new_figure(3.4 * across + 1.4 * bars, (3.2 * aspect + 0.6) * down)
    every = list(np.ravel(figure.subplots(down, across, squeeze=False)))
    for empty in every[pictures * kinds :]:
        empty.remove()
    return figure, [every[kind * pictures : (kind + 1) * pictures] for kind in range(kinds)]


def _panels(axes: Sequence[Axes], pictures: Sequence[Picture], kind: int, series: Series, style: StyleName) -> None:
    """Draw one type with one scale of length and one of density."""
    limits = limits_of([bounds_of(picture.surfaces[kind]) for picture in pictures])
    name, several = series.names()[kind], len(pictures) > 1
    in_one_place = len({picture.extent for picture in pictures}) == 1
    for ax, picture in zip(axes, pictures, strict=True):
        image = show(ax, picture.surfaces[kind], picture.extent, limits, style)
        name_axes(ax, series.plane, series.scales)
        time = series.scales.moment(picture.time)
        ax.set_title(time if several or not name else f"{name}, {time}", fontsize="medium")
        place = ax.get_subplotspec()
        assert place is not None
        if in_one_place and not place.is_first_col():
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
        if place.is_last_col() or not several:
            colour_bar(image, ax, series.scales, name if several else "")
