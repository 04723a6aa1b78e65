"""The layouts in which codes write snapshots: a table of where each has its attributes and columns.

Gadget's HDF5 layout is the first; the others are described by what differs from it. All attributes have Gadget's names
once they are read, so that one reader serves all codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trellis.errors import InputError
from trellis.io.gadget_layout import COMOVING, CONSTANT, DATASETS, LENGTH, MASS, VELOCITY, shown

SCALE_FACTOR, TIME_UNIT, PERIODIC, ENTROPY = "ScaleFactor", "UnitTime_in_s", "Periodic", "Flag_Entropy_ICs"
"""Attributes for which Gadget's snapshots have no name."""

Powers = tuple[float, float]
"""Powers of the scale factor and of h by which a stored value is multiplied to be physical, without h."""

GADGET_POWERS: Mapping[str, Powers] = {
    "position": (1.0, -1.0),
    "velocity": (0.5, 0.0),
    "mass": (0.0, -1.0),
    "internal_energy": (0.0, 0.0),
    "density": (-3.0, 2.0),
    "smoothing_length": (1.0, -1.0),
}
"""Powers in Gadget's layout, in expanding space; columns of other codes are converted to these."""


@dataclass(frozen=True)
class Layout:
    """What the snapshots of some codes have elsewhere, or by other names, than Gadget's.

    Attributes
    ----------
    codes : str
        The codes.
    marks : tuple of str
        Attributes, ``group/name``, of which any shows that a file is of this layout.
    attributes : dict
        Of Gadget's name of an attribute, the places where these codes have it.
    columns : dict
        Of a field, the dataset that has it.
    powers : dict
        Of a field, the powers of a and h that are not Gadget's.
    power_names : tuple of str
        Attributes of a dataset that have these two powers, if it has them.
    unlike : tuple of str
        Datasets that have the name of one of Gadget's, or nearly so, and another meaning: they are left out.
    """

    codes: str
    marks: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    powers: Mapping[str, Powers] = field(default_factory=dict)
    power_names: tuple[str, str] = ("", "")
    unlike: tuple[str, ...] = ()


GADGET_NAMES = (
    *("Time", "Redshift", "BoxSize", "Box", "Omega0", "OmegaLambda", "HubbleParam", "Hubble", COMOVING),
    *("OmegaRadiation", "OmegaBaryon", "DarkEnergyW0", "DarkEnergyWa", "Sigma8"),
    *("PrimordialAmplitude", "PrimordialIndex", LENGTH, MASS, VELOCITY, TIME_UNIT, CONSTANT, ENTROPY),
)

GADGET = Layout(
    "Gadget-2 and -4, Arepo, N-GenIC, MUSIC, monofonIC, Trellis",
    attributes={name: (f"Parameters/{name}", f"Header/{name}", f"Units/{name}") for name in GADGET_NAMES},
    columns=DATASETS,
    power_names=("a_scaling", "h_scaling"),
)

SWIFT = Layout(
    "SWIFT",
    marks=("Units/Unit length in cgs (U_L)", "Cosmology/Cosmological run"),
    attributes={
        SCALE_FACTOR: ("Cosmology/Scale-factor", "Header/Scale-factor"),
        "Redshift": ("Cosmology/Redshift",),
        COMOVING: ("Cosmology/Cosmological run",),
        "Omega0": ("Cosmology/Omega_m",),
        "OmegaLambda": ("Cosmology/Omega_lambda",),
        "OmegaRadiation": ("Cosmology/Omega_r",),
        "OmegaBaryon": ("Cosmology/Omega_b",),
        "OmegaNeutrino": ("Cosmology/Omega_nu_0", "Cosmology/Omega_nu"),
        "HubbleParam": ("Cosmology/h",),
        "DarkEnergyW0": ("Cosmology/w_0",),
        "DarkEnergyWa": ("Cosmology/w_a",),
        LENGTH: ("Units/Unit length in cgs (U_L)",),
        MASS: ("Units/Unit mass in cgs (U_M)",),
        TIME_UNIT: ("Units/Unit time in cgs (U_t)",),
        PERIODIC: ("Parameters/InitialConditions:periodic",),
        "Dimension": ("Header/Dimension",),
    },
    columns={
        "mass": "DynamicalMasses",  # of black holes, where others have Masses
        "internal_energy": "InternalEnergies",
        "density": "Densities",
        "potential": "Potentials",
    },
    powers={
        "position": (1.0, 0.0),
        "velocity": (0.0, 0.0),
        "mass": (0.0, 0.0),
        "internal_energy": (-2.0, 0.0),
        "density": (-3.0, 0.0),
    },
    power_names=("a-scale exponent", "h-scale exponent"),
    unlike=("SmoothingLength", "SmoothingLengths"),  # not the radius of the kernel's support
)

EAGLE = Layout(
    "EAGLE, OWLS",
    marks=("Header/ExpansionFactor", "Header/E(z)", "RuntimePars/"),
    attributes={SCALE_FACTOR: ("Header/ExpansionFactor",)},
    columns={"velocity": "Velocity", "mass": "Mass"},
    power_names=("aexp-scale-exponent", "h-scale-exponent"),
)

GIZMO = Layout(
    "GIZMO",
    marks=("Header/GIZMO_version", "Header/Omega_Matter", "Header/UnitLength_In_CGS"),
    attributes={
        "Omega0": ("Header/Omega_Matter",),
        "OmegaLambda": ("Header/Omega_Lambda",),
        "OmegaBaryon": ("Header/Omega_Baryon",),
        "OmegaRadiation": ("Header/Omega_Radiation",),
        LENGTH: ("Header/UnitLength_In_CGS",),
        MASS: ("Header/UnitMass_In_CGS",),
        VELOCITY: ("Header/UnitVelocity_In_CGS",),
        CONSTANT: ("Header/Gravitational_Constant_In_Code_Inits",),
    },
)

LAYOUTS = (GADGET, SWIFT, EAGLE, GIZMO)
"""All layouts with Gadget's groups; Phantom's, which has others, is presented as Gadget's (`phantom.py`)."""

AGREEMENT = 1e-4
"""Relative difference up to which two places of a file say the same."""


def layout_of(file: Any) -> Layout:
    """Return the layout of an open file: the first with one of its marks, else Gadget's."""
    return next((each for each in LAYOUTS if any(_value(file, mark) is not None for mark in each.marks)), GADGET)


def found_in(file: Any) -> dict[str, Any]:
    """Return what the attributes of a file say, by Gadget's names, wherever its code has them.

    Raises
    ------
    ValueError
        If two places of the file disagree.
    """
    found: dict[str, Any] = {}
    place_of: dict[str, str] = {}
    for layout in LAYOUTS:
        for name, candidates in layout.attributes.items():
            for place in candidates:
                value = _value(file, place)
                if value is None:
                    continue
                if name not in found or not _any(found[name]):
                    found[name], place_of[name] = value, place
                elif _any(value) and not _agree(found[name], value):
                    raise InputError(
                        f"{place_of[name]} is {shown(found[name])}, but {place} is {shown(value)}: allowed is one value"
                    )
    return found


def _value(file: Any, place: str) -> Any:
    """Return the attribute at a place, group/name, or None; of a place without a name whether the group is there."""
    group, _, name = place.rpartition("/")
    if group not in file:
        return None
    return True if not name else file[group].attrs.get(name)


def _any(value: Any) -> bool:
    return bool(np.any(np.asarray(value)))


def _agree(one: Any, other: Any) -> bool:
    """Return whether two values are the same, up to rounding; what is no number is judged where it is used."""
    try:
        return bool(np.allclose(np.asarray(one, float), np.asarray(other, float), rtol=AGREEMENT, atol=1e-9))
    except (TypeError, ValueError):
        return True
