"""`trellis run` of a replica exchange: resumed with the same bits, its files, and what is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cluster_exchange import write_exchange
from conftest import Command, FlipBit

import trellis as tr
from trellis.config import load
from trellis.run.replica_ladder import Ladder
from trellis.run.replica_run import ReplicaExchangeRun
from trellis.run.replica_systems import exchange_to_begin

TEMPERATURES = "lowest = 0.2\nhighest = 0.4\nstates = 5"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_exchange(tmp_path, TEMPERATURES)


def history_in(folder: Path) -> tr.ExchangeHistory:
    return tr.ExchangeHistory.read(sorted(folder.glob("exchanges_*.hdf5")))


def test_a_run_and_its_continuation(file: Path, trellis: Command, tmp_path: Path) -> None:
    whole = trellis("run", file, "--set", f"run.output={tmp_path / 'whole'}")
    assert whole.returncode == 0, whole.stderr
    assert "Running 5 systems of 7 particles, k T from 0.2 to 0.4, to exchange 40 from 0" in whole.stdout
    assert "finding 5 temperatures, 4 x 20 exchanges" not in whole.stderr
    assert (tmp_path / "whole" / "overview.png").exists()
    unbroken = history_in(tmp_path / "whole")
    assert unbroken.exchanges == 40
    assert unbroken.tried.sum() == 80
    first = trellis("run", file, "--set", "run.until=0.9")
    assert first.returncode == 0, first.stderr
    assert history_in(tmp_path / "out").exchanges == 18
    assert trellis("run", file).returncode == 2  # a run is there already
    (tmp_path / "out" / "exchanges_9999.hdf5").write_bytes(b"of a run that was killed before its checkpoint")
    longer = trellis("run", file, "--resume")
    assert longer.returncode == 0, longer.stderr
    assert "Continuing 5 systems" in longer.stdout
    joined = history_in(tmp_path / "out")
    assert np.array_equal(joined.state, unbroken.state)
    assert np.array_equal(joined.potential, unbroken.potential)
    assert np.array_equal(joined.temperatures, unbroken.temperatures)
    again = trellis("run", file, "--resume")
    assert "is complete: it made 40 exchanges" in again.stdout
    replaced = trellis("run", file, "--overwrite", "--set", "run.until=0.5")
    assert replaced.returncode == 0, replaced.stderr
    assert history_in(tmp_path / "out").exchanges == 10


BONDS = """
[[bonds]]
potential = "harmonic"
parameters = { k = 20, length = 1.1 }
chains_of = 7

[[bonds]]
potential = "k * (1 + cos(theta))"
parameters = { k = 0.5 }
chains_of = 7
exclude = true
"""


def test_chains_with_bonds_are_continued_with_the_same_bits(file: Path, trellis: Command, tmp_path: Path) -> None:
    file.write_text(file.read_text() + BONDS)
    whole = trellis("run", file, "--set", f"run.output={tmp_path / 'whole'}")
    assert whole.returncode == 0, whole.stderr
    assert trellis("run", file, "--set", "run.until=0.9").returncode == 0
    assert trellis("run", file, "--resume").returncode == 0
    unbroken, joined = history_in(tmp_path / "whole"), history_in(tmp_path / "out")
    assert unbroken.exchanges == 40
    assert np.array_equal(joined.state, unbroken.state)
    assert np.array_equal(joined.potential, unbroken.potential)


def test_bonds_of_a_file_act_in_each_state(file: Path) -> None:
    file.write_text(file.read_text() + BONDS)
    ensemble = exchange_to_begin(load(file), Ladder({"temperature": np.array([0.2, 0.4])})).ensemble
    found = ensemble.advance(1).potential
    pairs, triples = (np.stack([np.arange(8 - n) + k for k in range(n)], axis=1) for n in (2, 3))
    atoms = tr.LennardJones(cutoff=20.0, exclude=np.concatenate([pairs, triples[:, ::2]]))
    forces = [atoms, tr.HarmonicBonds(pairs, k=20, length=1.1), tr.CosineAngles(triples, k=0.5)]
    for number in (0, 1):
        expected = tr.Simulation(ensemble.particles(number), forces, timestep=0.005).energies().potential
        assert found[number] == pytest.approx(expected, rel=1e-5)


def test_states_are_added_at_a_resume(file: Path, trellis: Command, tmp_path: Path) -> None:
    whole = trellis("run", file, "--set", "replica_exchange.ladder=geometric", "--set", f"run.output={tmp_path / 'w'}")
    assert whole.returncode == 0, whole.stderr
    geometric = ("--set", "replica_exchange.ladder=geometric")
    add = "replica_exchange.added=[0.5, 0.21]"
    for output, ends in (("a", ["2.0"]), ("b", ["1.2", "2.0"])):
        here = (*geometric, "--set", f"run.output={tmp_path / output}")
        refused = trellis("run", file, *here, "--set", add)
        assert "replica_exchange.added is given, but a run begins without" in refused.stderr
        assert trellis("run", file, *here, "--set", "run.until=0.9").returncode == 0
        for change, sentence in [
            (add, "is complete, but goes on with a later run.until"),
            ("replica_exchange.added=[0.2]", "has 0.2, but there is a state of this temperature already"),
            ("replica_exchange.added=[-1]", "has added temperatures that are not above 0"),
            ("run.timestep=0.1", "replica_exchange.added alone may be changed"),
        ]:
            refused = trellis("run", file, *here, "--resume", "--set", "run.until=0.9", "--change", change)
            assert refused.returncode == 2
            assert sentence in refused.stderr, refused.stderr
        for number, end in enumerate(ends):
            change = ("--change", add) if number == 0 else ()
            longer = trellis("run", file, *here, "--resume", "--set", f"run.until={end}", *change)
            assert longer.returncode == 0, longer.stderr
            assert ("; 2 of them join now" in longer.stdout) == (number == 0)
    refused = trellis("run", file, *geometric, "--resume", "--set", f"run.output={tmp_path / 'b'}",
                      "--set", "run.until=3", "--change", "replica_exchange.added=[0.5]")  # fmt: skip
    assert "states cannot be taken away" in refused.stderr
    unbroken = history_in(tmp_path / "w")
    before = [path for path in sorted((tmp_path / "a").glob("exchanges_*.hdf5")) if states_in(path) == 5]
    since = {
        name: tr.ExchangeHistory.read([p for p in sorted((tmp_path / name).glob("exchanges_*")) if states_in(p) == 7])
        for name in "ab"
    }
    assert np.array_equal(tr.ExchangeHistory.read(before).potential, unbroken.potential[:18])
    assert since["a"].exchanges == 22
    assert np.array_equal(since["a"].potential[0, :5], unbroken.potential[18])
    kept = since["a"].temperatures[since["a"].state[0, :5]]
    assert np.array_equal(kept, unbroken.temperatures[unbroken.state[18]])
    assert since["a"].temperatures[since["a"].state[0, 5:]].tolist() == [0.21, 0.5]
    assert np.array_equal(since["a"].potential, since["b"].potential)
    assert (since["a"].state[-1] != since["a"].state[0]).any()
    assert 'replica_exchange.added,[],"[0.5, 0.21]"' in (tmp_path / "b" / "changes.csv").read_text()


def states_in(path: Path) -> int:
    return tr.ExchangeHistory.read(path).states


def test_it_stops_by_a_signal_with_a_checkpoint(file: Path, trellis: Command, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trellis", "run", str(file), "--set", "run.until=1e5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (tmp_path / "out" / "exchanges_0000.hdf5").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "Stopped with a checkpoint" in said
    assert not (tmp_path / "out" / "run.lock").exists()
    done = history_in(tmp_path / "out").exchanges
    further = trellis("run", file, "--resume", "--set", f"run.until={0.05 * (done + 3)}")
    assert further.returncode == 0, further.stderr
    assert history_in(tmp_path / "out").exchanges == done + 3


def test_it_stops_while_it_looks_for_temperatures(
    file: Path, trellis: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, plain = [], tr.ReplicaExchange.run

    def run(exchange: tr.ReplicaExchange, exchanges: int) -> tr.ExchangeHistory:
        runs.append(exchanges)
        if len(runs) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return plain(exchange, exchanges)

    monkeypatch.setattr(tr.ReplicaExchange, "run", run)
    stop = ReplicaExchangeRun(load(file)).run(print)
    assert runs == [20, 20]
    assert stop is not None
    assert stop.exit_code == 128 + signal.SIGTERM
    assert "without a checkpoint" in stop.sentence
    monkeypatch.undo()
    again = trellis("run", file, "--resume")
    assert again.returncode == 0, again.stderr
    assert "to exchange 40 from 0" in again.stdout


@pytest.mark.parametrize(("method", "freedom"), [("langevin", 21), ("andersen", 21)])
def test_degrees_of_freedom_are_those_of_the_thermostat(file: Path, method: str, freedom: int) -> None:
    assert ReplicaExchangeRun(load(file, [f"thermostat.method={method}"])).degrees_of_freedom == freedom


def test_devices_in_pairs_are_compared(file: Path, trellis: Command) -> None:
    pairs = ["--set", 'run.device=["cpu", "rehearsal:0:1"]', "--set", "run.redundant=2"]  # the second one lies
    found = trellis("run", file, *pairs)
    assert found.returncode == 1
    assert "gave two results that differ" in " ".join(found.stderr.split())


def test_what_cannot_be_used_is_refused(file: Path, trellis: Command, tmp_path: Path, flip_bit: FlipBit) -> None:
    for change, sentence in [
        ("replica_exchange.highest=0.1", "has lowest = 0.2, but must have less than highest = 0.1"),
        ("replica_exchange.temperatures=[0.1, 0.2]", "only one kind of ladder"),
        ("replica_exchange.states=1", "'replica_exchange.states' is 1, but must be at least 2"),
        ("replica_exchange.scheme=best", "'replica_exchange.scheme' is 'best', but must be 'neighbours'"),
        ("run.snapshot_every=0.5", "'run.snapshot_every' is given, but does not go with [replica_exchange]"),
        ("run.log_every=5", "'run.log_every' is given"),
        ("sph.neighbours=40", "goes with one of [lennard_jones], [gravity] and [pair]"),
        ("replica_exchange.equilibration=3", "has equilibration = 3, but ladder = auto needs 4 exchanges or more"),
        ("container.radius=-1", "'container.radius' is -1"),
        ("ic.density=5", "'density' is 5.0, but no place is left for atom"),
    ]:
        refused = trellis("run", file, "--set", change)
        assert refused.returncode == 2, change
        assert sentence in refused.stderr, (change, refused.stderr)
        assert not (tmp_path / "out").exists()
    assert "but goes with [replica_exchange] alone" in trellis("run", _plain(file)).stderr
    assert "--check-forces does not go" in trellis("run", file, "--check-forces", 3).stderr
    assert trellis("run", file, "--set", "run.until=0.5").returncode == 0
    flip_bit(tmp_path / "out" / "checkpoint.hdf5", "state/columns")
    damaged = trellis("run", file, "--resume")
    assert damaged.returncode == 2
    assert "is damaged: the checksum of" in damaged.stderr


def _plain(file: Path) -> Path:
    """The same file without its exchange, but with its container."""
    path = file.with_name("plain.toml")
    head, _, tail = file.read_text().partition("[replica_exchange]")
    path.write_text(f"{head}[run]\nsnapshot_every = 1.0\n{tail.partition('[run]')[2]}")
    return path
