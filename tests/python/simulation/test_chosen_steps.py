"""Time steps that the forces choose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import FoundOn

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint, write_checkpoint
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

BATH = {"temperature": 0.001, "relaxation_time": 3.0}


def blast(courant: float = 0.05, **settings: object) -> tr.Simulation:
    return tr.Simulation(tr.ic.sedov(8**3), [tr.Sph(courant=courant, **settings)])


def test_a_cold_blast_keeps_its_energy() -> None:
    sim = tr.Simulation(tr.ic.sedov(16**3), [tr.Sph(courant=0.05)])
    sim.run(until=0.05)
    assert abs(sim.energies().error) < 2e-4
    assert sim.time == 0.05
    assert sim.step_count < 150


def shares_of_the_limit(sim: tr.Simulation, steps: int) -> list[float]:
    shares = []
    for _ in range(steps):
        assert sim.energies().error < 1  # its forces are known now
        limit = (0.3 * sim.particles.smoothing_length / sim.particles.signal_speed).min()
        sim.step()
        shares.append(sim.timestep / limit)
    return shares


def test_steps_come_to_courants_limit_and_never_go_beyond_it() -> None:
    sim = blast(0.3)
    shares = shares_of_the_limit(sim, 50)
    assert shares[0] == pytest.approx(0.1)
    assert max(shares) <= 1
    assert sim.time > 0.05  # the limit grows as the blast does
    at_rest = blast(0.3)
    at_rest.particles.internal_energy = 0.9
    shares = shares_of_the_limit(at_rest, 50)
    assert max(shares) <= 1
    assert min(shares[30:]) == pytest.approx(1)


def test_a_step_of_unknown_length_is_none() -> None:
    sim = blast()
    assert sim.timestep == 0
    sim.step()
    assert sim.time == sim.timestep > 0
    with pytest.raises(ValueError, match="timestep is not given, which is allowed where a force limits it: none does"):
        tr.Simulation(tr.ic.lennard_jones(256), [tr.LennardJones(cutoff=2.0)]).step()
    with pytest.raises(ValueError, match="particles that stay on a device need a fixed one"):
        tr.Simulation(tr.ic.plummer(10), [tr.Gravity(softening=0.1)], device="cpu", resident=True)


def test_steps_end_at_the_end_and_at_the_stops_on_the_way() -> None:
    sim, times, every_third = blast(0.3), [], []
    stops = [0.1, 0.0123, 0.007, 0.003]
    sim.run(
        until=0.02,
        stops=stops,
        callbacks=[(1, lambda now: times.append(now.time)), (3, lambda now: every_third.append(now.step_count))],
    )
    assert {0.003, 0.007, 0.0123, 0.02} < set(times)
    assert times[-1] == sim.time == 0.02
    assert every_third == list(range(3, sim.step_count + 1, 3))


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 1e-15])
@pytest.mark.parametrize("individual", [False, True])
def test_a_stop_just_before_the_end_does_not_end_the_run(gap: float, individual: bool) -> None:
    """It did where the step was more than a thousand times longer than what was left."""
    stars, steps = tr.ic.plummer(20, seed=1), tr.IndividualSteps(longest=0.25) if individual else None
    sim, times = tr.Simulation(stars, [tr.Gravity(softening=0.5)], steps), []
    stop = 1.0 - gap
    sim.run(until=1.0, stops=[stop], callbacks=[(1, lambda now: times.append(now.time))])
    assert sim.time == 1.0
    assert (stop in times) == (gap > 1e-9)
    sim.run(until=2.0)
    assert sim.time == 2.0


def test_lists_that_serve_again_change_nothing() -> None:
    found = []
    for lists in ("rebuild", "reuse"):
        sim = blast(0.3, lists=lists, precision="double")
        sim.run(until=0.02)
        assert (sim.list_use[0]["reuses"] > 0) == (lists == "reuse")
        found.append([sim.step_count, sim.energies().kinetic, sim.energies().internal])
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize("thermostat", [tr.Langevin(**BATH), tr.Csvr(**BATH)])
def test_a_bath_and_what_is_in_it_keep_their_energy(thermostat: tr.Thermostat) -> None:
    stars = tr.ic.plummer(500, seed=2)
    stars.velocity -= stars.velocity.mean(axis=0)
    sim = tr.Simulation(stars, [tr.Gravity(softening=0.05, accuracy=1e-5)], thermostat=thermostat)
    sim.run(until=3.0)
    assert abs(sim.energies().bath) > 0.01
    assert abs(sim.energies().error) < 2e-3


def test_ranks_choose_the_same_steps(found_on: FoundOn) -> None:
    program = """
gas = [tr.Gravity(softening=0.05, accuracy=1e-9, precision="double"), tr.Sph(precision="double")]
sim = tr.Simulation(tr.ic.evrard(600), gas)
sim.run(until=0.3)
now = sim.energies()
found = [sim.step_count, sim.timestep, sim.time, now.kinetic, now.potential, now.internal]
"""
    alone = found_on(1, program)
    for ranks in (2, 3):
        assert found_on(ranks, program) == pytest.approx(alone, rel=1e-6)


def test_resumed_at_a_step_on_the_way_goes_on_bit_for_bit(tmp_path: Path) -> None:
    def save(now: tr.Simulation) -> None:
        if now.step_count == 7:
            write_checkpoint(tmp_path / "c.hdf5", now.state())

    whole = blast()
    whole.run(until=0.01, callbacks=[(1, save)])
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "c.hdf5"), [tr.Sph(courant=0.05)])
    resumed.run(until=0.01)
    assert resumed.step_count == whole.step_count > 20
    for column in whole.particles.field_names:
        assert whole.particles.column(column).tobytes() == resumed.particles.column(column).tobytes(), column


@pytest.fixture
def collapse(tmp_path: Path) -> Path:
    path = tmp_path / "gas.toml"
    path.write_text(
        """
[ic]
model = "evrard"
particles = 400
[gravity]
softening = 0.1
[sph]
[run]
until = 0.9
snapshot_every = 0.3
"""
    )
    return path


def test_a_run_writes_snapshots_when_they_are_due(tmp_path: Path, collapse: Path) -> None:
    job = SimulationRun(load(collapse, [f"run.output={tmp_path / 'out'}"]))
    job.run()
    assert job.finished()
    snapshots = [tr.io.read_snapshot(path).time for path in sorted((tmp_path / "out").glob("snapshot*"))]
    assert snapshots == pytest.approx([0.0, 0.3, 0.6, 0.9], rel=1e-15)
    log = read_energy_log(tmp_path / "out" / "energy.csv")
    steps = np.diff(log["time"])
    assert len(steps) == job.simulation.step_count
    assert np.ptp(steps) > 0.5 * steps.max()


def test_a_run_resumed_goes_on_bit_for_bit(tmp_path: Path, collapse: Path) -> None:
    def job(place: str, until: float, *, resume: bool = False) -> SimulationRun:
        made = SimulationRun(load(collapse, [f"run.output={tmp_path / place}", f"run.until={until}"]), resume=resume)
        made.run()
        return made

    whole, stopped = job("whole", 0.9), job("part", 0.6)
    assert 0 < stopped.simulation.step_count < whole.simulation.step_count
    resumed = job("part", 0.9, resume=True)
    assert resumed.simulation.step_count == whole.simulation.step_count
    for column in whole.simulation.particles.field_names:
        one, other = (job.simulation.particles.column(column) for job in (whole, resumed))
        assert one.tobytes() == other.tobytes(), column
    assert [path.name for path in sorted((tmp_path / "part").glob("snapshot*"))] == [
        path.name for path in sorted((tmp_path / "whole").glob("snapshot*"))
    ]


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("[lennard_jones]", "'run.timestep' is missing: only [sph] and [gravity] with a softening do without"),
        ("[gravity]", "'run.timestep' is missing: only [sph] and [gravity] with a softening do without"),
        ("[sph]\n[run]\nresident = true\ndevice = 'cpu'", "'run' has resident = true and no timestep"),
    ],
)
def test_a_file_says_where_a_time_step_is_needed(tmp_path: Path, section: str, sentence: str) -> None:
    path = tmp_path / "a.toml"
    run = "" if "[run]" in section else "[run]"
    path.write_text(f'[ic]\nmodel = "plummer"\n{section}\n{run}\nuntil = 1.0\nsnapshot_every = 0.1\noutput = "out"\n')
    with pytest.raises(InputError) as error:
        load(path)
    assert sentence in str(error.value)
