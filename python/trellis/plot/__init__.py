"""Pictures, as matplotlib Axes; those of several panels as Figures."""

from trellis.plot.cosmology import mass_function, power_spectrum, projected_density
from trellis.plot.cosmology_overview import cosmology_overview
from trellis.plot.density import density
from trellis.plot.history import energies, energy_error, lagrangian_radii, rungs, virial_ratio
from trellis.plot.movie import movie
from trellis.plot.overview import overview, snapshots
from trellis.plot.owners import owners
from trellis.plot.problems import blast_wave, implosion, problem, shock_tube, vortex
from trellis.plot.replica_exchange import acceptance, energy_histograms, heat_capacity, replica_walk, state_histograms
from trellis.plot.replica_overview import replica_overview
from trellis.plot.view import view

__all__ = [
    "acceptance",
    "blast_wave",
    "cosmology_overview",
    "density",
    "energies",
    "energy_error",
    "energy_histograms",
    "heat_capacity",
    "implosion",
    "lagrangian_radii",
    "mass_function",
    "movie",
    "overview",
    "owners",
    "power_spectrum",
    "problem",
    "projected_density",
    "replica_overview",
    "replica_walk",
    "rungs",
    "shock_tube",
    "snapshots",
    "state_histograms",
    "view",
    "virial_ratio",
    "vortex",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
