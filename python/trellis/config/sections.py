"""The sections of a parameter file: what a run starts from, and how it runs. Those of forces are in forces.py."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import field_validator, model_validator

from trellis.config.device import ALLOWED, Device
from trellis.config.parameters import Parameters, parameter
from trellis.config.snapshots import check_schedule
from trellis.paths import from_home


class Source(Parameters):
    """What stands above the sections."""

    initial_conditions: str | None = parameter(
        None,
        "snapshot to start from, instead of [ic]: Gadget-style HDF5, or Gadget's binary format 1 or 2; a relative path"
        " starts at the folder of this file",
        min_length=1,
    )


class ModelParameters(Parameters):
    """What every model of initial conditions has."""

    model: str = parameter(..., "the model")
    particles: int = parameter(131_072, "number of particles N", ge=1, le=4_294_967_294)


class RandomModel(ModelParameters):
    """A model with random numbers."""

    seed: int = parameter(1, "seed of the random numbers: same seed, same particles", ge=0)


class PlummerModel(RandomModel):
    """Plummer sphere in equilibrium."""

    model: Literal["plummer"] = parameter("plummer", "Plummer sphere in equilibrium")
    cut_radius: float = parameter(
        22.8, "radius beyond which there are no particles (22.8 leaves out 0.1 % of the mass)", unit="length", ge=1e-6
    )


class SphereModel(RandomModel):
    """Uniform sphere."""

    model: Literal["sphere"] = parameter("sphere", "uniform sphere with Gaussian velocities")
    virial_ratio: float = parameter(
        0.0, "twice the kinetic energy over the potential energy, 2T/|W|: 0 is cold, 1 is virial", ge=0, lt=2
    )


class HernquistModel(RandomModel):
    """Hernquist sphere in equilibrium."""

    model: Literal["hernquist"] = parameter("hernquist", "Hernquist sphere in equilibrium")
    cut_radius: float = parameter(
        33.3, "radius beyond which there are no particles (33.3 leaves out 2 % of the mass)", unit="length", ge=1e-6
    )


class TwoGalaxiesModel(RandomModel):
    """Two Hernquist spheres on a parabolic orbit."""

    model: Literal["two-galaxies"] = parameter("two-galaxies", "two Hernquist spheres on a parabolic orbit")
    mass_ratio: float = parameter(1.0, "mass of the second galaxy over that of the first", gt=0, le=1)
    separation: float = parameter(5.0, "distance between the centres at the start", unit="length", gt=0)
    pericentre: float = parameter(0.5, "closest distance of the centres, were they points", unit="length", ge=0)

    @model_validator(mode="after")
    def _pericentre_within_separation(self) -> TwoGalaxiesModel:
        if self.pericentre > self.separation:
            raise ValueError(
                f"has pericentre = {self.pericentre}, but must have at most separation = {self.separation}"
            )
        return self


def _particles(default: int, allowed: str) -> Any:
    return parameter(default, f"number of particles N: {allowed}, the nearest to this one", ge=1, le=4_294_967_294)


def _gamma() -> Any:
    return parameter(5 / 3, "adiabatic index", gt=1)


class SodModel(RandomModel):
    """Sod's shock tube."""

    model: Literal["sod"] = parameter("sod", "Sod's shock tube")
    particles: int = _particles(73_728, "a multiple of 9 in 1D, of 576 in 2D and of 4608 in 3D")
    dimensions: int = parameter(3, "dimensions of space: with 2 all particles have z = 0, with 1 y = 0 too", ge=1, le=3)
    gamma: float = _gamma()


class SedovModel(RandomModel):
    """Sedov's blast wave."""

    model: Literal["sedov"] = parameter("sedov", "Sedov's blast wave")
    particles: int = _particles(262_144, "512 times a cube")


class EvrardModel(RandomModel):
    """Evrard's collapse."""

    model: Literal["evrard"] = parameter("evrard", "Evrard's collapse of a gas by its own gravity")


class GreshoModel(RandomModel):
    """Gresho's vortex."""

    model: Literal["gresho"] = parameter("gresho", "Gresho's vortex")
    particles: int = _particles(32_768, "512 times a square")
    gamma: float = _gamma()


class KelvinHelmholtzModel(ModelParameters):
    """Kelvin-Helmholtz instability."""

    model: Literal["kelvin-helmholtz"] = parameter("kelvin-helmholtz", "Kelvin-Helmholtz instability in 2D")
    particles: int = _particles(65_536, "what whole rows need")
    gamma: float = _gamma()


class NohModel(RandomModel):
    """Noh's implosion."""

    model: Literal["noh"] = parameter("noh", "Noh's implosion")


class LennardJonesModel(RandomModel):
    """Crystal of Lennard-Jones atoms."""

    model: Literal["lennard-jones"] = parameter("lennard-jones", "crystal of Lennard-Jones atoms, in reduced units")
    particles: int = _particles(32_000, "four times a cube")
    density: float = parameter(0.8442, "atoms in a volume", unit="1 / sigma^3", gt=0)
    temperature: float = parameter(1.44, "temperature of 3 N - 3 degrees of freedom", unit="epsilon / k", ge=0)


class ClusterModel(RandomModel):
    """Cluster of Lennard-Jones atoms."""

    model: Literal["cluster"] = parameter("cluster", "cluster of Lennard-Jones atoms at random places of a ball")
    particles: int = parameter(13, "number of atoms N", ge=1, le=100_000)
    density: float = parameter(0.4, "atoms in a volume", unit="1 / sigma^3", gt=0)
    temperature: float = parameter(0.3, "temperature from which velocities are drawn", unit="epsilon / k", ge=0)


class CosmologyModel(RandomModel):
    """Matter of an expanding space."""

    model: Literal["cosmology"] = parameter("cosmology", "matter of an expanding space, that of [cosmology]")
    particles: int = _particles(262_144, "a cube, in a glass that of a multiple of 16")
    places: Literal["lattice", "glass"] = parameter(
        "lattice", "where particles are before they are displaced: on a cubic lattice, or in a glass"
    )
    box: float = parameter(100_000.0, "side of the periodic cube, comoving", unit="length", gt=0)
    redshift: float = parameter(49.0, "redshift of the particles, at which the run begins", ge=0)
    displacements: Literal["second-order", "zeldovich"] = parameter(
        "second-order", "theory of the displacements: of second order (2LPT), or Zel'dovich's"
    )
    power: str = parameter(
        "eisenstein-hu",
        "linear power spectrum: eisenstein-hu (1998), no-wiggle (theirs without acoustic oscillations), camb (by the"
        " package camb), or a text file with k in h/Mpc and P in (Mpc/h)^3 at the redshift, as CAMB and CLASS write it;"
        " a relative path starts where the command runs",
        min_length=1,
    )
    fixed: bool = parameter(False, "the amplitude of each wave is the mean one, and its phase alone is random")
    paired: bool = parameter(False, "the density contrast has the other sign: the second of a pair")
    lattice_until: float | None = parameter(
        None,
        "particles near a lattice pull less than matter does: short waves begin higher, by what they lack until this"
        " redshift (Garrison et al. 2016); not given: as linear theory has them",
        ge=0,
    )

    @model_validator(mode="after")
    def _lattice_until_of_a_lattice_after_redshift(self) -> CosmologyModel:
        if self.lattice_until is not None and self.places != "lattice":
            raise ValueError(f"has lattice_until = {self.lattice_until}, but its places are a glass")
        if self.lattice_until is not None and self.lattice_until > self.redshift:
            raise ValueError(
                f"has lattice_until = {self.lattice_until}, but must have at most redshift = {self.redshift}"
            )
        return self


MODELS: dict[str, type[ModelParameters]] = {
    "plummer": PlummerModel,
    "sphere": SphereModel,
    "hernquist": HernquistModel,
    "two-galaxies": TwoGalaxiesModel,
    "sod": SodModel,
    "sedov": SedovModel,
    "evrard": EvrardModel,
    "gresho": GreshoModel,
    "kelvin-helmholtz": KelvinHelmholtzModel,
    "noh": NohModel,
    "lennard-jones": LennardJonesModel,
    "cluster": ClusterModel,
    "cosmology": CosmologyModel,
}


class RunParameters(Parameters):
    """How far, in which steps, and what is written."""

    until: float = parameter(
        ..., "time at which the run ends; with [cosmology] a scale factor, as are all times of [run]", unit="time"
    )
    until_redshift: float | None = parameter(None, "[cosmology]: redshift at which the run ends, instead", gt=-1)
    timestep: float | None = parameter(
        None,
        "time step of the leapfrog, the same for all particles; if not given, each step is as long as a gas"
        " (courant) or softened gravity allows then; the last one meets `until`",
        unit="time",
        changeable=True,
        gt=0,
    )
    device: Device = parameter(
        "host",
        "where the kernels of forces without a device of their own run: host (threads of this process), cpu (the"
        " processor as a device), cuda:0, ...; `trellis info` lists those of this machine; trellis://HOST/cuda:0 is one"
        " of another machine; several devices share each force",
        allowed=ALLOWED,
        changeable=True,
    )
    device_memory: int | None = parameter(
        None, "memory of each device that may be used; if not given, all of it", unit="bytes", changeable=True, ge=1
    )
    spares: Sequence[str] = parameter(
        [],
        "devices that take the place of those that fail, in this order, such as cpu; each is used once",
        changeable=True,
    )
    grace: float = parameter(
        30.0,
        "how long a device of another machine may be silent, as when a cable is cut, before it counts as lost; its"
        " server keeps the session as long",
        unit="seconds",
        changeable=True,
        ge=0,
        le=3600,
    )
    redundant: int = parameter(
        1,
        "2: the devices of a list compute in pairs of one kind, whose results are compared bit for bit; where they"
        " differ, a third, of the list or the spares, decides which is taken off",
        changeable=True,
        ge=1,
        le=2,
    )
    resident: bool = parameter(
        False, "keep the particles on the device: tree, lists, force and integration all run there (method G4)"
    )
    output: str = parameter(
        ..., "folder for everything that the run writes; a relative path starts where the command runs", min_length=1
    )
    snapshot_every: float | None = parameter(
        None,
        "time between snapshots, from the start on; or give snapshot_times, snapshot_steps or snapshots_per_decade"
        " instead. Each is written at the nearest step, which meets its time if no timestep is given",
        unit="time",
        changeable=True,
        gt=0,
    )
    snapshot_times: Sequence[float] | None = parameter(
        None,
        "times of the snapshots, in any order; or the name, in quotes, of a text file with one on each line, where #"
        " begins a comment, and a relative path starts at the folder of this file",
        unit="time",
        changeable=True,
        min_length=1,
    )
    snapshot_redshifts: Sequence[float] | None = parameter(
        None, "[cosmology]: redshifts of the snapshots, in any order", allowed="list of numbers above -1", min_length=1
    )
    snapshot_steps: int | None = parameter(
        None, "steps between snapshots, from the start on", unit="steps", changeable=True, ge=1
    )
    snapshots_per_decade: int | None = parameter(
        None,
        "snapshots while the time since the start grows tenfold: at snapshot_first, then each in the same ratio to the"
        " one before, and at the start",
        changeable=True,
        ge=1,
        le=1000,
    )
    snapshot_first: float | None = parameter(
        None,
        "snapshots_per_decade: time from the start to the first snapshot after it",
        unit="time",
        changeable=True,
        gt=0,
    )
    keep_order: bool | None = parameter(
        None,
        "leave the rows of the particles in their order (one rank); if not given, below 10,000 particles",
    )
    log_every: int = parameter(1, "steps between lines of the energy log", unit="steps", changeable=True, ge=1)
    checkpoint_every: float = parameter(
        600.0, "wall-clock time between checkpoints: what is lost at most when the machine fails", unit="seconds", ge=0
    )
    energy_alarm: float = parameter(
        0.05,
        "largest error of the conserved energy, of particles and thermostat together: beyond it, on_energy_alarm;"
        " relative to the energy at the start or, where its parts (kinetic, potential, ...) nearly cancel, to a tenth"
        " of the sum of their sizes; looked at with each line of the energy log and before each checkpoint",
        changeable=True,
        gt=0,
    )
    on_energy_alarm: Literal["end", "mark"] = parameter(
        "end",
        "beyond energy_alarm the run ends, with a snapshot and its last checkpoint as it was (end), or goes on to its"
        " end and is marked (mark); exit code 3 in both cases",
        changeable=True,
    )
    files: int = parameter(1, "files that a snapshot or checkpoint is split into; at most one for each rank", ge=1)

    @field_validator("output")
    @classmethod
    def _from_home(cls, output: str) -> str:
        return str(from_home(output))

    @model_validator(mode="after")
    def _resident_steps(self) -> RunParameters:
        if self.resident and self.timestep is None:
            raise ValueError("has resident = true and no timestep, but particles on a device need a fixed one")
        return self

    @model_validator(mode="after")
    def _steps_that_count(self) -> RunParameters:
        shortest = abs(self.until) * sys.float_info.epsilon
        if self.timestep is not None and self.timestep < shortest:
            raise ValueError(
                f"has timestep = {self.timestep}, but must have at least {shortest:.2g}: less is lost in a time near"
                f" until = {self.until}"
            )
        return self

    @field_validator("snapshot_times")
    @classmethod
    def _in_order(cls, times: Sequence[float] | None) -> Sequence[float] | None:
        return None if times is None else sorted(set(times))

    @model_validator(mode="before")
    @classmethod
    def _scale_factors(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Put scale factors in the place of redshifts."""
        values = dict(values)
        for name, given in (("until", "until_redshift"), ("snapshot_times", "snapshot_redshifts")):
            redshifts = values.get(given)
            if redshifts is None:
                continue
            listed: list[Any] = redshifts if isinstance(redshifts, list) else [redshifts]
            if not all(isinstance(z, int | float) and not isinstance(z, bool) and z > -1 for z in listed):
                raise ValueError(f"has {given} = {redshifts!r}, but a redshift is a number above -1")
            if name in values:
                raise ValueError(f"has both {name} and {given}, but must have one of them")
            del values[given]
            factors = [1 / (1 + z) for z in listed]
            values[name] = factors if isinstance(redshifts, list) else factors[0]
        return values

    @model_validator(mode="after")
    def _snapshots_when(self) -> RunParameters:
        check_schedule(self)
        return self
