"""Threads of Python and forks of a process that share simulations."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import trellis as tr


def simulation() -> tr.Simulation:
    return tr.Simulation(tr.ic.plummer(2000, seed=1), [tr.Gravity(softening=0.05)], 1 / 256)


def test_runs_of_several_threads_follow_each_other() -> None:
    sim = simulation()

    def work() -> None:
        for _ in range(5):
            sim.run(steps=2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (sim.step_count, sim.time) == (40, 40 / 256)
    alone = simulation()
    alone.run(steps=40)
    assert sim.particles.position.tobytes() == alone.particles.position.tobytes()


def test_energies_can_be_asked_for_beside_a_run() -> None:
    sim, seen = simulation(), []
    watcher = threading.Thread(target=lambda: seen.extend(abs(sim.energies().error) for _ in range(10)))
    watcher.start()
    sim.run(steps=10)
    watcher.join()
    assert len(seen) == 10
    assert max(seen) < 1e-3


FORKS = """
import multiprocessing as mp, trellis as tr
def job(seed):
    sim = tr.Simulation(tr.ic.plummer(3000, seed=seed), [tr.Gravity(softening=0.05)], 1 / 256)
    sim.run(steps=1)
    return float(sim.particles.velocity.sum())
if __name__ == "__main__":
    here = [job(seed) for seed in (1, 2)]
    with mp.get_context("fork").Pool(2) as pool:
        assert pool.map(job, (1, 2)) == here
    print("as here")
"""


def test_forks_of_a_process_that_has_computed_compute_as_well() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )
    assert found.stdout == "as here\n", found.stderr
