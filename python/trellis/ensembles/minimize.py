"""Quenches: small systems go downhill to minima of their potential energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.interactions.forces import NeighbourInteraction, TreeInteraction, for_systems
from trellis.particles import ParticleSet
from trellis.simulation import Simulation
from trellis.simulation.engine import force_list

CALL = 100  # steps
LONGEST_MOVE = 0.1  # an atom in a step (sigma)
ALL_PAIRS = 1e-6  # an opening angle that no cell of a small system has
ALLOWED = (_core.LennardJones, NeighbourInteraction, TreeInteraction, _core.TuplePotential)


class Minima(NamedTuple):
    """Minima of the potential energy that systems have reached."""

    particles: list[ParticleSet]
    """Particles of each system at its minimum, at rest."""
    energy: NDArray[np.float64]
    """Potential energy of each system, with that of the container, shape (systems,)."""


@checked_arguments()
def quenched(
    systems: Sequence[ParticleSet],
    interaction: _core.Force | Sequence[_core.Force],
    *,
    timestep: float = 0.003,
    tolerance: float = 1e-4,
    longest_move: float | None = None,
    container: tuple[float, float] | None = None,
    device: str | Sequence[str] = "host",
    most_steps: int = 100_000,
) -> Minima:
    """Bring systems to the minima of their potential energies that are downhill from where they are.

    By FIRE, which is molecular dynamics that turns velocities towards the forces and rests when it goes uphill
    (Bitzek et al. 2006; Guénolé et al. 2020). All systems go at once, each until its forces are below the tolerance, as
    an `Ensemble` does: in single precision. Energies are those of double precision at the positions found.

    Parameters
    ----------
    systems
        The particles of each system, which stay as they are. Their velocities do not count.
    interaction, container, device
        The interaction, as of an `Ensemble`: `LennardJones`, or one that `pair_potential` or an `interaction` with a
        potential has made; or a list of forces that act together in each system, one of these and forces over tuples
        (`bond_potential`, `FENE`, ...).
    timestep
        The first, as an `Ensemble` would take (time); it grows to at most ten times that.
    tolerance
        The force on each particle at the end is at most this (energy / length). The energy is too high by about its
        square over the stiffness of the softest mode. Less than about 1e-6 of the forces of single pairs is not
        reached, since pairs are computed in single precision.
    longest_move
        Of an atom in a step (length), above 0; with `LennardJones` a tenth of sigma if not given.
    most_steps
        After which a quench is given up.

    Returns
    -------
    Minima
        In the order of the systems.

    Raises
    ------
    ValueError
        For what cannot be used; it names the system.
    RuntimeError
        If a system does not come to a minimum, an energy is not finite, or the last device has failed.
    """
    forces = force_list([interaction] if isinstance(interaction, _core.Force) else interaction)
    for each in forces:
        if not isinstance(each, ALLOWED):
            raise _core.InputError(
                f"the interaction of a quench is {each!r}: allowed is LennardJones, a pair potential, and one of tuples"
            )
    if most_steps < 1:
        raise _core.InputError(f"most_steps is {most_steps}: allowed is 1 or more")
    particles = [each.copy() for each in systems]
    ensemble = _core.Ensemble(
        particles,
        for_systems([forces]),
        [timestep] * len(particles),
        None,
        [] if container is None else [container],
        (tolerance, _longest_move(forces, longest_move)),
        devices=_core.DeviceOptions(device=device),
    )
    steps, moving = 0, np.ones(len(particles), dtype=bool)
    while moving.any():
        if steps >= most_steps:
            raise _core.RunError(
                f"system {int(np.argmax(moving))} is not at a minimum after {steps} steps of its quench: the tolerance,"
                f" {tolerance:g}, may be less than single precision reaches, or parts of the system fly apart"
            )
        now = min(CALL, most_steps - steps)
        kinetic = ensemble.advance(now, now)[0, :, 1]
        moving = kinetic > 0
        steps += now
    ensemble.copy_all(particles)
    return Minima(particles, np.array([_energy(each, forces, container) for each in particles]))


def _longest_move(forces: Sequence[_core.Force], given: float | None) -> float:
    if given is not None:
        if not given > 0:
            raise _core.InputError(f"longest_move is {given:g}: allowed is above 0")
        return given
    sigmas: list[Any] = [each.settings["sigma"] for each in forces if isinstance(each, _core.LennardJones)]
    if not sigmas:
        raise _core.InputError(
            "longest_move is not given: allowed with LennardJones, where it is a tenth of sigma; else name a length"
        )
    return float(LONGEST_MOVE * sigmas[0])


def _energy(particles: ParticleSet, forces: Sequence[_core.Force], container: tuple[float, float] | None) -> float:
    """Return the potential energy in double precision."""
    double = [_in_double(each) for each in forces]
    energy = Simulation(particles.copy(), double, timestep=1.0).energies().potential
    if container is None:
        return energy
    radius, stiffness = container
    centre = np.average(particles.position, axis=0, weights=particles.mass)
    beyond = np.linalg.norm(particles.position - centre, axis=1) - radius
    return energy + 0.5 * stiffness * float((np.maximum(beyond, 0) ** 2).sum())


def _in_double(force: _core.Force) -> _core.Force:
    """Return a force with the same potential, in double precision on the host; all pairs, where it has no cutoff."""
    on_host = {"precision": "double", "device": "host"}
    if isinstance(force, _core.LennardJones):
        settings: dict[str, Any] = {**force.settings, **on_host}
        return _core.LennardJones(**settings)
    if isinstance(force, NeighbourInteraction):
        return force.interaction(**{**force.given, **on_host})  # type: ignore[no-any-return]
    if isinstance(force, TreeInteraction):
        given = {name: value for name, value in force.given.items() if name in force.interaction.parameters}
        return force.interaction(**given, **on_host, theta=ALL_PAIRS)  # type: ignore[no-any-return]
    return force
