"""The radial distribution function g(r): the density at distance r of a particle over the mean density.

Also the partial ones, of one kind around another.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trellis.analysis.particle_input import lengths_from_box
from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles import ParticleSet, Selection
from trellis.particles.pairs_in_parts import pairs_in_parts


class RadialDistribution:
    """The radial distribution function of particles in a periodic box, averaged over moments of time.

    Each moment counts all pairs nearer than `maximum`. Under mpirun all ranks call `add`, and have the same result.

    Parameters
    ----------
    maximum : float
        Largest distance; at most half the shortest side of the box.
    bins : int
        Number of equal bins of distance.

    Attributes
    ----------
    r : array, shape (bins,)
        Middles of the bins.
    moments : int
        Number of times that particles were added.
    """

    @checked_arguments()
    def __init__(self, maximum: float, bins: int = 100) -> None:
        if not (maximum > 0 and np.isfinite(maximum)):
            raise InputError(f"maximum is {maximum}, but must be above 0")
        if bins < 1:
            raise InputError(f"bins is {bins}, but must be at least 1")
        self._maximum = maximum
        self._edges = np.linspace(0.0, maximum, bins + 1)
        self._sum = np.zeros(bins)
        self.r = (self._edges[1:] + self._edges[:-1]) / 2
        self.moments = 0

    @checked_arguments()
    @world.collective
    def add(self, particles: ParticleSet | Selection, around: ParticleSet | Selection | None = None) -> None:
        """Count the pairs of particles as they are now.

        Parameters
        ----------
        particles : ParticleSet or Selection
            The particles, or some of them.
        around : ParticleSet or Selection, optional
            Those around which they are counted, such as particles of another kind; if not given, the same. A particle
            that is among both, by its id, is no pair with itself.

        Raises
        ------
        ValueError
            If the box does not repeat along all axes, is too small, or has no particles, or a position is not finite.

        Examples
        --------
        >>> import trellis as tr
        >>> salt = tr.ic.lennard_jones(500, density=0.8, temperature=1.0)
        >>> cation = salt.id % 2 == 0
        >>> unlike = tr.analysis.RadialDistribution(maximum=2.5)
        >>> unlike.add(salt[cation], around=salt[~cation])
        """
        particles = _set_of(particles)
        centres = particles if around is None else _set_of(around)
        if (centres.box != particles.box).any():
            raise InputError("particles and around are in two boxes: allowed is one")
        sides = lengths_from_box(particles.box, "a radial distribution")
        if self._maximum > sides.min() / 2:
            raise InputError(
                f"maximum is {self._maximum:g}, but must be at most {sides.min() / 2:g}, half the shortest side of the"
                " box"
            )
        of_ranks = world.gather(particles.wrapped_position())
        everywhere = np.concatenate(of_ranks)
        number_of_centres = sum(world.gather(len(centres)))
        finite = world.gather(bool(np.isfinite(particles.position).all() and np.isfinite(centres.position).all()))
        if not all(finite):
            raise InputError("a radial distribution is wanted of particles whose positions are not all finite")
        if len(everywhere) == 0 or number_of_centres == 0:
            raise InputError("a radial distribution is wanted of no particles")
        counts = np.zeros(len(self.r), dtype=np.int64)
        if around is None:
            first = sum(len(each) for each in of_ranks[: world.rank()])
            space, own = everywhere, slice(first, first + len(particles))
        else:
            space, own = np.concatenate([everywhere, centres.wrapped_position()]), slice(len(everywhere), None)
            counts[0] -= np.isin(centres.id, particles.id).sum()  # each with itself, on the same rank
        for distances in _distances(space, own, len(everywhere), particles.box, self._maximum):
            bins = np.minimum((distances * (len(counts) / self._maximum)).astype(np.int64), len(counts) - 1)
            counts += np.bincount(bins, minlength=len(counts))
        shells = 4 / 3 * np.pi * np.diff(self._edges**3)
        expected = len(everywhere) * number_of_centres * shells / sides.prod()
        self._sum += sum(world.gather(counts)) / expected
        self.moments += 1

    @property
    def g(self) -> NDArray[np.float64]:
        """The function: V / N_a N_b times the mean number of ordered pairs in a bin over the bin's volume."""
        if self.moments == 0:
            raise InputError("a radial distribution has no particles yet: add some")
        return self._sum / self.moments


def _set_of(particles: ParticleSet | Selection) -> ParticleSet:
    return particles.copy() if isinstance(particles, Selection) else particles


def _distances(
    positions: NDArray[np.float64], own: slice, others: int, box: NDArray[np.float64], reach: float
) -> Iterator[NDArray[np.float64]]:
    """Yield, in parts, the distances of own positions to the first ones, as many as there are others, within reach."""
    space = ParticleSet.from_columns(position=positions, mass=1.0)
    space.box = box
    radii = np.zeros(len(positions))
    radii[own] = reach
    within = len(positions) * 4 / 3 * np.pi * reach**3 / (box[1] - box[0]).prod()
    for _, j, distances in pairs_in_parts(space, radii, within):
        yield distances[j < others]
