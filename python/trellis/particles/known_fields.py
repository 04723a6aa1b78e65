"""Fields of known meaning that not every set has: they are added by what is assigned to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.errors import InputError, did_you_mean
from trellis.particles.columns import Declaration

TYPE_NAMES = ("gas", "halo", "disk", "bulge", "stars", "boundary")
"""Particle types, by their numbers."""

KNOWN = {
    field.name: field
    for field in (
        Declaration("type", 1, "", "Gadget's particle type, 0 to 5"),
        Declaration("softening", 1, "length", "softening length of gravity"),
        Declaration("kind", 1, "", "kind of a particle, 0, 1, ..., for forces with tables by kinds"),
        Declaration("charge", 1, "charge", "electric charge"),
        Declaration("internal_energy", 1, "length^2 / time^2", "internal energy of a unit of mass"),
        Declaration("smoothing_length", 1, "length", "radius of the smoothing kernel's support"),
        Declaration("density", 1, "mass / length^3", "density"),
        Declaration("fixed", 1, "", "not 0: the particle keeps its velocity, whatever acts on it"),
    )
}
"""Their declarations, which are those of the forces that read or write them."""

OF_GAS = ("internal_energy", "smoothing_length", "density")

COMPUTED = [
    "external_potential",
    "virial",
    "neighbour_number",
    "density_slope",
    "density_curvature",
    "internal_energy_rate",
    "isothermal_energy",
    "pressure",
    "sound_speed",
    "signal_speed",
    "signal_step",
    "velocity_divergence",
    "velocity_curl",
    "viscosity",
    "inverse_smoothing_length",
    "force_weight",
    "potential_slope",
    "softening_weight",
    "tides_diagonal",
    "tides_beside",
    "rung",
]
"""Fields that forces and individual time steps add, and compute: particles that lack them begin with 0."""

GAS, HALO = (float(TYPE_NAMES.index(name)) for name in ("gas", "halo"))


def fixed_rows(particles: _core.ParticleSet) -> NDArray[np.bool_]:
    """Return a mask of the particles that are fixed."""
    if "fixed" not in particles.field_names:
        return np.zeros(particles.size, dtype=bool)
    return np.asarray(particles.column("fixed") != 0)


def default_of(name: str, *, of_gas: bool) -> float:
    """Return the value that particles have which lack a known field: 0, but the type of a set that is no gas is 1."""
    return HALO if name == "type" and not of_gas else 0.0


def numbers_of(name: str, value: Any) -> Any:
    """Return the values of a field with numbers in place of the names of types and of the truth values of ``fixed``."""
    if name == "type":
        return numbers_of_types(value)
    if name == "fixed" and not np.ma.isMaskedArray(value) and np.asarray(value).dtype.kind == "b":
        return np.asarray(value, dtype=float)
    return value


def numbers_of_types(value: Any) -> Any:
    """Return the numbers of types in place of their names: of one name, or of a list or an array of names.

    Other values are returned as given; a ValueError for a name or a number that is no type.
    """
    try:
        given = np.asarray(value)
    except Exception:
        return value
    if given.dtype.kind in "iuf" and not (np.isin(given, range(len(TYPE_NAMES)))).all():
        wrong = given[~np.isin(given, range(len(TYPE_NAMES)))].flat[0]
        raise InputError(f"column 'type' is given {wrong:g}, but must be 0 to 5, or names: {', '.join(TYPE_NAMES)}")
    if given.size == 0 or not all(isinstance(each, (str, bytes)) for each in given.flat[:1]):
        return value
    names, places = np.unique(given.astype(str), return_inverse=True)
    for name in names:
        if name not in TYPE_NAMES:
            raise InputError(f"column 'type' is given '{name}': {did_you_mean(name, TYPE_NAMES)}")
    return np.array([float(TYPE_NAMES.index(name)) for name in names])[places].reshape(given.shape)


def no_such_field(name: str, there: list[str]) -> str:
    """Return the sentence about a field that a set has not, which says how it comes to have it."""
    start = f"the particles have no field '{name}': they have {', '.join(there)}"
    if name in KNOWN:
        return f"{start}; assigning to '{name}' adds it"
    close = did_you_mean(name, [*there, *KNOWN])
    if close.startswith("did"):
        return f"{start}; {close}"
    return f"{start}; add_field('{name}', values=...) adds one of your own, and assigning adds {', '.join(KNOWN)}"
