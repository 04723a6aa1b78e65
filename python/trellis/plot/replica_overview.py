"""A whole replica exchange in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import trellis.analysis as analysis
from trellis.analysis.jackknife import BLOCKS
from trellis.arguments import checked_arguments
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.plot.figure import new_figure, save
from trellis.plot.replica_exchange import acceptance, energy_histograms, heat_capacity, replica_walk, state_histograms
from trellis.plot.style import StyleName, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@checked_arguments()
def replica_overview(
    history: ExchangeHistory,
    degrees_of_freedom: float,
    output: str | Path | None = None,
    *,
    style: StyleName = "dark",
) -> Figure:
    """Draw acceptance, the walk of some systems, energies by state, and the heat capacity.

    In place of the heat capacity, volumes by state if boxes change, or nothing if states differ otherwise.

    Parameters
    ----------
    history : ExchangeHistory
        The history of a replica exchange; its heat capacity is drawn if it has enough exchanges.
    degrees_of_freedom : float
        Kinetic ones of a system.
    output : str or Path, optional
        File to write: .png, .pdf or .svg.
    style : str
        ``"dark"`` or ``"light"``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    energies, temperatures = history.energies(), history.temperatures
    with drawing(style):
        figure = new_figure(12.0, 8.0)
        upper, lower = figure.subplots(2, 2)
        acceptance(history, style=style, ax=upper[0])
        replica_walk(history, style=style, ax=upper[1])
        by_temperature = not history.constant_pressure and history.hamiltonians == 1
        if by_temperature:
            energy_histograms(energies, temperatures, style=style, ax=lower[0])
        else:
            state_histograms(energies, "potential energy", style=style, ax=lower[0])
        if history.constant_pressure:
            state_histograms(history.volumes(), "volume", style=style, ax=lower[1])
        elif by_temperature and len(energies) >= 2 * BLOCKS:
            found = analysis.heat_capacity(energies, temperatures, degrees_of_freedom)
            heat_capacity(found, style=style, ax=lower[1])
        else:
            lower[1].remove()
    save(figure, output)
    return figure
