"""Every parameter that a user can set, described once: name, unit, default, meaning and range.

The parameter file, ``--set``, the options of the command line and ``docs/parameters.md`` all derive from these models.
"""

from trellis.config.document import document
from trellis.config.external import EXTERNAL, FIELDS, ExternalParameters
from trellis.config.forces import (
    THERMOSTATS,
    BarostatParameters,
    CoulombParameters,
    GravityParameters,
    LennardJonesParameters,
    SphParameters,
    ThermostatParameters,
)
from trellis.config.initial_conditions import (
    MODELS,
    ClusterModel,
    CosmologyModel,
    EvrardModel,
    GreshoModel,
    HernquistModel,
    KelvinHelmholtzModel,
    LennardJonesModel,
    ModelParameters,
    NohModel,
    PlummerModel,
    SedovModel,
    SodModel,
    SphereModel,
    TwoGalaxiesModel,
)
from trellis.config.load import load
from trellis.config.parameters import Parameters, checked
from trellis.config.replicas import ContainerParameters, ReplicaExchangeParameters
from trellis.config.run import RunParameters
from trellis.config.run_file import RunFile
from trellis.config.snapshots import SnapshotParameters
from trellis.config.toml_file import read_toml

__all__ = [
    "EXTERNAL",
    "FIELDS",
    "MODELS",
    "THERMOSTATS",
    "BarostatParameters",
    "ClusterModel",
    "ContainerParameters",
    "CosmologyModel",
    "CoulombParameters",
    "EvrardModel",
    "ExternalParameters",
    "GravityParameters",
    "GreshoModel",
    "HernquistModel",
    "KelvinHelmholtzModel",
    "LennardJonesModel",
    "LennardJonesParameters",
    "ModelParameters",
    "NohModel",
    "Parameters",
    "PlummerModel",
    "ReplicaExchangeParameters",
    "RunFile",
    "RunParameters",
    "SedovModel",
    "SnapshotParameters",
    "SodModel",
    "SphParameters",
    "SphereModel",
    "ThermostatParameters",
    "TwoGalaxiesModel",
    "checked",
    "document",
    "load",
    "read_toml",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
