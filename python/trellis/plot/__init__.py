"""Pictures, as matplotlib Axes."""

from trellis.plot.density import density
from trellis.plot.history import energy_error, lagrangian_radii, virial_ratio
from trellis.plot.overview import overview, snapshots

__all__ = ["density", "energy_error", "lagrangian_radii", "overview", "snapshots", "virial_ratio"]
