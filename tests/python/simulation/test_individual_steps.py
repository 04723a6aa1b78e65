"""Individual time steps: against a slow oracle, in expanding space and boxes, and what is refused."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from conftest import Command, FoundOn
from individual_oracle import Oracle

import trellis as tr


def stars(count: int = 200, seed: int = 3) -> tr.ParticleSet:
    return tr.ic.plummer(count, seed=seed)


def direct(softening: float = 0.02) -> tr.Gravity:
    """Return gravity whose pairs are all summed, in one group."""
    return tr.Gravity(softening=softening, accuracy=1e-6, precision="double", group_size=4096, leaf_size=4096)


def run(particles: tr.ParticleSet, steps: int, **others: float) -> tr.Simulation:
    own = tr.IndividualSteps(longest=1 / 16, **others)
    sim = tr.Simulation(particles, [direct()], own, keep_order=True)
    sim.run(steps=steps)
    return sim


def test_particles_move_as_the_oracle_says() -> None:
    particles = stars()
    sim = run(particles.copy(), 8, eta=0.003)
    oracle = Oracle(particles.position.copy(), particles.velocity.copy(), particles.mass.copy(), 0.02, 1 / 16, 0.003)
    for _ in range(8):
        before = oracle.updates
        oracle.step()
    assert len(np.unique(oracle.rung)) >= 3
    np.testing.assert_array_equal(sim.particles.column("rung"), oracle.rung)
    np.testing.assert_allclose(sim.particles.position, oracle.position, rtol=0, atol=1e-10)
    np.testing.assert_allclose(sim.particles.velocity, oracle.velocity, rtol=0, atol=1e-9)
    assert sim.rung_use is not None
    assert sim.rung_use["updates"] == oracle.updates - before


def test_smaller_eta_has_deeper_rungs_and_less_error() -> None:
    errors, depths = [], []
    for eta in (0.1, 0.025, 0.00625):
        sim = run(stars(), 16, eta=eta)
        errors.append(abs(sim.energies().error))
        depths.append(sim.particles.column("rung").max())
    assert depths[0] < depths[1] < depths[2]
    assert errors[2] < 0.2 * errors[0]


def test_a_binary_in_a_halo_keeps_its_orbit() -> None:
    """The halo on long steps changes the orbit as little as it does with the binary's step for all."""
    halo = tr.ic.plummer(300, seed=1)
    pair = tr.ParticleSet.from_columns(
        position=[[3.005, 0, 0], [2.995, 0, 0]],
        velocity=[[0, 0.223, 0], [0, -0.223, 0]],
        mass=[1e-3, 1e-3],
        id=[900, 901],
    )
    both = halo + pair

    def separation(steps: float | tr.IndividualSteps, count: int) -> np.ndarray:
        sim = tr.Simulation(both.copy(), [direct(1e-4)], steps)
        sim.run(steps=count)
        first, second = (sim.particles.by_id(k) for k in (900, 901))
        return np.asarray(first.position - second.position).ravel()

    individual = separation(tr.IndividualSteps(longest=1 / 64, eta=0.002), 8)
    same = separation(1 / 64 / 2**10, 8 * 2**10)
    assert np.linalg.norm(individual - same) < 0.02 * np.linalg.norm(same)


def test_a_cluster_without_softening_by_its_tides() -> None:
    own = tr.IndividualSteps(longest=1 / 16, eta=0.002, criterion="tidal")
    sim = tr.Simulation(stars(100), [direct(0.0)], own)
    sim.run(until=1.0)
    assert abs(sim.energies().error) < 1e-4
    assert sim.particles.column("rung").max() >= 3


def test_encounters_keep_the_energy_of_a_sphere_with_a_small_softening() -> None:
    errors = []
    for criterion in ("acceleration", "encounters"):
        own = tr.IndividualSteps(longest=1 / 16, eta=0.1, criterion=criterion)
        sphere = tr.ic.hernquist(1000, seed=2)
        sim = tr.Simulation(sphere, [tr.Gravity(softening=1e-3, accuracy=1e-5)], own)
        sim.run(until=1.0)
        errors.append(abs(sim.energies().error))
        assert len(sim.list_use) == 1
    assert errors[1] < 0.1 * errors[0]


def test_a_binary_of_an_eccentric_orbit_keeps_its_energy_by_encounters() -> None:
    eccentricity = 0.9
    speed = np.sqrt((1 - eccentricity) / (1 + eccentricity))
    pair = tr.ParticleSet.from_columns(
        position=[[0, 0, 0], [1 + eccentricity, 0, 0]], velocity=[[0, 0, 0], [0, speed, 0]], mass=[0.5, 0.5]
    )
    sim = tr.Simulation(pair, [direct(0.0)], tr.IndividualSteps(longest=1 / 4, eta=2.5e-4, criterion="encounters"))
    sim.energies()
    rungs = set()
    while sim.time < 20 * np.pi:
        sim.run(steps=1)
        rungs.add(sim.particles.column("rung").max())
    assert abs(sim.energies().error) < 1e-3
    assert max(rungs) - min(rungs) >= 4


def test_tides_limit_steps_whatever_the_acceleration_is() -> None:
    deepest = []
    for criterion in ("acceleration", "tidal"):
        own = tr.IndividualSteps(longest=1 / 16, eta=0.002, criterion=criterion)
        sim = tr.Simulation(stars(), [tr.Gravity(softening=1e-5)], own)
        sim.run(steps=1)
        deepest.append(sim.particles.column("rung").max())
    assert deepest[0] > deepest[1] + 3


def test_tides_on_a_device_choose_the_rungs_of_the_host() -> None:
    own = tr.IndividualSteps(longest=1 / 16, eta=0.002, criterion="tidal")
    ends = []
    for device in ("host", "cpu"):
        sim = tr.Simulation(stars(1500), [tr.Gravity(softening=0.02)], own, device=device, keep_order=True)
        sim.run(steps=3)
        assert len(sim.device_use) == 1
        ends.append(sim.particles)
    host, device = ends
    assert np.count_nonzero(host.column("rung") != device.column("rung")) <= 2
    assert host.column("rung").max() >= 3
    np.testing.assert_allclose(device.position, host.position, rtol=0, atol=1e-3)


@pytest.mark.parametrize("criterion", ["encounters", "tidal"])
def test_softenings_by_type_take_the_steps_of_one_that_is_as_long(criterion: str) -> None:
    own = tr.IndividualSteps(longest=1 / 16, eta=0.002, criterion=criterion)
    ends = []
    for softening in (0.02, {"stars": 0.02, "halo": 0.02}, {"stars": 0.02, "halo": 0.3}):
        both = stars()
        both.add_field("type", values=np.where(np.arange(200) % 2 == 0, 4.0, 1.0))  # stars and halo
        sim = tr.Simulation(both, [tr.Gravity(softening=softening, accuracy=1e-5)], own)
        sim.run(steps=4)
        ends.append(sim.particles.column("rung").tolist())
    assert ends[0] == ends[1]
    assert np.mean(ends[2]) < np.mean(ends[1]) - 0.1
    assert max(ends[1]) >= 2


def test_encounters_in_expanding_space_keep_a_binary_on_its_orbit() -> None:
    """The energy of its orbit in physical lengths and velocities, H r among these, does not change."""
    space = tr.Cosmology(omega_m=0.3, h=0.7, omega_b=0.05, sigma_8=0.8, n_s=0.96)
    scale, eccentricity, axis, mass, G = 0.1, 0.7, 0.05, 1e-3, tr.units.GADGET.G
    apart, speed = axis * (1 + eccentricity), np.sqrt(G * mass / axis * (1 - eccentricity) / (1 + eccentricity))

    def change(eta: float) -> float:
        pair = tr.ParticleSet.from_columns(
            position=[[0, 0, 0], [apart / scale, 0, 0]],
            velocity=[[0, 0, 0], [-space.hubble(scale) * apart * scale, speed * scale, 0]],
            mass=[mass, 0],
        )
        force = tr.Gravity(softening=0, G=G, method="tree", order=1, precision="double")
        steps = tr.IndividualSteps(longest=1e-3, eta=eta, criterion="encounters")
        sim = tr.Simulation(pair, [force], steps, scale_factor=scale, cosmology=space)
        sim.run(steps=40)
        d = sim.time * np.diff(sim.particles.position, axis=0)[0]
        v = np.diff(sim.particles.velocity, axis=0)[0] / sim.time + space.hubble(sim.time) * d
        return float(abs((v @ v / 2 - G * mass / np.linalg.norm(d)) / (-G * mass / (2 * axis)) - 1))

    assert change(1e-3) < 2e-4
    assert change(1e-3) < 0.1 * change(1e-2)


def test_of_fourth_order_they_lose_less_energy_than_of_second() -> None:
    errors = []
    for order in (2, 4):
        own = tr.IndividualSteps(longest=1 / 16, eta=1e-3, order=order)
        sim = tr.Simulation(stars(), [direct(0.05)], own)
        sim.run(until=0.5)
        errors.append(abs(sim.energies().error))
    assert errors[1] < 0.1 * errors[0]
    assert errors[1] < 1e-7


@pytest.mark.parametrize("method", ["fmm", "treepm"])
def test_in_an_expanding_box_they_agree_with_short_steps_for_all(method: str) -> None:
    space = tr.Cosmology(omega_m=0.3, h=0.7, omega_b=0.05, sigma_8=0.8, n_s=0.96)
    grown = tr.ic.cosmology(space, 8**3, box=7_000.0, redshift=9, seed=4, lattice_until=2.9)
    force = tr.Gravity(softening=20.0, G=tr.units.GADGET.G, method=method, accuracy=1e-4)

    def end(**steps: Any) -> tr.Simulation:
        sim = tr.Simulation(grown.copy(), [force], scale_factor=0.1, cosmology=space, keep_order=True, **steps)
        sim.run(until=0.4)
        return sim

    own, short = end(timestep=tr.IndividualSteps(longest=0.05)), end(log_step=0.05 / 32)
    assert own.particles.column("rung").max() >= 2
    apart = own.particles.position - short.particles.position
    apart -= 7_000 * np.round(apart / 7_000)
    assert np.median(np.linalg.norm(apart, axis=1)) < 2e-3 * 7_000 / 8  # orbits in halos are chaotic
    assert abs(own.energies().error) < 3e-3
    assert abs(short.energies().error) < 1e-4


def test_in_an_expanding_box_a_longest_step_is_as_long_as_most_particles_can_take() -> None:
    space = tr.Cosmology(omega_m=0.3, h=0.7, omega_b=0.05, sigma_8=0.8, n_s=0.96)
    grown = tr.ic.cosmology(space, 8**3, box=7_000.0, redshift=9, seed=4, lattice_until=2.9)
    force = tr.Gravity(softening=20.0, G=tr.units.GADGET.G, accuracy=1e-3)
    own = tr.IndividualSteps(longest=0.1)
    sim = tr.Simulation(grown, [force], own, scale_factor=0.1, cosmology=space)
    lengths, on_rung_0 = [], []

    def note(sim: tr.Simulation) -> None:
        assert sim.rung_use is not None
        lengths.append(-np.log1p(-sim.timestep / sim.time))
        on_rung_0.append(sim.rung_use["particles"][0] / 8**3)  # type: ignore[index]

    sim.run(until=0.6, callbacks=[(1, note)])
    assert max(lengths) < 0.1 * (1 + 1e-9)
    assert min(lengths) < 0.06
    assert min(on_rung_0) > 0.3


def test_a_run_of_a_file_writes_snapshots_at_their_times(trellis: Command, tmp_path: Path) -> None:
    file = tmp_path / "stars.toml"
    file.write_text(
        f'[ic]\nmodel = "plummer"\nparticles = 300\n[gravity]\nsoftening = 0.02\n[steps]\nlongest = 0.0625\n'
        f'[run]\nuntil = 0.5\nsnapshot_every = 0.2\noutput = "{tmp_path / "out"}"\n'
    )
    whole = trellis("run", file)
    assert whole.returncode == 0, whole.stderr
    assert [tr.io.read_snapshot(path).time for path in sorted((tmp_path / "out").glob("snapshot_*.hdf5"))] == [
        0.0, 0.2, 0.4,
    ]  # fmt: skip
    checked = trellis("check", file)
    assert "divided for each particle" in checked.stdout


def test_a_checkpoint_goes_on_bit_for_bit(tmp_path: Path) -> None:
    own = tr.IndividualSteps(longest=1 / 16)
    whole = tr.Simulation(stars(), [tr.Gravity(softening=0.02)], own)
    whole.run(steps=3)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", whole.state())
    whole.run(until=0.5)
    state = tr.io.read_checkpoint(tmp_path / "state.hdf5")
    resumed = tr.Simulation.resume(state, [tr.Gravity(softening=0.02)], own)
    resumed.run(until=0.5)
    for name in whole.particles.field_names:
        assert whole.particles.column(name).tobytes() == resumed.particles.column(name).tobytes()


@pytest.mark.parametrize("method", ["fmm", "tree", "treepm", "coulomb"])
def test_a_run_in_a_box_that_is_resumed_has_the_same_bits(method: str) -> None:
    random = np.random.default_rng(4)
    ions = tr.ParticleSet.from_columns(
        position=random.random((1200, 3)), mass=random.uniform(0.5, 2.0, 1200) / 1200, box=1.0
    )
    ions.charge = random.uniform(-1.0, 1.0, 1200) / 1200

    def made() -> list[Any]:
        force = tr.Coulomb(softening=1e-3) if method == "coulomb" else tr.Gravity(softening=1e-3, method=method)
        return [force, tr.StepLimit(lambda some: np.where(some.mass < 1 / 1200, 5e-3, 2e-2))]

    own = tr.IndividualSteps(longest=2e-2)
    whole = tr.Simulation(ions, made(), own)
    whole.run(steps=1)
    state = copy.deepcopy(whole.state())
    whole.run(steps=2)
    assert whole.rung_use is not None
    assert len(whole.rung_use["particles"]) > 1
    resumed = tr.Simulation.resume(state, made(), own)
    resumed.run(steps=2)
    for name in ("position", "velocity", "acceleration"):
        assert whole.particles.column(name).tobytes() == resumed.particles.column(name).tobytes(), name


def test_a_mass_that_is_changed_between_steps_counts() -> None:
    """What a new simulation of the particles gives."""
    sim = run(stars(50), 1)
    sim.particles.mass[3] *= 50
    begun = tr.Simulation(sim.particles.copy(), [direct()], tr.IndividualSteps(longest=1 / 16))
    sim.run(steps=1)
    begun.run(steps=1)
    np.testing.assert_array_equal(sim.particles.position, begun.particles.position)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[run]\ntimestep = 0.1", "'run.timestep' is given, but with [steps] give 'steps.longest' alone"),
        ("[steps]\neta = 0", "'steps.eta' is 0, but must be above 0"),
    ],
)
def test_a_file_that_does_not_fit_is_one_sentence(trellis: Command, tmp_path: Path, text: str, sentence: str) -> None:
    sections = {"ic": 'model = "plummer"\nparticles = 100', "gravity": "softening = 0.02", "steps": "longest = 0.1"}
    sections["run"] = f'until = 1.0\nsnapshot_every = 1.0\noutput = "{tmp_path / "out"}"'
    heading, _, more = text.partition("\n")
    name = heading.strip("[]")
    sections[name] = f"{sections.get(name, '')}\n{more}"
    file = tmp_path / "wrong.toml"
    file.write_text("\n".join(f"[{name}]\n{lines}" for name, lines in sections.items()))
    done = trellis("run", file)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())


def test_particles_join_and_leave_between_steps() -> None:
    sim = run(stars(100), 1)
    newcomer = tr.ParticleSet.from_columns(position=[[5.0, 0, 0]], mass=[1e-3], id=[1000])
    sim.add(newcomer)
    sim.run(steps=1)
    sim.remove([1000, 3])
    sim.run(steps=1)
    assert len(sim.particles) == 99
    assert sim.time == 3 / 16


@pytest.mark.skipif(tr.info()["MPI"] == "built without", reason="needs MPI")
def test_on_ranks_they_are_those_of_one(found_on: FoundOn) -> None:
    program = """
particles = tr.ic.plummer(300, seed=3)[:300 if tr.rank() == 0 else 0].copy()
force = tr.Gravity(softening=0.02, accuracy=1e-5, precision="double")
sim = tr.Simulation(particles, [force], tr.IndividualSteps(longest=1 / 16))
sim.run(steps=4)
own = sim.particles
every = [row for part in world.gather(list(zip(own.id.tolist(), own.column("rung").tolist()))) for row in part]
found = [sim.energies().total] + [rung for _, rung in sorted(every)]
"""
    (alone, *rungs), (energy, *shared) = found_on(1, program), found_on(2, program)
    assert energy == pytest.approx(alone, rel=1e-5)
    assert sum(a != b for a, b in zip(rungs, shared, strict=True)) <= 2


def test_of_fourth_order_three_bodies_close_their_figure_eight() -> None:
    """Orbit and period of Simo (Chenciner & Montgomery 2000), given to eight digits."""
    one, last = np.array([0.97000436, -0.24308753, 0]), np.array([-0.93240737, -0.86473146, 0])
    bodies = tr.ParticleSet.from_columns(position=[one, -one, 0 * one], velocity=[-last / 2, -last / 2, last], mass=1.0)
    steps = tr.IndividualSteps(longest=1 / 16, eta=1e-4, criterion="tidal", order=4)
    sim = tr.Simulation(bodies.copy(), [tr.Gravity(precision="double")], steps)
    sim.run(until=6.32591398)
    assert sim.particles.by_id(range(3)).position == pytest.approx(bodies.position, abs=2e-7)
    assert abs(sim.energies().error) < 1e-9


def test_fourth_order_is_refused_where_it_cannot_be() -> None:
    with pytest.raises(ValueError, match="order is 3: allowed are 2 and 4"):
        tr.IndividualSteps(longest=0.1, order=3)
    fourth = tr.IndividualSteps(longest=0.1, order=4)
    with pytest.raises(ValueError, match="order is 4, but 'acceleration' comes from a force that is no sum over pairs"):
        tr.Simulation(tr.ic.evrard(100), [tr.Sph()], fourth)
    space = tr.Cosmology(omega_m=0.3, h=0.7, omega_b=0.05, sigma_8=0.8, n_s=0.96)
    with pytest.raises(ValueError, match="order is 4, but space expands: allowed is order 2"):
        tr.Simulation(stars(), [tr.Gravity(softening=0.1)], fourth, cosmology=space, scale_factor=0.1)


def test_what_does_not_go_with_them_is_refused() -> None:
    own = tr.IndividualSteps(longest=0.1)
    with pytest.raises(ValueError, match="longest is 0: allowed is above 0"):
        tr.IndividualSteps(longest=0)
    with pytest.raises(ValueError, match="evolves: allowed are a gas without neighbours_device"):
        tr.Simulation(tr.ic.evrard(100), [tr.Sph(neighbours_device="cpu")], own)
    with pytest.raises(ValueError, match="resident is true, but individual time steps are given"):
        tr.Simulation(stars(), [tr.Gravity(softening=0.1)], own, resident=True, device="cpu")


@pytest.mark.parametrize(("precision", "allowed"), [(None, (0, 1e-5)), ("single", (1e-3, np.inf))])
def test_a_hard_binary_keeps_its_orbit_in_double_precision(
    precision: Literal["single"] | None, allowed: tuple[float, float]
) -> None:
    """On longest steps of 16 periods; single precision, asked for, loses the orbit."""
    cluster, separation = stars(1000), 1e-5
    both = cluster.mass[0]
    apart, across = np.array([separation, 0, 0]), np.array([0, np.sqrt(2 * both / separation), 0])
    for row, side in ((0, 0.5), (1, -0.5)):
        cluster.position[row] = np.array([0.3, 0.2, 0.1]) + side * apart
        cluster.velocity[row] = np.array([0.1, 0.2, 0.3]) + side * across
        cluster.mass[row] = both

    def energy(sim: tr.Simulation) -> float:
        two = sim.particles.by_id([0, 1])
        x, v = two.position, two.velocity
        return float(0.25 * ((v[1] - v[0]) ** 2).sum() - both / np.linalg.norm(x[1] - x[0]))

    longest = 16 * 2 * np.pi * np.sqrt(separation**3 / (2 * both))
    steps = tr.IndividualSteps(longest=longest, eta=0.005, criterion="encounters")
    sim = tr.Simulation(cluster, [tr.Gravity(precision=precision)], steps)
    before = energy(sim)
    sim.run(steps=2)
    assert allowed[0] <= abs(energy(sim) / before - 1) < allowed[1]
