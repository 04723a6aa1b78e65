"""What is measured of systems of particles: structure, corrections for a cutoff, heat capacity, replica exchange."""

from trellis.analysis.acceptance import Acceptance, acceptance
from trellis.analysis.autocorrelation import autocorrelation_time, effective_samples, thinned
from trellis.analysis.heat_capacity import HeatCapacity, Peak, heat_capacity
from trellis.analysis.heat_capacity_curve import heat_capacity_curve
from trellis.analysis.mbar import mbar, mbar_of_states
from trellis.analysis.radial_distribution import RadialDistribution
from trellis.analysis.ratio_test import RatioTest, ratio_test
from trellis.analysis.round_trips import RoundTrips, Trips, flow, round_trips
from trellis.analysis.state_transitions import StateTransitions, state_transitions
from trellis.analysis.tail_corrections import lennard_jones_tail_energy, lennard_jones_tail_pressure

__all__ = [
    "Acceptance",
    "HeatCapacity",
    "Peak",
    "RadialDistribution",
    "RatioTest",
    "RoundTrips",
    "StateTransitions",
    "Trips",
    "acceptance",
    "autocorrelation_time",
    "effective_samples",
    "flow",
    "heat_capacity",
    "heat_capacity_curve",
    "lennard_jones_tail_energy",
    "lennard_jones_tail_pressure",
    "mbar",
    "mbar_of_states",
    "ratio_test",
    "round_trips",
    "state_transitions",
    "thinned",
]
