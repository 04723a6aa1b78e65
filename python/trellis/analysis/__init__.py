"""What is measured of a system of particles: structure, and corrections for what a cutoff leaves out."""

from trellis.analysis.radial_distribution import RadialDistribution
from trellis.analysis.tail_corrections import lennard_jones_tail_energy, lennard_jones_tail_pressure

__all__ = ["RadialDistribution", "lennard_jones_tail_energy", "lennard_jones_tail_pressure"]
