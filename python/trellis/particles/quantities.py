"""Columns and numbers as quantities of astropy, which know their unit. Needs the package astropy."""

from __future__ import annotations

import re
from math import prod
from typing import Any

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
        return values * _unit(_astropy(), text, units)
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
    astropy = _astropy()
    parts = re.fullmatch(rf"\s*({NUMBER})?\s*(.*?)\s*", text)
    assert parts is not None  # anything is a unit, perhaps of that name
    if not parts[2]:
        raise ValueError("a number without a unit")
    given = float(parts[1] or 1.0) * astropy.Unit(parts[2])
    asked = _unit(astropy, OF_PARAMETERS.get(unit, unit), units)
    try:
        value = given.to_value(asked, equivalencies=astropy.temperature_energy())
    except astropy.UnitConversionError:
        raise OtherKindError from None
    return float(f"{value:.15g}")  # digits beyond are the rounding of the conversion


def _unit(astropy: Any, text: str, units: Units | None) -> Any:
    """Return a unit, which may contain the particles' own length, mass and time; ValueError if it is not known."""
    own = [astropy.def_unit(each) for each in OF_PARTICLES]
    with astropy.add_enabled_units(own):
        unit = astropy.Unit(text)
    if not any(base in own for base in unit.bases):
        return unit
    sizes = dict(zip(own, _sizes(astropy, units), strict=True))
    parts = (sizes.get(base, base) ** power for base, power in zip(unit.bases, unit.powers, strict=True))
    return prod(parts, start=astropy.Unit(unit.scale))


def _sizes(astropy: Any, units: Units | None) -> list[Any]:
    """Return length, mass and time as units of astropy."""
    if units is None or (units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s) == NO_SCALE:
        raise NoScaleError
    length, mass = units.length_in_cm * astropy.cm, units.mass_in_g * astropy.g
    time = units.length_in_cm / units.velocity_in_cm_per_s * astropy.s
    return [astropy.Unit(each) for each in (length, mass, time)]


def _astropy() -> Any:
    try:
        from astropy import units
    except ImportError:
        raise _core.RunError("quantities need the package astropy: pip install 'trellis-particles[units]'") from None
    return units
