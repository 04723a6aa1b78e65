from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trellis as tr

hoomd = pytest.importorskip("gsd.hoomd")


def exchange(device: str = "host") -> tr.ReplicaExchange:
    clusters = [tr.ic.cluster(7, seed=seed) for seed in range(4)]
    bath = tr.Langevin(temperature=0.3, relaxation_time=0.5)
    ensemble = tr.Ensemble(clusters, tr.LennardJones(cutoff=20), timestep=0.005, thermostat=bath, device=device)
    return tr.ReplicaExchange(ensemble, tr.geometric_temperatures(0.2, 0.4, 4), exchange_every=20)


@pytest.mark.parametrize("by", ["state", "replica"])
def test_files_have_states_or_replicas(tmp_path: Path, by: str) -> None:
    running = exchange()
    states, positions = [], []
    with tr.io.ReplicaTrajectories(tmp_path / by, running, by=by) as trajectories:  # type: ignore[arg-type]
        for _ in range(5):
            running.run(2)
            trajectories.write()
            states.append(running.state_of)
            positions.append([running.ensemble.particles(k).position for k in range(4)])
    assert len({tuple(each) for each in states}) > 1
    for k in range(4):
        with hoomd.open(tmp_path / by / f"{by}_{k:03d}.gsd") as frames:
            assert [frame.configuration.step for frame in frames] == [40, 80, 120, 160, 200]
            for frame, state, place in zip(frames, states, positions, strict=True):
                system = int(np.flatnonzero(state == k)[0]) if by == "state" else k
                assert frame.particles.position == pytest.approx(place[system], rel=1e-5)
                assert frame.log["state"][0] == state[system]
    with pytest.raises(ValueError, match="by is 'both': allowed are state and replica"):
        tr.io.ReplicaTrajectories(tmp_path, running, by="both")  # type: ignore[arg-type]


def test_devices_may_join_a_run() -> None:
    alone, joined = exchange(), exchange("cpu")
    whole = alone.run(20)
    first = joined.run(8)
    joined.ensemble.use_devices(["cpu*2", "rehearsal:0"])
    both = first.joined([joined.run(12)])
    assert np.array_equal(both.state, whole.state)
    assert np.array_equal(both.potential, whole.potential)
    for mine, theirs in zip(alone.ensemble.all_particles(), joined.ensemble.all_particles(), strict=True):
        assert np.array_equal(mine.position, theirs.position)
