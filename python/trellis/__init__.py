"""Trellis: a framework for particle simulations.

>>> import trellis as tr
>>> stars = tr.ic.plummer(1000, seed=1)
>>> sim = tr.Simulation(stars, forces=[tr.Gravity(softening=0.01)], timestep=0.01)
>>> sim.run(until=0.1)
>>> sim.particles.position.shape
(1000, 3)
"""

import importlib
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING

# Threads that wait for work let other programs run, instead of spinning: on a busy machine, steps of few particles
# are a hundred times faster. They spin for a moment before, about as long as the pauses between the loops of a
# step: on a quiet machine steps are then up to five times as fast (bench/notes/short_range.md). OpenMP reads
# these when the module below is loaded.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
# Too many threads would end the process with signal 11 as they start.
os.environ.setdefault("OMP_THREAD_LIMIT", str(max(1024, os.cpu_count() or 1)))

import trellis.interrupts as _interrupts  # noqa: F401
from trellis import io, units
from trellis._core import (
    Andersen,
    Barostat,
    Cosmology,
    Coulomb,
    Csvr,
    Force,
    Gravity,
    IndividualSteps,
    InputError,
    Langevin,
    LennardJones,
    NoseHoover,
    RunError,
    Sph,
    Thermostat,
    info,
)
from trellis._core import DeviceOptions as _DeviceOptions
from trellis.bonded import (
    FENE,
    BondedForce,
    CosineAngles,
    CosineDihedrals,
    HarmonicBonds,
    angle_potential,
    bond_potential,
    dihedral_potential,
)
from trellis.ensembles import (
    Ensemble,
    EnsembleEnergies,
    ExchangeHistory,
    Minima,
    ReplicaExchange,
    even_temperatures,
    geometric_temperatures,
    quenched,
    tuned_temperatures,
)
from trellis.forces import External, PythonForce, StepLimit, external
from trellis.interactions import (
    Interaction,
    cos,
    cross,
    dot,
    erf,
    erfc,
    exp,
    interaction,
    log,
    maximum,
    minimum,
    pair_potential,
    rsqrt,
    sin,
    sqrt,
    table,
    tanh,
    where,
)
from trellis.parallel import rank, ranks, set_threads
from trellis.parallel import world as world
from trellis.particles import Nearest, Neighbours, ParticleSet, Selection, columns, nearest, neighbours
from trellis.signatures import keep_values, show_signatures
from trellis.simulation import Energies, Simulation, accelerations, show_settings

if TYPE_CHECKING:
    from trellis import analysis, ase, config, cosmology, exact, grape, ic, plot

# Modules that are imported when they are first used: with them, importing this one takes 1.7 times as long.
_LATER = ("analysis", "ase", "config", "cosmology", "exact", "grape", "ic", "plot")

# Names that programs import and pickles hold.
sys.modules |= {"trellis.external": external, "trellis.columns": columns}

_with_settings = [Andersen, Barostat, Cosmology, Coulomb, Csvr, Gravity, IndividualSteps, Langevin, LennardJones]
_with_settings += [NoseHoover, Sph]
_with_settings += [getattr(external, _name) for _name in external.__all__]
show_signatures(*_with_settings, _DeviceOptions)
show_settings(*_with_settings)
keep_values(*_with_settings)

__all__ = [
    "FENE",
    "Andersen",
    "Barostat",
    "BondedForce",
    "CosineAngles",
    "CosineDihedrals",
    "Cosmology",
    "Coulomb",
    "Csvr",
    "Energies",
    "Ensemble",
    "EnsembleEnergies",
    "ExchangeHistory",
    "External",
    "Force",
    "Gravity",
    "HarmonicBonds",
    "IndividualSteps",
    "InputError",
    "Interaction",
    "Langevin",
    "LennardJones",
    "Minima",
    "Nearest",
    "Neighbours",
    "NoseHoover",
    "ParticleSet",
    "PythonForce",
    "ReplicaExchange",
    "RunError",
    "Selection",
    "Simulation",
    "Sph",
    "StepLimit",
    "Thermostat",
    "accelerations",
    "analysis",
    "angle_potential",
    "ase",
    "bond_potential",
    "config",
    "cos",
    "cosmology",
    "cross",
    "dihedral_potential",
    "dot",
    "erf",
    "erfc",
    "even_temperatures",
    "exact",
    "exp",
    "external",
    "geometric_temperatures",
    "grape",
    "ic",
    "info",
    "interaction",
    "io",
    "log",
    "maximum",
    "minimum",
    "nearest",
    "neighbours",
    "pair_potential",
    "plot",
    "quenched",
    "rank",
    "ranks",
    "rsqrt",
    "set_threads",
    "sin",
    "sqrt",
    "table",
    "tanh",
    "tuned_temperatures",
    "units",
    "where",
]


def __getattr__(name: str) -> ModuleType:
    """Import a module that is first used here."""
    if name not in _LATER:
        raise AttributeError(f"module 'trellis' has no attribute '{name}'")
    return importlib.import_module(f"trellis.{name}")


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
