"""Replica exchange and what it finds: acceptance, the walk of replicas, energy histograms, heat capacity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

import trellis.analysis as analysis
from trellis.analysis.energies_of_states import checked
from trellis.analysis.heat_capacity import HeatCapacity
from trellis.arguments import checked_arguments
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.errors import InputError
from trellis.plot.figure import axes_or_new
from trellis.plot.style import StyleName, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WALKS = 3  # as many as are easily seen
GAP = 0.15  # between their strips, over the height of one


@checked_arguments()
def acceptance(history: ExchangeHistory, *, style: StyleName = "dark", ax: Axes | None = None) -> Axes:
    """Draw the acceptance of exchanges between neighbouring states against their mean temperature.

    If temperatures do not ascend, against the number of the state. Points are what was found, with standard errors; the
    line is what the energies say that it must be.

    Parameters
    ----------
    history : ExchangeHistory
        The history of a replica exchange.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    found = analysis.acceptance(history)
    ascend = bool((np.diff(found.temperatures) > 0).all())
    ladder = found.temperatures if ascend else np.arange(history.states)
    middle = (ladder[1:] + ladder[:-1]) / 2
    with axes_or_new(ax, style) as ax:
        ax.plot(middle, found.expected, label="from energies", zorder=1)
        ax.errorbar(middle, found.rate, found.error, fmt="o", ms=4, label="accepted of tried")
        ax.set(xlabel="k T between neighbours" if ascend else "between states", ylabel="acceptance", ylim=(0, 1))
        ax.legend(fontsize="small")
    return ax


@checked_arguments()
def replica_walk(
    history: ExchangeHistory,
    systems: Sequence[int] | None = None,
    *,
    style: StyleName = "dark",
    ax: Axes | None = None,
) -> Axes:
    """Draw the state of some systems against the number of exchanges, each in a strip of its own.

    Parameters
    ----------
    history : ExchangeHistory
        The history of a replica exchange.
    systems : sequence of int, optional
        Replicas to draw; by default three, evenly spaced among all.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    if systems is None:
        systems = sorted({round(k) for k in np.linspace(0, history.systems - 1, WALKS)})
    for system in systems:
        if not 0 <= system < history.systems:
            raise InputError(f"there is no system {system}: allowed is 0 to {history.systems - 1}")
    strips = (1 + GAP) * history.states * np.arange(len(systems))
    with axes_or_new(ax, style) as ax:
        for system, strip in zip(systems, strips, strict=True):
            ax.step(np.arange(history.exchanges), strip + history.state[:, system], where="post", lw=1)
            ax.annotate(
                f" system {system}", (1, strip + history.states - 1), xycoords=("axes fraction", "data"), va="top"
            )
        last = history.states - 1
        ends = [end for strip in strips for end in (strip, strip + last)]
        ax.set_yticks(ends, ["0", str(last)] * len(strips))
        ax.set(xlabel="exchanges", ylabel="state", xlim=(0, max(1, history.exchanges - 1)))
    return ax


def energy_histograms(
    energies: ArrayLike, temperatures: ArrayLike, *, style: StyleName = "dark", ax: Axes | None = None
) -> Axes:
    """Draw how the energies of each state are distributed: neighbours exchange as much as these overlap.

    Parameters
    ----------
    energies : array, shape (moments, states)
        Potential energies of each state (energy).
    temperatures : array, shape (states,)
        k T of each state (energy), which the colours show.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    values, kT = checked(energies, temperatures)
    return _histograms(values, kT, ("potential energy", "k T"), style, ax)


@checked_arguments()
def state_histograms(values: ArrayLike, name: str, *, style: StyleName = "dark", ax: Axes | None = None) -> Axes:
    """Draw how a quantity is distributed in each state, as energies or volumes where pressures differ.

    Parameters
    ----------
    values : array, shape (moments, states)
        Values of each state.
    name : str
        Label of the axis.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    of_states = np.asarray(values, dtype=float)
    if of_states.ndim != 2:
        raise InputError(f"values have the shape {of_states.shape}, but must have (moments, states)")
    return _histograms(of_states, np.arange(of_states.shape[1]), (name, "state"), style, ax)


def _histograms(
    values: NDArray[np.float64],
    ladder: NDArray[np.float64] | NDArray[np.int64],
    names: tuple[str, str],
    style: StyleName,
    ax: Axes | None,
) -> Axes:
    """Draw a histogram of each column in the colour of its `ladder` value; `names` are those of values and ladder."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.ticker import MaxNLocator

    bins = math.ceil(2 * len(values) ** (1 / 3))  # Rice's rule
    colours = ScalarMappable(Normalize(ladder.min(), ladder.max()), style_of(style).colours_seen())
    with axes_or_new(ax, style) as ax:
        for each, step in zip(values.T, ladder, strict=True):
            density, edges = np.histogram(each, bins, density=True)
            ax.stairs(density, edges, color=colours.to_rgba(step))
        ax.set(xlabel=names[0], ylabel="probability density", ylim=(0, None))
        ticks = MaxNLocator(integer=True) if ladder.dtype.kind == "i" else None
        ax.figure.colorbar(colours, ax=ax, label=names[1], ticks=ticks)
    return ax


def heat_capacity(
    curve: HeatCapacity, states: HeatCapacity | None = None, *, style: StyleName = "dark", ax: Axes | None = None
) -> Axes:
    """Draw the total heat capacity against temperature, with a band of a standard error to both sides.

    Parameters
    ----------
    curve : HeatCapacity
        A line, as from `trellis.analysis.heat_capacity_curve`.
    states : HeatCapacity, optional
        Points with their errors beside it, as from `trellis.analysis.heat_capacity`.
    style : str
        ``"dark"`` or ``"light"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    with axes_or_new(ax, style) as ax:
        (line,) = ax.plot(curve.temperature, curve.total, label="all states together")
        band = (curve.total - curve.error, curve.total + curve.error)
        ax.fill_between(curve.temperature, *band, color=line.get_color(), alpha=0.35, lw=0)
        if states is not None:
            ax.errorbar(states.temperature, states.total, states.error, fmt="o", ms=4, label="each state alone")
            ax.legend(fontsize="small")
        ax.set(xlabel="k T", ylabel="heat capacity [k]")
    return ax
