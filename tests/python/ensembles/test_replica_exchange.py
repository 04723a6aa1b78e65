"""Replica exchange: as the slow one, canonical at every temperature, and the same bits however it is run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import harmonic
import numpy as np
import pytest
import slow_exchange

import trellis as tr

ATOMS, FREEDOM = 13, 36  # a cluster about its centre of mass
TEMPERATURES = tr.geometric_temperatures(0.7, 1.6, 4)
STEP = 0.1
LANGEVIN = tr.Langevin(temperature=1, relaxation_time=0.5, seed=5)


def wells(systems: int = 4, thermostat: tr.Thermostat | None = LANGEVIN, **more: object) -> tr.Ensemble:
    """Clusters of particles in a harmonic well about their centre of mass, in equilibrium at k T = 1."""
    random = np.random.default_rng(1)
    particles = []
    for _ in range(systems):
        made = tr.ParticleSet(ATOMS)
        made.position, made.velocity = random.normal(size=(2, ATOMS, 3))
        made.mass = 1.0
        particles.append(made)
    given = {"timestep": STEP, "container": (0.0, 1.0), **more}
    return tr.Ensemble(particles, None, thermostat=thermostat, **given)  # type: ignore[arg-type]


def chances(history: tr.ExchangeHistory) -> np.ndarray:
    """Chances that samples so far from the harmonic distribution occur, at each temperature."""
    energies = history.after(50).energies() / (1 + STEP**2 / 4)  # which the leapfrog's steps add
    found = []
    for temperature, series in zip(history.temperatures, energies.T, strict=True):
        independent = tr.analysis.thinned(series)
        assert len(independent) >= 1000
        found.append(harmonic.kolmogorov_smirnov(independent, temperature, FREEDOM))
    return np.array(found)


def test_it_is_the_slow_exchange() -> None:
    quick = tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=7, seed=3).run(40)
    slow = slow_exchange.exchange(wells(), TEMPERATURES, 40, 7, 3)
    assert np.array_equal(quick.state, slow.state)
    assert np.array_equal(quick.potential, slow.potential)
    assert np.array_equal(quick.accepted, slow.accepted)
    assert np.array_equal(quick.tried, slow.tried)


@pytest.mark.parametrize(
    ("scheme", "device"),
    [("neighbours", "host"), ("all pairs", "host"), ("asynchronous", "host"), ("asynchronous", "cpu*4")],
)
def test_each_temperature_keeps_its_distribution(scheme: str, device: str) -> None:
    ensemble = wells(device=device)
    exchange = tr.ReplicaExchange(ensemble, TEMPERATURES, exchange_every=20, scheme=scheme)  # type: ignore[arg-type]
    history = exchange.run(2500)
    # other numbers in each run of the test, where bits depend on which device comes first
    least, most = (1e-4, 4) if device == "host" else (1e-6, 5)
    assert chances(history).min() > least
    assert (history.accepted > 0.3 * history.tried).all()
    assert history.tried.min() > 500
    test = tr.analysis.ratio_test(history.after(50).energies(), TEMPERATURES)
    assert np.abs(test.deviation).max() < most


def test_the_right_rule_passes_with_every_seed() -> None:
    found = []
    for seed in range(20):
        ensemble = wells(thermostat=tr.Langevin(temperature=1, relaxation_time=0.5, seed=100 * seed))
        history = tr.ReplicaExchange(ensemble, TEMPERATURES, exchange_every=20, seed=seed).run(2500)
        found.append(chances(history).min())
    assert min(found) > 1e-4  # the least of 80
    assert max(found) > 0.1


WRONG = {
    "energies a particle, without their number": {"rule": lambda exponent: exponent / ATOMS},
    "the other sign": {"rule": lambda exponent: -exponent},
    "always": {"rule": lambda exponent: 0.0 * exponent},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_rules_are_found(wrong: str) -> None:
    history = slow_exchange.exchange(wells(), TEMPERATURES, 2500, 10, 3, **WRONG[wrong])  # type: ignore[arg-type]
    assert chances(history).min() < 1e-6


def test_a_thermostat_that_does_not_act_is_found() -> None:
    ensemble = wells(thermostat=tr.Langevin(temperature=1, relaxation_time=1e9))
    history = slow_exchange.exchange(ensemble, TEMPERATURES, 2500, 20, 3)
    energies = history.after(50).energies()
    found = [
        harmonic.kolmogorov_smirnov(series[::2], t, FREEDOM) for series, t in zip(energies.T, TEMPERATURES, strict=True)
    ]
    assert min(found) < 1e-6


def test_acceptance_and_mixing_are_those_of_harmonic_systems() -> None:
    history = tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=20).run(4000)
    random, shape = np.random.default_rng(1), FREEDOM / 2
    rates = []
    for low, high in pairwise(TEMPERATURES):
        u_low, u_high = random.gamma(shape, low, 10**6), random.gamma(shape, high, 10**6)
        rates.append(np.minimum(1, np.exp((1 / low - 1 / high) * (u_low - u_high))).mean())
    found = tr.analysis.acceptance(history)
    assert np.abs((found.rate - rates) / found.error).max() < 4
    even, odd = np.eye(4), np.eye(4)
    for matrix, pair in [(even, 0), (odd, 1), (even, 2)]:
        matrix[pair : pair + 2, pair : pair + 2] += rates[pair] * np.array([[-1, 1], [1, -1]])
    second = np.linalg.eigvalsh((even + odd) / 2)[-2]
    transitions = tr.analysis.state_transitions(history)
    assert abs(transitions.second_eigenvalue - second) < 4 * transitions.error < 0.02
    trips = tr.analysis.round_trips(history)
    assert abs(trips.from_first.mean - trips.from_last.mean) < 4 * np.hypot(
        trips.from_first.error, trips.from_last.error
    )
    assert trips.from_first.count.min() > 50


def test_it_has_the_same_bits_however_it_is_run() -> None:
    whole = tr.ReplicaExchange(wells(6), tr.geometric_temperatures(0.5, 2, 6), exchange_every=5)
    history = whole.run(30)
    parts = tr.ReplicaExchange(
        wells(6, device=["cpu", "rehearsal:0"]), tr.geometric_temperatures(0.5, 2, 6), exchange_every=5
    )
    first = parts.run(11)
    kept = parts.state()
    parts.run(3)
    resumed = tr.ReplicaExchange(wells(6), tr.geometric_temperatures(0.5, 2, 6), exchange_every=5)
    resumed.restore(kept)
    assert resumed.exchanges == 11
    joined = first.joined([resumed.run(19)])
    assert np.array_equal(joined.state, history.state)
    assert np.array_equal(joined.potential, history.potential)
    assert np.array_equal(joined.accepted, history.accepted)
    assert np.array_equal(resumed.ensemble.particles(3).velocity, whole.ensemble.particles(3).velocity)


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("scheme", ["neighbours", "asynchronous"])
def test_systems_of_a_lost_device_go_on_elsewhere(
    serve: Callable[..., subprocess.Popen[str]], tmp_path: Path, scheme: str
) -> None:
    if tr.info()["network"] == "built without":
        pytest.skip("Trellis was built without a network")
    temperatures = tr.geometric_temperatures(0.5, 2, 9)
    servers = [serve("--unix", str(tmp_path / name)) for name in "abc"]
    ensemble = wells(9, device=[f"unix:{tmp_path / name}/cpu" for name in "abc"])
    shared = tr.ReplicaExchange(ensemble, temperatures, exchange_every=5, scheme=scheme)  # type: ignore[arg-type]
    first = shared.run(10)
    servers[1].kill()
    with pytest.warns(RuntimeWarning, match="its systems go to"):
        history = first.joined([shared.run(10)])
    servers[0].kill()
    with pytest.warns(RuntimeWarning, match="its systems go to"):
        history = history.joined([shared.run(10)])
    came = (history.state >= 0).sum()
    assert ensemble._core.step_counts.sum() == 5 * came
    assert sorted(shared.state_of) == list(range(9))
    if scheme == "neighbours":
        alone = tr.ReplicaExchange(wells(9), temperatures, exchange_every=5).run(30)
        assert np.array_equal(history.state, alone.state)
        assert np.array_equal(history.potential, alone.potential)
        assert came == 30 * 9
    assert 30 * 9 <= came < 36 * 9


def test_the_books_are_kept() -> None:
    ensemble = wells(thermostat=tr.Andersen(temperature=1, relaxation_time=0.5), timestep=0.01)
    exchange = tr.ReplicaExchange(ensemble, TEMPERATURES, exchange_every=10)

    def total() -> np.ndarray:
        return np.sum(ensemble.advance(1), axis=0)

    before = total()
    history = exchange.run(50)
    assert history.accepted.sum() > 20
    assert np.abs(total() - before).max() < 1e-2
    assert np.array_equal(ensemble.temperature, TEMPERATURES[exchange.state_of])


def test_a_state_has_its_temperatures() -> None:
    exchange = tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=5)
    exchange.set_temperatures(1.3 * TEMPERATURES)
    exchange.run(5)
    kept, history = exchange.state(), exchange.run(9)
    other = tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=5)
    other.restore(kept)
    assert np.array_equal(other.ensemble.temperature, 1.3 * TEMPERATURES[other.state_of])
    again = other.run(9)
    assert np.array_equal(again.temperatures, 1.3 * TEMPERATURES)
    assert np.array_equal(again.state, history.state)
    assert np.array_equal(again.potential, history.potential)
    with pytest.raises(ValueError, match="a state of other systems cannot be restored"):
        other.restore({**kept, "state_of": np.array([0, 0, 1, 2], np.int32).tobytes()})
    assert other.ensemble.step_count == 70
    with pytest.raises(ValueError, match="a state of other systems cannot be restored"):
        other.restore({})
    with pytest.raises(ValueError, match="not one of an exchange among as many systems"):
        other.restore_first({}, [0, 1])


def test_ladders() -> None:
    temperatures = tr.geometric_temperatures(1, 8, 4)
    assert temperatures == pytest.approx([1, 2, 4, 8])
    # a constant heat capacity has spreads that grow as the temperature, and an even ladder of a constant ratio
    uneven = np.array([1, 1.5, 3, 8])
    assert tr.even_temperatures(uneven, 3 * uneven, 4) == pytest.approx(temperatures, rel=0.08)
    peaked = tr.even_temperatures(np.linspace(1, 2, 11), np.where(np.arange(11) == 5, 20.0, 1.0), 11)
    assert np.diff(peaked).argmin() in (4, 5)
    exchange = tr.ReplicaExchange(wells(6), np.array([0.5, 0.52, 0.55, 0.6, 1.4, 2.0]), exchange_every=20)
    found = tr.tuned_temperatures(exchange, 200, 3)
    assert found == pytest.approx(tr.geometric_temperatures(0.5, 2, 6), rel=0.1)
    assert np.array_equal(found, exchange.temperatures)
    assert np.array_equal(exchange.ensemble.temperature, found[exchange.state_of])


def test_what_cannot_be_used_is_refused() -> None:
    for make, sentence in [
        (lambda: tr.ReplicaExchange(wells(), [1, 2, 3]), "the states are 3: allowed is one for each of the 4 systems"),
        (lambda: tr.ReplicaExchange(wells(), [1, 2, 3, -4]), "the temperature of state 3 is -4: allowed is above 0"),
        (lambda: tr.ReplicaExchange(wells(thermostat=None), TEMPERATURES), "system 0 has no thermostat"),
        (lambda: tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=0), "exchange_every is 0: allowed is 1"),
        (lambda: tr.ReplicaExchange(wells(), [1]), "there is one state, which has none to exchange with"),
        (lambda: tr.ReplicaExchange(wells(), TEMPERATURES, scheme="best"), "scheme is 'best': allowed are neighbours,"),
        (lambda: tr.ReplicaExchange(wells(), TEMPERATURES).run(0), "exchanges is 0: allowed is 1 or more"),
        (lambda: tr.tuned_temperatures(tr.ReplicaExchange(wells(), TEMPERATURES), 3), "exchanges is 3: allowed is 4"),
        (lambda: tr.geometric_temperatures(2, 1, 3), "temperatures from 2 to 1: allowed is above 0, in order"),
        (lambda: tr.geometric_temperatures(1, 2, 1), "the number of temperatures is 1: allowed is 2 or more"),
        (lambda: tr.even_temperatures([1, 2], [1, 0]), "spreads of energies must be above 0"),
        (lambda: tr.even_temperatures([2, 1], [1, 1]), "temperatures must ascend"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            make()
    exchange = tr.ReplicaExchange(wells(), TEMPERATURES)
    with pytest.raises(ValueError, match="a state of other systems cannot be restored"):
        exchange.restore(tr.ReplicaExchange(wells(5), tr.geometric_temperatures(1, 2, 5)).state())
