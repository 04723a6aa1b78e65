"""Initial conditions, in N-body units: G = 1, total mass 1, total energy -1/4, at rest in the origin."""

from trellis.ic.hernquist import hernquist
from trellis.ic.plummer import plummer
from trellis.ic.sphere import sphere
from trellis.ic.two_galaxies import two_galaxies

__all__ = ["hernquist", "plummer", "sphere", "two_galaxies"]
