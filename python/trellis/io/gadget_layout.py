"""Gadget's HDF5 format: names of datasets, and where codes of this family keep their units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.particles.particle_set import OPEN_BOX
from trellis.units import Units

DATASETS = {
    "position": "Coordinates",
    "velocity": "Velocities",
    "id": "ParticleIDs",
    "mass": "Masses",
    "potential": "Potential",
    "acceleration": "Acceleration",
    "internal_energy": "InternalEnergy",
    "density": "Density",
    "smoothing_length": "SmoothingLength",
}
"""Field and the dataset that holds it. Other fields are datasets of their own name."""

GAS_FIELDS = {
    "internal_energy": (1, "length^2 / time^2", "internal energy of a unit of mass"),
    "density": (1, "mass / length^3", "density"),
    "smoothing_length": (1, "length", "radius of the smoothing kernel's support"),
}
"""Fields that are there only where a file has them: components, unit and meaning, as those of `Sph`."""

TYPE_NAMES = ("gas", "halo", "disk", "bulge", "stars", "boundary")
"""Particle types, by their numbers."""

TYPES = len(TYPE_NAMES)

TYPE_FIELD = ("type", 1, "", "Gadget's particle type, 0 to 5")

LENGTH, MASS, VELOCITY = "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"
CONSTANT = "GravityConstantInternal"  # Gadget-4: zero if it is to follow from the units

COMOVING = "ComovingIntegrationOn"  # in Parameters, of GIZMO in Header

BOX = "Box"
"""Attribute of our headers: low and high faces, infinite along axes that are open."""

SWIFT = ("Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)")

FRACTION, ONLY_TYPES, LEFT_OUT = "SubsetFraction", "SubsetTypes", "ColumnsLeftOut"
"""Attributes of our headers where a snapshot has not all there is: the last two are names with ``, `` between them."""

ROUNDING = 1e-5
"""Relative difference allowed between a time in single precision and that of a redshift."""


def attributes(file: h5py.File, group: str) -> dict[str, Any]:
    """Attributes of a group of the file, none if it has no such group."""
    return dict(file[group].attrs) if group in file else {}


def read_units(file: h5py.File) -> Units | None:
    """Units from where Gadget-4 (Parameters), Arepo (Header), EAGLE or SWIFT (Units) have them; None if none has."""
    for group in ("Parameters", "Header", "Units"):
        found = attributes(file, group)
        if all(_positive(found, name) for name in (LENGTH, MASS, VELOCITY)):
            constant = number(found, CONSTANT)
            return Units(number(found, LENGTH), number(found, MASS), number(found, VELOCITY), constant or None)
        if all(_positive(found, name) for name in SWIFT):
            length, mass, time = (number(found, name) for name in SWIFT)
            return Units(length, mass, length / time)
    return None


def is_cosmological(found: Mapping[str, Any]) -> bool:
    """Whether the attributes of Header and Parameters are those of an expanding space.

    As they say; else if there are a matter density and a Hubble constant, and the time is the scale factor.
    """
    if COMOVING in found:
        return _positive(found, COMOVING)
    scale = number(found, "Time") * (1 + number(found, "Redshift"))
    return _positive(found, "Omega0") and _positive(found, "HubbleParam") and abs(scale - 1) < ROUNDING


def read_box(header: Mapping[str, Any]) -> NDArray[np.float64]:
    """Faces of the box: ours; else from 0 to BoxSize, one number or three, where it is above 0."""
    if BOX in header:
        return np.asarray(header[BOX], dtype=np.float64)
    sides = np.resize(np.asarray(header.get("BoxSize", 0.0), dtype=np.float64), 3)
    return np.array([np.zeros(3), sides]) if (sides > 0).all() else OPEN_BOX


def number(found: Mapping[str, Any], name: str) -> float:
    """Value of an attribute, a number or an array of one number; 0 if it is not there.

    Raises
    ------
    ValueError
        If it is no number, or not a finite one.
    """
    given = found.get(name, 0.0)
    try:
        value = float(np.ravel(given)[0])
    except (IndexError, TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"'{name}' is {_shown(given)}, but must be a finite number")
    return value


def counts(found: Mapping[str, Any], name: str) -> NDArray[np.int64]:
    """Value of an attribute with one whole number for each type; zeros if it is not there."""
    values = np.zeros(TYPES, dtype=np.int64)
    given = found.get(name, ())
    try:
        numbers = np.ravel(np.asarray(given, dtype=np.int64))[:TYPES]
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"'{name}' is {_shown(given)}, but must be whole numbers") from None
    values[: len(numbers)] = numbers
    return values


def _shown(given: Any) -> str:
    return repr(given.tolist() if isinstance(given, (np.ndarray, np.generic)) else given)


def _positive(found: Mapping[str, Any], name: str) -> bool:
    return number(found, name) > 0
