"""Halos: groups of friends, their centres and masses, links between snapshots, and how many there are of which mass."""

from trellis.analysis.halos.catalogue import HaloCatalogue
from trellis.analysis.halos.find import find_halos
from trellis.analysis.halos.friends_of_friends import friends_of_friends
from trellis.analysis.halos.links import HaloLinks, link_halos
from trellis.analysis.halos.mass_function import MassFunction, mass_function

__all__ = [
    "HaloCatalogue",
    "HaloLinks",
    "MassFunction",
    "find_halos",
    "friends_of_friends",
    "link_halos",
    "mass_function",
]
