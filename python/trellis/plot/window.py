"""The part of space that a picture shows: the plane, the centre, and round numbers at its edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import shown
from trellis.errors import InputError, did_you_mean
from trellis.notes import warn
from trellis.particles import ParticleSet
from trellis.particles.periodic_space import mean_position, offsets_from, typical_position
from trellis.plot.drawable import check_drawable
from trellis.plot.neighbourhood import search

AXES = "xyz"
PLANES = ("xy", "xz", "yz", "yx", "zx", "zy")
ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
HELD = 0.95  # share of the particles within a picture's width
FAR = ((HELD, 100.0), (0.5, 1e4))  # shares of the particles; a particle this many times as far out does not count
CLUMP = 32  # neighbours that a density is found from

Named: TypeAlias = Literal["box", "mass", "densest", "origin"]
Extent: TypeAlias = tuple[float, float, float, float]
Floats: TypeAlias = NDArray[np.float64]
Centre: TypeAlias = Named | Sequence[float] | Floats


@dataclass(frozen=True)
class Window:
    """A rectangle, seen along the third axis.

    Attributes
    ----------
    plane : str
        The axes across and up, such as ``"xy"``.
    centre : ndarray, shape (3,)
        The middle.
    half_width, half_height : float
        Half the width from there.
    """

    plane: str
    centre: Floats
    half_width: float
    half_height: float

    @property
    def axes(self) -> tuple[int, int, int]:
        """Numbers of the axes across, up, and along which one looks."""
        across, up = (AXES.index(axis) for axis in self.plane)
        return across, up, 3 - across - up

    def extent(self, unit: float = 1.0) -> Extent:
        """Return left, right, bottom and top edge, all of them multiplied by a unit."""
        across, up = (float(self.centre[axis]) for axis in self.axes[:2])
        return (
            unit * (across - self.half_width),
            unit * (across + self.half_width),
            unit * (up - self.half_height),
            unit * (up + self.half_height),
        )


def check_window(plane: str, centre: Centre | str, half_width: float | None) -> None:
    """Raise a ValueError for a plane, a centre or a half width that a picture cannot have."""
    if plane not in PLANES:
        raise InputError(f"plane is '{plane}', but must be one of {', '.join(PLANES)}")
    if not isinstance(centre, str):
        _point(centre)
    elif centre not in get_args(Named):
        raise InputError(f"centre is '{centre}': {did_you_mean(centre, get_args(Named))}")
    if half_width is not None and not 0 < half_width < np.inf:
        raise InputError(f"the half width is {half_width:g}, but must be a finite number above 0")


def window_of(
    particles: ParticleSet,
    plane: str,
    centre: Centre | str,
    half_width: float | None,
    unit: float = 1.0,
    *,
    noted: bool = True,
) -> Window:
    """Return the window on some particles: what is asked for, else the whole of a periodic box, else most of them.

    Parameters
    ----------
    particles : ParticleSet
        Particles to be seen.
    plane : str
        The two axes.
    centre : str or array_like, shape (3,)
        What is in the middle; see `centre_of`.
    half_width : float, optional
        Half the width, and the height.
    unit : float
        Factor of lengths when they are shown: edges are round numbers then.
    noted : bool
        Whether a note gives the number of particles that are too far out to be seen.
    """
    check_window(plane, centre, half_width)
    whole = half_box(particles, plane)
    if whole is None:
        particles = without_far(particles, noted=noted)
    middle = centre_of(particles, centre)
    if half_width is None and whole is not None:
        return Window(plane, middle, *whole)
    width = half_width or rounded_up(unit * typical_radius(particles, middle)) / unit
    if isinstance(centre, str):
        middle = snapped(unit * middle, unit * width) / unit
    return Window(plane, middle, width, width)


def without_far(particles: ParticleSet, *, noted: bool = True) -> ParticleSet:
    """Return the particles without those that are far out, which would make the others a point; a note about them."""
    if len(particles) == 0:
        return particles
    check_drawable("position", particles.position)
    middle = typical_position(particles.position, particles.box)
    away = np.linalg.norm(offsets_from(middle, particles.position, particles.box), axis=1)
    limits = [(times * float(np.quantile(away, share, method="lower")), share, times) for share, times in FAR]
    limit, share, times = min((each for each in limits if each[0] > 0), default=(np.inf, *FAR[0]))
    far = away > limit
    count = int(far.sum())
    if count == 0:
        return particles
    if noted:
        most = f"{100 * share:g} %" if len(particles) * (1 - share) >= 1 else "most"
        warn(
            f"{count} of {len(particles):,} particles are more than {times:,.0f} times as far out as {most} of them:"
            " the picture is of the others"
        )
    near = ParticleSet.from_columns(position=particles.position[~far], mass=particles.mass[~far])
    near.box = particles.box
    return near


def half_box(particles: ParticleSet, plane: str) -> tuple[float, float] | None:
    """Return half the sides of a picture of a box that is periodic along both axes of a plane; None in other boxes.

    One side is at most twice the other, with empty space beside a box that is thinner.
    """
    across, up = (0.5 * float(np.ptp(particles.box[:, AXES.index(axis)])) for axis in plane)
    return (max(across, 0.5 * up), max(up, 0.5 * across)) if np.isfinite(across + up) else None


def centre_of(particles: ParticleSet, choice: Centre | str) -> Floats:
    """Return the middle of a picture: the point that is given, or what is named.

    ``"box"`` is the middle of a periodic box, along open axes the centre of mass; ``"mass"`` the centre of mass,
    ``"densest"`` the centre of mass of the 32 particles about the one whose neighbours are nearest.
    """
    check_drawable("position", particles.position)
    check_drawable("mass", particles.mass)
    if not isinstance(choice, str):
        return _point(choice)
    if choice == "origin":
        return np.zeros(3)
    if choice == "densest":
        return _densest(particles)
    mass, box = particles.mass, np.asarray(particles.box)
    mean = mean_position(particles.position, mass if mass.sum() > 0 else np.ones(len(mass)), box)
    if choice == "box":
        periodic = np.isfinite(box[0])
        mean[periodic] = box[:, periodic].mean(axis=0)
    return mean


def typical_radius(particles: ParticleSet, centre: Floats) -> float:
    """Distance from a centre within which most of the particles are."""
    away = offsets_from(centre, particles.position, particles.box)
    return float(np.quantile(np.linalg.norm(away, axis=1), HELD)) or 1.0


def rounded_up(value: float) -> float:
    """Return the next round number from a positive one on."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(each for each in ROUND if each * power >= value * (1 - 1e-9)) * power


def snapped(centre: Floats, half_width: float) -> Floats:
    """Return a centre that gives round edges, nearer than a fortieth of the half width."""
    step = half_width / 20
    power = 10.0 ** math.floor(math.log10(step))
    step = max(each for each in (1.0, 2.0, 5.0) if each * power <= step * (1 + 1e-9)) * power
    return np.round(centre / step) * step + 0.0  # no -0


def _point(centre: Sequence[float] | Floats) -> Floats:
    try:
        point = np.asarray(centre, dtype=float)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InputError(
            f"centre is {shown(centre)}, but must be three finite numbers, or {', '.join(get_args(Named))}"
        )
    return point


def _densest(particles: ParticleSet) -> Floats:
    position, mass, box = particles.position, particles.mass, particles.box
    rows, found = search(position, box, CLUMP)
    if found is None:
        return np.asarray(position[rows[0]])
    within = mass[rows] + mass[rows][found.rows].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.nan_to_num(within / found.distances[:, -1] ** 3, posinf=np.inf)
    first = int(density.argmax())
    clump = rows[np.append(found.rows[first], first)]
    place = position[rows[first]]
    weight = mass[clump] if mass[clump].sum() > 0 else np.ones(len(clump))
    return np.asarray(place + np.average(offsets_from(place, position[clump], box), axis=0, weights=weight))
