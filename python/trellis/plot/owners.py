"""Owners of particles in colours: their site, or the rank of one site."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.errors import about
from trellis.io import read_owners, read_snapshot
from trellis.io.ids import mixed_ids
from trellis.plot.density import name_axes
from trellis.plot.figure import new_figure, save
from trellis.plot.run_files import files_in, listed
from trellis.plot.scales import Scales, scales_of
from trellis.plot.style import Style, StyleName, drawing
from trellis.plot.surface import Floats
from trellis.plot.window import Centre, Window, check_window, window_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 20_000  # points of a snapshot, at most
NAMES = 12  # beside the picture, at most
ACROSS = 4  # panels, at most


@dataclass(frozen=True)
class _Panel:
    """A snapshot as points: where they are in the plane, which of the names had each, when, and in which window."""

    positions: Floats
    numbers: NDArray[np.int64]
    names: list[str]
    time: float
    window: Window


@checked_arguments()
def owners(
    sources: str | Path | Sequence[str | Path],
    output: str | Path | None = None,
    *,
    plane: str = "xy",
    centre: Centre = "box",
    half_width: float | None = None,
    style: StyleName = "dark",
) -> Figure:
    """Draw the particles of snapshots in the colour of the site that had them, or of the rank, where there is one site.

    Of a snapshot at most 20,000 particles are drawn, chosen by a hash of their ids.

    Parameters
    ----------
    sources : str, Path, or sequence of them
        Snapshots of a run on several ranks, or its output folder, of which up to four snapshots are drawn.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    plane, centre, half_width, style
        Arguments of `density`; the half width suits all panels if it is not given.

    Raises
    ------
    ValueError
        If a snapshot does not say whose its particles were, as one that a rank alone has written does not.
    """
    check_window(plane, centre, half_width)
    panels, scales = [], Scales()
    for file in _files(sources):
        panel, scales = _panel(file, plane, centre, half_width)
        panels.append(panel)
    wide, high = (max(getattr(each.window, name) for each in panels) for name in ("half_width", "half_height"))
    across = min(len(panels), ACROSS)
    down = math.ceil(len(panels) / across)
    names = list(dict.fromkeys(name for panel in panels for name in panel.names))
    with drawing(style) as looks:
        figure = new_figure(3.4 * across + 2.2, (3.2 * high / wide + 0.6) * down)
        every = np.ravel(figure.subplots(down, across, squeeze=False))
        for empty in every[len(panels) :]:
            empty.remove()
        colours = _colours(looks, len(names))
        for ax, panel in zip(every, panels, strict=False):
            own = colours[[names.index(name) for name in panel.names]]
            _draw(ax, panel, own[panel.numbers], replace(panel.window, half_width=wide, half_height=high), scales)
        _name_colours(figure, names, colours)
    save(figure, output)
    return figure


def _files(sources: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the snapshots; those of a folder are spread over the run."""
    files = []
    for source in listed(sources):
        there = files_in(source)
        files += [there[k] for k in sorted({round(k) for k in np.linspace(0, len(there) - 1, ACROSS)})]
    return files


def _panel(file: Path, plane: str, centre: Centre | str, half_width: float | None) -> tuple[_Panel, Scales]:
    snapshot, owners = read_snapshot(file, whole=True), read_owners(file)
    particles, scales = snapshot.particles, scales_of(snapshot.units)
    with about(snapshot.path):
        window = window_of(particles, plane, centre, half_width, scales.length)
    rows = np.argsort(mixed_ids(particles.id))[:POINTS]  # in no order, so that no owner hides the others
    positions = scales.length * particles.wrapped_position()[rows][:, window.axes[:2]]
    return _Panel(positions, owners.numbers()[rows], owners.names(), snapshot.time, window), scales


def _draw(ax: Axes, panel: _Panel, colours: Floats, window: Window, scales: Scales) -> None:
    across, up = panel.positions.T
    ax.scatter(across, up, c=colours, s=max(1.0, 4000 / max(len(colours), 1)), linewidths=0)
    left, right, bottom, top = window.extent(scales.length)
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    name_axes(ax, window.plane, scales)
    ax.set_title(scales.moment(panel.time), fontsize="medium")


def _colours(looks: Style, count: int) -> Floats:
    """Return colours that are told apart; where there are more names than such, colours in the order of the names."""
    from matplotlib.colors import to_rgb

    if count <= len(looks.lines):
        return np.array([to_rgb(line) for line in looks.lines[:count]])
    return np.asarray(looks.colours_seen()(np.linspace(0, 1, count)))[:, :3]


def _name_colours(figure: Figure, names: Sequence[str], colours: Floats) -> None:
    """Write beside the panels whose colour is which; of many names some, from the first to the last."""
    from matplotlib.lines import Line2D

    shown = sorted({round(k) for k in np.linspace(0, len(names) - 1, NAMES)})
    marks = [Line2D([], [], color=tuple(colours[k]), marker="o", linestyle="", label=names[k]) for k in shown]
    figure.legend(handles=marks, loc="outside right upper")
