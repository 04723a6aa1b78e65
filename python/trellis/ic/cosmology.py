"""Matter of an expanding space at an early time, when its density is nearly even."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis._core import Cosmology
from trellis.config import CosmologyModel, checked
from trellis.cosmology.displacements import first_order, second_order
from trellis.cosmology.gaussian_field import density_waves, white_noise
from trellis.cosmology.lattice_growth import lattice_growth, power_lacked
from trellis.cosmology.linear_power import LinearPower
from trellis.cosmology.shared_mesh import SharedMesh, Waves
from trellis.cosmology.undisplaced import TILE, Glass, Lattice, Undisplaced
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.units import GADGET, Units

_DEFAULT = CosmologyModel()

TOO_SMALL = 4.0  # linear contrast today, root mean square in spheres as wide as the box, above which there is a note
LACKED = 5.0  # percent of the power at half of Nyquist's number that particles near a lattice lose until today
TOO_LATE = 1.0  # that of spheres of one particle at the start


def cosmology(
    cosmology: Cosmology,
    particles: int = _DEFAULT.particles,
    *,
    seed: int = _DEFAULT.seed,
    places: str = _DEFAULT.places,
    box: float = _DEFAULT.box,
    redshift: float = _DEFAULT.redshift,
    displacements: str = _DEFAULT.displacements,
    power: str = _DEFAULT.power,
    fixed: bool = _DEFAULT.fixed,
    paired: bool = _DEFAULT.paired,
    lattice_until: float | None = _DEFAULT.lattice_until,
    units: Units = GADGET,
) -> ParticleSet:
    """Matter at a redshift, displaced from a lattice or a glass by a Gaussian random field, in a periodic cube from 0.

    With the same seed, all numbers of particles have the same long waves. Velocities are canonical momenta p = a^2
    dx/dt, as a `Simulation` with a cosmology has them; `write_snapshot` turns them into Gadget's. Particles of lattice
    point (i, j, k) of n^3 have the id (i n + j) n + k. Under mpirun ranks share the fields by planes: each makes that
    of its own particles, which have the same bits for any number of ranks; more than n ranks leave some without any.

    Parameters
    ----------
    cosmology : Cosmology
        The space, with `h`, `omega_b`, `n_s`, and `sigma_8` or `A_s`; those not, if the power is a table.
    particles : int
        Number of particles: a cube, such as 64^3, the nearest to this one; of a glass, the cube of a multiple of 16.
    seed : int
        Seed of the random numbers.
    places : str
        Positions before particles are displaced: ``"lattice"``, a cubic one, or ``"glass"``, disordered and yet
        without a net force on any, made of tiles of 16^3 (`Glass`).
    box : float
        Side of the cube, comoving (length).
    redshift : float
        Redshift of the particles.
    displacements : str
        ``"second-order"`` (2LPT; Scoccimarro 1998) or ``"zeldovich"``.
    power : str
        The linear power spectrum; see `trellis.cosmology.LinearPower`. A table, or CAMB's, is that at the redshift.
    fixed : bool
        The amplitude of each wave is the mean one, and its phase alone is random.
    paired : bool
        The density contrast has the other sign: the second of a pair.
    lattice_until : float, optional
        Particles near a lattice pull less than matter does, and short waves grow slower (`lattice_growth`). They begin
        higher, so that at this redshift, not after the start's, they are as linear theory has them (Garrison et al.
        2016, MNRAS 461, 4125), and with the velocities of their own growth. If not given, they begin as linear theory
        has them, and a note says what they come to lack; at the start's own redshift nothing is raised.
    units : Units
        Units of the particles; by default kpc/h, 1e10 solar masses/h and km/s.

    Returns
    -------
    ParticleSet
        Equal masses, those of all matter.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the cosmology lacks what the power spectrum needs.
    RuntimeError
        If there is no package camb.
    """
    given: dict[str, object] = {
        "particles": particles,
        "seed": seed,
        "places": places,
        "box": box,
        "redshift": redshift,
        "displacements": displacements,
    }
    given |= {"power": power, "fixed": fixed, "paired": paired, "lattice_until": lattice_until}
    wanted = checked(CosmologyModel, given)
    a, glass = 1 / (1 + wanted.redshift), wanted.places == "glass"
    tile = TILE if glass else 1
    mesh = SharedMesh(tile * max(1, round(np.cbrt(wanted.particles) / tile)))
    spectrum = LinearPower(cosmology, wanted.power, redshift=wanted.redshift, units=units)
    _note_slips(spectrum, wanted, wanted.box / mesh.cells)
    if not glass and wanted.lattice_until is None:
        _note_lattice(spectrum, wanted, wanted.box / mesh.cells)
    noise = white_noise(mesh, wanted.seed, fixed=wanted.fixed, paired=wanted.paired)
    contrast = density_waves(mesh, noise, lambda k: spectrum(k, a), wanted.box)
    undisplaced: Undisplaced = Glass(mesh) if glass else Lattice(mesh)
    position, momentum = _displaced(undisplaced, mesh, contrast, cosmology, wanted)
    made = ParticleSet.from_columns(
        position=position % wanted.box,
        mass=cosmology.mean_density(units.G) * wanted.box**3 / mesh.cells**3,
        velocity=momentum,
        id=np.arange(len(position), dtype=np.uint64) + np.uint64(undisplaced.first_id),
    )
    made.box = np.array([[0.0] * 3, [wanted.box] * 3])
    return made


def _displaced(
    undisplaced: Undisplaced, mesh: SharedMesh, contrast: Waves, cosmology: Cosmology, wanted: CosmologyModel
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions and momenta of the particles of this rank, displaced by waves of the density contrast."""
    a = 1 / (1 + wanted.redshift)
    position = undisplaced.positions * (wanted.box / mesh.cells)
    momentum = np.zeros_like(position)
    rate = a**2 * cosmology.hubble(a)

    def move(place: list[Waves], size: float, growth: float, speed: list[Waves] | None = None) -> None:
        for axis in range(3):
            values = undisplaced.values(place[axis])
            position[:, axis] += size * values
            speeds = values if speed is None else undisplaced.values(speed[axis])
            momentum[:, axis] += rate * size * growth * speeds

    if wanted.lattice_until is None:
        move(first_order(mesh, contrast, wanted.box), 1.0, cosmology.f1(a))
    else:
        lattice = lattice_growth(mesh)
        still = cosmology.D1(1 / (1 + wanted.lattice_until)) / cosmology.D1(a)  # how much they will grow until then
        raised = contrast * still ** (1 - lattice.exponent)
        place, speed = (
            first_order(mesh, waves, wanted.box, lattice.slopes) for waves in (raised, raised * lattice.exponent)
        )
        move(place, 1.0, cosmology.f1(a), speed)
    if wanted.displacements == "second-order":
        move(second_order(mesh, contrast, wanted.box), cosmology.D2(a) / cosmology.D1(a) ** 2, cosmology.f2(a))
    return position, momentum


def _note_slips(spectrum: LinearPower, wanted: CosmologyModel, spacing: float) -> None:
    """Note a box that collapses as a whole, as one in other units does, and a start when matter has collapsed."""
    if float(spectrum.sigma(wanted.box / 2)) > TOO_SMALL:
        _note(
            f"ic.box is {wanted.box:g}, {wanted.box / spectrum.megaparsec:.3g} Mpc/h: such a box collapses as a whole"
            f" long before today; 100 Mpc/h is {100 * spectrum.megaparsec:g} in these units"
        )
    contrast = float(spectrum.sigma(_sphere_of_one(spacing), 1 / (1 + wanted.redshift)))
    if contrast > TOO_LATE:
        _note(
            f"ic.redshift is {wanted.redshift:g}, when spheres of one particle have a density contrast of"
            f" {contrast:.2g}: displacements by perturbation theory need one well below 1, at a higher redshift"
        )


def _note_lattice(spectrum: LinearPower, wanted: CosmologyModel, spacing: float) -> None:
    """Say how much power waves near a lattice come to lack, and until when they can be raised for it."""
    cosmology, a = spectrum.cosmology, 1 / (1 + wanted.redshift)
    growth = cosmology.D1(1.0) / cosmology.D1(a)
    lacked = [100 * power_lacked(share, growth) for share in (0.25, 0.5)]
    if lacked[1] < LACKED:
        return
    linear = cosmology.D1(1.0) / float(spectrum.sigma(_sphere_of_one(spacing)))  # growth at a contrast of 1
    later = np.geomspace(a, 1.0, 200)
    until = later[np.array([cosmology.D1(each) for each in later]) <= linear]
    redshift = wanted.redshift if len(until) == 0 else 1 / float(until[-1]) - 1
    _note(
        f"particles on a cubic lattice pull less than matter does: by redshift 0 waves of a quarter of Nyquist's number"
        f" lack {lacked[0]:.0f} % of their linear power, and of half {lacked[1]:.0f} %; ic.lattice_until ="
        f" {redshift:.2g} gives them what they would lack until spheres of one particle collapse"
    )


def _sphere_of_one(spacing: float) -> float:
    """Return the radius of a sphere with the volume of one particle."""
    return float(spacing * (3 / (4 * np.pi)) ** (1 / 3))


def _note(text: str) -> None:
    if world.rank() == 0:
        warn(text)
