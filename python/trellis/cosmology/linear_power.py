"""The linear power spectrum of matter, and the fluctuations of its mass in spheres."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.cosmology import eisenstein_hu
from trellis.cosmology.power_table import interpolated, power_by_camb, read_power_table
from trellis.errors import InputError
from trellis.units import GADGET, KPC, SOLAR_MASS, Units, check_hubble

if TYPE_CHECKING:
    from trellis._core import Cosmology

Floats = NDArray[np.float64]

FORMULAE = {"eisenstein-hu": eisenstein_hu.with_wiggles, "no-wiggle": eisenstein_hu.without_wiggles}
CAMB = "camb"

LIGHT = 299_792.458  # km/s
PIVOT = 0.05  # 1 / Mpc, at which A_s is
LOWEST, HIGHEST = 1e-5, 1e3  # h / Mpc, between which integrals over k run
POINTS = 16384  # points of such an integral, even in ln k


class LinearPower:
    """The linear power spectrum of matter at all times, which grows as the square of `Cosmology.D1`.

    Lengths are in the units of a run; in those with h, such as kpc/h, as without.

    Parameters
    ----------
    cosmology : Cosmology
        With `h`, `omega_b`, `n_s`, and `sigma_8` or `A_s`; for a text file none is needed, and `sigma_8` scales it.
    source : str or Path
        ``"eisenstein-hu"``: the formula of Eisenstein & Hu (1998), within 5 %, whose sigma_8 of `A_s` is about 1 %
        above CAMB's; ``"no-wiggle"``, theirs without acoustic oscillations; ``"camb"``: by the package camb; else a
        text file with k in h/Mpc and P in (Mpc/h)^3, as CAMB and CLASS write it.
    redshift : float
        Redshift of the table, or of CAMB's power: that of the initial conditions, so that they have this power.
    units : Units
        Units of length and velocity of the run.

    Attributes
    ----------
    megaparsec, solar_mass : float
        Mpc/h and solar masses over h, in the run's units.

    Raises
    ------
    ValueError
        If the cosmology lacks what is needed, its H0 is not in these units, or there is no such table.
    RuntimeError
        If there is no package camb.
    """

    def __init__(
        self,
        cosmology: Cosmology,
        source: str | Path = "eisenstein-hu",
        *,
        redshift: float = 0.0,
        units: Units = GADGET,
    ) -> None:
        self.cosmology, self.source, self.redshift = cosmology, str(source), redshift
        check_hubble(cosmology.H0, units)
        over_h = units.H100 / cosmology.H0  # 1 where the run's units have it
        self.megaparsec = 1000 * KPC / units.length_in_cm * over_h
        self.solar_mass = SOLAR_MASS / units.mass_in_g * over_h
        self._density = cosmology.mean_density(units.G)
        of_formula = self.source in FORMULAE
        missing: list[str] = []
        if of_formula or self.source == CAMB:
            missing += [name for name in ("h", "omega_b", "n_s") if getattr(cosmology, name) is None]
            missing += ["sigma_8 (or A_s)"] if cosmology.sigma_8 is None and cosmology.A_s is None else []
        if missing:
            raise InputError(f"the linear power spectrum by {self.source} needs {', '.join(missing)} of the cosmology")
        self._factor = 1.0
        if of_formula:
            self._highest = HIGHEST
        else:
            table = power_by_camb(cosmology, redshift) if self.source == CAMB else read_power_table(Path(source))
            self._table, self._highest = interpolated(table), float(table[-1, 0])
        if cosmology.sigma_8 is not None:
            self._factor = (cosmology.sigma_8 / float(self.sigma(8 * self.megaparsec))) ** 2

    def __call__(self, k: ArrayLike, a: float = 1.0) -> Floats:
        """Power at wave numbers.

        Parameters
        ----------
        k : array
            Wave numbers 2 pi / wavelength, above 0 (1 / length).
        a : float
            Scale factor.

        Returns
        -------
        array
            The power (length^3).
        """
        asked = np.asarray(k, dtype=np.float64)
        return self._factor * self.megaparsec**3 * self._in_megaparsecs(asked * self.megaparsec, a)

    def sigma(self, radius: ArrayLike, a: float = 1.0) -> Floats:
        """Root mean square of the linear density contrast in spheres of a radius (length), to 1e-4."""
        k = np.geomspace(LOWEST, self._highest, POINTS)
        weight = k**3 * self._factor * self._in_megaparsecs(k, a) / (2 * np.pi**2) * np.log(k[1] / k[0])
        radii = np.asarray(radius, dtype=np.float64) / self.megaparsec
        squares = [(weight * _sphere(k * each) ** 2).sum() for each in radii.ravel()]  # bits of any number of threads
        return np.sqrt(np.reshape(squares, radii.shape))

    def sigma_of_mass(self, mass: ArrayLike, a: float = 1.0) -> Floats:
        """Root mean square of the linear density contrast in spheres that have this mass on average."""
        return self.sigma(np.cbrt(np.asarray(mass) / (4 / 3 * np.pi * self._density)), a)

    @property
    def mean_density(self) -> float:
        """Mean density of matter in comoving coordinates (mass / length^3)."""
        return self._density

    def _in_megaparsecs(self, k: Floats, a: float) -> Floats:
        """Power in (Mpc/h)^3, of A_s if it is given, at wave numbers in h/Mpc."""
        cosmology = self.cosmology
        if self.source not in FORMULAE:
            return self._table(k) * (cosmology.D1(a) / cosmology.D1(1 / (1 + self.redshift))) ** 2
        h, n_s = cosmology.h, cosmology.n_s
        assert h is not None
        assert n_s is not None
        assert cosmology.omega_b is not None
        transfer = FORMULAE[self.source](k * h, cosmology.omega_m * h**2, cosmology.omega_b * h**2)
        primordial = 2 * np.pi**2 / k**3 * (cosmology.A_s or 1.0) * (k * h / PIVOT) ** (n_s - 1)
        growth = 0.4 * (k * LIGHT / 100) ** 2 / cosmology.omega_m * transfer * cosmology.D1(a)
        return np.asarray(primordial * growth**2)


def _sphere(x: Floats) -> Floats:
    """Fourier transform of a sphere, 1 at 0."""
    near = np.minimum(x, 0.1)  # beyond, its series is not used
    series = 1 - near**2 / 10 + near**4 / 280
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = 3 * (np.sin(x) - x * np.cos(x)) / x**3
    return np.where(x < 0.1, series, exact)
