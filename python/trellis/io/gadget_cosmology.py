"""Expanding space in Gadget's layout: what headers say of it, and velocities, which are a dx/dt / sqrt(a) there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trellis._core import Cosmology
from trellis.io.gadget_files import open_snapshot, snapshot_files
from trellis.io.gadget_layout import COMOVING, number
from trellis.io.layouts.codes import found_in
from trellis.io.layouts.headers import units_of_attributes
from trellis.units import GADGET, GIGAYEAR, Units

VELOCITY_MEANING = "peculiar velocity a dx/dt over sqrt(a)"
OWN = {
    "omega_r": "OmegaRadiation",
    "w0": "DarkEnergyW0",
    "wa": "DarkEnergyWa",
    "omega_b": "OmegaBaryon",
    "sigma_8": "Sigma8",
    "A_s": "PrimordialAmplitude",
    "n_s": "PrimordialIndex",
}
"""Parameters that Gadget has no name for, and the attributes that have them in our files."""


ABOVE_ZERO = ("omega_b", "sigma_8", "A_s", "n_s")
"""Parameters of which other codes write 0 where they have none."""


def momentum_factor(scale_factor: float) -> float:
    """Return the factor from Gadget's velocities to momenta p = a^2 dx/dt."""
    return float(scale_factor**1.5)


def cosmology_of(found: Mapping[str, Any], units: Units) -> Cosmology | None:
    """Return the cosmology that the attributes of Header and Parameters have; None without a density of matter."""
    if number(found, "Omega0") <= 0:
        return None
    given: dict[str, Any] = {"omega_m": number(found, "Omega0"), "H0": number(found, "Hubble") or units.H100}
    if "OmegaLambda" in found:
        given["omega_lambda"] = number(found, "OmegaLambda")
    own = {name: number(found, attribute) for name, attribute in OWN.items() if attribute in found}
    given |= {name: value for name, value in own.items() if value > 0 or name not in ABOVE_ZERO}
    if number(found, "HubbleParam") > 0:
        given["h"] = number(found, "HubbleParam")
    return Cosmology(**given)


def cosmology_in(path: Path) -> Cosmology | None:
    """Return the cosmology in the headers of a snapshot, as `cosmology_of` does."""
    with open_snapshot(snapshot_files(path)[0]) as file:
        found = found_in(file)
        return cosmology_of(found, units_of_attributes(found) or GADGET)


def header_of(cosmology: Cosmology | None, time: float) -> dict[str, float]:
    """Return the attributes of the group Header at a time, in expanding space a scale factor."""
    if cosmology is None:
        return {"Redshift": 0.0, "Omega0": 0.0, "OmegaLambda": 0.0, "HubbleParam": 1.0}
    return {
        "Redshift": 1 / time - 1,
        "Omega0": cosmology.omega_m,
        "OmegaLambda": cosmology.omega_lambda,
        "HubbleParam": cosmology.h or 1.0,
    }


def parameters_of(cosmology: Cosmology | None, time: float, units: Units) -> dict[str, float]:
    """Return those of the group Parameters; pynbody reads ``Time_GYR``."""
    unit = units.length_in_cm / units.velocity_in_cm_per_s / GIGAYEAR
    if cosmology is None:
        return {COMOVING: 0, "Time_GYR": time * unit}
    given = {attribute: getattr(cosmology, name) for name, attribute in OWN.items()}
    own = {attribute: value for attribute, value in given.items() if value is not None}
    age = cosmology.time(time) * unit / (cosmology.h or 1.0)
    return {COMOVING: 1, "Time_GYR": age, "Hubble": cosmology.H0, **header_of(cosmology, time), **own}
