"""Matter of an expanding space, soon after it was even."""

from __future__ import annotations

import numpy as np

from trellis._core import Cosmology
from trellis.config import CosmologyModel, checked
from trellis.cosmology.displacements import first_order, second_order
from trellis.cosmology.gaussian_field import Floats, density_waves, white_noise
from trellis.cosmology.lattice_growth import lattice_growth
from trellis.cosmology.linear_power import LinearPower
from trellis.io.rank_groups import own_share
from trellis.particles import ParticleSet
from trellis.units import GADGET, Units

_DEFAULT = CosmologyModel()


def cosmology(
    cosmology: Cosmology,
    particles: int = _DEFAULT.particles,
    *,
    seed: int = _DEFAULT.seed,
    box: float = _DEFAULT.box,
    redshift: float = _DEFAULT.redshift,
    displacements: str = _DEFAULT.displacements,
    power: str = _DEFAULT.power,
    fixed: bool = _DEFAULT.fixed,
    paired: bool = _DEFAULT.paired,
    lattice_until: float | None = _DEFAULT.lattice_until,
    units: Units = GADGET,
) -> ParticleSet:
    """Matter at a redshift, displaced from a lattice by a Gaussian random field, in a periodic cube from 0.

    With the same seed, all numbers of particles have the same long waves. Velocities are canonical momenta p = a^2
    dx/dt, as a `Simulation` with a cosmology has them; `write_snapshot` turns them into Gadget's. Particles of lattice
    point (i, j, k) of n^3 have the id (i n + j) n + k. Under mpirun each rank makes the field of all and keeps its
    share, for which it needs the memory: some 250 bytes for each particle of all.

    Parameters
    ----------
    cosmology : Cosmology
        The space, with `h`, `omega_b`, `n_s`, and `sigma_8` or `A_s`; those not, if the power is a table.
    particles : int
        Number of particles: a cube, such as 64^3, the nearest to this one.
    seed : int
        Seed of the random numbers.
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
        has them.
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
        "box": box,
        "redshift": redshift,
        "displacements": displacements,
    }
    given |= {"power": power, "fixed": fixed, "paired": paired, "lattice_until": lattice_until}
    wanted = checked(CosmologyModel, given)
    cells, a = max(1, round(np.cbrt(wanted.particles))), 1 / (1 + wanted.redshift)
    spectrum = LinearPower(cosmology, wanted.power, redshift=wanted.redshift, units=units)
    noise = white_noise(cells, wanted.seed, fixed=wanted.fixed, paired=wanted.paired)
    contrast = density_waves(noise, lambda k: spectrum(k, a), wanted.box)
    own = own_share(cells**3)
    points = np.stack(np.unravel_index(np.arange(own.start, own.stop), (cells,) * 3), axis=1)
    position = points * (wanted.box / cells)
    momentum = np.zeros_like(position)
    rate = a**2 * cosmology.hubble(a)

    def move(place: list[Floats], speed: list[Floats], size: float, growth: float) -> None:
        for axis in range(3):
            position[:, axis] += size * place[axis].reshape(-1)[own]
            momentum[:, axis] += rate * size * growth * speed[axis].reshape(-1)[own]

    if wanted.lattice_until is None:
        first = first_order(contrast, wanted.box)
        move(first, first, 1.0, cosmology.f1(a))
    else:
        lattice = lattice_growth(cells)
        still = cosmology.D1(1 / (1 + wanted.lattice_until)) / cosmology.D1(a)  # how much they will grow until then
        raised = contrast * still ** (1 - lattice.exponent)
        place, speed = (first_order(waves, wanted.box, lattice.slopes) for waves in (raised, raised * lattice.exponent))
        move(place, speed, 1.0, cosmology.f1(a))
    if wanted.displacements == "second-order":
        second = second_order(contrast, wanted.box)
        move(second, second, cosmology.D2(a) / cosmology.D1(a) ** 2, cosmology.f2(a))
    mass = cosmology.mean_density(units.G) * wanted.box**3 / cells**3
    made = ParticleSet.from_columns(
        position=position % wanted.box, mass=mass, velocity=momentum, id=np.arange(own.start, own.stop, dtype=np.uint64)
    )
    made.box = np.array([[0.0] * 3, [wanted.box] * 3])
    return made
