"""The systems of a replica exchange as a parameter file describes them: to begin with, from a checkpoint, and more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trellis.config import RunFile
from trellis.ensembles.ensemble import Ensemble
from trellis.ensembles.replica_exchange import ReplicaExchange
from trellis.io.exchange_checkpoint import ExchangeCheckpoint
from trellis.particles import ParticleSet
from trellis.run.ingredients import barostat_of, forces_of, start_of, thermostat_of
from trellis.run.replica_ladder import Ladder, ladder_to_go_on


def exchange_to_begin(file: RunFile, ladder: Ladder) -> ReplicaExchange:
    """Return the exchange of a file before its first step."""
    return _exchange_of(file, ladder, _systems_of(file, len(ladder)))


def exchange_from(file: RunFile, checkpoint: ExchangeCheckpoint) -> tuple[ReplicaExchange, Ladder]:
    """Return the exchange of a file as it was at a checkpoint, with those systems that join it there, and its states.

    A system that joins is a copy of the one in the nearest state of the ladder, with its velocities scaled.

    Raises
    ------
    ValueError
        If the file has other states than those of the checkpoint and more.
    """
    before = Ladder(checkpoint.states)
    exchange = _exchange_of(file, before, _systems_of(file, len(before)))
    exchange.restore(checkpoint.state)
    ladder = ladder_to_go_on(file, before)
    positions = before.positions_in(ladder, file)
    if len(ladder) == len(before):
        return exchange, before
    systems, held_by = exchange.ensemble.all_particles(), np.argsort(exchange.state_of)
    for state in np.setdiff1d(np.arange(len(ladder)), positions):
        nearest = int(np.argmin(np.abs(positions - state)))
        copy = systems[held_by[nearest]].copy()
        copy.velocity = copy.velocity * np.sqrt(ladder.temperatures[state] / before.temperatures[nearest])
        systems.append(copy)
    longer = _exchange_of(file, ladder, systems)
    longer.restore_first(checkpoint.state, positions)
    return longer, ladder


def _exchange_of(file: RunFile, ladder: Ladder, systems: Sequence[ParticleSet]) -> ReplicaExchange:
    given = file.replica_exchange
    assert given is not None
    return ReplicaExchange(
        _ensemble_of(file, ladder, systems), ladder.temperatures, exchange_every=given.exchange_every,
        scheme=given.scheme, seed=given.seed,
    )  # fmt: skip


def _ensemble_of(file: RunFile, ladder: Ladder, systems: Sequence[ParticleSet]) -> Ensemble:
    """Return the systems, each in the state of its number."""
    of_states, units = ladder.files(file), start_of(file).units
    forces = {id(each): forces_of(each, systems[0], units, {}) for each in of_states}  # states may share a file
    walls = [(each.container.radius, each.container.stiffness) for each in of_states if each.container is not None]
    pressures = [each.barostat.pressure for each in of_states if each.barostat is not None]
    assert file.run.timestep is not None
    return Ensemble(
        systems,
        [forces[id(each)] for each in of_states],
        timestep=file.run.timestep,
        thermostat=thermostat_of(file),
        barostat=barostat_of(file),
        pressure=pressures or None,
        container=walls or None,
        **file.run.devices(),
    )


def _systems_of(file: RunFile, count: int) -> list[ParticleSet]:
    """Return `count` systems as a run begins with them; those of a random model have seeds of their own."""
    first = start_of(file).particles
    return [first, *(_next_system(file, first, k) for k in range(1, count))]


def _next_system(file: RunFile, first: ParticleSet, number: int) -> ParticleSet:
    seed = getattr(file.ic, "seed", None)
    if file.ic is None or seed is None:
        return first.copy()
    return start_of(file.model_copy(update={"ic": file.ic.model_copy(update={"seed": seed + number})})).particles
