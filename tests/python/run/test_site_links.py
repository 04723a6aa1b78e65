"""Links between sites: measured, the order of sites that they suggest, and files that go over them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from site_processes import begun_in, ended, trusted_names

import trellis as tr
from trellis.run.site_links import LinkRate, best_ring, relays

with_network = pytest.mark.skipif(
    tr.info()["network"] == "built without", reason="Trellis was built without Asio and OpenSSL"
)

Sites = Callable[..., list["subprocess.Popen[str]"]]


@pytest.fixture
def names(keys: Path) -> list[str]:
    """Two sites of this machine that trust each other."""
    assert os.environ["TRELLIS_HOME"] == str(keys)
    return trusted_names(2)


@pytest.fixture
def start(tmp_path: Path, names: list[str]) -> Sites:
    """Start a command of ``trellis sites`` at both sites, each in a folder of its own."""
    file = tmp_path / "run.toml"
    file.write_text(
        '[ic]\nmodel = "plummer"\n[gravity]\nsoftening = 0.05\n'
        f'[run]\nuntil = 1\nsnapshot_every = 1\noutput = "out"\n[sites]\nring = ["{names[0]}", "{names[1]}"]\n'
    )

    def at_both(command: str, *options: str) -> list[subprocess.Popen[str]]:
        running = []
        for name in names:
            folder = tmp_path / name.rpartition(":")[2]
            folder.mkdir(exist_ok=True)
            source = ("--from", names[0]) if command == "cp" else ()
            words = ["sites", command, str(file), *options, "--site", name, *source, "--wait", "60s"]
            running.append(begun_in(folder, *words))
        return running

    return at_both


@with_network
def test_the_links_of_a_ring_are_measured(start: Sites) -> None:
    done = ended(start("check"))
    assert [code for code, _ in done] == [0, 0], done
    lines = done[0][1].splitlines()
    assert sum(line.strip().startswith("127.0.0.1:") and " ms " in line for line in lines) == 2
    assert "The ring is in its best order." in lines
    assert "Mbit/s" not in done[1][1]


@with_network
def test_a_file_goes_to_the_other_site(start: Sites, names: list[str], tmp_path: Path) -> None:
    content = np.random.default_rng(1).bytes(20_000_001)  # some blocks, the last one short
    first, second = (tmp_path / name.rpartition(":")[2] for name in names)
    first.mkdir()
    (first / "stars.hdf5").write_bytes(content)
    done = ended(start("cp", "stars.hdf5"))
    assert [code for code, _ in done] == [0, 0], done
    assert (second / "stars.hdf5").read_bytes() == content
    (second / "stars.hdf5").write_bytes(b"mine")
    done = ended(start("cp", "stars.hdf5"))
    assert done[0][0] == 2, done
    assert f"is at the site {names[1]} already: --overwrite replaces it" in done[0][1]
    assert done[1][0] in (1, 2), done  # it says so itself, or that the first site has ended
    assert (second / "stars.hdf5").read_bytes() == b"mine"


def rates_of(rows: list[list[float]]) -> dict[tuple[int, int], LinkRate]:
    return {(a, b): LinkRate(0.1, rate) for a, row in enumerate(rows) for b, rate in enumerate(row) if a != b}


def test_the_best_ring_goes_round_a_slow_link() -> None:
    rates = rates_of([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 9], [9, 9, 9, 0]])  # between 0 and 1
    assert best_ring(4, rates) == [0, 2, 1, 3]
    assert best_ring(4, rates_of([[5.0] * 4] * 4)) == [0, 1, 2, 3]


def test_of_equal_rings_the_one_of_short_round_trips() -> None:
    rates = rates_of([[5.0] * 4] * 4)
    rates[0, 2] = rates[2, 0] = LinkRate(0.001, 5.0)
    ring = best_ring(4, rates)
    assert abs(ring.index(2) - ring.index(0)) in (1, 3)


def test_a_relay_is_proposed_where_it_is_much_faster() -> None:
    rates = rates_of([[0, 2, 9], [8, 0, 8], [9, 8, 0]])
    assert relays(3, rates) == {(0, 1): 2}  # 0 to 2 to 1: 8 instead of 2; 1 to 0 is fast by itself
