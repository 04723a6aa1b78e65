"""Linear theory of matter in expanding space: its power spectrum, and the abundance of halos."""

from trellis.cosmology.halo_abundance import FITS, halo_abundance
from trellis.cosmology.linear_power import LinearPower

__all__ = ["FITS", "LinearPower", "halo_abundance"]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
