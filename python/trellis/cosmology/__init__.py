"""What linear theory says of matter in expanding space: its power spectrum, and how many halos form."""

from trellis.cosmology.halo_abundance import FITS, halo_abundance
from trellis.cosmology.linear_power import LinearPower

__all__ = ["FITS", "LinearPower", "halo_abundance"]
