"""States of parameter files that differ by interaction, container and pressure, and those that are added to a run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from pressure_states import PARAMETERS

import trellis as tr

CLUSTERS = """
[ic]
model = "cluster"
particles = 7

[lennard_jones]
epsilon = 1.1
cutoff = 20.0

[thermostat]
method = "langevin"
temperature = 0.3
relaxation_time = 1.0

[container]
radius = 2.5

[replica_exchange]
temperatures = [0.3, 0.3, 0.32]
lennard_jones = { epsilon = [1.0, 0.95, 0.95], sigma = [1.0, 1.0, 0.99] }
container.radius = [2.5, 2.4, 2.5]
exchange_every = 10
equilibration = 3
seed = 4

[run]
timestep = 0.005
until = 2.0
checkpoint_every = 0
"""

OWN_PAIRS = CLUSTERS.replace(
    "[lennard_jones]\nepsilon = 1.1\ncutoff = 20.0",
    """[pair]
potential = "4 * depth * ((size / r)**12 - (size / r)**6)"
parameters = { depth = 1.1, size = 1.0 }
truncation = "energy-shifted"
cutoff = 20.0""",
).replace("lennard_jones = { epsilon = [1.0, 0.95, 0.95], sigma", "pair = { depth = [1.0, 0.95, 0.95], size")
LIQUIDS = PARAMETERS.replace("until = 0.8", "until = 0.4")


def written(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(f'{text}output = "{folder / "out"}"\n')
    return path


def histories(folder: Path) -> dict[int, tr.ExchangeHistory]:
    """What a folder has, by the number of states that there were."""
    parts: dict[int, list[tr.ExchangeHistory]] = {}
    for path in sorted(folder.glob("exchanges_*.hdf5")):
        part = tr.ExchangeHistory.read(path)
        parts.setdefault(part.states, []).append(part)
    return {states: first.joined(others) for states, (first, *others) in parts.items()}


def test_states_of_a_file_are_those_of_python(trellis: Command, tmp_path: Path) -> None:
    made = trellis("run", written(tmp_path, CLUSTERS))
    assert made.returncode == 0, made.stderr
    said = "k T from 0.3 to 0.32, lennard_jones.epsilon from 1 to 0.95, lennard_jones.sigma from 1 to 0.99"
    assert said in " ".join(made.stdout.split())
    assert (tmp_path / "out" / "overview.png").exists()
    ensemble = tr.Ensemble(
        [tr.ic.cluster(7, seed=1 + k) for k in range(3)],
        [tr.LennardJones(epsilon=e, sigma=s, cutoff=20.0) for e, s in [(1.0, 1.0), (0.95, 1.0), (0.95, 0.99)]],
        timestep=0.005,
        thermostat=tr.Langevin(temperature=0.3, relaxation_time=1.0),
        container=[(2.5, 100.0), (2.4, 100.0), (2.5, 100.0)],
    )
    exchange = tr.ReplicaExchange(ensemble, [0.3, 0.3, 0.32], exchange_every=10, seed=4)
    exchange.run(3)
    here, there = exchange.run(40), histories(tmp_path / "out")[3]
    assert there.hamiltonian.tolist() == [0, 1, 2]
    for name in ("state", "potential", "potential_in_all", "temperatures"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name


def test_states_of_a_potential_in_a_file_are_those_of_python(trellis: Command, tmp_path: Path) -> None:
    made = trellis("run", written(tmp_path, OWN_PAIRS))
    assert made.returncode == 0, made.stderr
    said = "pair.parameters.depth from 1 to 0.95, pair.parameters.size from 1 to 0.99"
    assert said in " ".join(made.stdout.split())
    text, given = "4 * depth * ((size / r)**12 - (size / r)**6)", {"cutoff": 20.0, "truncation": "energy-shifted"}
    ensemble = tr.Ensemble(
        [tr.ic.cluster(7, seed=1 + k) for k in range(3)],
        [tr.pair_potential(text, depth=e, size=s, **given) for e, s in [(1.0, 1.0), (0.95, 1.0), (0.95, 0.99)]],
        timestep=0.005,
        thermostat=tr.Langevin(temperature=0.3, relaxation_time=1.0),
        container=[(2.5, 100.0), (2.4, 100.0), (2.5, 100.0)],
    )
    exchange = tr.ReplicaExchange(ensemble, [0.3, 0.3, 0.32], exchange_every=10, seed=4)
    exchange.run(3)
    here, there = exchange.run(40), histories(tmp_path / "out")[3]
    for name in ("state", "potential", "potential_in_all", "temperatures"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name


ADDED_CLUSTERS = (
    "replica_exchange.temperatures=[0.31, 0.3, 0.3, 0.3, 0.32]",
    "replica_exchange.lennard_jones={ epsilon = [1.05, 1.0, 0.97, 0.95, 0.95], sigma = [1.0, 1.0, 1.0, 1.0, 0.99] }",
    "replica_exchange.container={ radius = [2.5, 2.5, 2.5, 2.4, 2.5] }",
)
ADDED_OWN_PAIRS = tuple(
    each.replace("lennard_jones", "pair").replace("epsilon", "depth").replace("sigma", "size")
    for each in ADDED_CLUSTERS
)
ADDED_LIQUIDS = (
    "replica_exchange.temperatures=[1.4, 1.5, 1.5, 1.5, 1.6]",
    "replica_exchange.pressures=[1.0, 1.0, 1.1, 1.2, 1.2]",
)


@pytest.mark.parametrize(
    ("text", "added"),
    [(CLUSTERS, ADDED_CLUSTERS), (OWN_PAIRS, ADDED_OWN_PAIRS), (LIQUIDS, ADDED_LIQUIDS)],
    ids=["Hamiltonians", "potentials", "pressures"],
)
def test_states_are_added_at_a_resume(text: str, added: tuple[str, ...], trellis: Command, tmp_path: Path) -> None:
    file, ladder = written(tmp_path, text), np.array([1, 3, 4])
    change = [word for each in added for word in ("--change", each)]
    exchange_time = 0.02 if text is LIQUIDS else 0.05

    def run(name: str, exchanges: int, *more: str) -> None:
        ends = f"run.until={exchanges * exchange_time}"
        made = trellis("run", file, "--set", f"run.output={tmp_path / name}", "--set", ends, *more)
        assert made.returncode == 0, made.stderr
        assert ("; 2 of them join now" in made.stdout) == ("--change" in more)

    run("whole", 9)
    run("a", 8)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    run("a", 20, "--resume", *change)
    run("b", 15, "--resume", *change)
    run("b", 20, "--resume")
    whole, parts = histories(tmp_path / "whole")[3], histories(tmp_path / "a")
    assert np.array_equal(parts[3].potential, whole.potential[:8])
    since = parts[5]
    assert since.exchanges == 12
    # the first systems go on with the same bits until they exchange with one that joins, in their own states
    assert np.array_equal(since.state[0, :3], ladder[whole.state[8]])
    assert since.state[0, 3:].tolist() == [0, 2]
    assert np.array_equal(since.potential[0, :3], whole.potential[8])
    assert np.array_equal(since.volume[0, :3], whole.volume[8])
    in_before = since.potential_in_all[0, :3][:, since.hamiltonian[ladder]]
    assert np.array_equal(in_before, whole.potential_in_all[8][:, whole.hamiltonian])
    assert np.array_equal(since.temperatures[ladder], whole.temperatures)
    assert np.array_equal(since.pressure[ladder], whole.pressure)
    again = histories(tmp_path / "b")[5]
    for name in ("state", "potential", "potential_in_all", "volume"):
        assert np.array_equal(getattr(again, name), getattr(since, name)), name
    assert (since.state[-1] != since.state[0]).any()
    assert "replica_exchange.temperatures" in (tmp_path / "b" / "changes.csv").read_text()


def test_states_stay(trellis: Command, tmp_path: Path) -> None:
    file = written(tmp_path, CLUSTERS)
    assert trellis("run", file, "--set", "run.until=0.1").returncode == 0
    without_the_second = [
        "replica_exchange.temperatures=[0.3, 0.32]",
        "replica_exchange.lennard_jones={ epsilon = [1.0, 0.95], sigma = [1.0, 0.99] }",
        "replica_exchange.container={ radius = [2.5, 2.5] }",
    ]
    second = "temperature 0.3, lennard_jones.epsilon 0.95, lennard_jones.sigma 1, container.radius 2.4"
    others = "replica_exchange.container={ radius = [2.5, 2.4] }"
    for changes, sentence in [
        (without_the_second, f"lacks state 1 of the run, {second}, or has it at another position"),
        (["replica_exchange.temperatures=[0.3, 0.32, 0.3]"], f"lacks state 1 of the run, {second}"),
        (["replica_exchange.container="], f"lacks state 1 of the run, {second}"),
        ([others], "has 2 values of container.radius, but must have 3"),
        (["run.timestep=0.1"], "replica_exchange.added alone may be changed"),
    ]:
        change = [word for each in changes for word in ("--change", each)]
        refused = trellis("run", file, "--set", "run.until=0.2", "--resume", *change)
        assert refused.returncode == 2
        assert sentence in " ".join(refused.stderr.split()), refused.stderr
    longer = trellis("run", file, "--set", "run.until=0.2", "--resume")
    assert longer.returncode == 0, longer.stderr


def test_what_was_the_same_may_differ_between_those_added(trellis: Command, tmp_path: Path) -> None:
    file = written(tmp_path, CLUSTERS.replace("container.radius = [2.5, 2.4, 2.5]\n", ""))
    assert trellis("run", file, "--set", "run.until=0.1").returncode == 0
    change = [word for each in ADDED_CLUSTERS for word in ("--change", each)]
    refused = trellis("run", file, "--set", "run.until=0.2", "--resume", *change)
    assert "lacks state 1 of the run" in refused.stderr
    change[-1] = "replica_exchange.container={ radius = [2.4, 2.5, 2.6, 2.5, 2.5] }"
    longer = trellis("run", file, "--set", "run.until=0.2", "--resume", *change)
    assert longer.returncode == 0, longer.stderr
    assert histories(tmp_path / "out")[5].exchanges == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("lennard_jones={ epsilom = [1.0, 1.0, 1.0] }", "unknown key 'lennard_jones.epsilom': did you mean 'epsilon'?"),
        ("lennard_jones={ epsilon = [1.0, 0.9, -1.0], sigma = [1.0, 1.0, 1.0] }", "state 2 of [replica_exchange]"),
        ("gravity={ softening = [0.1, 0.1, 0.1] }", "'replica_exchange.gravity' is given, but there is no [gravity]"),
        ("pressures=[1.0, 2.0, 3.0]", "there is no [barostat] to hold them"),
        ("pressures=[1.0, 2.0]", "has 2 values of barostat.pressure, but must have 3, as many as temperatures"),
        ("temperatures=[0.3, -1.0, 0.4]", "has temperatures that are not above 0"),
        ("added=[0.5]", "has temperatures and added: states are added to these lists themselves"),
        ("container={ radius = 2.5 }", "'replica_exchange.container.radius' is 2.5, but must be a list"),
    ],
)
def test_what_cannot_be_used_is_refused(change: str, sentence: str, trellis: Command, tmp_path: Path) -> None:
    refused = trellis("run", written(tmp_path, CLUSTERS), "--set", f"replica_exchange.{change}")
    assert refused.returncode == 2
    assert sentence in " ".join(refused.stderr.split()), refused.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            "replica_exchange.pair={ width = [1.0, 1.0, 1.0] }",
            "'pair' is wrong: pair_potential, a force of short range",
        ),
        ("lennard_jones.epsilon=1.0", "goes with one of [lennard_jones], [gravity] and [pair], and no other forces"),
        ("pair.truncation=plain", None),
        ("pair.cutoff=2.0", None),
    ],
)
def test_a_potential_that_cannot_be_used_is_refused(
    change: str, sentence: str | None, trellis: Command, tmp_path: Path
) -> None:
    made = trellis("run", written(tmp_path, OWN_PAIRS), "--set", change, "--set", "run.until=0.05")
    assert made.returncode == (0 if sentence is None else 2), made.stderr
    assert sentence is None or sentence in " ".join(made.stderr.split()), made.stderr


def test_states_without_temperatures_are_refused(trellis: Command, tmp_path: Path) -> None:
    ladder = "lowest = 0.3\nhighest = 0.4\nstates = 3"
    text = CLUSTERS.replace("temperatures = [0.3, 0.3, 0.32]", ladder)
    refused = trellis("run", written(tmp_path, text))
    assert "has values of lennard_jones.epsilon, but no temperatures: one of each" in " ".join(refused.stderr.split())


def exchange_of(epsilons: list[float], pressures: list[float]) -> tr.ReplicaExchange:
    """Liquids with lists of near particles."""
    boxes = [tr.ic.lennard_jones(500, density=0.7, temperature=1.5, seed=1)] * len(epsilons)
    ensemble = tr.Ensemble(
        boxes, [atoms(each) for each in epsilons], timestep=0.004, pressure=pressures,
        thermostat=tr.Langevin(temperature=1.5, relaxation_time=1), barostat=tr.Barostat(pressure=1, every=20),
    )  # fmt: skip
    return tr.ReplicaExchange(ensemble, [1.5] * len(epsilons), exchange_every=10)


def atoms(epsilon: float, precision: Any = None) -> tr.LennardJones:
    return tr.LennardJones(epsilon=epsilon, cutoff=2.5, truncation="energy-shifted", precision=precision)


def test_an_exchange_goes_on_among_more_states() -> None:
    before = exchange_of([1.0, 0.998], [1.0, 1.1])
    epsilons = [1.1, 1.0, 0.998]
    longer = exchange_of(epsilons, [0.9, 1.0, 1.1])
    before.run(5)
    for places, sentence in [([1, 1], "places are"), ([1, 3], "places are"), ([0, 1, 2], "as many systems")]:
        with pytest.raises(ValueError, match=sentence):
            longer.restore_first(before.state(), places)
    longer.restore_first(before.state(), [1, 2])
    assert longer.state_of.tolist() == [*(before.state_of + 1), 0]
    assert np.array_equal(longer.ensemble.pressure, longer.pressures[longer.state_of])
    here, there = longer.ensemble.advance(30), before.ensemble.advance(30)
    for name in ("potential", "kinetic", "bath"):
        assert np.array_equal(getattr(here, name)[:2], getattr(there, name)), name
    for system, state in enumerate(longer.state_of):
        alone = tr.Simulation(longer.ensemble.particles(system), [atoms(epsilons[state], "double")], timestep=1.0)
        assert here.potential[system] == pytest.approx(alone.energies().potential, rel=1e-5)
