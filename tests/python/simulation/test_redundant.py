"""Devices that compute the same in pairs, and one that is faulty: a rehearsal whose results are drawn from a stream."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command, Serve, contents

import trellis as tr

FAULTY = "rehearsal:0:1"
GOOD = ["rehearsal:0", "rehearsal:0.0"]  # with the kernels of cpu
TREE = {"theta": 0.6, "softening": 0.02, "method": "tree", "order": 1}


def stars_after(device: str | list[str], **redundancy: object) -> np.ndarray:
    """Positions of 400 bodies after five steps."""
    stars = tr.ic.plummer(400, seed=3)
    forces = [tr.Gravity(**TREE, lists="reuse")]  # type: ignore[arg-type]
    tr.Simulation(stars, forces, 0.01, device=device, **redundancy).run(steps=5)  # type: ignore[arg-type]
    return np.array(stars.position)


@pytest.mark.parametrize("pair", [["cpu", FAULTY], [FAULTY, "cpu"]], ids=["second", "first"])
def test_a_faulty_device_is_named_and_taken_off(pair: list[str]) -> None:
    expected = stars_after("cpu")
    both, sentence = " + ".join(pair), f"{FAULTY} gave another result than cpu and rehearsal:0: its work goes to"
    with pytest.warns(RuntimeWarning) as notes:
        np.testing.assert_array_equal(stars_after(pair, redundant=2, spares=["host", GOOD[0]]), expected)
    assert [str(note.message) for note in notes] == [
        f"device {both} gave two results that differ; only a third device of the kind can decide which is right:"
        f" its work goes to {both} + rehearsal:0",
        f"device {sentence} cpu + rehearsal:0",
    ]
    with pytest.warns(RuntimeWarning) as notes:
        np.testing.assert_array_equal(stars_after([*pair, GOOD[0]], redundant=2), expected)
    assert sentence in str(notes[-1].message)


def test_without_a_third_a_run_ends_with_a_sentence_that_names_both() -> None:
    with pytest.raises(RuntimeError, match=f"device cpu \\+ {FAULTY} gave two results that differ"):
        stars_after(["cpu", FAULTY], redundant=2)


def test_particles_that_stay_on_two_devices_are_compared_when_they_come_back() -> None:
    def positions(device: str | list[str], redundant: int = 1) -> np.ndarray:
        forces = [tr.Gravity(**TREE)]  # type: ignore[arg-type]
        where = {"device": device, "redundant": redundant, "resident": True}
        sim = tr.Simulation(tr.ic.plummer(300, seed=1), forces, 0.01, **where)  # type: ignore[arg-type]
        sim.run(steps=4)
        return np.array(sim.particles.position)

    np.testing.assert_array_equal(positions(["cpu", GOOD[0]], 2), positions("cpu"))
    with pytest.raises(RuntimeError, match="gave two results that differ"):
        positions(["cpu", FAULTY], 2)


@pytest.mark.usefixtures("keys")
def test_a_server_of_two_that_is_killed_is_replaced(serve: Serve, tmp_path: Path) -> None:
    if tr.info()["network"] == "built without":
        pytest.skip("Trellis was built without a network")
    servers = [serve("--unix", str(tmp_path / name)) for name in "ab"]
    there = [f"unix:{tmp_path / name}/cpu" for name in "ab"]
    stars = tr.ic.plummer(400, seed=3)
    forces = [tr.Gravity(**TREE, lists="reuse")]  # type: ignore[arg-type]
    sim = tr.Simulation(stars, forces, 0.01, device=there, redundant=2, spares=["host", "cpu"])
    sim.run(steps=3)
    assert sim.device_use[0]["round_trips"] <= 1
    servers[0].kill()
    with pytest.warns(RuntimeWarning, match=f"its work goes to {there[1]} \\+ cpu"):
        sim.run(steps=2)
    np.testing.assert_array_equal(stars.position, stars_after("cpu"))


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("first", ["cpu", "a server's"])
def test_interactions_in_python_are_compared_with_those_of_a_server(serve: Serve, tmp_path: Path, first: str) -> None:
    if tr.info()["network"] == "built without":
        pytest.skip("Trellis was built without a network")
    serve("--unix", str(tmp_path / "a"))
    pair = ["cpu", f"unix:{tmp_path / 'a'}/cpu"]

    def positions(device: str | list[str], redundant: int = 1) -> np.ndarray:
        stars = tr.ic.plummer(41, seed=3)  # not as many as fill the blocks of lists
        forces = [
            tr.pair_potential("k * (1 - r / cutoff)**2", cutoff=0.5, k=1.0),
            tr.pair_potential("-1 / sqrt(r**2 + e**2)", source="mass", e=0.1),
        ]
        tr.Simulation(stars, forces, 0.01, device=device, redundant=redundant).run(steps=3)
        return np.array(stars.position)

    np.testing.assert_array_equal(positions(pair if first == "cpu" else pair[::-1], 2), positions("cpu"))


def test_systems_of_an_ensemble_are_compared() -> None:
    def positions(device: str | list[str], redundant: int = 1) -> np.ndarray:
        systems = [tr.ic.plummer(30, seed=seed) for seed in (1, 2)]
        gravity = tr.Gravity(softening=0.1)
        ensemble = tr.Ensemble(systems, gravity, timestep=0.01, device=device, redundant=redundant)
        ensemble.advance(10)
        return np.array(ensemble.particles(1).position)

    expected = positions("cpu")
    with pytest.warns(RuntimeWarning) as notes:
        np.testing.assert_array_equal(positions(["cpu", FAULTY, GOOD[0]], 2), expected)
    sentence = f"{FAULTY} gave another result than cpu and rehearsal:0: its systems go to cpu + rehearsal:0"
    assert sentence in str(notes[-1].message)
    with pytest.raises(RuntimeError, match=r"gave two results that differ.* and none is left of cpu"):
        positions(["cpu", FAULTY], 2)


@pytest.mark.parametrize(
    ("redundancy", "sentence"),
    [
        ({"redundant": 3, "device": ["cpu", *GOOD]}, "redundant is 3: allowed is 1 to 2"),
        ({"redundant": 2, "device": "cpu"}, "redundant is 2, but cpu is the only device"),
        ({"redundant": 2}, "redundant is 2, but the device is host: allowed are lists"),
    ],
)
def test_what_has_no_pair_is_refused(redundancy: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, **redundancy)  # type: ignore[arg-type]


def test_a_simulation_says_that_it_compares() -> None:
    sim = tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, device=["cpu", GOOD[0]], redundant=2)
    assert "cpu, rehearsal:0, compared in pairs" in repr(sim)


def test_a_run_with_a_faulty_device_ends_as_one_without(trellis: Command, parameter_file: Path, tmp_path: Path) -> None:
    def run(name: str, device: str, *others: str) -> tuple[int, str]:
        settings = [f"run.output={tmp_path / name}", f"run.device={device}", "gravity.method=tree", *others]
        done = trellis("run", parameter_file, *(word for each in settings for word in ("--set", each)))
        return done.returncode, done.stderr

    assert run("alone", "cpu")[0] == 0
    pair = f'["cpu", "{FAULTY}"]'
    code, said = run("decided", pair, "run.redundant=2", f'run.spares=["{GOOD[0]}"]')
    assert code == 0
    assert f"device {FAULTY} gave another result than cpu and rehearsal:0" in " ".join(said.split())
    assert contents(tmp_path / "decided") == contents(tmp_path / "alone")
    code, said = run("undecided", pair, "run.redundant=2")
    assert code == 1
    assert f"device cpu + {FAULTY} gave two results that differ" in " ".join(said.split())
    assert not list((tmp_path / "undecided").glob("snapshot_*"))
