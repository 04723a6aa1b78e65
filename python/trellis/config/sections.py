"""The sections of a parameter file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from trellis.config.parameters import Parameters, parameter


class Source(Parameters):
    """What stands above the sections."""

    initial_conditions: str | None = parameter(
        None,
        "Gadget-style HDF5 file to start from, instead of [ic]; a relative path starts at the folder of this file",
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
        22.8, "radius beyond which there are no particles (22.8 leaves out 0.1 % of the mass)", unit="length", gt=0
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
        33.3, "radius beyond which there are no particles (33.3 leaves out 2 % of the mass)", unit="length", gt=0
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
}


def _precision() -> Any:
    return parameter(None, "arithmetic of the force kernels; if not given, single where its range suffices")


def _device() -> Any:
    return parameter(None, "where the force kernels run, as run.device, which it is if not given", min_length=1)


class GravityParameters(Parameters):
    """Gravity and how its sum is approximated."""

    G: float | None = parameter(
        None,
        "gravitational constant; if not given, that of the units of the file of initial conditions, or 1 for [ic]",
        unit="length^3 / (mass time^2)",
    )
    softening: float = parameter(
        0.0, "Plummer softening length: potential -G m / sqrt(r^2 + softening^2)", unit="length", ge=0
    )
    accuracy: float = parameter(
        1e-3, "wanted root-mean-square relative force error; sets whatever of the following is not given", gt=0, lt=1
    )
    theta: float | None = parameter(
        None, "opening angle, instead of an accuracy: smaller is more accurate and slower", gt=0
    )
    criterion: Literal["geometric", "relative"] | None = parameter(
        None,
        "opening criterion: by angle (geometric) or by the error relative to the last acceleration (relative); if not"
        " given, by the accuracy or theta",
    )
    method: Literal["tree", "fmm"] | None = parameter(
        None,
        "tree (particle-cell sums) or fmm (fast multipole method, cell-cell sums as well); if not given, the faster one"
        " that is possible",
    )
    order: int | None = parameter(
        None,
        "order of the multipole expansion: 1 monopole, 2 quadrupole, ...; 1 or 2 with tree, 2 to 5 with fmm",
        ge=1,
    )
    group_size: int | None = parameter(None, "most i-particles that share one interaction list (n_grp)", ge=1)
    leaf_size: int | None = parameter(None, "most particles in a leaf of the tree (n_leaf)", ge=1)
    precision: Literal["single", "double"] | None = _precision()
    tune_sizes: bool = parameter(
        False,
        "find group_size and leaf_size, where neither is given, by trying some at the first step; kept for the next"
        " time in the user's cache folder",
    )
    lists: Literal["rebuild", "reuse"] = parameter(
        "rebuild", "rebuild tree and interaction lists at each step, or keep them over steps while still valid (reuse)"
    )
    reuse_steps: int = parameter(16, "reuse: steps that one set of lists serves at most (n_reuse)", unit="steps", ge=1)
    opening_growth: float = parameter(
        0.1,
        "reuse: share by which the size of a listed cell over its distance may grow before lists are rebuilt early",
        ge=0,
        le=1,
    )
    trust_reuse_steps: bool = parameter(False, "reuse without looking at opening_growth")
    compress: bool = parameter(
        False, "send other ranks no more digits than the accuracy asks, and in later steps differences alone"
    )
    send: Literal["particles", "indices"] = parameter(
        "indices", "with a device: send it the particles of each list, or all particles once and lists that name them"
    )
    let: Literal["domain-tree", "all-gather", "all-to-all"] = parameter(
        "domain-tree",
        "ranks: how they learn of each other's particles: many distant ranks as one cell, every distant rank as one"
        " cell, or a tree from every rank to every other",
    )
    device: str | None = _device()

    @model_validator(mode="after")
    def _one_wish(self) -> GravityParameters:
        if self.theta is not None and "accuracy" in self.model_fields_set:
            raise ValueError("has both an accuracy and a theta, but only one of them can be wished for")
        return self


class LennardJonesParameters(Parameters):
    """The Lennard-Jones force between atoms of one kind."""

    epsilon: float = parameter(
        1.0, "depth of the potential 4 epsilon ((sigma / r)^12 - (sigma / r)^6)", unit="energy", gt=0
    )
    sigma: float = parameter(1.0, "distance at which the potential is 0", unit="length", gt=0)
    cutoff: float = parameter(2.5, "distance beyond which atoms do not act on each other", unit="length", gt=0)
    truncation: Literal["plain", "energy-shifted", "force-shifted"] = parameter(
        "plain", "how the potential ends at the cutoff: with a jump, without, or without one of the force either"
    )
    lists: Literal["rebuild", "reuse"] = parameter(
        "reuse", "rebuild tree and neighbour lists at each step, or keep them over steps while still valid (reuse)"
    )
    reuse_steps: int = parameter(16, "reuse: steps that one set of lists serves at most", unit="steps", ge=1)
    skin: float | None = parameter(
        None,
        "reuse: how far lists go beyond the cutoff, at most the cutoff; if not given, a tenth of it",
        unit="length",
        ge=0,
    )
    precision: Literal["single", "double"] | None = _precision()
    device: str | None = _device()

    @model_validator(mode="after")
    def _skin_within_cutoff(self) -> LennardJonesParameters:
        if self.skin is not None and self.skin > self.cutoff:
            raise ValueError(f"has skin = {self.skin}, but must have at most cutoff = {self.cutoff}")
        return self


class SphParameters(Parameters):
    """An ideal gas, by smoothed particle hydrodynamics."""

    kernel: Literal["cubic-spline", "wendland-c2", "wendland-c4"] = parameter("wendland-c2", "smoothing kernel")
    dimensions: int = parameter(
        3, "dimensions of the gas; along the other axes all particles are at one place", ge=1, le=3
    )
    neighbours: float | None = parameter(
        None,
        "particles, itself included, in the ball (in 2D the disc, in 1D the stretch) that the kernel covers; if not"
        " given, 64 in 3D, 19.3 in 2D and 4.96 in 1D",
        gt=0,
    )
    gamma: float = parameter(5 / 3, "ratio of specific heats", gt=1)
    viscosity: Literal["constant", "morris-monaghan", "cullen-dehnen"] = parameter(
        "cullen-dehnen", "switch of the artificial viscosity"
    )
    viscosity_strength: float | None = parameter(
        None, "largest alpha of the viscosity; if not given, 1, 1 and 2 in the order of the switches", ge=0
    )
    conductivity: float = parameter(1.0, "strength of artificial conduction where pressures differ; 0: none", ge=0)
    courant: float = parameter(
        0.3, "longest time step allowed, over the time in which signals cross the radius of the kernel", gt=0
    )
    adaptive_softening: bool = parameter(
        False, "below the smoothing length, gravity is that of masses spread as the smoothing kernel (3D)"
    )
    lists: Literal["rebuild", "reuse"] = parameter(
        "reuse", "rebuild tree and neighbour lists at each step, or keep them over steps while still valid (reuse)"
    )
    reuse_steps: int = parameter(16, "reuse: steps that one set of lists serves at most", unit="steps", ge=1)
    skin_ratio: float = parameter(
        0.1, "reuse: the length by which lists go beyond a smoothing length, over that", ge=0, le=1
    )
    group_size: int = parameter(128, "most i-particles that share one search for neighbours", ge=1)
    precision: Literal["single", "double"] | None = _precision()
    types: list[int] = parameter(
        [0],
        "which types of particles are gas, where they have types, as those of Gadget's files; others neither feel it"
        " nor act on it",
        min_length=1,
    )
    device: str | None = _device()


class ThermostatParameters(Parameters):
    """What every thermostat has."""

    method: str = parameter(..., "the method")
    temperature: float = parameter(..., "temperature, as an energy k T", unit="energy", gt=0)
    relaxation_time: float = parameter(..., "time over which the particles come to it", unit="time", gt=0)


class LangevinParameters(ThermostatParameters):
    """Langevin's thermostat."""

    method: Literal["langevin"] = parameter("langevin", "friction, and random kicks that make up for it")
    seed: int = parameter(1, "seed of the random numbers", ge=0)


class NoseHooverParameters(ThermostatParameters):
    """Nose-Hoover chain."""

    method: Literal["nose-hoover"] = parameter("nose-hoover", "chain of Nose-Hoover thermostats")
    length: int = parameter(3, "members of the chain", ge=1)
    conserved: int = parameter(
        3, "components of momentum that the forces conserve, which are no degrees of freedom", ge=0, le=3
    )


THERMOSTATS: dict[str, type[ThermostatParameters]] = {
    "langevin": LangevinParameters,
    "nose-hoover": NoseHooverParameters,
}


class RunParameters(Parameters):
    """How far, in which steps, and what is written."""

    until: float = parameter(..., "time at which the run ends", unit="time")
    timestep: float | None = parameter(
        None,
        "time step of the leapfrog, the same for all particles; if not given, each step is as long as a gas"
        " (courant) or softened gravity allows then; the last one meets `until`",
        unit="time",
        gt=0,
    )
    device: str = parameter(
        "host",
        "where the kernels of forces without a device of their own run: host (threads of this process), cpu (the"
        " processor as a device), cuda:0, ...; `trellis info` lists those of this machine",
        min_length=1,
    )
    device_memory: int | None = parameter(
        None, "memory of each device that may be used; if not given, all of it", unit="bytes", ge=1
    )
    resident: bool = parameter(
        False, "keep the particles on the device: tree, lists, force and integration all run there (method G4)"
    )
    output: str = parameter(
        ..., "folder for everything that the run writes; a relative path starts where the command runs", min_length=1
    )
    snapshot_every: float = parameter(
        ...,
        "time between snapshots; each is written at the nearest step, which meets it if no timestep is given",
        unit="time",
        gt=0,
    )
    keep_order: bool | None = parameter(
        None,
        "leave the rows of the particles in their order (one rank); if not given, below 10,000 particles",
    )
    log_every: int = parameter(1, "steps between lines of the energy log", unit="steps", ge=1)
    checkpoint_every: float = parameter(
        600.0, "wall-clock time between checkpoints: what is lost at most when the machine fails", unit="seconds", ge=0
    )

    files: int = parameter(1, "files that a snapshot or checkpoint is split into; at most one for each rank", ge=1)

    @model_validator(mode="after")
    def _resident_steps(self) -> RunParameters:
        if self.resident and self.timestep is None:
            raise ValueError("has resident = true and no timestep, but particles on a device need a fixed one")
        return self

    @model_validator(mode="after")
    def _whole_steps(self) -> RunParameters:
        if self.timestep is not None and self.snapshot_every < self.timestep:
            raise ValueError(
                f"has snapshot_every = {self.snapshot_every}, but must have at least timestep = {self.timestep}"
            )
        return self
