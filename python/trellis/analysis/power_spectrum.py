"""The power spectrum of particles in a periodic box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trellis.analysis.mesh_assignment import assigned, check_cells, noise_on_mesh, window
from trellis.analysis.particle_input import chosen, lengths_from_box
from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles import ParticleSet

Floats = NDArray[np.float64]

ORDERS = (2, 3, 4)


@dataclass(frozen=True)
class PowerSpectrum:
    """Power of the density contrast, averaged over shells of waves; k is 2 pi over a wavelength.

    Attributes
    ----------
    k : array, shape (shells,)
        Mean wave number of each shell (1 / length).
    power : array, shape (shells,)
        V <|delta_k|^2>, the power (length^3).
    modes : array of int, shape (shells,)
        Waves in each shell; one and its opposite, which has the same power, are two.
    shot_noise : float
        Shot noise subtracted at small k: V / N of N equal particles; 0 if nothing was.
    """

    k: Floats
    power: Floats
    modes: NDArray[np.int64]
    shot_noise: float

    @property
    def error(self) -> Floats:
        """Standard deviation of the power of a Gaussian field in `modes` waves: (P + shot noise) (2 / modes)^(1/2)."""
        return np.asarray((self.power + self.shot_noise) * np.sqrt(2.0 / self.modes))


@checked_arguments()
@world.collective
def power_spectrum(
    particles: ParticleSet,
    cells: int = 128,
    *,
    order: int = 3,
    type: int | None = None,  # noqa: A002
    subtract_shot_noise: bool = True,
) -> PowerSpectrum:
    """Power spectrum of the mass of particles, up to the Nyquist wave of a mesh.

    Two meshes, shifted by half a cell (Sefusatti et al. 2016, MNRAS 460, 3624), are transformed, and what assignment
    takes away is given back. Of particles at random the power is 0: their shot noise, V times the sum of the squares of
    the masses over the square of their sum, is subtracted, with what of it the mesh folds back (Jing 2005, ApJ 620,
    559). Particles near a lattice, as those of initial conditions, have none. Shells are as wide as the longest wave's
    number 2 pi / L. Under mpirun all ranks call this, each assigns its own particles, and all have the same result.

    Parameters
    ----------
    particles : ParticleSet
        Particles in a box that is periodic along all axes.
    cells : int
        Points of the mesh along each axis.
    order : int
        Order of the assignment: 2 (cloud in cell), 3 or 4. Beyond half of Nyquist's wave number errors are less than
        0.1 % of the power with 4, and 1 % with 3, if the power falls as that of matter does.
    type : int, optional
        Gadget's number of the type of particles, if not all.
    subtract_shot_noise : bool
        False for particles near a lattice.

    Raises
    ------
    ValueError
        If the box is not periodic along all axes, there are no particles with a mass, or an argument is out of its
        range.
    """
    check_cells(cells)
    if order not in ORDERS:
        raise InputError(f"order is {order}, but must be one of 2, 3, 4")
    position, mass = (particles.column(name)[chosen(particles, type)] for name in ("position", "mass"))
    sides = lengths_from_box(particles.box, "a power spectrum")
    positions = (position - particles.box[0]) / sides
    masses = world.gather((mass.sum(), (mass**2).sum()))
    total, squares = (sum(each) for each in zip(*masses, strict=True))
    if not total > 0:
        raise InputError("a power spectrum is wanted of particles without mass")
    contrast = _waves(positions, mass * (cells**3 / total), cells, order)
    volume = float(sides.prod())
    noise = volume * squares / total**2 if subtract_shot_noise else 0.0
    power = np.abs(contrast / cells**3) ** 2 * volume
    if noise > 0:
        power -= noise * noise_on_mesh(cells, order)
    return PowerSpectrum(*_shells(power, cells, sides), noise)


def _waves(positions: Floats, weights: Floats, cells: int, order: int) -> NDArray[np.complex128]:
    """Return the waves of all ranks' weights on two meshes, as of rfftn, with the factor of assignment taken out."""
    meshes = [sum(world.gather(assigned(positions, weights, cells, order, shift))) for shift in (0.0, 0.5)]
    whole, shifted = (np.fft.rfftn(mesh) for mesh in meshes)
    wave = np.fft.fftfreq(cells)
    back = np.exp(1j * np.pi * wave)  # by half a cell
    half = slice(cells // 2 + 1)
    own = window(cells, order)
    both = 0.5 * (whole + shifted * (back[:, None, None] * back[:, None] * np.exp(1j * np.pi * np.abs(wave[half]))))
    return np.asarray(both / (own[:, None, None] * own[:, None] * own[half]))


def _shells(power: Floats, cells: int, sides: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return mean k, mean power and the number of waves of each shell up to the mesh's Nyquist wave."""
    longest = 2 * np.pi / sides.max()
    along = [2 * np.pi / side * cells * np.fft.fftfreq(cells) for side in sides]
    along[2] = np.abs(along[2][: cells // 2 + 1])
    k = np.sqrt(along[0][:, None, None] ** 2 + along[1][:, None] ** 2 + along[2] ** 2)
    times = np.full(k.shape, 2.0)  # of rfftn's waves, most stand for their opposites as well
    times[:, :, 0] = 1.0
    if cells % 2 == 0:
        times[:, :, -1] = 1.0
    shell = np.rint(k / longest).astype(np.int64)
    last = cells // 2  # Nyquist's wave of the mesh's widest cells
    inside = (shell >= 1) & (shell <= last)
    which = shell[inside]
    count = np.bincount(which, times[inside], minlength=last + 1)[1:]
    sums = [np.bincount(which, (times * each)[inside], minlength=last + 1)[1:] for each in (k, power)]
    some = count > 0
    return sums[0][some] / count[some], sums[1][some] / count[some], count[some].astype(np.int64)
