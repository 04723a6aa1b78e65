"""Columns as quantities of astropy, which know their unit. Needs the package astropy."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from trellis import _core
from trellis.units import NBODY, Units

if TYPE_CHECKING:
    from trellis.particles import ParticleSet

OF_PARTICLES = ("length", "mass", "time")  # units that fields name, which differ from set to set
NO_SCALE = (NBODY.length_in_cm, NBODY.mass_in_g, NBODY.velocity_in_cm_per_s)


def quantity(particles: ParticleSet, name: str, units: Units | None) -> Any:
    """Return a column as a quantity; see `ParticleSet.quantity`."""
    values = particles.column(name)
    text, _ = particles.field_info(name)
    astropy = _astropy()
    own = [astropy.def_unit(each) for each in OF_PARTICLES]
    try:
        with astropy.add_enabled_units(own):
            unit = astropy.Unit(text)
    except ValueError:
        raise _core.InputError(
            f"field '{name}' has the unit '{text}': allowed are {', '.join(OF_PARTICLES)} and the units of astropy"
        ) from None
    if any(base in own for base in unit.bases):
        sizes = dict(zip(own, _sizes(astropy, name, text, units), strict=True))
        parts = (sizes.get(base, base) ** power for base, power in zip(unit.bases, unit.powers, strict=True))
        unit = prod(parts, start=astropy.Unit(unit.scale))
    return values * unit


def _sizes(astropy: Any, name: str, text: str, units: Units | None) -> list[Any]:
    """Return length, mass and time as units of astropy."""
    if units is None or (units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s) == NO_SCALE:
        size = "whose size is not given" if units is None else "which has no size in N-body units"
        raise _core.InputError(
            f"field '{name}' is in the particles' own unit '{text}', {size}: give units, such as"
            f" quantity('{name}', trellis.units.GADGET), or those of a snapshot"
        )
    length, mass = units.length_in_cm * astropy.cm, units.mass_in_g * astropy.g
    time = units.length_in_cm / units.velocity_in_cm_per_s * astropy.s
    return [astropy.Unit(each) for each in (length, mass, time)]


def _astropy() -> Any:
    try:
        from astropy import units
    except ImportError:
        raise _core.RunError("quantities need the package astropy: pip install 'trellis-particles[units]'") from None
    return units
