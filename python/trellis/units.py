"""Systems of units: what one unit of length, mass and velocity is, and the gravitational constant that follows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from trellis.arguments import has_unit, is_number, shown
from trellis.errors import InputError

__all__ = ["GADGET", "GIGAYEAR", "G_CGS", "KPC", "NBODY", "SOLAR_MASS", "Units"]

G_CGS = 6.672e-8  # cm^3 g^-1 s^-2: the value of Gadget-2, so that its files give the G they were made with
KPC = 3.085678e21  # cm
SOLAR_MASS = 1.989e33  # g
GIGAYEAR = 3.15576e16  # s


@dataclass(frozen=True)
class Units:
    """A system of units.

    Attributes
    ----------
    length_in_cm, mass_in_g, velocity_in_cm_per_s : float
        The units in cgs.
    constant : float or None
        Gravitational constant in these units if it is laid down; otherwise it follows from the three units.
    comoving : bool
        True in expanding space: lengths are comoving, lengths and masses over h, and the time is the
        scale factor.

    Raises
    ------
    ValueError
        If a unit is not a number above 0.
    """

    length_in_cm: float
    mass_in_g: float
    velocity_in_cm_per_s: float
    constant: float | None = None
    comoving: bool = False

    def __post_init__(self) -> None:
        for name in ("length_in_cm", "mass_in_g", "velocity_in_cm_per_s", "constant"):
            size = getattr(self, name)
            if name == "constant" and size is None:
                continue
            if not is_number(size) or not 0 < size < math.inf:
                how = ", such as that of .to_value()" if has_unit(size) else ""
                raise InputError(f"{name} is {shown(size)}, but must be a number above 0{how}")

    @property
    def G(self) -> float:
        """Gravitational constant in these units."""
        if self.constant is not None:
            return self.constant
        return G_CGS * self.mass_in_g / (self.length_in_cm * self.velocity_in_cm_per_s**2)

    @property
    def H100(self) -> float:
        """100 km/s/Mpc in these units: the Hubble constant where lengths and masses are over h."""
        return 100 * (self.length_in_cm / KPC) / 1000 / (self.velocity_in_cm_per_s / 1e5)

    @property
    def have_size(self) -> bool:
        """True if they have sizes in cm, g and cm/s, unlike N-body units."""
        return replace(self, constant=NBODY.constant, comoving=False) != NBODY

    def __str__(self) -> str:
        if not self.have_size:
            return f"N-body units (G = {self.G:g})"
        over = "/h" if self.comoving else ""
        length = f"{self.length_in_cm / KPC:.6g} kpc{over}"
        mass = f"{self.mass_in_g / SOLAR_MASS:.6g} solar masses{over}"
        return f"units of {length}, {mass}, {self.velocity_in_cm_per_s / 1e5:.6g} km/s (G = {self.G:.6g})"


NBODY = Units(1.0, 1.0, 1.0, constant=1.0)
"""N-body units: G = 1, and for the models of `trellis.ic` a total mass of 1 and a total energy of -1/4."""

GADGET = Units(KPC, 1e10 * SOLAR_MASS, 1e5)
"""Gadget's usual units: kpc, 1e10 solar masses, km/s; G = 43007.1."""


def check_hubble(H0: float, units: Units, name: str = "H0") -> None:
    """Raise a ValueError unless a Hubble constant is 20 to 200 km/s/Mpc in these units: others have other units."""
    low, high = 0.2 * units.H100, 2 * units.H100
    if not low <= H0 <= high:
        raise InputError(
            f"{name} is {H0:g}, which is {100 * H0 / units.H100:.6g} km/s/Mpc in {units}: allowed is {low:g} to"
            f" {high:g}, and {units.H100:g} where lengths and masses are over h"
        )


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
