"""Many small systems: the same as simulations of each, on whatever devices, and canonical with a thermostat."""

import subprocess
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import trellis as tr

ATOMS = tr.LennardJones(truncation="force-shifted")
LANGEVIN = tr.Langevin(temperature=0.8, relaxation_time=0.3, seed=5)
NOSE_HOOVER = tr.NoseHoover(temperature=0.8, relaxation_time=0.3)
CSVR = tr.Csvr(temperature=0.8, relaxation_time=0.3, seed=5)
ANDERSEN = tr.Andersen(temperature=0.8, relaxation_time=0.3, seed=5)
BATHS = {"none": None, "Langevin": LANGEVIN, "Nose-Hoover": NOSE_HOOVER, "Csvr": CSVR, "Andersen": ANDERSEN}


def liquids(count: int) -> list[tr.ParticleSet]:
    """Lattices that melt, with random velocities that differ."""
    return [tr.ic.lennard_jones(256, seed=seed) for seed in range(count)]


def cluster(particles: int, seed: int) -> tr.ParticleSet:
    random = np.random.default_rng(seed)
    made = tr.ParticleSet(particles)
    made.position = random.normal(size=(particles, 3))
    made.mass = 1.0
    return made


@pytest.mark.parametrize("thermostat", BATHS.values(), ids=BATHS)
def test_a_system_moves_as_a_simulation_of_its_particles(thermostat: tr.Thermostat | None) -> None:
    systems = liquids(2)
    ensemble = tr.Ensemble(systems, ATOMS, timestep=0.002, thermostat=thermostat)
    first, energies = ensemble.advance(1), ensemble.advance(99)
    sim = tr.Simulation(systems[0].copy(), forces=[ATOMS], timestep=0.002, thermostat=thermostat, keep_order=True)
    sim.run(steps=1)
    begin = sim.energies().conserved
    sim.run(steps=99)
    moved, side = ensemble.particles(0), sim.particles.box[1][0] - sim.particles.box[0][0]
    apart = np.asarray(moved.position) - np.asarray(sim.particles.position)
    assert np.abs(apart - side * np.round(apart / side)).max() < 1e-5
    assert energies.kinetic[0] == pytest.approx(sim.energies().kinetic, rel=1e-4)
    assert energies.potential[0] == pytest.approx(sim.energies().potential, rel=1e-4)
    drift = sum(now[0] - before[0] for now, before in zip(energies, first, strict=True))
    assert drift == pytest.approx(sim.energies().conserved - begin, abs=1e-6 * abs(begin))
    assert ensemble.step_count == 100
    assert ensemble.time == pytest.approx([0.2, 0.2])
    assert not np.array_equal(ensemble.particles(1).position, moved.position)


def test_energies_come_as_often_as_asked() -> None:
    ensemble = tr.Ensemble(liquids(3), ATOMS, timestep=0.002)
    sampled = ensemble.advance(20, every=5)
    assert sampled.potential.shape == sampled.kinetic.shape == sampled.bath.shape == (4, 3)
    assert ensemble.advance(5).kinetic.shape == (3,)
    total = sampled.potential + sampled.kinetic
    assert np.abs(total - total[0]).max() < 1e-3 * sampled.kinetic.min()


def test_potential_energies_come_alone_and_rounded() -> None:
    ensemble, other = (tr.Ensemble(liquids(3), ATOMS, timestep=0.002, thermostat=LANGEVIN) for _ in range(2))
    alone = ensemble.advance(20, every=5, energies="potential")
    assert alone.dtype == np.float32
    np.testing.assert_array_equal(alone, other.advance(20, every=5).potential.astype(np.float32))
    np.testing.assert_array_equal(
        ensemble.advance(5, energies="potential"), other.advance(5).potential.astype(np.float32)
    )
    np.testing.assert_array_equal(ensemble.advance(1).bath, other.advance(1).bath)
    with pytest.raises(ValueError, match=r"^energies is 'kinetic': allowed are all, potential$"):
        ensemble.advance(5, energies="kinetic")  # type: ignore[call-overload]


def test_positions_and_velocities_are_whole_arrays() -> None:
    ensemble = tr.Ensemble(liquids(3), ATOMS, timestep=0.002)
    ensemble.advance(10)
    ensemble.scale_velocities([1.0, 2.0, 1.0])
    positions, velocities = ensemble.positions, ensemble.velocities
    assert positions.shape == velocities.shape == (3, 256, 3)
    for k in range(3):
        assert np.array_equal(positions[k], ensemble.particles(k).position)
        assert np.array_equal(velocities[k], ensemble.particles(k).velocity)
    differing = tr.Ensemble([cluster(13, 1), cluster(7, 1)], None, timestep=0.1)
    with pytest.raises(ValueError, match="positions is one array of all systems, but they have 7 to 13 particles"):
        print(differing.positions)


def test_particles_in_a_harmonic_well_have_the_energies_of_their_temperature() -> None:
    particles, temperatures = 13, np.array([0.5, 1.0, 2.0])
    systems = [cluster(particles, seed) for seed in range(30)]
    well = {"container": (0.0, 1.0), "timestep": 0.2, "temperature": np.repeat(temperatures, 10)}
    ensemble = tr.Ensemble(systems, None, thermostat=tr.Langevin(temperature=1, relaxation_time=1), **well)
    ensemble.advance(200)
    potential = ensemble.advance(200 * 20, every=20).potential.reshape(-1, 3, 10)
    half_freedom = 1.5 * (particles - 1)
    for k, temperature in enumerate(temperatures):
        sample = potential[:, k].ravel() / temperature  # 2000, a correlation time of about 10 steps apart
        error = np.sqrt(half_freedom / sample.size)
        assert abs(sample.mean() - half_freedom * (1 + 0.2**2 / 4)) < 5 * error
        assert sample.var() == pytest.approx(half_freedom, rel=0.2)


def test_ensembles_of_other_seeds_have_no_random_numbers_in_common() -> None:
    start, found = cluster(13, 1), []
    for seed in (5, 6, 7):
        bath = tr.Langevin(temperature=1, relaxation_time=1, seed=seed)
        ensemble = tr.Ensemble([start] * 3, None, timestep=0.1, thermostat=bath)
        ensemble.advance(1)
        found += [np.array(each.velocity) for each in ensemble.all_particles()]
    for one, other in combinations(found, 2):
        assert not np.isin(one, other).any()


def test_a_state_is_gone_on_from_with_the_same_bits() -> None:
    ensemble = tr.Ensemble(liquids(2), ATOMS, timestep=0.002, thermostat=LANGEVIN)
    ensemble.advance(10)
    ensemble.temperature = [0.5, 1.5]
    ensemble.scale_velocities(1.1)
    kept = ensemble.state()
    unbroken = ensemble.advance(20)
    other = tr.Ensemble(liquids(2), ATOMS, timestep=0.002, thermostat=LANGEVIN)
    other.restore(kept)
    assert other.step_count == 10
    assert other.temperature == pytest.approx([0.5, 1.5])
    for mine, theirs in zip(other.advance(20), unbroken, strict=True):
        assert np.array_equal(mine, theirs)
    with pytest.raises(ValueError, match="a state of other systems cannot be restored"):
        tr.Ensemble(liquids(3), ATOMS, timestep=0.002, thermostat=LANGEVIN).restore(kept)
    for missing in [*kept, None]:
        part = {name: values for name, values in kept.items() if missing not in (name, None)}
        with pytest.raises(ValueError, match="a state of other systems cannot be restored"):
            other.restore(part)
    assert other.step_count == 30


@pytest.mark.usefixtures("keys")
def test_devices_share_the_systems_and_take_over_from_one_that_is_lost(
    serve: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    if tr.info()["network"] == "built without":
        pytest.skip("Trellis was built without a network")
    alone = tr.Ensemble(liquids(5), ATOMS, timestep=0.002, thermostat=LANGEVIN)
    servers = [serve("--unix", str(tmp_path / name)) for name in "ab"]
    there = [f"unix:{tmp_path / name}/cpu" for name in "ab"]
    shared = tr.Ensemble(liquids(5), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=there)
    for call in range(6):
        if call == 3:
            servers[0].kill()
            with pytest.warns(RuntimeWarning, match="its systems go to"):
                theirs = shared.advance(10)
        else:
            theirs = shared.advance(10)
        here = alone.advance(10)
        assert np.array_equal(here.potential, theirs.potential), call
    assert np.array_equal(alone.particles(4).position, shared.particles(4).position)
    servers[1].kill()
    with pytest.raises(RuntimeError, match="none is left"):
        shared.advance(10)


@pytest.mark.usefixtures("keys")
def test_spares_take_over_when_no_device_is_left(serve: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    if tr.info()["network"] == "built without":
        pytest.skip("Trellis was built without a network")
    alone = tr.Ensemble(liquids(5), ATOMS, timestep=0.002, thermostat=LANGEVIN)
    servers = [serve("--unix", str(tmp_path / name)) for name in "ab"]
    there = [f"unix:{tmp_path / name}/cpu" for name in "ab"]
    spares = [f"unix:{tmp_path / 'none'}/cpu", "rehearsal:0"]
    shared = tr.Ensemble(liquids(5), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=there, spares=spares)
    for call in range(6):
        if call == 2:
            for server in servers:
                server.kill()
            with pytest.warns(RuntimeWarning) as warned:
                theirs = shared.advance(10)
            notes = "\n".join(str(each.message) for each in warned)
            assert "the spare device unix:" in notes
            assert "its systems go to rehearsal:0" in notes
        else:
            theirs = shared.advance(10)
        here = alone.advance(10)
        assert np.array_equal(here.potential, theirs.potential), call
    assert np.array_equal(alone.particles(4).position, shared.particles(4).position)


def test_what_cannot_be_used_is_refused() -> None:
    atoms = liquids(2)
    for systems, interaction, more, sentence in [
        ([], ATOMS, {}, "no systems"),
        (atoms, tr.LennardJones(cutoff=5), {}, "system 0: its box is .* at least two cutoffs, 10"),
        (atoms, tr.Gravity(softening=0.1), {}, "all pairs: allowed is open space"),
        (atoms, tr.Sph(), {}, "does not act among the particles of small systems"),
        (atoms, ATOMS, {"timestep": 0.0}, "timestep is 0: allowed is above 0"),
        (atoms, ATOMS, {"timestep": [1, 2, 3]}, "one for each of 2 systems"),
        (atoms, ATOMS, {"temperature": 1.0}, "no thermostat"),
        (atoms, ATOMS, {"container": (-1.0, 1.0)}, "the radius of the container is -1"),
        (atoms, ATOMS, {"container": (5.0, 1.0)}, "system 0: it has a box and a container"),
        ([tr.ParticleSet(1)], None, {}, "a mass that is not above 0"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tr.Ensemble(systems, interaction, **{"timestep": 0.01, **more})
    ensemble = tr.Ensemble(atoms, ATOMS, timestep=0.01, thermostat=NOSE_HOOVER)
    with pytest.raises(ValueError, match="the temperature of system 1 is 0: allowed is above 0"):
        ensemble.temperature = [1, 0]
    with pytest.raises(ValueError, match="every is 3"):
        ensemble.advance(10, every=3)
    with pytest.raises(ValueError, match="no system 2"):
        ensemble.particles(2)


def test_a_system_whose_particles_are_at_one_point_ends_in_a_sentence() -> None:
    atoms = liquids(2)
    atoms[1].position[1] = atoms[1].position[0]
    sentence = "system 1: the acceleration of the particle of id [01] at .* at t = 0 is not finite, or too large"
    with pytest.raises(RuntimeError, match=sentence):
        tr.Ensemble(atoms, ATOMS, timestep=0.002).advance(1)
    with pytest.raises(RuntimeError, match=sentence):
        tr.Ensemble(atoms, ATOMS, timestep=0.002).advance(4, every=1, energies="potential")


def test_a_step_that_is_too_long_ends_in_a_sentence() -> None:
    """Steps of 0.05 led to a kinetic energy of 2.7e47, atoms that overlap to 6e22, without a word."""
    overlap = liquids(2)
    overlap[1].position[1] = overlap[1].position[0] + np.array([0.1, 0, 0])
    ensemble = tr.Ensemble(overlap, ATOMS, timestep=0.002)
    sentence = (
        "system 1: the step of 0.002 at t = 0 is too long: the acceleration of the particle of id [01] at .* more than "
        "half the 2.5 within which particles interact; its nearest neighbour, of id [01], is 0.1 away: shorter steps"
    )
    for _ in range(2):
        with pytest.raises(RuntimeError, match=sentence):
            ensemble.advance(10)
    assert ensemble.particles(1).position[1] == pytest.approx(overlap[1].position[1], abs=1e-6)
    for thermostat in BATHS.values():
        with pytest.raises(RuntimeError, match=r"system 0: the step of 0\.05 at t = "):
            tr.Ensemble(liquids(1), ATOMS, timestep=0.05, thermostat=thermostat).advance(2000)


def test_an_exchange_ends_at_a_step_that_is_too_long() -> None:
    temperatures = [0.8, 0.9]
    ensemble = tr.Ensemble(liquids(2), ATOMS, timestep=0.05, thermostat=LANGEVIN, temperature=temperatures)
    with pytest.raises(RuntimeError, match=r"system [01]: the step of 0\.05 at t = "):
        tr.ReplicaExchange(ensemble, temperatures, exchange_every=10, seed=1).run(200)


def test_without_an_interaction_a_box_holds_an_ideal_gas() -> None:
    random = np.random.default_rng(2)
    gas = tr.ParticleSet.from_columns(position=random.random((50, 3)), velocity=random.normal(size=(50, 3)), mass=1.0)
    gas.box = [[0.0] * 3, [1.0] * 3]
    ensemble = tr.Ensemble([gas], None, timestep=0.01)
    energies = ensemble.advance(1000)
    assert energies.potential[0] == 0.0
    assert energies.kinetic[0] == pytest.approx(0.5 * (gas.velocity**2).sum(), rel=1e-12)
    went = (gas.position + 10.0 * gas.velocity) % 1.0
    apart = ensemble.particles(0).position - went
    assert np.abs(apart - np.round(apart)).max() < 1e-9


@pytest.mark.parametrize("place", [0, 6], ids=["first", "last"])
def test_precision_does_not_hang_on_the_first_particle(place: int) -> None:
    """An atom 1e5 sigma away changed the energy of the others by 5e-3 if it was the first."""
    cluster = tr.quenched([tr.ic.cluster(13, seed=2)], tr.LennardJones(cutoff=20.0)).particles[0]
    cluster.velocity = 0.0
    alone = tr.Ensemble([cluster], tr.LennardJones(cutoff=20.0), timestep=1e-6).advance(1).potential[0]
    position = np.insert(cluster.position, place, [1e5, 0.0, 0.0], axis=0)
    with_one = tr.ParticleSet.from_columns(position=position, mass=1.0)
    found = tr.Ensemble([with_one], tr.LennardJones(cutoff=20.0), timestep=1e-6).advance(1).potential[0]
    assert found == pytest.approx(alone, rel=1e-6)
