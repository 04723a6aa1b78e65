"""The section [cosmology], and what goes with it in a parameter file: expanding space."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trellis._core import Cosmology
from trellis.config.parameters import Parameters, parameter, parameters_of
from trellis.errors import InputError
from trellis.io.gadget_cosmology import cosmology_in
from trellis.units import Units

if TYPE_CHECKING:
    from trellis.config.load import RunFile

TIMES = ("until", "snapshot_every", "snapshot_times", "snapshot_first")
"""Keys of [run] that are scale factors, or spans of them, in expanding space."""


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
        "steps from the begin of the run to its end, equal in ln a, but for somewhat shorter ones that meet the times"
        " of snapshots; if not given, each is as long as softened gravity allows, 0.03 in ln a at most",
        ge=1,
    )

    if TYPE_CHECKING:  # what is read by name, for mypy
        omega_m: float | None
        H0: float | None

    def cosmology(self, units: Units) -> Cosmology:
        """Return the cosmology, in the units of a run; a ValueError if they leave H0 open."""
        given: dict[str, Any] = self.model_dump(exclude={"steps"}, exclude_none=True)
        if self.H0 is None:
            if not units.have_size:
                raise InputError("'cosmology.H0' is missing: the run is in units without a size, such as N-body units")
            given["H0"] = units.H100
        return Cosmology(**given)


def with_header(section: Mapping[str, Any], start: Path | None, source: str) -> dict[str, Any]:
    """Return the section with what the header of the file of initial conditions has, if the section lacks a density.

    Raises
    ------
    ValueError
        If neither has one, or the section has some of the rest.
    """
    given = dict(section)
    if "omega_m" in given:
        return given
    more = next((name for name in given if name != "steps"), None)
    found = None if start is None or more is not None else cosmology_in(start)
    if found is None:
        why = f"'cosmology.{more}' is given" if more is not None else "no file of initial conditions has it"
        raise InputError(f"{source}: 'cosmology.omega_m' is missing, but {why}")
    return given | {name: value for name, value in found.settings.items() if value is not None}


def check_expanding(file: RunFile, run: Mapping[str, Any], source: str) -> None:
    """Raise a ValueError if the sections of a file, of which `run` is one as given, do not go with [cosmology]."""
    if file.cosmology is None:
        wrong = next((name for name in ("until_redshift", "snapshot_redshifts") if name in run), None)
        if wrong is not None:
            raise InputError(f"{source}: 'run.{wrong}' is given, but without [cosmology] space does not expand")
        changing = file.gravity.changes_with_redshift() if file.gravity is not None else None
        if changing is not None:
            raise InputError(f"{source}: 'gravity.{changing}' changes with redshift, but there is no [cosmology]")
        return
    others = ("lennard_jones", "sph", "coulomb", "external", "thermostat", "container", "barostat", "replica_exchange")
    wrong = next((name for name in others if getattr(file, name)), None)
    if wrong is not None:
        raise InputError(f"{source}: [{wrong}] does not go with [cosmology]: expanding space knows gravity alone")
    if file.run.timestep is not None:
        raise InputError(f"{source}: 'run.timestep' is given, but with [cosmology] give 'cosmology.steps', or neither")
    if file.run.resident:
        raise InputError(f"{source}: 'run.resident' is true, but particles on a device know no expanding space")
    for name in TIMES:
        values = run.get(name)
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, str):
                raise InputError(f"{source}: 'run.{name}' is {value!r}, but with [cosmology] it is a scale factor")
    if file.run.until <= 0:
        raise InputError(f"{source}: 'run.until' is {file.run.until:g}, but with [cosmology] must be a scale factor")
