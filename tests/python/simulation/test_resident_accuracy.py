"""Forces on particles that stay on a device: the host's lists, and the accuracy asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import trellis as tr


def clumpy_halo(size: int, seed: int) -> tr.ParticleSet:
    """Return a Plummer sphere, half of whose particles are in 16 small ones within it."""
    halo = tr.ic.plummer(size, seed=seed)
    centres = np.random.default_rng(seed).normal(size=(16, 3))
    halo.position[::2] = centres[np.arange(len(halo.position[::2])) % 16] + 0.01 * halo.position[::2]
    return halo


SETS = {"sphere": tr.ic.sphere, "plummer": tr.ic.plummer, "clumpy": clumpy_halo}


@pytest.fixture(params=["cpu", "opencl:0"])
def stay(request: pytest.FixtureRequest) -> str:
    """Return a device on which particles stay."""
    if request.param != "cpu":
        request.getfixturevalue("opencl")
    return str(request.param)


@pytest.mark.parametrize("accuracy", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("make", SETS.values(), ids=SETS)
@pytest.mark.parametrize(("method", "order"), [("tree", 1), ("fmm", 5)])
def test_particles_that_stay_have_the_hosts_lists_and_the_accuracy_asked_for(
    stay: str, method: str, order: int, make: Callable[..., tr.ParticleSet], accuracy: float
) -> None:
    """With forces in double precision accelerations agree to rounding, and with them what lists allow each cell."""
    tree = {"accuracy": accuracy, "softening": 0.01, "precision": "double", "group_size": 64}

    def after_a_step(**where: object) -> tr.Simulation:
        gravity = tr.Gravity(method=method, order=order, **tree)  # type: ignore[arg-type]
        sim = tr.Simulation(make(5000, seed=1), [gravity], 1e-4, **where)  # type: ignore[arg-type]
        sim.step()
        return sim

    there, host = after_a_step(device=stay, resident=True), after_a_step()
    assert there.interactions == pytest.approx(host.interactions, rel=1e-5)
    assert there.force_error(500)["rms"] <= accuracy
