"""Finding halos: groups of friends, where they are, and how massive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.analysis.halos.catalogue import Floats, HaloCatalogue, Ints
from trellis.analysis.halos.friends_of_friends import friends_of_friends
from trellis.analysis.halos.linking_lengths import linking_lengths
from trellis.analysis.halos.spherical_overdensity import spheres
from trellis.analysis.particle_input import chosen, lengths_from_box
from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.periodic_space import in_box, nearest_image, periodic_mean

CONTRAST = 200.0  # mean density within a halo over the critical one
SHRINKING = 0.9  # radius of one sphere over that of the one before
INNERMOST = 16  # particles of the last sphere

Mask = NDArray[np.bool_]


@checked_arguments()
@world.collective
def find_halos(
    particles: ParticleSet,
    *,
    linking: float = 0.2,
    fewest: int = 32,
    matter_share: float = 1.0,
    time: float = 0.0,
    type: int | None = None,  # noqa: A002
) -> HaloCatalogue:
    """Find halos by friends of friends, with their centres, and masses within 200 times the critical density.

    Particles of the mass m are friends within linking (m / mean density)^(1/3), which is linking (V / N)^(1/3) for
    equal masses; two of different masses within the shorter of their lengths. So the halos of a zoom are those of its
    resolution. The mean density is that of the types 1 to 3 and 5, those of dark matter; gas and stars (0, 4) have the
    length of the lightest dark matter, if there is any. The order of rows changes nothing.

    Under mpirun all ranks call this: the first one finds the halos of the particles of all, for which it needs the
    memory, and all have the same result.

    Parameters
    ----------
    particles : ParticleSet
        Particles in a box that is periodic along all axes.
    linking : float
        Linking length over the mean distance of particles, (m / mean density)^(1/3).
    fewest : int
        Particles of the smallest halo.
    matter_share : float
        Density of matter over the critical one at that time (`Cosmology.matter_share`); the particles are all matter.
    time : float
        Time, or scale factor, to be noted in the catalogue.
    type : int, optional
        Gadget's number of the type of particles whose groups are sought, if not all. Masses within 200 times the
        critical density are of all particles, whatever their type.

    Raises
    ------
    ValueError
        If the box is not periodic along all axes, the particles have no mass, or an argument is out of its range.
    """
    if not 0 < linking <= 1:
        raise InputError(f"linking is {linking}, but must be above 0 and at most 1")
    if fewest < 2:
        raise InputError(f"fewest is {fewest}, but must be at least 2")
    if not 0 < matter_share < np.inf:
        raise InputError(f"matter_share is {matter_share}, but must be a finite number above 0")
    lengths_from_box(particles.box, "a catalogue of halos")
    everywhere = _of_all_ranks(particles, chosen(particles, type))
    return world.on_first(lambda: _catalogue(*everywhere, linking, fewest, matter_share, time))


def _of_all_ranks(particles: ParticleSet, rows: Any) -> tuple[ParticleSet, Ints, Mask]:
    """Return the particles of all ranks in the order of their ids, their types, and which of them are chosen."""
    names = ("mass", "velocity", "id")
    types = particles.column("type") if "type" in particles.field_names else np.ones(len(particles), dtype=np.int64)
    own = [particles.wrapped_position(), *map(particles.column, names), types, rows]
    columns = [np.concatenate(each) for each in zip(*world.gather(own), strict=True)]
    order = np.lexsort((*columns[0].T, columns[3]))  # by id, and by position if two particles have the same one
    *columns, types, rows = (column[order] for column in columns)
    position, mass, velocity, ids = columns
    everywhere = ParticleSet.from_columns(position=position, mass=mass, velocity=velocity, id=ids)
    everywhere.box = particles.box
    return everywhere, types, rows


def _catalogue(
    everywhere: ParticleSet,
    types: Ints,
    wanted: Mask,
    linking: float,
    fewest: int,
    matter_share: float,
    time: float,
) -> HaloCatalogue:
    sides = lengths_from_box(everywhere.box, "a catalogue of halos")
    volume = float(sides.prod())
    density = float(everywhere.mass.sum()) / volume
    lengths = linking_lengths(everywhere.mass, types, volume, linking)[wanted]
    particles = everywhere[wanted].copy()
    rows, begins = _groups(particles, friends_of_friends(particles, lengths), fewest)
    means = [_means(particles, rows[begins[k] : begins[k + 1]], sides) for k in range(len(begins) - 1)]
    shape = (len(means), 3)
    centre, middle, velocity = (np.array([each[k] for each in means]).reshape(shape) for k in range(3))
    mass = np.array([particles.mass[rows[begins[k] : begins[k + 1]]].sum() for k in range(len(means))])
    radius, within = spheres(everywhere, centre, mass, CONTRAST * density / matter_share)
    low = particles.box[0]
    return HaloCatalogue(
        time=float(time),
        box=np.array(particles.box),
        linking_length=_shortest(lengths),
        mean_density=density,
        count=np.diff(begins),
        mass=mass,
        centre=in_box(centre, low, sides),
        centre_of_mass=in_box(middle, low, sides),
        velocity=velocity,
        radius_200c=radius,
        mass_200c=within,
        begins=begins,
        ids=particles.id[rows],
    )


def _shortest(lengths: Floats) -> float:
    found = lengths[lengths > 0]
    return float(found.min()) if len(found) > 0 else 0.0


def _groups(particles: ParticleSet, group: Ints, fewest: int) -> tuple[Ints, Ints]:
    """Return the rows of the groups with enough particles, the most massive first, and where each group begins."""
    size = np.bincount(group, minlength=len(group))
    mass = np.bincount(group, particles.mass, minlength=len(group))
    large = np.flatnonzero(size >= fewest)
    large = large[np.argsort(-mass[large], kind="stable")]
    rank = np.full(len(group), len(large))
    rank[large] = np.arange(len(large))
    order = np.argsort(rank[group], kind="stable")
    begins = np.concatenate(([0], np.cumsum(size[large]))).astype(np.int64)
    return order[: begins[-1]], begins


def _means(particles: ParticleSet, rows: Ints, sides: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the centre of a group, its centre of mass, and its velocity."""
    mass = particles.mass[rows]
    about = periodic_mean(particles.position[rows], mass, sides)
    offsets = nearest_image(particles.position[rows] - about, sides)
    middle = _mean(offsets, mass)
    return about + _densest(offsets, mass, middle), about + middle, _mean(particles.velocity[rows], mass)


def _mean(values: Floats, mass: Floats) -> Floats:
    """Return the mean by mass, with the same bits for any number of threads, unlike a product of matrices."""
    return np.asarray((mass[:, None] * values).sum(axis=0) / mass.sum())


def _densest(offsets: Floats, mass: Floats, start: Floats) -> Floats:
    """Follow the centre of mass of the particles in a sphere, about it, that shrinks (Power et al. 2003)."""
    centre = start
    radius = float(np.sqrt(((offsets - centre) ** 2).sum(axis=1).max()))
    while len(offsets) > INNERMOST:
        radius *= SHRINKING
        inside = ((offsets - centre) ** 2).sum(axis=1) < radius**2
        if inside.sum() < INNERMOST:
            break
        offsets, mass = offsets[inside], mass[inside]
        centre = _mean(offsets, mass)
    return centre
