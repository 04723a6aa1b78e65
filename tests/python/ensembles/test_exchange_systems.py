"""Systems that exchange states: the same particles, energies that do not jump, and velocities of their states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trellis as tr
from trellis.config import ReplicaExchangeParameters

BATH = tr.Langevin(temperature=1.0, relaxation_time=1.0, seed=3)


def atoms(count: int = 4, seed: int = 1, mass: float = 1.0, box: float | None = None) -> tr.ParticleSet:
    made = tr.ParticleSet.from_columns(
        position=3 * np.random.default_rng(seed).random((count, 3)), velocity=np.zeros((count, 3)), mass=mass
    )
    if box is not None:
        made.box = [[0.0] * 3, [box] * 3]
    return made


def test_what_is_read_after_an_exchange_has_the_temperature_of_the_state(tmp_path: Path) -> None:
    """Velocities of before the rescaling had 2 K / 3 N = 0.585 and 0.917 for 0.5 and 1.0."""
    hoomd: Any = pytest.importorskip("gsd.hoomd")
    temperatures, count = np.array([0.5, 1.0]), 4
    ensemble = tr.Ensemble(
        [atoms(seed=k) for k in range(2)], None, timestep=0.1, thermostat=BATH, temperature=temperatures,
        container=(0.0, 1.0),
    )  # fmt: skip
    exchange = tr.ReplicaExchange(ensemble, temperatures, exchange_every=100, seed=1)
    exchange.run(10)
    read: list[list[float]] = [[], []]
    with tr.io.ReplicaTrajectories(tmp_path, exchange, by="state") as files:
        for _ in range(1000):
            exchange.run(1)
            files.write()
            for system in range(2):
                velocity = ensemble.particles(system).velocity
                read[exchange.state_of[system]].append((velocity**2).sum() / 3 / count)
    error = 4 * np.sqrt(2 / (3 * count * 1000))
    for state, temperature in enumerate(temperatures):
        assert np.mean(read[state]) == pytest.approx(temperature, rel=error)
        with hoomd.open(tmp_path / f"state_{state:03d}.gsd") as frames:
            written = [(each.particles.velocity.astype(float) ** 2).sum() / 3 / count for each in frames]
        np.testing.assert_allclose(written, read[state], rtol=1e-5)


def test_velocities_that_are_read_are_those_of_the_next_step() -> None:
    given = atoms()
    given.velocity = np.random.default_rng(6).normal(size=(4, 3))
    ensemble = tr.Ensemble([given], None, timestep=0.1)
    ensemble.scale_velocities(3.0)
    np.testing.assert_array_equal(ensemble.particles(0).velocity, 3.0 * given.velocity)
    np.testing.assert_allclose(ensemble.advance(1).kinetic, 0.5 * 9 * (given.velocity**2).sum(), rtol=1e-12)
    np.testing.assert_array_equal(ensemble.particles(0).velocity, 3.0 * given.velocity)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (atoms(12), "system 1: it has 12 particles, but system 0 has 4"),
        (atoms(mass=2.0), "system 1: it has other masses"),
        (atoms(box=9.0), "system 1: it has a box with the sides 9, 9, 9, but system 0 has open, open, open"),
    ],
    ids=["particles", "masses", "box"],
)
def test_unlike_systems_are_refused_with_the_difference(other: tr.ParticleSet, sentence: str) -> None:
    ensemble = tr.Ensemble([atoms(), other], None, timestep=0.01, thermostat=BATH)
    with pytest.raises(tr.InputError, match=sentence):
        tr.ReplicaExchange(ensemble, [1.0, 1.1])


def test_systems_with_rows_in_another_order_are_the_same() -> None:
    first, second = atoms(), atoms(seed=2)
    first.mass[:], second.mass[:] = [1, 2, 3, 4], [4, 3, 2, 1]
    tr.ReplicaExchange(tr.Ensemble([first, second], None, timestep=0.01, thermostat=BATH), [1.0, 1.1]).run(1)


def test_boxes_of_other_sides_are_refused() -> None:
    ensemble = tr.Ensemble([atoms(box=8.0), atoms(box=9.0)], None, timestep=0.01, thermostat=BATH)
    with pytest.raises(tr.InputError, match="a box with the sides 9, 9, 9, but system 0 has 8, 8, 8"):
        tr.ReplicaExchange(ensemble, [1.0, 1.1])


def test_energies_that_jump_at_the_cutoff_are_refused() -> None:
    """Dimers with a cutoff of 1.5 at k T = 0.25 had a bound share of .072, which exactly is .048."""

    def exchange(interaction: tr.Force) -> tr.ReplicaExchange:
        ensemble = tr.Ensemble([atoms(2)] * 2, interaction, timestep=0.005, thermostat=BATH)
        return tr.ReplicaExchange(ensemble, [0.25, 0.3])

    with pytest.raises(tr.InputError, match=r"truncation is 'plain', by which the energy jumps by 0\.35 at the cutoff"):
        exchange(tr.LennardJones(cutoff=1.5))
    exchange(tr.LennardJones(cutoff=1.5, truncation="energy-shifted"))
    exchange(tr.LennardJones(cutoff=20.0))


def test_the_energies_of_an_exchange_are_conserved_together() -> None:
    clusters = [tr.ic.cluster(13, seed=seed) for seed in range(4)]
    bath = tr.Langevin(temperature=0.3, relaxation_time=1.0, seed=1)
    ensemble = tr.Ensemble(clusters, tr.LennardJones(cutoff=20.0), timestep=0.002, thermostat=bath, container=(3, 100))
    for scheme in ("neighbours", "asynchronous"):
        given: dict[str, Any] = {"exchange_every": 50, "scheme": scheme}
        exchange = tr.ReplicaExchange(ensemble, [0.3, 0.32, 0.34, 0.36], **given)
        exchange.run(5)
        before = np.sum(exchange.energies, axis=0)
        assert exchange.run(40).accepted.sum() > 10
        assert np.abs(np.sum(exchange.energies, axis=0) - before).max() < 0.05
        assert exchange.energies.potential.shape == (4,)


def test_default_seeds_are_the_same_in_python_and_in_files() -> None:
    import inspect

    python = inspect.signature(tr.ReplicaExchange).parameters
    for name in ("seed", "exchange_every", "scheme"):
        assert ReplicaExchangeParameters.model_fields[name].default == python[name].default


@pytest.mark.parametrize("lowest", [0.0, -0.2])
def test_a_temperature_that_there_is_not_is_named_before_a_jump(lowest: float) -> None:
    ensemble = tr.Ensemble([atoms(2)] * 2, tr.LennardJones(cutoff=20.0), timestep=0.005, thermostat=BATH)
    with pytest.raises(tr.InputError, match=f"^the temperature of state 0 is {lowest:g}: allowed is above 0$"):
        tr.ReplicaExchange(ensemble, [lowest, 0.3])
