"""Constant pressure: volumes of gases, energies after moves, the same bits, and pressures as states of an exchange."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import slow_exchange
from conftest import Command
from pressure_states import PARAMETERS
from scipy import stats

import trellis as tr

TINY = tr.LennardJones(epsilon=1e-30, sigma=0.01, cutoff=0.02, truncation="energy-shifted")
ATOMS = tr.LennardJones(cutoff=2.2, truncation="energy-shifted")
LANGEVIN = tr.Langevin(temperature=1.0, relaxation_time=0.3, seed=3)
PARTICLES = 32
PRESSURES = np.array([0.7, 1.0, 1.3, 1.3])
TEMPERATURES = np.array([1.0, 1.0, 1.0, 1.3])


def atoms(particles: int = PARTICLES, density: float = 1.0, seed: int = 1) -> tr.ParticleSet:
    return tr.ic.lennard_jones(particles, density=density, temperature=1.0, seed=seed)


def gas(pressures: np.ndarray = PRESSURES, **more: Any) -> tr.Ensemble:
    """Boxes of particles that hardly act on each other."""
    given: dict[str, Any] = {
        "thermostat": LANGEVIN,
        "barostat": tr.Barostat(pressure=1.0, every=1, longest_move=0.4),
        **more,
    }
    return tr.Ensemble([atoms()] * len(pressures), TINY, timestep=0.01, pressure=pressures, **given)


def liquid(**more: Any) -> tr.Ensemble:
    """Systems without lists and with."""
    given: dict[str, Any] = {"thermostat": LANGEVIN, "barostat": tr.Barostat(pressure=2.0, every=3), **more}
    boxes = [atoms(108, 0.7, 1), atoms(500, 0.7, 2), atoms(108, 0.7, 3)]
    return tr.Ensemble(boxes, ATOMS, timestep=0.004, **given)


def chance(volumes: np.ndarray, pressure: float, temperature: float = 1.0, particles: int = PARTICLES) -> float:
    """That volumes of an ideal gas are so far from V^N exp(-P V / k T) dV, a gamma distribution."""
    independent = tr.analysis.thinned(volumes)
    assert len(independent) > 300
    return float(stats.kstest(independent * pressure / temperature, stats.gamma(particles + 1).cdf).pvalue)


@pytest.mark.parametrize("bath", [LANGEVIN, tr.NoseHoover(temperature=1.0, relaxation_time=0.3)])
def test_an_ideal_gas_has_its_volumes(bath: tr.Thermostat) -> None:
    ensemble = gas(thermostat=bath, temperature=TEMPERATURES)
    ensemble.advance(100)
    ensemble.advance(12_000, every=4)
    volumes = ensemble.volume
    assert volumes.shape == (3000, 4)
    for k, (pressure, temperature) in enumerate(zip(PRESSURES, TEMPERATURES, strict=True)):
        assert chance(volumes[:, k], pressure, temperature) > 1e-4
    reduced = volumes * PRESSURES / TEMPERATURES
    samples = sum(tr.analysis.effective_samples(column) for column in reduced.T)
    assert reduced.mean() == pytest.approx(PARTICLES + 1, abs=4 * np.sqrt((PARTICLES + 1) / samples))
    assert reduced.var() == pytest.approx(PARTICLES + 1, rel=4 * np.sqrt(2 / samples))
    tried, accepted = ensemble.volume_moves
    assert (tried == 12_100).all()
    assert (0.3 * tried < accepted).all()
    assert (accepted < tried).all()


@pytest.mark.parametrize(
    ("power", "right"), [(PARTICLES + 1, True), (PARTICLES, False), (1, False)], ids=["right", "one less", "no N ln V"]
)
def test_wrong_rules_are_found(power: int, right: bool) -> None:
    """Moves of ln V by the rule written out, with other powers of V'/V."""
    random, logarithm, volumes = np.random.default_rng(2), np.log(PARTICLES + 1.0), []
    for _ in range(200_000):
        new = logarithm + random.uniform(-0.3, 0.3)
        if np.log(random.random()) < power * (new - logarithm) - (np.exp(new) - np.exp(logarithm)):
            logarithm = new
        volumes.append(np.exp(logarithm))
    found = chance(np.array(volumes), 1.0)
    assert found > 1e-3 if right else found < 1e-6


def test_a_thin_gas_has_the_volume_of_its_second_virial_coefficient() -> None:
    kT, pressure, systems = 1.5, 0.042, 12
    interaction = tr.LennardJones(cutoff=2.5, truncation="energy-shifted")
    ensemble = tr.Ensemble(
        [atoms(PARTICLES, 0.03, seed) for seed in range(systems)], interaction, timestep=0.005,
        thermostat=tr.Langevin(temperature=kT, relaxation_time=0.3, seed=1),
        barostat=tr.Barostat(pressure=pressure, every=3, longest_move=0.5),
    )  # fmt: skip
    ensemble.advance(1000)
    ensemble.advance(15_000, every=15)
    r = np.linspace(1e-3, 2.5, 100_001)
    u = 4 * (r**-12 - r**-6) - 4 * (2.5**-12 - 2.5**-6)
    b2 = -2 * np.pi * np.trapezoid(np.expm1(-u / kT) * r**2, r)
    v = np.linspace(300, 4000, 20_000)
    logarithm = PARTICLES * np.log(v) - PARTICLES * (PARTICLES - 1) * b2 / v - pressure * v / kT
    weight = np.exp(logarithm - logarithm.max())
    right = (weight * v).sum() / weight.sum()
    volumes = ensemble.volume
    samples = sum(tr.analysis.effective_samples(column) for column in volumes.T)
    error = volumes.std() / np.sqrt(samples)
    print(f"{volumes.mean():.1f} +- {error:.1f}, right {right:.1f}, ideal {(PARTICLES + 1) * kT / pressure:.1f}")
    assert error < 0.012 * right
    assert abs(volumes.mean() - right) < 4 * error
    assert abs((PARTICLES + 1) * kT / pressure - right) > 6 * error  # the test would see that energies are left out


def test_energies_are_those_of_the_boxes() -> None:
    ensemble = liquid()
    energies = ensemble.advance(60)
    assert (ensemble.volume_moves[1] > 3).all()
    for k, potential in enumerate(energies.potential):
        particles = ensemble.particles(k)
        assert ((particles.position >= particles.region[0]) & (particles.position < particles.region[1])).all()
        assert np.prod(particles.region[1] - particles.region[0]) == pytest.approx(ensemble.volume[k], rel=1e-12)
        in_double: dict[str, Any] = {**ATOMS.settings, "precision": "double"}
        alone = tr.Simulation(particles, [tr.LennardJones(**in_double)], timestep=1.0)
        assert potential == pytest.approx(alone.energies().potential, rel=1e-5)


def test_the_books_are_kept() -> None:
    bath = tr.NoseHoover(temperature=1.0, relaxation_time=0.5)
    ensemble = liquid(thermostat=bath)
    before = np.sum(ensemble.advance(1), axis=0)
    after = np.sum(ensemble.advance(100), axis=0)
    assert np.abs(after - before).max() < 0.5  # moves have changed potential energies by some units
    assert (ensemble.volume_moves[1] > 5).all()


def test_it_has_the_same_bits_however_it_is_advanced() -> None:
    whole, parts = liquid(), liquid(device=["cpu", "rehearsal:0"])
    here = whole.advance(40)
    volume = whole.volume
    parts.advance(9)
    parts.advance(11)
    kept = parts.state()
    parts.advance(4)
    resumed = liquid()
    resumed.restore(kept)
    for other in (parts, resumed):
        there = other.advance(40 - other.step_count)
        assert np.array_equal(there, here)
        assert np.array_equal(other.volume, volume)
        assert np.array_equal(other.particles(1).position, whole.particles(1).position)
    alone = tr.Ensemble([atoms(108, 0.7, 1)], ATOMS, timestep=0.004, thermostat=LANGEVIN,
                        barostat=tr.Barostat(pressure=2.0, every=3))  # fmt: skip
    assert alone.advance(40).potential[0] == here.potential[0]


@pytest.mark.usefixtures("keys")
def test_systems_of_a_lost_device_go_on_elsewhere(serve: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    if tr.info()["network"] == "built without":
        pytest.skip("Trellis was built without a network")
    servers = [serve("--unix", str(tmp_path / name)) for name in "ab"]
    alone, shared = liquid(), liquid(device=[f"unix:{tmp_path / name}/cpu" for name in "ab"])
    for call in range(3):
        if call == 1:
            servers[0].kill()
            with pytest.warns(RuntimeWarning, match="its systems go to"):
                shared.advance(10)
        else:
            shared.advance(10)
        alone.advance(10)
        assert np.array_equal(alone.volume, shared.volume), call


def exchange_of_gas(**more: Any) -> tr.ReplicaExchange:
    scheme = more.pop("scheme", "neighbours")
    return tr.ReplicaExchange(gas(**more), TEMPERATURES, exchange_every=8, scheme=scheme, seed=5)


@pytest.mark.parametrize(
    ("scheme", "device"), [("neighbours", "host"), ("all pairs", "host"), ("asynchronous", ["cpu", "rehearsal:0"])]
)
def test_each_pressure_keeps_its_volumes(scheme: str, device: str | list[str]) -> None:
    history = exchange_of_gas(scheme=scheme, device=device).run(3000)
    assert history.pressure.tolist() == PRESSURES.tolist()
    volumes = history.after(50).volumes()
    for k, (pressure, temperature) in enumerate(zip(PRESSURES, TEMPERATURES, strict=True)):
        assert chance(volumes[:, k], pressure, temperature) > (1e-4 if device == "host" else 1e-6)
    found = tr.analysis.acceptance(history)
    if scheme != "all pairs":  # where tries of one exchange have to do with each other
        assert np.abs((found.rate - found.expected) / found.error).max() < 5
    assert (found.rate > 0.1).all()
    assert (found.rate < 0.8).all()
    test = tr.analysis.ratio_test_of_volumes(volumes[:, :3], PRESSURES[:3], 1.0)
    assert test.expected == pytest.approx([0.3, 0.3])
    assert np.abs(test.deviation).max() < 4.5
    reduced = history.after(50).reduced_energies()
    assert reduced.shape == (len(volumes), 4, 4)
    pytest.importorskip("pymbar")
    free = tr.analysis.mbar_of_states(reduced).f_k
    strength = np.log(PRESSURES / TEMPERATURES)
    assert free == pytest.approx((PARTICLES + 1) * (strength - strength[0]), abs=0.25)


def test_the_rule_is_that_of_the_enthalpies() -> None:
    history = exchange_of_gas().run(200)
    state = np.arange(4)
    for number in range(200):
        assert np.array_equal(history.state[number], state)
        u = (history.potential[number][:, None] + PRESSURES * history.volume[number][:, None]) / TEMPERATURES
        for k in range(number % 2, 3, 2):
            i, j = np.flatnonzero(state == k)[0], np.flatnonzero(state == k + 1)[0]
            if slow_exchange.uniform(number, k, 5) < np.exp(u[i, k] + u[j, k + 1] - u[j, k] - u[i, k + 1]):
                state[i], state[j] = k + 1, k
    assert 0 < history.accepted.sum() < history.tried.sum()


def test_a_history_has_its_volumes(tmp_path: Path) -> None:
    whole = exchange_of_gas().run(20)
    first = exchange_of_gas()
    parts = [first.run(7)]
    resumed = exchange_of_gas()
    resumed.restore(first.state())
    parts.append(resumed.run(13))
    for number, part in enumerate(parts):
        part.write(tmp_path / f"{number}.hdf5")
    read = tr.ExchangeHistory.read(sorted(tmp_path.glob("*.hdf5")))
    for name in ("state", "potential", "volume", "pressure"):
        assert np.array_equal(getattr(read, name), getattr(whole, name)), name
    assert np.array_equal(read.reduced_energies(), whole.reduced_energies())
    with pytest.raises(ValueError, match="histories of different pressures cannot be joined"):
        whole.joined([tr.ReplicaExchange(gas(PRESSURES + 0.1), TEMPERATURES).run(1)])


def test_a_run_and_its_continuation(trellis: Command, tmp_path: Path) -> None:
    file = tmp_path / "liquid.toml"
    file.write_text(f'{PARAMETERS}output = "{tmp_path / "refused"}"\n')
    for name, ends in {"whole": [0.8], "parts": [0.3, 0.8]}.items():
        for number, end in enumerate(ends):
            resume = ["--resume"] if number > 0 else []
            made = trellis("run", file, "--set", f"run.output={tmp_path / name}", "--set", f"run.until={end}", *resume)
            assert made.returncode == 0, made.stderr
        assert (tmp_path / name / "overview.png").exists()
    whole, parts = (
        tr.ExchangeHistory.read(sorted((tmp_path / name).glob("*.hdf5"))[1:]) for name in ("whole", "parts")
    )
    assert whole.pressure.tolist() == [1.0, 1.2, 1.2]
    assert len(np.unique(whole.volume)) > 40
    for name in ("state", "potential", "volume"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name)), name
    for change, sentence in [
        ("pressures=[1.0, 2.0]", "has 2 values of barostat.pressure, but must have 3, as many as temperatures"),
        ("temperatures=[1.0, -1.0, 2.0]", "has temperatures that are not above 0"),
    ]:
        assert sentence in trellis("run", file, "--set", f"replica_exchange.{change}").stderr
    file.write_text(file.read_text().replace("[barostat]\npressure = 1.0\nevery = 2\n", ""))
    refused = trellis("run", file)
    assert refused.returncode == 2
    assert "'replica_exchange.pressures' is given, but there is no [barostat] to hold them" in refused.stderr


def test_what_cannot_be_used_is_refused() -> None:
    barostat, box = tr.Barostat(pressure=1.0), [atoms()]
    for particles, interaction, more, sentence in [
        (box, TINY, {"barostat": barostat}, "system 0: it has a barostat and no thermostat"),
        (box, tr.LennardJones(cutoff=1.0), {"barostat": barostat, "thermostat": LANGEVIN}, "truncation is 'plain'"),
        ([tr.ic.cluster(7, seed=1)], None, {"barostat": barostat, "thermostat": LANGEVIN}, "no box that is periodic"),
        (box, TINY, {"pressure": 1.0, "thermostat": LANGEVIN}, "pressure is given, but there is no barostat"),
        (box, TINY, {"barostat": barostat, "thermostat": LANGEVIN, "pressure": np.inf}, "the pressure is inf"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tr.Ensemble(particles, interaction, timestep=0.01, **more)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="every is 0: allowed is 1 or more"):
        tr.Barostat(pressure=1.0, every=0)
    with pytest.raises(ValueError, match="volume is asked for, but there is no barostat"):
        tr.Ensemble(box, TINY, timestep=0.01).volume  # noqa: B018
    pressed = tr.Ensemble([atoms(108, 0.7)], ATOMS, timestep=0.004, thermostat=LANGEVIN,
                          barostat=tr.Barostat(pressure=60.0, every=1))  # fmt: skip
    with pytest.raises(RuntimeError, match="the box of system 0 would have become shorter than two cutoffs"):
        pressed.advance(2000)
