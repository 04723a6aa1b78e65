from __future__ import annotations

import math
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import trellis as tr


def two_bodies() -> tr.ParticleSet:
    """Two equal masses on a circle of radius 1/2: period 2 pi."""
    return tr.ParticleSet.from_columns(
        position=[[0.5, 0, 0], [-0.5, 0, 0]], velocity=[[0, 0.5, 0], [0, -0.5, 0]], mass=[0.5, 0.5]
    )


def small(**changes: object) -> tr.Simulation:
    settings = {"softening": 0.05, "accuracy": 1e-4, **changes}
    return tr.Simulation(tr.ic.plummer(500, seed=1), [tr.Gravity(**settings)], timestep=0.01)


def test_two_bodies_come_back() -> None:
    particles = two_bodies()
    sim = tr.Simulation(particles, forces=[tr.Gravity(accuracy=1e-6)], timestep=2 * np.pi / 1000)
    sim.run(until=2 * np.pi)
    order = np.argsort(particles.id)
    assert sim.step_count == 1000
    assert particles.position[order] == pytest.approx(two_bodies().position, abs=1e-3)
    assert abs(sim.energies().error) < 1e-6


def test_energies_are_sums_over_pairs() -> None:
    sim = tr.Simulation(two_bodies(), [tr.Gravity(G=3.0)], timestep=0.1)
    assert sim.energies().kinetic == pytest.approx(0.125)
    assert sim.energies().potential == pytest.approx(-0.75, rel=1e-5)
    assert sim.energies().total == pytest.approx(-0.625, rel=1e-5)
    assert sim.energies().virial_ratio == pytest.approx(1 / 3, rel=1e-5)
    assert sim.momentum().tolist() == [0, 0, 0]
    assert sim.angular_momentum() == pytest.approx([0, 0, 0.25])
    assert sim.centre_of_mass().tolist() == [0, 0, 0]
    assert sim.energies().error == 0.0


def test_internal_energy_counts_where_particles_have_it() -> None:
    particles = two_bodies()
    bare = tr.Simulation(two_bodies(), [tr.Gravity(G=3.0)], timestep=0.1)
    assert bare.energies().internal == 0.0
    assert bare.energies().conserved == bare.energies().total == bare.energies().kinetic + bare.energies().potential
    particles.add_field("internal_energy")
    particles.internal_energy = [1.0, 3.0]
    sim = tr.Simulation(particles, [tr.Gravity(G=3.0)], timestep=0.1)
    assert sim.energies().internal == 2.0
    assert sim.energies().total == sim.energies().initial == bare.energies().total + 2.0
    particles.internal_energy += 1.0
    assert sim.energies().error == pytest.approx(1.0 / sim.energies().initial)
    assert (sim.energies().bath, sim.energies().conserved) == (0.0, sim.energies().total)


def test_kinds_of_forces_are_not_forces() -> None:
    assert isinstance(tr.Gravity(), tr.Force)
    for kind in (tr.Force, tr.Thermostat):
        with pytest.raises(TypeError, match="no constructor"):
            kind()


def test_conservation() -> None:
    sim = small()
    sim.run(until=1.0)
    assert 0 < abs(sim.energies().error) < 1e-3
    assert np.abs(sim.momentum()).max() < 1e-5


@pytest.mark.parametrize(("until", "steps"), [(0.1, 10), (0.101, 11), (0.0, 0), (0.3, 30)])
def test_steps_reach_the_end_and_no_further(until: float, steps: int) -> None:
    sim = small()
    sim.run(until=until)
    assert sim.step_count == steps
    sim.run(until=until)
    assert sim.step_count == steps
    assert sim.time == pytest.approx(max(until, 0.0))


@pytest.mark.parametrize("where", [{}, {"device": "cpu", "resident": True}])
def test_the_last_step_is_shorter_to_end_at_the_end(where: dict[str, Any]) -> None:
    flying = tr.ParticleSet.from_columns(position=np.zeros((1, 3)), mass=1.0, velocity=[[1.0, 2.0, 3.0]])
    sim = tr.Simulation(flying, [tr.Gravity()], timestep=0.5, **where)
    sim.run(until=1.25)
    assert (sim.time, sim.step_count, sim.timestep) == (1.25, 3, 0.5)
    assert sim.particles.position.tolist() == [[1.25, 2.5, 3.75]]
    sim.run(steps=1)
    assert sim.time == 1.75  # as long as any
    sim.run(until=2.0, exact=False)
    assert sim.time == 2.25


def test_a_run_has_an_end_or_a_number_of_steps() -> None:
    sim = small()
    sim.run(steps=3)
    sim.run(steps=0)
    assert sim.step_count == 3
    assert sim.time == pytest.approx(0.03)
    with pytest.raises(ValueError, match="neither of until and steps given: allowed is one"):
        sim.run()
    with pytest.raises(ValueError, match="both of until and steps given: allowed is one"):
        sim.run(until=1.0, steps=1)
    for steps in (1.5, math.nan, math.inf):
        with pytest.raises(ValueError, match=f"^steps is {steps}, but must be a whole number$"):
            sim.run(steps=steps)
    with pytest.raises(ValueError, match="steps is -1, but must be at least 0"):
        sim.run(steps=-1)
    with pytest.raises(TypeError):
        sim.run(1.0)  # type: ignore[misc]


def test_rows_of_small_sets_keep_their_order() -> None:
    kept, sorted_ = (tr.ic.plummer(500, seed=1) for _ in range(2))
    forces = [tr.Gravity(softening=0.05)]
    tr.Simulation(kept, forces, 0.01).run(steps=70)
    tr.Simulation(sorted_, forces, 0.01, keep_order=False).run(steps=70)
    assert kept.id.tolist() == list(range(500))
    assert sorted_.id.tolist() != kept.id.tolist()
    assert np.array_equal(sorted_.by_id(kept.id).position, kept.position)
    large = tr.ic.plummer(10_000, seed=1)
    tr.Simulation(large, forces, 0.01).energies()
    assert large.id.tolist() != list(range(10_000))


def test_time_may_start_anywhere() -> None:
    sim = tr.Simulation(tr.ic.plummer(20), [tr.Gravity(softening=0.1)], 0.01, time=5.0)
    sim.run(until=5.05)
    assert (sim.step_count, sim.time) == (5, pytest.approx(5.05))


def test_callbacks_come_every_k_steps() -> None:
    sim = small()
    seen: dict[int, list[int]] = {3: [], 5: []}
    sim.run(until=0.2, callbacks=[(k, lambda now, k=k: seen[k].append(now.step_count)) for k in seen])
    assert seen == {3: [3, 6, 9, 12, 15, 18], 5: [5, 10, 15, 20]}
    with pytest.raises(ValueError, match="every 0 steps, but the least is every 1"):
        sim.run(until=0.3, callbacks=[(0, print)])


def test_an_error_in_a_callback_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        small().run(until=0.1, callbacks=[(1, lambda sim: 1 // (sim.step_count - sim.step_count))])


def test_ctrl_c_stops_at_the_end_of_a_step() -> None:
    sim = small()
    before = signal.getsignal(signal.SIGINT)
    for wanted in ({"until": 1.0}, {"steps": 7}):
        with pytest.raises(KeyboardInterrupt):
            sim.run(**wanted, callbacks=[(7, lambda _: signal.raise_signal(signal.SIGINT))])  # type: ignore[arg-type]
        assert sim.step_count % 7 == 0
    assert sim.step_count == 14
    assert signal.getsignal(signal.SIGINT) is before
    sim.run(until=0.2)
    assert sim.step_count == 20


@pytest.mark.parametrize(("timestep", "until"), [(0.1, 1.0), (0.3, 1.0), (0.07, 0.21), (1 / 3, 2.0), (None, 0.7)])
def test_the_end_is_met_to_the_bit(timestep: float | None, until: float) -> None:
    for more in ({}, {"resident": True, "device": "cpu"}):
        if timestep is None and more:
            continue
        sim = tr.Simulation(tr.ic.plummer(20), [tr.Gravity(softening=0.1)], timestep, **more)  # type: ignore[arg-type]
        sim.run(until=until)
        assert sim.time == until


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as in a program in the foreground: a shell's background job ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_second_ctrl_c_does_not_wait() -> None:
    def twice(_: tr.Simulation) -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        small().run(until=1.0, callbacks=[(1, twice)])


def test_runs_in_another_thread() -> None:
    sim = small()
    thread = threading.Thread(target=sim.run, kwargs={"until": 0.05})
    thread.start()
    thread.join()
    assert sim.step_count == 5


ENDS = """
import threading, time
import trellis as tr

def field(position, time):
    return -position, (position**2).sum(axis=1) / 2

forces = [tr.Gravity(softening=0.05)] + ([tr.External(field)] if {external} else [])
sim = tr.Simulation(tr.ic.plummer(3000), forces, timestep=0.01)
threading.Thread(target=lambda: sim.run(until=1e3), daemon=True).start()
while sim.step_count < 2:
    time.sleep(0.01)
"""


@pytest.mark.parametrize("external", [False, True])
def test_a_thread_that_computes_at_the_end_aborts_nothing(external: bool) -> None:
    program = ENDS.format(external=external)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_progress_says_step_time_and_error(capfd: pytest.CaptureFixture[str]) -> None:
    small().run(until=0.1, progress=True)
    shown = capfd.readouterr().err
    assert "step 10, t = 0.1 of 0.1" in shown
    for part in ("t = 0.1", "/step", "interactions/s", "dE/E = "):
        assert part in shown
    small().run(until=0.1)
    assert capfd.readouterr().err == ""
    small().run(steps=3, progress=True)
    assert "step 3 of 3, t = 0.03, " in capfd.readouterr().err


@pytest.mark.parametrize(
    "settings", [{}, {"accuracy": 1e-2}, {"theta": 0.5}, {"method": "tree", "theta": 0.6}, {"criterion": "relative"}]
)
def test_forces_agree_with_direct_summation(settings: dict[str, object]) -> None:
    """Twice: by the library's own measure, and by NumPy."""
    particles = tr.ic.plummer(2000, seed=4)
    sim = tr.Simulation(particles, [tr.Gravity(softening=0.01, **settings)], timestep=0.01)
    error = sim.force_error(2000)
    assert error["median"] <= error["rms"] <= error["maximum"]
    assert error["median"] <= error["percentile_99"] <= error["maximum"]
    assert 0 < error["rms"] < 0.03
    apart = particles.position[None] - particles.position[:, None]
    cubed = ((apart**2).sum(axis=2) + 0.01**2) ** -1.5
    exact = np.einsum("j,ij,ijk->ik", particles.mass, cubed, apart)
    errors, sizes = np.linalg.norm(particles.acceleration - exact, axis=1), np.linalg.norm(exact, axis=1)
    assert np.sqrt(((errors / sizes) ** 2).mean()) == pytest.approx(error["rms"], rel=1e-3)
    assert np.sqrt((errors**2).mean() / (sizes**2).mean()) == pytest.approx(error["over_rms"], rel=1e-3)


def test_accuracy_is_kept() -> None:
    particles = tr.ic.plummer(20_000, seed=4)
    errors = [
        tr.Simulation(particles, [tr.Gravity(softening=0.01, accuracy=accuracy)], 0.01).force_error(500)["rms"]
        for accuracy in (1e-2, 1e-3, 1e-4)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 5e-4


@pytest.mark.parametrize("device", ["host", "cpu"])
@pytest.mark.parametrize("place", [0.0, 1e-50, 1.0])
def test_forces_in_single_precision_are_finite_at_the_origin(place: float, device: str) -> None:
    """The unit of a cell at the origin without a radius was 0 in single precision."""
    for count in (1, 2):
        position = place * np.outer(np.arange(1, count + 1), np.ones(3))
        particles = tr.ParticleSet.from_columns(position=position, mass=1.0)
        gravity = tr.Gravity(softening=0.01, method="fmm", theta=0.5, precision="single", device=device)
        tr.Simulation(particles, [gravity], 1e-3).energies()
        assert np.all(np.isfinite(particles.acceleration))
        assert place == 1 or np.all(np.abs(particles.acceleration) < 1e-40)


def test_the_same_bits_for_any_number_of_threads() -> None:
    results = []
    threads = tr.info()["threads"]
    for count in (1, 2, 3):
        tr.set_threads(count)
        sim = tr.Simulation(tr.ic.plummer(5000, seed=1), [tr.Gravity(softening=0.02)], 0.01)
        for _ in range(3):
            sim.step()
        results.append((sim.particles.position.copy(), sim.particles.velocity.copy(), sim.energies().total))
    tr.set_threads(threads)
    for result in results[1:]:
        assert np.array_equal(result[0], results[0][0])
        assert np.array_equal(result[1], results[0][1])
        assert result[2] == results[0][2]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"softening": -1.0}, "softening is -1"),
        ({"softening": math.nan}, "softening is nan"),
        ({"accuracy": 0.0}, "accuracy is 0"),
        ({"accuracy": 1e-300}, "accuracy is 1e-300: allowed is 1e-15 or more and below 1"),
        ({"theta": -0.5}, "theta is -0.5"),
        ({"theta": 0.0}, "theta is 0"),
        ({"criterion": "narrow"}, "criterion is 'narrow': allowed are geometric, relative"),
        ({"method": "mesh"}, "method is 'mesh': allowed are tree, fmm, treepm"),
        ({"mesh_cells": 32}, "mesh_cells and mesh_cutoff are of method treepm: allowed with it alone"),
        ({"method": "treepm", "accuracy": 1e-5}, "accuracy is 1e-05: allowed with method treepm is 9e-05 to below 1"),
        ({"method": "treepm", "softening_max_physical": 0.1}, "allowed with method fmm or tree"),
        ({"precision": "half"}, "precision is 'half': allowed are single, double"),
        ({"order": 99}, "order is 99"),
        ({"order": 0}, "order is 0: allowed is 1 or more"),
        ({"leaf_size": 0}, "leaf_size is 0"),
        ({"opening_growth": 1.5}, "opening_growth is 1.5: allowed is 0 to 1"),
        ({"G": -1.0}, "G is -1"),
    ],
)
def test_settings_out_of_range(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tr.Gravity(**settings)


@pytest.mark.parametrize("settings", [{}, {"mesh_cells": 24, "mesh_cutoff": 6.0}])
def test_mesh_and_tree_in_a_periodic_box(settings: dict[str, object]) -> None:
    random = np.random.default_rng(1)
    particles = tr.ParticleSet.from_columns(position=random.random((512, 3)), mass=1 / 512)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    force = tr.Gravity(softening=0.002, accuracy=1e-3, method="treepm", **settings)
    sim = tr.Simulation(particles, [force], 0.001)
    sim.step()
    assert sim.force_error(50)["rms"] < 1e-2  # relative to each particle's own force
    assert force.settings["method"] == "treepm"
    assert force.settings["mesh_cells"] == settings.get("mesh_cells")
    assert 3 < force.settings["mesh_cutoff"] < 7


@pytest.mark.parametrize("timestep", [0.0, -1.0, math.nan, math.inf])
def test_time_steps_out_of_range(timestep: float) -> None:
    with pytest.raises(ValueError, match="timestep is "):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], timestep)


@pytest.mark.parametrize("name", ["position", "velocity", "mass"])
def test_values_that_are_not_finite(name: str) -> None:
    particles = tr.ic.plummer(50)
    particles.column(name)[17] = math.nan
    with pytest.raises(ValueError, match=f"'{name}' is not a number at index 17"):
        tr.Simulation(particles, [tr.Gravity(softening=0.1)], 0.01).step()


def test_settings_and_phases_say_something() -> None:
    sim = small()
    assert sim.forces[0].settings["method"] in ("tree", "fmm")
    sim.step()
    assert sim.interactions > 0
    assert sim.phases["Force kernel"] > 0
    assert sum(sim.phases.values()) < 1.0


def test_particles_that_leave_a_box_come_in_again() -> None:
    particles = tr.ParticleSet.from_columns(
        position=[[0.9, 0, 0]], velocity=[[1.0, -1.0, 0]], mass=1.0, box=[[0, -1, -np.inf], [1, 1, np.inf]]
    )
    tr.Simulation(particles, [], timestep=0.25).run(until=4.0)
    assert particles.position == pytest.approx(np.array([[0.9, 0.0, 0.0]]))


def test_gravity_of_particles_that_stay_on_a_device_knows_of_no_images() -> None:
    particles = tr.ic.plummer(20)
    particles.box = [[-10] * 3, [10] * 3]
    with pytest.raises(ValueError, match="is periodic along x, which gravity of particles that stay"):
        tr.Simulation(particles, [tr.Gravity(softening=0.1)], 0.01, device="cpu", resident=True).step()


def test_an_end_before_the_start() -> None:
    sim = tr.Simulation(tr.ic.plummer(10), [tr.Gravity(softening=0.1)], 0.25, time=2.0)
    with pytest.raises(ValueError, match=r"^until is 1.9, but must be at least 2, the start$"):
        sim.run(until=1.9)
    assert sim.reached(1.9)
    sim.run(until=3.0)
    with pytest.raises(ValueError, match=r"^until is 2.5, but must be at least 3, the time now$"):
        sim.run(until=2.5)
    sim.run(until=2.9, exact=False)  # a step of before may have gone so far beyond
    assert sim.time == 3.0


@pytest.mark.parametrize("time", [math.nan, math.inf])
def test_a_simulation_has_a_time(time: float) -> None:
    with pytest.raises(ValueError, match=f"^time is {time}, but must be a finite number$"):
        tr.Simulation(tr.ic.sphere(10), [tr.Gravity(softening=0.1)], timestep=0.1, time=time)


def test_steps_that_a_time_does_not_change_by_are_refused() -> None:
    sim = tr.Simulation(tr.ic.sphere(10), [tr.Gravity(softening=0.1)], timestep=1e-17)
    with pytest.raises(ValueError, match=r"^timestep is 1e-17, which is lost in a time near until = 1.0$"):
        sim.run(until=1.0)
