"""External fields that are built in, in which particles move beside the forces between them.

Each is a force for `trellis.Simulation`, and a table ``[[external]]`` of a parameter file. It adds to ``acceleration``
and ``external_potential`` of the particles, and counts in full in their energy (`Energies.external`); momentum is not
conserved. A field of your own is `trellis.External`.

>>> import trellis as tr
>>> halo = tr.external.NFW(mass=10.0, scale_radius=5.0)
>>> star = tr.ParticleSet(1)
>>> star.position, star.velocity = [[8.0, 0.0, 0.0]], [[0.0, 0.6, 0.0]]
>>> tr.Simulation(star, [halo], timestep=0.1).run(steps=10)
"""

from trellis._core import (
    NFW,
    HarmonicTrap,
    LogarithmicHalo,
    MeanDensity,
    MiyamotoNagai,
    Plummer,
    PointMass,
    RotatingBar,
    UniformField,
)

__all__ = [
    "NFW",
    "HarmonicTrap",
    "LogarithmicHalo",
    "MeanDensity",
    "MiyamotoNagai",
    "Plummer",
    "PointMass",
    "RotatingBar",
    "UniformField",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
