"""Simulations in expanding space: the forces that act there, arguments that are refused, and the name of a moment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trellis import _core
from trellis._core import Cosmology
from trellis.forces import external
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.simulation.gas_checks import gas_beside_others
from trellis.simulation.periodic_box import forces_in_box

LONG_SOFTENING, SHORT_SOFTENING = 1.0, 1e-3
"""Softenings over the mean distance of particles, beyond which there is a note; 1/20 to 1/60 is usual."""

SAME_DENSITY = 0.01
"""Share by which the mean density of a periodic box may differ from that of the cosmology."""


def check_expansion(
    cosmology: Cosmology | None,
    *,
    timestep: float | None,
    log_step: float | None,
    resident: bool,
    thermostat: _core.Thermostat | None,
    barostat: _core.Barostat | None,
) -> None:
    """Raise a ValueError for arguments of a simulation that exclude each other in expanding space, or without it."""
    if cosmology is None:
        if log_step is not None:
            raise _core.InputError(f"log_step is {log_step}, but no cosmology is given: steps in ln a need one")
        return
    if timestep is not None:
        raise _core.InputError(f"timestep is {timestep}, but space expands: allowed is log_step, a length in ln a")
    if resident:
        raise _core.InputError("resident is true, but particles that stay on a device know no expanding space")
    if thermostat is not None:
        raise _core.InputError(f"thermostat is {thermostat}, but expanding space has no thermostat")
    if barostat is not None:
        raise _core.InputError(f"barostat is {barostat}, but expanding space has no barostat")


def begin_of(cosmology: Cosmology | None, time: float, scale_factor: float | None) -> float:
    """Return the time of the particles, which in expanding space is the scale factor."""
    if cosmology is None:
        if scale_factor is not None:
            raise _core.InputError(f"scale_factor is {scale_factor}, but no cosmology is given, by which space expands")
        return time
    if time != 0:
        raise _core.InputError(f"time is {time}, but space expands: give scale_factor instead")
    if scale_factor is None or not 0 < scale_factor < np.inf:
        raise _core.InputError(f"scale_factor is {scale_factor}, but must be above 0 where space expands")
    return scale_factor


def forces_in_space(
    forces: Sequence[_core.Force], particles: ParticleSet, cosmology: Cosmology | None, devices: _core.DeviceOptions
) -> list[_core.Force]:
    """Return the forces that act, with what the mean density needs in open space; all ranks call this.

    In a periodic box gravity is by the method that takes least time (`forces_in_box`); the conduction of a gas is that
    for other forces beside it (`gas_beside_others`).

    Raises
    ------
    ValueError
        If one of them is not known in expanding space, or the particles of a periodic box are not the matter of the
        cosmology.
    """
    acting = forces_in_box(gas_beside_others(forces), particles, devices)
    if cosmology is None:
        _check_constant(acting)
        return acting
    for force in acting:
        if not isinstance(force, (_core.Gravity, _core.MeanDensity)):
            raise _core.InputError(f"{force} acts, but in expanding space allowed is Gravity alone")
    gravity = next((force for force in acting if isinstance(force, _core.Gravity)), None)
    if gravity is None:
        return acting
    G = float(gravity.settings["G"])  # type: ignore[arg-type]
    periodic = np.isfinite(particles.box).all(axis=0)
    if periodic.any() and not periodic.all():
        raise _core.InputError("the box is periodic along some axes, but expanding space is along all or none")
    if periodic.all():
        _check_density(particles, cosmology.mean_density(G))
        _check_softening(particles, gravity.settings["softening"])
    elif not any(isinstance(force, _core.MeanDensity) for force in acting):
        acting.append(external.MeanDensity(density=cosmology.mean_density(G), G=G))
    return acting


def moment(time: float, cosmology: Cosmology | None) -> str:
    """Return a time as text: in expanding space, the scale factor and the redshift."""
    return f"t = {time:g}" if cosmology is None else f"a = {time:.4g}, z = {1 / time - 1:.4g}"


def changes_with_redshift(gravity: _core.Gravity) -> str | None:
    """Return the name of the first parameter by which a force changes as space expands, if any does."""
    settings = gravity.settings
    if settings["softening_max_physical"] is not None:
        return "softening_max_physical"
    return next((name for name in ("theta", "accuracy") if isinstance(settings[name], list)), None)


def _check_constant(forces: Sequence[_core.Force]) -> None:
    for force in forces:
        name = changes_with_redshift(force) if isinstance(force, _core.Gravity) else None
        if name is not None:
            raise _core.InputError(
                f"{name} changes {force} with redshift, but no cosmology is given, by which there is one"
            )


def _check_density(particles: ParticleSet, expected: float) -> None:
    low, high = particles.box
    volume = float(np.prod(high - low))
    if not 0 < volume < np.inf:
        sides = ", ".join(f"{side:g}" for side in high - low)
        raise _core.InputError(f"the box has sides of {sides}, whose volume is {volume:g}: allowed is one above 0")
    found = sum(world.gather(float(particles.mass.sum()))) / volume
    if abs(found / expected - 1) > SAME_DENSITY:
        raise _core.InputError(
            f"the mean density of the box is {found:g}, but that of the cosmology is {expected:g}: look at the units"
            " (H0, G, lengths and masses over h) and at omega_m"
        )


def _check_softening(particles: ParticleSet, softening: object) -> None:
    """Refuse a softening of half the box, and note one that no mean distance of particles suits: of other units."""
    if isinstance(softening, dict):
        softening = min(softening.values())
    if not isinstance(softening, int | float):
        return  # that of each particle
    low, high = particles.box
    side, count = float((high - low).min()), sum(world.gather(len(particles)))
    distance = float(np.cbrt((high - low).prod() / max(1, count)))
    if softening > side / 2:
        raise _core.InputError(
            f"softening is {softening:g}, but must be at most half of the side {side:g} of the box: look at their units"
        )
    if softening > LONG_SOFTENING * distance:
        _note_softening(softening, f"longer than the mean distance {distance:.4g} of particles")
    elif 0 < softening < SHORT_SOFTENING * distance and _same_masses(particles):
        _note_softening(softening, f"below a thousandth of the mean distance {distance:.4g} of particles")


def _same_masses(particles: ParticleSet) -> bool:
    extremes = [(float(particles.mass.min()), float(particles.mass.max()))] if len(particles) > 0 else []
    of_all = [each for part in world.gather(extremes) for each in part]
    return max(high for _, high in of_all) <= 1.01 * min(low for low, _ in of_all)


def _note_softening(softening: float, problem: str) -> None:
    if world.rank() == 0:
        warn(f"the softening {softening:g} is {problem}: usual is 1/20 to 1/60 of it, in the unit of positions")
