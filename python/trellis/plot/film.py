"""Figures that change, as the frames of an mp4 file or a GIF."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from trellis.errors import InputError, RunError
from trellis.io.atomic import replacing
from trellis.plot.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MP4, GIF = ".mp4", ".gif"
DOTS = 120  # to an inch
GREYS = 56  # greys among a GIF's 256 colours; the others are those of densities


def default_ending() -> str:
    """Return the ending of the films that can be made here: mp4 where there is ffmpeg, else GIF."""
    return MP4 if shutil.which("ffmpeg") else GIF


def check_ending(output: Path) -> None:
    """Raise a ValueError unless a film of this name can be made here."""
    ending = output.suffix.lower()
    if ending not in (MP4, GIF):
        raise InputError(f"'{output}' must end in {MP4} or {GIF}, which says what it is")
    if ending == MP4 and default_ending() != MP4:
        raise InputError(f"'{output}' needs the program ffmpeg, which is not on the PATH: install it, or write a {GIF}")


@contextmanager
def filmed(figure: Figure, output: Path, fps: int, style: Style) -> Iterator[Callable[[], None]]:
    """Yield what takes a frame of a figure; the file appears whole or not at all.

    Raises
    ------
    RuntimeError
        If the film cannot be made to the end.
    """
    from matplotlib.animation import FFMpegWriter

    ending = output.suffix.lower()
    writer: Any = FFMpegWriter(fps=fps) if ending == MP4 else _GifWriter(fps, style)
    with TemporaryDirectory() as folder, replacing(output) as file:
        part = Path(folder) / f"film{ending}"
        try:
            writer.setup(figure, part, DOTS)
            try:
                yield lambda: writer.grab_frame(facecolor=style.page)
            finally:
                writer.finish()
        except (BrokenPipeError, CalledProcessError) as error:
            raise RunError(f"cannot write '{output}': ffmpeg has failed") from error
        with part.open("rb") as made:
            shutil.copyfileobj(made, file)


class _GifWriter:
    """Writes GIFs as matplotlib's writers write films, in the style's own colours: a fifth of the bytes of others."""

    def __init__(self, fps: int, style: Style) -> None:
        from PIL import Image

        ends = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in (style.page, style.ink)])
        greys = np.linspace(ends[0], ends[1], GREYS)
        densities = 255 * style.density_colours()(np.linspace(0, 1, 256 - GREYS))[:, :3]
        self._palette = Image.new("P", (1, 1))
        self._palette.putpalette(np.concatenate((greys, densities)).round().astype(np.uint8).tobytes())
        self._milliseconds = round(1000 / fps)
        self._frames: list[Any] = []

    def setup(self, figure: Figure, path: Path, dots: int) -> None:
        self._figure, self._path = figure, path
        figure.set_dpi(dots)

    def grab_frame(self, **_: object) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from PIL import Image

        canvas = FigureCanvasAgg(self._figure)
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        frame = Image.fromarray(pixels[:, :, :3])
        self._frames.append(frame.quantize(palette=self._palette, dither=Image.Dither.NONE))

    def finish(self) -> None:
        if self._frames:
            first, *others = self._frames
            first.save(self._path, save_all=True, append_images=others, duration=self._milliseconds, loop=0)
