"""Seconds of a step on several supercomputers at once, tenths of a second apart: the performance model of SUSHI.

Groen, Portegies Zwart, Ishiyama & Makino 2011, *Computational Science and Discovery* 4, 015001 (arXiv:1101.0605): a
function for each of equations (1) to (14), and equations for the step of this project.
"""

from trellis.model.sites.equations import Run
from trellis.model.sites.machine import BUILT_IN, SiteMachine, find_site_machine, symbols
from trellis.model.sites.memory import memory_of
from trellis.model.sites.ours import SiteStep, predicted_step, step_over_sites
from trellis.model.sites.parts import our_parts, paper_parts

__all__ = [
    "BUILT_IN",
    "Run",
    "SiteMachine",
    "SiteStep",
    "find_site_machine",
    "memory_of",
    "our_parts",
    "paper_parts",
    "predicted_step",
    "step_over_sites",
    "symbols",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
