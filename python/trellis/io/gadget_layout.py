"""Gadget's HDF5 format: names of datasets and attributes, and the values of attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.particles.known_fields import KNOWN, TYPE_NAMES

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

GAS_FIELDS = {name: astuple(KNOWN[name])[1:] for name in ("internal_energy", "density", "smoothing_length")}
"""Fields that are there only where a file has them: components, unit and meaning."""

TYPES = len(TYPE_NAMES)

TYPE_FIELD = astuple(KNOWN["type"])

LENGTH, MASS, VELOCITY = "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"
CONSTANT = "GravityConstantInternal"  # Gadget-4: zero if it is to follow from the units

COMOVING = "ComovingIntegrationOn"  # in Parameters, of GIZMO in Header

BOX = "Box"
"""Attribute of our headers: low and high faces, infinite along axes that are open."""

COLUMNS = "Columns"
"""Attribute of our headers: the columns of the file, with ``, `` between them, so that a changed name is found."""

FRACTION, ONLY_TYPES, LEFT_OUT = "SubsetFraction", "SubsetTypes", "ColumnsLeftOut"
"""Attributes of our headers where a snapshot has not all there is: the last two are names with ``, `` between them."""


def attributes(file: h5py.File, group: str) -> dict[str, Any]:
    """Attributes of a group of the file, none if it has no such group."""
    return dict(file[group].attrs) if group in file else {}


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
        raise InputError(f"'{name}' is {shown(given)}, but must be a finite number")
    return value


def counts(found: Mapping[str, Any], name: str) -> NDArray[np.int64]:
    """Value of an attribute with one whole number for each type; zeros if it is not there."""
    values = np.zeros(TYPES, dtype=np.int64)
    given = found.get(name, ())
    try:
        numbers = np.ravel(np.asarray(given, dtype=np.int64))[:TYPES]
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"'{name}' is {shown(given)}, but must be whole numbers") from None
    values[: len(numbers)] = numbers
    return values


def shown(given: Any) -> str:
    """Return a value of an attribute as a sentence shows it."""
    return repr(given.tolist() if isinstance(given, (np.ndarray, np.generic)) else given)
