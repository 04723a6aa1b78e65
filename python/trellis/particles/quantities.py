"""Columns and numbers as quantities of astropy, which know their unit. Needs the package astropy."""

from __future__ import annotations

import re
from math import log10, prod
from typing import Any

import numpy as np

from trellis import _core
from trellis.units import NBODY, Units

OF_PARTICLES = ("length", "mass", "time")  # units that fields name, which differ from set to set
ENERGY = "mass length^2 / time^2"
OF_PARAMETERS = {  # other words that parameters have for units
    "energy": ENERGY,
    "epsilon / k": ENERGY,
    "1 / sigma^3": "1 / length^3",
    "seconds": "s",
    "bytes": "byte",
    "radians": "rad",
}
SUN = "Msun"
NAMES = ("Mpc, kpc, pc, au, Rsun, km, m, cm, nm, Angstrom", f"{SUN}, Mearth, kg, g, u", "km / s, m / s, cm / s")
"""Units in which quantities of length, mass and velocity are shown; masses also in a power of ten of the Sun's."""
SAME_NAME = 1e-3  # share by which a kiloparsec or the Sun's mass may differ from that of astropy
NO_SCALE = (NBODY.length_in_cm, NBODY.mass_in_g, NBODY.velocity_in_cm_per_s)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


class NoScaleError(Exception):
    """A length, mass or time is asked for in units that have no size."""


class OtherKindError(Exception):
    """A quantity of another kind than the one asked for, such as a mass for a length."""


def quantity(particles: _core.ParticleSet, name: str, units: Units | None) -> Any:
    """Return a column as a quantity; see `ParticleSet.quantity`."""
    values = particles.column(name)
    text, _ = particles.field_info(name)
    try:
        astropy = _astropy()
        return (values * _unit(astropy, text, units)).to(_unit(astropy, text, units, named=True))
    except NoScaleError:
        size = "whose size is not given" if units is None else "which has no size in N-body units"
        raise _core.InputError(
            f"field '{name}' is in the particles' own unit '{text}', {size}: give units, such as"
            f" quantity('{name}', trellis.units.GADGET), or those of a snapshot"
        ) from None
    except ValueError:
        raise _core.InputError(
            f"field '{name}' has the unit '{text}': allowed are {', '.join(OF_PARTICLES)} and the units of astropy"
        ) from None


def in_unit(what: str, value: Any, unit: str, units: Units | None) -> Any:
    """Return the numbers of a quantity in a unit.

    Parameters
    ----------
    what : str
        Begins the sentence about what cannot be converted, such as ``column 'mass'``.
    value : quantity
        Of astropy, unyt or pint.
    unit : str
        A unit as fields name it; empty for a number without a unit.
    units : Units or None
        The sizes of the length, mass and time in it.

    Raises
    ------
    ValueError
        If it is of another kind, or `units` are needed and not given.
    """
    shown = unit_text(value)
    if not shown:
        return magnitudes_of(value)
    given = f"{what} is given in {shown}"
    astropy = _astropy()
    try:
        asked = _unit(astropy, unit, units)
    except NoScaleError:
        raise _core.InputError(
            f"{given}, but the particles' own unit '{unit}' has no size here: give plain numbers, or convert with"
            " from_columns(..., units=trellis.units.GADGET), or other units"
        ) from None
    try:
        return magnitudes_of(value) * astropy.Unit(shown).to(asked)
    except (ValueError, TypeError):  # a unit that astropy does not know, or one of another kind
        raise _core.InputError(f"{given}, but must have " + (f"a unit of '{unit}'" if unit else "no unit")) from None


def unit_text(value: Any) -> str:
    """Return the unit of a quantity as text, such as ``kpc``."""
    unit = getattr(value, "unit", None)
    return str(value.units if unit is None else unit).replace("**", "^").removeprefix("dimensionless")


def magnitudes_of(value: Any) -> Any:
    """Return the numbers of a quantity, in its own unit."""
    return np.asarray(value.magnitude if hasattr(value, "magnitude") else value.value)


def number_in(unit: str, text: str, units: Units | None) -> float:
    """Return the value of a text in a unit: a number with a unit of astropy, or such a unit alone.

    Parameters
    ----------
    unit : str
        A unit as parameters name it, in which ``length``, ``mass``, ``time`` and ``energy`` are those of `units`.
    text : str
        Such as ``"0.1 Myr"``, ``"1e10 Msun"`` or ``"kpc"``; for an energy also a temperature T, which stands for k T.
    units : Units or None
        The units of the particles.

    Raises
    ------
    ValueError
        If astropy does not know the unit of the text.
    OtherKindError
        If it is of another kind, such as a mass where a length is asked for.
    NoScaleError
        If `units` have no size, and that is needed.
    """
    parts = re.fullmatch(rf"\s*({NUMBER})?\s*(.*?)\s*", text)
    assert parts is not None  # anything is a unit, perhaps of that name
    if not parts[2]:
        raise ValueError("a number without a unit")
    try:
        astropy = _astropy()
    except _core.RunError:
        if parts[1] is None:
            raise ValueError("no number, and perhaps no unit") from None
        raise
    given = float(parts[1] or 1.0) * astropy.Unit(parts[2])
    asked = _unit(astropy, OF_PARAMETERS.get(unit, unit), units)
    try:
        value = given.to_value(asked, equivalencies=astropy.temperature_energy())
    except astropy.UnitConversionError:
        raise OtherKindError from None
    return float(f"{value:.15g}")  # digits beyond are the rounding of the conversion


def _unit(astropy: Any, text: str, units: Units | None, *, named: bool = False) -> Any:
    """Return a unit, which may contain the particles' own length, mass and time; ValueError if it is not known.

    named: in units with names, such as kpc, where those of the particles are near them.
    """
    own = [astropy.def_unit(each) for each in OF_PARTICLES]
    with astropy.add_enabled_units(own):
        unit = astropy.Unit(text)
    if not any(base in own for base in unit.bases):
        return unit
    sizes = dict(zip(own, _sizes(astropy, units, named=named), strict=True))
    parts = (sizes.get(base, base) ** power for base, power in zip(unit.bases, unit.powers, strict=True))
    return prod(parts, start=astropy.Unit(unit.scale))


def _sizes(astropy: Any, units: Units | None, *, named: bool) -> list[Any]:
    """Return length, mass and time as units of astropy."""
    if units is None or (units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s) == NO_SCALE:
        raise NoScaleError
    speed = units.velocity_in_cm_per_s * astropy.Unit("cm / s")
    sizes = (units.length_in_cm * astropy.cm, units.mass_in_g * astropy.g, speed)
    length, mass, velocity = (
        _nearest_name(astropy, size, names) if named else astropy.Unit(size)
        for size, names in zip(sizes, NAMES, strict=True)
    )
    return [length, mass, length / velocity]


def _nearest_name(astropy: Any, size: Any, names: str) -> Any:
    """Return a unit with a name that is as large, up to other values of constants; else the unit itself."""
    for name in names.split(", "):
        ratio = size.to_value(name)
        power = 10.0 ** round(log10(ratio)) if name == SUN else 1.0
        if abs(ratio / power - 1) < SAME_NAME:
            return astropy.Unit(power * astropy.Unit(name))
    return astropy.Unit(size)


def _astropy() -> Any:
    try:
        from astropy import units
    except ImportError:
        raise _core.RunError("quantities need the package astropy: pip install astropy") from None
    return units
