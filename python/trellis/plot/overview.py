"""Pictures of several panels, for files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trellis.errors import InputError, about
from trellis.io import Snapshot, read_snapshot
from trellis.plot.density import density, typical_radius
from trellis.plot.figure import new_figure, save
from trellis.plot.history import energies, energy_error, virial_ratio
from trellis.run.energy_log import read_energy_log
from trellis.run.folder import OutputFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = 6
DECADES = 4.5  # of surface density that are shown


def overview(folder: str | Path, output: str | Path | None = None) -> Figure:
    """Draw a whole run: surface density at several times, energy error and virial ratio, of gas energies, against time.

    Parameters
    ----------
    folder : str or Path
        Output folder of the run.
    output : str or Path, optional
        PNG file to write.

    Raises
    ------
    ValueError
        If there is no run in the folder.
    """
    run = OutputFolder(Path(folder))
    files = run.snapshots()
    if not files or not run.energy_log.exists():
        raise InputError(f"there is no run to draw in '{folder}'")
    chosen = [files[k] for k in sorted({round(k) for k in np.linspace(0, len(files) - 1, PANELS)})]
    figure = new_figure(2.2 * PANELS, 5.6)
    rows = figure.add_gridspec(2, 1, height_ratios=(1.0, 1.1))
    above, below = rows[0].subgridspec(1, len(chosen)), rows[1].subgridspec(1, 2)
    _panels([figure.add_subplot(above[k]) for k in range(len(chosen))], chosen)
    energy_error(run.energy_log, ax=figure.add_subplot(below[0]))
    of_gas = np.any(read_energy_log(run.energy_log)["internal"] != 0)
    (energies if of_gas else virial_ratio)(run.energy_log, ax=figure.add_subplot(below[1]))
    save(figure, output)
    return figure


def snapshots(files: Sequence[str | Path], output: str | Path | None = None) -> Figure:
    """Draw the surface density of several snapshots, on one scale.

    Parameters
    ----------
    files : sequence of str or Path
        The snapshots.
    output : str or Path, optional
        PNG file to write.
    """
    columns = min(len(files), 4)
    rows = math.ceil(len(files) / columns)
    figure = new_figure(3.2 * columns, 3.2 * rows)
    axes = list(np.ravel(figure.subplots(rows, columns, squeeze=False)))
    for empty in axes[len(files) :]:
        empty.remove()
    _panels(axes[: len(files)], files)
    save(figure, output)
    return figure


def _panels(axes: Sequence[Axes], files: Sequence[str | Path]) -> None:
    """Draw the snapshots with one scale of length and one of density."""
    # each file is read twice, so that no two need to be in memory
    half_width = 1.2 * float(np.median([_radius(read_snapshot(file, whole=True)) for file in files]))
    for ax, file in zip(axes, files, strict=True):
        snapshot = read_snapshot(file, whole=True)
        with about(snapshot.path):
            density(snapshot, half_width=half_width, ax=ax)
        ax.set_title(f"t = {snapshot.time:.3g}", fontsize="medium")
    for ax in axes[1:]:
        ax.set_ylabel("")
    brightest = max(ax.images[0].get_clim()[1] for ax in axes)
    for ax in axes:
        ax.images[0].set_clim(brightest - DECADES, brightest)


def _radius(snapshot: Snapshot) -> float:
    with about(snapshot.path):
        return typical_radius(snapshot.particles)
