"""The systems of a replica exchange as a parameter file describes them: to begin with, from a checkpoint, and more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trellis._core import Barostat
from trellis.config import RunFile
from trellis.ensemble import Ensemble
from trellis.io.exchange_checkpoint import ExchangeCheckpoint
from trellis.particles import ParticleSet
from trellis.replica_exchange import ReplicaExchange
from trellis.run.ingredients import forces_of, start_of, thermostat_of
from trellis.temperatures import count_of_temperatures, geometric_temperatures

Floats = NDArray[np.float64]


def exchange_to_begin(file: RunFile) -> ReplicaExchange:
    """Return the exchange of a file before its first step."""
    temperatures = temperatures_to_begin(file)
    return _exchange_of(file, _systems_of(file, len(temperatures)), temperatures)


def exchange_from(file: RunFile, checkpoint: ExchangeCheckpoint) -> ReplicaExchange:
    """Return the exchange of a file as it was at a checkpoint, and with those systems that join it there.

    A system that joins is a copy of the one that is nearest in temperature, with its velocities scaled.
    """
    before = checkpoint.temperatures
    exchange = _exchange_of(file, _systems_of(file, len(before)), before)
    exchange.restore(checkpoint.state)
    joining = temperatures_that_join(file, checkpoint)
    if len(joining) == 0:
        return exchange
    systems, held = exchange.ensemble.all_particles(), before[exchange.state_of]
    for temperature in joining:
        nearest = int(np.argmin(np.abs(np.log(held / temperature))))
        copy = systems[nearest].copy()
        copy.velocity = copy.velocity * np.sqrt(temperature / held[nearest])
        systems.append(copy)
    longer = _exchange_of(file, systems, np.sort(np.concatenate([before, joining])))
    longer.restore_first(checkpoint.state, before)
    return longer


def temperatures_that_join(file: RunFile, checkpoint: ExchangeCheckpoint) -> Floats:
    """Return those that a file adds, ascending, and that are not in a checkpoint yet."""
    assert file.replica_exchange is not None
    return np.setdiff1d(np.array(file.replica_exchange.added, dtype=float), checkpoint.temperatures)


def _exchange_of(file: RunFile, systems: Sequence[ParticleSet], temperatures: Floats) -> ReplicaExchange:
    given = file.replica_exchange
    assert given is not None
    return ReplicaExchange(
        _ensemble_of(file, systems), temperatures, exchange_every=given.exchange_every, scheme=given.scheme,
        seed=given.seed,
    )  # fmt: skip


def temperatures_to_begin(file: RunFile) -> Floats:
    """Return the temperatures that a file gives, or those that short runs begin with."""
    given = file.replica_exchange
    assert given is not None
    if given.temperatures is not None:
        return np.array(given.temperatures, dtype=float)
    assert given.lowest is not None
    assert given.highest is not None
    freedom = 3.0 * len(start_of(file).particles) - 3.0
    count = given.states or count_of_temperatures(given.lowest, given.highest, freedom)
    return geometric_temperatures(given.lowest, given.highest, count)


def _ensemble_of(file: RunFile, systems: Sequence[ParticleSet]) -> Ensemble:
    forces = forces_of(file, start_of(file).units, {})
    wall = file.container
    assert file.run.timestep is not None
    assert file.replica_exchange is not None
    return Ensemble(
        systems,
        forces[0] if forces else None,
        timestep=file.run.timestep,
        thermostat=thermostat_of(file),
        barostat=None if file.barostat is None else Barostat(**file.barostat.model_dump(exclude_none=True)),
        pressure=file.replica_exchange.pressures,
        container=None if wall is None else (wall.radius, wall.stiffness),
        device=file.run.device if isinstance(file.run.device, str) else list(file.run.device),
        device_memory=file.run.device_memory,
        spares=file.run.spares,
        grace=file.run.grace,
        redundant=file.run.redundant,
    )


def _systems_of(file: RunFile, count: int) -> list[ParticleSet]:
    """Return so many systems as the file has them at the beginning; those of a random model have seeds of their own."""
    first = start_of(file).particles
    return [first, *(_next_system(file, first, k) for k in range(1, count))]


def _next_system(file: RunFile, first: ParticleSet, number: int) -> ParticleSet:
    seed = getattr(file.ic, "seed", None)
    if file.ic is None or seed is None:
        return first.copy()
    return start_of(file.with_model(file.ic.model_copy(update={"seed": seed + number}))).particles
