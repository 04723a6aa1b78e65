"""Initial conditions.

Models of gravity, in N-body units (G = 1, total mass 1, total energy -1/4, at rest in the origin): `hernquist`,
`plummer`, `sphere`, `two_galaxies`. Standard problems of gas dynamics, each in units of its own: `evrard`, `gresho`,
`kelvin_helmholtz`, `noh`, `sedov`, `sod`. Molecules: `lennard_jones`, `cluster`. Matter of an expanding
space: `cosmology`.
"""

from trellis.ic.cluster import cluster
from trellis.ic.cosmology import cosmology
from trellis.ic.evrard import evrard
from trellis.ic.gresho import gresho
from trellis.ic.hernquist import hernquist
from trellis.ic.kelvin_helmholtz import kelvin_helmholtz
from trellis.ic.lennard_jones import lennard_jones
from trellis.ic.noh import noh
from trellis.ic.plummer import plummer
from trellis.ic.sedov import sedov
from trellis.ic.sod import sod
from trellis.ic.sphere import sphere
from trellis.ic.two_galaxies import two_galaxies

__all__ = [
    "cluster",
    "cosmology",
    "evrard",
    "gresho",
    "hernquist",
    "kelvin_helmholtz",
    "lennard_jones",
    "noh",
    "plummer",
    "sedov",
    "sod",
    "sphere",
    "two_galaxies",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
