"""Simulations: particles that move under forces, step by step."""

from trellis.simulation.accelerations import accelerations
from trellis.simulation.energies import Energies
from trellis.simulation.simulation import Simulation
from trellis.simulation.summary import show_settings

__all__ = [
    "Energies",
    "Simulation",
    "accelerations",
    "show_settings",
]
