"""A run as a movie: surface density at the times of the snapshots, on scales that stay the same."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import numpy as np

from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.plot.density import Limits, above_zero, bounds_of, colour_bar, limits_of, name_axes, show
from trellis.plot.figure import new_figure
from trellis.plot.film import check_ending, filmed
from trellis.plot.run_files import files_in, snapshots_done
from trellis.plot.series import Picture, Series
from trellis.plot.style import StyleName, drawing
from trellis.plot.window import Centre

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PIXELS = 400
ACROSS = 3  # panels, at most
MOST_FPS = 100  # a GIF's limit


@checked_arguments()
def movie(
    sources: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    plane: str = "xy",
    centre: Centre = "box",
    half_width: float | None = None,
    fps: int = 10,
    style: StyleName = "dark",
    progress: bool = False,
) -> int:
    """Draw the surface density of a run as a movie: a frame for each snapshot, a panel for each type of particle.

    Scales of length and density are those of the whole run. Of a run that goes on, the snapshots that are complete are
    drawn.

    Parameters
    ----------
    sources : str, Path, or sequence of them
        Output folder of the run, or snapshots in order of time.
    output : str or Path
        The file, whose name says what it is: ``.mp4``, for which the program ffmpeg must be on the PATH, or ``.gif``.
    plane, centre, half_width, style
        Arguments of `density`; the half width suits most of the run if it is not given.
    fps : int
        Frames in a second.
    progress : bool
        Show a bar of progress.

    Returns
    -------
    int
        The number of frames.

    Raises
    ------
    ValueError
        If there is no run in the folder, or no movie of this name can be made here.
    RuntimeError
        If it cannot be written to the end.
    """
    output = Path(output)
    check_ending(output)
    if not 1 <= fps <= MOST_FPS:
        raise InputError(f"fps is {fps}, but must be from 1 to {MOST_FPS}")
    files = files_in(sources)
    series = Series(files, plane, centre, half_width, PIXELS)
    with TemporaryFile() as store, drawing(style) as colours:
        with snapshots_done("reading", len(files), shown=progress) as done:
            limits, decimals = _keep(series, store, done)
        frames = _Frames(series, next(_kept(store, 1)), limits, decimals, style)
        with (
            snapshots_done("drawing", len(files), shown=progress) as done,
            filmed(frames.figure, output, fps, colours) as take,
        ):
            for picture in _kept(store, len(files)):
                frames.show(picture)
                take()
                done()
    return len(files)


def _keep(series: Series, store: IO[bytes], done: Callable[[], None]) -> tuple[dict[int, Limits], int]:
    """Keep all pictures in a file, as they may be too many for memory; return the limits of each type, and decimals.

    Two digits of the time between pictures are shown.
    """
    bounds: dict[int, list[Limits]] = {kind: [] for kind in series.kinds}
    times = []
    for picture in series:
        for kind, surface in picture.surfaces.items():
            bounds[kind].append(bounds_of(surface))
        times.append(series.scales.time * picture.time)
        pickle.dump(picture, store)
        done()
    between = np.ptp(times) / max(len(times) - 1, 1) or 1.0
    decimals = max(0, 1 - math.floor(math.log10(between)))
    return {kind: limits_of(each) for kind, each in bounds.items()}, decimals


def _kept(store: IO[bytes], count: int) -> Iterator[Picture]:
    store.seek(0)
    return (pickle.load(store) for _ in range(count))


class _Frames:
    """The figure that shows one picture after the other."""

    def __init__(
        self, series: Series, first: Picture, limits: dict[int, Limits], decimals: int, style: StyleName
    ) -> None:
        self._series, self._decimals = series, decimals
        kinds, names = series.kinds, series.names()
        across = min(len(kinds), ACROSS)
        down = -(-len(kinds) // across)
        self.figure: Figure = new_figure(5.6 * across, (3.8 * first.aspect + 0.9) * down)
        panels: list[Axes] = list(np.ravel(self.figure.subplots(down, across, squeeze=False)))
        for empty in panels[len(kinds) :]:
            empty.remove()
        self._images = {}
        for kind, ax in zip(kinds, panels, strict=False):
            self._images[kind] = show(ax, first.surfaces[kind], first.extent, limits[kind], style)
            name_axes(ax, series.plane, series.scales)
            colour_bar(self._images[kind], ax, series.scales)
            ax.set_title(names[kind], fontsize="medium")
        self._title = self.figure.suptitle(" ")
        self.show(first)
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")  # so that nothing moves from frame to frame

    def show(self, picture: Picture) -> None:
        """Draw another picture."""
        for kind, image in self._images.items():
            image.set_data(above_zero(picture.surfaces[kind]))
            image.set_extent(picture.extent)
        self._title.set_text(self._series.scales.moment(picture.time, self._decimals))
