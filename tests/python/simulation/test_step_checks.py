"""Notes at a start on steps that are too long."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import trellis as tr


def binary(eccentricity: float, scale: float = 1.0) -> tr.ParticleSet:
    """Two bodies of mass 1/2 at their apocentre, with a semi-major axis of `scale`."""
    apart = scale * (1 + eccentricity)
    speed = math.sqrt((1 - eccentricity) / (scale * (1 + eccentricity)))
    x, v = np.array([[apart / 2, 0, 0]]), np.array([[0, speed / 2, 0]])
    return tr.ParticleSet.from_columns(
        position=np.concatenate([x, -x]), velocity=np.concatenate([v, -v]), mass=[0.5, 0.5]
    )


def begin(particles: tr.ParticleSet, timestep: float, softening: float) -> None:
    tr.Simulation(particles, [tr.Gravity(softening=softening)], timestep).energies()


def test_a_close_pair_that_steps_do_not_follow_is_noted() -> None:
    match = (
        r"^the particles of id 0 and 1 are bound to each other and come as near as 0\.1, where an orbit takes 0\.2: "
        r"steps of 0\.0628319 do not follow that \(0\.0099 or less does, or a larger softening\)$"
    )
    with pytest.warns(UserWarning, match=match):
        begin(binary(0.9), 2 * math.pi / 100, 0.0)


def test_a_pair_that_falls_into_each_other_needs_a_softening() -> None:
    match = r"^the particles of id 0 and 1 are bound .* and fall into each other: no step follows that without a soft"
    with pytest.warns(UserWarning, match=match):
        begin(binary(1.0), 2 * math.pi / 100, 0.0)


def test_a_step_beyond_what_forces_allow_is_noted() -> None:
    with pytest.warns(
        UserWarning, match=r"^timestep is 0\.02, but the forces at the start allow 0\.0\d+: such steps do"
    ):
        begin(binary(0.0, 0.3), 0.02, 1e-4)


def lattice() -> tr.ParticleSet:
    return tr.ParticleSet.from_columns(position=(np.indices((4, 4, 4)).reshape(3, -1).T + 0.5) / 4, mass=1 / 64, box=1)


@pytest.mark.parametrize(
    ("particles", "timestep", "softening"),
    [
        (lattice(), 0.01, 0.0),
        (lattice(), 0.01, 1e-3),
        (binary(0.0), 2 * math.pi / 100, 0.0),
        (binary(0.9), 2 * math.pi / 1000, 0.0),
        (binary(0.9), 2 * math.pi / 100, 0.5),
        (tr.ic.plummer(2000, seed=1), 1 / 64, 0.05),
        (tr.ic.plummer(2000, seed=1), 1 / 256, 0.02),
    ],
)
def test_others_are_not(particles: tr.ParticleSet, timestep: float, softening: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begin(particles, timestep, softening)


def test_pairs_are_found_across_the_faces_of_a_box() -> None:
    pair = binary(0.9)
    pair.position += [0.1, 0, 0]
    pair.box = [[0.0, -4, -4], [8.0, 4, 4]]
    pair.position = pair.wrapped_position()
    with pytest.warns(UserWarning, match="come as near as 0.1"):
        begin(pair, 2 * math.pi / 100, 0.01)


def test_a_check_of_a_run_has_the_note(tmp_path: Path, trellis: Command) -> None:
    tr.io.write_snapshot(tmp_path / "pair.hdf5", binary(0.9))
    (tmp_path / "pair.toml").write_text(
        'initial_conditions = "pair.hdf5"\n[gravity]\nsoftening = 0.0\n'
        '[run]\nuntil = 6.28\ntimestep = 0.0628\nsnapshot_every = 6.0\noutput = "out"\n'
    )
    done = trellis("check", tmp_path / "pair.toml")
    assert done.returncode == 0, done.stderr
    assert "note: the particles of id 0 and 1 are bound to each other and come as near as 0.1" in done.stderr
