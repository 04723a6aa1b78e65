"""Measurements on particles and on replica exchanges.

Structure, halos and spectra of an expanding space, corrections for a cutoff, heat capacity, replica exchange.
"""

from trellis.analysis.acceptance import Acceptance, acceptance
from trellis.analysis.autocorrelation import autocorrelation_time, effective_samples, thinned
from trellis.analysis.halos import (
    HaloCatalogue,
    HaloLinks,
    MassFunction,
    find_halos,
    friends_of_friends,
    link_halos,
    mass_function,
)
from trellis.analysis.heat_capacity import HeatCapacity, Peak, heat_capacity
from trellis.analysis.heat_capacity_curve import heat_capacity_curve
from trellis.analysis.mbar import mbar, mbar_of_states
from trellis.analysis.mean_squared_displacement import MeanSquaredDisplacement, mean_squared_displacement
from trellis.analysis.potential_tail import potential_tail_energy, potential_tail_pressure
from trellis.analysis.power_spectrum import PowerSpectrum, power_spectrum
from trellis.analysis.projected_density import projected_density
from trellis.analysis.radial_distribution import RadialDistribution
from trellis.analysis.ratio_test import RatioTest, ratio_test, ratio_test_of_volumes
from trellis.analysis.round_trips import RoundTrips, Trips, flow, round_trips
from trellis.analysis.state_transitions import StateTransitions, state_transitions
from trellis.analysis.tail_corrections import (
    lennard_jones_tail_energy,
    lennard_jones_tail_pressure,
    mixture_tail_energy,
    mixture_tail_pressure,
)

__all__ = [
    "Acceptance",
    "HaloCatalogue",
    "HaloLinks",
    "HeatCapacity",
    "MassFunction",
    "MeanSquaredDisplacement",
    "Peak",
    "PowerSpectrum",
    "RadialDistribution",
    "RatioTest",
    "RoundTrips",
    "StateTransitions",
    "Trips",
    "acceptance",
    "autocorrelation_time",
    "effective_samples",
    "find_halos",
    "flow",
    "friends_of_friends",
    "heat_capacity",
    "heat_capacity_curve",
    "lennard_jones_tail_energy",
    "lennard_jones_tail_pressure",
    "link_halos",
    "mass_function",
    "mbar",
    "mbar_of_states",
    "mean_squared_displacement",
    "mixture_tail_energy",
    "mixture_tail_pressure",
    "potential_tail_energy",
    "potential_tail_pressure",
    "power_spectrum",
    "projected_density",
    "ratio_test",
    "ratio_test_of_volumes",
    "round_trips",
    "state_transitions",
    "thinned",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
