"""Meaning of a file's attributes: its units, its box, and whether space expands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.io.gadget_layout import BOX, COMOVING, CONSTANT, LENGTH, MASS, VELOCITY, number
from trellis.io.layouts.codes import PERIODIC, SCALE_FACTOR, TIME_UNIT, found_in
from trellis.particles.particle_set import OPEN_BOX
from trellis.units import Units

ROUNDING = 1e-5
"""Relative difference allowed between a time in single precision and that of a redshift."""


def units_in(file: Any) -> Units | None:
    """Return the units that an open file names, None if it names none."""
    return units_of_attributes(found_in(file))


def units_of_attributes(found: Mapping[str, Any]) -> Units | None:
    """Return the units that attributes name, None if they name none."""
    length, mass, velocity, time = (number(found, name) for name in (LENGTH, MASS, VELOCITY, TIME_UNIT))
    if velocity <= 0 and length > 0 and time > 0:
        velocity = length / time
    if min(length, mass, velocity) <= 0:
        return None
    return Units(length, mass, velocity, number(found, CONSTANT) or None)


def is_cosmological(found: Mapping[str, Any]) -> bool:
    """Return whether the attributes of a file are those of an expanding space.

    As they say; else if there are a matter density and a Hubble constant, and a scale factor: one that is named so, the
    time if it is 1 / (1 + redshift), or a redshift above 0 without a time.
    """
    if COMOVING in found:
        return number(found, COMOVING) > 0
    if number(found, "Omega0") <= 0 or number(found, "HubbleParam") <= 0:
        return False
    time, redshift = number(found, "Time"), number(found, "Redshift")
    return number(found, SCALE_FACTOR) > 0 or (time == 0 < redshift) or abs(time * (1 + redshift) - 1) < ROUNDING


def scale_factor_of(found: Mapping[str, Any]) -> float:
    """Return the scale factor that attributes have: the time, where they neither have a redshift nor say otherwise.

    Raises
    ------
    ValueError
        If the time cannot be one, or a redshift disagrees with it.
    """
    time, redshift, scale = (number(found, name) for name in ("Time", "Redshift", SCALE_FACTOR))
    if scale > 0:
        if redshift > 0 and abs(scale * (1 + redshift) - 1) >= ROUNDING:
            raise InputError(
                f"the scale factor is {scale:g}, but 'Redshift' {redshift:g}: it must be 1 / (1 + Redshift)"
            )
        return scale
    if time == 0 and redshift > 0:
        return 1 / (1 + redshift)
    said = number(found, COMOVING) > 0 if COMOVING in found else "Redshift" not in found
    if time <= 0 or not (said or abs(time * (1 + redshift) - 1) < ROUNDING):
        raise InputError(
            f"'Time' is {time:g} and 'Redshift' {redshift:g}, but in expanding space the time is the scale factor,"
            " 1 / (1 + Redshift)"
        )
    return time


def box_of(found: Mapping[str, Any], factor: float) -> NDArray[np.float64]:
    """Return the faces of the box: ours; else from 0 to BoxSize, one number or three, where it is above 0.

    Parameters
    ----------
    found : mapping
        Attributes of the file.
    factor : float
        By which lengths of the file are multiplied.
    """
    if BOX in found:
        return np.asarray(found[BOX], dtype=np.float64)
    if PERIODIC in found and not _flag(found[PERIODIC]):
        return OPEN_BOX
    sides = factor * np.resize(np.asarray(found.get("BoxSize", 0.0), dtype=np.float64), 3)
    return np.array([np.zeros(3), sides]) if (sides > 0).all() else OPEN_BOX


def _flag(value: Any) -> bool:
    """Return a flag that SWIFT writes as text."""
    text = value.decode() if isinstance(value, bytes) else str(value)
    return text.strip() not in ("0", "0.0", "[0]")
