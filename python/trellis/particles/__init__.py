"""Particles as columns: sets, selections, their neighbours."""

from trellis.particles.neighbour_search import Nearest, Neighbours, nearest, neighbours
from trellis.particles.particle_set import ParticleSet, Selection

__all__ = [
    "Nearest",
    "Neighbours",
    "ParticleSet",
    "Selection",
    "nearest",
    "neighbours",
]
