"""Simulations: particles that move under forces, step by step."""

from trellis.simulation.energies import Energies
from trellis.simulation.simulation import Simulation
from trellis.simulation.summary import show_settings

__all__ = [
    "Energies",
    "Simulation",
    "show_settings",
]
