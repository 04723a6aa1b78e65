"""Quenches: small systems go downhill to minima of their potential energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.particles import ParticleSet
from trellis.simulation import Simulation

CALL = 100  # steps
LONGEST_MOVE = 0.1  # an atom in a step (sigma)


class Minima(NamedTuple):
    """Minima of the potential energy that systems have reached."""

    particles: list[ParticleSet]
    """Particles of each system at its minimum, at rest."""
    energy: NDArray[np.float64]
    """Potential energy of each system, with that of the container, shape (systems,)."""


@checked_arguments()
def quenched(
    systems: Sequence[ParticleSet],
    interaction: _core.LennardJones,
    *,
    timestep: float = 0.003,
    tolerance: float = 1e-4,
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
        The interaction, as of an `Ensemble`; `LennardJones` alone.
    timestep
        The first, as an `Ensemble` would take (time); it grows to at most ten times that.
    tolerance
        The force on each particle at the end is at most this (energy / length). The energy is too high by about its
        square over the stiffness of the softest mode. Less than about 1e-6 of the forces of single pairs is not
        reached, since pairs are computed in single precision.
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
    if not isinstance(interaction, _core.LennardJones):
        raise _core.InputError(f"the interaction of a quench is {interaction!r}: allowed is LennardJones")
    if most_steps < 1:
        raise _core.InputError(f"most_steps is {most_steps}: allowed is 1 or more")
    particles = [each.copy() for each in systems]
    sigma: Any = interaction.settings["sigma"]
    ensemble = _core.Ensemble(
        particles,
        [[interaction]],
        [timestep] * len(particles),
        None,
        [] if container is None else [container],
        (tolerance, LONGEST_MOVE * sigma),
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
    return Minima(particles, np.array([_energy(each, interaction, container) for each in particles]))


def _energy(particles: ParticleSet, interaction: _core.LennardJones, container: tuple[float, float] | None) -> float:
    """Return the potential energy in double precision."""
    settings: dict[str, Any] = {**interaction.settings, "precision": "double", "device": "host"}
    double = _core.LennardJones(**settings)
    pairs = Simulation(particles.copy(), [double], timestep=1.0).energies().potential
    if container is None:
        return pairs
    radius, stiffness = container
    centre = np.average(particles.position, axis=0, weights=particles.mass)
    beyond = np.linalg.norm(particles.position - centre, axis=1) - radius
    return pairs + 0.5 * stiffness * float((np.maximum(beyond, 0) ** 2).sum())
