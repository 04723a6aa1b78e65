"""A run as a page for a browser: particles in space with a slider in time, energy and virial ratio beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from trellis.arguments import checked_arguments
from trellis.errors import InputError, about
from trellis.io import read_snapshot
from trellis.io.atomic import write_text
from trellis.io.ids import mixed_ids
from trellis.output.energy_log import read_energy_log
from trellis.plot.drawable import check_drawable
from trellis.plot.page import Frame, check_plotly, page
from trellis.plot.run_files import files_in, run_of, snapshots_done
from trellis.plot.scales import Scales, scales_of
from trellis.plot.sources import TYPE, types_of
from trellis.plot.style import StyleName, style_of
from trellis.plot.window import Floats, centre_of, rounded_up, typical_radius, without_far

MOST_FRAMES = 100
MOST_POINTS = 100_000


@checked_arguments()
def view(
    sources: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    points: int = 10_000,
    style: StyleName = "dark",
    progress: bool = False,
) -> int:
    """Write a page that shows a run: particles in space by type, a slider in time, energy error and virial ratio.

    The page needs no other file and no network. It has at most 100 of the snapshots, and of each the same particles,
    chosen by a hash of their ids. It needs the package plotly.

    Parameters
    ----------
    sources : str, Path, or sequence of them
        Output folder of the run, which may be going on; or snapshots in order of time, without energies beside them.
    output : str or Path
        The page, an HTML file.
    points : int
        Largest number of particles shown, up to 100,000.
    style : str
        ``"dark"`` or ``"light"``.
    progress : bool
        Show a bar of progress.

    Returns
    -------
    int
        The number of snapshots in the page.

    Raises
    ------
    ValueError
        If there is no run in the folder.
    RuntimeError
        If there is no package plotly, or the page cannot be written to the end.
    """
    style_of(style)
    if not 1 <= points <= MOST_POINTS:
        raise InputError(f"points is {points}, but must be from 1 to {MOST_POINTS:,}")
    check_plotly()
    files, run = files_in(sources), run_of(sources)
    if run is not None and not run.energy_log.exists():
        raise InputError(f"there is no run to draw in '{run.path}'")
    chosen = [files[k] for k in sorted({round(k) for k in np.linspace(0, len(files) - 1, MOST_FRAMES)})]
    with snapshots_done("reading", len(chosen), shown=progress) as done:
        frames, middle, half_width, scales = _frames(chosen, points, done)
    left_out = f", {len(chosen)} of {len(files)} snapshots" if len(chosen) < len(files) else ""
    name = files[0].stem if run is None else run.path.resolve().name
    log = {} if run is None else read_energy_log(run.energy_log)
    title = f"{name}: {_count(frames, left_out)}"
    write_text(Path(output), page(title, frames, middle, half_width, scales, log, style_of(style)))
    return len(chosen)


def _count(frames: Sequence[Frame], left_out: str) -> str:
    """Return how many of the particles are shown."""
    total = max(frame.total for frame in frames)
    shown = max(sum(map(len, frame.positions.values())) for frame in frames)
    some = f", of which {shown:,} are shown, chosen by a hash of their ids" if shown < total else ""
    return f"{total:,} particles{some}{left_out}"


def _frames(files: Sequence[Path], points: int, done: Callable[[], None]) -> tuple[list[Frame], Floats, float, Scales]:
    """Return what is seen, the middle and half the width of space that suits most of it, and how it is shown."""
    frames, middles, widths, scales = [], [], [], Scales()
    for file in files:
        snapshot = read_snapshot(file, whole=True)
        particles, scales = snapshot.particles, scales_of(snapshot.units)
        with about(snapshot.path):
            check_drawable("position", particles.position)
            near = without_far(particles)
            middle = centre_of(near, "box")
        widths.append(typical_radius(near, middle))
        middles.append(scales.length * np.where(np.isfinite(near.box[0]), middle, np.median(near.position, axis=0)))
        rows = np.argsort(mixed_ids(particles.id))[:points]
        kinds, positions = particles.column(TYPE)[rows], scales.length * particles.wrapped_position()[rows]
        frames.append(
            Frame(
                scales.time * snapshot.time,
                {kind: positions[kinds == kind].astype(np.float32) for kind in types_of(particles)},
                len(particles),
            )
        )
        done()
    return frames, middles[0], rounded_up(scales.length * sorted(widths)[3 * len(widths) // 4]), scales
