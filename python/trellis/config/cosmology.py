"""The section [cosmology]: expanding space."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trellis._core import Cosmology
from trellis.config.parameters import Parameters, parameter, parameters_of
from trellis.errors import InputError
from trellis.io.gadget_cosmology import cosmology_in
from trellis.units import Units, check_hubble


@parameters_of(
    Cosmology,
    omega_m={
        "type": float | None,
        "default": None,
        "meaning": "density of matter today, baryons among it, over the critical density; if not given, all of this"
        " section but steps is in the header of the file of initial conditions",
    },
    H0={
        "type": float | None,
        "default": None,
        "meaning": "Hubble constant; if not given, 100 km/s/Mpc in the units of the run, whose lengths and masses are"
        " over h",
    },
)
class CosmologyParameters(Parameters):
    """By what space expands, and in how many steps."""

    steps: int | None = parameter(
        None,
        "steps from the beginning of the run to its end, equal in ln a, but for somewhat shorter ones that end at the"
        " times of snapshots; if not given, each is as long as softened gravity allows, 0.03 in ln a at most",
        ge=1,
    )

    if TYPE_CHECKING:  # what is read by name, for mypy
        omega_m: float | None
        H0: float | None

    def cosmology(self, units: Units) -> Cosmology:
        """Return the cosmology, in the units of a run; a ValueError if they leave H0 open, or it cannot be in them."""
        given: dict[str, Any] = self.model_dump(exclude={"steps"}, exclude_none=True)
        if self.H0 is None:
            if not units.have_size:
                raise InputError("'cosmology.H0' is missing: the run is in units without a size, such as N-body units")
            given["H0"] = units.H100
        elif units.have_size:
            check_hubble(self.H0, units, "'cosmology.H0'")
        return Cosmology(**given)


def with_header(section: Mapping[str, Any], start: Path | None) -> dict[str, Any]:
    """Return the section, completed from the header of the file of initial conditions if it lacks a density.

    Raises
    ------
    ValueError
        If neither has a density, or the section has other parameters than steps.
    """
    given = dict(section)
    if "omega_m" in given:
        return given
    more = next((name for name in given if name != "steps"), None)
    found = None if start is None or more is not None else cosmology_in(start)
    if found is None:
        why = f"'cosmology.{more}' is given" if more is not None else "no file of initial conditions has it"
        raise ValueError(f"'cosmology.omega_m' is missing, but {why}")
    return given | {name: value for name, value in found.settings.items() if value is not None}
