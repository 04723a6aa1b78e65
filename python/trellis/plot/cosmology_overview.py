"""Snapshots of an expanding space in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import trellis.analysis as analysis
from trellis.arguments import checked_arguments
from trellis.cosmology import LinearPower
from trellis.errors import InputError
from trellis.io import Snapshot, read_snapshot
from trellis.plot.cosmology import mass_function, power_spectrum, projected_density
from trellis.plot.figure import new_figure, save
from trellis.plot.run_files import files_in
from trellis.plot.style import StyleName, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOMENTS = 3
FINEST = 256  # cells of the mesh of power spectra, at most
BINS = 12  # bins of the mass function
NEAR_LATTICE = 1 / 6  # scale factor: before, z > 5, particles have less noise than those at random


@checked_arguments()
def cosmology_overview(
    sources: str | Path | Sequence[str | Path],
    output: str | Path | None = None,
    *,
    plane: str = "xy",
    style: StyleName = "dark",
) -> Figure:
    """Draw the density of slices at up to three times, their power spectra, and the last one's mass function of halos.

    Linear theory and the fit of Watson et al. (2013) stand beside, where the snapshots have what they need: `h`,
    `omega_b`, `n_s` and `sigma_8` or `A_s`.

    Parameters
    ----------
    sources : str, Path, or sequence of them
        Snapshots, or the output folder of a run.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    plane : str
        The axes across and up, such as ``"xy"``.
    style : str
        ``"dark"`` or ``"light"``.

    Raises
    ------
    ValueError
        If a snapshot has no cosmology, or its box is not periodic.
    """
    files = files_in(sources)
    chosen = [files[k] for k in sorted({round(k) for k in np.linspace(0, len(files) - 1, MOMENTS)})]
    with drawing(style):
        figure = new_figure(5.0 * max(2, len(chosen)), 9.0)
        parts = figure.add_gridspec(2, 1, height_ratios=(1, 1.05))
        above, below = parts[0].subgridspec(1, len(chosen)), parts[1].subgridspec(1, 2)
        slices = [figure.add_subplot(above[k]) for k in range(len(chosen))]
        spectra, halos = (figure.add_subplot(below[k]) for k in range(2))
        for file, ax in zip(chosen, slices, strict=True):
            snapshot = read_snapshot(file)
            linear, moment = _linear_power(snapshot), f"z = {_redshift(snapshot.time):.3g}"
            projected_density(snapshot, plane=plane, style=style, ax=ax)
            ax.set_title(moment, fontsize="medium")
            cells = min(FINEST, 2 * round(np.cbrt(len(snapshot.particles))))
            noisy = snapshot.time > NEAR_LATTICE
            found = analysis.power_spectrum(snapshot.particles, max(4, cells), subtract_shot_noise=noisy)
            power_spectrum(found, linear=linear, a=snapshot.time, label=moment, style=style, ax=spectra)
        catalogue = _halos(snapshot)
        if len(catalogue) > 1:
            mass_function(
                analysis.mass_function(catalogue, BINS), linear=linear, a=snapshot.time, style=style, ax=halos
            )
            halos.set_title(moment, fontsize="medium")
        else:
            halos.remove()
    save(figure, output)
    return figure


def _redshift(a: float) -> float:
    return max(0.0, 1 / a - 1)  # no -0


def _halos(snapshot: Snapshot) -> analysis.HaloCatalogue:
    assert snapshot.cosmology is not None
    share = snapshot.cosmology.matter_share(snapshot.time)
    return analysis.find_halos(snapshot.particles, matter_share=share, time=snapshot.time)


def _linear_power(snapshot: Snapshot) -> LinearPower | None:
    """Return the linear power of a snapshot's cosmology, if that has what it needs."""
    given = snapshot.cosmology
    if given is None:
        raise InputError(f"'{snapshot.path}' has no cosmology: space does not expand there, or Omega0 is missing")
    known = None not in (given.h, given.omega_b, given.n_s) and (given.sigma_8 or given.A_s) is not None
    return LinearPower(given, units=snapshot.units) if known else None
