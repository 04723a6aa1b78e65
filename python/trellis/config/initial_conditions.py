"""The section [ic]: models of initial conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import field_validator, model_validator

from trellis.config.parameters import Parameters, one_of, parameter


class ModelParameters(Parameters):
    """A model of initial conditions."""

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
    kinds: list[float] | None = parameter(
        None,
        "shares of atoms of kind 0, 1, ... of [lennard_jones], at random places, such as `[4, 1]`; if not given, all"
        " atoms are of one kind",
        allowed="list of numbers above 0",
    )

    @field_validator("kinds")
    @classmethod
    def _above_zero(cls, shares: list[float] | None) -> list[float] | None:
        if shares is not None and not (shares and min(shares) > 0):
            raise ValueError(f"is {shares}, but must be a list of numbers above 0")
        return shares


class ClusterModel(RandomModel):
    """Cluster of Lennard-Jones atoms."""

    model: Literal["cluster"] = parameter("cluster", "cluster of Lennard-Jones atoms at random positions in a ball")
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
        "linear power spectrum: eisenstein-hu (1998; with A_s its sigma_8 is about 1 % above CAMB's), no-wiggle"
        " (theirs without acoustic oscillations), camb (by the"
        " package camb), or a text file with k in h/Mpc and P in (Mpc/h)^3 at the redshift, as CAMB and CLASS write it;"
        " a relative path starts where the command runs",
        min_length=1,
    )
    fixed: bool = parameter(False, "the amplitude of each wave is the mean one, and its phase alone is random")
    paired: bool = parameter(False, "the density contrast has the other sign: the second of a pair")
    lattice_until: float | None = parameter(
        None,
        "particles near a lattice pull less than matter does: short waves begin higher, by what they lack until this"
        " redshift (Garrison et al. 2016), best when spheres of one particle begin to collapse; not given: as linear"
        " theory has them, and a note says what they come to lack",
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
    kind.model_fields["model"].default: kind
    for kind in (
        PlummerModel,
        SphereModel,
        HernquistModel,
        TwoGalaxiesModel,
        SodModel,
        SedovModel,
        EvrardModel,
        GreshoModel,
        KelvinHelmholtzModel,
        NohModel,
        LennardJonesModel,
        ClusterModel,
        CosmologyModel,
    )
}

if TYPE_CHECKING:
    AnyModel: TypeAlias = ModelParameters
else:
    AnyModel = one_of(MODELS, "model")
