"""Runs over several sites, which are processes of this machine with links between them."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pytest
from site_processes import RUN, Sites, ended, free_ports, start_sites

import trellis as tr
from trellis.output.energy_log import read_energy_log
from trellis.run.time_limit import OUT_OF_TIME

pytestmark = pytest.mark.skipif(
    tr.info()["network"] == "built without", reason="Trellis was built without Asio and OpenSSL"
)


@pytest.fixture
def start(tmp_path: Path, keys: Path) -> Callable[[int], Sites]:
    """Make sites of this machine, which trust each other's keys."""
    assert os.environ["TRELLIS_HOME"] == str(keys)
    return partial(start_sites, tmp_path)


def positions(folder: Path, number: int) -> np.ndarray:
    particles = tr.io.read_snapshot(folder / "out" / f"snapshot_{number:04d}.hdf5").particles
    return np.asarray(particles.position)[np.argsort(particles.id)]


def step_of(checkpoint: Path) -> int:
    """Step of a checkpoint; -1 before it is there."""
    if not checkpoint.exists():
        return -1
    with h5py.File(checkpoint) as file:
        return int(file.attrs["step_count"])


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_two_sites_do_the_run_of_one(
    tmp_path: Path, start: Callable[[int], Sites], trellis: Callable[..., object]
) -> None:
    done = ended(start(2)())
    assert [code for code, _ in done] == [0, 0], done
    assert "on 2 ranks of 2 sites" in done[0][1]
    assert "trips one after another in a step" in done[0][1]
    shares = [int(each) for each in re.findall(r"127\.0\.0\.1:\d+: (\d+) %, waits \d+\.\d+ s/step", done[0][1])]
    assert len(shares) == 2
    assert abs(sum(shares) - 100) <= 1
    assert len(re.findall(r"Mbit/s there and .* back over \d+ streams, round trip \d+ ms", done[0][1])) == 1
    assert done[1][1].strip() == "" or "waiting for" in done[1][1]
    alone = tmp_path / "alone.toml"
    alone.write_text(RUN.partition("[sites]")[0])
    trellis("run", alone, "--set", f"run.output={tmp_path / 'alone' / 'out'}")
    assert np.allclose(positions(tmp_path / "site0", 2), positions(tmp_path / "alone", 2), atol=1e-4)
    # the first site has everything, the other what the run would be resumed from
    first, second = (tmp_path / f"site{k}" / "out" for k in (0, 1))
    assert (first / "checkpoint.hdf5").read_bytes() == (second / "checkpoint.hdf5").read_bytes()
    assert not list(second.glob("snapshot*"))
    check_slabs(first / "snapshot_0000.hdf5")
    check_traffic(first / "sites.csv")
    assert (first / "sites.csv").read_bytes() == (second / "sites.csv").read_bytes()


def check_traffic(log: Path) -> None:
    """Check the log of what goes between the sites: two sites, a line for each in each of 10 steps."""
    with log.open() as file:
        lines = list(csv.DictReader(file))
    assert [int(line["step"]) for line in lines] == [step for step in range(11) for _ in range(2)]
    assert len({line["site"] for line in lines}) == 2
    for line in lines[2:]:
        assert float(line["roots_messages"]) >= 1
        assert float(line["trees_bytes"]) > 0
        assert 0 < float(line["visible"]) <= float(line["trips"])
    for part in ("samples", "migration"):  # space is cut at first, and where the work has become uneven
        assert sum(float(line[f"{part}_bytes"]) for line in lines) > 0


def test_each_site_writes_its_own_particles(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    done = ended(start(2)("--set", 'sites.snapshots="each"'))
    assert [code for code, _ in done] == [0, 0], done
    assert "copy them to one" in done[0][1]
    together = tmp_path / "together"
    together.mkdir()
    for site in range(2):
        (part,) = (tmp_path / f"site{site}" / "out").glob("snapshot_0002*")
        assert part.name == f"snapshot_0002.{site}.hdf5"
        shutil.copy(part, together)
    snapshot = tr.io.read_snapshot(together / "snapshot_0002.hdf5")
    owners = tr.io.read_owners(together / "snapshot_0002.hdf5")
    assert np.array_equal(np.sort(snapshot.particles.id), np.arange(300))
    assert len(owners.names()) == 2
    with pytest.raises(tr.InputError, match=r"is one of 2 files, but there is no file '.*snapshot_0002\.1\.hdf5'"):
        tr.io.read_snapshot(tmp_path / "site0" / "out" / "snapshot_0002.0.hdf5")


def check_slabs(snapshot: Path) -> None:
    """Check that it says which site had which particles: two sites have slabs of space."""
    owners, particles = tr.io.read_owners(snapshot), tr.io.read_snapshot(snapshot).particles
    assert np.array_equal(np.sort(particles.id), np.arange(300))
    assert len(owners.names()) == 2
    first, second = (particles.position[owners.numbers() == site] for site in (0, 1))
    assert len(first) > 100
    assert len(second) > 100
    assert np.any(first.max(axis=0) <= second.min(axis=0))


def test_stopped_at_one_site_and_resumed_by_fewer(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    sites = start(3)
    whole = ended(sites("--set", "run.output=whole"))
    assert [code for code, _ in whole] == [0, 0, 0], whole
    running = sites()
    wait_for(lambda: (tmp_path / "site1" / "out" / "checkpoint.hdf5").exists())
    running[1].send_signal(signal.SIGTERM)
    assert [code for code, _ in ended(running)] == [128 + signal.SIGTERM] * 3
    copies = {(tmp_path / f"site{k}" / "out" / "checkpoint.hdf5").read_bytes() for k in range(3)}
    assert len(copies) == 1
    shutil.copytree(tmp_path, tmp_path.with_name("three"), ignore=lambda *_: ["keys"])
    done = ended(sites("--resume"))  # the same sites: the same bits
    assert [code for code, _ in done] == [0, 0, 0], done
    assert (tmp_path / "site0/out/energy.csv").read_text() == (tmp_path / "site0/whole/energy.csv").read_text()
    for site in range(3):  # without the first, whose folder is gone
        shutil.rmtree(tmp_path / f"site{site}")
        if site > 0:
            shutil.copytree(tmp_path.with_name("three") / f"site{site}", tmp_path / f"site{site}")
    done = ended(sites("--resume", of=[1, 2]))
    assert [code for code, _ in done] == [0, 0], done
    assert "Continuing" in done[0][1]


def test_resumed_by_ever_fewer_sites_without_the_folders_of_the_dead(
    tmp_path: Path, start: Callable[[int], Sites], trellis: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    sites, kept = start(3), [tmp_path / f"site{site}" / "out" / "checkpoint.hdf5" for site in range(3)]
    options = ["--set", "run.until=100"]
    for first in (0, 1):
        began = step_of(kept[2])
        running = sites(*options, of=list(range(first, 3)))
        wait_for(lambda: all(step_of(kept[site]) > began + 1 for site in range(first, 3)))  # noqa: B023
        running[0].kill()
        assert [code for code, _ in ended(running)[1:]] == [1] * (2 - first)
        shutil.rmtree(tmp_path / f"site{first}")
        options = ["--set", "run.until=100", "--resume"]
    until = f"run.until={0.01 * (step_of(kept[2]) + 3):.2f}"
    alone = tmp_path / "alone.toml"
    alone.write_text(RUN.partition("[sites]")[0])
    done = trellis("run", alone, "--resume", "--set", f"run.output={tmp_path / 'site2' / 'out'}", "--set", until)
    assert done.returncode == 0, done.stderr
    assert "Continuing" in done.stdout
    trellis("run", alone, "--set", f"run.output={tmp_path / 'alone' / 'out'}", "--set", until)
    logs = [read_energy_log(tmp_path / name / "out" / "energy.csv") for name in ("site2", "alone")]
    assert np.array_equal(logs[0]["step"], logs[1]["step"])
    assert np.allclose(logs[0]["potential"], logs[1]["potential"], rtol=1e-4)


def test_of_the_time_limits_of_sites_the_earliest_counts(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    running = start(3)(
        "--set", "run.until=1000", own={1: ["--time-limit", "00:00:06"], 2: ["--time-limit", "01:00:00"]}
    )
    site = name_of(running[1])
    done = ended(running)
    assert [code for code, _ in done] == [OUT_OF_TIME] * 3, done
    assert f"before --time-limit at {site}: continue with --resume" in done[0][1]
    copies = {(tmp_path / f"site{k}" / "out" / "checkpoint.hdf5").read_bytes() for k in range(3)}
    assert len(copies) == 1


def name_of(site: subprocess.Popen[str]) -> str:
    assert isinstance(site.args, list)
    return str(site.args[site.args.index("--site") + 1])


def test_a_link_by_way_of_a_forwarder(start: Callable[[int], Sites]) -> None:
    (port,) = free_ports(1)
    link = f'sites.link={{ "SITE0-SITE1" = {{ streams = 3, via = "127.0.0.1:{port}" }} }}'
    running = start(2)("--set", link)
    running[1].send_signal(signal.SIGSTOP)
    words = [sys.executable, "-m", "trellis", "forward", "--listen", f"127.0.0.1:{port}", "--to", name_of(running[0])]
    forwarder = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    time.sleep(6)  # the first site must not connect there, and so to itself, as it would without `via`
    running[1].send_signal(signal.SIGCONT)
    done = ended(running)
    forwarder.send_signal(signal.SIGTERM)
    log = forwarder.communicate(timeout=60)[1]
    assert [code for code, _ in done] == [0, 0], done
    assert log.count("127.0.0.1") >= 3, log  # a line for each stream


def test_a_site_joins_at_a_checkpoint(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    sites = start(3)
    done = ended(sites("--set", "run.until=0.05", of=[1, 2]))
    assert [code for code, _ in done] == [0, 0], done
    done = ended(sites("--resume"))
    assert [code for code, _ in done] == [0, 0, 0], done
    assert "Continuing 300 particles on 3 ranks of 3 sites" in done[0][1]
    owners = tr.io.read_owners(tmp_path / "site0" / "out" / "snapshot_0002.hdf5")
    assert min(np.bincount(owners.numbers(), minlength=3)) > 50
    copies = {(tmp_path / f"site{k}" / "out" / "checkpoint.hdf5").read_bytes() for k in range(3)}
    assert len(copies) == 1


def test_measured_speeds_are_those_of_the_checkpoint(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    sites = start(2)
    done = ended(sites("--set", 'sites.speeds="measured"', "--set", "run.until=0.05"))
    assert [code for code, _ in done] == [0, 0], done
    checkpoint = tmp_path / "site0" / "out" / "checkpoint.hdf5"
    measured = speeds_of(checkpoint)
    assert len(measured) == 2
    assert max(measured.values()) == 1
    with h5py.File(tmp_path / "site1" / "out" / "checkpoint.hdf5") as file:
        assert json.loads(file.attrs["site_speeds"]) == measured
    done = ended(sites("--set", 'sites.speeds="measured"', "--resume"))
    assert [code for code, _ in done] == [0, 0], done
    assert step_of(checkpoint) == 10
    assert speeds_of(checkpoint) == measured
    done = ended(sites("--overwrite"))
    assert [code for code, _ in done] == [0, 0], done
    assert speeds_of(checkpoint) == {}


def speeds_of(checkpoint: Path) -> dict[str, float]:
    """Return the speeds of sites that a checkpoint keeps."""
    with h5py.File(checkpoint) as file:
        speeds: dict[str, float] = json.loads(file.attrs["site_speeds"])
        return speeds


def test_two_sites_exchange_messages_by_way_of_a_third(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    done = ended(start(3)("--set", 'sites.link={ "SITE0-SITE2" = { relay = "SITE1" } }'))
    assert [code for code, _ in done] == [0, 0, 0], done
    assert step_of(tmp_path / "site2" / "out" / "checkpoint.hdf5") == 10


def test_a_dead_site_ends_the_others(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    running = start(3)("--set", "run.until=100")
    wait_for(lambda: (tmp_path / "site2" / "out" / "checkpoint.hdf5").exists())
    running[1].kill()
    killed = name_of(running[1])
    for code, words in (each for k, each in enumerate(ended(running)) if k != 1):
        assert code == 1
        assert killed in words
        assert re.search("with --resume, on the same sites or on those .* goes on from the checkpoint", words), words


def test_a_second_interrupt_at_one_site_ends_the_others_with_a_sentence(
    tmp_path: Path, start: Callable[[int], Sites]
) -> None:
    running = start(2)("--set", "run.until=1000", "--set", "run.checkpoint_every=1e9")
    wait_for(lambda: step_of(tmp_path / "site1" / "out" / "checkpoint.hdf5") > 0)  # one that was not asked for
    for _ in range(2):
        running[1].send_signal(signal.SIGINT)
        time.sleep(0.01)
    (code, words), (interrupted, own) = ended(running)
    if interrupted == code == 128 + signal.SIGINT:
        assert "Stopped with a checkpoint" in words  # the step was over before the second one came
        return
    assert (code, interrupted) == (1, 128 + signal.SIGINT)
    assert f"the site {name_of(running[1])} has ended the run: it was interrupted by Ctrl-C; with --resume" in words
    assert "Traceback" not in words + own


def test_sites_with_other_files_of_one_name_are_refused(tmp_path: Path, start: Callable[[int], Sites]) -> None:
    sites = start(2)
    own = {site: ["--set", f"initial_conditions={tmp_path}/site{site}/ic.hdf5"] for site in (0, 1)}
    text = "[gravity]" + RUN.partition("[gravity]")[2]
    for site in (0, 1):
        (tmp_path / f"site{site}").mkdir()
        tr.io.write_snapshot(tmp_path / f"site{site}" / "ic.hdf5", tr.ic.plummer(300, seed=site + 1))
    for code, words in ended(sites(own=own, text=text)):
        assert code in (1, 2)  # it says so itself, or that the other site has ended
        assert re.search(
            r"the site 127\S+ has 'ic.hdf5' with the SHA-256 checksum \w{12}, but the site 127\S+ has", words
        )
    tr.io.write_snapshot(tmp_path / "site1" / "ic.hdf5", tr.ic.plummer(301, seed=1))
    for code, words in ended(sites(own=own, text=text)):
        assert code in (1, 2)
        assert re.search(r"the site 127\S+ has 'ic.hdf5' of [\d,]+ bytes, but the site 127\S+ has 'ic.hdf5' of", words)
    shutil.copy(tmp_path / "site0" / "ic.hdf5", tmp_path / "site1" / "ic.hdf5")
    done = ended(sites(own=own, text=text))
    assert [code for code, _ in done] == [0, 0], done


def test_of_parameters_that_differ_the_site_is_named(start: Callable[[int], Sites]) -> None:
    running = start(2)(own={1: ["--set", "gravity.softening=0.06"]})
    name = name_of(running[1])
    for code, words in ended(running):
        assert code in (1, 2)
        assert f"'gravity.softening' is 0.06 at the site {name}, but 0.05 at the site 127." in words


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--site", "nowhere"], "there is no site 'nowhere' in the ring"),
        ([], "say with --site which one is here"),
        (["--site", "a:1", "--wait", "soon"], "--wait is 'soon', but must be a time above 0 such as 90s, 30m or 2h"),
        (["--site", "a:1", "--set", "run.files=2"], "'run.files' is 2, but must be 1 in a run over several sites"),
        (["--site", "a:1", "--set", 'sites.link={"a-c"={streams=2}}'], "there is no link 'sites.link.\"a-c\"'"),
        (["--site", "a:1", "--set", 'sites.link={"a-b"={streams=99}}'], "'sites.link.a-b.streams' is 99, but must be"),
        (["--site", "a:1", "--set", 'sites.link={"a-b"={relay="b"}}'], "by a third site whose links to both have no"),
        (["--site", "a:1", "--set", "sites.speeds=[1.0]"], "'sites.speeds' has 1 values, but must have one for each"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, trellis: Callable[..., subprocess.CompletedProcess[str]], arguments: list[str], sentence: str
) -> None:
    file = tmp_path / "run.toml"
    file.write_text(RUN.format(ring='"a:1", "b:2"'))
    done = trellis("run", file, *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_a_site_needs_a_ring(tmp_path: Path, trellis: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    file = tmp_path / "run.toml"
    file.write_text(RUN.partition("[sites]")[0])
    done = trellis("run", file, "--site", "a")
    assert done.returncode == 2
    assert "has no section [sites] with the ring" in done.stderr
