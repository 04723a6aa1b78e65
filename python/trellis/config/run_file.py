"""A run file: all of its sections, each of which is named here, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from trellis.config.bonds import BondsParameters
from trellis.config.context import FilePath
from trellis.config.cosmology import CosmologyParameters, with_header
from trellis.config.external import AnyExternal
from trellis.config.forces import (
    AnyThermostat,
    BarostatParameters,
    CoulombParameters,
    GravityParameters,
    LennardJonesParameters,
    SphParameters,
)
from trellis.config.initial_conditions import AnyModel
from trellis.config.pair import PairParameters
from trellis.config.parameters import Parameters, parameter
from trellis.config.replicas import ContainerParameters, ReplicaExchangeParameters
from trellis.config.run import RunParameters
from trellis.config.sites import SitesParameters
from trellis.config.snapshots import SnapshotParameters
from trellis.config.steps import StepsParameters
from trellis.config.toml_file import toml_text
from trellis.config.units import UnitsParameters
from trellis.errors import did_you_mean


def section(heading: str = "", more: str = "", *, default: Any = None, force: bool = False) -> Any:
    """Declare a section: what follows its name in docs/parameters.md, and whether it is that of a force."""
    extra: dict[str, Any] = {"heading": heading, "more": more, "force": force}
    return Field(default, validate_default=isinstance(default, dict), json_schema_extra=extra)


class RunFile(Parameters):
    """The parameters of a run: a file or a model to start from, the forces that have a section, and all else."""

    initial_conditions: FilePath = parameter(
        None,
        "snapshot to start from, instead of [ic]: Gadget-style HDF5, Gadget's binary format 1 or 2, or the layout of"
        " another code; a relative path"
        " starts at the folder of this file",
    )
    ic: AnyModel | None = section("one of the models")
    units: UnitsParameters | None = section("the units of a model")
    cosmology: CosmologyParameters | None = section("if space expands", "See [cosmology.md](cosmology.md).")
    gravity: GravityParameters | None = section(force=True)
    lennard_jones: LennardJonesParameters | None = section(force=True)
    sph: SphParameters | None = section(force=True)
    coulomb: CoulombParameters | None = section(
        more="Between particles with a field `charge`, in a box that is periodic along all axes; see"
        " [mesh.md](mesh.md#charges).",
        force=True,
    )
    pair: PairParameters | None = section(
        "a potential of your own",
        "See [interactions_in_python.md](interactions_in_python.md#a-potential-alone).",
        force=True,
    )
    bonds: Sequence[BondsParameters] = section(
        "any number",
        "Forces among given pairs, triples and quadruples; see"
        " [bonded_forces.md](bonded_forces.md#in-a-parameter-file).",
        default=(),
        force=True,
    )
    external: Sequence[AnyExternal] = section(
        "any number, each one of the models",
        "Fields in which the particles move; see [external_forces.md](external_forces.md).",
        default=(),
        force=True,
    )
    thermostat: AnyThermostat | None = section("one of the methods")
    container: ContainerParameters | None = section("with [replica_exchange]")
    barostat: BarostatParameters | None = section(
        "with [thermostat]",
        "In a box that is periodic along all axes; see [molecules.md](molecules.md#constant-pressure). With"
        " [replica_exchange], for each system; see"
        " [replica_exchange.md](replica_exchange.md#states-of-different-pressure).",
    )
    replica_exchange: ReplicaExchangeParameters | None = section(
        more="Systems like the initial conditions, that exchange their states; see"
        " [replica_exchange.md](replica_exchange.md)."
    )
    steps: StepsParameters | None = section(
        "if each particle has its own time step", "See [time_steps.md](time_steps.md)."
    )
    run: RunParameters = section(default={})
    snapshots: SnapshotParameters = section(default=SnapshotParameters())
    sites: SitesParameters | None = section("if several share the run", "See [sites.md](sites.md).")

    _texts: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _no_two_starts_and_a_force(cls, content: Any) -> Any:
        """Refuse unknown keys, and two starts; gravity acts if the file has no force."""
        if not isinstance(content, dict):
            return content
        unknown = next((name for name in content if name not in cls.model_fields), None)
        if unknown is not None:
            raise ValueError(f"unknown key '{unknown}': {did_you_mean(unknown, cls.model_fields)}")
        from_file, from_model = (content.get(name) is not None for name in ("initial_conditions", "ic"))
        if from_file and from_model:
            raise ValueError("both of 'initial_conditions' and [ic] given, but a run starts from one of them")
        if from_file and content.get("units") is not None:
            raise ValueError("[units] is for a model of [ic], but a file of initial conditions has its own units")
        alone = all(content.get(name) is None for name in FORCES)
        return {**content, "gravity": {}} if alone else content

    @field_validator("cosmology", mode="before")
    @classmethod
    def _with_header(cls, given: Any, info: ValidationInfo) -> Any:
        """Complete the section from the header of the file of initial conditions."""
        return with_header(given, info.data.get("initial_conditions")) if isinstance(given, dict) else given

    @field_validator("bonds", "external", mode="before")
    @classmethod
    def _tables(cls, given: Any, info: ValidationInfo) -> Any:
        if not isinstance(given, list | tuple) or not all(isinstance(each, dict | Parameters) for each in given):
            raise ValueError(f"must be one or several tables, [[{info.field_name}]]")
        return given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunFile) and self.__dict__ == other.__dict__  # texts and numbers are the same value

    def content(self) -> dict[str, Any]:
        """Return all parameters that have a value, defaults included, as a file has them."""
        values = self.model_dump(exclude_none=True)
        return {name: value for name, value in values.items() if name not in ("bonds", "external") or value}

    def to_toml(self) -> str:
        """Return the parameters as the text of a file; texts with a unit are comments behind their numbers."""
        return toml_text(self.content(), self._texts)

    def note_texts(self, given: Mapping[str, Any]) -> None:
        """Keep the texts with a unit, among the content of the file, from which numbers were made."""
        self._texts = {
            f"{name}.{key}": text
            for name, values in self.content().items()
            if isinstance(values, dict)
            for key, text in given.get(name, {}).items()
            if isinstance(text, str) and isinstance(values.get(key), (int, float))
        }


FORCES = tuple(
    name
    for name, field in RunFile.model_fields.items()
    if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("force")
)
"""The sections of forces."""
