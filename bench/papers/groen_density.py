"""Figure 6 of SUSHI: the particles of each of four sites.

The paper's particles at the end of a run are not at hand: these are displaced to second order from a lattice, with the
cosmology of table 1, and each site has a share in proportion to its speed, by equation (1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from groen_tables import GBBP
from trellis import _core
from trellis.ic.cosmology import cosmology
from trellis.model.sites.equations import particles_of_sites

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {"H": "Espoo", "E": "Edinburgh", "A": "Amsterdam", "T": "Tokyo"}
SIDE = 30.0  # Mpc/h
PARTICLES = 48**3
REDSHIFT = 2.0  # where the displacements show, though they no longer hold between halos


def density_by_site(figure: Figure) -> None:
    """Figure 6: a layer of the cube, with a colour for the particles of each site."""
    ax = figure.subplots()
    space = _core.Cosmology(omega_m=0.3, omega_b=0.045, h=0.7, n_s=1.0, sigma_8=0.9)
    made = cosmology(space, PARTICLES, box=1e3 * SIDE, redshift=REDSHIFT, seed=1)
    position = np.asarray(made.position) / 1e3
    owner = owner_of(position[:, 0])
    layer = position[:, 2] < 0.2 * SIDE
    for number, name in enumerate(NAMES.values()):
        x, y, _ = position[layer & (owner == number)].T
        ax.plot(x, y, ",", color=f"C{number}")
        ax.plot([], [], "s", color=f"C{number}", label=name)
    ax.set(xlim=(0, SIDE), ylim=(0, SIDE), aspect="equal", xlabel="x / (Mpc/h)", ylabel="y / (Mpc/h)")
    ax.set_title("Figure 6", fontsize="medium")
    figure.legend(loc="outside right center", fontsize="small")


def owner_of(x: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the site of each particle: slabs in x, their numbers as the sites' speeds."""
    n = len(x)
    before = [n / len(NAMES)] * len(NAMES)
    shares = particles_of_sites(n, before, [GBBP[letter].tau_tree for letter in NAMES])
    ends = np.round(np.cumsum(shares)).astype(int)
    rank = np.empty(n, dtype=int)
    rank[np.argsort(x, kind="stable")] = np.arange(n)
    return np.searchsorted(ends, rank, side="right")
