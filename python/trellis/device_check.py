"""Checks whether a device computes what it should: ``trellis devices DEVICE --check``.

Small systems are computed on the device and beside it on the host; forces are also compared with direct summation in
double precision. External fields and GRAPE's calls are not checked.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis._core import Gravity, LennardJones, Sph
from trellis.ensembles import Ensemble
from trellis.errors import InputError, RunError
from trellis.ic import evrard, lennard_jones, plummer
from trellis.particles import ParticleSet
from trellis.simulation import Simulation

Floats = NDArray[np.float64]

STEPS = 4  # one that constructs lists, and three that may reuse them
ROUNDING = 1e-5  # rounding of sums of thousands of terms in single precision
TREE: dict[str, Any] = {"method": "tree", "order": 1, "theta": 0.5, "group_size": 64}  # the same on every device
PAIRS: dict[str, Any] = TREE | {"theta": 1e-3}  # no cell is far enough to be a superparticle

HAS_MESHES = Gravity().in_periodic_box().settings["method"] == "treepm"  # built with a library for Fourier transforms


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes
    ----------
    what : str
        The results that were compared, and with which.
    error : float
        The largest difference, or the root mean square of forces' relative errors; not a number if nothing was found.
    allowed : float
        The largest error of a device that works.
    why : str
        The error that ended the check; empty if none did.
    """

    what: str
    error: float
    allowed: float
    why: str = ""

    @property
    def passed(self) -> bool:
        """Whether the device computes this as it should."""
        return self.error <= self.allowed


def check_device(device: str) -> Iterator[Checked]:
    """Compare what a device computes with the host, and with direct sums in double precision.

    Parameters
    ----------
    device : str
        Name of a device, here or on a server.

    Yields
    ------
    Checked
        After each check. An error of the device ends that check alone.

    Raises
    ------
    InputError
        There is no such device, or it is the host.
    """
    if device in ("host", "auto"):
        raise InputError(f"device is '{device}': allowed is one that can be checked, such as cpu, cuda:0 or hip:0")
    Simulation(plummer(2), [Gravity(**PAIRS)], 1.0, device=device)  # opens it
    for what, allowed, error_on in CHECKS:
        yield _checked(what, error_on, device, allowed)


def _checked(what: str, error_on: Callable[[str], float], device: str, allowed: float) -> Checked:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # such as one that the host computes instead
            return Checked(what, error_on(device), allowed)
    except (InputError, RunError, RuntimeWarning) as failure:  # wrong numbers may be refused as input
        return Checked(what, math.nan, allowed, str(failure))


def _difference(found: Floats, wanted: Floats) -> float:
    """Return the largest difference, over the largest value; not a number if one is not."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def _after_steps(
    particles: ParticleSet, force: Any, timestep: float, device: str, *, resident: bool = False
) -> Simulation:
    where: dict[str, Any] = {"device": device, "resident": resident}
    simulation = Simulation(particles, [force], timestep, **where)
    simulation.run(steps=STEPS)
    return simulation


def _by_id(particles: ParticleSet, field: str) -> Floats:
    return np.array(particles.column(field))[np.argsort(particles.id)]


def _stars(device: str, *, resident: bool = False, **settings: Any) -> Simulation:
    gravity = Gravity(softening=0.02, **settings)
    return _after_steps(plummer(10_000, seed=1), gravity, 1 / 256, device, resident=resident)


def _accelerations(device: str, *, resident: bool = False, **settings: Any) -> Floats:
    simulation = _stars(device, resident=resident, **(TREE | settings))
    return _by_id(simulation.particles, "acceleration")


def _beside_host(**settings: Any) -> Callable[[str], float]:
    """Return a function: the largest difference of accelerations from those of the host with the same lists."""
    return lambda device: _difference(_accelerations(device, **settings), _accelerations("host", **settings))


def _beside_itself(**settings: Any) -> Callable[[str], float]:
    """Return a function: the largest difference of accelerations that are computed twice, first with settings."""
    return lambda device: _difference(_accelerations(device, **settings), _accelerations(device))


def _beside_direct_sums(**settings: Any) -> Callable[[str], float]:
    """Return a function: the root mean square of relative errors of accelerations."""
    return lambda device: float(_stars(device, **settings).force_error(1000)["rms"])


def _in_box(device: str) -> float:
    def there(where: str) -> Floats:
        random = np.random.default_rng(1)
        particles = ParticleSet.from_columns(position=random.random((4000, 3)), mass=1 / 4000)
        particles.box = [[0, 0, 0], [1, 1, 1]]
        gravity = Gravity(softening=0.002, method="treepm", group_size=64)
        return _by_id(_after_steps(particles, gravity, 1e-3, where).particles, "acceleration")

    return _difference(there(device), there("host"))


def _resident_beside_host(**settings: Any) -> Callable[[str], float]:
    """Return a function: the largest difference of accelerations of particles that stay from those of the host."""
    return lambda device: _difference(
        _accelerations(device, resident=True, **settings), _accelerations("host", **settings)
    )


def _atoms(*, resident: bool = False) -> Callable[[str], float]:
    """Return a function: the largest difference of accelerations from those of the host; perhaps of atoms that stay."""

    def there(where: str, resident: bool) -> Floats:
        moved = _after_steps(lennard_jones(4000), LennardJones(), 0.005, where, resident=resident)
        return _by_id(moved.particles, "acceleration")

    return lambda device: _difference(there(device, resident), there("host", resident=False))


def _gas_beside_host(**settings: Any) -> float:
    def there(**settings: Any) -> Floats:
        return _by_id(_after_steps(evrard(4000), Sph(**settings), 1e-4, "host").particles, "acceleration")

    return _difference(there(**settings), there())


def _gas(device: str) -> float:
    return _gas_beside_host(device=device)


def _gas_lists(device: str) -> float:
    # lists that are rebuilt at each step are requested of the device a step ahead
    return _gas_beside_host(neighbours_device=device, lists="rebuild")


def _ensemble(device: str) -> float:
    def there(where: str) -> Floats:
        systems = [lennard_jones(256, seed=seed) for seed in range(4)]
        ensemble = Ensemble(systems, LennardJones(), timestep=0.005, device=where)
        ensemble.advance(STEPS)
        return np.concatenate([_by_id(ensemble.particles(system), "position") for system in range(4)])

    return _difference(there(device), there("cpu"))


CHECKS: list[tuple[str, float, Callable[[str], float]]] = [
    ("pairs of gravity, beside direct sums in double precision", ROUNDING, _beside_direct_sums(**PAIRS)),
    ("pairs in double precision, beside direct sums", 1e-11, _beside_direct_sums(**PAIRS, precision="double")),
    ("tree, lists of indices (G2), beside the host", ROUNDING, _beside_host()),
    ("tree, kept lists (G3), beside the host", ROUNDING, _beside_host(lists="reuse")),
    ("tree, lists of particles (G1): the bits of G2", 0.0, _beside_itself(send="particles")),
    ("tree, computed twice: the same bits", 0.0, _beside_itself()),
    ("particles that stay on the device (G4), beside the host", ROUNDING, _resident_beside_host()),
    ("the same by expansions (fmm of order 3)", ROUNDING, _resident_beside_host(method="fmm", order=3)),
    ("multipoles (tree of order 2), beside the host", ROUNDING, _beside_host(order=2)),
    ("expansions (fmm of order 3), beside the host", ROUNDING, _beside_host(method="fmm", order=3)),
    ("expansions (fmm, accuracy 1e-4), beside direct sums", 1e-4, _beside_direct_sums(method="fmm", accuracy=1e-4)),
    *([("TreePM in a periodic box, beside the host", ROUNDING, _in_box)] if HAS_MESHES else []),
    ("Lennard-Jones atoms, beside the host", ROUNDING, _atoms()),
    ("atoms that stay on the device (G4), beside the host", ROUNDING, _atoms(resident=True)),
    ("a gas, beside the host", ROUNDING, _gas),
    ("a gas with lists made on the device, beside the host", ROUNDING, _gas_lists),
    ("an ensemble of atoms, beside cpu", ROUNDING, _ensemble),
]  # fmt: skip
