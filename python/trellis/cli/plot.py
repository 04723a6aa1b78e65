"""``trellis plot``, ``trellis movie`` and ``trellis view``."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import trellis.plot as pictures
from trellis.cli.output import Overwrite, output_file
from trellis.output.folder import OutputFolder
from trellis.parallel import world
from trellis.paths import from_home
from trellis.plot.figure import kind_of
from trellis.plot.film import default_ending

Sources = Annotated[
    list[Path], typer.Argument(help="Output folder of a run, which may be going on, or snapshots in order of time.")
]
Plane = Annotated[str, typer.Option(help="The two axes to see: xy, xz, yz, ...")]
Centre = Annotated[
    str,
    typer.Option(help="What is in the middle: box (of a periodic box; else as mass), mass, densest or origin."),
]
HalfWidth = Annotated[
    float | None,
    typer.Option(help="Half the width of a picture, in the particles' unit; else what suits most of them."),
]
Style = Annotated[str, typer.Option(help="dark, for slides, or light, for paper.")]


def plot(
    sources: Sources,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="The last snapshot of a run of a standard problem beside its exact solution."),
    ] = False,
    cosmology: Annotated[
        bool,
        typer.Option("--cosmology", help="Expanding space: slices, power spectra, and the mass function of halos."),
    ] = False,
    owners: Annotated[
        bool,
        typer.Option("--owners", help="Particles by the site that had them; by the rank where there is one site."),
    ] = False,
    rungs: Annotated[
        bool,
        typer.Option("--rungs", help="Individual time steps: the particles of each rung, and updates, against time."),
    ] = False,
    plane: Plane = "xy",
    centre: Centre = "box",
    half_width: HalfWidth = None,
    style: Style = "dark",
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .png, .pdf or .svg.")] = Path(
        "trellis.png"
    ),
    overwrite: Overwrite = False,
) -> None:
    """Draw snapshots (surface density), a run, one beside an exact solution or linear theory, sites, or rungs."""
    if world.rank() > 0:
        return
    sources = [from_home(source) for source in sources]
    output = output_file(output, overwrite=overwrite, inputs=list(_files(sources)))
    kind_of(output)  # before anything is drawn
    looks: dict[str, Any] = {"plane": plane, "centre": centre, "half_width": half_width, "style": style}
    if exact:
        pictures.problem(sources[0], output, style=looks["style"])
    elif cosmology:
        pictures.cosmology_overview(sources, output, plane=plane, style=looks["style"])
    elif owners:
        pictures.owners(sources, output, **looks)
    elif rungs:
        pictures.rungs(sources[0], output, style=looks["style"])
    elif len(sources) == 1 and sources[0].is_dir():
        pictures.overview(sources[0], output, **looks)
    else:
        pictures.snapshots(sources, output, **looks)
    typer.echo(f"'{output}' written")


def movie(
    sources: Sources,
    plane: Plane = "xy",
    centre: Centre = "box",
    half_width: HalfWidth = None,
    fps: Annotated[int, typer.Option(help="Frames in a second.")] = 10,
    style: Style = "dark",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write, .mp4 or .gif; by default trellis.mp4, or trellis.gif where there is no ffmpeg.",
            show_default=False,
        ),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Draw a run as a movie: surface density, a frame for each snapshot, a panel for each type of particle."""
    if world.rank() > 0:
        return
    sources = [from_home(source) for source in sources]
    path = output_file(output or Path(f"trellis{default_ending()}"), overwrite=overwrite, inputs=list(_files(sources)))
    looks: dict[str, Any] = {"plane": plane, "centre": centre, "half_width": half_width, "style": style}
    frames = pictures.movie(sources, path, fps=fps, progress=True, **looks)
    typer.echo(f"'{path}' written: {frames} frames, {frames / fps:.3g} s")


def view(
    sources: Sources,
    points: Annotated[int, typer.Option(help="Particles that are shown at most.")] = 10_000,
    style: Style = "dark",
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("trellis.html"),
    overwrite: Overwrite = False,
) -> None:
    """Write a page that shows a run in a browser: particles in space, a slider in time, energy, virial ratio."""
    if world.rank() > 0:
        return
    sources = [from_home(source) for source in sources]
    path = output_file(output, overwrite=overwrite, inputs=list(_files(sources)))
    frames = pictures.view(sources, path, points=points, progress=True, style=cast(Any, style))
    typer.echo(f"'{path}' written: {frames} snapshots, {path.stat().st_size / 1e6:.3g} MB")


def _files(sources: Sequence[Path]) -> Iterator[Path]:
    """Files that are drawn: of a run all but its own picture, of a snapshot in several files all of them."""
    for source in sources:
        if source.is_dir():
            run = OutputFolder(source)
            yield from (path for path in run.written() if path != run.overview)
        else:
            yield source
            name = re.sub(r"\.\d+$", "", source.stem)
            yield from source.parent.glob(f"{glob.escape(name)}.[0-9]*{source.suffix}")
